"""Requests and what comes back: refusals become the errors that they were, and nothing is sent twice unasked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import urlsplit

from partita import errors
from partita.errors import PartitaError
from partita.errors import client as refuse

if TYPE_CHECKING:
    import httpx

_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST: Final = 200
SECONDS: Final = 600.0


@final
class Wire:
    """A connection to one server, in the name of whoever holds the token."""

    def __init__(self, url: str, token: str, *, timeout: float = SECONDS, transport: Any = None) -> None:
        try:
            import httpx
        except ImportError:
            raise refuse.no_httpx() from None
        self.url = _address(url)
        if not isinstance(token, str) or not token or len(token) > _LONGEST or not token.isascii() or " " in token:
            raise refuse.bad_token(token)
        self._failures = (httpx.TransportError, httpx.InvalidURL)
        self._http: httpx.Client = httpx.Client(
            base_url=self.url,
            timeout=timeout,
            transport=transport,
            follow_redirects=False,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
        )

    def get(self, path: str, **query: object) -> Any:
        """What is at an address."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._sent("GET", path, params=given)

    def post(self, path: str, body: Mapping[str, object], *, key: str | None = None) -> Any:
        """What comes of a request."""
        return self._sent("POST", path, json=body, headers={} if key is None else {"Idempotency-Key": key})

    def put(self, path: str, body: Mapping[str, object]) -> Any:
        """What comes of a decision."""
        return self._sent("PUT", path, json=body)

    def delete(self, path: str) -> Any:
        """What comes of taking something away."""
        return self._sent("DELETE", path)

    def _sent(self, method: str, path: str, **options: Any) -> Any:
        try:
            response = self._http.request(method, path, **options)
        except self._failures as problem:
            raise refuse.unreachable(self.url, str(problem) or type(problem).__name__) from None
        try:
            document = response.json()
        except ValueError:
            raise refuse.not_understood(self.url, response.status_code) from None
        if isinstance(document, dict) and "error" in document:
            raise refusal(document["error"], self.url, response.status_code)
        if not response.is_success:
            raise refuse.not_understood(self.url, response.status_code)
        return document

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


def refusal(document: object, url: str, status: int) -> PartitaError:
    """The error that a server told of, as the class that it was there.

    >>> refusal({"code": "a.b", "kind": "QueryRefused", "message": "No."}, "", 422)
    QueryRefused('No.')
    """
    kind = document.get("kind") if isinstance(document, dict) else None
    known = getattr(errors, kind, None) if isinstance(kind, str) and kind in errors.__all__ else None
    if not isinstance(document, dict) or not isinstance(known, type) or not issubclass(known, PartitaError):
        return refuse.not_understood(url, status)
    return known(str(document.get("code")), str(document.get("message")))


def _address(url: object) -> str:
    """The address of a server; a token never travels in the clear beyond this machine."""
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise refuse.bad_address(url)
    if parts.username is not None or parts.password is not None:
        raise refuse.bad_address(f"{parts.scheme}://{parts.hostname}")
    if parts.scheme == "http" and parts.hostname not in _LOCAL:
        raise refuse.in_the_clear(str(url))
    return str(url).rstrip("/")
