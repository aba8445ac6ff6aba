"""Language models over HTTP: the Model Context Protocol at /mcp, for whoever has a token, each at their own seat."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from partita.errors import server as refuse
from partita.live import Live
from partita.server.accounts.register import Caller
from partita.server.calls import caller_of
from partita.server.models.seat import Seat
from partita.server.models.tools import tools_of
from partita.server.service import Service

PATH: Final = "/mcp"
PRACTICE: Final = "/mcp/practice"
MOST_OPEN: Final = 100
"""Conversations of one account that are open at once."""
_IDLE: Final = 1800.0
"""Seconds after which a conversation in which nothing is said is over."""


@final
class Talks(Live):
    """All conversations with language models; those of one account know nothing of those of another.

    Whose token it is, and whether it still lets anybody in, is looked up for every message, as for every other request.
    """

    def __init__(self, service: Service, *, version: str) -> None:
        super().__init__()
        self._service, self._version = service, version
        self._tables: dict[tuple[str, str, bool], StreamableHTTPSessionManager] = {}
        self._making = anyio.Lock()
        self._asking: anyio.CapacityLimiter | None = None
        self._group: TaskGroup | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take part in conversations until this is left."""
        async with anyio.create_task_group() as group:
            self._group = group
            self._asking = anyio.CapacityLimiter(self._service.settings.questions_at_once)
            try:
                yield
            finally:
                self._group = None
                group.cancel_scope.cancel()

    def routes(self) -> list[Route]:
        """Where models are talked to."""
        return [
            Route(path, _Door(self, path), methods=["GET", "POST", "DELETE"], include_in_schema=False)
            for path in (PATH, PRACTICE)
        ]

    async def table(self, caller: Caller, *, practice: bool) -> StreamableHTTPSessionManager:
        """Where one account talks, made when it first does."""
        key = (caller.account, caller.role.value, practice)
        async with self._making:
            if key not in self._tables:
                assert self._group is not None
                made = await anyio.to_thread.run_sync(lambda: self._made(caller, practice=practice))
                await self._group.start(_kept, made)
                self._tables[key] = made
        return self._tables[key]

    def _made(self, caller: Caller, *, practice: bool) -> StreamableHTTPSessionManager:
        limits = {word: self._service.limit(caller.account, word) for word in ("ceiling", "ask_above")}
        seat = Seat(self._service, caller, practice=practice, **limits)
        several = self._service.settings.workers > 1
        tools = tools_of(seat, version=self._version, limiter=self._asking)
        tools.streamable_http_app(  # it would have a door of its own; what is needed of it is who keeps conversations
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=self._service.settings.body_bytes,
            # Of several workers, any may be spoken to next.
            stateless_http=several,
            session_idle_timeout=None if several else _IDLE,
            max_sessions=MOST_OPEN,
        )
        return tools.session_manager


async def _kept(
    manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()


@final
class _Door:
    """What a message passes before it is one of a conversation."""

    def __init__(self, talks: Talks, path: str) -> None:
        self._talks, self.path = talks, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One message."""
        scope["route"] = self
        request = Request(scope, receive)
        caller = await anyio.to_thread.run_sync(caller_of, request)
        if request.method == "GET":
            # Nothing is said but in answer to something, so that no line stays open when the server ends.
            raise refuse.wrong_method(request.method)
        table = await self._talks.table(caller, practice=self.path == PRACTICE)
        await table.handle_request(scope, receive, send)
