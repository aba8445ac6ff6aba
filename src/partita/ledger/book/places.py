"""Where a ledger may be: in memory, in a file, or on a server; how it is found there, and what is kept beside it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import final

from partita.errors import ledger as refuse
from partita.ledger.book.address import Address
from partita.ledger.book.anchor import Anchor, FileAnchor, NoAnchor
from partita.ledger.book.entries import Entry
from partita.ledger.book.sqlite import MEMORY, SQLiteStore
from partita.ledger.book.store import Store


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
