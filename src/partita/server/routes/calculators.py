"""Calculators: compose, calibrate and explain, which know nothing of any table and spend nothing."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from partita.composition.exchange.documents import calibrate_document, compose_document
from partita.curator.settings import read_loss
from partita.explain.words import explain as put_in_words
from partita.server.bodies import Document, Loss
from partita.server.calls import TheCaller, told, working

router = APIRouter(tags=["calculators"])


@router.post("/compose")
async def compose(request: Request, body: Document, caller: TheCaller) -> Response:
    """What the releases of a plan fixed beforehand give away together."""

    def work() -> Response:
        found = compose_document(body)
        return told({**found.to_json(), "explanation": found.explain()})

    return await working(request, work)


@router.post("/calibrate")
async def calibrate(request: Request, body: Document, caller: TheCaller) -> Response:
    """The least noise with which so many releases stay within a total."""

    def work() -> Response:
        found = calibrate_document(body)
        return told({"mechanism": found.kind, "parameters": found.parameters(), "error": found.error("0.95")})

    return await working(request, work)


@router.post("/explain")
async def explain(request: Request, body: Loss, caller: TheCaller) -> Response:
    """What a loss means, in plain words."""

    def work() -> Response:
        given = {name: value for name, value in body.model_dump().items() if value is not None}
        return told(put_in_words(read_loss("request", "loss", given)).document())

    return await working(request, work)
