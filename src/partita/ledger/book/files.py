"""The files of an open book: whether they are still the ones that were opened, and which process may open them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final
from weakref import WeakSet

from partita.errors import ledger as refuse
from partita.ledger.book.store import Stage
from partita.live import free_after_fork

_HEADER = 100
_LOG = ("-wal", "-shm")


@final
class Files:
    """The file of a book and the log beside it, told from others by what they are and not by their names.

    No file of a book is ever opened here, or anywhere beside SQLite, except for the log itself, which bears no lock:
    closing any descriptor of a file drops all locks of the process on it, and SQLite would not take them again.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = os.path.realpath(name)
        with file_faults(name):
            found = os.stat(self.path)
        self._regular, self._size, self._book = stat.S_ISREG(found.st_mode), found.st_size, _identity(found)
        self._log: tuple[tuple[int, int] | None, ...] | None = None
        with _TURN:
            _OPEN.add(self)

    def admit(self) -> None:
        """Refuse what cannot be a book, and what SQLite cannot lock in this process; to be called before it is opened.

        SQLite counts locks and maps the log once for each file and process. A forked child has those counts and none
        of the locks; and where a log was taken away, a second connection would use the old map for a new log.
        """
        if not self._regular:
            raise refuse.not_a_ledger(self.name)
        if self._size < _HEADER:
            raise refuse.truncated(self.name)
        if self._book in _INHERITED:
            raise refuse.inherited(self.name)
        with _TURN:
            others = list(_OPEN)
        for other in others:
            if other._book == self._book and other is not self:
                other.check()

    def logged(self) -> None:
        """Remember the log, which is open and cannot be deleted now: SQLite holds its lock on the book."""
        self._log = self._found()

    def check(self) -> None:
        """A book or a log that was moved away, deleted or exchanged while open would swallow charges."""
        try:
            found = os.stat(self.name)
        except OSError:
            raise refuse.replaced(self.name) from None
        if _identity(found) != self._book:
            raise refuse.replaced(self.name)
        if self._log is not None and self._found() != self._log:
            raise refuse.log_replaced(self.name)

    def flush(self) -> None:
        """Wait until everything that was written to the log is on the disk."""
        try:
            log = os.open(f"{self.path}-wal", os.O_RDONLY)
            try:
                if self._log is None or _identity(os.fstat(log)) != self._log[0]:
                    raise refuse.log_replaced(self.name)
                os.fsync(log)
            finally:
                os.close(log)
        except FileNotFoundError:
            raise refuse.log_replaced(self.name) from None
        except OSError as error:
            raise refuse.storage_failed(self.name, error.strerror or "the system refuses", Stage.COMMIT) from None

    @contextmanager
    def closing(self) -> Iterator[None]:
        """While SQLite lets go of them: it may delete the log now, and a child of this moment still inherits counts."""
        self._log = None
        yield
        with _TURN:
            _OPEN.discard(self)

    def _found(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_identity_at(f"{self.path}{end}") for end in _LOG)


_TURN = free_after_fork()
_OPEN: WeakSet[Files] = WeakSet()
_INHERITED: set[tuple[int, int]] = set()


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _identity_at(path: str) -> tuple[int, int] | None:
    try:
        return _identity(os.stat(path))
    except FileNotFoundError:
        return None


def _inherited() -> None:
    """In a forked child: what the parent had open stays closed to this process."""
    _INHERITED.update(files._book for files in list(_OPEN))
    _OPEN.clear()


@contextmanager
def file_faults(path: str) -> Iterator[None]:
    """The system's refusals to open a book, in our words."""
    try:
        yield
    except FileNotFoundError:
        raise refuse.missing(path) from None
    except OSError as error:
        raise refuse.storage_failed(path, error.strerror or "the system refuses", Stage.OPEN) from None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_inherited)
