"""The two shapes of symmetric noise, Gaussian and Laplace, as densities that fall off with the distance from zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from flint import arb

from partita.sampling.decay import Floats
from partita.theory.numerics import ball


class Shape(ABC):
    """A density proportional to exp(-exponent(|x|)), whose ratios over equal steps never increase outward."""

    @abstractmethod
    def exponent(self, distance: Fraction) -> Fraction:
        """The negative logarithm of the density at this distance, relative to its peak."""

    @abstractmethod
    def exponent_ball(self, distance: arb) -> arb:
        """The same for a ball of distances."""

    @abstractmethod
    def excess(self, near: Floats, beyond: Floats, unit: int) -> Floats:
        """exponent(near + beyond) - exponent(near) in floats, both measured in a unit."""

    @abstractmethod
    def resolution(self, unit: int) -> Fraction:
        """The square of the scale in units: how finely a lattice of that unit resolves the noise."""

    @abstractmethod
    def half_tails(self, depth: int) -> list[arb]:
        """Pr[X >= k - 1/2] for k = 1, 2, ... of the real variable, down to the first below 2^-depth."""


@final
@dataclass(frozen=True, slots=True)
class Gaussian(Shape):
    """The normal density with this variance.

    >>> Gaussian(Fraction(4)).exponent(Fraction(2))
    Fraction(1, 2)
    """

    variance: Fraction

    def exponent(self, distance: Fraction) -> Fraction:
        """Half the square of the distance over the variance."""
        return distance * distance / (2 * self.variance)

    def exponent_ball(self, distance: arb) -> arb:
        """The same for a ball of distances."""
        return distance * distance / ball(2 * self.variance)

    def excess(self, near: Floats, beyond: Floats, unit: int) -> Floats:
        """(2 near + beyond) beyond, times the square of the unit over twice the variance."""
        return float(Fraction(unit * unit) / (2 * self.variance)) * beyond * (2 * near + beyond)

    def resolution(self, unit: int) -> Fraction:
        """The variance in squared units."""
        return self.variance / (unit * unit)

    def half_tails(self, depth: int) -> list[arb]:
        """Complementary error functions at the odd multiples of half a unit."""
        limit = arb(2) ** -depth
        step = 1 / ball(8 * self.variance).sqrt()
        tails: list[arb] = []
        odd = 1
        while not tails or not tails[-1] < limit:
            tails.append((odd * step).erfc() / 2)
            odd += 2
        return tails


@final
@dataclass(frozen=True, slots=True)
class Laplace(Shape):
    """The two-sided exponential density with this scale.

    >>> Laplace(Fraction(4)).exponent(Fraction(2))
    Fraction(1, 2)
    """

    scale: Fraction

    def exponent(self, distance: Fraction) -> Fraction:
        """The distance over the scale."""
        return distance / self.scale

    def exponent_ball(self, distance: arb) -> arb:
        """The same for a ball of distances."""
        return distance / ball(self.scale)

    def excess(self, near: Floats, beyond: Floats, unit: int) -> Floats:
        """The further distance over the scale, wherever it starts."""
        return float(unit / self.scale) * beyond

    def resolution(self, unit: int) -> Fraction:
        """The square of the scale in units."""
        return (self.scale / unit) ** 2

    def half_tails(self, depth: int) -> list[arb]:
        """A geometric sequence that starts at half a unit."""
        limit = arb(2) ** -depth
        ratio = ball(-1 / self.scale).exp()
        tails = [ball(-1 / (2 * self.scale)).exp() / 2]
        while not tails[-1] < limit:
            tails.append(tails[-1] * ratio)
        return tails
