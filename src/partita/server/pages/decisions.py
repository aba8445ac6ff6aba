"""The pages on which a custodian decides: approvals, accounts, tokens and limits."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from partita.composition.plans.promise import alike
from partita.errors import PartitaError
from partita.server.accounts.register import Role, checked_account
from partita.server.calls import TheService, only
from partita.server.pages.visits import OwnForm, TheVisitor, Visitor, page
from partita.server.service import Service
from partita.server.statuses import status_of

router = APIRouter(include_in_schema=False)


@router.get("/approvals")
def approvals(request: Request, service: TheService, visitor: TheVisitor) -> Response:
    """What waits for the custodian."""
    waiting = [
        one
        for one in service.approvals.waiting()
        if visitor.caller.role is not Role.ANALYST or one.analyst == visitor.caller.account
    ]
    return page(request, visitor, "approvals.html", waiting=waiting, above=service.approvals.above)


@router.post("/approvals")
def decide(service: TheService, visitor: TheVisitor, fields: OwnForm) -> Response:
    """Approve or decline."""
    only(visitor.caller, "approving", Role.CUSTODIAN)
    yes = fields.get("do") == "approve"
    service.approvals.decide(fields.get("request", ""), by=visitor.caller.account, yes=yes)
    return RedirectResponse("/approvals", 303)


@router.get("/accounts")
def accounts(request: Request, service: TheService, visitor: TheVisitor) -> Response:
    """Tokens and limits."""
    return _accounts(request, service, visitor)


@router.post("/accounts")
def change(request: Request, service: TheService, visitor: TheVisitor, fields: OwnForm) -> Response:
    """Give out, exchange or revoke a token, or set the limits of an analyst."""
    try:
        text = _changed(service, visitor, fields)
    except PartitaError as refusal:
        return _accounts(request, service, visitor, status_of(refusal), refused=refusal.message, code=refusal.code)
    return _accounts(request, service, visitor, token=text)


def _changed(service: Service, visitor: Visitor, fields: OwnForm) -> str:
    """What was asked for; the text of a new token, if there is one."""
    by, number = visitor.caller.account, fields.get("number", "")
    do = fields.get("do")
    if do in ("revoke", "rotate") and any(
        one.number == number and one.account == by for one in service.register.tokens()
    ):
        pass  # everybody may end or exchange their own
    else:
        only(visitor.caller, "changing accounts", Role.CUSTODIAN)
    days = fields.get("days", "").strip()
    until = int(days) if days.isdecimal() and len(days) < len("100000") else None if not days else 0
    if do == "revoke":
        service.register.revoke(number, by=by)
    elif do == "rotate":
        return service.register.rotate(number, days=until, by=by, longer=visitor.decides)[0]
    elif do == "limits":
        curator = service.real.curator
        given = [fields.get(f"limit{place}", "").strip() for place in range(len(curator.promises))]
        limits = [
            alike(one.budget, text, "limit") if text else None
            for one, text in zip(curator.promises, given, strict=True)
        ]
        curator.session(analyst=checked_account(fields.get("account", "")), budget=limits)
    else:
        return service.register.give(fields.get("account", ""), fields.get("role", ""), days=until, by=by)[0]
    return ""


def _accounts(
    request: Request,
    service: Service,
    visitor: Visitor,
    status: int = 200,
    *,
    token: str = "",
    refused: str = "",
    code: str = "",
) -> Response:
    seen = visitor.caller.role is not Role.ANALYST
    own = visitor.caller.account
    tokens = [(one, service.register.valid(one)) for one in service.register.tokens() if seen or one.account == own]
    limits = {
        name: [str(one) if one is not None else "none" for one in given]
        for name, given in service.real.curator.ledger.accounts().items()
        if seen or name == own
    }
    units = [(str(one.granularity), one.budget.symbol) for one in service.real.curator.promises]
    return page(
        request,
        visitor,
        "accounts.html",
        status,
        tokens=tokens,
        limits=limits,
        units=units,
        roles=list(Role),
        token=token,
        refused=refused,
        code=code,
    )
