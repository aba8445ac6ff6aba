"""Reads dates and times in SQL: columns, literals, truncations, parts and differences, as bounded expressions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.query.language import clock
from partita.query.language.conditions import Condition, Versus, versus
from partita.query.language.expressions import (
    EPOCH,
    Case,
    Expression,
    Months,
    Number,
    Plus,
    Quotient,
    Remainder,
    Times,
    Value,
    bounds,
)
from partita.query.language.expressions import columns as columns_of
from partita.query.language.keys import Shape
from partita.query.sql.time_choices import Time, among, chosen
from partita.query.sql.zoned import moved, zone_of
from partita.region.columns import Dates, Operator, Timestamps
from partita.region.columns.moments import moment
from partita.region.domain import Domain
from partita.region.predicate import And, Compare, Not, Predicate
from partita.region.region import Region
from partita.region.zones import UTC

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

_PARTS: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfYear: "doy",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
    exp.TimeToUnix: "epoch",
}
_NAMED: Final = frozenset(
    ("weekday", "dayofweek", "dayofyear", "dayofmonth", "weekofyear", "isoyear", "decade", "century", "hour", "minute",
     "second", "millisecond", "microsecond", "isodow", "epoch")
)  # fmt: skip
# Where TIME_BUCKET begins to count: a Monday, and for months the beginning of a century.
_LEVELS: Final = 2
_MONDAY: Final = Fraction((date(2000, 1, 3) - EPOCH.date()).days) * clock.DAY
_CENTURY: Final = 2000 * 12
# A day is moved by no more months.
MOST_MONTHS: Final = 12_000
# Functions of so many days are worked out by arithmetic, and not day by day.
_MANY_DAYS: Final = 3_000


def time_of(reader: Reader, node: exp.Expr) -> Time | None:
    """The date or time that a node gives, or None if it is something else."""
    node = node.unnest()
    match node:
        case exp.Column():
            return _column(reader, node)
        case exp.TsOrDsToDate() | exp.Date() if isinstance(node.this, exp.Expr):
            return _dated(time_of(reader, node.this) or literal(node.this))
        case exp.Cast() if node.is_type("date"):
            return _dated(time_of(reader, node.this) or literal(node.this))
        case exp.Cast() if node.is_type("timestamp", "timestampntz", "datetime"):
            inner = time_of(reader, node.this) or literal(node.this)
            return None if inner is None else Time(inner.seconds, whole=False, rising=inner.rising)
        case exp.AtTimeZone() | exp.Anonymous() if zone_of(node) is not None:
            return Time(*moved(reader, node))
        case exp.TimestampTrunc() | exp.DateTrunc() | exp.DateBin():
            return _opening(reader, node)
        case exp.Anonymous() if node.name.lower() == "bucket":
            return _opening(reader, node)
        case exp.Add() | exp.Sub():
            return _shifted(reader, node)
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            return among(lambda part: time_of(reader, part) or literal(part), node)
        case exp.Case() | exp.If():
            return chosen(reader, lambda part: time_of(reader, part) or literal(part), node)
        case _:
            return None


def literal(node: exp.Expr) -> Time | None:
    """The time that a written text names."""
    node = node.unnest()
    if isinstance(node, exp.Cast) and node.is_type("date", "timestamp", "timestampntz", "datetime"):
        inner = literal(node.this)
        return _dated(inner) if node.is_type("date") else inner
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    time = moment(node.name, UTC)
    return None if time is None else Time(Number(Fraction(time, 10**6)), whole=False)


def _column(reader: Reader, node: exp.Column) -> Time | None:
    if reader.attributes(node) or reader.opened(node) is not None:
        return None
    name, column = reader.column(node)
    match column:
        case Dates():
            return Time(clock.plus(Value(name, timed=True), column.low.toordinal() - clock.ORDINAL), whole=True)
        case Timestamps():
            return Time(Value(name, timed=True), whole=False)
        case _:
            return None


def _dated(time: Time | None) -> Time | None:
    if time is None:
        return None
    if isinstance(time.of, Number) and time.of.value is not None:
        return Time(Number(Fraction(time.of.value if time.whole else time.of.value // clock.DAY)), whole=True)
    return Time(time.days, whole=True, rising=time.rising)


def _shifted(reader: Reader, node: exp.Binary) -> Time | None:
    """A time moved by an interval of a fixed length, or a day by a number of days."""
    sign = -1 if isinstance(node, exp.Sub) else 1
    time, other = time_of(reader, node.this), node.expression.unnest()
    if time is None:
        return None
    if isinstance(other, exp.Interval):
        length, months = interval(other), _months(other)
        if months is not None:
            moved = clock.times(clock.later(time.days, sign * months), clock.DAY)
            of = moved if time.whole else Plus((moved, Remainder(time.seconds, clock.DAY)))
            return Time(of, whole=False, rising=time.rising and time.whole)
        if length is None:
            return None
        return Time(clock.plus(time.seconds, sign * length), whole=False, rising=time.rising)
    number = reader.constant(other) if time.whole and isinstance(other, exp.Literal) and not other.is_string else None
    if number is None or number.denominator != 1:
        return None
    return Time(clock.plus(time.of, sign * number), whole=True, rising=time.rising)


def by_calendar(*nodes: exp.Expr) -> bool:
    """Whether days are moved by months, which is long to write as arithmetic and short to look up."""
    return any(_months(each) is not None for node in nodes for each in node.find_all(exp.Interval))


def _months(node: exp.Interval) -> int | None:
    """The months of a written interval of so many of them."""
    width = clock.MONTHS.get(clock.unit_of(node.args["unit"].name)) if node.args.get("unit") is not None else None
    text = node.this.name if isinstance(node.this, exp.Literal) else ""
    if width is None or not text.isascii() or not text.isdigit() or len(text) > 4:
        return None
    return int(text) * width if int(text) * width <= MOST_MONTHS else None


def interval(node: exp.Interval) -> Fraction | None:
    """The seconds of a written interval of a fixed length."""
    unit = node.args.get("unit")
    try:
        count = Fraction(node.this.name)
    except (ValueError, ZeroDivisionError, AttributeError):
        return None
    length = None if unit is None else clock.SECONDS.get(clock.unit_of(unit.name))
    return None if length is None else count * length


@final
@dataclass(frozen=True, slots=True)
class Periods:
    """Periods that times lie in: the number of one, and the seconds, days or months that begin it."""

    number: Expression
    width: Fraction
    start: Fraction
    shown: Shape

    def opening(self) -> Expression:
        """The beginning of the period, in seconds."""
        begun = clock.plus(clock.times(self.number, self.width), self.start)
        return clock.times(clock.first_day(begun), clock.DAY) if self.shown is Shape.MONTHS else begun


def periods(reader: Reader, node: exp.Expr) -> Periods | None:
    """The periods of a DATE_TRUNC or TIME_BUCKET of something that gives times.

    Each period of a period is several times as long to write, so there are two levels of them and no more.
    """
    if sum(isinstance(one, exp.TimestampTrunc | exp.DateTrunc | exp.DateBin) for one in node.walk()) > _LEVELS:
        return None
    match node:
        case exp.TimestampTrunc() | exp.DateTrunc():
            inner = time_of(reader, node.this)
            return None if inner is None else _truncated(inner, clock.unit_of(node.args["unit"].name))
        case exp.DateBin() if isinstance(node.this, exp.Interval) and not node.args.get("zone"):
            inner = time_of(reader, node.expression)
            return None if inner is None else _buckets(inner, node.this)
        case exp.Anonymous() if len(node.expressions) == 2 and isinstance(node.expressions[1], exp.Interval):
            inner = time_of(reader, node.expressions[0])
            return None if inner is None else _buckets(inner, node.expressions[1])
        case _:
            return None


def _truncated(time: Time, unit: str) -> Periods | None:
    if unit in clock.MONTHS:
        number = clock.period(time.seconds, time.days, unit)
        assert number is not None
        return Periods(number, Fraction(clock.MONTHS[unit]), Fraction(0), Shape.MONTHS)
    if unit == "week":
        number = Quotient(clock.plus(time.days, 3), Fraction(7))
        return Periods(number, clock.SECONDS["week"], -clock.MONDAY, Shape.SECONDS)
    number = clock.period(time.seconds, time.days, unit)
    return None if number is None else Periods(number, clock.SECONDS[unit], Fraction(0), Shape.SECONDS)


def _buckets(time: Time, width: exp.Interval) -> Periods | None:
    unit = clock.unit_of(width.args["unit"].name) if width.args.get("unit") is not None else ""
    if unit in clock.MONTHS:
        count = Fraction(width.this.name) * clock.MONTHS[unit] if width.this.name.isdecimal() else Fraction(0)
        if count < 1:
            return None
        number = Quotient(clock.plus(Months(time.days), -_CENTURY), count)
        return Periods(number, count, Fraction(_CENTURY), Shape.MONTHS)
    length = interval(width)
    if length is None or length <= 0:
        return None
    number = Quotient(clock.plus(time.seconds, -_MONDAY), length)
    return Periods(number, length, _MONDAY, Shape.SECONDS)


def _opening(reader: Reader, node: exp.Expr) -> Time | None:
    found = periods(reader, node)
    if found is None:
        return None
    subject = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    inner = time_of(reader, node.expression if isinstance(node, exp.DateBin) else subject)
    return Time(found.opening(), rising=inner is not None and inner.rising)


# --- numbers ----------------------------------------------------------------------------------------------------


def number_of(reader: Reader, node: exp.Expr) -> Expression | None:
    """A number made of dates and times: a part, or a difference."""
    match node:
        case exp.Extract():
            return _part(reader, node.name, node.expression)
        case _ if type(node) in _PARTS:
            return _part(reader, _PARTS[type(node)], node.this)
        case exp.DateDiff():
            unit = node.args.get("unit")
            return _apart(reader, "day" if unit is None else unit.name, node.expression, node.this)
        case exp.Anonymous():
            return _called(reader, node.name.lower(), node.expressions)
        case exp.Sub():
            return _subtracted(reader, node)
        case _:
            return None


def _called(reader: Reader, name: str, parts: list[exp.Expr]) -> Expression | None:
    if name in {"date_part", "datepart"} and len(parts) == 2 and isinstance(parts[0], exp.Literal):
        return _part(reader, parts[0].name, parts[1])
    if name in _NAMED and len(parts) == 1:
        return _part(reader, name, parts[0])
    if name in {"date_sub", "datesub"} and len(parts) == 3 and isinstance(parts[0], exp.Literal):
        return _complete(reader, parts[0].name, parts[1], parts[2], lenient=True)
    return None


def _part(reader: Reader, name: str, node: exp.Expr) -> Expression | None:
    node = node.unnest()
    if isinstance(node, exp.Anonymous) and node.name.lower() == "age" and len(node.expressions) == 2:
        # Of an age only the whole years are the same in every calendar.
        years = clock.unit_of(name) == "year"
        return _complete(reader, "year", *reversed(node.expressions), lenient=False) if years else None
    if isinstance(node, exp.Sub) and clock.unit_of(name) == "epoch":
        last, first = time_of(reader, node.this), time_of(reader, node.expression)
        if last is not None and first is not None and not (last.whole and first.whole):
            return clock.minus(last.seconds, first.seconds)
        return None
    time = time_of(reader, node)
    return None if time is None else clock.part(time.seconds, time.days, name)


def _sides(reader: Reader, start: exp.Expr, end: exp.Expr) -> tuple[Time, Time] | None:
    first, last = (time_of(reader, side) or literal(side) for side in (start, end))
    return None if first is None or last is None else (first, last)


def _apart(reader: Reader, word: str, start: exp.Expr, end: exp.Expr) -> Expression | None:
    """How many boundaries of a unit lie between two times."""
    sides = _sides(reader, start, end)
    if sides is None:
        return None
    if clock.unit_of(word) == "week":
        # The engine counts weeks from the one day to the other, and no Mondays.
        return _towards_zero(clock.minus(sides[1].days, sides[0].days), Fraction(7), reader.table.domain)
    numbers = [
        _fixed(clock.period(side.seconds, side.days, clock.unit_of(word)), reader.table.domain) for side in sides
    ]
    return None if numbers[0] is None or numbers[1] is None else clock.minus(numbers[1], numbers[0])


def _fixed(number: Expression | None, domain: Domain) -> Expression | None:
    """What has no column is the number that it is."""
    if number is None or columns_of(number):
        return number
    return Number(bounds(number, domain).lowest)


def _complete(reader: Reader, word: str, start: exp.Expr, end: exp.Expr, *, lenient: bool) -> Expression | None:
    """How many whole units lie between two times; of months, quarters and years, between two days."""
    sides, unit = _sides(reader, start, end), clock.unit_of(word)
    if sides is None:
        return None
    if unit in clock.SECONDS:
        apart = clock.minus(sides[1].seconds, sides[0].seconds)
        return _towards_zero(apart, clock.SECONDS[unit], reader.table.domain)
    if unit not in clock.MONTHS or not all(side.whole or isinstance(side.of, Number) for side in sides):
        return None
    first, last = (_fixed(side.days, reader.table.domain) for side in sides)
    assert first is not None
    assert last is not None
    return clock.complete(first, last, unit, reader.table.domain, lenient=lenient)


def _towards_zero(part: Expression, width: Fraction, domain: Domain) -> Expression:
    below = Condition(Region.everything(domain), (Versus(part, Operator.BELOW, Number(Fraction(0))),))
    negative = clock.times(Quotient(clock.times(part, -1), width), -1)
    return Case(((below, negative),), Quotient(part, width))


def _subtracted(reader: Reader, node: exp.Sub) -> Expression | None:
    """The days between two dates."""
    sides = _sides(reader, node.expression, node.this)
    if sides is None or not all(side.whole for side in sides) or not any(columns_of(side.of) for side in sides):
        return None
    return clock.minus(sides[1].of, sides[0].of)


def written(reader: Reader, node: exp.Anonymous) -> Expression | None:
    """What plans are written with: COUNTED(column), QUOTIENT(x, w), REMAINDER(x, w) and MONTHS(day)."""
    name, parts = node.name.lower(), node.expressions
    if name == "counted" and len(parts) == 1 and isinstance(parts[0], exp.Column):
        found, column = reader.column(parts[0])
        return Value(found, timed=True) if isinstance(column, Dates | Timestamps) else None
    if name == "months" and len(parts) == 1:
        return Months(reader.expression(parts[0]))
    width = reader.constant(parts[1]) if name in {"quotient", "remainder"} and len(parts) == 2 else None
    if width is None or width <= 0:
        return None
    part = reader.expression(parts[0])
    return Quotient(part, width) if name == "quotient" else Remainder(part, width)


# --- conditions -------------------------------------------------------------------------------------------------


def rises(expression: Expression) -> bool:
    """Whether an expression of one column never falls as the column grows."""
    match expression:
        case Value():
            return True
        case Quotient(part) | Months(part):
            return rises(part)
        case Plus(parts) | Times(parts):
            others = [one for one in parts if not isinstance(one, Number)]
            signs = [one.value is not None and one.value >= 0 for one in parts if isinstance(one, Number)]
            return len(others) == 1 and rises(others[0]) and (isinstance(expression, Plus) or all(signs))
        case _:
            return False


def many(reader: Reader, node: exp.Expr) -> bool:
    """Whether a column of times is mentioned, or one of very many days."""
    declared = {name.lower(): column for name, column in reader.table.columns.items()}
    found = [declared.get(column.name.lower()) for column in node.find_all(exp.Column)]
    spend(8 * len(found), Work.WORDS)  # looked for again in each part of a long sum
    return any(isinstance(one, Timestamps) or (isinstance(one, Dates) and one.size > _MANY_DAYS) for one in found)


def compared(reader: Reader, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate | None:
    """Two times compared, one of which may be a text; or how far two are apart with an interval."""
    domain = reader.table.domain
    pair = time_of(reader, left), time_of(reader, right)
    first, last = pair[0] or literal(left), pair[1] or literal(right)
    if any(pair) and first is not None and last is not None:
        if isinstance(first.of, Number):
            first, operator, last = last, operator.mirrored(), first
        if not isinstance(last.of, Number):
            return versus(first.seconds, operator, last.seconds)
        constant = bounds(last.seconds, domain).lowest
        found = ranged(Time(first.seconds, whole=False, rising=first.rising), operator, constant, domain)
        days = all(isinstance(domain.bounded[domain.axis(name)], Dates) for name in columns_of(first.of))
        if found is None and days and by_calendar(left, right):
            return None  # day by day, if that can be, it is a region
        return found or versus(first.seconds, operator, Number(constant))
    span = right.unnest()
    length = interval(span) if isinstance(span, exp.Interval) else None
    apart = None if length is None else number_of(reader, exp.TimeToUnix(this=left.copy()))
    return None if apart is None else versus(apart, operator, Number(length))


def window(left: Expression, operator: Operator, right: Expression, domain: Domain) -> Predicate | None:
    """A number that only says how late it is, compared with a constant: YEAR(seen) = 2025."""
    if not isinstance(right, Number) or right.value is None:
        return None
    return ranged(Time(left, whole=False, rising=rises(left)), operator, right.value, domain)


def ranged(time: Time, operator: Operator, constant: Fraction, domain: Domain) -> Predicate | None:
    """A comparison of a rising function of one column of times with a constant, as a range of the column."""
    names = columns_of(time.of)
    name = next(iter(names), "")
    column = domain.bounded[domain.axis(name)] if len(names) == 1 else None
    if not time.rising or not isinstance(column, Timestamps):
        return None

    def at(code: int) -> Fraction:
        point = Timestamps(column.low + code, column.low + code, column.tick, column.zone, column.low + code)
        return bounds(time.of, Domain({name: point})).lowest

    def first(*, reached: bool) -> Predicate:
        """The values from the first that is not below the constant, or that is above it."""
        low, high = 0, column.high - column.low + 1
        while low < high:
            middle = (low + high) // 2
            found = at(middle)
            low, high = (low, middle) if found > constant or (reached and found == constant) else (middle + 1, high)
        beyond = low > column.high - column.low
        return Compare(name, Operator.ABOVE if beyond else Operator.AT_LEAST, column.value(low - beyond))

    match operator:
        case Operator.AT_LEAST:
            return first(reached=True)
        case Operator.ABOVE:
            return first(reached=False)
        case Operator.BELOW:
            return Not(first(reached=True))
        case Operator.AT_MOST:
            return Not(first(reached=False))
        case Operator.EQUAL:
            return And((first(reached=True), Not(first(reached=False))))
        case Operator.DIFFERENT:
            return Not(And((first(reached=True), Not(first(reached=False)))))
