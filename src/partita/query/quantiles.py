"""Quantiles: the exponential mechanism over all values a column may hold, scored by rank, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, steps
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import decimal_up
from partita.query import pricing
from partita.query.aggregates import Quantile
from partita.query.expressions import Bounds, Value
from partita.query.program import Histogram
from partita.query.truncation import Truncation
from partita.region.columns import Dates
from partita.region.domain import Domain
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

SURE = 0.95


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """One quantile to be chosen in every group, among the values from ``within.low`` to ``within.high``.

    With q = a/b, the score of a value is minus the distance of b n q from [b·below, b·(below + equal)]: zero exactly
    for the quantile, and moved by at most max(a, b - a) when a row comes or goes (quantiles.proof.md). The least and
    the greatest value aim ``inset`` rows inside the data, or every value beyond it would be as good.
    """

    aggregate: Quantile
    within: Bounds
    mechanism: Exponential

    @property
    def candidates(self) -> int:
        """How many values there are to choose from."""
        return self.within.high - self.within.low + 1

    @property
    def inset(self) -> int:
        """How many rows inside the data the least and the greatest value are looked for."""
        return math.ceil(self._slack(SURE)) if self.aggregate.share in (0, 1) else 0

    def rank_error(self, confidence: float, entries: int = 1) -> float:
        """How many rows lie, at most, between the choice and the exact quantile, in all of so many groups (theory C9).

        It follows from the number of candidates and the price alone, and holds for any data.
        """
        return self._slack(1 - (1 - confidence) / entries) + self.inset

    def _slack(self, confidence: float) -> float:
        bottom = self.aggregate.share.denominator
        return (math.log(self.candidates) - math.log1p(-confidence)) / (float(self.mechanism.weight) * bottom)

    def release(self, found: Histogram, *, bits: BitSource | None = None) -> int:
        """The chosen value, in units."""
        starts, lengths, scores = scored(found, self.within, self.aggregate.share, self.inset)
        run, place = self.mechanism.release_run(scores, lengths, bits=bits)
        return int(starts[run]) + place


@final
@dataclass(frozen=True, slots=True)
class Chosen:
    """An aggregate that is one of the chosen values: its place among them, how it was chosen, and its company.

    ``since`` is the first day of a column of dates.
    """

    place: int
    choice: Choice
    among: tuple[Choice, ...]
    since: date | None = None

    def shown(self, value: int) -> int | float | date:
        """The chosen value as people see it."""
        if self.since is not None:
            return self.since + timedelta(days=value)
        exactly = value * self.choice.within.unit
        return int(exactly) if self.choice.within.unit.denominator == 1 else float(exactly)

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest value it can have."""
        return float(self.choice.within.lowest), float(self.choice.within.highest)

    def rank_error(self, confidence: float, entries: int) -> float:
        """How many rows lie, at most, between the answer and the exact quantile.

        Quantiles of one expression were put in order, so each may carry the error of another.
        """
        family = [choice for choice in self.among if choice.aggregate.of == self.choice.aggregate.of]
        return max(choice.rank_error(confidence, entries * len(family)) for choice in family)


def chosen(choices: tuple[Choice, ...], domain: Domain) -> tuple[Chosen, ...]:
    """The recipes of quantiles that were chosen together."""
    found = []
    for place, choice in enumerate(choices):
        of, since = choice.aggregate.of, None
        if isinstance(of, Value):
            column = domain.bounded[domain.axis(of.column)]
            since = column.low if isinstance(column, Dates) else None
        found.append(Chosen(place, choice, choices, since))
    return tuple(found)


