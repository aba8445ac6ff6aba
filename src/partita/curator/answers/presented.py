"""What a statement shows of released numbers, with error bars that are simulated from the known noise."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, final

import numpy as np

from partita.curator.answers.presenter import PATIENCE, Columns, presenter
from partita.errors import QueryRefused
from partita.query.answer.intervals import ANYTHING, Interval, deviations, missed
from partita.query.answer.results import Result
from partita.query.language.aggregates import Quantile
from partita.query.language.formulas import leaves
from partita.query.language.plan import ValueColumn
from partita.query.sql.releases.origins import Origin
from partita.query.sql.releases.statement import Statement

# How often the released numbers are made anew, with fresh noise; deviations are then known to some percent.
DRAWS: Final = 100
_FEWEST: Final = 24
_MOST_DRAWN: Final = 200_000
_SLACK: Final = 1.05

Line = tuple[Any, ...]


@final
@dataclass(frozen=True)
class Presented:
    """The lines of a statement over releases, made of released and public values alone, after all are in the ledger.

    It has the face of a :class:`Result`. Columns that pass a released one on have its error bars. Bars of what is
    computed are approximate: the statement is run on a guess of the exact numbers, and again with fresh noise of the
    same law on them, from a public source of chance. Lines are told by their columns that have no noise in them.
    """

    statement: Statement
    results: Mapping[str, Result]
    examples: Mapping[str, Columns] = field(repr=False)
    public: Mapping[str, Columns] = field(repr=False)
    columns: dict[str, list[Any]]
    origins: Mapping[str, Origin] = field(repr=False)
    draw: Callable[[np.random.Generator | None], Mapping[str, Result]] = field(repr=False, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """The answer, line by line."""
        names = list(self.columns)
        return [dict(zip(names, line, strict=True)) for line in zip(*self.columns.values(), strict=True)]

    def margins(self, name: str) -> list[bool] | None:
        """For a column without noise that no line sums over its values; None for other columns."""
        return [False] * self.entries if self.origins[name].public else None

    @property
    def entries(self) -> int:
        """How many lines there are."""
        return len(next(iter(self.columns.values()), []))

    @property
    def approximate(self) -> list[str]:
        """The columns whose error bars are simulated."""
        return [name for name in self._noisy if not self.origins[name].passed]

    def intervals(self, confidence: float, *, simultaneous: bool = False) -> dict[str, list[Interval]]:
        """For each number that has noise in it, the interval that holds the exact one with about this confidence."""
        entries = self.entries if simultaneous else 1
        found = {}
        for name in self._noisy:
            passed = self._passed(name, confidence, simultaneous=simultaneous)
            if passed is not None:
                found[name] = passed
            elif not self._unknown:
                found[name] = self._simulated(name, missed(confidence, max(1, entries)))
        return found

    def rank_errors(self, confidence: float, entries: int = 1) -> dict[str, float]:
        """Nothing: quantiles of quantiles have no error in rows."""
        return {}

    def value_intervals(self, rows: int, confidence: float, entries: int = 1) -> dict[str, list[tuple[Any, Any]]]:
        """Nothing: see the answer to the quantiles themselves."""
        return {}

    @cached_property
    def _noisy(self) -> list[str]:
        return [name for name, values in self.columns.items() if not self.origins[name].public and _numbers(values)]

    @cached_property
    def _unknown(self) -> bool:
        """Whether something was chosen rather than given noise, so that it cannot be made anew."""
        formulas = (
            column.formula
            for result in self.results.values()
            for column in result.plan.shown
            if isinstance(column, ValueColumn)
        )
        return any(isinstance(leaf, Quantile) for formula in formulas for leaf in leaves(formula))

    def _passed(self, name: str, confidence: float, *, simultaneous: bool) -> list[Interval] | None:
        """The bars of a released column that is passed on: of equal values, those that hold for all of them."""
        known: dict[Any, Interval] = {}
        for question, column in self.origins[name].passed:
            result = self.results[question]
            bars = result.intervals(confidence, simultaneous=simultaneous).get(column)
            if bars is None:
                return None
            for value, (low, high) in zip(result.columns[column], bars, strict=True):
                before = known.get(value, (low, high))
                known[value] = min(low, before[0]), max(high, before[1])
        if not known:
            return None
        return [known.get(value, ANYTHING) for value in self.columns[name]]

    def _simulated(self, name: str, miss: float) -> list[Interval]:
        found: list[Interval] = []
        for line, value in zip(self._lines(self.columns), self.columns[name], strict=True):
            listed = self._drawn.get((line, name), [math.nan])
            # What noise does to the guess of the exact numbers, it is taken to have done to the exact ones.
            drawn = np.array(listed[1:], dtype=np.float64) - listed[0]
            drawn = drawn[np.isfinite(drawn)]
            if value is None or not math.isfinite(value) or len(drawn) < self._draws / 2:
                found.append(ANYTHING)
                continue
            bias = float(drawn.mean())
            apart = np.abs(drawn - bias)
            half = max(_SLACK * deviations(miss) * float(drawn.std(ddof=1)), float(np.quantile(apart, 1 - miss)))
            found.append((value - max(bias, 0.0) - half, value - min(bias, 0.0) + half))
        return found

    @cached_property
    def _drawn(self) -> dict[tuple[Line, str], list[float]]:
        """For each line that can be told from others, what its numbers were each time."""
        told = {line for line, times in Counter(self._lines(self.columns)).items() if times == 1}
        found: dict[tuple[Line, str], list[float]] = {}
        sql, seed = self.statement.unordered(), hashlib.sha256(self.statement.text.encode()).digest()
        chance = np.random.default_rng(int.from_bytes(seed, "big"))
        first = True
        for columns in drawn_columns(self, sql, chance, self._draws):
            again = self._lines(columns)
            for place, line in enumerate(again):
                if line in told:
                    for name in self._noisy:
                        value = columns[name][place]
                        if first or (line, name) in found:
                            number = float(value) if isinstance(value, int | float) else math.nan
                            found.setdefault((line, name), []).append(number)
            first = False
        # Lines that cannot be told apart in what was drawn have no bars.
        return {key: values for key, values in found.items() if len(values) <= self._draws + 1}

    @property
    def _draws(self) -> int:
        """How often numbers are made anew: less often where there are many."""
        lines = max((self.entries, *(result.entries for result in self.results.values())))
        return min(DRAWS, max(_FEWEST, _MOST_DRAWN // max(1, lines)))

    def _lines(self, columns: Mapping[str, Sequence[Any]]) -> list[Line]:
        """What each line is told by: its values without noise."""
        kept = [columns[name] for name, origin in self.origins.items() if origin.public]
        return list(zip(*kept, strict=True)) if kept else [()] * len(next(iter(columns.values()), []))


def drawn_columns(
    presented: Presented, sql: str, chance: np.random.Generator, draws: int
) -> list[dict[str, list[Any]]]:
    """The statement on a guess of the exact numbers, then with noise on them; where it fails it is left out.

    Nothing comes back where it fails on the guess itself.
    """
    found: list[dict[str, list[Any]]] = []
    until = time.monotonic() + PATIENCE
    with presenter().alone() as engine:
        for name, columns in presented.public.items():
            engine.holds(name, columns)
        for place in range(draws + 1):
            if (left := until - time.monotonic()) <= 0:
                return []  # one patience for all of them: others wait for the engine
            for name, result in presented.draw(chance if place else None).items():
                engine.holds(name, result.columns, presented.examples[name])
            try:
                found.append(engine.select(sql, patience=left))
            except QueryRefused:
                if not place:
                    break
    return found


def _numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
