"""Functions of one declared column, evaluated beforehand for each of its values: date parts, texts, remainders."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, final

from sqlglot import exp

from partita.errors import PartitaError
from partita.exact import exact
from partita.query.functions import casts
from partita.query.functions.number_types import NumberType, number_type
from partita.query.functions.patterns import REGULAR, regular_of
from partita.region.calendar import PARTS, last_of_month, later, opening, period
from partita.region.like import Pattern, pattern
from partita.region.regular import Irregular

MOST_POWER: Final = 8
# Powers of powers would grow without end.
MOST_BITS: Final = 1024
_NAMED: Final[dict[type[exp.Expr], str]] = {
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
}
COMPARED: Final[dict[type[exp.Expr], Callable[[Any, Any], bool]]] = {
    exp.EQ: lambda one, other: one == other,
    exp.NEQ: lambda one, other: one != other,
    exp.LT: lambda one, other: one < other,
    exp.LTE: lambda one, other: one <= other,
    exp.GT: lambda one, other: one > other,
    exp.GTE: lambda one, other: one >= other,
}
# Functions of two parts and nothing else.
BINARY: Final = frozenset((*COMPARED, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod))
# What else may stand beside the parts of a function without changing what it means.
HARMLESS: Final = frozenset(("safe", "coalesce", "typed", "date_part_boundary", "negate"))
_STRICT: Final = frozenset(
    (
        *COMPARED, *_NAMED, exp.Extract, exp.Dayname, exp.Monthname, exp.TimestampTrunc, exp.DateTrunc, exp.TimeToStr,
        exp.LastDay, exp.DateFromParts, exp.DateDiff, exp.Cast, exp.TryCast, exp.Like, exp.ILike, exp.Anonymous,
        exp.Neg, exp.Abs, exp.Floor, exp.Ceil, exp.Trunc, exp.Round, exp.Sign, exp.WidthBucket, exp.Add, exp.Sub,
        exp.Mul, exp.Div, exp.Pow, exp.IntDiv, exp.Mod, exp.Upper, exp.Lower, exp.Length, exp.Trim, exp.Left, exp.Right,
        exp.Substring, exp.DPipe, exp.StartsWith, exp.Replace, exp.Contains,
        exp.EndsWith, exp.StrPosition, exp.SplitPart, *REGULAR,
    )
)  # fmt: skip
_CALLED: Final = frozenset((*PARTS, "date_part", "datepart", "bucket", "clamp"))
_FORMATS: Final = re.compile(r"(?:%[YmdbBaAjyuVGWU]|[^%])*")


_UNEVALUATED: Final = (TypeError, ValueError, OverflowError, KeyError, AttributeError, PartitaError, Irregular)


@final
class Untabulated(Exception):
    """Something that is not evaluated beforehand."""


def evaluated(node: exp.Expr, values: Mapping[str, Any]) -> Any:
    """The value of a SQL expression where its columns have these values; None is NULL.

    >>> from sqlglot import parse_one
    >>> evaluated(parse_one("EXTRACT(month FROM day) % 2", dialect="duckdb"), {"day": date(2025, 7, 1)})
    Fraction(1, 1)
    """
    try:
        return _evaluated(node, values)
    except _UNEVALUATED:
        raise Untabulated from None


def applied(node: exp.Expr, first: Any, second: Any) -> Any:
    """The value of a node of BINARY whose two parts have these values."""
    try:
        if first is None or second is None:
            return None
        if type(node) in COMPARED:
            return compared(type(node), first, second)
        parts = {"this": first, "expression": second}
        return _numeric(node, parts) if isinstance(first, Fraction) else _textual(node, parts)
    except _UNEVALUATED:
        raise Untabulated from None


def _evaluated(node: exp.Expr, values: Mapping[str, Any]) -> Any:
    if node.args.get("negate"):
        # NOT LIKE is kept by the parser as a LIKE that is turned round.
        found = _strict(node, values)
        return None if found is None else not found
    match node:
        case exp.Column():
            return _value(values[node.name.lower()])
        case exp.Paren() | exp.TsOrDsToDate():
            return _evaluated(node.this, values)
        case exp.Literal():
            return node.name if node.is_string else exact(node.name, "the number")
        case exp.Boolean():
            return bool(node.this)
        case exp.Null():
            return None
        case exp.Case():
            return _case(node, values)
        case exp.If():
            chosen = node.args["true"] if _truth(node.this, values) else node.args.get("false")
            return None if chosen is None else _evaluated(chosen, values)
        case exp.Coalesce():
            parts = (_evaluated(part, values) for part in (node.this, *node.expressions))
            return next((part for part in parts if part is not None), None)
        case exp.Nullif():
            first, second = _alike(*_all([node.this, node.expression], values))
            return None if first == second else first
        case exp.And() | exp.Or():
            return _logic(node, [_evaluated(part, values) for part in node.flatten()])
        case exp.Between() if not node.args.get("symmetric"):
            # One end may decide although the other is NULL.
            middle, low, high = _all([node.this, node.args["low"], node.args["high"]], values)
            return _logic(node, [compared(exp.GTE, middle, low), compared(exp.LTE, middle, high)])
        case exp.Not():
            inner = _truth(node.this, values)
            return None if inner is None else not inner
        case exp.Is():
            return _is(node, values)
        case exp.NullSafeEQ() | exp.NullSafeNEQ():
            one, other = _all([node.this, node.expression], values)
            same = one is other if one is None or other is None else compared(exp.EQ, one, other)
            return same is isinstance(node, exp.NullSafeEQ)
        case exp.In() if node.expressions:
            subject = _evaluated(node.this, values)
            return _among(subject, [_evaluated(part, values) for part in node.expressions])
        case exp.Greatest() | exp.Least():
            listed = [part for part in _all([node.this, *node.expressions], values) if part is not None]
            most = max if isinstance(node, exp.Greatest) else min
            return most(listed) if listed else None
        case exp.Add() | exp.Sub() | exp.DateAdd() | exp.DateSub() if isinstance(node.expression, exp.Interval):
            back = isinstance(node, exp.Sub | exp.DateSub)
            return _shifted(_evaluated(node.this, values), node.expression, values, sign=-1 if back else 1)
        case exp.Add() if isinstance(node.this, exp.Interval):
            return _shifted(_evaluated(node.expression, values), node.this, values, sign=1)
        case exp.Concat():
            beside = zip(node.expressions, _all(node.expressions, values), strict=True)
            return "".join("" if value is None else _text(value, part) for part, value in beside)
        case _:
            return _strict(node, values)


def _shifted(day: Any, interval: exp.Interval, values: Mapping[str, Any], *, sign: int) -> date | None:
    """A day plus or minus so many whole periods."""
    counted = _evaluated(interval.this, values)
    if day is None or counted is None:
        return None
    count = exact(counted, "the number")
    if count.denominator != 1 or interval.args.get("unit") is None:
        raise Untabulated
    return later(_day(day), sign * int(count), interval.args["unit"].name.lower())


def _strict(node: exp.Expr, values: Mapping[str, Any]) -> Any:
    """Functions that are NULL where one argument is."""
    arguments = {
        name: _evaluated(part, values)
        for name, part in node.args.items()
        if isinstance(part, exp.Expr) and not isinstance(part, exp.Var | exp.DataType | exp.Interval)
    }
    if any(value and name not in HARMLESS for name, value in node.args.items() if isinstance(value, bool)):
        raise Untabulated
    listed = [_evaluated(part, values) for part in node.expressions] if isinstance(node, exp.Anonymous) else []
    if None in arguments.values() or None in listed:
        # What is not known may still have a value where an argument has none.
        if type(node) not in _STRICT or (listed and node.name.lower() not in _CALLED):
            raise Untabulated
        return None
    first, second = arguments.get("this"), arguments.get("expression")
    if type(node) in COMPARED:
        return compared(type(node), first, second)
    if type(node) in _NAMED:
        return Fraction(PARTS[_NAMED[type(node)]](_day(first)))
    match node:
        case exp.Extract():
            return Fraction(PARTS[node.name.lower()](_day(second)))
        case exp.Dayname() | exp.Monthname():
            return _day(first).strftime("%A" if isinstance(node, exp.Dayname) else "%B")
        case exp.TimestampTrunc() | exp.DateTrunc():
            return opening(_day(first), node.args["unit"].name.lower())
        case exp.TimeToStr():
            return _formatted(_day(first), str(arguments["format"]))
        case exp.LastDay() if "unit" not in arguments:
            return last_of_month(_day(first))
        case exp.DateFromParts() if set(arguments) == {"year", "month", "day"}:
            return date(*(_whole(arguments[part]) for part in ("year", "month", "day")))
        case exp.DateDiff():
            return _between(node, _day(second), _day(first))
        case exp.Cast() | exp.TryCast():
            return _cast(node, first)
        case exp.Like() | exp.ILike():
            return _pattern(_string(second), folded=isinstance(node, exp.ILike)).meets(_string(first))
        case exp.Anonymous():
            return _called(node.name.lower(), listed)
        case _:
            return _numeric(node, arguments) if isinstance(first, Fraction) else _textual(node, arguments)


def _numeric(node: exp.Expr, arguments: Mapping[str, Any]) -> Any:
    first, second = arguments.get("this"), arguments.get("expression")
    assert isinstance(first, Fraction)
    match node:
        case exp.Neg():
            return -first
        case exp.Abs():
            return abs(first)
        case exp.Floor() if set(arguments) == {"this"}:
            return Fraction(math.floor(first))
        case exp.Ceil() if set(arguments) == {"this"}:
            return Fraction(math.ceil(first))
        case exp.Trunc() if set(arguments) == {"this"}:
            return Fraction(math.trunc(first))
        case exp.Round():
            return casts.rounded(first, int(arguments.get("decimals", 0)))
        case exp.Sign():
            return Fraction((first > 0) - (first < 0))
        case exp.WidthBucket() if {"min_value", "max_value", "num_buckets"} < set(arguments):
            low, high, count = (arguments[name] for name in ("min_value", "max_value", "num_buckets"))
            if low >= high or count < 1:
                raise Untabulated
            place = math.floor((first - low) / (high - low) * _whole(count)) + 1
            return Fraction(min(max(place, 0), _whole(count) + 1))
        case _:
            pass
    if not isinstance(second, Fraction):
        raise Untabulated
    match node:
        case exp.Add():
            return first + second
        case exp.Sub():
            return first - second
        case exp.Mul():
            return first * second
        case exp.Div():
            return first / second if second else None
        case exp.Pow() if 0 <= second <= MOST_POWER:
            if _whole(second) * max(first.numerator.bit_length(), first.denominator.bit_length()) > MOST_BITS:
                raise Untabulated
            return first ** _whole(second)
        case exp.IntDiv():
            # Whole numbers towards zero, others as by /, as DuckDB does.
            if not second:
                return None
            whole = number_type(node) is NumberType.WHOLE
            return Fraction(math.trunc(first / second)) if whole else first / second
        case exp.Mod():
            # The remainder has the sign of what is divided, as in SQL.
            return first - second * math.trunc(first / second) if second else None
        case _:
            raise Untabulated


def _textual(node: exp.Expr, arguments: Mapping[str, Any]) -> Any:
    first, second = arguments.get("this"), arguments.get("expression")
    match node:
        case exp.Upper():
            return _string(first).upper()
        case exp.Lower():
            return _string(first).lower()
        case exp.Length():
            return Fraction(len(_string(first)))
        case exp.Trim() if set(arguments) == {"this"}:
            return _trimmed(_string(first), node.args.get("position"))
        case exp.Left() | exp.Right():
            # Fewer than none: all but so many at the other end.
            count = _whole(second)
            return _string(first)[:count] if isinstance(node, exp.Left) else _string(first)[-count:] if count else ""
        case exp.Substring():
            start, length = _whole(arguments["start"]), arguments.get("length")
            if start < 1 or (length is not None and length < 0):
                raise Untabulated
            end = None if length is None else start - 1 + _whole(length)
            return _string(first)[start - 1 : end]
        case exp.DPipe():
            return _text(first, node.this) + _text(second, node.expression)
        case exp.StartsWith():
            return _string(first).startswith(_string(second))
        case exp.Replace():
            # One inside the other they could make texts of any length.
            if len(arguments["replacement"]) > max(1, len(_string(second))):
                raise Untabulated
            return _string(first).replace(_string(second), _string(arguments["replacement"]))
        case exp.Contains():
            return _string(second) in _string(first)
        case exp.EndsWith():
            return _string(first).endswith(_string(second))
        case exp.StrPosition() if set(arguments) == {"this", "substr"}:
            return Fraction(_string(first).find(_string(arguments["substr"])) + 1)
        case exp.SplitPart() if (place := _whole(arguments["part_index"])) >= 1 and arguments["delimiter"]:
            return next(iter(_string(first).split(_string(arguments["delimiter"]))[place - 1 :]), "")
        case _ if isinstance(node, REGULAR):
            return regular_of(node, second, arguments.get("flag")).meets(_string(first))
        case exp.Add() | exp.Sub() if isinstance(first, date) and isinstance(second, Fraction):
            return later(first, _whole(second) if isinstance(node, exp.Add) else -_whole(second), "day")
        case exp.Sub() if isinstance(first, date):
            return Fraction((first - _day(second)).days)
        case _:
            raise Untabulated


def _called(name: str, parts: list[Any]) -> Any:
    if name in {"date_part", "datepart"} and len(parts) == 2:
        return Fraction(PARTS[str(parts[0]).lower()](_day(parts[1])))
    if name in PARTS and len(parts) == 1:
        return Fraction(PARTS[name](_day(parts[0])))
    if name == "bucket" and len(parts) == 2 and parts[1] > 0:
        return math.floor(parts[0] / parts[1]) * parts[1]
    if name == "clamp" and len(parts) == 3:
        return min(max(parts[0], parts[1]), parts[2])
    raise Untabulated


def _case(node: exp.Case, values: Mapping[str, Any]) -> Any:
    for branch in node.args["ifs"]:
        test = branch.this if node.this is None else exp.EQ(this=node.this, expression=branch.this)
        if _truth(test, values):
            return _evaluated(branch.args["true"], values)
    default = node.args.get("default")
    return None if default is None else _evaluated(default, values)


def _logic(node: exp.Expr, parts: list[Any]) -> bool | None:
    decisive = isinstance(node, exp.Or)
    if not all(part is None or isinstance(part, bool) for part in parts):
        raise Untabulated
    return decisive if decisive in parts else None if None in parts else not decisive


def _is(node: exp.Is, values: Mapping[str, Any]) -> bool:
    match node.expression:
        case exp.Null():
            return _evaluated(node.this, values) is None
        case exp.Boolean():
            return _truth(node.this, values) is bool(node.expression.this)
        case _:
            raise Untabulated


def _among(subject: Any, listed: list[Any]) -> bool | None:
    if subject is None:
        return None
    pairs = [_alike(subject, each) for each in listed]
    return True if any(one == other for one, other in pairs) else None if None in listed else False


def _truth(node: exp.Expr, values: Mapping[str, Any]) -> bool | None:
    """Where only a truth will do: a number is none."""
    found = _evaluated(node, values)
    if found is None or isinstance(found, bool):
        return found
    raise Untabulated


def compared(kind: type[exp.Expr], one: Any, other: Any) -> bool | None:
    """Two values compared; NULL if one of them is."""
    return None if one is None or other is None else COMPARED[kind](*_alike(one, other))


def _alike(one: Any, other: Any) -> tuple[Any, Any]:
    """Two values that can be compared; a text beside a day is read as a day."""
    if isinstance(one, date) and isinstance(other, str):
        other = date.fromisoformat(other)
    if isinstance(other, date) and isinstance(one, str):
        one = date.fromisoformat(one)
    if None not in (one, other) and isinstance(one, str) is not isinstance(other, str):
        raise Untabulated
    return one, other


def _trimmed(text: str, position: str | None) -> str:
    """Without the spaces at its ends, or at the end that is named."""
    match position:
        case "LEADING":
            return text.lstrip(" ")
        case "TRAILING":
            return text.rstrip(" ")
        case _:
            return text.strip(" ")


def _between(node: exp.DateDiff, start: date, end: date) -> Fraction:
    """How many boundaries of a unit lie between two days."""
    unit = str(node.args["unit"].name).lower() if node.args.get("unit") is not None else "day"
    if unit == "week":
        # The engine counts weeks from the one day to the other, and no Mondays.
        return Fraction(math.trunc(Fraction((end - start).days, 7)))
    return Fraction(period(end, unit) - period(start, unit))


def _cast(node: exp.Cast | exp.TryCast, value: Any) -> Any:
    if node.is_type("date"):
        return date.fromisoformat(value) if isinstance(value, str) else _day(value)
    if node.is_type("timestamp"):
        return _day(value)
    if node.is_type("varchar", "text"):
        return _text(value, node.this)
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, str) and node.is_type(*casts.WIDTHS):
        value = casts.read(value)
        if value is None:
            return None
    if not isinstance(value, Fraction):
        raise Untabulated
    if node.is_type("double", "float", "decimal") and not node.to.expressions:
        return value
    return casts.whole(node, value, floating=number_type(node.this) is NumberType.FLOATING)


def _formatted(day: date, form: str) -> str:
    if not _FORMATS.fullmatch(form):
        raise Untabulated
    return day.strftime(form)


def _pattern(text: str, *, folded: bool) -> Pattern:
    if "\\" in text:
        raise Untabulated
    return pattern(text, folded=folded)


def _all(nodes: list[exp.Expr], values: Mapping[str, Any]) -> list[Any]:
    return [_evaluated(node, values) for node in nodes]


def _value(value: Any) -> Any:
    """A value of a column as this evaluator takes it: numbers exactly."""
    if isinstance(value, bool) or value is None or isinstance(value, str | date | Fraction):
        return value
    if isinstance(value, int | Decimal):
        return Fraction(value)
    raise Untabulated


def _day(value: Any) -> date:
    if not isinstance(value, date):
        raise Untabulated
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise Untabulated
    return int(value)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise Untabulated
    return value


def _text(value: Any, node: exp.Expr) -> str:
    """The text of a value that a node gave; how a number is written depends on its type."""
    if isinstance(value, Fraction):
        if number_type(node) is not NumberType.WHOLE or value.denominator != 1:
            # How many digits a decimal has, and which zero a floating number is, is not known here.
            raise Untabulated
        return str(value.numerator)
    if isinstance(value, date):
        return value.isoformat()
    return _string(value)
