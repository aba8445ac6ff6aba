"""Laplace noise, rounded to the lattice of the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar, final

import numpy as np

from partita.calls import made_by_name
from partita.errors import mechanisms as refuse
from partita.exact import Number, float_up, positive
from partita.mechanisms.additive import AdditiveNoise, Floats, miss, rounded_masses
from partita.mechanisms.base import Event, Forms
from partita.mechanisms.integers import Integers
from partita.mechanisms.strength import Strength
from partita.mechanisms.words import LaplaceShift, Word
from partita.sampling import rounded
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.base import LossLaw
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False)
class Laplace(AdditiveNoise):
    """Add real Laplace noise of the given scale, rounded to the nearest integer (theory C17).

    Moving the vector by d in L1 moves each log-density by at most d / scale (laplace.proof.md). ``epsilon`` is the
    loss at distance 1: Laplace(epsilon="0.1") is Laplace(scale=10).

    >>> Laplace(scale=4).cost(Distance.l1(1), Pure)
    Pure(epsilon=Fraction(1, 4))
    """

    kind: ClassVar[str] = "laplace"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "C3, C17"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    law_family: ClassVar[type[LossLaw] | None] = LaplaceLoss
    word: ClassVar[type | None] = LaplaceShift
    scale: Fraction

    def __init__(self, *, scale: Number | None = None, epsilon: Number | None = None) -> None:
        object.__setattr__(self, "scale", scale_of(self.kind, scale, epsilon))

    @property
    def epsilon(self) -> Fraction:
        """The pure loss at distance 1."""
        return 1 / self.scale

    def forms(self, distance: Distance) -> Forms:
        epsilon = distance.power / self.scale
        return {
            Pure: lambda: Pure(epsilon=epsilon),
            ZCDP: lambda: ZCDP(rho=laplace_rho(epsilon)),
            GDP: lambda: GDP(mu=laplace_mu(epsilon)),
            Renyi: lambda: Renyi(orders=ORDERS, taus=[laplace_tau(epsilon, order) for order in ORDERS]),
        }

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        return Pair.of(LaplaceLoss(float_up(distance.power / self.scale)))

    def parameter(self, power: Fraction | None) -> float | None:
        """ε = distance / scale; integers divide to the nearest float."""
        top, bottom = self.scale.as_integer_ratio()
        if power is not None:
            top, bottom = top * power.denominator, bottom * power.numerator
        return bottom / top

    def is_exact(self, distance: Distance) -> bool:
        return True

    def said(self, distance: Distance) -> Word | None:
        return LaplaceShift(self.scale / distance.power)

    @classmethod
    def heard(cls, word: Word) -> Event:
        assert isinstance(word, LaplaceShift)
        return Laplace(scale=word.noise).at(Distance.l1(1))

    def parameters(self) -> dict[str, str]:
        return {"scale": str(self.scale)}

    def draw(self, size: int, bits: BitSource) -> Integers:
        return rounded.laplace(self.scale, size, bits)

    def masses(self, places: Floats) -> Floats:
        return rounded_masses(lambda x: np.exp(-x / float(self.scale)) / 2, places)

    def reach(self, confidence: Fraction, entries: int) -> int:
        """round(X) stays within h exactly if X stays within h + 1/2."""
        return max(0, ceil(laplace_quantile(self.scale, confidence, entries) - Fraction(1, 2)))


def scale_of(kind: str, scale: Number | None, epsilon: Number | None) -> Fraction:
    """The scale, given as it is or as the loss at distance 1.

    >>> scale_of("laplace", None, "0.1")
    Fraction(10, 1)
    """
    if (scale is None) == (epsilon is None):
        raise refuse.scale_or_epsilon(kind)
    return positive(scale, "scale") if epsilon is None else 1 / positive(epsilon, "epsilon")


def laplace_rho(epsilon: Fraction) -> Fraction:
    """ρ = ε - 1 + e^(-ε), tight (theory C3a), rounded up; never above ε²/2.

    >>> round(float(laplace_rho(Fraction(1))), 9)
    0.367879441
    """
    value = numerics.upper(lambda: ball(epsilon) + (-ball(epsilon)).expm1(), "the ρ of Laplace noise")
    return min(value, epsilon**2 / 2)


def laplace_mu(epsilon: Fraction) -> Fraction:
    """μ = -2 Φ⁻¹(e^(-ε/2)/2), tight (theory C3b), rounded up.

    >>> round(float(laplace_mu(Fraction(1))), 9)
    1.030063998
    """
    if epsilon < 1:
        return numerics.upper(lambda: 2 * ball(2).sqrt() * (-(-ball(epsilon) / 2).expm1()).erfinv())
    return numerics.upper(lambda: 2 * ball(2).sqrt() * (-ball(epsilon) / 2).exp().erfcinv(), "the μ of Laplace noise")


def laplace_tau(epsilon: Fraction, order: Fraction) -> Fraction:
    """The Rényi divergence of Laplace noise (theory C3), rounded up; never above ε.

    >>> round(float(laplace_tau(Fraction(1), Fraction(2))), 9)
    0.61912363
    """
    twice = 2 * order - 1
    value = numerics.upper(
        lambda: (
            ball(epsilon)
            + (ball(order / twice) + ball((order - 1) / twice) * (-ball(twice) * ball(epsilon)).exp()).log()
            / ball(order - 1)
        ),
        "the Rényi divergence of Laplace noise",
    )
    return min(value, epsilon)


def laplace_quantile(scale: Fraction, confidence: Fraction, entries: int) -> Fraction:
    """What the absolute values of several real Laplace variables all stay within (theory C3), rounded up.

    >>> round(float(laplace_quantile(Fraction(2), Fraction(19, 20), 10)), 6)
    10.550688
    """
    return numerics.upper(lambda: -ball(scale) * miss(confidence, entries).log(), "the quantile of Laplace noise")
