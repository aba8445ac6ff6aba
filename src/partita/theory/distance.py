"""How far neighbours move an exact result: a norm and an exact amount."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from typing import final

from partita.errors import theory as refuse
from partita.exact import Number, nonnegative, shown, whole
from partita.theory import numerics


class Norm(StrEnum):
    """How the length of a vector of changes is measured."""

    L1 = "l1"
    L2 = "l2"
    LINF = "linf"


@final
@dataclass(frozen=True, slots=True)
class Distance:
    """The most that neighbours can move an exact result, in one norm.

    ``power`` is the length in L1 and L∞, and the *square* of the length in L2, so that the √2 of a histogram
    under change-one is exact.

    >>> Distance.l2(3)
    Distance(norm=<Norm.L2: 'l2'>, power=Fraction(9, 1))
    """

    norm: Norm
    power: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.norm, Norm):
            raise refuse.unknown_norm(self.norm)
        object.__setattr__(self, "power", nonnegative(self.power, "distance"))

    @classmethod
    def l1(cls, length: Number) -> Distance:
        """The sum of the absolute changes.

        >>> print(Distance.l1(3))
        l1(3)
        """
        return cls(Norm.L1, nonnegative(length, "distance"))

    @classmethod
    def l2(cls, length: Number) -> Distance:
        """The Euclidean length of the changes.

        >>> print(Distance.l2(3))
        l2(3)
        """
        return cls(Norm.L2, nonnegative(length, "distance") ** 2)

    @classmethod
    def l2_squared(cls, square: Number) -> Distance:
        """The square of the Euclidean length, where that is the exact number.

        >>> print(Distance.l2_squared(2))
        l2(1.41421)
        """
        return cls(Norm.L2, nonnegative(square, "squared distance"))

    @classmethod
    def linf(cls, length: Number) -> Distance:
        """The largest absolute change.

        >>> print(Distance.linf(3))
        linf(3)
        """
        return cls(Norm.LINF, nonnegative(length, "distance"))

    def length(self) -> Fraction:
        """The distance itself, rounded up where it is irrational."""
        if self.norm is not Norm.L2:
            return self.power
        top, bottom = self.power.numerator, self.power.denominator
        root = Fraction(isqrt(top), isqrt(bottom))
        if root * root == self.power:
            return root
        return numerics.upper(lambda: numerics.ball(self.power).sqrt())

    def times(self, k: int) -> Distance:
        """The distance between databases that are k steps apart.

        >>> Distance.l1(2).times(3).length()
        Fraction(6, 1)
        """
        steps = whole(k, "k", least=1)
        return Distance(self.norm, self.power * (steps**2 if self.norm is Norm.L2 else steps))

    def __str__(self) -> str:
        return f"{self.norm.value}({shown(self.length())})"


l1 = Distance.l1
l2 = Distance.l2
l2_squared = Distance.l2_squared
linf = Distance.linf
