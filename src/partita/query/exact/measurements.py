"""Measurements: the whole numbers that are released together, as sums over rows of small vectors with known length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, final

from partita.query.exact.program import Different, Owners, Present, Rows, Tally, Total
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Bounds, Expression, Times


@final
@dataclass(frozen=True, slots=True)
class Counted:
    """The number of rows; with an expression that may be NULL, how many have a value and how many have none."""

    of: Expression | None = None


@final
@dataclass(frozen=True, slots=True)
class Summed:
    """The sum of slope · x + offset over the rows that have a value."""

    of: Expression
    bounds: Bounds
    slope: int = 1
    offset: int = 0


@final
@dataclass(frozen=True, slots=True)
class Balanced:
    """The sums of x - low and of high - x, and high - low for each row without a value.

    Every row adds exactly high - low in all, wherever its value lies; so count, sum and mean come from one release
    at the price of one.
    """

    of: Expression
    bounds: Bounds


@final
@dataclass(frozen=True, slots=True)
class Owned:
    """The number of owners who have a row."""


@final
@dataclass(frozen=True, slots=True)
class Differing:
    """The number of values of a column that occur in rows meeting a condition."""

    column: str
    among: Condition | None = None


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """The sums of the three parabolas that are high - low squared at one of low, middle and high, and 0 at the others.

    Count, sum and sum of squares are combinations of them. A row's vector is no longer than in one corner, wherever
    its value lies; with NULL there is a fourth number for the rows without a value.
    """

    of: Expression
    bounds: Bounds


@final
@dataclass(frozen=True, slots=True)
class Crossed:
    """The sums of the four products of x - low or high - x with y - low or high - y.

    Every row adds exactly the product of the two widths in all; so count, both sums and the sum of products come from
    one release at the price of one. Both expressions are NULL on the same rows.
    """

    of: Expression
    bounds: Bounds
    other: Expression
    beside: Bounds


Measurement = Counted | Summed | Balanced | Owned | Differing | Moments | Crossed


@final
@dataclass(frozen=True, slots=True)
class Lengths:
    """The length of a vector of whole numbers in three norms; the Euclidean one squared."""

    l1: int
    l2_squared: int
    linf: int

    def times(self, k: int) -> Lengths:
        """The length of k such vectors laid end to end.

        >>> Lengths(2, 2, 1).times(3)
        Lengths(l1=6, l2_squared=18, linf=3)
        """
        return Lengths(k * self.l1, k * k * self.l2_squared, k * self.linf)

    def apart(self, k: int) -> Lengths:
        """The length of k such vectors that share no entry.

        >>> Lengths(2, 2, 1).apart(3)
        Lengths(l1=6, l2_squared=6, linf=1)
        """
        return Lengths(k * self.l1, k * self.l2_squared, self.linf)

    def __or__(self, other: Lengths) -> Lengths:
        return Lengths(max(self.l1, other.l1), max(self.l2_squared, other.l2_squared), max(self.linf, other.linf))

    def __and__(self, other: Lengths) -> Lengths:
        return Lengths(min(self.l1, other.l1), min(self.l2_squared, other.l2_squared), min(self.linf, other.linf))


def entries(measurement: Measurement) -> tuple[dict[Tally, int], ...]:
    """Each number of a measurement as a whole combination of exact tallies.

    >>> entries(Counted())
    ({Rows(): 1},)
    """
    match measurement:
        case Counted(None):
            return ({Rows(): 1},)
        case Counted(of):
            assert of is not None
            return ({Present(of): 1}, {Rows(): 1, Present(of): -1})
        case Summed(of, within, slope, offset):
            return (_combined({Total(of): slope}, _having(of, within), offset),)
        case Balanced(of, within):
            having = _having(of, within)
            pair = (
                _combined({Total(of): 1}, having, -within.low),
                _combined({Total(of): -1}, having, within.high),
            )
            width = within.high - within.low
            return (*pair, _without(of, width)) if within.nullable else pair
        case Owned():
            return ({Owners(): 1},)
        case Differing(column, among):
            return ({Different(column, among): 1},)
        case Moments(of, within):
            low, high, having, square = within.low, within.high, _having(of, within), Total(Times((of, of)))
            three: tuple[dict[Tally, int], ...] = (
                _combined({square: 2, Total(of): -(low + 3 * high)}, having, (low + high) * high),
                _combined({square: -4, Total(of): 4 * (low + high)}, having, -4 * low * high),
                _combined({square: 2, Total(of): -(3 * low + high)}, having, (low + high) * low),
            )
            return (*three, _without(of, (high - low) ** 2)) if within.nullable else three
        case Crossed(of, within, other, beside):
            having, both = _having(of, _both(within, beside)), Total(Times((of, other)))
            four = tuple(
                _collected(
                    (both, one * two),
                    (Total(of), -one * two * far),
                    (Total(other), -one * two * near),
                    (having, one * two * near * far),
                )
                for one, near in ((-1, within.high), (1, within.low))
                for two, far in ((-1, beside.high), (1, beside.low))
            )
            size = (within.high - within.low) * (beside.high - beside.low)
            return (*four, _without(of, size)) if _both(within, beside).nullable else four
        case _:
            assert_never(measurement)


def one_row(measurement: Measurement) -> Lengths:
    """How long a single row's vector can be (measurements.proof.md)."""
    match measurement:
        case Counted() | Owned() | Differing():
            return Lengths(1, 1, 1)
        case Summed():
            low, high = _range(measurement)
            most = max(abs(low), abs(high))
            return Lengths(most, most**2, most)
        case Balanced(_, within):
            width = within.high - within.low
            return Lengths(width, width**2, width)
        case Moments(_, within):
            square = (within.high - within.low) ** 2
            return Lengths(-(-5 * square // 4), square**2, square)
        case Crossed(_, within, _, beside):
            size = (within.high - within.low) * (beside.high - beside.low)
            return Lengths(size, size**2, size)
        case _:
            assert_never(measurement)


def one_change(measurement: Measurement, *, groups: int, partial: bool) -> Lengths:
    """How far it can move when a row of the region becomes another row of the region (measurements.proof.md).

    ``groups`` is how many groups the row may move between. ``partial`` says that a row of the region may still not
    be counted at all.
    """
    match measurement:
        case Counted(None):
            same = Lengths(1, 1, 1) if partial else Lengths(0, 0, 0)
        case Counted():
            same = Lengths(2, 2, 1)
        case Owned() | Differing():
            same = Lengths(1, 1, 1)
        case Summed(_, within):
            low, high = _range(measurement)
            if partial or within.nullable:
                low, high = min(low, 0), max(high, 0)
            same = Lengths(high - low, (high - low) ** 2, high - low)
        case Balanced(_, within):
            width = within.high - within.low
            same = Lengths(2 * width, 2 * width**2, width)
        case Moments(_, within):
            square = (within.high - within.low) ** 2
            same = Lengths(-(-9 * square // 4), -(-17 * square**2 // 8), -(-9 * square // 8))
        case Crossed(_, within, _, beside):
            size = (within.high - within.low) * (beside.high - beside.low)
            same = Lengths(2 * size, 2 * size**2, size)
        case _:
            assert_never(measurement)
    if groups < 2:
        return same
    alone = one_row(measurement)
    return same | Lengths(2 * alone.l1, 2 * alone.l2_squared, alone.linf)


def one_owner(measurement: Measurement, rows: int, groups: int, each: int | None = None) -> Lengths:
    """How long the vectors of so many rows of one owner can be together, in so many groups (measurements.proof.md).

    ``each`` is the most of these rows in one group.

    >>> one_owner(Owned(), 10, 3), one_owner(Counted(), 10, 3)
    (Lengths(l1=3, l2_squared=3, linf=1), Lengths(l1=10, l2_squared=100, linf=10))
    >>> one_owner(Counted(), 7, 3, each=3)
    Lengths(l1=7, l2_squared=19, linf=3)
    """
    if isinstance(measurement, Owned):
        met = min(rows, groups)
        return Lengths(met, met, 1)
    alone = one_row(measurement)
    if each is None or each >= rows:
        return alone.times(rows)
    rows = min(rows, groups * each)
    full, rest = divmod(rows, each)
    return Lengths(rows * alone.l1, (full * each**2 + rest**2) * alone.l2_squared, each * alone.linf)


def one_alteration(measurement: Measurement, rows: int, groups: int, each: int | None = None) -> Lengths:
    """How far so many rows of one owner, before and after, can move the measurement (measurements.proof.md).

    ``each`` is the most of them in one group, before and after.

    >>> one_alteration(Owned(), 10, 3), one_alteration(Counted(), 10, 3)
    (Lengths(l1=3, l2_squared=3, linf=1), Lengths(l1=20, l2_squared=200, linf=10))
    """
    if isinstance(measurement, Owned):
        met = min(2 * rows, groups)
        return Lengths(met, met, 1)
    change = one_row(measurement) | one_change(measurement, groups=groups, partial=True)
    if each is None or each >= rows:
        return change.times(rows)
    rows = min(rows, groups * each)
    return Lengths(rows * change.l1, each * rows * change.l2_squared, each * change.linf)


def _range(measurement: Summed) -> tuple[int, int]:
    ends = [measurement.slope * end + measurement.offset for end in (measurement.bounds.low, measurement.bounds.high)]
    return min(ends), max(ends)


def _having(of: Expression, within: Bounds) -> Tally:
    return Present(of) if within.nullable else Rows()


def _both(within: Bounds, beside: Bounds) -> Bounds:
    return within if within.nullable else beside


def _without(of: Expression, size: int) -> dict[Tally, int]:
    return {Rows(): size, Present(of): -size}


def _combined(total: dict[Tally, int], having: Tally, offset: int) -> dict[Tally, int]:
    return _collected(*total.items(), (having, offset))


def _collected(*parts: tuple[Tally, int]) -> dict[Tally, int]:
    """The parts added up: two expressions of a pair may be the same."""
    found: dict[Tally, int] = {}
    for tally, weight in parts:
        found[tally] = found.get(tally, 0) + weight
    return {tally: weight for tally, weight in found.items() if weight}
