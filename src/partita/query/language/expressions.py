"""Bounded expressions: exact arithmetic on declared columns, whose range follows from the public domain alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, assert_never, final

from partita.errors.query import language as refuse
from partita.query.language.curves import curve, nearest
from partita.region.calendar import month_number
from partita.region.columns import Dates, Timestamps
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain

if TYPE_CHECKING:
    from partita.query.language.conditions import Condition

# A row's value must fit a 64-bit integer, so that a 128-bit sum of 2^63 rows cannot overflow.
WIDEST_VALUE = 2**62
# Times are counted from here, in seconds; naive on purpose, as what a clock shows.
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001


@final
@dataclass(frozen=True, slots=True)
class Value:
    """A declared column of numbers; of dates the days since its first one, of times the seconds since 1970.

    ``timed`` says that it was written as one of these, so that it is written so again.
    """

    column: str
    timed: bool = field(default=False, compare=False)


@final
@dataclass(frozen=True, slots=True)
class Number:
    """A constant; None is NULL."""

    value: Fraction | None


@final
@dataclass(frozen=True, slots=True)
class Plus:
    """The sum of its parts; NULL if one part is."""

    parts: tuple[Expression, ...]


@final
@dataclass(frozen=True, slots=True)
class Times:
    """The product of its parts; NULL if one part is."""

    parts: tuple[Expression, ...]


@final
@dataclass(frozen=True, slots=True)
class Clamp:
    """The part, moved to the nearer end where it is outside."""

    part: Expression
    low: Fraction
    high: Fraction


@final
@dataclass(frozen=True, slots=True)
class Quotient:
    """How often a constant above zero goes into the part, rounded down; a whole number."""

    part: Expression
    width: Fraction


@final
@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of the part then: at least zero, and less than the constant."""

    part: Expression
    width: Fraction


@final
@dataclass(frozen=True, slots=True)
class Months:
    """The month that a day lies in, counted from the beginning of the year 0; the part counts days since 1970."""

    part: Expression


@final
@dataclass(frozen=True, slots=True)
class Extreme:
    """The greatest of its parts, or the least, NULL left out; NULL if all parts are (GREATEST, LEAST)."""

    parts: tuple[Expression, ...]
    greatest: bool


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """How many steps the part over the divisor comes to, to the nearest, a half up; the value is so many steps.

    The part counts as 0 where it is below, and the divisor as its own unit where it is less.
    """

    part: Expression
    divisor: Expression
    step: Fraction


@final
@dataclass(frozen=True, slots=True)
class Curved:
    """A rising function of the part between two ends, in units, as so many steps (``curves.py``).

    Beyond an end it is what it is at that end.
    """

    name: str
    part: Expression
    low: Fraction
    high: Fraction
    unit: Fraction
    step: Fraction


@final
@dataclass(frozen=True, slots=True)
class First:
    """The first part that is not NULL (COALESCE)."""

    parts: tuple[Expression, ...]


@final
@dataclass(frozen=True, slots=True)
class Case:
    """The value beside the first condition that is true, or else the last one."""

    branches: tuple[tuple[Condition, Expression], ...]
    otherwise: Expression


Expression = (
    Value | Number | Plus | Times | Clamp | Quotient | Remainder | Months | Extreme | Ratio | Curved | First | Case
)


