"""Turns: of the threads that come to one reservation, one fulfils it, and the others wait for what it commits."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event, Lock
from typing import final


@final
class Turns:
    """Which reservations are being fulfilled in this process.

    Two runs of one reservation draw noise twice, and the first to commit decides: whoever could start runs at will
    would choose the one that is over sooner (ledger.proof.md). So there is one run at a time.

    >>> turns = Turns()
    >>> turns.take([1, 2]), turns.take([2, 3])
    ({1, 2}, {3})
    >>> turns.end({1, 2, 3})
    >>> turns.take([2])
    {2}
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[int, Event] = {}

    def take(self, reservations: Iterable[int]) -> set[int]:
        """Those that nobody fulfils now, which are the caller's from here on."""
        with self._lock:
            free = {one for one in reservations if one not in self._running}
            self._running.update((one, Event()) for one in free)
        return free

    def end(self, taken: Iterable[int]) -> None:
        """Let those go on who wait for these."""
        with self._lock:
            events = [self._running.pop(one) for one in taken]
        for event in events:
            event.set()

    def wait(self, reservation: int) -> None:
        """Wait until a reservation is not being fulfilled any more."""
        with self._lock:
            event = self._running.get(reservation)
        if event is not None:
            event.wait()
