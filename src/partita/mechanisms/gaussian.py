"""Gaussian noise, rounded to the lattice of the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, floor, inf, log10, nextafter, sqrt
from typing import ClassVar, final

import numpy as np

from partita.calls import made_by_name
from partita.errors import mechanisms as refuse
from partita.exact import Number, float_up, positive, probability, whole
from partita.mechanisms.additive import AdditiveNoise, Floats, miss, rounded_masses
from partita.mechanisms.base import Event, Forms
from partita.mechanisms.integers import Integers
from partita.mechanisms.strength import Setting, Strength, short_up
from partita.mechanisms.words import GaussianShift, Word
from partita.sampling import rounded
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

_DIGITS = 15


@final
@made_by_name
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianNoise(AdditiveNoise):
    """Add real Gaussian noise with standard deviation sigma, rounded to the nearest integer (theory C17).

    Moving the vector by d in L2 is a shift by d / sigma standard deviations (gaussian.proof.md).

    >>> GaussianNoise(sigma=10).cost(Distance.l2(1), ZCDP)
    ZCDP(rho=Fraction(1, 200), delta=Fraction(0, 1))
    """

    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[Norm] = Norm.L2
    theorems: ClassVar[str] = "C6, C17"
    strength: ClassVar[Strength | None] = Strength.MU
    law_family: ClassVar[type[LossLaw] | None] = GaussianLoss
    word: ClassVar[type | None] = GaussianShift
    sigma: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive(self.sigma, "sigma"))

    @classmethod
    def for_budget(cls, budget: Measure, distance: Distance, *, count: int = 1) -> GaussianNoise:
        """The least noise with which so many releases at this distance stay within the budget.

        For (ε, δ) this is the analytic calibration (theory C6): the exact curve is solved, not a tail bound.

        >>> round(float(GaussianNoise.for_budget(Approximate(epsilon=1, delta="1e-6"), Distance.l2(1)).sigma), 9)
        4.224678889
        """
        if not isinstance(distance, Distance):
            raise refuse.not_a_distance(distance)
        if distance.norm is not cls.norm:
            raise refuse.other_norm(cls.kind, cls.norm.value, distance.norm.value)
        square = whole(count, "count", least=1) * distance.power
        if square == 0:
            raise refuse.nothing_to_hide()
        match budget:
            case Approximate(epsilon=epsilon, delta=delta) if delta > 0 and epsilon > 0:
                return cls(sigma=analytic_sigma(epsilon, delta, square))
            case ZCDP(rho=rho) if rho > 0:
                squared = square / (2 * rho)
            case GDP(squared=mu_squared) if mu_squared > 0:
                squared = square / mu_squared
            case Renyi() if all(budget.taus):
                squared = max(order * square / (2 * tau) for order, tau in zip(budget.orders, budget.taus, strict=True))
            case Measure():
                raise refuse.no_noise_fits(cls.kind, str(budget))
            case _:
                raise refuse.not_a_budget(budget)
        return cls(sigma=decimal_up(numerics.upper(lambda: ball(squared).sqrt())))

    def forms(self, distance: Distance) -> Forms:
        squared = distance.power / self.sigma**2
        return {
            GDP: lambda: GDP.from_squared(squared),
            ZCDP: lambda: ZCDP(rho=squared / 2),
            Renyi: lambda: Renyi(orders=ORDERS, taus=[order * squared / 2 for order in ORDERS]),
        }

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        return Pair.of(GaussianLoss(float_up(GDP.from_squared(distance.power / self.sigma**2).mu)))

    def parameter(self, power: Fraction | None) -> float | None:
        """μ = distance / sigma; integers divide to the nearest float."""
        top, bottom = self.sigma.as_integer_ratio()
        if power is None:
            return bottom / top
        square = (bottom * bottom * power.numerator) / (top * top * power.denominator)
        # One float for the quotient and one for the root; the caller adds one more. Near zero floats have fewer digits.
        return nextafter(sqrt(square), inf) if square > 1e-280 else None

    def shift(self, distance: Distance) -> Fraction | None:
        return distance.power / self.sigma**2

    def is_exact(self, distance: Distance) -> bool:
        return True

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> GaussianNoise:
        """The strength is the μ at distance one."""
        return cls(sigma=short_up(1 / strength), **setting.parameters)

    def said(self, distance: Distance) -> Word | None:
        return GaussianShift(self.sigma / distance.length())

    @classmethod
    def heard(cls, word: Word) -> Event:
        assert isinstance(word, GaussianShift)
        return GaussianNoise(sigma=word.noise).at(Distance.l2(1))

    def parameters(self) -> dict[str, str]:
        return {"sigma": str(self.sigma)}

    def draw(self, size: int, bits: BitSource) -> Integers:
        return rounded.gaussian(self.sigma, size, bits)

    def masses(self, places: Floats) -> Floats:
        width = float(self.sigma) * sqrt(2)
        return rounded_masses(lambda x: np.array([erfc(one / width) / 2 for one in x.tolist()]), places)

    def reach(self, confidence: Fraction, entries: int) -> int:
        """round(X) stays within h exactly if X stays within h + 1/2."""
        return max(0, ceil(gaussian_quantile(self.sigma, confidence, entries) - Fraction(1, 2)))


def gaussian_quantile(sigma: Fraction, confidence: Fraction, entries: int) -> Fraction:
    """What the absolute values of several real Gaussian variables all stay within, rounded up.

    >>> round(float(gaussian_quantile(Fraction(1), Fraction(19, 20), 1)), 6)
    1.959964
    """
    return numerics.upper(
        lambda: ball(sigma) * ball(2).sqrt() * miss(confidence, entries).erfcinv(), "the quantile of Gaussian noise"
    )


def analytic_sigma(epsilon: Fraction, delta: Fraction, square: Fraction) -> Fraction:
    """The least standard deviation whose exact δ at ε is small enough (theory C6), for a squared distance.

    >>> round(float(analytic_sigma(Fraction(1, 2), Fraction(1, 10**5), Fraction(1))), 9)
    7.031826676
    """

    def found(sigma: Fraction) -> Fraction:
        return GDP.from_squared(square / sigma**2).delta_at(epsilon)

    start = Distance.l2_squared(square).length() / epsilon
    # Rounding up to decimal digits only adds noise.
    return decimal_up(
        numerics.least_positive(
            lambda sigma: found(sigma) <= delta, start, ratio=lambda sigma: float(found(sigma) / delta)
        )
    )


def textbook_sigma(epsilon: Number, delta: Number, distance: Number = 1) -> Fraction:
    """The calibration of textbooks, (distance / ε) √(2 ln(2/δ)), rounded up: for comparison only (theory C5).

    >>> round(float(textbook_sigma(1, "1e-6")), 6)
    5.386772
    """
    wanted, share = positive(epsilon, "epsilon"), probability(delta, "delta")
    length = positive(distance, "distance")
    return numerics.upper(lambda: ball(length / wanted) * (2 * (2 / ball(share)).log()).sqrt())


def textbook_holds(epsilon: Number, delta: Number) -> bool:
    """Whether the textbook calibration keeps (ε, δ), by its exact curve: it fails for large ε (theory C5).

    >>> textbook_holds(1, "1e-6"), textbook_holds(12, "1e-6")
    (True, False)
    """
    wanted, share = positive(epsilon, "epsilon"), probability(delta, "delta")
    sigma = textbook_sigma(wanted, share)
    return GDP.from_squared(1 / sigma**2).delta_at(wanted) <= share


def decimal_up(number: Fraction, digits: int = _DIGITS) -> Fraction:
    """The least decimal number of so many digits that is not below a positive number, so that it is short to write.

    >>> decimal_up(Fraction(1, 3), 3)
    Fraction(167, 500)
    """
    # The logarithm may be off by one: then there is one digit more or less.
    size = floor(log10(number.numerator) - log10(number.denominator))
    unit = Fraction(10) ** (size + 1 - digits)
    return ceil(number / unit) * unit
