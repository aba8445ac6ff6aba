"""Dates and times as bounded expressions: their parts, the periods they lie in, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Final

from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import (
    Case,
    Clamp,
    Expression,
    Extreme,
    Months,
    Number,
    Plus,
    Quotient,
    Remainder,
    Times,
)
from partita.region.calendar import MARCH
from partita.region.columns import Operator
from partita.region.domain import Domain
from partita.region.region import Region

DAY: Final = Fraction(86_400)
# From the first day of Python's calendar to the beginning of 1970.
ORDINAL: Final = date(1970, 1, 1).toordinal()
# Units of a fixed length, in seconds.
SECONDS: Final = {
    "microsecond": Fraction(1, 10**6),
    "millisecond": Fraction(1, 1000),
    "second": Fraction(1),
    "minute": Fraction(60),
    "hour": Fraction(3_600),
    "day": DAY,
    "week": 7 * DAY,
}
# Units of so many months.
MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
# The first Monday after the beginning of 1970 began three days before it was a week old.
MONDAY: Final = 3 * DAY


def unit_of(word: str) -> str:
    """The unit that a word means.

    >>> unit_of("Minutes"), unit_of("century")
    ('minute', 'century')
    """
    return _SHORT.get(word.lower(), word.lower().removesuffix("s"))


_SHORT: Final = {
    "us": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "m": "minute",
    "min": "minute",
    "mins": "minute",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "d": "day",
    "w": "week",
    "mon": "month",
    "y": "year",
    "yr": "year",
    "centuries": "century",
}


def plus(part: Expression, constant: Fraction | int) -> Expression:
    """The part moved by a constant."""
    return Plus((part, Number(Fraction(constant)))) if constant else part


def minus(part: Expression, other: Expression) -> Expression:
    """One part less another."""
    return Plus((part, times(other, -1)))


def times(part: Expression, factor: Fraction | int) -> Expression:
    """The part times a constant."""
    return Times((Number(Fraction(factor)), part))


def days(seconds: Expression) -> Expression:
    """The day of a time, both counted from the beginning of 1970."""
    return Quotient(seconds, DAY)


def period(seconds: Expression, day: Expression, unit: str) -> Expression | None:
    """The number of the period of a unit that a time lies in: as many apart as there are boundaries between."""
    if unit in MONTHS:
        return Quotient(Months(day), Fraction(MONTHS[unit])) if MONTHS[unit] > 1 else Months(day)
    if unit == "week":
        return Quotient(plus(day, 3), Fraction(7))
    if unit == "day":
        return day
    return Quotient(seconds, SECONDS[unit]) if unit in SECONDS else None


def first_day(months: Expression) -> Expression:
    """The first day of a month, counted from the beginning of 1970."""
    march = plus(months, -2)
    year, month = Quotient(march, Fraction(12)), Remainder(march, Fraction(12))
    leaps = Plus((Quotient(year, Fraction(4)), times(Quotient(year, Fraction(100)), -1), Quotient(year, Fraction(400))))
    before = Quotient(plus(times(month, 153), 2), Fraction(5))
    return plus(Plus((times(year, 365), leaps, before)), -MARCH)


def later(day: Expression, months: int) -> Expression:
    """The day so many months later: of the same number, or the last of a month that has no such day."""
    begun, own = plus(Months(day), months), Months(day)
    # So they lie for every day; interval arithmetic alone does not see it.
    number = Clamp(minus(day, first_day(own)), Fraction(0), Fraction(30))
    most = Clamp(plus(minus(first_day(plus(begun, 1)), first_day(begun)), -1), Fraction(27), Fraction(30))
    return Plus((first_day(begun), Extreme((number, most), greatest=False)))


def _day_of_month(day: Expression) -> Expression:
    fours = plus(times(day, 4), 4 * MARCH + 3)
    rest = plus(times(Quotient(Remainder(fours, Fraction(146_097)), Fraction(4)), 4), 3)
    left = Quotient(Remainder(rest, Fraction(1_461)), Fraction(4))
    return plus(Quotient(Remainder(plus(times(left, 5), 461), Fraction(153)), Fraction(5)), 1)


def _day_of_year(day: Expression) -> Expression:
    first = first_day(times(Quotient(Months(day), Fraction(12)), 12))
    return Clamp(plus(minus(day, first), 1), Fraction(1), Fraction(366))


def _thursday(day: Expression) -> Expression:
    """The Thursday of a day's week, whose year is the week's."""
    return times(Quotient(plus(day, 3), Fraction(7)), 7)


def _week(day: Expression) -> Expression:
    return plus(Quotient(plus(_day_of_year(_thursday(day)), -1), Fraction(7)), 1)


def _year(day: Expression) -> Expression:
    return Quotient(Months(day), Fraction(12))


def _within(unit: Fraction, inside: Fraction) -> Callable[[Expression], Expression]:
    """How many whole units of time are over since the beginning of a longer one."""
    return lambda seconds: Quotient(Remainder(seconds, inside), unit)


_OF_DAYS: Final[dict[str, Callable[[Expression], Expression]]] = {
    "year": _year,
    "quarter": lambda day: plus(Quotient(Remainder(Months(day), Fraction(12)), Fraction(3)), 1),
    "month": lambda day: plus(Remainder(Months(day), Fraction(12)), 1),
    "week": _week,
    "day": _day_of_month,
    "doy": _day_of_year,
    # The beginning of 1970 was a Thursday.
    "dow": lambda day: Remainder(plus(day, 4), Fraction(7)),
    "isodow": lambda day: plus(Remainder(plus(day, 3), Fraction(7)), 1),
    "isoyear": lambda day: _year(_thursday(day)),
    "decade": lambda day: Quotient(_year(day), Fraction(10)),
    "century": lambda day: plus(Quotient(plus(_year(day), -1), Fraction(100)), 1),
}
_OF_SECONDS: Final[dict[str, Callable[[Expression], Expression]]] = {
    "hour": _within(SECONDS["hour"], DAY),
    "minute": _within(SECONDS["minute"], SECONDS["hour"]),
    "second": _within(SECONDS["second"], SECONDS["minute"]),
    "millisecond": _within(SECONDS["millisecond"], SECONDS["minute"]),
    "microsecond": _within(SECONDS["microsecond"], SECONDS["minute"]),
    "epoch": lambda seconds: seconds,
}
_SAME: Final = {"dayofmonth": "day", "dayofyear": "doy", "dayofweek": "dow", "weekday": "dow", "weekofyear": "week"}


def part(seconds: Expression, day: Expression, name: str) -> Expression | None:
    """A part of a time as EXTRACT gives it, or None if there is none of that name."""
    known = _SAME.get(name.lower(), name.lower())
    known = known if known in _OF_DAYS or known in _OF_SECONDS else unit_of(name)
    if known in _OF_DAYS:
        return _OF_DAYS[known](day)
    return _OF_SECONDS[known](seconds) if known in _OF_SECONDS else None


def complete(start: Expression, end: Expression, unit: str, domain: Domain, *, lenient: bool) -> Expression:
    """How many whole months, quarters or years lie between two days; below zero if the end is before the start.

    A month is complete on the day of the same number. If ``lenient``, also on the last of a month that has no such day.
    """
    apart = minus(Months(end), Months(start))
    every = Region.everything(domain)

    def between(first: Expression, last: Expression) -> Expression:
        """One less where the last month is not complete."""
        tests = [Versus(_day_of_month(first), Operator.ABOVE, _day_of_month(last))]
        if lenient:
            tests.append(Versus(Months(plus(last, 1)), Operator.EQUAL, Months(last)))
        return Case(((Condition(every, tuple(tests)), Number(Fraction(1))),), Number(Fraction(0)))

    width = Fraction(MONTHS[unit])
    forward = Quotient(minus(apart, between(start, end)), width)
    backward = times(Quotient(minus(times(apart, -1), between(end, start)), width), -1)
    before = Condition(every, (Versus(end, Operator.BELOW, start),))
    return Case(((before, backward),), forward)
