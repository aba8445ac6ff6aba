"""What a curator says of itself: tables, promises, balances, the ledger, receipts, the audit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from partita.effort import bounded
from partita.ledger.reports.report import asked_of
from partita.query.tables.holding import holds
from partita.server.accounts.register import Caller, Role
from partita.server.calls import Number, Practice, TheCaller, TheService, as_asked, only, told, working
from partita.server.desk import Desk
from partita.server.documents import losses

router = APIRouter(tags=["standing"])
Place = Annotated[int, Query(ge=0, le=2**62)]
Name = Annotated[str, Query(max_length=200)]


@router.get("/schema")
def schema(service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """The tables and what each column may hold; public, and no row is read."""
    curator = service.desk(caller, practice=practice).curator
    tables = [
        {
            "table": one.name,
            "owner": one.owner,
            "columns": [
                {"column": name, "kind": column.kind, "holds": holds(column)} for name, column in one.columns.items()
            ],
        }
        for one in curator.tables
    ]
    public = [{"table": one.name, "key": one.key, "columns": list(one.columns)} for one in curator.public]
    return told({"practice": practice, "tables": tables, "public": public})


@router.get("/promises")
def promises(service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """Who is protected, and by which budgets."""
    curator = service.desk(caller, practice=practice).curator
    found = [
        {"unit": str(one.granularity), "budget": losses([one.budget])[0], "text": str(one)} for one in curator.promises
    ]
    return told({"practice": practice, "promises": found})


@router.get("/balances")
def balances(
    service: TheService,
    caller: TheCaller,
    practice: Practice,
    where: Annotated[str | None, Query(max_length=10_000)] = None,
    table: Name | None = None,
) -> Response:
    """What is spent and left for each promise, of everybody or of those a condition names, and of the caller's own."""
    curator = service.desk(caller, practice=practice).curator
    limits = curator.ledger.accounts().get(caller.account)
    own = None
    if limits is not None:
        own = {"limits": losses(limits), "spent": losses(curator.spent(caller.account))}
    with bounded():
        joint = curator.remaining(where, table=table)
        yours = curator.remaining(where, table=table, analyst=caller.account)
    return told(
        {
            "practice": practice,
            "spent": losses(curator.spent()),
            "remaining": losses(joint),
            "yours": losses(yours),
            "own": own,
        }
    )


@router.get("/guarantee")
def guarantee(service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """What is promised to everybody in the data, in numbers and in words."""
    found = service.desk(caller, practice=practice).curator.guarantee()
    return told(
        {
            "practice": practice,
            "guarantees": [
                {
                    "unit": str(one.granularity),
                    "budget": losses([one.budget])[0],
                    "spent": losses([one.spent])[0],
                    "text": str(one),
                    "explanation": one.explain().document(),
                }
                for one in found
            ],
        }
    )


@router.get("/map")
def load_map(
    service: TheService,
    caller: TheCaller,
    practice: Practice,
    x: Name,
    y: Name,
    table: Name | None = None,
    promise: Place = 0,
) -> Response:
    """The share of a promise that is spent on each combination of two columns."""
    curator = service.desk(caller, practice=practice).curator
    found = curator.load_map(x, y, table=table, promise=promise)
    return told(
        {
            "practice": practice,
            "x": {"column": found.column_x, "values": list(found.x)},
            "y": {"column": found.column_y, "values": list(found.y)},
            "spent": found.spent.tolist(),
        }
    )


@router.get("/ledger")
def ledger(
    service: TheService,
    caller: TheCaller,
    practice: Practice,
    before: Place | None = None,
    count: Annotated[int, Query(ge=1, le=500)] = 50,
    text: Name | None = None,
    analyst: Name | None = None,
) -> Response:
    """Charges, newest first: the caller's own, or all for those who may see them; `next` is where to go on."""
    found, after = entries(service.desk(caller, practice=practice), caller, count, before, text, analyst)
    return told({"practice": practice, "charges": found, "next": after})


def entries(
    desk: Desk, caller: Caller, count: int, before: int | None, text: str | None, analyst: str | None
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of the ledger as the caller may see it."""
    book = desk.curator.ledger
    whose = analyst if desk.sees_all(caller) else caller.account
    found, after = book.charges(count, before=before, analyst=whose, text=text or None)
    lines = []
    for entry, state in found:
        one = asked_of(book, entry, state)
        lines.append(
            {
                "seq": one.seq,
                "at": one.at,
                "analyst": one.analyst,
                "asked": one.asked,
                "table": one.table,
                "charged": losses(one.charged),
                "state": one.state.value,
            }
        )
    return lines, after


@router.get("/answers/{number}")
async def answer(
    request: Request,
    number: Number,
    service: TheService,
    caller: TheCaller,
    practice: Practice,
    bars: Annotated[str, Query(max_length=50)] = "0.95",
    *,
    explain: bool = False,
) -> Response:
    """An answer by the number of its entry, as it was given; nothing is read or charged."""

    def work() -> Response:
        desk = service.desk(caller, practice=practice)
        found = desk.answer(caller, number)
        return as_asked(request, desk, caller, found, [bars], explain=explain)

    return await working(request, work)


@router.get("/receipts/{number}")
def receipt(number: Number, service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """The signed receipt of an answer, by the number of its entry."""
    desk = service.desk(caller, practice=practice)
    return told(desk.receipt(caller, number).document())


@router.get("/verify")
async def verify(request: Request, service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """Audit the whole ledger from its first line; for custodians and auditors."""
    only(caller, "auditing the ledger", Role.CUSTODIAN, Role.AUDITOR)

    def work() -> Response:
        found = service.desk(caller, practice=practice).curator.verify()
        return told(
            {
                "practice": practice,
                "sound": found.sound,
                "entries": found.entries,
                "charges": found.charges,
                "answered": found.answered,
                "unfinished": found.unfinished,
                "problems": [*found.problems],
                "unproven": [*found.unproven],
            }
        )

    return await working(request, work)
