"""Aggregates: what is computed from the rows of a group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never, final

from partita.query.language.conditions import Condition
from partita.query.language.expressions import Expression, Number, Plus, Times, bounds
from partita.region.domain import Domain


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
    """The value that a share of the rows lie below: MEDIAN is a half, MIN is 0, MAX is 1; NULL rows are left out.

    ``side`` is -1 for a value that is hardly ever above it, and 1 for one that is hardly ever below it.
    """

    of: Expression
    share: Fraction
    side: int = 0


@final
@dataclass(frozen=True, slots=True)
class Variance:
    """The mean squared distance from the mean, over the rows for which the expression is not NULL: VAR_POP(x)."""

    of: Expression


@final
@dataclass(frozen=True, slots=True)
class CountOwners:
    """How many owners have a row: COUNT(DISTINCT patient)."""

    owner: str


@final
@dataclass(frozen=True, slots=True)
class CountDifferent:
    """How many values of a column occur: COUNT(DISTINCT ward); ``among`` is the condition of a FILTER.

    The column is a declared one, whose missing values do not count, or one of open texts.
    """

    column: str
    among: Condition | None = None


@final
@dataclass(frozen=True, slots=True)
class Covariance:
    """The mean product of the distances from two means, over the rows where neither is NULL: COVAR_POP(x, y)."""

    of: Expression
    other: Expression


@final
@dataclass(frozen=True, slots=True)
class Correlation:
    """The covariance in units of the two standard deviations, from -1 to 1: CORR(x, y)."""

    of: Expression
    other: Expression


Aggregate = (
    CountRows | Count | Sum | Average | Quantile | CountOwners | CountDifferent | Variance | Covariance | Correlation
)


def arguments(aggregate: Aggregate) -> tuple[Expression, ...]:
    """What is aggregated; nothing for the rows themselves."""
    match aggregate:
        case CountRows() | CountOwners() | CountDifferent():
            return ()
        case Count(of) | Sum(of) | Average(of) | Quantile(of) | Variance(of):
            return (of,)
        case Covariance(of, other) | Correlation(of, other):
            return (of, other)
        case _:
            assert_never(aggregate)


def with_arguments(aggregate: Aggregate, parts: tuple[Expression, ...]) -> Aggregate:
    """The same aggregate of other expressions."""
    match aggregate:
        case CountRows() | CountOwners() | CountDifferent():
            return aggregate
        case Count():
            return Count(*parts)
        case Sum():
            return Sum(*parts)
        case Average():
            return Average(*parts)
        case Quantile(_, share, side):
            return Quantile(parts[0], share, side)
        case Variance():
            return Variance(*parts)
        case Covariance():
            return Covariance(*parts)
        case Correlation():
            return Correlation(*parts)
        case _:
            assert_never(aggregate)


def paired(of: Expression, other: Expression, domain: Domain) -> tuple[Expression, Expression]:
    """Two expressions that are NULL wherever one of the given ones is: 0 * y is NULL where y is, and adds nothing."""
    nothing = Number(Fraction(0))
    first = Plus((of, Times((nothing, other)))) if bounds(other, domain).nullable else of
    second = Plus((other, Times((nothing, of)))) if bounds(of, domain).nullable else other
    return first, second
