"""Quantiles: chosen among all values a column may hold, by the rows that would have to come or go, several at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.limits import current
from partita.mechanisms.exponential import Exponential
from partita.query.exact.program import Histogram
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Bounds, Expression, since
from partita.query.quantiles.costs import Chooser
from partita.query.quantiles.ranks import Runs, Together, step, together
from partita.region.domain import Domain
from partita.sampling.bits import BitSource
from partita.sampling.choice import Place

SURE = 0.95
# So surely does the exact quantile lie on the inner side of a value chosen beside it.
FENCED = 0.9999
MOST_VALUES = 1 << 50  # that one choice can be made among
REACH = 8  # a tuple is never less likely than e^-REACH of what it is where each quantile is scored by itself


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """Quantiles of one expression, chosen together in every group among the values from ``within.low`` to the highest.

    The score is minus the number of rows that would have to come or go for all of them to be exact; one row moves it
    by one (ranks.proof.md). The least and the greatest value are chosen by themselves and aim ``inset`` rows inside the
    data, or every value beyond it would be as good.
    """

    of: Expression
    shares: tuple[Fraction, ...]
    within: Bounds
    mechanism: Chooser
    side: int = 0

    @property
    def aggregates(self) -> tuple[Quantile, ...]:
        """What is chosen."""
        return tuple(Quantile(self.of, share, self.side) for share in self.shares)

    @property
    def placed(self) -> Bounds:
        """The values to choose from: those of the expression, and for a side one more beyond its end."""
        low, high = self.within.low - (self.side < 0), self.within.high + (self.side > 0)
        return replace(self.within, low=low, high=high)

    @property
    def candidates(self) -> int:
        """How many values there are to choose from."""
        return self.placed.high - self.placed.low + 1

    @property
    def inset(self) -> int:
        """How many rows inside the data the least and the greatest value are looked for, or outside of it a side."""
        if self.side:
            return math.ceil(self._slack(FENCED))
        return math.ceil(self._slack(SURE)) if self.shares[0] in (0, 1) else 0

    def holds(self, confidence: float, entries: int = 1) -> bool:
        """Whether the quantile is on the inner side of this one so surely, in all of so many groups."""
        return bool(self.side) and self._slack(1 - (1 - confidence) / entries) <= self.inset

    def rank_error(self, confidence: float, entries: int = 1) -> float:
        """How many rows lie, at most, between any of them and the exact quantile, in all of so many groups.

        It follows from the number of candidates and the price alone, and holds for any data (ranks.proof.md).
        """
        return self._slack(1 - (1 - confidence) / entries) + self.inset

    def _slack(self, confidence: float) -> float:
        count, values, miss = len(self.shares), math.log(self.candidates), math.log1p(-confidence)
        if count == 1:
            away = values - miss
        else:
            tuples = math.log(math.comb(self.candidates + count - 1, count))
            rest = math.log(2) - miss
            away = max(tuples + rest, count * min(math.log(count) + values + rest, count * values + rest - REACH))
        widest = max(Fraction(step(share), share.denominator) for share in self.shares)
        return float(widest) * away / float(self.mechanism.weight)

    def release(self, found: Histogram, *, bits: BitSource | None = None) -> tuple[int, ...]:
        """The chosen values, in units."""
        ranked = _Ranked.of(self, found)
        lengths = ranked.runs.lengths
        if len(self.shares) == 1:
            each = replace(self.mechanism, epsilon=self.mechanism.epsilon / step(self.shares[0]))
            places: tuple[Place, ...] = (each.release_run(-ranked.off[0], lengths, bits=bits),)
        else:
            assert isinstance(self.mechanism, Exponential)
            lists = [(-off, lengths, count) for off, count in zip(ranked.off, ranked.counts, strict=True)]
            places = self.mechanism.release_tuple(lists, ranked.excess, bits=bits)
        return tuple(int(ranked.runs.starts[run]) + place for run, place in places)

    def away(self, found: Histogram, values: tuple[int, ...]) -> Fraction:
        """How many rows would have to come or go for these values to be chosen rightly: minus the score. For study.

        >>> from partita.mechanisms.exponential import Exponential
        >>> within = Bounds(0, 9, Fraction(1), nullable=False)
        >>> from partita.query.language.expressions import Value
        >>> choice = Choice(Value("age"), (Fraction(1, 2),), within, Exponential(epsilon=1))
        >>> choice.away(Histogram(np.array([3, 7]), np.array([2, 2])), (8,))
        Fraction(4, 1)
        """
        ranked = _Ranked.of(self, found)
        runs = np.searchsorted(ranked.runs.starts, values, side="right") - 1
        places = tuple(
            (int(run), value - int(ranked.runs.starts[run])) for run, value in zip(runs, values, strict=True)
        )
        return ranked.apart(places) + (ranked.excess(places) if len(values) > 1 else 0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """A group's candidates with their ranks: what the values of a choice are scored by."""

    runs: Runs
    off: tuple[NDArray[Any], ...]
    counts: tuple[Fraction, ...]
    ranks: Together
    most: Fraction

    @classmethod
    def of(cls, choice: Choice, found: Histogram) -> _Ranked:
        if choice.side:
            found = _beyond(found, choice.placed.low if choice.side < 0 else choice.placed.high, choice.inset)
        runs, shares = Runs.of(found, choice.placed), choice.shares
        return cls(
            runs,
            tuple(runs.off(share, choice.inset, choice.side) for share in shares),
            tuple(Fraction(1, len(shares) * step(share)) for share in shares),
            together(shares),
            REACH / choice.mechanism.weight,
        )

    def apart(self, places: Sequence[Place]) -> Fraction:
        """The mean, over the quantiles, of the rows that would have to come or go for that one alone."""
        parts = zip(self.counts, self.off, places, strict=True)
        return sum((count * int(off[run]) for count, off, (run, _) in parts), Fraction(0))

    def excess(self, places: Sequence[Place]) -> Fraction:
        """How many rows more it takes to make all of them exact at once, as far as that counts."""
        starts, below, up_to = self.runs.starts, self.runs.below, self.runs.up_to
        away = self.ranks.away(
            self.runs.rows, [(int(starts[run]) + place, int(below[run]), int(up_to[run])) for run, place in places]
        )
        return self.most if away is None else min(away - self.apart(places), self.most)


