"""Results: the columns that people see, with their error bars, made from noisy numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never, final

import numpy as np
from numpy.typing import NDArray

from partita.query import keys as keys_of
from partita.query.design import Fixed, Linear, Mean, Recipe
from partita.query.errorbars import Spread, quotient
from partita.query.plan import Aggregate, Average, Count, CountRows, KeyColumn, Plan, Sum, ValueColumn
from partita.query.program import Cells


@final
@dataclass(frozen=True)
class Result:
    """One line for each group, in a public order, and one column for each thing asked for."""

    plan: Plan
    cells: Cells
    noisy: NDArray[np.object_]
    recipes: tuple[Recipe, ...]
    spreads: tuple[Spread, ...]

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The answer, column by column, under the names that were asked for."""
        found: dict[str, list[Any]] = {}
        for column in self.plan.shown:
            if isinstance(column, KeyColumn):
                found[column.name] = self._labels(column)
            else:
                found[column.name] = self._values(column.aggregate)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The answer, line by line."""
        names = list(self.columns)
        return [dict(zip(names, line, strict=True)) for line in zip(*self.columns.values(), strict=True)]

    def intervals(self, confidence: float, *, simultaneous: bool = False) -> dict[str, list[tuple[float, float]]]:
        """For each value the interval that holds the exact one with this confidence."""
        entries = self.cells.count if simultaneous else 1
        found = {}
        for column in self.plan.shown:
            if isinstance(column, ValueColumn):
                recipe = self.recipes[self.plan.aggregates.index(column.aggregate)]
                found[column.name] = self._intervals(recipe, confidence, entries)
        return found

    def expected_error(self, confidence: float, entries: int, rows: int | None) -> dict[str, float | None]:
        """The half-width of each column's error bar, known before the question is asked."""
        found: dict[str, float | None] = {}
        for column in self.plan.shown:
            if not isinstance(column, ValueColumn):
                continue
            recipe = self.recipes[self.plan.aggregates.index(column.aggregate)]
            match recipe:
                case Fixed():
                    found[column.name] = 0.0
                case Linear():
                    found[column.name] = self.spread(recipe).half_width(confidence, entries)
                case Mean(top, bottom, _, reach):
                    sure = _halved(confidence)
                    off = self.spread(top).half_width(sure, entries)
                    count = self.spread(bottom).half_width(sure, entries)
                    half = None
                    if rows is not None:
                        half = min(float(reach), (off + float(reach) * count) / rows)
                    found[column.name] = half
                case _:
                    assert_never(recipe)
        return found

    def spread(self, recipe: Linear) -> Spread:
        """The noise of a combination of the released numbers."""
        scales: list[float] = []
        square, rounding = 0.0, 0.0
        for weight, alone in zip(recipe.weights, self.spreads, strict=True):
            if weight:
                factor = abs(weight / recipe.divisor)
                scales.extend(factor * scale for scale in alone.scales)
                square += (factor * alone.sigma) ** 2
                rounding += factor * alone.rounding
        return Spread(tuple(scales), square**0.5, rounding)

    def _labels(self, column: KeyColumn) -> list[Any]:
        place = self.cells.keys.index(column.key)
        domain = self.plan.table.domain
        labels = {where: keys_of.label(column.key, domain, where) for where in self.cells.places[place]}
        return [labels[line[place]] for line in self.cells.listed]

    def _values(self, aggregate: Aggregate) -> list[Any]:
        recipe = self.recipes[self.plan.aggregates.index(aggregate)]
        match recipe:
            case Fixed(value):
                return [float(value)] * len(self.noisy)
            case Linear():
                tops = self._combined(recipe)
                return [_shown(aggregate, top, recipe.divisor) for top in tops]
            case Mean(top, bottom, centre, reach):
                offsets, counts = self._combined(top), self._combined(bottom)
                middle, most = float(centre), float(reach)
                return [
                    middle + max(-most, min(most, (off / top.divisor) / max(1.0, count / bottom.divisor)))
                    for off, count in zip(offsets, counts, strict=True)
                ]
            case _:
                assert_never(recipe)

    def _intervals(self, recipe: Recipe, confidence: float, entries: int) -> list[tuple[float, float]]:
        match recipe:
            case Fixed(value):
                return [(float(value), float(value))] * len(self.noisy)
            case Linear():
                half = self.spread(recipe).half_width(confidence, entries)
                return [(top / recipe.divisor - half, top / recipe.divisor + half) for top in self._combined(recipe)]
            case Mean(top, bottom, centre, reach):
                sure = _halved(confidence)
                errors = [self.spread(part).half_width(sure, entries) for part in (top, bottom)]
                middle = float(centre)
                found = []
                for off, count in zip(self._combined(top), self._combined(bottom), strict=True):
                    low, high = quotient(off / top.divisor, count / bottom.divisor, errors[0], errors[1], float(reach))
                    found.append((middle + low, middle + high))
                return found
            case _:
                assert_never(recipe)

    def _combined(self, recipe: Linear) -> Sequence[int]:
        weights = np.array(recipe.weights, dtype=object)
        found: list[int] = self.noisy.dot(weights).tolist()
        return found


def _halved(confidence: float) -> float:
    """Two bars that hold together with this confidence."""
    return 1 - (1 - confidence) / 2


def _shown(aggregate: Aggregate, top: int, divisor: int) -> int | float:
    """Counts, and sums that are whole, as whole numbers; negative ones are kept."""
    match aggregate:
        case CountRows() | Count():
            return top if divisor == 1 else (2 * top + divisor) // (2 * divisor)
        case Sum() | Average():
            return top if divisor == 1 else top / divisor
        case _:
            assert_never(aggregate)
