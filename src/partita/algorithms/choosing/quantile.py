"""Quantiles of an array of numbers: chosen among all values of a public grid by their rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.budget import budget_of
from partita.algorithms.learning.lattice import read_bounds
from partita.errors import algorithms as refuse
from partita.exact import Number, exact, positive, probability
from partita.granularity import Replace, Rows
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.histogram import relation_of
from partita.query.exact.program import Histogram
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Bounds, Value
from partita.query.quantiles.costs import affordable, moves, sharpest
from partita.query.quantiles.quantiles import Choice, companies
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMN = Value("values")


@final
@dataclass(frozen=True, slots=True)
class Quantiles:
    """Chosen quantiles in rising order; at most ``rank_error`` rows lie between one of them and the exact quantile."""

    shares: tuple[Fraction, ...]
    values: tuple[float, ...]
    rank_error: float
    confidence: Fraction
    events: tuple[Event, ...]

    def plot(self) -> Figure:
        """The quantiles against their shares."""
        from partita.canvas import INK, sheet

        with sheet(f"Quantiles, each within {self.rank_error:,.0f} ranks") as (figure, axes):
            axes.plot([float(share) for share in self.shares], self.values, "o-", color=INK)
            axes.set_xlabel("share of rows below")
            axes.set_ylabel("value")
        return figure


def quantiles(
    values: object,
    shares: Number | Sequence[Number] = "1/2",
    *,
    bounds: Any,
    step: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    relation: str | Relation = Relation.ADD_REMOVE,
    confidence: Number = 0.95,
    bits: BitSource | None = None,
) -> Quantiles:
    """Quantiles of numbers between public bounds, on a public grid with this step.

    Every number is clamped and rounded to the grid, NaN counts as the lower bound; quantiles are chosen by rank
    among all values of the grid, up to three at once (query/quantiles/ranks.proof.md). Ranks are what is accurate:
    where few rows lie, values may be far off.

    >>> from partita.sampling.bits import TestBits
    >>> found = quantiles(list(range(1000)), [0.25, 0.5], bounds=(0, 1000), step=1, epsilon=2, bits=TestBits(1))
    >>> [abs(value - 1000 * float(share)) < 30 for share, value in zip(found.shares, found.values)]
    [True, True]
    """
    budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    listed = [shares] if isinstance(shares, str) or not isinstance(shares, Sequence | np.ndarray) else list(shares)
    wanted = tuple(sorted(_share(share) for share in listed))
    if not wanted:
        raise refuse.bad_quantile(shares)
    unit, sure, kept = positive(step, "step"), probability(confidence, "confidence"), relation_of(relation)
    lower, upper = read_bounds(bounds, 1)
    within = Bounds(
        math.ceil(exact(float(lower[0])) / unit), math.floor(exact(float(upper[0])) / unit), unit, nullable=False
    )
    if within.high < within.low:
        raise refuse.bad_bounds("bounds", bounds)
    table = _histogram(values, within)
    unit_of = Rows() if kept is Relation.ADD_REMOVE else Replace()
    plan = companies([Quantile(_COLUMN, share) for share in wanted])
    part = _divided(budget, len(plan))
    found: dict[Fraction, float] = {}
    events, error = [], 0.0
    for of, together in plan:
        moved = moves(together, unit_of, groups=1, truncation=None)
        fitting = affordable(moved, part)
        if fitting is None:
            raise refuse.bad_quantile(shares)
        chooser = sharpest(fitting, together, [budget])
        choice = Choice(of, together, within, chooser)
        found.update(zip(together, (float(value * unit) for value in choice.release(table, bits=bits)), strict=True))
        cases = moved.row if kept is Relation.ADD_REMOVE else moved.substitution
        events.append(chooser.at(Distance.linf(max(way[0] for way in cases.ways))))
        error = max(error, choice.rank_error(float(1 - (1 - sure) / len(plan))))
    return Quantiles(wanted, tuple(sorted(found[share] for share in wanted)), error, sure, tuple(events))


def _divided(budget: Measure, parts: int) -> Measure:
    """An equal part of the budget: so many of them compose to no more than the whole."""
    if isinstance(budget, Approximate):
        return Pure(epsilon=budget.epsilon / parts)
    return budget.like([part / parts for part in budget.vector()])


def _histogram(values: object, within: Bounds) -> Histogram:
    """The rows on the grid: each is clamped and rounded by itself."""
    if values is None:
        raise refuse.not_numbers("None")
    try:
        numbers: NDArray[np.float64] = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise refuse.not_numbers(type(values).__name__) from None
    with np.errstate(over="ignore", invalid="ignore"):
        codes = np.rint(numbers / float(within.unit))
    codes = np.clip(np.where(np.isnan(codes), within.low, codes), within.low, within.high).astype(np.int64)
    found, counts = np.unique(codes, return_counts=True)
    return Histogram(found, counts.astype(np.int64))


def _share(share: Number) -> Fraction:
    found = exact(share, "quantile")
    if not 0 < found < 1:
        raise refuse.bad_quantile(share)
    return found
