"""Connections over which something has to be said: one that is opened and left silent is closed."""

from __future__ import annotations

import asyncio
from typing import Any, final

from uvicorn.protocols.http.h11_impl import H11Protocol


@final
class Punctual(H11Protocol):
    """A connection of HTTP whose next request has to begin soon, with all of its head in time.

    The program below bounds the time between two requests alone, so that silent connections would take all places.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody came."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something was said."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._waited()
        elif self._head is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._waited()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._head = self.loop.call_later(self.timeout_keep_alive, self._late)

    def _waited(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        self._head = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
