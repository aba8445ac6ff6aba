"""Questions: ask, quote, many at once, plans, and what follows from earlier answers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from partita.errors import server as refuse
from partita.server.accounts.register import Caller
from partita.server.bodies import Ask, AskMany, Batch, Quote, Reused
from partita.server.calls import Key, Number, Practice, TheCaller, TheService, as_asked, told, working
from partita.server.desk import Desk
from partita.server.documents import answer_document, losses, offer_document

router = APIRouter(tags=["questions"])


@router.post("/ask")
async def ask(
    request: Request, body: Ask, service: TheService, caller: TheCaller, practice: Practice, header: Key
) -> Response:
    """Answer a question; it is charged before anything is read, and repeating it is free."""
    if header is not None and body.key is not None and header != body.key:
        raise refuse.bad_request("key", "the header Idempotency-Key says another")

    def work() -> Response:
        answer = service.ask(caller, body, body.key if header is None else header, practice=practice)
        desk = service.desk(caller, practice=practice)
        return as_asked(request, desk, caller, answer, list(body.bars), explain=body.explain)

    return await working(request, work)


@router.post("/quote")
async def quote(request: Request, body: Quote, service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """What a question would cost and how exact it would be; nothing is read or spent."""

    def work() -> Response:
        offer = service.quote(caller, body, practice=practice)
        return told(offer_document(offer, bars=body.bars, explain=body.explain, practice=practice))

    return await working(request, work)


@router.post("/ask-many")
async def ask_many(
    request: Request, body: AskMany, service: TheService, caller: TheCaller, practice: Practice
) -> Response:
    """Answer several questions, each as by itself, with flushes that they share."""

    def work() -> Response:
        desk = service.desk(caller, practice=practice)
        answers = service.ask_many(caller, body, practice=practice)
        return told({"answers": _documents(desk, caller, answers, body.bars, explain=body.explain)})

    return await working(request, work)


@router.post("/batch")
async def batch(request: Request, body: Batch, service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """What several questions would cost together and apart; nothing is read or spent."""

    def work() -> Response:
        found = service.batch(caller, body, practice=practice)
        return told(_batch(found, body, practice=practice))

    return await working(request, work)


@router.post("/plans")
async def plan(request: Request, body: Batch, service: TheService, caller: TheCaller, practice: Practice) -> Response:
    """Charge several questions together, to be asked later in any order under the number that is given."""

    def work() -> Response:
        number, found = service.plan(caller, body, practice=practice)
        document = {"plan": number, "questions": len(found), "costs": losses(found.costs), "free": found.free}
        return told({"practice": practice, **document})

    return await working(request, work)


@router.get("/plans/{number}/answers")
async def planned(
    request: Request,
    number: Number,
    service: TheService,
    caller: TheCaller,
    practice: Practice,
    question: int | None = None,
    bars: str = "0.95",
) -> Response:
    """The answers to a plan, or to one of its questions, counted from 0; the plan is charged already."""

    def work() -> Response:
        desk = service.desk(caller, practice=practice)
        found = desk.plan(caller, number)
        answers = found.answers() if question is None else [found.ask(question)]
        return told({"answers": _documents(desk, caller, answers, [bars], explain=False)})

    return await working(request, work)


@router.post("/reused")
async def reused(
    request: Request, body: Reused, service: TheService, caller: TheCaller, practice: Practice
) -> Response:
    """The most exact answer that follows from what was released already, free; null if nothing tells."""

    def work() -> Response:
        desk = service.desk(caller, practice=practice)
        found = desk.curator.reused(body.question, analyst=caller.account)
        if found is None:
            return told({"practice": practice, "answer": None})
        (document,) = _documents(desk, caller, [found], body.bars, explain=body.explain)
        return told({"practice": practice, "answer": document})

    return await working(request, work)


def _documents(desk: Desk, caller: Caller, answers: list[Any], bars: list[str], *, explain: bool) -> list[Any]:
    return [
        answer_document(
            one, bars=bars, explain=explain, practice=desk.practice, shown=lambda receipt: desk.shown(caller, receipt)
        )
        for one in answers
    ]


def _batch(found: Any, body: Batch, *, practice: bool) -> dict[str, Any]:
    return {
        "practice": practice,
        "costs": losses(found.costs),
        "apart": losses(found.apart),
        "fits": found.fits,
        "exact": found.exact,
        "bars": [{"confidence": confidence, "half_widths": found.error(confidence)} for confidence in body.bars],
        "explanation": found.explain(),
    }
