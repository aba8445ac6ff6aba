"""Aggregates: what is computed from the rows of a group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
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


@final
@dataclass(frozen=True, slots=True)
class Quantile:
    """The value that a share of the rows lie below: MEDIAN is a half, MIN is 0, MAX is 1; NULL rows are left out."""

    of: Expression
    share: Fraction


@final
@dataclass(frozen=True, slots=True)
class CountOwners:
    """How many owners have a row: COUNT(DISTINCT patient)."""

    owner: str


Aggregate = CountRows | Count | Sum | Average | Quantile | CountOwners


def arguments(aggregate: Aggregate) -> tuple[Expression, ...]:
    """What is aggregated; nothing for the rows themselves."""
    match aggregate:
        case CountRows() | CountOwners():
            return ()
        case Count(of) | Sum(of) | Average(of) | Quantile(of):
            return (of,)
        case _:
            assert_never(aggregate)


def with_arguments(aggregate: Aggregate, parts: tuple[Expression, ...]) -> Aggregate:
    """The same aggregate of other expressions."""
    match aggregate:
        case CountRows() | CountOwners():
            return aggregate
        case Count():
            return Count(*parts)
        case Sum():
            return Sum(*parts)
        case Average():
            return Average(*parts)
        case Quantile(_, share):
            return Quantile(parts[0], share)
        case _:
            assert_never(aggregate)