def _beyond(found: Histogram, end: int, rows: int) -> Histogram:
    """The histogram with so many rows more at a value beyond all others."""
    values, counts = np.append(found.values, end), np.append(found.counts, rows)
    order = np.argsort(values)
    return Histogram(values[order], counts[order])


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
        value = min(max(value, self.choice.within.low), self.choice.within.high)
        if isinstance(self.since, datetime):
            return self.since + timedelta(microseconds=int(value * self.choice.within.unit * 10**6))
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
        if self.choice.side:
            return self.choice.rank_error(confidence, entries)
        family = [choice for choice in self.among if choice.of == self.choice.of and not choice.side]
        return max(choice.rank_error(confidence, entries * len(family)) for choice in family)


def enclosures(
    values: NDArray[np.object_], estimators: Mapping[Quantile, Chosen], rows: int, confidence: float, entries: int
) -> dict[Quantile, list[tuple[Any, Any]]]:
    """For each quantile and group the values that the exact one lies between, where a group has so many rows.

    The values chosen for its two sides, or the nearest quantiles of the same expression, released beside it, whose
    targets are further away than ranks are off; the ends of the domain where there is none (ranks.proof.md).
    """
    found: dict[Quantile, list[tuple[Any, Any]]] = {}
    fences = fenced(values, estimators, confidence, entries)
    for aggregate, estimator in estimators.items():
        if aggregate in fences:
            found[aggregate] = fences[aggregate]
            continue
        off = Fraction(estimator.rank_error(confidence, entries))
        inner = ((other, one) for other, one in estimators.items() if other.of == aggregate.of and not other.side)
        family = sorted((other.share, one.place) for other, one in inner)
        under = [place for share, place in family if (aggregate.share - share) * rows > off]
        over = [place for share, place in family if (share - aggregate.share) * rows > off]
        within = estimator.choice.within
        found[aggregate] = [
            (
                estimator.shown(int(line[under[-1]]) if under else within.low),
                estimator.shown(int(line[over[0]]) if over else within.high),
            )
            for line in values
        ]
    return found


