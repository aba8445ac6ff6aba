"""Days between two public dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from partita.calls import called
from partita.errors import refinement as words
from partita.errors import region as refuse
from partita.region.codemap import Piece, clamping
from partita.region.codes import NOTHING, Codes, difference, intersection, span
from partita.region.columns.base import Bounded, Operator
from partita.region.columns.day_formats import day_format
from partita.region.columns.reading import Reading, described, reading_of, restored
from partita.region.columns.stored import Family, family
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?$"
_DAY = re.compile(DAY[1:-1])
_EPOCH = date(1970, 1, 1).toordinal()
_FOUR_YEARS = 4 * 365 + 1
_FAR = 12 * 10**6
_SECONDS = {
    "W": Fraction(604_800),
    "D": Fraction(86_400),
    "h": Fraction(3_600),
    "m": Fraction(60),
    **{unit: Fraction(1, 1000**place) for place, unit in enumerate(("s", "ms", "us", "ns", "ps", "fs", "as"))},
}


@final
@dataclass(frozen=True, slots=True)
class Dates(Bounded):
    """Every day from first to last; a time of day is dropped, a zoned time is read in UTC.

    >>> day = dates("2025-01-01", "2025-12-31")
    >>> day.code("2025-02-01"), day.code("1999-01-01"), day.code("soon"), day.size
    (31, 0, 365, 366)
    """

    kind: ClassVar[str] = "dates"
    sanitised_type: ClassVar[str] = "DATE"
    low: date
    high: date
    missing: date | None = None
    constant: bool = False
    reading: Reading | None = None

    def __post_init__(self) -> None:
        for written in () if self.reading is None else self.reading.format:
            day_format(written)
        if self.low > self.high:
            raise refuse.empty_column("dates", self.low.isoformat(), self.high.isoformat())
        if self.missing is not None and not self.low <= self.missing <= self.high:
            raise refuse.missing_outside("dates", self.missing, self.low, self.high)

    @property
    def size(self) -> int:
        return (self.high - self.low).days + (2 if self.missing is None else 1)

    def code(self, value: object) -> int:
        day = self._day(value)
        if day is None:
            return self.size - 1 if self.missing is None else (self.missing - self.low).days
        return min(max(day - self.low.toordinal(), 0), (self.high - self.low).days)

    def within(self, value: object) -> bool:
        day = self._day(value)
        return day is not None and self.low.toordinal() <= day <= self.high.toordinal()

    def _day(self, value: object) -> int | None:
        if self.reading is None or not isinstance(value, str):
            return _day(value)
        text = self.reading.text(value)
        if text is None or not self.reading.format:
            return _day(text)
        found = (_day(day_format(written).iso(text)) for written in self.reading.format)
        return next((day for day in found if day is not None), None)

    def value(self, code: int) -> date | None:
        return None if code == self.null else date.fromordinal(self.low.toordinal() + code)

    def _onto(self, old: Dates) -> tuple[Piece, ...] | str:
        """Wider bounds: what is stored is the same day, clamped less."""
        if self.low > old.low or self.high < old.high:
            return words.narrower(old.low.isoformat(), old.high.isoformat())
        return clamping(*(day.toordinal() for day in (self.low, self.high, old.low, old.high)))

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        day = _day(literal) if not isinstance(literal, str) or _DAY.fullmatch(literal) else None
        if day is None:
            raise refuse.not_comparable(name, "dates", literal)
        place = day - self.low.toordinal()
        at = self._midnight(literal)
        inside, end = self.values, self.values[0][1]
        if operator is Operator.EQUAL or operator is Operator.DIFFERENT:
            point = intersection(inside, span(place, place + 1)) if at else NOTHING
            return point if operator is Operator.EQUAL else difference(inside, point)
        if operator is Operator.AT_MOST or (operator is Operator.BELOW and not at):
            return intersection(inside, span(0, max(0, place + 1)))
        if operator is Operator.BELOW:
            return intersection(inside, span(0, max(0, place)))
        start = place if operator is Operator.AT_LEAST and at else place + 1
        return intersection(inside, span(max(0, start), end))

    @staticmethod
    def _midnight(literal: object) -> bool:
        """Whether a literal names a whole day; a sanitised date is its midnight."""
        if isinstance(literal, datetime):
            return literal.time() == datetime.min.time()
        return not isinstance(literal, str) or not literal[10:].strip("T 0:.")

    def literal(self, code: int) -> exp.Expr:
        from sqlglot import exp

        day = date.fromordinal(self.low.toordinal() + code)
        return exp.cast(exp.Literal.string(day.isoformat()), "DATE")

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        absent = exp.cast(exp.null() if self.missing is None else exp.Literal.string(self.missing.isoformat()), "DATE")
        day = _read(stored, stored_type, self.reading)
        if day is None:
            return absent
        low, high = self.literal(0), self.literal(self.values[0][1] - 1)
        return (
            exp.Case()
            .when(exp.Is(this=day.copy(), expression=exp.null()), absent)
            .when(exp.LTE(this=day.copy(), expression=low), low.copy())
            .when(exp.GTE(this=day.copy(), expression=high), high.copy())
            .else_(day.copy())
        )

    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        day = _read(stored, stored_type, self.reading)
        if day is None:
            return exp.false()
        low, high = self.literal(0), self.literal(self.values[0][1] - 1)
        inside = exp.Between(this=day.copy(), low=low, high=high)
        return exp.Case().when(exp.Is(this=day.copy(), expression=exp.null()), exp.false()).else_(inside)

    def describe(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "low": self.low.isoformat(),
            "high": self.high.isoformat(),
            "missing": None if self.missing is None else self.missing.isoformat(),
            "constant": self.constant,
            **described(self.reading),
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Dates:
        made = dates(parts["low"], parts["high"], missing=parts["missing"], constant=parts["constant"])
        return replace(made, reading=restored(parts))


@called
def dates(
    low: str | date,
    high: str | date,
    *,
    missing: str | date | None = None,
    constant: bool = False,
    format: str | Sequence[str] | None = None,
    null: str | Sequence[str] | None = None,
) -> Dates:
    """A column of days from low to high, both included.

    Texts are read as 2025-12-31, or by the first ``format`` under which they are a day; words in ``null`` are none.

    >>> dates("2025-01-01", "2025-12-31", format=["%d.%m.%Y", "%m/%d/%y"]).code("2/1/25")
    31

    >>> dates("2024-01-01", "2024-12-31").size
    367
    """
    absent = None if missing is None else _declared(missing, "missing")
    reading = reading_of("dates", format=format, null=null)
    return Dates(_declared(low, "low"), _declared(high, "high"), absent, constant, reading)


def day_number(value: object) -> int | None:
    """The day of a stored value, counted from the first of Python's calendar as 1, or None for what names no day."""
    return _day(value)


