"""The builder's aggregates: the same as SQL's, under the same names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.exact import Number, exact, number


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """An aggregate that the builder is to compute: its name, the SQL expression it is of, and a quantile's share."""

    aggregate: str
    of: str | None = None
    share: Fraction | None = None

    def sql(self) -> str:
        """The aggregate as SQL."""
        share = "" if self.share is None else f", {number(self.share)}"
        return f"{self.aggregate.upper()}({'*' if self.of is None else self.of}{share})"


def count(of: str | None = None) -> Asked:
    """How many rows there are, or for how many the expression is not NULL.

    >>> count().sql(), count("cost").sql()
    ('COUNT(*)', 'COUNT(cost)')
    """
    return Asked("count", of)


def sum(of: str) -> Asked:
    """The sum of a bounded expression.

    >>> sum("cost * 2").sql()
    'SUM(cost * 2)'
    """
    return Asked("sum", of)


def avg(of: str) -> Asked:
    """The mean of a bounded expression.

    >>> avg("cost").sql()
    'AVG(cost)'
    """
    return Asked("avg", of)


def median(of: str) -> Asked:
    """The value that half of the rows lie below.

    >>> median("cost").sql()
    'MEDIAN(cost)'
    """
    return Asked("median", of)


def quantile(of: str, share: Number) -> Asked:
    """The value that a share of the rows lie below.

    >>> quantile("cost", 0.9).sql()
    'QUANTILE(cost, 0.9)'
    """
    return Asked("quantile", of, exact(share, "share"))


def quantiles(of: str, shares: Iterable[Number]) -> dict[str, Asked]:
    """Several quantiles, named after their percentages: agg(**quantiles("cost", [0.25, 0.75])).

    >>> {name: asked.sql() for name, asked in quantiles("cost", [0.25, "0.975"]).items()}
    {'q25': 'QUANTILE(cost, 0.25)', 'q97_5': 'QUANTILE(cost, 0.975)'}
    """
    asked = [quantile(of, share) for share in shares]
    return {f"q{number(100 * (one.share or Fraction(0))).replace('.', '_')}": one for one in asked}


def min(of: str) -> Asked:
    """The least value, or one a few rows above it: the least itself is one person's.

    >>> min("cost").sql()
    'MIN(cost)'
    """
    return Asked("min", of)


def max(of: str) -> Asked:
    """The greatest value, or one a few rows below it: the greatest itself is one person's.

    >>> max("cost").sql()
    'MAX(cost)'
    """
    return Asked("max", of)
