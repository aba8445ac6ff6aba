"""Accounts and decisions: tokens, limits and approvals; each is written into the ledger."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from partita.errors import server as refuse
from partita.server.accounts.register import Caller, Role, Token, checked_account
from partita.server.approvals import Waiting
from partita.server.bodies import Decision, Limits, NewToken, Rotation
from partita.server.calls import TheCaller, TheService, only, told
from partita.server.documents import losses
from partita.server.service import Service
from partita.theory.documents import from_document

router = APIRouter(tags=["people"])


@router.get("/me")
def me(service: TheService, caller: TheCaller) -> Response:
    """Who the token belongs to."""
    above = service.approvals.above
    return told(
        {
            "account": caller.account,
            "role": caller.role.value,
            "token": caller.token,
            "approve_above": losses([above])[0],
            "practice": service.settings.practice,
        }
    )


@router.get("/tokens")
def tokens(service: TheService, caller: TheCaller) -> Response:
    """All tokens, without their texts; an analyst sees those of their own account."""
    found = [
        _token(service, one)
        for one in service.register.tokens()
        if caller.role is not Role.ANALYST or one.account == caller.account
    ]
    return told({"tokens": found})


@router.post("/tokens")
def new_token(body: NewToken, service: TheService, caller: TheCaller) -> Response:
    """Give out a new token; its text is in this response and nowhere else."""
    only(caller, "giving out tokens", Role.CUSTODIAN)
    text, made = service.register.give(body.account, body.role, days=body.days, by=caller.account)
    return told({**_token(service, made), "text": text}, 201)


@router.post("/tokens/{number}/rotate")
def rotate(number: str, body: Rotation, service: TheService, caller: TheCaller) -> Response:
    """Exchange a token for a new one; everybody may exchange those of their own account, for one that ends no later."""
    _own(service, caller, number)
    longer = caller.role is Role.CUSTODIAN
    text, made = service.register.rotate(number, days=body.days, by=caller.account, longer=longer)
    return told({**_token(service, made), "text": text}, 201)


@router.delete("/tokens/{number}")
def revoke(number: str, service: TheService, caller: TheCaller) -> Response:
    """Revoke a token; everybody may revoke those of their own account."""
    _own(service, caller, number)
    service.register.revoke(number, by=caller.account)
    return told({"revoked": number})


@router.get("/approvals")
def approvals(service: TheService, caller: TheCaller) -> Response:
    """What waits for the custodian; an analyst sees their own requests."""
    found = [
        _waiting(one)
        for one in service.approvals.waiting()
        if caller.role is not Role.ANALYST or one.analyst == caller.account
    ]
    return told({"waiting": found})


@router.post("/approvals/{number}")
def approve(number: str, body: Decision, service: TheService, caller: TheCaller) -> Response:
    """Approve what waits, or decline it; asking again then charges it."""
    only(caller, "approving", Role.CUSTODIAN)
    found = service.approvals.decide(number, by=caller.account, yes=body.approve)
    return told({**_waiting(found), "approved": body.approve})


@router.get("/limits")
def limits(service: TheService, caller: TheCaller) -> Response:
    """The limits of analysts for each promise; an analyst sees their own."""
    found = service.real.curator.ledger.accounts()
    return told(
        {
            "limits": {
                name: losses(given)
                for name, given in found.items()
                if caller.role is not Role.ANALYST or name == caller.account
            }
        }
    )


@router.put("/limits/{account}")
def limit(account: str, body: Limits, service: TheService, caller: TheCaller) -> Response:
    """Give an analyst limits, one for each promise; they stay for ever, since a limit is a promise too."""
    only(caller, "setting limits", Role.CUSTODIAN)
    given = [None if one is None else from_document(one) for one in body.limits]
    service.real.curator.session(analyst=checked_account(account), budget=given)
    return told({"account": account, "limits": losses(given)})


@router.post("/practice/reset")
def reset(service: TheService, caller: TheCaller) -> Response:
    """Let the caller's practice twin begin anew."""
    service.forget_practice(caller)
    return told({"practice": True})


def _own(service: Service, caller: Caller, number: str) -> None:
    """Refuse what concerns somebody else's token, in the words for one that is not there."""
    mine = {one.number for one in service.register.tokens() if one.account == caller.account}
    if caller.role is not Role.CUSTODIAN and number not in mine:
        raise refuse.unknown_token(number)


def _token(service: Service, one: Token) -> dict[str, object]:
    return {
        "number": one.number,
        "account": one.account,
        "role": one.role.value,
        "made": one.made,
        "expires": one.expires,
        "by": one.by,
        "valid": service.register.valid(one),
    }


def _waiting(one: Waiting) -> dict[str, object]:
    return {"request": one.number, "analyst": one.analyst, "asked": one.asked, "costs": losses(one.costs)}
