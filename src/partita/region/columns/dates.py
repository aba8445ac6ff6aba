"""Days between two public dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, final

from partita.errors import regions as refuse
from partita.region.codes import NOTHING, Codes, difference, intersection, span
from partita.region.columns.base import Bounded, Operator
from partita.region.columns.stored import Family, family

if TYPE_CHECKING:
    from sqlglot import exp

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?$"
_DAY = re.compile(DAY[1:-1])


@final
@dataclass(frozen=True, slots=True)
class Dates(Bounded):
    """Every day from first to last; a time of day is dropped, a zoned time is read in UTC.

    >>> day = dates("2025-01-01", "2025-12-31")
    >>> day.code("2025-02-01"), day.code("1999-01-01"), day.code("soon"), day.size
    (31, 0, 365, 366)
    """

    kind: ClassVar[str] = "dates"
    low: date
    high: date
    missing: date | None = None
    constant: bool = False

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise refuse.empty_column("dates", self.low.isoformat(), self.high.isoformat())
        if self.missing is not None and not self.low <= self.missing <= self.high:
            raise refuse.missing_outside("dates", self.missing, self.low, self.high)

    @property
    def size(self) -> int:
        return (self.high - self.low).days + (2 if self.missing is None else 1)

    def code(self, value: object) -> int:
        day = _day(value)
        if day is None:
            return self.size - 1 if self.missing is None else (self.missing - self.low).days
        return (min(max(day, self.low), self.high) - self.low).days

    def within(self, value: object) -> bool:
        day = _day(value)
        return day is not None and self.low <= day <= self.high

    def value(self, code: int) -> date | None:
        return None if code == self.null else date.fromordinal(self.low.toordinal() + code)

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        day = _day(literal) if not isinstance(literal, str) or _DAY.fullmatch(literal) else None
        if day is None:
            raise refuse.not_comparable(name, "dates", literal)
        place = (day - self.low).days
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
        day = _read(stored, stored_type)
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

        day = _read(stored, stored_type)
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
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Dates:
        return dates(parts["low"], parts["high"], missing=parts["missing"], constant=parts["constant"])


def dates(low: str | date, high: str | date, *, missing: str | date | None = None, constant: bool = False) -> Dates:
    """A column of days from low to high, both included.

    >>> dates("2024-01-01", "2024-12-31").size
    367
    """
    absent = None if missing is None else _declared(missing, "missing")
    return Dates(_declared(low, "low"), _declared(high, "high"), absent, constant)


def _declared(value: object, name: str) -> date:
    if isinstance(value, str) and len(value) != 10:
        raise refuse.bad_bound("dates", name, value)
    day = _day(value)
    if day is None:
        raise refuse.bad_bound("dates", name, value)
    return day


def _day(value: object) -> date | None:
    """The day of a stored value, or None for what names no day."""
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        try:
            return (value if value.tzinfo is None else value.astimezone(UTC)).date()
        except OverflowError:
            # Less than a day beyond the ends of the calendar: the end itself, which is where it is clamped to.
            return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _DAY.fullmatch(value):
        # The year 0 exists in the engine's calendar and not in Python's; it is before every bound either way.
        text = "0004" + value[4:10] if value.startswith("0000") else value[:10]
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    return None


def _read(stored: exp.Expr, stored_type: str) -> exp.Expr | None:
    """The same in SQL: a day or NULL, or None where the type names no days."""
    from sqlglot import exp

    match family(stored_type):
        case Family.DATE:
            return stored
        case Family.TIMESTAMP:
            return exp.cast(stored, "DATE")
        case Family.ZONED:
            return exp.cast(exp.AtTimeZone(this=stored, zone=exp.Literal.string("UTC")), "DATE")
        case Family.TEXT:
            text = exp.cast(stored, "VARCHAR")
            matches = exp.RegexpLike(this=text, expression=exp.Literal.string(DAY))
            start = exp.Substring(this=text.copy(), start=exp.Literal.number(1), length=exp.Literal.number(10))
            return exp.Case().when(matches, exp.TryCast(this=start, to=exp.DataType.build("DATE")))
        case _:
            return None
