"""A gate between questions and new rows: many questions at once, or rows that come in, never both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import final

from partita.errors import vault as refuse


@final
class Gate:
    """Questions pass together; whoever exchanges rows waits until none is under way, and lets none in meanwhile.

    A thread that is inside may pass again: only rows that are being exchanged keep questions out. If the exchange
    fails, no question passes any more.
    """

    def __init__(self) -> None:
        self._turn = Condition()
        self._inside = 0
        self._closed = False
        self._torn = False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """A question is under way."""
        with self._turn:
            self._turn.wait_for(lambda: not self._closed)
            if self._torn:
                raise refuse.half_moved()
            self._inside += 1
        try:
            yield
        finally:
            with self._turn:
                self._inside -= 1
                self._turn.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """No question is under way."""
        with self._turn:
            self._turn.wait_for(lambda: not self._closed and not self._inside)
            self._closed = True
        try:
            yield
        except BaseException:
            self._torn = True  # rows may have moved without their name
            raise
        finally:
            with self._turn:
                self._closed = False
                self._turn.notify_all()
