"""One flush for all who wait: whoever comes first makes it, and who came before it began needs none of their own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition
from typing import final


@final
class Turn:
    """Threads that need the same costly act after their own step; one act serves all that were there when it began.

    >>> turn, made = Turn(), []
    >>> turn.taken(lambda: made.append("flushed"))
    >>> made
    ['flushed']
    """

    def __init__(self) -> None:
        self._change = Condition()
        self._asked = 0
        self._done = 0
        self._running = False

    def taken(self, act: Callable[[], None]) -> None:
        """Return once an act that began after this call has ended well; a failure is that of who made the act."""
        with self._change:
            self._asked += 1
            mine = self._asked
            while self._running and self._done < mine:
                self._change.wait()
            if self._done >= mine:
                return
            self._running, covered = True, self._asked
        done = False
        try:
            act()
            done = True
        finally:
            with self._change:
                self._running = False
                if done:
                    self._done = max(self._done, covered)
                self._change.notify_all()
