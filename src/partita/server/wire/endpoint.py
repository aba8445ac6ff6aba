"""The endpoint: what all conversations share, and who of them may be cancelled by whom."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol, final

import anyio

from partita.ledger.keys import random_bytes
from partita.live import Live
from partita.sampling import entropy
from partita.server.accounts.register import Caller
from partita.server.service import Service
from partita.server.wire.asking import Asker
from partita.server.wire.catalogue import Catalogue
from partita.server.wire.performing import Performer
from partita.server.wire.variables import Variables

DATABASE: Final = "partita"
_TOLD: Final = struct.Struct("!II")


class Cancellable(Protocol):
    """A conversation, as far as others may end its waiting."""

    number: int

    def cancel(self) -> None:
        """Stop waiting."""

    def knows(self, secret: int) -> bool:
        """Whether this is its secret."""


@final
class Endpoint(Live):
    """One service as clients of PostgreSQL reach it."""

    def __init__(self, service: Service, *, tls: ssl.SSLContext | None, tls_only: bool) -> None:
        super().__init__()
        self.service, self.tls, self.tls_only = service, tls, tls_only
        self.rates = service.rates
        self.asking = anyio.CapacityLimiter(service.settings.questions_at_once)
        self.looking = anyio.CapacityLimiter(1)
        self._open: dict[int, Cancellable] = {}
        self._kept: set[asyncio.Future[Any]] = set()
        self._last = 0
        self._making = threading.Lock()
        self._catalogue: Catalogue | None = None

    @property
    def full(self) -> bool:
        """Whether no more conversations are taken."""
        return len(self._open) >= self.service.settings.connections

    def enter(self, one: Cancellable) -> tuple[int, int]:
        """A number for a conversation, and the secret by which it is cancelled."""
        board = self.service.board
        self._last = self._last % (2**31 // board.workers - 2) + 1
        # The number says which worker knows it.
        number = self._last * board.workers + board.worker
        self._open[number] = one
        return number, int.from_bytes(random_bytes(entropy.system())[:4], "big")

    def leave(self, one: Cancellable) -> None:
        """A conversation is over."""
        self._open.pop(one.number, None)

    def cancel(self, number: int, secret: int) -> None:
        """Let a conversation stop waiting, if the secret is its own; nobody is told whether it is."""
        board = self.service.board
        worker = number % board.workers
        if worker != board.worker and board.folder is not None:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
                other.setblocking(False)
                other.sendto(_TOLD.pack(number, secret), str(board.folder / f"cancel-{worker}"))
            return
        found = self._open.get(number)
        if found is not None and found.knows(secret):
            found.cancel()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear meanwhile of cancellations that came to other workers."""
        folder = self.service.board.folder
        if folder is None:
            yield
            return
        loop = asyncio.get_running_loop()
        place = folder / f"cancel-{self.service.board.worker}"
        place.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mine:
            mine.bind(str(place))
            mine.setblocking(False)
            loop.add_reader(mine, self._heard, mine)
            try:
                yield
            finally:
                loop.remove_reader(mine)

    def _heard(self, mine: socket.socket) -> None:
        with suppress(OSError, struct.error):
            self.cancel(*_TOLD.unpack(mine.recv(_TOLD.size)))

    def keep(self, task: asyncio.Future[Any]) -> None:
        """Hold on to work, whether or not somebody still waits for it."""
        self._kept.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._kept.discard(task)
        if not task.cancelled():
            task.exception()  # it was told to nobody, and is no fault of the loop

    def valid(self, caller: Caller | None) -> bool:
        """Whether the token of a caller still lets anybody in."""
        return caller is not None and self.service.register.holder(caller.token) is not None

    def catalogue(self) -> Catalogue:
        """The catalogue, made when it is first needed."""
        with self._making:
            if self._catalogue is None:
                curator = self.service.real.curator
                self._catalogue = Catalogue(curator.tables, curator.public, DATABASE)
            return self._catalogue

    def performer(self, caller: Caller, given: Mapping[str, str], number: int, *, practice: bool) -> Performer:
        """Who does what the statements of a caller say."""
        settings = self.service.settings
        own = settings.accounts.get(caller.account)
        given_price = own.price if own is not None and own.price is not None else settings.price
        price = {name: str(value) for name, value in (given_price or {}).items()}
        return Performer(
            Asker(self.service, caller, practice=practice),
            self.service.desk(caller, practice=practice),
            caller,
            self.catalogue,
            Variables(caller.account, given),
            database=given.get("database") or DATABASE,
            number=number,
            price=price,
        )

    async def close(self) -> None:
        """Wait for what was begun, as long as the server waits for anything, and let go of the catalogue."""
        if self._kept:
            await asyncio.wait(self._kept, timeout=self.service.settings.grace_seconds)
        if self._catalogue is not None:
            self._catalogue.close()
