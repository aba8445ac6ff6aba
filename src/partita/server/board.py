"""The board: small facts that all workers of a server share while it runs, such as who is signed in to its pages."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

from partita.live import Live, alone

MEMORY: Final = ":memory:"
_MADE: Final = """
CREATE TABLE IF NOT EXISTS fact (
    place INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL, name TEXT NOT NULL, whose TEXT NOT NULL,
    said TEXT NOT NULL, UNIQUE (what, name)) STRICT
"""
# Of the owner with most facts of a kind, the oldest.
_OLDEST: Final = """
DELETE FROM fact WHERE place = (
    SELECT MIN(place) FROM fact WHERE what = ?1 AND whose = (
        SELECT whose FROM fact WHERE what = ?1 GROUP BY whose ORDER BY COUNT(*) DESC LIMIT 1))
"""


@final
class Board(Live):
    """Facts by kind and name, in memory for one process, and in a folder that is gone with the server for several.

    Nothing of it has to last: who loses it signs in again, or asks again.

    >>> board = Board()
    >>> board.put("visit", "a", {"token": "1f3a"}, most=10)
    >>> board.get("visit", "a"), board.take("visit", "a"), board.take("visit", "a")
    ({'token': '1f3a'}, {'token': '1f3a'}, None)
    """

    def __init__(self, folder: str | None = None, *, worker: int = 0, workers: int = 1) -> None:
        super().__init__()
        self.folder, self.worker, self.workers = None if folder is None else Path(folder), worker, workers
        self._base = sqlite3.connect(
            MEMORY if self.folder is None else str(self.folder / "board"),
            isolation_level=None,
            check_same_thread=False,
            timeout=60,
        )
        self._base.execute("PRAGMA synchronous = OFF")
        self._base.execute("PRAGMA journal_mode = MEMORY")
        with self._whole():
            self._base.execute(_MADE)

    @alone
    def put(self, what: str, name: str, said: Mapping[str, Any], *, most: int, whose: str = "") -> None:
        """Write a fact down, over an older one of its name; where there are too many, the oldest goes."""
        with self._whole():
            self._base.execute("DELETE FROM fact WHERE what = ? AND name = ?", (what, name))
            line = (what, name, whose, json.dumps(dict(said)))
            self._base.execute("INSERT INTO fact (what, name, whose, said) VALUES (?, ?, ?, ?)", line)
            (count,) = self._base.execute("SELECT COUNT(*) FROM fact WHERE what = ?", (what,)).fetchone()
            for _ in range(count - most):
                self._base.execute(_OLDEST, (what,))

    @alone
    def get(self, what: str, name: str) -> dict[str, Any] | None:
        """The fact of this name."""
        found = self._base.execute("SELECT said FROM fact WHERE what = ? AND name = ?", (what, name)).fetchone()
        return None if found is None else json.loads(found[0])

    @alone
    def take(self, what: str, name: str) -> dict[str, Any] | None:
        """The fact of this name, which is then gone: of several who take it, one has it."""
        with self._whole():
            found = self._base.execute(
                "DELETE FROM fact WHERE what = ? AND name = ? RETURNING said", (what, name)
            ).fetchone()
        return None if found is None else json.loads(found[0])

    @alone
    def all(self, what: str) -> list[dict[str, Any]]:
        """All facts of a kind, oldest first."""
        found = self._base.execute("SELECT said FROM fact WHERE what = ? ORDER BY place", (what,)).fetchall()
        return [json.loads(said) for (said,) in found]

    def close(self) -> None:
        """Let go of it."""
        self._base.close()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Done as a whole, and by one worker at a time."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")


def kept(secret: str) -> str:
    """What is written down of a secret name, so that nobody reads it here."""
    return hashlib.sha256(secret.encode()).hexdigest()