def _declared(value: object, name: str) -> date:
    if isinstance(value, str) and len(value) != 10:
        raise refuse.bad_bound("dates", name, value)
    day = _day(value)
    if day is None or day < 1:
        raise refuse.bad_bound("dates", name, value)
    return date.fromordinal(day)


def _day(value: object) -> int | None:
    """The day of a stored value, counted from the first of Python's calendar as 1, or None for what names no day.

    What is beyond either end of that calendar has a number of its own: it shares a day with nothing declared.
    """
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        if (beyond := outside(value)) is not None:
            return _counted(beyond)
        day, offset = value.date().toordinal(), value.utcoffset()
        if offset is None:
            return day
        try:
            return value.astimezone(UTC).date().toordinal()
        except OverflowError:
            return day - 1 if offset > timedelta(0) else day + 1
    if isinstance(value, date):
        return value.toordinal()
    if isinstance(value, np.datetime64):
        return _counted(value)
    if isinstance(value, str) and _DAY.fullmatch(value):
        # The year 0 exists in the engine's calendar and not in Python's; it is a leap year, as the year 4 is.
        early = value.startswith("0000")
        try:
            day = date.fromisoformat("0004" + value[4:10] if early else value[:10]).toordinal()
        except ValueError:
            return None
        return day - _FOUR_YEARS if early else day
    return None


