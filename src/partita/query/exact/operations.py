"""Operations: what an engine computes, one by one in its own order, each with the interval it lies in and its type."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum, IntEnum, unique
from typing import TYPE_CHECKING, assert_never, final

from partita.query.language.curves import Curve
from partita.region.calendar import MARCH

if TYPE_CHECKING:
    from partita.query.language.conditions import Condition

# How many rows a table, or one owner, may have for the intervals of sums and counts to hold: far more than any engine
# can store, and few enough that a 128-bit sum of them has bits to spare (check_widths.proof.md).
MOST_ROWS = 2**40
# How many operations a number may take, and how many of them inside each other: engines refuse what is deeper, and take
# very long over what is longer.
MOST_OPERATIONS = 5_000
MOST_DEEP = 150
# So many numbers of a list are as long to write as one operation.
LISTED = 16


@final
@unique
class Width(IntEnum):
    """The integers of an engine: of 64 bits, of 128 bits, and none at all for what no type holds."""

    NARROW = 1
    WIDE = 2
    NONE = 3

    @classmethod
    def of(cls, *values: int) -> Width:
        """The narrowest type that holds all of these, with a bit and more to spare.

        >>> Width.of(-3, 2**62), Width.of(2**62 + 1), Width.of(10**40)
        (<Width.NARROW: 1>, <Width.WIDE: 2>, <Width.NONE: 3>)
        """
        most = max(map(abs, values))
        return cls.NARROW if most <= 2**62 else cls.WIDE if most <= 2**120 else cls.NONE


@dataclass(frozen=True, slots=True)
class Operation(ABC):
    """Something that an engine computes for a row or for the rows of a group: NULL, or a whole number in an interval.

    ``width`` is the type in which it is computed. Its parts have that type too, and their own intervals fit; it is
    Width.NONE where no type holds the result and every operand, here or anywhere inside, or where it is too long.
    ``size`` is how many operations are written for it, and ``depth`` how many of them lie inside each other.
    """

    low: int
    high: int
    width: Width
    size: int
    depth: int

    @property
    def long(self) -> bool:
        """Whether it is too long to be written."""
        return self.size > MOST_OPERATIONS or self.depth > MOST_DEEP


@final
@dataclass(frozen=True, slots=True)
class Load(Operation):
    """A sanitised column; of dates, the days since its first one."""

    column: str
    since: date | None = None


@final
@dataclass(frozen=True, slots=True)
class Constant(Operation):
    """A constant; None is NULL."""

    value: int | None


@final
@dataclass(frozen=True, slots=True)
class Cast(Operation):
    """The same number in another type."""

    part: Computed


@final
@unique
class Sign(Enum):
    """What is done with two numbers of one type."""

    PLUS = "+"
    TIMES = "*"
    OVER = "//"
    MODULO = "%"


@final
@dataclass(frozen=True, slots=True)
class Applied(Operation):
    """Two numbers added, multiplied, or divided towards zero by a positive one; or what is left of that division.

    ``reach`` is the most that can come of the parts of a sum of sums, or of a product of products, in any order:
    engines put constants of such parts together first.
    """

    sign: Sign
    left: Computed
    right: Computed
    reach: int


@final
@dataclass(frozen=True, slots=True)
class Kept(Operation):
    """The part, moved to the nearer end of its interval where it is outside."""

    part: Computed


@final
@dataclass(frozen=True, slots=True)
class Outermost(Operation):
    """The greatest or the least of several numbers of one type, NULL left out."""

    function: str
    parts: tuple[Computed, ...]


@final
@dataclass(frozen=True, slots=True)
class Looked(Operation):
    """The number at a place in a list, counted from 0; the place lies in the list, or is NULL."""

    place: Computed
    values: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class FirstOf(Operation):
    """The first part that is not NULL."""

    parts: tuple[Computed, ...]


@final
@dataclass(frozen=True, slots=True)
class Chosen(Operation):
    """The operation beside the first condition that is true, or else the last one."""

    branches: tuple[tuple[Condition, Computed], ...]
    otherwise: Computed


@final
@dataclass(frozen=True, slots=True)
class Folded(Operation):
    """COUNT, SUM, MIN or MAX of the rows of one owner; without a part, of the rows themselves."""

    function: str
    part: Computed | None


Computed = Load | Constant | Cast | Applied | Kept | Outermost | Looked | FirstOf | Chosen | Folded


def constant(value: int | None) -> Constant:
    """A constant in the narrowest type that holds it."""
    end = value or 0
    return Constant(end, end, Width.of(end), 1, 1, value)


def cast(part: Computed, width: Width) -> Computed:
    """The same number in this type, or in none if it does not fit."""
    if part.width in (width, Width.NONE):
        return part
    if max(width, Width.of(part.low, part.high)) is not width:
        width = Width.NONE
    if isinstance(part, Constant):
        return replace(part, width=width)
    return Cast(part.low, part.high, _held(width, part), part.size + 1, part.depth + 1, part)


def applied(sign: Sign, left: Computed, right: Computed) -> Computed:
    """One operation on two numbers, in a type that holds both of them and whatever comes of them.

    >>> applied(Sign.TIMES, constant(2**61), constant(-4)).width
    <Width.WIDE: 2>
    """
    match sign:
        case Sign.PLUS:
            low, high = left.low + right.low, left.high + right.high
        case Sign.TIMES:
            corners = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
            low, high = min(corners), max(corners)
        case Sign.OVER:
            assert right.low > 0
            # Towards zero: the nearest to zero is divided by the least.
            low, high = -(-min(left.low, 0) // right.low), max(left.high, 0) // right.low
        case Sign.MODULO:
            assert right.low > 0
            low, high = max(min(left.low, 0), 1 - right.high), min(max(left.high, 0), right.high - 1)
        case _:
            assert_never(sign)
    width = max(left.width, right.width, Width.of(low, high))
    # In another type the parts are parts no more: each is cast by itself, and then has only its own interval.
    width = max(width, Width.of(_reach(sign, cast(left, width), cast(right, width))))
    left, right = cast(left, width), cast(right, width)
    size, depth = left.size + right.size + 1, max(left.depth, right.depth) + 1
    reach = _reach(sign, left, right)
    return Applied(low, high, _held(width, left, right), size, depth, sign, left, right, reach)


def _reach(sign: Sign, left: Computed, right: Computed) -> int:
    """The most that any of the parts of a sum or product come to, whichever of them an engine takes first."""
    first, second = (
        part.reach if isinstance(part, Applied) and part.sign is sign else max(abs(part.low), abs(part.high))
        for part in (left, right)
    )
    match sign:
        case Sign.PLUS:
            return first + second
        case Sign.TIMES:
            return max(1, first) * max(1, second)
        case Sign.OVER | Sign.MODULO:
            return 0
        case _:
            assert_never(sign)


def folded(sign: Sign, parts: Sequence[Computed]) -> Computed:
    """All parts added or multiplied: the first half by itself, the second half by itself, and then the two.

    So a sum of very many parts is no deeper than an engine allows.
    """
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return applied(sign, folded(sign, parts[:middle]), folded(sign, parts[middle:]))


def scaled(part: Computed, factor: int) -> Computed:
    """The part times a constant. What can only be 0 or NULL stays as it is, however large the constant."""
    if factor == 1 or part.low == part.high == 0:
        return part
    if isinstance(part, Constant):
        assert part.value is not None
        return constant(part.value * factor)
    return applied(Sign.TIMES, part, constant(factor))


def quotient(part: Computed, divisor: int) -> Computed:
    """How often a divisor above zero goes into the part, rounded down.

    The part is moved above zero first, so that division towards zero rounds down.

    >>> quotient(Load(-5, 5, Width.NARROW, 1, 1, "a"), 2).low
    -3
    """
    if divisor == 1:
        return part
    steps = part.low // divisor
    found = applied(Sign.OVER, _above(part, divisor), constant(divisor))
    return applied(Sign.PLUS, found, constant(steps)) if steps else found


def remainder(part: Computed, divisor: int) -> Computed:
    """What is left of the part after that division: at least zero, below the divisor."""
    return applied(Sign.MODULO, _above(part, divisor), constant(divisor))


def months(day: Computed) -> Computed:
    """The month of a day, as ``month_number`` finds it."""
    fours = _linear(day, 4, 4 * MARCH + 3)
    century = quotient(fours, 146_097)
    rest = _linear(quotient(remainder(fours, 146_097), 4), 4, 3)
    left = quotient(remainder(rest, 1_461), 4)
    month = quotient(_linear(left, 5, 461), 153)
    years = applied(Sign.PLUS, scaled(century, 1200), scaled(quotient(rest, 1_461), 12))
    return applied(Sign.PLUS, years, applied(Sign.PLUS, month, constant(-1)))


def _linear(part: Computed, factor: int, added: int) -> Computed:
    return applied(Sign.PLUS, scaled(part, factor), constant(added))


def _above(part: Computed, divisor: int) -> Computed:
    """The part moved by a multiple of the divisor, so that its least value is the least that is not below zero."""
    steps = part.low // divisor
    return applied(Sign.PLUS, part, constant(-steps * divisor)) if steps else part


def kept(part: Computed, floor: int, ceiling: int) -> Computed:
    """The part between two ends, which are themselves in reach of the part or the only value left.

    >>> age = Load(0, 120, Width.NARROW, 1, 1, "age")
    >>> kept(age, -(10**50), 65).low
    0
    """
    low, high = (min(max(end, floor), ceiling) for end in (part.low, part.high))
    return within(part, low, high)


def within(part: Computed, floor: int, ceiling: int) -> Computed:
    """The part between two ends, both of them written."""
    width = max(part.width, Width.of(floor, ceiling))
    part = cast(part, width)
    return Kept(floor, ceiling, _held(width, part), 3 * part.size + 6, part.depth + 2, part)


def outermost(function: str, parts: list[Computed]) -> Computed:
    """The greatest or the least part, NULL left out: in the hull of all of them, since any may be the only one."""
    alike, low, high, width = _alike(parts)
    return Outermost(low, high, width, *_around(alike), function, tuple(alike))


def looked(place: Computed, values: tuple[int, ...]) -> Computed:
    """The number at a place of a list; the place is moved into the list where its interval is longer."""
    if place.low < 0 or place.high >= len(values):
        place = kept(place, 0, len(values) - 1)
    place = cast(place, Width.NARROW)
    reached = values[place.low : place.high + 1]
    width = _held(Width.of(*reached), place)
    # A list of 64-bit numbers; what is longer has no type.
    width = width if width is Width.NARROW else Width.NONE
    size = place.size + 3 + len(values) // LISTED
    return Looked(min(reached), max(reached), width, size, place.depth + 2, place, values)


def ratio(part: Computed, divisor: Computed) -> Computed:
    """How often the divisor goes into the part, to the nearest, a half up.

    With both above zero: twice the part over the divisor, rounded down, and one more, halved and rounded down again.

    >>> ratio(Load(0, 5, Width.NARROW, 1, 1, "a"), Load(2, 9, Width.NARROW, 1, 1, "b")).high
    3
    """
    part = part if part.low >= 0 else kept(part, 0, max(part.high, 0))
    divisor = divisor if divisor.low >= 1 else kept(divisor, 1, max(divisor.high, 1))
    twice = applied(Sign.OVER, scaled(part, 2), divisor)
    return applied(Sign.OVER, applied(Sign.PLUS, twice, constant(1)), constant(2))


def curved(place: Computed, curve: Curve) -> Computed:
    """The value of a curve at a place: the first value, and what each zone adds (``Zone.gained``)."""
    place = place if 0 <= place.low <= place.high <= curve.last else kept(place, 0, curve.last)
    if curve.down:
        place = applied(Sign.PLUS, scaled(place, -1), constant(curve.last))
    parts: list[Computed] = [constant(curve.base)]
    for zone in curve.zones:
        along = applied(Sign.PLUS, place, constant(-zone.start)) if zone.start else place
        along = kept(along, 0, zone.length)
        cell = quotient(along, zone.width)
        gained = looked(cell, zone.rises)
        if zone.width > 1:
            rest = applied(Sign.TIMES, remainder(along, zone.width), looked(cell, zone.steps))
            gained = applied(Sign.PLUS, gained, quotient(rest, zone.width))
        parts.append(scaled(gained, -1) if curve.down else gained)
    return folded(Sign.PLUS, parts)


def first_of(parts: list[Computed]) -> Computed:
    """The first part that is not NULL."""
    alike, low, high, width = _alike(parts)
    return FirstOf(low, high, width, *_around(alike), tuple(alike))


def chosen(tests: Sequence[Condition], values: list[Computed], compared: Sequence[Computed]) -> Computed:
    """The value beside the first condition that is true, or the last value; ``compared`` is what conditions compare."""
    if not tests:
        return values[-1]
    alike, low, high, width = _alike(values)
    branches = tuple(zip(tests, alike[:-1], strict=True))
    return Chosen(low, high, _held(width, *compared), *_around([*alike, *compared]), branches, alike[-1])


def counted(part: Computed | None) -> Computed:
    """How many rows of a group have a value."""
    if part is None:
        return Folded(0, MOST_ROWS, Width.NARROW, 1, 1, "COUNT", None)
    return Folded(0, MOST_ROWS, _held(Width.NARROW, part), part.size + 1, part.depth + 1, "COUNT", part)


def totalled(part: Computed) -> Computed:
    """The sum over the rows of a group: of 64-bit numbers, in 128 bits."""
    part = cast(part, Width.NARROW)
    low, high = min(0, MOST_ROWS * part.low), max(0, MOST_ROWS * part.high)
    return Folded(low, high, _held(Width.WIDE, part), part.size + 1, part.depth + 1, "SUM", part)


def extreme(function: str, part: Computed) -> Computed:
    """The least or the greatest value of the rows of a group."""
    return Folded(part.low, part.high, part.width, part.size + 1, part.depth + 1, function, part)


def _alike(parts: list[Computed]) -> tuple[list[Computed], int, int, Width]:
    """The parts in one type, and the interval around all of them."""
    width = max(part.width for part in parts)
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    alike = [cast(part, width) for part in parts]
    return alike, low, high, _held(width, *alike)


def _around(parts: Sequence[Computed]) -> tuple[int, int]:
    """The size and the depth of what is put around some parts."""
    return sum(part.size for part in parts) + len(parts) + 1, max(part.depth for part in parts) + 2


def _held(width: Width, *parts: Computed) -> Width:
    """The type, or none if a part has none or all of them are too long together."""
    long = sum(part.size for part in parts) > MOST_OPERATIONS or any(part.long for part in parts)
    return Width.NONE if long or any(part.width is Width.NONE for part in parts) else width
