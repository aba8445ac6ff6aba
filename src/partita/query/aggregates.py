"""Aggregates: what is computed from the rows of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, final

from partita.query.expressions import Expression


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


def arguments(aggregate: Aggregate) -> tuple[Expression, ...]:
    """What is aggregated; nothing for the rows themselves."""
    match aggregate:
        case CountRows():
            return ()
        case Count(of) | Sum(of) | Average(of):
            return (of,)
        case _:
            assert_never(aggregate)


def with_arguments(aggregate: Aggregate, parts: tuple[Expression, ...]) -> Aggregate:
    """The same aggregate of other expressions."""
    match aggregate:
        case CountRows():
            return aggregate
        case Count():
            return Count(*parts)
        case Sum():
            return Sum(*parts)
        case Average():
            return Average(*parts)
        case _:
            assert_never(aggregate)
