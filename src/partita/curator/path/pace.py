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

    A clock then tells only how many beats it took, whoever looks at it: nothing is written in the book in between.
    Without ``seconds`` nothing is held back.

    >>> times = iter([10.0, 10.3])
    >>> with Pace("0.25", clock=lambda: next(times), wait=lambda rest: print(f"waits {rest:.2f} s")).kept() as beat:
    ...     beat()
    ...     print("commits")
    waits 0.20 s
    commits
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
    def kept(self) -> Iterator[Callable[[], None]]:
        """What happens inside takes a whole number of beats up to the call of what is given, or to the end."""
        if self._beat is None:
            yield lambda: None
            return
        beat, start, held = self._beat, self._clock(), False

        def hold() -> None:
            nonlocal held
            if not held:
                held = True
                taken = self._clock() - start
                self._wait(math.ceil(max(taken, 0.0) / beat) * beat - taken)

        try:
            yield hold
        finally:
            hold()
