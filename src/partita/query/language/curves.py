"""Curves: roots, logarithms and exponentials on a lattice, in whole numbers, so that no engine rounds a digit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

# So many digits of the largest value are kept: the square of a value, sixteen times, then fits 64 bits.
DIGITS: Final = 8
# A first zone has so many cells of one unit; each zone after it has cells four times as wide.
CELLS: Final = 256
# Up to so many places have a value of their own.
EXACT: Final = 2048
_FUNCTIONS: Final[dict[str, tuple[Callable[[float], float], Callable[[Decimal, Context], Decimal]]]] = {
    "sqrt": (math.sqrt, lambda value, context: value.sqrt(context)),
    "ln": (math.log, lambda value, context: value.ln(context)),
    "log10": (math.log10, lambda value, context: value.log10(context)),
    "log2": (math.log2, lambda value, context: context.divide(value.ln(context), Decimal(2).ln(context))),
    "exp": (math.exp, lambda value, context: value.exp(context)),
}
NAMES: Final = frozenset(_FUNCTIONS)
# The greatest argument whose value is still a number that people would release.
MOST_EXPONENT: Final = 80


@final
@dataclass(frozen=True, slots=True)
class Zone:
    """Cells of one width: ``rises`` says how much was gained before each, and ``steps`` how much within it."""

    start: int
    width: int
    rises: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many places it has."""
        return self.width * (len(self.rises) - 1)

    def gained(self, place: int) -> int:
        """How much the curve rises in this zone up to a place: at the ends of cells as it is, between them evenly."""
        cell, rest = divmod(min(max(place - self.start, 0), self.length), self.width)
        return self.rises[cell] + rest * self.steps[cell] // self.width


@final
@dataclass(frozen=True, slots=True)
class Curve:
    """A rising function of the places 0 to ``last``, in whole numbers: the first value and what each zone adds.

    If ``down``, zones count from the last place, and what they add is taken off the last value.
    """

    last: int
    base: int
    zones: tuple[Zone, ...]
    down: bool

    def at(self, place: int) -> int:
        """The value at a place; beyond the ends, that at the nearer end.

        >>> curve("sqrt", Fraction(0), Fraction(9), Fraction(1), Fraction(1, 100)).at(2)
        141
        """
        place = min(max(place, 0), self.last)
        if self.down:
            return self.base - sum(zone.gained(self.last - place) for zone in self.zones)
        return self.base + sum(zone.gained(place) for zone in self.zones)


@lru_cache(maxsize=256)
def curve(name: str, low: Fraction, high: Fraction, unit: Fraction, step: Fraction) -> Curve:
    """The function between two ends, for arguments a whole number of units above the lower one, in steps."""
    last = int((high - low) / unit)
    down = name == "exp"

    def value(place: int) -> int:
        return level(name, high - place * unit if down else low + place * unit, step)

    def gained(place: int) -> int:
        return abs(value(place) - value(0))

    zones: list[Zone] = []
    start, width, cells = 0, 1, last if last < EXACT else CELLS
    while start < last or not zones:
        cells = min(cells, -(-(last - start) // width))
        knots = [gained(start + cell * width) for cell in range(cells + 1)]
        rises = tuple(knot - knots[0] for knot in knots)
        steps = (*(after - before for before, after in pairwise(rises)), 0)
        zones.append(Zone(start, width, rises, steps))
        start, width, cells = start + cells * width, 4 * width, 3 * CELLS // 4
    return Curve(last, value(0), tuple(zones), down)


def level(name: str, argument: Fraction, step: Fraction) -> int:
    """The nearest whole number of steps to the function's value; a half goes up.

    >>> level("ln", Fraction(10), Fraction(1, 1000))
    2303
    """
    if name == "sqrt":
        # Exactly: floor((s + 1) / 2) = floor((floor(s) + 1) / 2) for s twice the root in steps.
        return (math.isqrt(math.floor(4 * argument / step**2)) + 1) // 2
    plain = _plain(name, argument)
    if plain is not None:
        return nearest(plain, step)
    guess = _FUNCTIONS[name][0](float(argument)) / float(step) + 0.5
    if abs(guess) < 2**40 and abs(guess - round(guess)) > 1e-4 * max(1.0, abs(guess) / 2**30):
        return math.floor(guess)
    digits = 40
    while True:
        context = Context(prec=digits)
        given = context.divide(Decimal(argument.numerator), Decimal(argument.denominator))
        found = Fraction(_FUNCTIONS[name][1](given, context)) / step + Fraction(1, 2)
        # Such a value is irrational, so more digits always tell on which side of a whole number it lies.
        if abs(found - round(found)) > abs(found) * Fraction(1, 10 ** (digits - 8)):
            return math.floor(found)
        digits *= 2


def _plain(name: str, argument: Fraction) -> Fraction | None:
    """The value where it is a rational number."""
    if name == "exp":
        return Fraction(1) if argument == 0 else None
    if argument == 1:
        return Fraction(0)
    base = {"log10": 10, "log2": 2}.get(name)
    if base is None:
        return None
    power = round(math.log(argument) / math.log(base))
    return Fraction(power) if Fraction(base) ** power == argument else None


def nearest(value: Fraction, step: Fraction) -> int:
    """The nearest whole number of steps; a half goes up."""
    return math.floor(value / step + Fraction(1, 2))


def lattice(most: Fraction) -> Fraction:
    """A power of ten of which the most is at most 10^8: so fine are values that are not whole by themselves.

    >>> lattice(Fraction(250)), lattice(Fraction(1, 3))
    (Fraction(1, 100000), Fraction(1, 100000000))
    """
    if most <= 0:
        return Fraction(1)
    power = -DIGITS + len(str(math.floor(most))) if most >= 1 else -DIGITS
    while most < Fraction(10) ** (power + DIGITS - 1) and power > -3 * DIGITS:
        power -= 1
    return Fraction(10) ** power
