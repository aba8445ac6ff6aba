"""Limits: between which numbers the true counts of any table lie, as far as noisy tables can say, measured or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import final

import numpy as np

from partita.algorithms import bounds
from partita.algorithms.linear.axes import Axes, Names
from partita.algorithms.synthetic.graphical import Floats, Observed
from partita.errors import algorithms as refuse
from partita.exact import Number, probability
from partita.explain.numbers import percent


@final
@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """The least and the largest number that every true count of a table can be, all at once with some confidence.

    ``measured`` says whether the table, or one that holds it, was measured. If not, only the tables of some of its
    columns are known, and no count can be larger than one that it is part of: that is all there is to say.
    """

    table: Names
    low: Floats
    high: Floats
    measured: bool
    confidence: float

    def off(self, counts: Floats) -> Floats:
        """The most that such counts can be wrong by, cell by cell."""
        found: Floats = np.maximum(self.high - counts, counts - self.low)
        return found

    def __str__(self) -> str:
        name, sure = ", ".join(self.table) or "The number of rows", percent(self.confidence)
        if self.measured:
            apart = ceil((self.high - self.low).max())
            return f"{name} was measured: with {sure} confidence limits {apart:,} apart hold every true count."
        return (
            f"{name} was not measured and follows from the model alone: all that is known with {sure} confidence is "
            f"that no true count is above {floor(self.high.max()):,}."
        )


def limits(axes: Axes, observed: Sequence[Observed], table: Names, confidence: Number = 0.95) -> Limits:
    """What noisy tables say about every true count of a table.

    Which tables were measured depends on earlier noise, but the noise of each is fresh when it is drawn. So the first
    measurement that tells of the table may miss with half of what is allowed, the second with a sixth, the j-th with
    1/j(j+1) of it, whatever was chosen in between; half of everything is for measurements of all its columns, half for
    those of some. What holds at once is the intersection.

    >>> axes = Axes({"a": 2, "b": 2})
    >>> said = [Observed((name,), np.array([30.0, 10.0]), 1.0) for name in axes.names]
    >>> print(limits(axes, said, ("a",)))
    a was measured: with 95% confidence limits 7 apart hold every true count.
    >>> print(limits(axes, said, ("a", "b")))  # doctest: +NORMALIZE_WHITESPACE
    a, b was not measured and follows from the model alone: all that is known with 95% confidence is
    that no true count is above 33.
    """
    sure = float(probability(confidence, "confidence"))
    shape = axes.shape(table)
    low, high = np.zeros(shape), np.full(shape, np.inf)
    whole = part = 0
    for one in observed:
        shared = tuple(name for name in table if name in one.table)
        if table and not shared:
            continue
        whole, part = (whole + 1, part) if shared == table else (whole, part + 1)
        place = whole if shared == table else part
        counts = _margin(axes, one, shared).reshape(
            [size if n in shared else 1 for n, size in zip(table, shape, strict=True)]
        )
        cells, summed = axes.cells(shared), axes.cells(one.table) // axes.cells(shared)
        wide = bounds.half_widths(
            np.array([one.deviation**2 * summed]),
            np.zeros(1),
            np.array([float(summed)]),
            laplace=False,
            confidence=1 - (1 - sure) / (2 * place * (place + 1)),
            entries=cells,
        )[0]
        high = np.minimum(high, counts + wide)
        if shared == table:
            low = np.maximum(low, counts - wide)
    if not whole and not part:
        raise refuse.not_measured(table, [one.table for one in observed])
    return Limits(table, low, np.maximum(high, low), bool(whole), sure)


def _margin(axes: Axes, one: Observed, kept: Names) -> Floats:
    away = tuple(place for place, name in enumerate(one.table) if name not in kept)
    found: Floats = one.counts.reshape(axes.shape(one.table)).sum(axis=away)
    return found
