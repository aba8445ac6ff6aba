"""A gate between questions and new rows: many questions at once, or rows that come in, never both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import final

from partita.errors import vault as refuse


@final
class Gate:
    """Questions pass together; whoever exchanges rows waits until none is under way, and lets none in meanwhile.

    Once somebody waits to exchange rows, new questions wait behind, so that a steady stream of them does not keep rows
    out for ever; a thread that is inside may pass again. If the exchange fails, no question passes any more.
    """

    def __init__(self) -> None:
        self._turn = Condition()
        self._inside: Counter[int] = Counter()
        self._waiting = 0
        self._closed = False
        self._torn = False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """A question is under way."""
        with self._turn:
            me = get_ident()
            self._turn.wait_for(lambda: not self._closed and (not self._waiting or me in self._inside))
            if self._torn:
                raise refuse.half_moved()
            self._inside[me] += 1
        try:
            yield
        finally:
            with self._turn:
                self._inside[me] -= 1
                if not self._inside[me]:
                    del self._inside[me]
                self._turn.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """No question is under way."""
        with self._turn:
            self._waiting += 1
            try:
                self._turn.wait_for(lambda: not self._closed and not self._inside)
                self._closed = True
            finally:
                self._waiting -= 1
                self._turn.notify_all()
        try:
            yield
        except BaseException:
            self._torn = True  # rows may have moved without their name
            raise
        finally:
            with self._turn:
                self._closed = False
                self._turn.notify_all()
