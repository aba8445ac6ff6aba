"""What every route needs: who is asking, which desk, a thread to work in, and the form of the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import anyio.to_thread
from fastapi import Depends, Header, Path
from starlette.requests import Request
from starlette.responses import Response

from partita.curator.answers.answer import Answer
from partita.errors import server as refuse
from partita.server.accounts.register import Caller, Role
from partita.server.desk import Desk
from partita.server.documents import ARROW, CSV, JSON, answer_document, as_arrow, as_csv, as_json
from partita.server.service import Service

Made = TypeVar("Made")
PRACTICE = "/v1/practice/"


def service_of(request: Request) -> Service:
    """The service behind a request."""
    found: Service = request.app.state.service
    return found


def caller_of(request: Request) -> Caller:
    """Who is asking; one wording for every token that lets nobody in."""
    service = service_of(request)
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    caller = service.register.caller(token.strip() if kind.lower() == "bearer" else "")
    address = request.client.host if request.client else ""
    if not request.app.state.rates.taken(f"address {address}" if caller is None else f"token {caller.token}"):
        raise refuse.too_many(5)
    if caller is None:
        raise refuse.not_signed_in()
    request.state.caller = caller
    return caller


async def the_service(request: Request) -> Service:
    """The service, without a thread of its own: nothing waits here."""
    return service_of(request)


async def practice_of(request: Request) -> bool:
    """Whether a request is for the practice twin."""
    return request.url.path.startswith(PRACTICE)


async def key_of(idempotency_key: Annotated[str | None, Header(max_length=200)] = None) -> str | None:
    """The caller's own mark for this attempt."""
    return idempotency_key


TheService = Annotated[Service, Depends(the_service)]
TheCaller = Annotated[Caller, Depends(caller_of)]
Practice = Annotated[bool, Depends(practice_of)]
Number = Annotated[int, Path(ge=1, le=2**62)]
Key = Annotated[str | None, Depends(key_of)]


def only(caller: Caller, doing: str, *roles: Role) -> None:
    """Refuse a caller whose role does not cover this."""
    if caller.role not in roles:
        raise refuse.not_allowed(caller.role, doing)


def working(request: Request, work: Callable[[], Made]) -> Awaitable[Made]:
    """Work in a thread of its own; it runs to its end whoever goes away, and others do not wait for it."""
    return anyio.to_thread.run_sync(work, limiter=request.app.state.asking)


def as_asked(
    request: Request, desk: Desk, caller: Caller, answer: Answer, bars: list[str], *, explain: bool
) -> Response:
    """An answer in the form that the caller accepts: JSON, CSV or Arrow."""
    document = answer_document(
        answer, bars=bars, explain=explain, practice=desk.practice, shown=lambda receipt: desk.shown(caller, receipt)
    )
    accepted = request.headers.get("accept", "")
    if CSV in accepted:
        return Response(as_csv(answer, bars[0]), headers={"Content-Type": f"{CSV}; charset=utf-8", **_beside(document)})
    if ARROW in accepted:
        return Response(as_arrow(answer, bars[0], document), headers={"Content-Type": ARROW, **_beside(document)})
    return told(document)


def told(document: object, status: int = 200) -> Response:
    """A document as a response."""
    return Response(as_json(document), status, {"Content-Type": JSON})


def _beside(document: dict[str, Any]) -> dict[str, str]:
    """What is said of an answer in a header where its body is a table alone."""
    said = {name: document[name] for name in ("practice", "free", "batch", "costs", "remaining")}
    said["receipts"] = [receipt["seq"] for receipt in document["receipts"]]
    return {"Partita-Answer": as_json(said).decode().encode("ascii", "backslashreplace").decode()}
