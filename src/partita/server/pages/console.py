"""The console: a question, its price before it is spent, and its answer with error bars."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeVar

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.errors import BudgetExceeded, PartitaError
from partita.errors import server as refuse
from partita.explain.grid import grid, label
from partita.explain.words import explain
from partita.server.bodies import Ask, Quote
from partita.server.calls import Number, TheService, working
from partita.server.desk import Desk
from partita.server.pages.drawings import bars
from partita.server.pages.visits import OwnForm, TheVisitor, Visitor, desk_of, page, part
from partita.server.service import Service
from partita.server.statuses import status_of

router = APIRouter(include_in_schema=False)
KINDS: Final = {
    "rho": "ρ, a price",
    "epsilon": "ε, a price",
    "mu": "μ, a price",
    "within": "± at most, an accuracy",
}
EXAMPLE: Final = "SELECT COUNT(*) AS n FROM "
_SURE: Final = "0.95"
_PARTS: Final = 10**6
"""A price that is proposed has six places behind the point."""
Asked = TypeVar("Asked", Ask, Quote)


@router.get("/ask")
def console(request: Request, service: TheService, visitor: TheVisitor) -> Response:
    """A question to be written."""
    desk = desk_of(service, visitor)
    start = {"question": f"{EXAMPLE}{desk.curator.tables[0].name}", "kind": _kind(desk), "amount": "0.01"}
    return _page(request, desk, visitor, start)


@router.post("/ask/preview")
async def preview(request: Request, service: TheService, visitor: TheVisitor, fields: OwnForm) -> Response:
    """The price of what is written so far, as a part of the page."""
    text = await working(request, lambda: _offered(service, visitor, fields))
    return Response(text, headers={"Content-Type": "text/html; charset=utf-8"})


@router.post("/ask")
async def ask(request: Request, service: TheService, visitor: TheVisitor, fields: OwnForm) -> Response:
    """Preview a question, or spend what it costs and show its answer."""

    def work() -> Response:
        desk = desk_of(service, visitor)
        if fields.get("do") != "ask":
            return _page(request, desk, visitor, fields, offer=_offered(service, visitor, fields))
        try:
            body = _read(Ask, fields)
            answer = service.ask(visitor.caller, body, None, practice=visitor.practice)
        except PartitaError as refusal:
            # The price stands below the refusal, with one that would fit.
            below = _offered(service, visitor, fields) if isinstance(refusal, BudgetExceeded) else ""
            return _page(request, desk, visitor, fields, status_of(refusal), offer=_refused(refusal) + below)
        return _page(request, desk, visitor, fields, answer=_shown(desk, visitor, answer))

    return await working(request, work)


@router.get("/answers/{number}")
async def answer_page(request: Request, number: Number, service: TheService, visitor: TheVisitor) -> Response:
    """An answer that was given before."""

    def work() -> Response:
        desk = desk_of(service, visitor)
        found = desk.answer(visitor.caller, number)
        return page(request, visitor, "answer_page.html", answer=_shown(desk, visitor, found), number=number)

    return await working(request, work)


def _page(
    request: Request,
    desk: Desk,
    visitor: Visitor,
    fields: Mapping[str, str],
    status: int = 200,
    *,
    offer: str = "",
    answer: str = "",
) -> Response:
    tables = [(one.name, list(one.columns)) for one in desk.curator.tables]
    given = {name: fields.get(name, "") for name in ("question", "kind", "amount", "shrink")}
    return page(
        request, visitor, "ask.html", status, given=given, kinds=KINDS, tables=tables, offer=offer, answer=answer
    )


def _offered(service: Service, visitor: Visitor, fields: Mapping[str, str]) -> str:
    """What a question would cost, how exact it would be, and what an attacker could learn; or why it is refused."""
    try:
        body = _read(Quote, fields)
        offer = service.quote(visitor.caller, body, practice=visitor.practice)
        promises = service.real.curator.promises
        above = service.approvals.above
        waits = not visitor.practice and not offer.free and above is not None and not offer.cost.fits(above)
        lost = explain(offer.cost, unit=promises[0].granularity, readers=("person",)).sections[0].sentences[:2]
        halves = {
            name: "depends on the size of its group" if half is None else f"± {half:.4g}"
            for name, half in offer.error(_SURE).items()
        }
        ranks = {name: f"within {rows:,.0f} rows" for name, rows in offer.quote.rank_error(_SURE).items()}
        facts = {"bars": {**halves, **ranks}, "lost": lost, "waits": waits, "above": above}
        return part("offer.html", offer=offer, fitting=_fitting(service, visitor, fields, offer), **facts)
    except PartitaError as refusal:
        return _refused(refusal)


def _refused(refusal: PartitaError) -> str:
    """A refusal as a part of a page; the place in the question stands under its words."""
    message, mark, place = refusal.message.partition("\n(line ")
    return part("refused.html", code=refusal.code, message=message, place=(mark + place).strip())


def _fitting(service: Service, visitor: Visitor, fields: Mapping[str, str], offer: CuratorQuote) -> str:
    """A price at which the same question still fits, rounded down; nothing where there is none."""
    left = getattr(offer.remaining[0], fields.get("kind", ""), None)
    if offer.fits or offer.free or not isinstance(left, Fraction) or left <= 0:
        return ""
    amount = str(Decimal(math.floor(left * _PARTS)) / _PARTS)
    try:
        less = service.quote(visitor.caller, _read(Quote, {**fields, "amount": amount}), practice=visitor.practice)
    except PartitaError:
        return ""
    return amount if less.fits else ""


def _shown(desk: Desk, visitor: Visitor, answer: Answer) -> str:
    """An answer as a part of a page: the table, the drawing, the bill and the receipts."""
    found = grid(answer, _SURE)
    errors = answer.error(_SURE)
    drawing = ""
    name = next(iter(errors), None)
    columns = answer.shown.columns
    if name is not None and found.lines:
        keys = [one for one in columns if one not in errors and one not in answer.rank_error(_SURE)]
        labels = [", ".join(label(columns[key][line]) for key in keys) or name for line in range(found.lines)]
        values = [0.0 if value is None else float(value) for value in columns[name]]
        drawn = next(one for one in found.columns if one.name == name)
        told = [f"{value} ± {half}" for value, half in zip(drawn.values, drawn.bar or (), strict=True)]
        drawing = bars(labels, values, errors[name], told, name)
    receipts = [desk.shown(visitor.caller, one) for one in answer.receipts]
    mine = [one.seq for one in receipts if one.asked]
    return part(
        "answer.html", answer=answer, grid=found, drawing=drawing, receipts=mine, words=answer.explain(confidence=_SURE)
    )


def _read(kind: type[Asked], fields: Mapping[str, str]) -> Asked:
    """What a form asks."""
    try:
        return kind(question=fields.get("question", ""), **_wants(fields))
    except ValidationError:
        raise refuse.bad_request("question", "give 1 to 100,000 characters of SQL") from None


def _wants(fields: Mapping[str, str]) -> dict[str, Any]:
    kind = fields.get("kind", "")
    amount = fields.get("amount", "").strip()[:200]
    return {**({kind: amount} if kind in KINDS and amount else {}), "shrink": fields.get("shrink") == "1"}


def _kind(desk: Desk) -> str:
    symbol = desk.curator.promises[0].budget.symbol
    return {"ρ": "rho", "ε": "epsilon", "μ": "mu"}.get(symbol, "epsilon")
