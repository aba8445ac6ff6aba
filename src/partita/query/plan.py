"""A plan: what a question computes, as a small closed language with a normal form and a fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import assert_never, final

from partita.query.conditions import Condition
from partita.query.expressions import Expression
from partita.query.keys import Key
from partita.query.schema import Table


@final
@dataclass(frozen=True, slots=True)
class CountRows:
    """How many rows: COUNT(*)."""


@final
@dataclass(frozen=True, slots=True)
class Count:
    """For how many rows the expression is not NULL: COUNT(x)."""

    of: Expression


@final
@dataclass(frozen=True, slots=True)
class Sum:
    """The sum over the rows for which the expression is not NULL; zero if there are none."""

    of: Expression


@final
@dataclass(frozen=True, slots=True)
class Average:
    """The mean over the rows for which the expression is not NULL."""

    of: Expression


Aggregate = CountRows | Count | Sum | Average


@final
@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of the answer that shows a key of the groups."""

    name: str
    key: Key


@final
@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the answer that shows an aggregate."""

    name: str
    aggregate: Aggregate


ShownColumn = KeyColumn | ValueColumn


@final
@dataclass(frozen=True)
class Plan:
    """Aggregates of the rows that meet a condition, for every possible value of some keys.

    ``shown`` says under which names and in which order people see the result; it takes no part in the
    fingerprint, so that the same question asked in other words is the same question.
    """

    table: Table
    where: Condition
    keys: tuple[Key, ...]
    aggregates: tuple[Aggregate, ...]
    shown: tuple[ShownColumn, ...]

    @cached_property
    def canonical(self) -> str:
        """The question in its one normal form, as text."""
        from partita.query.text import shown_aggregate, shown_condition, shown_key

        return "\n".join(
            (
                f"table {self.table.name} {self.table.digest}",
                f"where {shown_condition(self.where)}",
                *(f"by {shown_key(key)}" for key in self.keys),
                *(f"aggregate {shown_aggregate(aggregate)}" for aggregate in self.aggregates),
            )
        )

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same question, however it was asked."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    def sql(self) -> str:
        """The plan as SQL that would make it again."""
        from partita.query.text import shown_plan

        return shown_plan(self)


def argument(aggregate: Aggregate) -> Expression | None:
    """What is aggregated, or None for the rows themselves."""
    match aggregate:
        case CountRows():
            return None
        case Count(of) | Sum(of) | Average(of):
            return of
        case _:
            assert_never(aggregate)


def with_argument(aggregate: Aggregate, of: Expression) -> Aggregate:
    """The same aggregate of another expression."""
    match aggregate:
        case CountRows():
            return aggregate
        case Count():
            return Count(of)
        case Sum():
            return Sum(of)
        case Average():
            return Average(of)
        case _:
            assert_never(aggregate)


ONE = Fraction(1)
