"""Expressions of the builder: columns with Python's operators, which become SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import final

from partita.errors.query import language as refuse
from partita.exact import Number, exact, number
from partita.query.language.text import quoted


@final
@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """A piece of SQL that was put together with operators; whatever takes SQL text in the builder takes one too.

    >>> (col("cost") / 100 > 5) & ~col("smoker")
    Expr('((cost / 100) > 5) AND NOT smoker')
    >>> (col("cost").sum() / col("beds").sum()).text
    'SUM(cost) / SUM(beds)'
    """

    text: str
    bare: bool = True
    """Whether it stands beside any operator without brackets."""

    def __repr__(self) -> str:
        return f"Expr({self.text!r})"

    def __bool__(self) -> bool:
        raise refuse.truth_of_expression(self.text)

    @property
    def inner(self) -> str:
        """The text as a part of another."""
        return self.text if self.bare else f"({self.text})"

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, other: object) -> Expr:
        return _both(self, "+", other)

    def __radd__(self, other: object) -> Expr:
        return _both(other, "+", self)

    def __sub__(self, other: object) -> Expr:
        return _both(self, "-", other)

    def __rsub__(self, other: object) -> Expr:
        return _both(other, "-", self)

    def __mul__(self, other: object) -> Expr:
        return _both(self, "*", other)

    def __rmul__(self, other: object) -> Expr:
        return _both(other, "*", self)

    def __truediv__(self, other: object) -> Expr:
        return _both(self, "/", other)

    def __rtruediv__(self, other: object) -> Expr:
        return _both(other, "/", self)

    def __floordiv__(self, other: object) -> Expr:
        return _both(self, "//", other)

    def __mod__(self, other: object) -> Expr:
        return _both(self, "%", other)

    def __neg__(self) -> Expr:
        return Expr(f"-{self.inner}", bare=False)

    # --- conditions ------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return self.is_null() if other is None else _both(self, "=", other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return self.is_not_null() if other is None else _both(self, "<>", other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: object) -> Expr:
        return _both(self, "<", other)

    def __le__(self, other: object) -> Expr:
        return _both(self, "<=", other)

    def __gt__(self, other: object) -> Expr:
        return _both(self, ">", other)

    def __ge__(self, other: object) -> Expr:
        return _both(self, ">=", other)

    def __and__(self, other: object) -> Expr:
        return _both(self, "AND", other)

    def __or__(self, other: object) -> Expr:
        return _both(self, "OR", other)

    def __invert__(self) -> Expr:
        return Expr(f"NOT {self.inner}")

    def is_null(self) -> Expr:
        """Whether there is no value."""
        return Expr(f"{self.inner} IS NULL", bare=False)

    def is_not_null(self) -> Expr:
        """Whether there is a value."""
        return Expr(f"{self.inner} IS NOT NULL", bare=False)

    def is_in(self, values: Iterable[object]) -> Expr:
        """Whether the value is one of these."""
        return Expr(f"{self.inner} IN ({', '.join(written(value) for value in values)})", bare=False)

    def is_between(self, low: object, high: object) -> Expr:
        """Whether the value lies between these, both included."""
        return Expr(f"{self.inner} BETWEEN {written(low)} AND {written(high)}", bare=False)

    # --- functions -------------------------------------------------------------------------------------------------

    def call(self, function: str, *more: object) -> Expr:
        """Any function of SQL, with this as its first argument: ``col("day").call("year")``.

        >>> col("age").call("bucket", 10)
        Expr('BUCKET(age, 10)')
        """
        if not function.replace("_", "").isalnum():
            raise refuse.not_text(function)
        return Expr(f"{function.upper()}({', '.join([self.text, *(written(one) for one in more)])})")

    def clip(self, low: Number, high: Number) -> Expr:
        """Kept between two numbers."""
        return self.call("clamp", exact(low, "low"), exact(high, "high"))

    def bucket(self, width: Number) -> Expr:
        """The lower end of the bucket of this width."""
        return self.call("bucket", exact(width, "width"))

    def truncate(self, unit: str) -> Expr:
        """The first moment of the month, week or other unit of a day or time."""
        return Expr(f"DATE_TRUNC({written(unit)}, {self.text})")

    def fill_null(self, value: object) -> Expr:
        """The value, or this one where there is none."""
        return self.call("coalesce", value)

    # --- aggregates ------------------------------------------------------------------------------------------------

    def count(self) -> Expr:
        """How many rows have a value."""
        return self.call("count")

    def sum(self) -> Expr:
        """The sum."""
        return self.call("sum")

    def mean(self) -> Expr:
        """The mean."""
        return self.call("avg")

    def std(self) -> Expr:
        """The standard deviation of the sample."""
        return self.call("stddev")

    def var(self) -> Expr:
        """The variance of the sample."""
        return self.call("variance")

    def median(self) -> Expr:
        """The value that half of the rows lie below."""
        return self.call("median")

    def quantile(self, share: Number) -> Expr:
        """The value that a share of the rows lie below."""
        return self.call("quantile", exact(share, "share"))

    def min(self) -> Expr:
        """The least value, or one a few rows above it."""
        return self.call("min")

    def max(self) -> Expr:
        """The greatest value, or one a few rows below it."""
        return self.call("max")

    def where(self, condition: Expr | str) -> Expr:
        """An aggregate of the rows that meet a condition.

        >>> col("cost").sum().where(col("age") >= 65)
        Expr('SUM(cost) FILTER (WHERE age >= 65)')
        """
        return Expr(f"{self.text} FILTER (WHERE {written(condition) if isinstance(condition, Expr) else condition})")

    def desc(self) -> Expr:
        """For the order of lines: the greatest first."""
        return Expr(f"{self.text} DESC", bare=False)


def col(name: str) -> Expr:
    """A column of a table, or of an answer, to compute with.

    >>> col("cost") / col("beds") > 5
    Expr('(cost / beds) > 5')
    """
    if not isinstance(name, str):
        raise refuse.not_text(name)
    return Expr(name if name.isidentifier() else quoted(name))


def text_of(given: object) -> object:
    """The SQL text of an expression; anything else as it is."""
    return given.text if isinstance(given, Expr) else given


def _both(left: object, operator: str, right: object) -> Expr:
    return Expr(f"{_part(left)} {operator} {_part(right)}", bare=False)


def _part(given: object) -> str:
    return given.inner if isinstance(given, Expr) else written(given)


def written(given: object) -> str:
    """A value as SQL."""
    match given:
        case Expr(text):
            return text
        case None:
            return "NULL"
        case bool():
            return "TRUE" if given else "FALSE"
        case int() | float() | Decimal() | Fraction():
            return number(exact(given, "a number"))
        case str():
            return "'" + given.replace("'", "''") + "'"
        case datetime():
            return f"TIMESTAMP '{given.isoformat(' ')}'"
        case date():
            return f"DATE '{given.isoformat()}'"
        case _:
            raise refuse.not_text(given)
