"""Consistency: noisy tables and their margins made to agree by least squares, with error bars that still hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from partita.errors.query import prices as refuse
from partita.exact import Number, probability
from partita.query.answer.estimators import Linear
from partita.query.answer.intervals import Spread
from partita.query.answer.results import Result
from partita.query.language.aggregates import Aggregate, Count, CountRows, Sum
from partita.query.language.plan import ValueColumn
from partita.query.reuse.reuse import placed

MOST_GROUPS: Final = 2000

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Consistent:
    """An answer whose counts and sums agree with those of the tables it was adjusted with.

    Made from noisy numbers alone. An adjusted value is a weighted sum of noisy ones, with the error bar of
    that sum.
    """

    result: Result
    values: dict[str, Floats]
    spreads: dict[str, list[Spread]]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each line that is shown; what cannot be adjusted is as it was."""
        found = self.result.rows()
        for name, values in self.values.items():
            for row, line in zip(found, self.result.lines, strict=True):
                row[name] = float(values[line])
        return found

    def error(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> dict[str, list[float]]:
        """The half-width of the error bar of each adjusted value; for all groups at once if ``simultaneous``."""
        sure = float(probability(confidence, "confidence"))
        entries = len(self.result.numbers) if simultaneous else 1
        known: dict[Spread, float] = {}
        found: dict[str, list[float]] = {}
        for name, spreads in self.spreads.items():
            for spread in spreads:
                if spread not in known:
                    known[spread] = spread.half_width(sure, entries)
            found[name] = [known[spreads[line]] for line in self.result.lines]
        return found


def consistent(results: Sequence[Result]) -> list[Consistent]:
    """The same tables with counts and sums that agree: least squares, each number weighted by one over its variance.

    One of the tables must be so fine that the groups of all the others are sums of its own.
    """
    finest, places = _finest(results)
    made = [Consistent(result, {}, {}) for result in results]
    for aggregate in results[finest].plan.aggregates:
        if not isinstance(aggregate, CountRows | Count | Sum):
            continue
        told = [place for place, result in enumerate(results) if _estimator(result, aggregate) is not None]
        if finest not in told or len(told) < 2:
            continue
        adjusted = _Adjusted([results[place] for place in told], [places[place] for place in told], aggregate)
        for position, place in enumerate(told):
            for column in results[place].plan.shown:
                if isinstance(column, ValueColumn) and column.formula == aggregate:
                    made[place].values[column.name] = adjusted.values(position)
                    made[place].spreads[column.name] = adjusted.spreads(position)
    return made


def _finest(results: Sequence[Result]) -> tuple[int, list[list[int | None]]]:
    for place, fine in enumerate(results):
        if fine.cells.count > MOST_GROUPS:
            raise refuse.too_many_to_adjust(fine.cells.count, MOST_GROUPS)
        found = [placed(fine.plan, fine.cells, other.plan, other.cells) for other in results]
        known = [one for one in found if one is not None and None not in one]
        if len(known) == len(results):
            return place, known
    raise refuse.not_nested()


def _estimator(result: Result, aggregate: Aggregate) -> Linear | None:
    for known, estimator in zip(result.plan.aggregates, result.estimators, strict=True):
        if known == aggregate and isinstance(estimator, Linear) and not estimator.constant:
            return estimator
    return None


@final
class _Adjusted:
    """One aggregate in several tables, each of which shows sums of the exact numbers of the finest groups."""

    def __init__(self, results: Sequence[Result], places: Sequence[list[int | None]], aggregate: Aggregate) -> None:
        estimators = [estimator for result in results if (estimator := _estimator(result, aggregate)) is not None]
        pairs = list(zip(results, estimators, strict=True))
        self.noise = [result.numbers.spread(estimator) for result, estimator in pairs]
        self.noisy = [np.array(result.numbers.combined(estimator)) for result, estimator in pairs]
        self.sums = []
        for result, place in zip(results, places, strict=True):
            held = np.zeros((result.cells.count, len(place)))
            held[[group for group in place if group is not None], range(len(place))] = 1.0
            self.sums.append(held)

    @cached_property
    def weights(self) -> list[Floats]:
        """From the noisy numbers of each table to the estimates of the finest groups."""
        scaled = [held.T / max(noise.variance, 1e-300) for held, noise in zip(self.sums, self.noise, strict=True)]
        whole = sum((part @ held for part, held in zip(scaled, self.sums, strict=True)), np.zeros(1))
        solved = np.linalg.solve(whole, np.concatenate(scaled, axis=1))
        ends = np.cumsum([len(held) for held in self.sums])[:-1]
        return list(np.split(solved, ends, axis=1))

    def values(self, place: int) -> Floats:
        """The adjusted numbers of one table."""
        estimates = sum((weights @ noisy for weights, noisy in zip(self.weights, self.noisy, strict=True)), np.zeros(1))
        found: Floats = self.sums[place] @ estimates
        return found

    def spreads(self, place: int) -> list[Spread]:
        """The noise of each adjusted number: the noises of all tables, each with its weight."""
        felt = [np.abs(self.sums[place] @ weights) for weights in self.weights]
        found = []
        for line in range(len(self.sums[place])):
            scales: list[float] = []
            square = rounding = 0.0
            for weights, noise in zip(felt, self.noise, strict=True):
                mine = weights[line][weights[line] > 1e-12]
                square += float(mine @ mine) * noise.sigma**2
                rounding += float(mine.sum()) * noise.rounding
                scales.extend(_short(float(weight)) * scale for weight in mine for scale in noise.scales)
            found.append(Spread(tuple(sorted(scales)), _short(square**0.5), _short(rounding)))
        return found


def _short(number: float) -> float:
    """A little more than the number, with few digits, so that equal bars are computed once."""
    return float(f"{number * (1 + 1e-6):.6g}")
