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

from partita.errors import LedgerFault
from partita.errors import ledger as refuse

_SLOT = 128
_PAGE = 4096
ROOM = 1 << 16
"""The largest entry that a file can keep beside a mark, answer included."""


@final
@dataclass(frozen=True, slots=True)
class Mark:
    """How far a book has come: the place and hash of an entry."""

    seq: int
    hash: bytes


class Anchor(ABC):
    """Remembers how far a book has come; it never goes back.

    An answer leaves only after ``advance`` returned, so a copy of the ledger from before the answer is older than its
    anchor. An anchor may keep the newest entry itself beside its mark: then the entry is durable with the mark, and a
    ledger that lost it, or a copy from just before it, is given it back. Whoever can take the anchor back together
    with the ledger is not noticed: keep it where backups of the ledger do not reach, or behind a counter that only
    counts up.
    """

    @abstractmethod
    def read(self) -> Mark | None:
        """The newest mark, or None if there never was one."""

    @abstractmethod
    def advance(self, mark: Mark, entry: bytes = b"") -> None:
        """Remember a mark durably, with its entry if it ``keeps`` it, unless a newer mark is known already.

        Another hash at the place of the newest mark is refused: the book has two histories.
        """

    def succeed(self, after: Mark | None, mark: Mark, entry: bytes = b"") -> Mark | None:
        """Advance if the newest mark is one that the book has found in itself; the mark that stands afterwards.

        One step for all processes where an anchor can do that; by default it looks, and then advances.
        """
        newest = self.read()
        if newest is None or newest == after:
            self.advance(mark, entry) if entry else self.advance(mark)
            newest = self.read()
        return newest

    def usable(self) -> None:
        """Refuse an anchor that plainly cannot be written, before anything is charged; by default none is."""
        return

    def keeps(self, size: int) -> bool:
        """Whether an entry of so many bytes is kept beside its mark; by default none is."""
        return False

    def kept(self) -> bytes:
        """The entry that was kept beside the newest mark, or nothing."""
        return b""


@final
class NoAnchor(Anchor):
    """For a book in memory, which cannot be copied back."""

    def read(self) -> Mark | None:
        return None

    def advance(self, mark: Mark, entry: bytes = b"") -> None:
        pass


