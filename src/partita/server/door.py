"""The door: what every request passes before it is read, and every response before it leaves."""

from __future__ import annotations

import time
from typing import Final, final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.errors import PartitaError
from partita.errors import server as refuse
from partita.server.counts import Counts
from partita.server.log import failed, note
from partita.server.problems import told
from partita.server.settings import ServerSettings

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_BODIES: Final = ("application/json", "application/x-www-form-urlencoded")


@final
class Door:
    """Bounds the size and the time of a request, checks its host, adds headers, counts and logs.

    The body is read whole before anything else is done with it. Whoever goes away meanwhile changes nothing: what was
    begun runs to its end.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings, counts: Counts, worker: int | None = None) -> None:
        self._app, self._settings, self._counts = app, settings, counts
        self._which = {} if worker is None else {"worker": worker}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status, begun = time.monotonic(), 500, False

        async def passed(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                message = {**message, "headers": [*_kept(message), *self._headers()]}
            await send(message)

        self._counts.begin()
        try:
            self._host(scope)
            body = await self._body(scope, receive)
            await self._app(scope, _replayed(body, receive), passed)
        except PartitaError as refusal:
            self._counts.refusal(refusal.code)
            await told(refusal)(scope, receive, passed)
        except Exception as error:  # noqa: BLE001 - the words of a failure must not depend on what failed
            failed("fault", error)
            if not begun:
                await told(refuse.fault())(scope, receive, passed)
        finally:
            self._counts.end()
            seconds = time.monotonic() - start
            route = _route(scope)
            self._counts.request(route, status, seconds)
            caller = scope.get("state", {}).get("caller")
            note(
                "request",
                method=scope["method"][:10],
                route=route,
                status=status,
                ms=round(1000 * seconds),
                account=None if caller is None else caller.account,
                **self._which,
            )

    def _host(self, scope: Scope) -> None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if hosts else ""
        bare = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and ":" in host else host
        known = set(self._settings.hosts)
        if self._settings.loopback and not self._settings.behind_proxy:
            known |= _LOCAL | {self._settings.host}
        if len(hosts) != 1 or (known and bare not in known):
            raise refuse.bad_host(host[:100])

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body, or a refusal: too long, too slow, or of a kind that is not read."""
        most, parts, length = self._settings.body_bytes, [], 0
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > most:
            raise refuse.too_large(most)
        with anyio.move_on_after(self._settings.body_seconds) as waited:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise refuse.bad_request("body", "it ends too early")
                part = message.get("body", b"")
                length += len(part)
                if length > most:
                    raise refuse.too_large(most)
                parts.append(part)
                more = message.get("more_body", False)
        if waited.cancelled_caught:
            raise refuse.too_slow(self._settings.body_seconds)
        kind = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
        if length and kind not in _BODIES:
            raise refuse.wrong_type(kind[:100])
        return b"".join(parts)

    def _headers(self) -> list[tuple[bytes, bytes]]:
        secure = {"Strict-Transport-Security": "max-age=31536000"} if self._settings.secure else {}
        return [(name.lower().encode(), value.encode()) for name, value in {**HEADERS, **secure}.items()]


def _route(scope: Scope) -> str:
    """The address of a route with its parameters unnamed, so that logs and counts have few of them."""
    found = getattr(scope.get("route"), "path", None)
    if found is None:
        return "other"
    for prefix in ("/v1/practice", "/v1"):
        if scope["path"].startswith(f"{prefix}/") and not found.startswith("/v1"):
            return f"{prefix}{found}"
    return str(found)


def _kept(message: Message) -> list[tuple[bytes, bytes]]:
    """The headers of a response that the door does not set itself; pages in the package say how long they keep."""
    own = {name.lower().encode() for name in HEADERS}
    return [(name, value) for name, value in message.get("headers", []) if name.lower() not in own]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Hands the body over once, and then whatever comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
