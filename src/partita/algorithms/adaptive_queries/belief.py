"""A public guess of a histogram, improved by multiplicative weights from noisy answers only."""

from __future__ import annotations

import math
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.errors import algorithms as refuse
from partita.exact import Number, positive, whole

Floats = NDArray[np.float64]
# A guess never exceeds this: beside it a count is compared as a 64-bit integer, which must not wrap.
MOST_ROWS = 2.0**60
Query = NDArray[np.int64]


@final
class Belief:
    """Shares of the cells, uniform at first, and the number of rows that they are shares of.

    An answer that differs from the guess by g (as a share of all rows) moves each cell by e^(g q / 2): its relative
    entropy to the true histogram falls by at least g (2 true gap - g) / 4 (theory F6). Only noisy answers come in, so
    that the guess may be shown to anybody.
    """

    def __init__(self, cells: int, total: float, unit: int = 1) -> None:
        self.total = min(max(total, 1.0), MOST_ROWS)
        self.unit = unit
        self._logs: Floats = np.zeros(cells)
        self._shares: Floats = np.full(cells, 1 / cells)
        self._seen: list[tuple[Query, float]] = []

    @property
    def histogram(self) -> Floats:
        """The guess, as counts."""
        return self._shares * self.total

    def answer(self, query: Query) -> float:
        """What the guess says to a query."""
        return float(self._shares @ query) * self.total / self.unit

    def learn(self, query: Query, answer: float, *, noise: float = 0.0, replays: int = 0) -> None:
        """Move the guess towards a noisy answer; then look again at earlier ones, as often as asked.

        An earlier answer counts again only if it is off by more than twice its noise: then the true gap is at least
        half of what it seems, and the guess still improves.
        """
        self._seen.append((query, answer))
        self._move(query, answer - self.answer(query))
        for _ in range(replays):
            moved = False
            for earlier, said in self._seen:
                gap = said - self.answer(earlier)
                if abs(gap) > 2 * noise:
                    self._move(earlier, gap)
                    moved = True
            if not moved:
                return

    def _move(self, query: Query, gap: float) -> None:
        rate = min(max(gap / self.total, -1.0), 1.0) / 2
        self._logs = self._logs + rate * query / self.unit
        self._logs -= self._logs.max()
        weights = np.exp(self._logs)
        self._shares = weights / weights.sum()


def update_bound(cells: int, within: Number) -> float:
    """How often a guess over so many cells can be off by this share of the rows: 4 ln|X| / α² (theory F6).

    >>> round(update_bound(1024, "0.1"), 6)
    2772.588722
    """
    return 4 * math.log(whole(cells, "cells", least=1)) / float(positive(within, "within")) ** 2


def read_query(query: object, cells: int, unit: int) -> Query:
    """A counting query: a whole weight from 0 to the unit for every cell."""
    found = np.asarray(query)
    if found.shape != (cells,) or found.dtype.kind not in "iub":
        raise refuse.not_a_counting_query(cells, unit)
    weights = found.astype(np.int64)
    if weights.min() < 0 or weights.max() > unit:
        raise refuse.not_a_counting_query(cells, unit)
    return weights
