"""Reads stored values as times: microseconds of local time since the beginning of 1970, in Python and in SQL."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from partita.region.columns.dates import day_number, outside, since_1970
from partita.region.columns.stored import Family, family
from partita.region.dialects.words import Word, word
from partita.region.zones import DAY, SECOND, Offsets

if TYPE_CHECKING:
    from sqlglot import exp

MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
    r"( ?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?))?)?$"
)
_MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"([ T](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(:(?P<second>[0-5][0-9])([.](?P<part>[0-9]+))?)?"
    r"( ?(?P<zone>Z|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3])(:?(?P<minutes>[0-5][0-9]))?))?)?"
)
# The parts of such a text that SQL looks at: without the zone and with six digits, and the zone by itself.
_LOCAL = r"^([0-9-]{10}([ T][0-9:]+([.][0-9]{1,6})?)?)"
_ZONE = r":[0-9.]+ ?([+-][0-9:]+)$"
_ZONED = r":[0-9.]+ ?(Z|[+-][0-9:]+)$"
_EPOCH = date(1970, 1, 1).toordinal()


def moment(value: object, zone: Offsets) -> int | None:
    """The local time of a stored value, rounded down, or None for what names no time.

    A value without a zone is local time as it stands. One with a zone is moved to the declared one. A day is its
    midnight.

    >>> moment("1970-01-02T00:00:01.5", Offsets((), (0,)))
    86401500000
    """
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        if (beyond := outside(value)) is not None:
            count = _counted(beyond)
            return count if count is None or value.tzinfo is None else zone.local(count)
        local = (value.toordinal() - _EPOCH) * DAY + _of_day(value.hour, value.minute, value.second, value.microsecond)
        offset = value.utcoffset()
        return local if offset is None else zone.local(local - offset // timedelta(microseconds=1))
    if isinstance(value, date):
        return (value.toordinal() - _EPOCH) * DAY
    if isinstance(value, np.datetime64):
        return _counted(value)
    return _written(value, zone) if isinstance(value, str) else None


def _of_day(hour: int, minute: int, second: int, part: int = 0) -> int:
    return (3_600 * hour + 60 * minute + second) * SECOND + part


def _counted(value: np.datetime64) -> int | None:
    """One of numpy's times, in whole numbers without end."""
    seconds = since_1970(value)
    return None if seconds is None else int(seconds * SECOND // 1)


def _written(value: str, zone: Offsets) -> int | None:
    match = _MOMENT.fullmatch(value)
    day = None if match is None else day_number(match["day"])
    if match is None or day is None:
        return None
    part = int((match["part"] or "")[:6].ljust(6, "0"))
    local = (day - _EPOCH) * DAY + _of_day(
        int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0), part
    )
    if match["zone"] is None:
        return local
    ahead = _of_day(int(match["hours"] or 0), int(match["minutes"] or 0), 0)
    return zone.local(local + ahead if match["sign"] == "-" else local - ahead)


def counted(stored: exp.Expr, stored_type: str) -> tuple[exp.Expr, bool] | None:
    """The microseconds of a stored value in SQL, and whether they are UTC; NULL for what has no end or no time.

    None where the type holds no times.
    """
    match family(stored_type):
        case Family.TIMESTAMP | Family.ZONED as kind if "_NS" in stored_type.upper():
            return _floored(word(Word.NANOSECONDS, stored)), kind is Family.ZONED
        case Family.TIMESTAMP | Family.DATE | Family.ZONED as kind:
            return word(Word.MICROSECONDS, stored, stored_type), kind is Family.ZONED
        case _:
            return None


def read(stored: exp.Expr, zone: Offsets) -> exp.Expr:
    """The local time of a text in SQL, as ``moment`` reads it; NULL for any other text."""
    from sqlglot import exp

    text = exp.cast(stored, "VARCHAR")
    matches = exp.RegexpLike(this=text, expression=exp.Literal.string(MOMENT))
    local = word(Word.WRITTEN_MICROSECONDS, _extracted(text, _LOCAL))
    ahead = _extracted(text, _ZONE)
    hours = _number(exp.Substring(this=ahead, start=exp.Literal.number(2), length=exp.Literal.number(2)))
    minutes = _number(_extracted(ahead, r"^...:?([0-9]{2})$"))
    amount = exp.Add(this=_times(hours, 3_600 * SECOND), expression=_times(minutes, 60 * SECOND))
    behind = word(Word.BEGINS, ahead.copy(), "-")
    moved = (
        exp.Case()
        .when(behind, exp.Add(this=local.copy(), expression=exp.paren(amount)))
        .else_(exp.Sub(this=local.copy(), expression=exp.paren(amount.copy())))
    )
    zoned = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(_ZONED))
    return exp.Case().when(exp.and_(matches, zoned), zone.listed_in_sql(moved)).when(matches.copy(), local)


def _floored(count: exp.Expr) -> exp.Expr:
    """Nanoseconds in whole microseconds, rounded down: division and remainder are cut towards zero."""
    from sqlglot import exp

    thousand = exp.cast(exp.Literal.number(1000), "BIGINT")
    whole = exp.IntDiv(this=count, expression=thousand)
    before = exp.LT(this=exp.Mod(this=count.copy(), expression=thousand.copy()), expression=exp.Literal.number(0))
    earlier = exp.Sub(this=exp.paren(whole.copy()), expression=exp.Literal.number(1))
    return exp.Case().when(before, earlier).else_(whole)


def _tried(value: exp.Expr, kind: str) -> exp.Expr:
    from sqlglot import exp

    return exp.TryCast(this=value.copy(), to=exp.DataType.build(kind))


def _extracted(text: exp.Expr, pattern: str) -> exp.Expr:
    return word(Word.PIECE, text.copy(), pattern, 1)


def _number(digits: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Coalesce(this=_tried(digits, "BIGINT"), expressions=[exp.Literal.number(0)])


def _times(number: exp.Expr, factor: int) -> exp.Expr:
    from sqlglot import exp

    return exp.Mul(this=number, expression=exp.Literal.number(factor))


__all__ = ["counted", "moment", "read"]
