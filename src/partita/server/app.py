"""The application: routes, refusals in one shape, and what a machine asks a server about its health."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import anyio
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from partita.errors import PartitaError
from partita.errors import server as refuse
from partita.server.accounts.oidc import Provider
from partita.server.accounts.register import Role
from partita.server.calls import TheCaller, TheService, only, told
from partita.server.counts import Counts
from partita.server.door import Door
from partita.server.log import failed
from partita.server.pages import console, decisions, signing, views
from partita.server.pages.sessions import Sessions
from partita.server.pages.visits import complained
from partita.server.problems import document, of_status, of_validation
from partita.server.problems import told as complain
from partita.server.routes import calculators, people, questions, standing
from partita.server.service import Service

API: Final = "/v1"
machine = APIRouter(tags=["machine"])


@machine.get("/health")
async def health() -> Response:
    """Whether the process answers at all."""
    return told({"health": "well"})


@machine.get("/ready")
def ready(service: TheService) -> Response:
    """Whether questions are taken: the ledger can be read."""
    service.real.curator.ledger.mark()
    return told({"ready": True})


@machine.get("/metrics")
def metrics(request: Request, service: TheService, caller: TheCaller) -> Response:
    """Counts for Prometheus; for custodians and auditors."""
    only(caller, "reading metrics", Role.CUSTODIAN, Role.AUDITOR)
    found = service.real.curator.ledger.states()
    lines = [f'partita_charges{{state="{state.value}"}} {count}' for state, count in found.items()]
    head = ["# HELP partita_charges Charges in the ledger by state.", "# TYPE partita_charges gauge"]
    return PlainTextResponse(request.app.state.counts.text() + "\n".join([*head, *lines]) + "\n")


def application(service: Service, *, version: str, talks: Sequence[BaseRoute] = ()) -> ASGIApp:
    """The whole server around a service; ``talks`` is where language models are talked to."""
    app = FastAPI(
        title="Partita",
        version=version,
        description="A differentially private curator for a team: every answer is charged before anything is read.",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": {"description": "A refusal.", "content": {"application/json": {"schema": _PROBLEM}}}},
    )
    app.state.service = service
    app.state.counts = Counts()
    app.state.rates = service.rates
    app.state.sessions = Sessions(service.settings.sign_in_hours, board=service.board)
    declared = service.settings.oidc
    app.state.provider = None if declared is None else Provider(declared, board=service.board)
    app.state.asking = anyio.CapacityLimiter(service.settings.questions_at_once)
    for router in (questions.router, standing.router, calculators.router, people.router):
        app.include_router(router, prefix=API)
    for router in (questions.router, standing.router):
        app.include_router(router, prefix=f"{API}/practice")
    for router in (machine, signing.router, views.router, console.router, decisions.router):
        app.include_router(router)
    app.router.routes.extend(talks)
    _refusals(app)
    worker = None if service.settings.workers == 1 else service.board.worker
    return Door(app, service.settings, app.state.counts, worker)


def _refusals(app: FastAPI) -> None:
    """Every refusal in one shape, with nothing in it that depends on a protected value."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, PartitaError)
        app.state.counts.refusal(error.code)
        ledger = app.state.service.real.curator.ledger.name
        if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(API):
            return complained(request, error, document(error, ledger)["error"]["message"])
        return complain(error, ledger)

    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return await ours(request, of_validation(error))

    async def of_framework(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return await ours(request, of_status(request, error.status_code))

    async def unforeseen(request: Request, error: Exception) -> Response:
        failed("fault", error)
        return await ours(request, refuse.fault())

    async def too_deep(request: Request, error: Exception) -> Response:
        return await ours(request, refuse.not_json("it is too deep"))

    app.add_exception_handler(PartitaError, ours)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(HTTPException, of_framework)
    app.add_exception_handler(RecursionError, too_deep)
    app.add_exception_handler(Exception, unforeseen)


_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "kind", "message"],
            "properties": {name: {"type": "string"} for name in ("code", "kind", "message")},
        }
    },
}
