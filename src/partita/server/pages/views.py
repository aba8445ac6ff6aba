"""The pages that show how things stand: overview, map, ledger, answers and receipts."""

from __future__ import annotations

from importlib import resources
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from partita.errors import server as refuse
from partita.query.tables.holding import holds
from partita.server.calls import Number, TheService, working
from partita.server.pages.drawings import burn_down, heat
from partita.server.pages.visits import AnyForm, TheVisitor, chosen, desk_of, page
from partita.server.routes.standing import entries

router = APIRouter(include_in_schema=False)
_STATIC: Final = {"style.css": "text/css; charset=utf-8", "script.js": "text/javascript; charset=utf-8"}
_LINES: Final = 25
Name = Annotated[str, Query(max_length=200)]


@router.get("/static/{name}")
def static(name: str) -> Response:
    """What pages are made with; it is part of the package."""
    if name not in _STATIC:
        raise refuse.not_found(name[:100])
    content = resources.files("partita.server.pages").joinpath("static", name).read_bytes()
    return Response(content, headers={"Content-Type": _STATIC[name]})


@router.post("/choose")
def choose(service: TheService, fields: AnyForm) -> Response:
    """Keep a theme, or whether to practise; neither is a secret."""
    return chosen(service, fields)


@router.get("/")
async def overview(request: Request, service: TheService, visitor: TheVisitor) -> Response:
    """The promises in words, and what is left of them."""

    def work() -> Response:
        desk = desk_of(service, visitor)
        curator, moments = desk.curator, desk.history()
        own = curator.ledger.accounts().get(visitor.caller.account)
        promises = []
        for place, one in enumerate(curator.guarantee()):
            limit = None if own is None else own[place]
            spent = None if own is None else curator.spent(visitor.caller.account)[place]
            left = one.budget.left_after(one.spent)
            promises.append(
                {
                    "text": f"Nobody loses more than {one.budget}, whatever is still asked.",
                    "unit": str(one.granularity),
                    "words": one.explain("person").sections[0].sentences[:2],
                    "spent": str(one.spent),
                    "left": str(left),
                    "drawing": burn_down(moments, place, one.budget, f"Promise {place + 1}"),
                    "limit": None if limit is None else f"{spent} of {limit}",
                }
            )
        tables = [(one.name, [(name, holds(column)) for name, column in one.columns.items()]) for one in curator.tables]
        count = moments[-1].charges
        return page(request, visitor, "overview.html", promises=promises, tables=tables, count=count)

    return await working(request, work)


@router.get("/map")
async def load_map(
    request: Request,
    service: TheService,
    visitor: TheVisitor,
    table: Name = "",
    x: Name = "",
    y: Name = "",
    promise: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> Response:
    """Who has been asked about how much."""

    def work() -> Response:
        curator = desk_of(service, visitor).curator
        tables = {one.name: list(one.domain.axes) for one in curator.tables}
        chosen_table = table if table in tables else next(iter(tables))
        axes = tables[chosen_table]
        first, second = x if x in axes else axes[0], y if y in axes else axes[min(1, len(axes) - 1)]
        drawing = ""
        if first != second:
            found = curator.load_map(first, second, table=chosen_table, promise=promise)
            names = [["NULL" if one is None else str(one) for one in side] for side in (found.x, found.y)]
            drawing = heat(names[0], names[1], found.spent.tolist(), (first, second))
        facts: dict[str, Any] = {"tables": list(tables), "axes": axes, "drawing": drawing}
        units = [str(one.granularity) for one in curator.promises]
        return page(
            request, visitor, "map.html", table=chosen_table, x=first, y=second, promise=promise, units=units, **facts
        )

    return await working(request, work)


@router.get("/ledger")
async def ledger(
    request: Request,
    service: TheService,
    visitor: TheVisitor,
    text: Name = "",
    analyst: Name = "",
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> Response:
    """What was charged, newest first."""

    def work() -> Response:
        desk = desk_of(service, visitor)
        lines, more = entries(desk, visitor.caller, _LINES, before, text, analyst or None)
        all_seen = desk.sees_all(visitor.caller)
        return page(
            request, visitor, "ledger.html", lines=lines, more=more, text=text, analyst=analyst, all_seen=all_seen
        )

    return await working(request, work)


@router.get("/receipts/{number}.json")
def receipt(number: Number, service: TheService, visitor: TheVisitor) -> Response:
    """A receipt to keep."""
    text = desk_of(service, visitor).receipt(visitor.caller, number).to_json()
    name = f'attachment; filename="receipt-{number}.json"'
    return Response(text, headers={"Content-Type": "application/json", "Content-Disposition": name})