@final
class FileAnchor(Anchor):
    """Marks in a small file of two slots, written in turn, so that a torn write leaves the other one.

    Each slot has a room of its own for the entry that is kept beside its mark; a checksum covers both.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     anchor = FileAnchor(f"{folder}/visits.anchor")
    ...     anchor.advance(Mark(7, bytes(32)))
    ...     anchor.advance(Mark(5, bytes(32)))
    ...     anchor.read().seq
    7
    """

    def __init__(self, path: str, room: int = ROOM) -> None:
        self.path = path
        self._room = min(room, ROOM)
        self._known: tuple[bytes, tuple[int, Mark | None]] = (b"", (1, None))

    def read(self) -> Mark | None:
        with self._looking() as file:
            if file is None:
                return None
            try:
                return self._newest(file)[1]
            except LedgerFault:
                # Two steps of others between looking at the marks and at what is kept beside them leave none whole.
                fcntl.flock(file, fcntl.LOCK_SH)
                return self._newest(file)[1]

    def advance(self, mark: Mark, entry: bytes = b"") -> None:
        with self._stepping() as file:
            self._step(file, *self._newest(file), mark, entry)

    def succeed(self, after: Mark | None, mark: Mark, entry: bytes = b"") -> Mark | None:
        with self._stepping() as file:
            slot, newest = self._newest(file)
            return newest if newest not in (None, after) else self._step(file, slot, newest, mark, entry)

    def _step(self, file: int, slot: int, newest: Mark | None, mark: Mark, entry: bytes) -> Mark:
        if newest is not None and newest.seq >= mark.seq:
            if newest.seq == mark.seq and newest.hash != mark.hash:
                raise refuse.two_histories(self.path, mark.seq)
            return newest
        if os.fstat(file).st_size < _PAGE + 2 * ROOM:
            _prepare(file)
        if entry:
            os.pwrite(file, entry, _place(1 - slot))
        os.pwrite(file, _slot(mark, entry), _SLOT * (1 - slot))
        _flush(file)
        content = os.pread(file, 2 * _SLOT, 0)
        self._known = (content, (1 - slot, mark))
        return mark

    @contextmanager
    def _stepping(self) -> Iterator[int]:
        """The file, with no other process at it: marks are compared and written in one step."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                try:
                    yield file
                finally:
                    fcntl.flock(file, fcntl.LOCK_UN)  # closing would not do: a forked child may have the file too
            finally:
                os.close(file)
        except OSError as error:
            raise refuse.anchor_failed(self.path, error.strerror or "the system refuses") from None

    def forget(self) -> None:
        """Take the file away, for a book that is begun again because nothing was ever charged to it."""
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise refuse.anchor_failed(self.path, error.strerror or "the system refuses") from None
        self._known = (b"", (1, None))

    def usable(self) -> None:
        if os.path.exists(self.path) and not os.access(self.path, os.R_OK | os.W_OK):
            raise refuse.anchor_not_writable(self.path)

    def keeps(self, size: int) -> bool:
        return size <= self._room

    def kept(self) -> bytes:
        with self._looking() as file:
            if file is None:
                return b""
            fcntl.flock(file, fcntl.LOCK_SH)
            slot, newest = self._newest(file)
            return b"" if newest is None else _entry(file, os.pread(file, 2 * _SLOT, 0), slot)

    @contextmanager
    def _looking(self) -> Iterator[int | None]:
        """The file to read, if there is one; closing it gives back whatever lock was taken."""
        try:
            try:
                file = os.open(self.path, os.O_RDONLY)
            except FileNotFoundError:
                yield None
                return
            try:
                yield file
            finally:
                os.close(file)
        except OSError as error:
            raise refuse.anchor_failed(self.path, error.strerror or "the system refuses") from None

    def _newest(self, file: int) -> tuple[int, Mark | None]:
        """The slot with the newest mark that is whole."""
        content = os.pread(file, 2 * _SLOT, 0)
        known, found = self._known
        if content == known:
            return found
        if not content.strip():
            return 1, None
        marks = [(mark.seq, slot, mark) for slot in (0, 1) if (mark := _mark(file, content, slot)) is not None]
        if not marks:
            raise refuse.anchor_damaged(self.path)
        _, slot, mark = max(marks, key=lambda found: found[0])
        self._known = (content, (slot, mark))
        return slot, mark


def _place(slot: int) -> int:
    """Where the entry beside a mark begins."""
    return _PAGE + ROOM * slot


def _prepare(file: int) -> None:
    """Give the file its full length, so that later marks change nothing but its content."""
    size = os.fstat(file).st_size
    os.pwrite(file, b" " * (2 * _SLOT - min(size, 2 * _SLOT)), min(size, 2 * _SLOT))
    os.pwrite(file, bytes(_PAGE + 2 * ROOM - 2 * _SLOT), 2 * _SLOT)


def _slot(mark: Mark, entry: bytes = b"") -> bytes:
    text = f"{mark.seq:020d} {mark.hash.hex()}"
    size = f" {len(entry):08d}" if entry else ""
    check = hashlib.sha256(f"{text}{size}".encode() + entry).hexdigest()[:16]
    return f"{text} {check}{size}".encode().ljust(_SLOT - 1) + b"\n"


def _entry(file: int, content: bytes, slot: int) -> bytes:
    """What a slot says is kept beside its mark."""
    size = content[_SLOT * slot :][103:111].strip()
    return os.pread(file, min(int(size), ROOM), _place(slot)) if size.isdigit() else b""


def _mark(file: int, content: bytes, slot: int) -> Mark | None:
    text = content[_SLOT * slot : _SLOT * (slot + 1)]
    try:
        mark = Mark(int(text[:20]), bytes.fromhex(text[21:85].decode()))
    except ValueError:
        return None
    return mark if _slot(mark, _entry(file, content, slot)) == text else None


def _flush(file: int) -> None:
    """Wait until the bytes are on the disk, as far as the system can tell."""
    if sys.platform == "darwin":
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(file)
