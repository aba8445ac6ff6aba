"""Symmetric laws on the integers, known by rigorous balls for their tails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from flint import arb

from partita.sampling.balls import append, working
from partita.sampling.bits import BitSource
from partita.sampling.shapes import Shape
from partita.theory.numerics import ball


class Law(ABC):
    """A law on the integers that is symmetric around mirror/2: Z and mirror - Z are alike."""

    mirror: ClassVar[int]

    @abstractmethod
    def tails(self, depth: int) -> list[arb]:
        """Pr[Z >= k] for k = 1, 2, ..., down to the first below 2^-depth."""

    def locate(self, prefix: int, length: int, bits: BitSource) -> int:
        """The quantile of the uniform number that starts with these bits, appending bits until there is only one.

        In the upper half Z >= k exactly if 1 - U <= Pr[Z >= k]; the lower half is its mirror image, where
        Z <= mirror - k exactly if U < Pr[Z >= k].

        >>> from partita.sampling.bits import TestBits
        >>> from partita.sampling.shapes import Laplace
        >>> Rounded(Laplace(Fraction(2))).locate((1 << 64) - 1, 64, TestBits(1))
        88
        """
        while True:
            upper = prefix >> (length - 1) == 1
            # The distance from the nearer end is somewhere in [near, near + 1] units of 2^-length.
            near = (1 << length) - 1 - prefix if upper else prefix
            found = self._count(near, length)
            if found is not None:
                return found if upper else self.mirror - found
            prefix, length = append(prefix, bits), length + 64

    def _count(self, near: int, length: int) -> int | None:
        with working(length + 96):
            unit = arb(2) ** length
            for reached, tail in enumerate(self.tails(length + 8)):
                if near + 1 <= tail * unit:
                    continue
                return reached if near >= tail * unit else None
        return None


@final
@dataclass(frozen=True, slots=True)
class Rounded(Law):
    """The nearest integer to a real variable of this shape (theory C17)."""

    shape: Shape
    mirror: ClassVar[int] = 0

    def tails(self, depth: int) -> list[arb]:
        """The tails of the real variable, half a unit inward."""
        return self.shape.half_tails(depth)


@final
@dataclass(frozen=True, slots=True)
class Discrete(Law):
    """The integers weighted by the density itself: geometric and discrete Gaussian noise (theory C4, C8)."""

    shape: Shape
    mirror: ClassVar[int] = 0

    def tails(self, depth: int) -> list[arb]:
        """Sums of weights, over the sum of all."""
        sums = summed([Fraction(k) for k in range(1, 4)], self.shape, depth)
        total = 1 + 2 * sums[0]
        return _until([tail / total for tail in sums], depth)


@final
@dataclass(frozen=True, slots=True)
class Envelope(Law):
    """Cells of ``unit`` integers, each weighted by a bound on the density in it.

    Cell j >= 0 starts at the distance max(0, j unit - inset) from zero; cell -1 - j carries the same weight.
    """

    shape: Shape
    unit: int
    inset: Fraction
    mirror: ClassVar[int] = -1

    def tails(self, depth: int) -> list[arb]:
        """Sums of the bounds, over the sum of all."""
        sums = summed([j * self.unit - self.inset for j in range(1, 4)], self.shape, depth)
        total = 2 * (1 + sums[0])
        return _until([tail / total for tail in sums], depth)


def summed(starts: list[Fraction], shape: Shape, depth: int) -> list[arb]:
    """Sums from each term on of exp(-exponent) along an arithmetic progression of distances given by its first three.

    The exponent has a constant second difference, so each weight is the one before times a ratio that itself
    changes by a constant factor. The ratios never increase: what is left out after the last term is at most
    that of a geometric series.
    """
    first, second, third = (shape.exponent(start) for start in starts)
    weight, ratio = ball(-first).exp(), ball(first - second).exp()
    change = ball(2 * second - first - third).exp()
    limit = arb(2) ** -(depth + 64)
    weights: list[arb] = []
    while not weights or not weights[-1] < limit:
        weights.append(weight)
        weight, ratio = weight * ratio, ratio * change
    rest = arb(0).union(weight / (1 - ratio))
    sums: list[arb] = []
    for weight in reversed(weights):
        rest = rest + weight
        sums.append(rest)
    sums.reverse()
    return sums


def _until(tails: list[arb], depth: int) -> list[arb]:
    limit = arb(2) ** -depth
    end = next((k for k, tail in enumerate(tails) if tail < limit), len(tails) - 1)
    return tails[: end + 1]
