"""The folder of a vault: files that are there whole or not at all, and one process at a time that writes them."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, BinaryIO, final

from partita.errors import vault as refuse
from partita.vault.cipher import MARK, Cipher

_LOCK = "lock"
_PART = ".part"
_CHUNK = 1 << 20


@unique
class Step(StrEnum):
    """Where sealing may be cut, in the order in which the points are passed; the ledger's entry decides."""

    LOCKED = "locked"  # the folder is ours, nothing is written
    PART = "part"  # a file is written under a name of its own, not yet durable
    ROWS = "rows"  # a file of rows is durable under its name
    MANIFEST = "manifest"  # everything is durable, and the ledger does not know it
    SEALED = "sealed"  # the ledger names the manifest: the batch is there
    SWEPT = "swept"  # what is not needed any more is gone


Cut = Callable[[Step], None]
Fill = Callable[[BinaryIO], None]


def nothing(step: Step) -> None:
    """No step is cut: how every vault works outside the tests."""


@final
class Folder:
    """Files of one vault, written under another name, flushed, and then named."""

    def __init__(self, path: str, key: bytes, cut: Cut = nothing, cipher: Cipher | None = None) -> None:
        self.path, self._key, self._cut, self._cipher = Path(path), key, cut, cipher

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The only process that writes here; the lock ends with the process that has it, however it ends."""
        with self._named():
            self.path.mkdir(mode=0o700, exist_ok=True)
            file = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            self._cut(Step.LOCKED)
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nobody writes here meanwhile; others may read. Where there is no folder, there is nothing to wait for."""
        with self._named():
            file = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600) if self.path.is_dir() else None
            if file is not None:
                fcntl.flock(file, fcntl.LOCK_SH)
        try:
            yield
        finally:
            if file is not None:
                fcntl.flock(file, fcntl.LOCK_UN)
                os.close(file)

    def write(self, name: str, fill: Fill) -> str:
        """A whole file of this name, durable; the keyed digest of what it holds."""
        made, part = self.path / name, self.path / f"{name}{_PART}"
        with self._named():
            with part.open("wb") as file:
                if self._cipher is None:
                    fill(file)
                else:
                    self._cipher.write(file, name, fill)
            self._cut(Step.PART)
            part.chmod(0o600)
            _flush(part)
            found = (
                self.digest(part)
                if self._cipher is None
                else self._told(self._cipher.read(part.read_bytes(), str(part), name))
            )
            part.rename(made)
            _flush(self.path)
        return found

    def read(self, name: str, digest: str) -> bytes:
        """What a file holds, if it is the one that was written."""
        path = self.path / name
        if not path.is_file():
            raise refuse.gone(str(path))
        content = self.content(name)
        if not hmac.compare_digest(self._told(content), digest):
            raise refuse.changed(str(path))
        return content

    def content(self, name: str) -> bytes:
        """What a file holds, in the clear; refused without the key that it was written with."""
        with self._named():
            content = (self.path / name).read_bytes()
        if self._cipher is not None:
            return self._cipher.read(content, str(self.path / name), name)
        if content.startswith(MARK):
            raise refuse.no_key(str(self.path / name))
        return content

    def sweep(self, named: Collection[str]) -> None:
        """Take away what no manifest names: what an older one named, or a sealing left that did not come to its end."""
        with self._named():
            for one in sorted(self.path.iterdir()):
                if one.name != _LOCK and one.name not in named:
                    one.unlink()
            _flush(self.path)

    def digest(self, path: Path) -> str:
        """The keyed digest of a file: it tells nothing to those who do not have the ledger's secret."""
        made = hmac.new(self._key, digestmod=hashlib.sha256)
        with self._named(), path.open("rb") as file:
            while content := file.read(_CHUNK):
                made.update(content)
        return made.hexdigest()

    def told(self, text: str) -> str:
        """The keyed digest of a text."""
        return self._told(text.encode())

    def _told(self, content: bytes) -> str:
        return hmac.new(self._key, content, hashlib.sha256).hexdigest()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise refuse.not_written(str(self.path), problem.strerror or "the system refused") from None


def _flush(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def stored(rows: Any) -> Fill:
    """How an Arrow table is put into a file."""

    def fill(file: BinaryIO) -> None:
        import pyarrow.parquet as pq

        # Nobody asks a file what it holds: it is read whole.
        pq.write_table(rows, file, compression="zstd", write_statistics=False)

    return fill
