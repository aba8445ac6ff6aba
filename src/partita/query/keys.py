"""Keys of groups: each maps the codes of one declared column to a public list of labels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import assert_never, final

from partita.errors import query as refuse
from partita.query.expressions import numeric
from partita.region.codes import Codes
from partita.region.columns import Dates
from partita.region.domain import Domain

UNITS = ("day", "week", "month", "quarter", "year")


@final
@dataclass(frozen=True, slots=True)
class Each:
    """One group for each value of a column, its OTHER and NULL atoms included."""

    column: str


@final
@dataclass(frozen=True, slots=True)
class Bucket:
    """Groups of a numeric column of equal width, labelled by the lower end: BUCKET(age, 10)."""

    column: str
    width: Fraction


@final
@dataclass(frozen=True, slots=True)
class Truncated:
    """Groups of a date column by week, month, quarter or year, labelled by the first day: DATE_TRUNC('month', day)."""

    column: str
    unit: str


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """One group for each text of an open column that is named by private selection, and one for all others."""

    column: str


Key = Each | Bucket | Truncated | Opened


def size(key: Key, domain: Domain) -> int:
    """How many groups the key makes of the whole domain."""
    return len(spread(key, domain, domain.bounded[domain.axis(key.column)].everything))


def spread(key: Key, domain: Domain, codes: Codes) -> tuple[int, ...]:
    """The places of the groups that some codes of the column fall into, in order.

    >>> from partita.region.columns import integers
    >>> domain = Domain({"age": integers(0, 99, missing=0)})
    >>> spread(Bucket("age", Fraction(10)), domain, ((25, 47),))
    (2, 3, 4)
    """
    match key:
        case Each():
            return tuple(code for low, high in codes for code in range(low, high))
        case Bucket(name):
            column = numeric(name, domain)
            step = units(key, domain)
            first = column.low // step
            found: set[int] = set()
            for low, high in codes:
                end = high
                if column.null is not None and high > column.null:
                    found.add(column.high // step - first + 1)
                    end = column.null
                if low < end:
                    found.update(range((column.low + low) // step - first, (column.low + end - 1) // step - first + 1))
            return tuple(sorted(found))
        case Truncated():
            return tuple(sorted({place(key, domain, code) for low, high in codes for code in range(low, high)}))
        case Opened():
            raise AssertionError
        case _:
            assert_never(key)


def place(key: Key, domain: Domain, code: int) -> int:
    """The group that one code of the column falls into.

    >>> from partita.region.columns import integers
    >>> place(Bucket("age", Fraction(10)), Domain({"age": integers(5, 99)}), 7)
    1
    """
    match key:
        case Each():
            return code
        case Bucket(name):
            column = numeric(name, domain)
            step = units(key, domain)
            first = column.low // step
            if code == column.null:
                return column.high // step - first + 1
            return (column.low + code) // step - first
        case Truncated(_, unit):
            dates = dated(key, domain)
            if code == dates.null:
                return _period(dates.high, unit) - _period(dates.low, unit) + 1
            return _period(dates.low + timedelta(days=code), unit) - _period(dates.low, unit)
        case Opened():
            raise AssertionError
        case _:
            assert_never(key)


def label(key: Key, domain: Domain, where: int) -> object:
    """What people see for a group; None for the NULL group."""
    match key:
        case Each(name):
            return domain.bounded[domain.axis(name)].value(where)
        case Bucket(name, width):
            column = numeric(name, domain)
            step = units(key, domain)
            first = column.low // step
            if column.null is not None and where == column.high // step - first + 1:
                return None
            return _plain((first + where) * width)
        case Truncated(_, unit):
            dates = dated(key, domain)
            start = _period(dates.low, unit)
            if dates.null is not None and where == _period(dates.high, unit) - start + 1:
                return None
            return _opening(start + where, unit)
        case Opened():
            raise AssertionError
        case _:
            assert_never(key)


def units(key: Bucket, domain: Domain) -> int:
    """The width of a bucket in units of the column's step."""
    step = numeric(key.column, domain).step
    ratio = key.width / step
    if ratio.denominator != 1 or ratio < 1:
        raise refuse.uneven_bucket(key.column, key.width, step)
    return int(ratio)


def dated(key: Truncated, domain: Domain) -> Dates:
    """The date column of the key."""
    column = domain.bounded[domain.axis(key.column)]
    if not isinstance(column, Dates):
        raise refuse.not_a_date(key.column, column.kind)
    return column


def _period(day: date, unit: str) -> int:
    match unit:
        case "day":
            return day.toordinal()
        case "week":
            return (day.toordinal() - 1) // 7
        case "month":
            return day.year * 12 + day.month - 1
        case "quarter":
            return day.year * 4 + (day.month - 1) // 3
        case _:
            return day.year


def _opening(period: int, unit: str) -> date:
    match unit:
        case "day":
            return date.fromordinal(period)
        case "week":
            return date.fromordinal(period * 7 + 1)
        case "month":
            return date(period // 12, period % 12 + 1, 1)
        case "quarter":
            return date(period // 4, period % 4 * 3 + 1, 1)
        case _:
            return date(period, 1, 1)


def _plain(number: Fraction) -> int | Decimal | Fraction:
    if number.denominator == 1:
        return int(number)
    shown = Decimal(number.numerator) / Decimal(number.denominator)
    return shown if Fraction(shown) == number else number