def scored(
    found: Histogram, within: Bounds, share: Fraction, inset: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """All candidates in runs of equal score: where each run starts, how long it is, and its score.

    A run is one value that occurs, or the values between two that do.

    >>> found = Histogram(np.array([3, 7]), np.array([2, 2]))
    >>> starts, lengths, scores = scored(found, Bounds(0, 9, Fraction(1), nullable=False), Fraction(1, 2))
    >>> list(zip(starts.tolist(), lengths.tolist(), scores.tolist()))
    [(0, 3, -4), (3, 1, 0), (4, 3, 0), (7, 1, 0), (8, 2, -4)]
    """
    values, counts = found.values, found.counts
    distinct = len(values)
    starts = np.empty(2 * distinct + 1, dtype=np.int64)
    starts[0], starts[1::2], starts[2::2] = within.low, values, values + 1
    ends = np.append(starts[1:], within.high + 1)
    lengths = ends - starts
    up_to = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    total = int(up_to[-1])
    top, bottom = share.numerator, share.denominator
    target = top * total + bottom * (inset if share == 0 else -inset)
    kind = np.int64 if bottom * (total + inset) < 1 << 60 else object
    reached = bottom * up_to.astype(kind)
    scores = np.empty(2 * distinct + 1, dtype=kind)
    # Between two values nothing is equal: the distance is to a point. At a value it is to an interval.
    scores[0::2] = -abs(reached - target)
    scores[1::2] = -np.maximum(np.maximum(reached[:-1] - target, target - reached[1:]), 0)
    kept = lengths > 0
    return starts[kept], lengths[kept], scores[kept]


# --- what it costs ---------------------------------------------------------------------------------------------

Case = tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Moves:
    """How far neighbours move the scores of the groups: each case lists the groups that move and how far.

    ``row`` when one row enters or leaves the region; ``both`` when a row of the region becomes another one; ``owned``
    is the most rows of one owner that a release uses.
    """

    row: tuple[Case, ...]
    both: tuple[Case, ...]
    owned: int | None = None


def moves(share: Fraction, granularity: Granularity, *, groups: int, truncation: Truncation | None) -> Moves:
    """The cases of a quantile under a granularity (quantiles.proof.md).

    >>> moves(Fraction(9, 10), Rows(), groups=5, truncation=None)
    Moves(row=((9,),), both=((10,), (9, 9)), owned=None)
    """
    one, changed = max(share.numerator, share.denominator - share.numerator), share.denominator
    row: tuple[Case, ...] = ((one,),)
    both: tuple[Case, ...] = ((changed,), (one, one)) if groups > 1 else ((changed,),)
    if truncation is not None and not isinstance(granularity.single, Users):
        # A row may let another of its owner in or out: two changes, in the same groups or in others.
        both = tuple(sorted({case for first in row + both for other in row + both for case in _sums(first, other)}))
        row = tuple(sorted(set(_sums((one,), (one,)))))
    return Moves(row, both, None if truncation is None else truncation.most)


def _sums(first: Case, other: Case) -> Iterator[Case]:
    """Two changes at once, with any of the groups of the one being groups of the other."""
    for shared in range(min(len(first), len(other)) + 1):
        for mine in combinations(range(len(first)), shared):
            for theirs in permutations(range(len(other)), shared):
                met = dict(zip(mine, theirs, strict=True))
                joined = [far + (other[met[place]] if place in met else 0) for place, far in enumerate(first)]
                yield tuple(sorted(joined + [far for place, far in enumerate(other) if place not in theirs]))


@lru_cache(maxsize=4096)
def cost(mechanism: Exponential, cases: tuple[Case, ...], budget: Measure) -> Measure:
    """The most that any of the cases costs: the groups that move compose."""
    found = [pricing.total_cost([(mechanism, Distance.linf(far)) for far in case], budget).vector() for case in cases]
    return budget.like([max(parts) for parts in zip(*found, strict=True)])


def unit_cost(mechanism: Exponential, moved: Moves, granularity: Granularity, budget: Measure) -> Measure:
    """The most that one step of the granularity can cost through this choice."""
    match granularity:
        case Rows():
            return cost(mechanism, moved.row, budget)
        case Replace() | Metric():
            return cost(mechanism, moved.row + moved.both, budget)
        case Groups(size, of):
            return unit_cost(mechanism, moved, of, budget).group(size)
        case Users():
            kept = granularity.rows if moved.owned is None else min(granularity.rows, moved.owned)
            return cost(mechanism, moved.row, budget).group(2 * kept if granularity.altered else kept)
        case _:
            return cost(mechanism, moved.row, budget).group(steps(Rows(), granularity))


@lru_cache(maxsize=1024)
def affordable(moved: Moves, granularity: Granularity, budget: Measure) -> Exponential | None:
    """The sharpest choice whose cost for one step of the granularity fits the budget, or None if there is none.

    >>> affordable(moves(Fraction(1, 2), Rows(), groups=1, truncation=None), Rows(), Pure(epsilon=1)).epsilon
    Fraction(1, 1)
    """
    if isinstance(budget, Pure | Approximate):
        if not budget.epsilon:
            return None
        least = unit_cost(Exponential(epsilon=Fraction(1)), moved, granularity, Pure(epsilon=budget.epsilon))
        return Exponential(epsilon=budget.epsilon / least.vector()[0])

    def fits(scale: Fraction) -> bool:
        return unit_cost(Exponential(epsilon=1 / scale), moved, granularity, budget).fits(budget)

    high = Fraction(1)
    for _ in range(200):
        if fits(high):
            break
        high *= 2
    else:
        return None
    low = high / 2
    while fits(low):
        high, low = low, low / 2
    return Exponential(epsilon=1 / decimal_up(numerics.least(fits, low, high, steps=60)))


def monotone(chosen: NDArray[np.object_], choices: Sequence[Choice]) -> NDArray[np.object_]:
    """The chosen values with the quantiles of one expression put into the order of their shares.

    That is free, and moves no quantile further from the truth than the worst of them was.
    """
    made = chosen.copy()
    for of in dict.fromkeys(choice.aggregate.of for choice in choices):
        places = [place for place, choice in enumerate(choices) if choice.aggregate.of == of]
        places.sort(key=lambda place: choices[place].aggregate.share)
        made[:, places] = np.sort(chosen[:, places], axis=1)
    return made
