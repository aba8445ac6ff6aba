"""A mark kept outside the ledger file, so that an older copy of the file is noticed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

from partita.errors import ledger as refuse

_SLOT = 128


@final
@dataclass(frozen=True, slots=True)
class Mark:
    """How far a book has come: the place and hash of an entry."""

    seq: int
    hash: bytes


class Anchor(ABC):
    """Remembers how far a book has come; it never goes back.

    An answer leaves only after ``advance`` returned, so a copy of the ledger from before the answer is older than its
    anchor. Whoever can take the anchor back together with the ledger is not noticed: keep it where backups of the
    ledger do not reach, or behind a counter that only counts up.
    """

    @abstractmethod
    def read(self) -> Mark | None:
        """The newest mark, or None if there never was one."""

    @abstractmethod
    def advance(self, mark: Mark) -> None:
        """Remember a mark durably, unless a newer one is known already."""


@final
class NoAnchor(Anchor):
    """For a book in memory, which cannot be copied back."""

    def read(self) -> Mark | None:
        return None

    def advance(self, mark: Mark) -> None:
        pass


@final
class FileAnchor(Anchor):
    """A mark in a small file of two slots, written in turn, so that a torn write leaves the other one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     anchor = FileAnchor(f"{folder}/visits.anchor")
    ...     anchor.advance(Mark(7, bytes(32)))
    ...     anchor.advance(Mark(5, bytes(32)))
    ...     anchor.read().seq
    7
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._known: tuple[bytes, tuple[int, Mark | None]] = (b"", (1, None))

    def read(self) -> Mark | None:
        try:
            with open(self.path, "rb") as file:
                content = file.read(2 * _SLOT)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refuse.anchor_failed(self.path, error.strerror or "the system refuses") from None
        return self._newest(content)[1]

    def advance(self, mark: Mark) -> None:
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                with _alone(file):
                    content = os.pread(file, 2 * _SLOT, 0)
                    slot, newest = self._newest(content)
                    if newest is None or mark.seq > newest.seq:
                        if len(content) < 2 * _SLOT:
                            os.pwrite(file, b" " * (2 * _SLOT), 0)
                        os.pwrite(file, _slot(mark), _SLOT * (1 - slot))
                        _flush(file)
            finally:
                os.close(file)
        except OSError as error:
            raise refuse.anchor_failed(self.path, error.strerror or "the system refuses") from None

    def _newest(self, content: bytes) -> tuple[int, Mark | None]:
        """The slot with the newest mark that is whole."""
        if content == self._known[0]:
            return self._known[1]
        if not content.strip():
            return 1, None
        marks = [(mark.seq, slot, mark) for slot in (0, 1) if (mark := _mark(content, slot)) is not None]
        if not marks:
            raise refuse.anchor_damaged(self.path)
        _, slot, mark = max(marks, key=lambda found: found[0])
        self._known = (content, (slot, mark))
        return slot, mark


def _slot(mark: Mark) -> bytes:
    text = f"{mark.seq:020d} {mark.hash.hex()}"
    check = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text} {check}".encode().ljust(_SLOT - 1) + b"\n"


def _mark(content: bytes, slot: int) -> Mark | None:
    text = content[_SLOT * slot : _SLOT * (slot + 1)]
    try:
        mark = Mark(int(text[:20]), bytes.fromhex(text[21:85].decode()))
    except ValueError:
        return None
    return mark if _slot(mark) == text else None


@contextmanager
def _alone(file: int) -> Iterator[None]:
    """The only process at the file; marks are compared and written in one step."""
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _flush(file: int) -> None:
    """Wait until the bytes are on the disk, as far as the system can tell."""
    if sys.platform == "darwin":
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(file)
