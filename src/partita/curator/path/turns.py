"""Turns: of the threads that come to one reservation, one fulfils it, and the others wait for what it commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import Event, Lock, get_ident
from typing import final


@final
class Turns:
    """Which reservations are being fulfilled in this process.

    Two runs of one reservation draw noise twice, and the first to commit decides: whoever could start runs at will
    would choose the one that is over sooner (ledger.proof.md). So there is one run at a time.

    >>> turns = Turns()
    >>> turns.take([1, 2])
    {1, 2}
    >>> turns.end({1, 2})
    >>> turns.wait(2)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[int, tuple[int, Event]] = {}
        self._times: Counter[int] = Counter()

    def take(self, reservations: Iterable[int]) -> set[int]:
        """Those that no other thread fulfils now, now the caller's; a thread does not wait for itself."""
        me = get_ident()
        with self._lock:
            free = {one for one in reservations if one not in self._running or self._running[one][0] == me}
            for one in free:
                self._running.setdefault(one, (me, Event()))
            self._times.update(free)
        return free

    def end(self, taken: Iterable[int]) -> None:
        """Let those go on who wait for these."""
        with self._lock:
            self._times.subtract(taken)
            events = [self._running.pop(one)[1] for one in taken if not self._times[one]]
            self._times += Counter()  # what is at zero goes
        for event in events:
            event.set()

    def wait(self, reservation: int) -> None:
        """Wait until a reservation is not being fulfilled any more."""
        with self._lock:
            found = self._running.get(reservation)
        if found is not None:
            found[1].wait()