@final
@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a row's value must lie, on which lattice, and whether it may be NULL.

    Every value is a whole multiple of ``unit``. ``low`` and ``high`` count units.

    >>> Bounds(0, 2000000, Fraction(1, 100), nullable=True).highest
    Fraction(20000, 1)
    """

    low: int
    high: int
    unit: Fraction
    nullable: bool

    @property
    def lowest(self) -> Fraction:
        """The least value."""
        return self.low * self.unit

    @property
    def highest(self) -> Fraction:
        """The greatest value."""
        return self.high * self.unit

    def on(self, unit: Fraction) -> Bounds:
        """The same bounds counted in a finer unit that divides this one."""
        factor = int(self.unit / unit)
        return Bounds(self.low * factor, self.high * factor, unit, self.nullable)


def bounds(expression: Expression, domain: Domain) -> Bounds:
    """The range of an expression by interval arithmetic on the declared domain.

    >>> from partita.region.columns import integers
    >>> domain = Domain({"age": integers(0, 120, missing=0)})
    >>> twice = Times((Number(Fraction(2)), Value("age")))
    >>> bounds(Plus((twice, Number(Fraction(-1)))), domain)
    Bounds(low=-1, high=239, unit=Fraction(1, 1), nullable=False)
    """
    match expression:
        case Value(name):
            dated = domain.bounded[domain.axis(name)]
            if isinstance(dated, Dates):
                # Only quantiles are asked of days; they count from the first one.
                return Bounds(0, dated.values[0][1] - 1, Fraction(1), dated.null is not None)
            column = counted(name, domain)
            return Bounds(column.low, column.high, column.step, column.null is not None)
        case Number(None):
            return Bounds(0, 0, Fraction(1), nullable=True)
        case Number(value):
            assert value is not None
            return Bounds(value.numerator, value.numerator, Fraction(1, value.denominator), nullable=False)
        case Plus(parts):
            pieces = _aligned([bounds(part, domain) for part in parts])
            return Bounds(
                sum(piece.low for piece in pieces),
                sum(piece.high for piece in pieces),
                pieces[0].unit,
                any(piece.nullable for piece in pieces),
            )
        case Times(parts):
            return _product(parts, domain)
        case Clamp(part, low, high):
            inner = bounds(part, domain)
            unit = shared(inner.unit, low, high)
            fine, floor, ceiling = inner.on(unit), int(low / unit), int(high / unit)
            return Bounds(min(max(fine.low, floor), ceiling), min(max(fine.high, floor), ceiling), unit, inner.nullable)
        case Quotient(part, width):
            inner = bounds(part, domain)
            times = [math.floor(end / width) for end in (inner.lowest, inner.highest)]
            return Bounds(times[0], times[1], Fraction(1), inner.nullable)
        case Remainder(part, width):
            inner = bounds(part, domain)
            unit = shared(inner.unit, width)
            before = math.floor(inner.lowest / width)
            if before == math.floor(inner.highest / width):
                ends = [int((end - before * width) / unit) for end in (inner.lowest, inner.highest)]
                return Bounds(ends[0], ends[1], unit, inner.nullable)
            return Bounds(0, int(width / unit) - 1, unit, inner.nullable)
        case Months(part):
            inner = bounds(part, domain)
            months = [month_number(math.floor(end)) for end in (inner.lowest, inner.highest)]
            return Bounds(months[0], months[1], Fraction(1), inner.nullable)
        case Extreme(parts, greatest):
            return _extreme([bounds(part, domain) for part in parts], greatest=greatest)
        case Ratio(part, divisor, step):
            return _ratio(bounds(part, domain), bounds(divisor, domain), step)
        case Curved(name, part, low, high, unit, step):
            inner, curved = bounds(part, domain), curve(name, low, high, unit, step)
            ends = [curved.at(math.floor((end - low) / unit)) for end in (inner.lowest, inner.highest)]
            return Bounds(ends[0], ends[1], step, inner.nullable)
        case First(parts):
            pieces = _aligned([bounds(part, domain) for part in parts])
            return _hull(pieces, nullable=all(piece.nullable for piece in pieces))
        case Case(branches, otherwise):
            pieces = _aligned([bounds(part, domain) for part in (*(value for _, value in branches), otherwise)])
            return _hull(pieces, nullable=any(piece.nullable for piece in pieces))
        case _:
            assert_never(expression)


def numeric(name: str, domain: Domain) -> Stepped:
    """The column, if it holds numbers that can be added."""
    column = counted(name, domain)
    if isinstance(column, Timestamps):
        raise refuse.not_numeric(name, column.kind)
    return column


def counted(name: str, domain: Domain) -> Stepped:
    """The column, if it holds numbers, or times: these are counted in seconds since the beginning of 1970."""
    column = domain.bounded[domain.axis(name)]
    if not isinstance(column, Stepped):
        raise refuse.not_numeric(name, column.kind)
    return column


def since(expression: Expression, domain: Domain) -> date | None:
    """The day that an expression counts from, if it gives days, or the moment, if it gives times.

    It does if it is a column of them, or a choice of one or NULL.

    >>> from partita.region.columns import dates
    >>> since(Value("day"), Domain({"day": dates("2025-01-01", "2025-12-31")}))
    datetime.date(2025, 1, 1)
    """
    match expression:
        case Value(name):
            column = domain.bounded[domain.axis(name)]
            if isinstance(column, Timestamps):
                return EPOCH
            return column.low if isinstance(column, Dates) else None
        case Case(branches, otherwise):
            found = {
                since(part, domain) for part in (*(value for _, value in branches), otherwise) if part != Number(None)
            }
            return found.pop() if len(found) == 1 else None
        case _:
            return None


def columns(expression: Expression) -> frozenset[str]:
    """The columns an expression reads."""
    match expression:
        case Value(name):
            return frozenset((name,))
        case Number():
            return frozenset()
        case Plus(parts) | Times(parts) | First(parts) | Extreme(parts):
            return frozenset().union(*map(columns, parts))
        case Clamp(part) | Quotient(part) | Remainder(part) | Months(part) | Curved(_, part):
            return columns(part)
        case Ratio(part, divisor):
            return columns(part) | columns(divisor)
        case Case(branches, otherwise):
            found = columns(otherwise)
            for condition, value in branches:
                found |= condition.columns() | columns(value)
            return found
        case _:
            assert_never(expression)


def shared(unit: Fraction, *others: Fraction) -> Fraction:
    """The largest unit of which all are whole multiples."""
    for other in others:
        if other:
            bottom = lcm(unit.denominator, other.denominator)
            unit = Fraction(gcd(int(unit * bottom), int(other * bottom)), bottom)
    return unit


def _product(parts: tuple[Expression, ...], domain: Domain) -> Bounds:
    """Equal factors are taken as a power, so that a square is never negative."""
    powers: dict[Expression, int] = {}
    for part in parts:
        powers[part] = powers.get(part, 0) + 1
    low, high, unit, nullable = 1, 1, Fraction(1), False
    for part, power in powers.items():
        inner = bounds(part, domain)
        ends = (inner.low**power, inner.high**power)
        least = 0 if power % 2 == 0 and inner.low <= 0 <= inner.high else min(ends)
        corners = [end * other for end in (low, high) for other in (least, max(ends))]
        low, high = min(corners), max(corners)
        unit *= inner.unit**power
        nullable = nullable or inner.nullable
    return Bounds(low, high, unit, nullable)


def _extreme(given: list[Bounds], *, greatest: bool) -> Bounds:
    """A part that is never NULL is always among those compared; one that may be NULL may be the only one."""
    pieces = _aligned(given)
    certain = [piece for piece in pieces if not piece.nullable]
    hull = _hull(pieces, nullable=not certain)
    if not certain:
        return hull
    if greatest:
        return Bounds(max(piece.low for piece in certain), hull.high, hull.unit, nullable=False)
    return Bounds(hull.low, min(piece.high for piece in certain), hull.unit, nullable=False)


def _ratio(part: Bounds, divisor: Bounds, step: Fraction) -> Bounds:
    """It grows with the part and falls with the divisor."""
    least, most = (max(end, divisor.unit) for end in (divisor.lowest, divisor.highest))
    low, high = (
        nearest(max(part.lowest, Fraction(0)) / most, step),
        nearest(max(part.highest, Fraction(0)) / least, step),
    )
    return Bounds(low, high, step, part.nullable or divisor.nullable)


def _aligned(pieces: list[Bounds]) -> list[Bounds]:
    unit = pieces[0].unit
    for piece in pieces[1:]:
        unit = shared(unit, piece.unit)
    return [piece.on(unit) for piece in pieces]


def _hull(pieces: list[Bounds], *, nullable: bool) -> Bounds:
    return Bounds(min(piece.low for piece in pieces), max(piece.high for piece in pieces), pieces[0].unit, nullable)
