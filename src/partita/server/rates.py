"""How many requests one token, or one address, may send."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

from partita.live import Live, alone

MOST_KNOWN: Final = 10_000
_MINUTE: Final = 60.0


@final
class Rates(Live):
    """A bucket for each sender: full at first, refilled evenly, one taken by each request.

    >>> now = [0.0]
    >>> rates = Rates(2, clock=lambda: now[0])
    >>> rates.taken("ada"), rates.taken("ada"), rates.taken("ada"), rates.taken("bob")
    (True, True, False, True)
    >>> now[0] = 30.0
    >>> rates.taken("ada")
    True
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most, self._clock = float(per_minute), clock
        self._left: dict[str, tuple[float, float]] = {}

    @alone
    def taken(self, sender: str) -> bool:
        """Whether one more request of this sender is taken."""
        now = self._clock()
        left, since = self._left.pop(sender, (self._most, now))
        left = min(self._most, left + (now - since) * self._most / _MINUTE)
        self._left[sender] = (left - 1.0 if left >= 1.0 else left, now)
        if len(self._left) > MOST_KNOWN:
            self._left.pop(next(iter(self._left)))
        return left >= 1.0