def outside(value: datetime) -> np.datetime64 | None:
    """One of pandas' times beyond the ends of Python's calendar as numpy's, in UTC if it has a zone; None for others.

    It is one of Python's times by its class, and has no number of a day.
    """
    found = None if 1 <= value.year <= 9999 else getattr(value, "asm8", None)
    return found if isinstance(found, np.datetime64) else None


def _counted(value: np.datetime64) -> int | None:
    """The day of one of numpy's times."""
    seconds = since_1970(value)
    return None if seconds is None else _EPOCH + int(seconds // _SECONDS["D"])


def since_1970(value: np.datetime64) -> Fraction | None:
    """The seconds of one of numpy's times, in numbers without end: numpy's own casts wrap around silently."""
    unit, count = np.datetime_data(value.dtype)
    if np.isnat(value) or unit == "generic":
        return None
    number = int(value.view(np.int64)) * count
    if unit in ("Y", "M"):
        # Beyond a million years there is nothing to tell apart.
        month = max(-_FAR, min(number * (12 if unit == "Y" else 1), _FAR))
        return int(np.datetime64(month, "M").astype("datetime64[D]").astype(np.int64)) * _SECONDS["D"]
    return number * _SECONDS[unit]


def _read(stored: exp.Expr, stored_type: str, reading: Reading | None = None) -> exp.Expr | None:
    """The same in SQL: a day or NULL, or None where the type names no days."""
    from sqlglot import exp

    match family(stored_type):
        case Family.DATE:
            return stored
        case Family.TIMESTAMP | Family.ZONED if "_NS" in stored_type.upper():
            return _floored(stored)
        case Family.TIMESTAMP:
            return exp.cast(stored, "DATE")
        case Family.ZONED:
            return exp.cast(exp.AtTimeZone(this=stored, zone=exp.Literal.string("UTC")), "DATE")
        case Family.TEXT:
            text = exp.cast(stored if reading is None else reading.stored(stored, stored_type), "VARCHAR")
            if reading is not None and reading.format:
                first, *others = (day_format(written).day_of(text) for written in reading.format)
                return exp.Coalesce(this=first, expressions=others) if others else first
            matches = exp.RegexpLike(this=text, expression=exp.Literal.string(DAY))
            start = exp.Substring(this=text.copy(), start=exp.Literal.number(1), length=exp.Literal.number(10))
            return exp.Case().when(matches, exp.TryCast(this=start, to=exp.DataType.build("DATE")))
        case _:
            return None


def _floored(stored: exp.Expr) -> exp.Expr:
    """The day of a time in nanoseconds, in whole numbers: the engine would round the end of a day to the next.

    Division and remainder are cut towards zero, so that a time before 1970 has one day more to go back.
    """
    from sqlglot import exp

    count = word(Word.NANOSECONDS, stored)
    day = exp.cast(exp.Literal.number(86_400 * 10**9), "BIGINT")
    whole = exp.cast(exp.IntDiv(this=count, expression=day), "INTEGER")
    rest = exp.Mod(this=count.copy(), expression=day.copy())
    start = exp.cast(exp.Literal.string("1970-01-01"), "DATE")
    later = exp.Add(this=start, expression=whole)
    earlier = exp.Sub(this=exp.Paren(this=later.copy()), expression=exp.Literal.number(1))
    before = exp.LT(this=rest, expression=exp.Literal.number(0))
    endless = exp.Is(this=count.copy(), expression=exp.null())
    return exp.Case().when(endless, exp.cast(stored.copy(), "DATE")).when(before, earlier).else_(later)
