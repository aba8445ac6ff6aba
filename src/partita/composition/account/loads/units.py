"""Exact amounts as whole numbers of a tiny unit, fixed by the budget; costs are rounded up, the budget down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

LARGEST = 1 << 47
"""The most units a budget may have; thousands of budgets, as an old book may show, are then below ``ROOM``."""

ROOM = 1 << 59
"""The most units that are counted: amounts and loads are held at it, and a few of them stay within 64 bits."""

_DIVISIBLE = 720_720
"""The least number that 1, ..., 16 divide: halves, thirds and tenths of a budget are then whole."""


@final
@dataclass(frozen=True, slots=True)
class Units:
    """For each coordinate of a measure, how many units make one.

    A cost that is not a whole number of units is rounded up, so that sums in units are never below the truth.

    >>> units = Units.of([Fraction(1), Fraction(1, 10**6)])
    >>> cost = units.up([Fraction(1, 10), Fraction(1, 10**7)])
    >>> [10 * part == whole for part, whole in zip(cost, units.budget)]
    [True, True]
    """

    scale: tuple[Fraction, ...]
    budget: tuple[int, ...]

    @classmethod
    def of(cls, budget: Sequence[Fraction]) -> Units:
        """The units for a budget: as many decimal places as fit."""
        scale, whole = [], []
        for part in budget:
            made = _scale(part)
            scale.append(made)
            whole.append(int(part * made))
        return cls(tuple(scale), tuple(whole))

    def up(self, vector: Sequence[Fraction]) -> tuple[int, ...]:
        """A cost in units, rounded up; what cannot be counted is more than any budget."""
        found = []
        for part, scale in zip(vector, self.scale, strict=True):
            amount = -((-part.numerator * scale.numerator) // (part.denominator * scale.denominator))
            found.append(min(amount, ROOM))
        return tuple(found)

    def exact(self, amounts: Sequence[int]) -> tuple[Fraction, ...]:
        """Whole units as rationals."""
        return tuple(Fraction(amount) / scale for amount, scale in zip(amounts, self.scale, strict=True))


def _scale(part: Fraction) -> Fraction:
    if part == 0:
        return Fraction(10**15)
    scale = Fraction(part.denominator * _DIVISIBLE)
    while part * scale > LARGEST:
        scale /= 10
    while part * scale * 10 <= LARGEST:
        scale *= 10
    return scale
