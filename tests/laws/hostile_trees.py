"""Hostile expressions put together without SQL, so that very many of them can be run in one statement."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from partita.errors import PartitaError
from partita.exact import exact
from partita.query.exact.program import Cells, Present, Program, Tally, Total, Values
from partita.query.exact.workings import computed, typed
from partita.query.language.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    Covariance,
    Quantile,
    Sum,
    Variance,
    paired,
)
from partita.query.language.conditions import Condition, everywhere
from partita.query.language.curves import NAMES, lattice, level
from partita.query.language.expressions import (
    Case,
    Clamp,
    Curved,
    Expression,
    Extreme,
    First,
    Months,
    Number,
    Plus,
    Quotient,
    Ratio,
    Remainder,
    Times,
    Value,
    bounds,
)
from partita.query.language.plan import Plan, ValueColumn
from partita.query.rewrite import rewritten
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from tests.laws.hostile import NUMERIC, Laboratory, Statements


class Trees:
    """An endless supply of aggregates of expressions; their conditions and functions come from questions in SQL."""

    def __init__(self, seed: int, laboratory: Laboratory, pool: int = 120) -> None:
        self.words = Statements(seed)
        self.draws = self.words.draws
        self.table = laboratory.tables["all"]
        self.conditions: list[Condition] = []
        self.leaves: list[Expression] = [Value(name) for name in (*NUMERIC, *NUMERIC, *NUMERIC, *NUMERIC)]
        for place in range(pool):
            text = self.words.condition() if place % 3 else self.words.function()
            kind = f"COUNT(*) AS v FROM all WHERE {text}" if place % 3 else f"SUM({text}) AS v FROM all"
            try:
                plan = read(f"SELECT {kind}", [self.table])
            except PartitaError:
                continue
            if place % 3:
                self.conditions.append(plan.where)
            else:
                self.leaves += [one.of for one in plan.aggregates if isinstance(one, Sum)]

    def number(self, wild: float = 0.3) -> Fraction:
        while True:
            try:
                return exact(self.words.number(wild))
            except PartitaError:
                continue

    def expression(self, depth: int = 4) -> Expression:
        draws = self.draws
        if depth == 0 or draws.random() < 0.12:
            return Number(self.number()) if draws.random() < 0.3 else draws.choice(self.leaves)
        match draws.randrange(15):
            case 0 | 1:
                return Plus(tuple(self.expression(depth - 1) for _ in range(draws.choice((2, 2, 3, 5)))))
            case 2:
                return Times(tuple(self.expression(depth - 1) for _ in range(draws.choice((2, 2, 3)))))
            case 3:
                return Times((Number(self.number(0.6)), self.expression(depth - 1)))
            case 4 | 5:
                low, high = sorted((self.number(0.4), self.number(0.4)))
                return Clamp(self.expression(depth - 1), low, high)
            case 9 | 10:
                made = draws.choice((Quotient, Remainder))
                return made(self.expression(depth - 1), max(abs(self.number(0.4)), Fraction(1, 10**6)))
            case 11:
                return Months(Clamp(self.expression(depth - 1), Fraction(-700_000), Fraction(2_900_000)))
            case 12:
                parts = tuple(self.expression(depth - 1) for _ in range(draws.choice((1, 2, 3))))
                return Extreme(parts, draws.random() < 0.5)
            case 13:
                step = max(abs(self.number(0.4)), Fraction(1, 10**6))
                return Ratio(self.expression(depth - 1), self.expression(depth - 1), step)
            case 14 if draws.random() < 0.3:
                return self.curved(self.expression(depth - 1))
            case 6:
                return First(tuple(self.expression(depth - 1) for _ in range(2)))
            case 7:
                otherwise = Number(None) if draws.random() < 0.5 else self.expression(depth - 1)
                return Case(((draws.choice(self.conditions), self.expression(depth - 1)),), otherwise)
            case _:
                # Nothing or NULL beside something very small.
                zero = Case(((draws.choice(self.conditions), Number(Fraction(0))),), Number(None))
                return Plus((zero, Times((Number(self.number(0.9)), self.expression(depth - 1)))))

    def curved(self, part: Expression) -> Expression:
        """A curve whose ends and units need not be those of its part."""
        name = self.draws.choice(sorted(NAMES))
        low, high = sorted(min(abs(self.number(0.2)), Fraction(10**30)) for _ in range(2))
        unit = max(abs(self.number(0.1)), Fraction(1, 1000), (high - low) / 2**50)
        if name == "exp":
            low, high = sorted((min(low, Fraction(60)), min(high, Fraction(60))))
        low = max(low, Fraction(0) if name in ("exp", "sqrt") else unit)
        high = max(low, high)
        step = lattice(max(abs(level(name, end, Fraction(1, 10**9))) * Fraction(1, 10**9) for end in (low, high)))
        return Curved(name, part, low, high, unit, step)

    def aggregate(self) -> Aggregate:
        kind: Any = self.draws.choice((Sum, Sum, Sum, Average, Count, Variance, Covariance, Correlation, Quantile))
        if kind is Quantile:
            return Quantile(self.expression(), Fraction(1, 2))
        parts = 2 if kind in (Covariance, Correlation) else 1
        made: Aggregate = kind(*(self.expression(3 if parts == 2 else 4) for _ in range(parts)))
        return made

    def tallies(self) -> tuple[Tally, ...] | PartitaError:
        """What the engine computes for one aggregate, or why it is refused."""
        asked = self.aggregate()
        plan = Plan(self.table, everywhere(self.table.domain), (), (asked,), (ValueColumn("v", asked),))
        try:
            found = tuple(tally for one in rewritten(plan).aggregates for tally in self._tallies(one))
            for operation in computed(self.program(found)):
                typed(operation, lambda: "this")
        except PartitaError as refusal:
            return refusal
        return found

    def _tallies(self, aggregate: Aggregate) -> list[Tally]:
        domain = self.table.domain
        match aggregate:
            case Sum(of) | Average(of):
                return [Total(of), Present(of)]
            case Count(of):
                return [Present(of)]
            case Quantile(of):
                return [Values(of)]
            case Variance(of):
                return [Total(of), Total(Times((of, of))), Total(Times((self._centred(of), self._centred(of))))]
            case Covariance(of, other) | Correlation(of, other):
                one, two = paired(of, other, domain)
                return [Total(one), Total(two), Total(Times((one, two)))]
            case _:
                return []

    def _centred(self, of: Expression) -> Expression:
        within = bounds(of, self.table.domain)
        return Plus((Times((Number(Fraction(2)), of)), Number(-(within.lowest + within.highest))))

    def program(self, tallies: tuple[Tally, ...], table: Table | None = None) -> Program:
        """A program of many tallies of all rows."""
        named = self.table if table is None else table
        return Program(named, everywhere(named.domain), Cells((), ()), tallies)
