"""A pace for answers: what reads protected rows takes a whole number of public beats, however long it took."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from partita.exact import Number, positive


@final
class Pace:
    """Holds back whatever follows a reading until the next beat, failures too.

    A clock then tells only how many beats it took. Without ``seconds`` nothing is held back.

    >>> times = iter([10.0, 10.3])
    >>> with Pace("0.25", clock=lambda: next(times), wait=lambda rest: print(f"waits {rest:.2f} s")).kept():
    ...     pass
    waits 0.20 s
    """

    def __init__(
        self,
        seconds: Number | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._beat = None if seconds is None else float(positive(seconds, "pace"))
        self._clock, self._wait = clock, wait

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What happens inside takes a whole number of beats."""
        if self._beat is None:
            yield
            return
        start = self._clock()
        try:
            yield
        finally:
            taken = self._clock() - start
            self._wait(math.ceil(max(taken, 0.0) / self._beat) * self._beat - taken)
