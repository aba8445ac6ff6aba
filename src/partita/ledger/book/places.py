"""Where a ledger may be: in memory, in a file, or on a server; how it is found there, and what is kept beside it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, final

from partita.errors import ledger as refuse
from partita.errors import ledger_server as refuse_server
from partita.ledger.book.address import Address
from partita.ledger.book.anchor import Anchor, FileAnchor, Mark, NoAnchor
from partita.ledger.book.entries import Entry
from partita.ledger.book.sqlite import MEMORY, SQLiteStore
from partita.ledger.book.store import Store

if TYPE_CHECKING:
    from partita.ledger.book.postgres import PostgresStore

Known = Callable[[Mark], bool]
Check = Callable[[Entry], None]


class Place(ABC):
    """Where a ledger is, or will be."""

    name: str
    key: str | None
    """The file of the signing key, if there is one."""
    joined = False
    """Whether machines come to a book that others write: they begin an anchor of their own."""

    @abstractmethod
    def found(self) -> Store | None:
        """The book that is there, opened."""

    @abstractmethod
    def made(self, birth: Entry, secret: bytes) -> Store:
        """A new book, which begins with this entry."""

    @abstractmethod
    def anchor(self, path: str | None) -> Anchor:
        """What tells a copy from before from the book; at another path than the usual one, if given."""

    def ready(self) -> None:
        """Refuse where no book could be made."""
        return

    # --- moving ----------------------------------------------------------------------------------------------

    def left(self) -> tuple[str, Mark] | None:
        """Where a book has gone that was here, and how far it had come; None where none has left."""
        return None

    def arriving(self) -> Mark | None:
        """How far the book has come that was copied here and cannot be opened yet; None where there is none."""
        return None

    def filled(self, store: Store, known: Known, check: Check) -> Entry:
        """A whole copy of a book, durable, that cannot be opened yet; its last entry.

        What stands here already is refused, unless it is such a copy itself, which is made anew.
        """
        raise AssertionError  # nothing moves to memory

    def anchored(self, mark: Mark) -> None:
        """Begin the anchor of what has arrived; only that of a book that left is ever replaced."""
        raise AssertionError

    def arrived(self) -> None:
        """What was copied here may be opened from now on."""
        raise AssertionError


def _whole(store: Store, check: Check) -> tuple[Iterator[tuple[Entry, bytes | None]], dict[int, bytes], bytes]:
    """Everything of a book, entry by entry as it is checked."""
    secret = store.secret()
    assert secret is not None  # opening has compared it with the birth

    def entries() -> Iterator[tuple[Entry, bytes | None]]:
        for entry, answer in store.everything():
            check(entry)
            yield entry, answer

    return entries(), dict(store.tallies()), secret


@final
class InMemory(Place):
    """Forgotten when the process ends."""

    name, key = MEMORY, None

    def found(self) -> None:
        return None

    def made(self, birth: Entry, secret: bytes) -> Store:
        return SQLiteStore.create(MEMORY, birth, secret)

    def anchor(self, path: str | None) -> Anchor:
        return NoAnchor()


@final
class InFile(Place):
    """In a SQLite file of this machine."""

    def __init__(self, path: str, timeout: float) -> None:
        self.name = path
        self.key = f"{path}.key"
        self._timeout = timeout

    def found(self) -> Store | None:
        return SQLiteStore(self.name, timeout=self._timeout) if os.path.exists(self.name) else None

    def made(self, birth: Entry, secret: bytes) -> Store:
        return SQLiteStore.create(self.name, birth, secret, timeout=self._timeout)

    def anchor(self, path: str | None) -> Anchor:
        return FileAnchor(path or f"{self.name}.anchor")

    def ready(self) -> None:
        if not os.path.isdir(folder := os.path.dirname(self.name) or "."):
            raise refuse.no_folder(self.name, folder)

    def left(self) -> tuple[str, Mark] | None:
        return SQLiteStore.left(self.name) if os.path.exists(self.name) else None

    @property
    def _copy(self) -> str:
        return f"{self.name}.moving"

    def arriving(self) -> Mark | None:
        if not os.path.exists(self._copy):
            return None
        if os.path.exists(self.name):
            os.unlink(self._copy)  # it has its name already, and may have gone on under it
            return None
        store = SQLiteStore(self._copy)
        try:
            last = store.last()
            return None if last is None else Mark(last.seq, last.hash)
        finally:
            store.close()

    def filled(self, store: Store, known: Known, check: Check) -> Entry:
        if os.path.exists(self.name):
            raise refuse_server.not_empty(self.name)
        stands = FileAnchor(f"{self.name}.anchor").read()
        if stands is not None and not known(stands):
            raise refuse.anchor_stands(self.name)
        for leftover in (self._copy, f"{self._copy}-wal", f"{self._copy}-shm"):
            with suppress(FileNotFoundError):
                os.unlink(leftover)
        SQLiteStore.copied(self._copy, *_whole(store, check))
        last = store.last()
        assert last is not None
        return last

    def anchored(self, mark: Mark) -> None:
        anchor = FileAnchor(f"{self.name}.anchor")
        anchor.forget()
        anchor.advance(mark)

    def arrived(self) -> None:
        try:
            os.link(self._copy, self.name)
        except FileExistsError:
            raise refuse_server.not_empty(self.name) from None
        os.unlink(self._copy)
        folder = os.open(os.path.dirname(os.path.abspath(self.name)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@final
class OnServer(Place):
    """In a PostgreSQL database, for several machines."""

    joined = True

    def __init__(self, address: Address, timeout: float) -> None:
        from partita.ledger.book.postgres import PostgresStore

        self.name = str(address)
        self.key = address.beside("key")
        self._address, self._timeout, self._kind = address, timeout, PostgresStore

    def found(self) -> Store | None:
        store = self._kind(self._address, timeout=self._timeout)
        if store.exists():
            return store
        store.close()
        return None

    def made(self, birth: Entry, secret: bytes) -> Store:
        return self._kind.create(self._address, birth, secret, timeout=self._timeout)

    def anchor(self, path: str | None) -> Anchor:
        # It keeps no entries: they would be given back to a server on which others have gone on meanwhile.
        return FileAnchor(path or self._address.beside("anchor"), room=0)

    def ready(self) -> None:
        if not os.path.isdir(folder := self._address.folder or "."):
            raise refuse.no_folder(self.name, folder)

    @contextmanager
    def _moving(self) -> Iterator[PostgresStore]:
        store = self._kind(self._address, timeout=self._timeout, moving=True)
        try:
            yield store
        finally:
            store.close()

    def left(self) -> tuple[str, Mark] | None:
        with self._moving() as store:
            return store.left()

    def arriving(self) -> Mark | None:
        with self._moving() as store:
            last = store.last() if store.arriving() else None
            return None if last is None else Mark(last.seq, last.hash)

    def filled(self, store: Store, known: Known, check: Check) -> Entry:
        stands = self.anchor(None).read()
        if stands is not None and not known(stands):
            raise refuse.anchor_stands(self.name)
        with self._moving() as made:
            made.fill(*_whole(store, check))
        last = store.last()
        assert last is not None
        return last

    def anchored(self, mark: Mark) -> None:
        anchor = FileAnchor(self._address.beside("anchor"), room=0)
        anchor.forget()
        anchor.advance(mark)

    def arrived(self) -> None:
        with self._moving() as store:
            store.open_up()


def place_of(given: object, timeout: float) -> Place:
    """The place that a path, an address or ``":memory:"`` names."""
    if isinstance(given, Address):
        return OnServer(given, timeout)
    try:
        named = os.fsdecode(given)  # type: ignore[arg-type]
    except TypeError:
        raise refuse.bad_path(given) from None
    if not named or "\0" in named:
        raise refuse.bad_path(named)
    if named == MEMORY:
        return InMemory()
    return OnServer(Address(named), timeout) if Address.named(named) else InFile(named, timeout)
