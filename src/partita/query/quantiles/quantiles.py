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

    @property
    def aggregates(self) -> tuple[Quantile, ...]:
        """What is chosen."""
        return tuple(Quantile(self.of, share) for share in self.shares)

    @property
    def candidates(self) -> int:
        """How many values there are to choose from."""
        return self.within.high - self.within.low + 1

    @property
    def inset(self) -> int:
        """How many rows inside the data the least and the greatest value are looked for."""
        return math.ceil(self._slack(SURE)) if self.shares[0] in (0, 1) else 0

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
        runs, shares = Runs.of(found, choice.within), choice.shares
        return cls(
            runs,
            tuple(runs.off(share, choice.inset) for share in shares),
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
        family = [choice for choice in self.among if choice.of == self.choice.of]
        return max(choice.rank_error(confidence, entries * len(family)) for choice in family)


def enclosures(
    values: NDArray[np.object_], estimators: Mapping[Quantile, Chosen], rows: int, confidence: float, entries: int
) -> dict[Quantile, list[tuple[Any, Any]]]:
    """For each quantile and group the values that the exact one lies between, where a group has so many rows.

    The nearest quantiles of the same expression, released beside it, whose targets are further away than ranks are off;
    the ends of the domain where there is none (ranks.proof.md).
    """
    found: dict[Quantile, list[tuple[Any, Any]]] = {}
    for aggregate, estimator in estimators.items():
        off = Fraction(estimator.rank_error(confidence, entries))
        family = sorted((other.share, one.place) for other, one in estimators.items() if other.of == aggregate.of)
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
        places = [place for place, aggregate in enumerate(aggregates) if aggregate.of == of]
        places.sort(key=lambda place: aggregates[place].share)
        made[:, places] = np.sort(chosen[:, places], axis=1)
    return made
