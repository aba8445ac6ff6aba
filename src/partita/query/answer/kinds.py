"""Kinds: what each column of an answer holds, and whether there is noise in it, from the plan alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum, unique
from fractions import Fraction
from typing import Any, final

from partita.query.answer.examples import examples
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import columns
from partita.query.language.formulas import aggregates_of, numeric
from partita.query.language.plan import Plan, ValueColumn
from partita.region.columns import Timestamps


@final
@unique
class Kind(StrEnum):
    """What the values of a column are; NULL may be among them always."""

    WHOLE = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    DAY = "date"
    MOMENT = "timestamp"
    TRUTH = "boolean"
    TEXT = "text"


@final
@dataclass(frozen=True, slots=True)
class Described:
    """A column of an answer before there is one: its name, its kind, and whether it will have error bars."""

    name: str
    kind: Kind
    noisy: bool = False


def kinds(plan: Plan) -> tuple[Described, ...]:
    """The columns of the answer to a plan, whatever it costs and whatever the rows are.

    >>> from partita.query.sql.parse import read
    >>> from partita.query.tables.schema import Table
    >>> from partita.region.columns import categories, integers
    >>> visits = Table("visits", [], {"age": integers(0, 120), "sex": categories("F", "M")})
    >>> for one in kinds(read("SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY sex", [visits])):
    ...     print(one.name, one.kind, one.noisy)
    sex text False
    n integer True
    a number True
    """
    shown = examples(plan)
    found = []
    for column in plan.shown:
        kind = kind_of(shown[column.name])
        if isinstance(column, ValueColumn) and any(_moment(plan, one) for one in aggregates_of(column.formula)):
            kind = Kind.MOMENT
        bars = isinstance(column, ValueColumn) and numeric(column.formula) and not isinstance(column.formula, Quantile)
        found.append(Described(column.name, kind, bars and kind in (Kind.WHOLE, Kind.NUMBER, Kind.DECIMAL)))
    return tuple(found)


def kind_of(values: Iterable[Any]) -> Kind:
    """The kind that holds all of some values.

    >>> print(kind_of([1, None]), kind_of([1, Decimal("0.5")]), kind_of([1, 0.5]), kind_of([1, "x"]), kind_of([]))
    integer decimal number text text
    """
    found = {_kind(value) for value in values if value is not None}
    if len(found) == 1:
        return found.pop()
    if found and found <= {Kind.WHOLE, Kind.DECIMAL, Kind.NUMBER}:
        return Kind.NUMBER if Kind.NUMBER in found else Kind.DECIMAL
    return Kind.TEXT


def _kind(value: Any) -> Kind:
    match value:
        case bool():
            return Kind.TRUTH
        case int():
            return Kind.WHOLE
        case float() | Fraction():
            return Kind.NUMBER
        case Decimal():
            return Kind.DECIMAL
        case datetime():
            return Kind.MOMENT
        case date():
            return Kind.DAY
        case _:
            return Kind.TEXT


def _moment(plan: Plan, aggregate: object) -> bool:
    """Whether an aggregate chooses one of the moments of a column."""
    return isinstance(aggregate, Quantile) and any(
        isinstance(plan.domain.columns[name], Timestamps) for name in columns(aggregate.of)
    )
