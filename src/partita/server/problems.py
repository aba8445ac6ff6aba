"""Refusals as they travel: one shape, the code, the words, and a status that is fixed for the code."""

from __future__ import annotations

from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import Response

from partita.errors import LedgerFault, PartitaError
from partita.errors import server as refuse
from partita.server.documents import JSON, as_json
from partita.server.statuses import status_of

_RETRY: Final = 5
_WORDS: Final = {
    "string_type": 'give it as text, such as "0.1"',
    "extra_forbidden": "there is no such field",
    "missing": "it is missing",
    "json_invalid": "it is no JSON",
}


def document(refusal: PartitaError, ledger: str = "") -> dict[str, Any]:
    """A refusal as plain data; where the ledger lies is nobody's business."""
    message = refusal.message
    if isinstance(refusal, LedgerFault) and ledger:
        message = message.replace(ledger, "of this server")
    return {"error": {"code": refusal.code, "kind": type(refusal).__name__, "message": message}}


def told(refusal: PartitaError, ledger: str = "") -> Response:
    """A refusal as a response."""
    status = status_of(refusal)
    headers = {"Content-Type": JSON}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="partita"'
    if status in (429, 503):
        headers["Retry-After"] = str(_RETRY)
    return Response(as_json(document(refusal, ledger)), status, headers)


def of_validation(found: RequestValidationError) -> PartitaError:
    """What is wrong with a request, without repeating what it said."""
    first = found.errors()[0]
    if first["type"] == "json_invalid":
        return refuse.not_json("it is malformed")
    place = [str(part)[:100] for part in first["loc"]]
    where = ".".join(place[1:] if place[:1] == ["body"] and len(place) > 1 else place)
    return refuse.bad_request(where, _WORDS.get(first["type"], str(first["msg"])[:200]))


def of_status(request: Request, status: int) -> PartitaError:
    """What the framework refuses by itself."""
    if status == 404:
        return refuse.not_found(request.url.path[:200])
    if status == 405:
        return refuse.wrong_method(request.method)
    return refuse.not_json("it is malformed, or too deep")
