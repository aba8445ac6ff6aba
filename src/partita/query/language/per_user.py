"""Rows gathered by owner: one derived row for each owner, whose columns are aggregates of that owner's rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum, unique
from fractions import Fraction
from typing import final

from partita.errors.query import language as refuse
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Bounds, Expression
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Timestamps, dates, decimals, integers

# Averages of one owner's rows are kept to a hundredth of the unit of what is averaged.
FINER = 100


@final
@unique
class Gathers(Enum):
    """What is computed from the rows of one owner."""

    ROWS = "COUNT(*)"
    PRESENT = "COUNT"
    TOTAL = "SUM"
    LEAST = "MIN"
    GREATEST = "MAX"
    MEAN = "AVG"


@final
@dataclass(frozen=True, slots=True)
class PerUserColumn:
    """A column of derived rows: an aggregate of one owner's rows, kept within bounds, in whole units.

    ``since`` is the day from which it counts, where it gives days.
    """

    name: str
    gathers: Gathers
    of: Expression | None
    bounds: Bounds
    clamped: bool = False
    since: date | None = None

    def column(self) -> Bounded:
        """What the column may hold."""
        within = self.bounds
        if isinstance(self.since, datetime):
            return Timestamps(
                within.low, within.high, int(within.unit * 10**6), "UTC", None if within.nullable else within.low
            )
        if self.since is not None:
            first, last = (self.since + timedelta(days=end) for end in (within.low, within.high))
            return dates(first, last, missing=None if within.nullable else first)
        missing = None if within.nullable else within.lowest
        if within.unit == 1:
            return integers(within.low, within.high, missing=None if missing is None else int(missing))
        return decimals(within.lowest, within.highest, step=within.unit, missing=missing)


@final
@dataclass(frozen=True, slots=True)
class PerUser:
    """One row for each owner (and each value of ``keys``) that has rows meeting the plan's condition.

    ``table`` declares the derived columns; ``where`` is a condition on derived rows. A derived row depends on all rows
    of its owner, so what is computed from it is charged to the whole region that was gathered (theory E4, E14).
    """

    owner: str
    keys: tuple[str, ...]
    columns: tuple[PerUserColumn, ...]
    table: Table
    where: Condition

    def check(self, *, capped: bool) -> None:
        """Refuse what is not proven for derived rows."""
        if capped:
            raise refuse.caps_of_gathered()

    def canonical(self) -> str:
        """What is gathered, in its one normal form."""
        from partita.query.language.text import canonical, shown_condition, shown_expression

        listed = [
            f"{column.gathers.value} {'' if column.of is None else shown_expression(column.of, canonical)} "
            f"{column.bounds.low} {column.bounds.high} {column.bounds.unit} AS {column.name}"
            for column in self.columns
        ]
        return f"gathered by {self.owner} {self.keys!r}: {'; '.join(listed)}; kept {shown_condition(self.where)}"


def capped(gathers: Gathers, within: Bounds | None, most: int | None) -> Bounds | None:
    """Where an aggregate of at most so many rows must lie; None if it has no bound.

    >>> capped(Gathers.TOTAL, Bounds(-1, 5, Fraction(1), nullable=False), 3)
    Bounds(low=-3, high=15, unit=Fraction(1, 1), nullable=False)
    """
    match gathers:
        case Gathers.ROWS | Gathers.PRESENT:
            least = 1 if gathers is Gathers.ROWS else 0
            return None if most is None else Bounds(least, most, Fraction(1), nullable=False)
        case Gathers.TOTAL:
            assert within is not None
            if most is None:
                return None
            low, high = min(within.low, most * within.low), max(within.high, most * within.high)
            return Bounds(low, high, within.unit, within.nullable)
        case Gathers.MEAN:
            assert within is not None
            return Bounds(FINER * within.low, FINER * within.high, within.unit / FINER, within.nullable)
        case Gathers.LEAST | Gathers.GREATEST:
            return within
