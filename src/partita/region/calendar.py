"""Days: their parts, the periods they lie in, and the days so many periods later."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

# From the first of March of the year 0 to the beginning of 1970.
MARCH: Final = 719_468
UNITS: Final = ("day", "week", "month", "quarter", "year")

PARTS: Final[dict[str, Callable[[date], int]]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar()[1],
    "weekofyear": lambda day: day.isocalendar()[1],
    "day": lambda day: day.day,
    "dayofmonth": lambda day: day.day,
    "dayofyear": lambda day: day.timetuple().tm_yday,
    "doy": lambda day: day.timetuple().tm_yday,
    "dow": lambda day: day.isoweekday() % 7,
    "dayofweek": lambda day: day.isoweekday() % 7,
    "weekday": lambda day: day.isoweekday() % 7,
    "isodow": lambda day: day.isoweekday(),
    "isoyear": lambda day: day.isocalendar()[0],
    "decade": lambda day: day.year // 10,
}


def period(day: date, unit: str) -> int:
    """The number of the period that a day lies in."""
    match unit:
        case "day":
            return day.toordinal()
        case "week":
            return (day.toordinal() - 1) // 7
        case "month":
            return day.year * 12 + day.month - 1
        case "quarter":
            return day.year * 4 + (day.month - 1) // 3
        case "year":
            return day.year
        case _:
            raise ValueError(unit)


def month_number(day: int) -> int:
    """The month that a day lies in, counted from the beginning of the year 0; days count from the beginning of 1970.

    Years begin in March here, so that the day that comes and goes is the last. Whole numbers throughout, so that any
    engine can do the same.

    >>> month_number(0) == period(date(1970, 1, 1), "month")
    True
    """
    century, left = divmod(4 * (day + MARCH) + 3, 146_097)
    year, left = divmod(4 * (left // 4) + 3, 1_461)
    return 12 * (100 * century + year) + (5 * (left // 4) + 461) // 153 - 1


def opening(day: date, unit: str) -> date:
    """The first day of the period that a day lies in.

    >>> opening(date(2025, 8, 17), "quarter")
    datetime.date(2025, 7, 1)
    """
    match unit:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.isoweekday() - 1)
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
        case "year":
            return date(day.year, 1, 1)
        case _:
            raise ValueError(unit)


def later(day: date, count: int, unit: str) -> date:
    """The day so many periods later; the last of its month where the month is shorter.

    >>> later(date(2025, 1, 31), 1, "month"), later(date(2025, 1, 31), -2, "weeks")
    (datetime.date(2025, 2, 28), datetime.date(2025, 1, 17))
    """
    match unit.removesuffix("s"):
        case "day":
            return day + timedelta(days=count)
        case "week":
            return day + timedelta(days=7 * count)
        case "month":
            year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
            return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
        case "quarter":
            return later(day, 3 * count, "month")
        case "year":
            return later(day, 12 * count, "month")
        case _:
            raise ValueError(unit)


def last_of_month(day: date) -> date:
    """The last day of a day's month.

    >>> last_of_month(date(2024, 2, 3))
    datetime.date(2024, 2, 29)
    """
    return day.replace(day=monthrange(day.year, day.month)[1])
