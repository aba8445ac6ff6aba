"""Results: the columns people see, with error bars, from noisy numbers alone; lines after HAVING, ORDER BY, LIMIT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.empty_groups import doubtful, told
from partita.query.answer.estimators import Estimator, Linear, Numbers, values
from partita.query.answer.foresight import foreseen
from partita.query.answer.formula_intervals import Bars
from partita.query.answer.intervals import Interval, Spread
from partita.query.answer.mixed import Mixed, Stacked
from partita.query.exact.program import Cells
from partita.query.language import keys as keys_of
from partita.query.language.aggregates import Aggregate, Count, CountDifferent, CountOwners, CountRows, Quantile
from partita.query.language.formulas import Formula, Label, Leaf, Margin, aggregates_of, evaluate, numeric
from partita.query.language.keys import Key
from partita.query.language.plan import KeyColumn, Order, Plan, ValueColumn
from partita.query.quantiles.quantiles import Chosen, enclosures, fenced


@final
@dataclass(frozen=True)
class Result:
    """One line for each group, in a public order, and one column for each thing asked for.

    HAVING, ORDER BY, LIMIT and DISTINCT choose among the lines by noisy numbers and public keys.
    """

    plan: Plan
    cells: Cells
    noisy: NDArray[np.object_]
    estimators: tuple[Estimator, ...]
    spreads: tuple[Spread, ...]
    chosen: NDArray[np.object_] | None = None
    opened: NDArray[np.object_] | None = None
    mixed: Mixed | Stacked | None = None
    judged: Numbers | None = None
    """The numbers that decide which groups are told of, where they are not its own."""

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The answer, column by column, under the names that were asked for."""
        return {name: [column[line] for line in self.lines] for name, column in self._every.items()}

    def rows(self) -> list[dict[str, Any]]:
        """The answer, line by line."""
        names = list(self.columns)
        return [dict(zip(names, line, strict=True)) for line in zip(*self.columns.values(), strict=True)]

    def margins(self, name: str) -> list[bool] | None:
        """For a column of keys, which of the lines that are shown sum over all its values; None for other columns."""
        column = next(column for column in self.plan.shown if column.name == name)
        if not isinstance(column, KeyColumn):
            return None
        if not self.plan.lines.sets:
            return [False] * len(self.lines)
        return [column.key not in self._margins[line][0] for line in self.lines]

    def intervals(self, confidence: float, *, simultaneous: bool = False) -> dict[str, list[Interval]]:
        """For each value that has noise in it, the interval that holds the exact one with this confidence.

        All groups are reckoned with if ``simultaneous``, those that are not shown as well: which lines are shown
        depends on the noise.
        """
        entries = len(self.numbers) if simultaneous else 1
        found = {}
        for column in self.plan.shown:
            if isinstance(column, ValueColumn) and numeric(column.formula) and not self._ranked(column):
                every = self._bars.intervals(column.formula, confidence, entries)
                found[column.name] = [every[line] for line in self.lines]
        sides = {} if self.chosen is None else fenced(self.chosen, self._chosen, confidence, entries)
        for name, of in self._quantiles.items():
            ends = sides.get(of)
            if ends is not None and not isinstance(ends[0][0], date):
                found[name] = [ends[line] for line in self.lines]
        return found

    def _ranked(self, column: ValueColumn) -> bool:
        """Whether a column holds quantiles or days, which have no error bar in numbers."""
        return isinstance(column.formula, Quantile) or any(isinstance(one, date) for one in self._every[column.name])

    def rank_errors(self, confidence: float, entries: int = 1) -> dict[str, float]:
        """For each quantile, how many rows lie at most between the answer and the exact one, in so many groups."""
        return {name: self._chosen[of].rank_error(confidence, entries) for name, of in self._quantiles.items()}

    def value_intervals(self, rows: int, confidence: float, entries: int = 1) -> dict[str, list[tuple[Any, Any]]]:
        """For each quantile the values that the exact one lies between, in groups of at least so many rows."""
        if self.chosen is None:
            return {}
        every = enclosures(self.chosen, self._chosen, rows, confidence, entries)
        return {name: [every[of][line] for line in self.lines] for name, of in self._quantiles.items() if not of.side}

    @property
    def _chosen(self) -> dict[Quantile, Chosen]:
        """The estimator of every quantile that was released, shown or not."""
        estimators = zip(self.plan.aggregates, self.estimators, strict=True)
        return {of: one for of, one in estimators if isinstance(of, Quantile) and isinstance(one, Chosen)}

    @property
    def _quantiles(self) -> dict[str, Quantile]:
        """The columns that are quantiles and nothing more."""
        shown = ((column.name, column.formula) for column in self.plan.shown if isinstance(column, ValueColumn))
        return {name: of for name, of in shown if isinstance(of, Quantile) and of in self._chosen}

    def expected_error(
        self, confidence: float, entries: int, rows: int | None, floors: Mapping[str, Fraction] | None = None
    ) -> dict[str, float | None]:
        """The half-width of each column's error bar, known before the question is asked.

        For quotients and roots it is what it can be at most, for groups of so many rows or more and for values of at
        least the column's floor.
        """
        found = {}
        for column in self.plan.shown:
            if isinstance(column, ValueColumn) and numeric(column.formula):
                half = self._bars.expected(column.formula, confidence, entries, rows)
                if half is None and rows is not None:
                    half = foreseen(
                        column.formula,
                        self._bars.estimators,
                        self.numbers,
                        self.plan.domain,
                        confidence=confidence,
                        entries=entries,
                        rows=rows,
                        least=float((floors or {}).get(column.name, 0)),
                    )
                found[column.name] = None if half is None else half + self._rounding(column.formula)
        return found

    def _rounding(self, formula: Formula) -> float:
        """How far a value may be from the middle of its bar: a count that is a fraction is shown as a whole number."""
        estimator = self._bars.estimators[formula] if isinstance(formula, CountRows | Count) else None
        return 0.5 if isinstance(estimator, Linear) and estimator.divisor > 1 else 0.0

    @cached_property
    def numbers(self) -> Numbers:
        """The released numbers of every line, shown or not; those of a margin are the sums of its groups."""
        if self.mixed is not None or not self.plan.lines.sets:
            return Numbers(self.noisy, self.spreads, chosen=self.chosen, mixed=self.mixed)
        sizes = tuple(len(members) for _, members in self._margins)
        if len(self.noisy) != self.cells.count:
            # Before anything is released: as inexact as the widest margin will be.
            return Numbers(self.noisy, tuple(spread.times(max(sizes, default=1)) for spread in self.spreads))
        summed = np.array([self.noisy[members].sum(axis=0) for _, members in self._margins], dtype=object)
        return Numbers(summed.reshape(len(sizes), self.noisy.shape[1]), self.spreads, sizes)

    @cached_property
    def silent(self) -> dict[str, frozenset[int]]:
        """For each column, which of the lines that are shown have no value, because their group may be empty."""
        found: dict[str, frozenset[int]] = {}
        for column in self.plan.shown:
            if isinstance(column, ValueColumn):
                parts = [self._released[of] for of in aggregates_of(column.formula) if of in self._released]
                lines = enumerate(self.lines)
                found[column.name] = frozenset(at for at, line in lines if any(one[line] is None for one in parts))
        return found

    @property
    def untold(self) -> tuple[str, ...]:
        """The columns in which a line that is shown has no value, because its group may be empty."""
        return tuple(name for name, lines in self.silent.items() if lines)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The columns of quantiles that groups without rows have as well."""
        return doubtful(self.plan, self._bars.estimators)

    @cached_property
    def _margins(self) -> list[tuple[tuple[Key, ...], list[int]]]:
        """For each line of ROLLUP, CUBE or GROUPING SETS, its keys and the groups that it sums up."""
        return self.cells.margins(self.plan.lines.sets)

    @property
    def entries(self) -> int:
        """How many lines there are, shown or not."""
        return len(self.numbers)

    @cached_property
    def lines(self) -> list[int]:
        """The lines that are shown, in order."""
        chosen = list(range(len(self.numbers)))
        wanted = self.plan.lines
        if wanted.having is not None:
            met = self._values(wanted.having)
            chosen = [line for line in chosen if met[line] is True]
        for order in reversed(wanted.order):
            chosen = _ordered(chosen, self._values(order.by), order)
        if wanted.distinct:
            first: dict[tuple[Any, ...], int] = {}
            for line in chosen:
                first.setdefault(tuple(column[line] for column in self._every.values()), line)
            chosen = list(first.values())
        end = None if wanted.limit is None else wanted.offset + wanted.limit
        return chosen[wanted.offset : end]

    @cached_property
    def _bars(self) -> Bars:
        return Bars(dict(zip(self.plan.aggregates, self.estimators, strict=True)), self.numbers)

    @cached_property
    def _every(self) -> dict[str, list[Any]]:
        """Every line of every column."""
        return {
            column.name: self._labels(column.key) if isinstance(column, KeyColumn) else self._values(column.formula)
            for column in self.plan.shown
        }

    def _values(self, formula: Formula) -> list[Any]:
        if isinstance(formula, Label):
            return self._labels(formula.key)
        if isinstance(formula, Margin):
            return self._summed_over(formula.key)
        if formula in self._released:
            return self._released[formula]

        def leaf(line: int) -> Any:
            def value(of: Leaf) -> Any:
                if isinstance(of, Margin):
                    return self._summed_over(of.key)[line]
                return self._labels(of.key)[line] if isinstance(of, Label) else self._released[of][line]

            return value

        return [evaluate(formula, leaf(line)) for line in range(len(self.numbers))]

    @cached_property
    def _released(self) -> dict[Aggregate, list[Any]]:
        estimators = self._bars.estimators
        found: dict[Aggregate, list[Any]] = {}
        known: dict[Linear, list[bool]] = {}
        for aggregate, estimator in estimators.items():
            counts = isinstance(aggregate, CountRows | Count | CountOwners | CountDifferent)
            listed = values(estimator, self.numbers, counts=counts)
            present = told(aggregate, estimators, self.judged or self.numbers, known)
            found[aggregate] = [value if rows else None for value, rows in zip(listed, present, strict=True)]
        return found

    def _summed_over(self, key: Key) -> list[int]:
        """For each line, 1 if it sums over all values of a key."""
        if not self.plan.lines.sets:
            return [0] * len(self.numbers)
        return [int(key not in keys) for keys, _ in self._margins]

    def _labels(self, key: Key) -> list[Any]:
        if key not in self._labelled:
            self._labelled[key] = self._named(key) if isinstance(key, keys_of.Opened) else self._listed(key)
        return self._labelled[key]

    def _named(self, key: keys_of.Opened) -> list[Any]:
        """The texts of an open key; None stands for all that were not named."""
        assert self.opened is not None
        return list(self.opened[:, self.plan.opened.index(key)])

    def _listed(self, key: Key) -> list[Any]:
        place = self.cells.keys.index(key)
        domain = self.plan.domain
        labels = {where: keys_of.label(key, domain, where) for where in self.cells.places[place]}
        if self.plan.lines.sets:
            listed = self.cells.listed
            return [labels[listed[members[0]][place]] if key in keys else None for keys, members in self._margins]
        once = [labels[line[place]] for line in self.cells.listed]
        return once * (len(self.numbers) // len(once)) if once else []

    @cached_property
    def _labelled(self) -> dict[Key, list[Any]]:
        return {}


def _ordered(lines: list[int], by: list[Any], order: Order) -> list[int]:
    """The lines in the order of some values; those without a value at one end."""
    absent = [line for line in lines if by[line] is None]
    present = [line for line in lines if by[line] is not None]
    # Values of one column are of one kind; a CASE that mixes kinds is ordered by text.
    kinds = {isinstance(by[line], str) for line in present}
    present.sort(key=lambda line: str(by[line]) if len(kinds) > 1 else by[line], reverse=order.descending)
    return absent + present if order.nulls_first else present + absent
