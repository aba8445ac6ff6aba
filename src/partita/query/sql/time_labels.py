"""Reads keys that name times in words or letters: DAYNAME(seen), MONTHNAME(seen), STRFTIME(seen, '%Y-%m')."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.query.language import clock
from partita.query.language.expressions import EPOCH, Bounds, bounds
from partita.query.language.expressions import columns as columns_of
from partita.query.language.keys import Shape, Valued
from partita.query.sql.times import time_of

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

MOST_LABELS: Final = 4_096
_FORMAT: Final = re.compile(r"%[A-Za-z%]|[^%]+")
# What a format must say for its periods to have names of their own, the finest unit first.
_PERIODS: Final = (
    ("second", "YmdHMS"), ("minute", "YmdHM"), ("hour", "YmdH"), ("day", "Ymd"), ("month", "Ym"), ("year", "Y"),
)  # fmt: skip
# One part of a time alone, and a time at which it has each of its values, from the first on.
_PARTS: Final = {
    "H": "hour",
    "M": "minute",
    "m": "month",
    "b": "month",
    "B": "month",
    "a": "dow",
    "A": "dow",
    "d": "day",
}
_LETTERS: Final = frozenset("YmdHMSbBaA")


def named(reader: Reader, node: exp.Expr, text: str) -> Valued | None:
    """Groups of a time by what a format makes of it, one for each text that it can make."""
    match node:
        case exp.Dayname():
            subject, form = node.this, "%A"
        case exp.Monthname():
            subject, form = node.this, "%B"
        case exp.TimeToStr() if isinstance(node.args.get("format"), exp.Literal):
            subject, form = node.this, node.args["format"].name
        case _:
            return None
    time = time_of(reader, subject)
    pieces = _FORMAT.findall(form)
    letters = "".join(piece[1] for piece in pieces if piece[0] == "%")
    if time is None or not columns_of(time.of) or "".join(pieces) != form or not set(letters) <= _LETTERS:
        return None
    domain = reader.table.domain
    unit = next((unit for unit, needed in _PERIODS if set(letters) >= set(needed)), None)
    finest = next((unit for unit, needed in _PERIODS if set(letters) & set(needed[-1:])), None)
    if unit is not None and (unit == finest or finest is None):
        number = clock.period(time.seconds, time.days, unit)
        opened = _opening
    elif len(set(letters)) == 1 and letters[0] in _PARTS:
        unit = _PARTS[letters[0]]
        number = clock.part(time.seconds, time.days, unit)
        opened = _example
    else:
        return None
    assert number is not None
    within = bounds(number, domain)
    if within.high - within.low >= MOST_LABELS:
        return None
    spend(8 * (within.high - within.low + 1), Work.VALUES)
    labels = [opened(unit, value).strftime(form) for value in range(within.low, within.high + 1)]
    if len(set(labels)) < len(labels):
        return None
    placed = Bounds(0, len(labels) - 1, Fraction(1), within.nullable)
    of = clock.plus(number, -within.low)
    return Valued(of, placed, Fraction(1), Fraction(0), Shape.NUMBER, text, tuple(labels))


def _opening(unit: str, number: int) -> datetime | date:
    if unit in clock.MONTHS:
        months = number * clock.MONTHS[unit]
        return datetime(months // 12, months % 12 + 1, 1)  # noqa: DTZ001
    return EPOCH + timedelta(seconds=int(number * clock.SECONDS[unit]))


def _example(unit: str, number: int) -> datetime | date:
    """A time whose part has this value."""
    match unit:
        case "hour":
            return datetime(2024, 1, 1, number)  # noqa: DTZ001
        case "minute":
            return datetime(2024, 1, 1, 0, number)  # noqa: DTZ001
        case "month":
            return datetime(2024, number, 1)  # noqa: DTZ001
        case "day":
            return datetime(2024, 1, number)  # noqa: DTZ001
        case _:
            # The first day of 2023 was a Sunday, which is 0.
            return datetime(2023, 1, 1 + number)  # noqa: DTZ001