def fenced(
    values: NDArray[np.object_], estimators: Mapping[Quantile, Chosen], confidence: float, entries: int
) -> dict[Quantile, list[tuple[Any, Any]]]:
    """For each quantile that values were chosen beside, and each group, what the exact one lies between.

    Below the least and above the greatest value there is nothing but the end of the domain: it is one person's value.
    """
    found: dict[Quantile, list[tuple[Any, Any]]] = {}
    for aggregate, estimator in estimators.items():
        if aggregate.side:
            continue
        beside = [estimators.get(replace(aggregate, side=side)) for side in (-1, 1)]
        held = [one is not None and one.choice.holds(confidence, 2 * entries) for one in beside]
        if all(held) or (any(held) and aggregate.share in (0, 1)):
            within = estimator.choice.within
            lower, upper = (one if sure else None for one, sure in zip(beside, held, strict=True))
            found[aggregate] = [
                (
                    estimator.shown(within.low if lower is None else min(line[estimator.place], line[lower.place])),
                    estimator.shown(within.high if upper is None else max(line[estimator.place], line[upper.place])),
                )
                for line in values
            ]
    return found


def listed(choices: Sequence[Choice]) -> list[Quantile]:
    """The aggregates of choices, in the order in which their values are released."""
    return [aggregate for choice in choices for aggregate in choice.aggregates]


def chosen(choices: tuple[Choice, ...], domain: Domain) -> dict[Quantile, Chosen]:
    """The estimators of quantiles that were chosen."""
    found: dict[Quantile, Chosen] = {}
    for choice in choices:
        days = since(choice.of, domain)
        for aggregate in choice.aggregates:
            found[aggregate] = Chosen(len(found), choice, choices, days)
    return found


def companies(aggregates: Sequence[Quantile]) -> list[tuple[Expression, tuple[Fraction, ...]]]:
    """Which quantiles are chosen together: those of one expression, few at a time, the ends by themselves.

    >>> from partita.query.language.expressions import Value
    >>> [len(shares) for _, shares in companies([Quantile(Value("age"), Fraction(k, 5)) for k in range(6)])]
    [1, 1, 2, 2]
    """
    found: list[tuple[Expression, tuple[Fraction, ...]]] = []
    aggregates = [one for one in aggregates if not one.side]
    for of in dict.fromkeys(aggregate.of for aggregate in aggregates):
        shares = sorted({aggregate.share for aggregate in aggregates if aggregate.of == of})
        found += [(of, (share,)) for share in shares if share in (0, 1)]
        inner = [share for share in shares if share not in (0, 1)]
        apart = -(-len(inner) // max(1, current().chosen_together))
        found += [(of, tuple(inner[place::apart])) for place in range(apart)]
    return found


def monotone(chosen: NDArray[np.object_], choices: Sequence[Choice]) -> NDArray[np.object_]:
    """The chosen values with the quantiles of one expression put into the order of their shares.

    That is free, and moves no quantile further from the truth than the worst of them was.
    """
    made, aggregates = chosen.copy(), listed(choices)
    for of in dict.fromkeys(choice.of for choice in choices):
        places = [place for place, one in enumerate(aggregates) if one.of == of and not one.side]
        places.sort(key=lambda place: aggregates[place].share)
        made[:, places] = np.sort(chosen[:, places], axis=1)
    return made
