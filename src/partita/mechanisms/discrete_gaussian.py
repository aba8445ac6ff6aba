"""Discrete Gaussian noise: the normal density on the integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any, ClassVar, final

import numpy as np
from flint import arb

from partita.errors import mechanisms as refuse
from partita.exact import float_down, float_up, positive
from partita.limits import current
from partita.mechanisms.additive import AdditiveNoise, Floats, miss
from partita.mechanisms.base import Forms, identical
from partita.mechanisms.gaussian import gaussian_quantile
from partita.mechanisms.integers import Integers, read
from partita.mechanisms.strength import Setting, Strength, short_up
from partita.mechanisms.switch import switch
from partita.sampling import discrete_gaussian as sampler
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

# Up to this variance sums over the integers are computed term by term.
_TABULATED = 10**8
# At most 2^20 masses of at most 1e-290 are dropped.
_LEAST, _DROPPED = 1e-290, 1e-280


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(AdditiveNoise):
    """Add integer noise z with probability proportional to exp(-z² / (2 variance)) (theory C8).

    ``variance`` is the parameter of the law; its true variance is a little less. ``alone`` says that the result is one
    number, so that neighbours move one entry: then its exact curve is known at every distance. It has no μ; rounded
    Gaussian noise (`GaussianNoise`) has one, and costs the same ρ (discrete_gaussian.proof.md).

    >>> DiscreteGaussian(variance=100).cost(Distance.l2(1), ZCDP)
    ZCDP(rho=Fraction(1, 200), delta=Fraction(0, 1))
    """

    kind: ClassVar[str] = "discrete_gaussian"
    norm: ClassVar[Norm] = Norm.L2
    theorems: ClassVar[str] = "C8"
    strength: ClassVar[Strength | None] = Strength.MU
    variance: Fraction
    alone: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "variance"))
        object.__setattr__(self, "alone", switch(self.alone, "alone"))

    def forms(self, distance: Distance) -> Forms:
        rho = distance.power / (2 * self.variance)
        return {
            ZCDP: lambda: ZCDP(rho=rho),
            Renyi: lambda: Renyi(orders=ORDERS, taus=[order * rho for order in ORDERS]),
        }

    def pair(self, distance: Distance) -> Pair:
        """Exact for one entry; several entries that move by one each are independent copies of it."""
        self.require(distance)
        if distance.power == 0:
            return identical()
        if self.variance > _TABULATED:
            raise refuse.no_exact_curve(self.kind, f"a variance above {_TABULATED}")
        square = max(1, floor(distance.power))
        if self.alone or square == 1:
            return Pair.of(self._moved(isqrt(square)))
        if square < 4:
            return Pair.of(ProductLoss.of([(self._moved(1), square)]))
        raise refuse.no_exact_curve(self.kind, f"several entries at a distance of {distance}")

    def _moved(self, steps: int) -> AtomicLoss:
        """The loss of one entry; masses that floats hardly hold are moved to infinity, where they only cost more."""
        law = AtomicLoss.discrete_gaussian(float_down(self.variance), steps)
        kept = [(loss, mass) for loss, mass in zip(law.losses, law.masses, strict=True) if mass > _LEAST]
        losses, masses = zip(*kept, strict=True)
        return AtomicLoss(losses, masses, law.infinity_ + _DROPPED, law.relative, law.blur)

    def is_exact(self, distance: Distance) -> bool:
        return True

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> DiscreteGaussian:
        """The strength is about the μ at distance one."""
        return cls(variance=short_up(1 / strength**2), **setting.parameters)

    def parameters(self) -> dict[str, str]:
        return {"variance": str(self.variance), "alone": str(self.alone).lower()}

    def draw(self, size: int, bits: BitSource) -> Integers:
        return sampler.discrete_gaussian(self.variance, size, bits)

    def release(self, values: object, *, bits: BitSource | None = None) -> Any:
        """The exact integers with noise on each; only one of them if the noise is ``alone``."""
        if self.alone and read(values).values.size > 1:
            raise refuse.not_alone(self.kind)
        return AdditiveNoise.release(self, values, bits=bits)

    def masses(self, places: Floats) -> Floats:
        twice = 2 * float(self.variance)
        far = ceil(10 * twice**0.5) + 10
        total = np.exp(-(np.arange(-far, far + 1) ** 2) / twice).sum()
        return np.asarray(np.exp(-(places**2) / twice) / total, dtype=np.float64)

    def reach(self, confidence: Fraction, entries: int) -> int:
        """Exact sums where they are short; else Pr[|Z| >= t + 1] <= Pr[|N| >= t] (theory C8)."""
        sigma = numerics.upper(lambda: ball(self.variance).sqrt())
        low, high = -1, ceil(gaussian_quantile(sigma, confidence, entries))
        if self.variance > current().summed:
            return high
        allowed = numerics.lower(lambda: miss(confidence, entries))
        while high - low > 1:
            middle = (low + high) // 2
            if self.tail(middle) <= allowed:
                high = middle
            else:
                low = middle
        return high

    def tail(self, beyond: int) -> Fraction:
        """Pr[|Z| > h], rounded up.

        >>> round(float(DiscreteGaussian(variance=1).tail(0)), 6)
        0.601058
        """

        def share() -> arb:
            return 2 * _weights(self.variance, beyond + 1, 0) / (1 + 2 * _weights(self.variance, 1, 0))

        return min(Fraction(1), numerics.upper(share, "the tail of discrete Gaussian noise"))

    def true_variance(self) -> float:
        """The variance of the noise itself, which is at most the parameter (theory C8).

        >>> round(DiscreteGaussian(variance="0.25").true_variance(), 9)
        0.215012675
        """
        if self.variance > current().summed:
            return float_up(self.variance)
        value = numerics.upper(lambda: 2 * _weights(self.variance, 1, 2) / (1 + 2 * _weights(self.variance, 1, 0)))
        return float_up(value)


def _weights(variance: Fraction, first: int, power: int) -> arb:
    """The sum of z^power exp(-z²/2v) over all z from the first on, as a ball that holds what is left out."""
    total: arb = arb(0)
    z = first
    limit, negligible = arb(2) ** -(2 * 96), arb(2) ** -5000
    while True:
        term = ball(Fraction(-z * z) / (2 * variance)).exp() * z**power
        total += term
        if z * z > 8 * variance + 64 and (term < limit * total or term.abs_upper() < negligible):
            # Here the falling ratio r of the weights makes up for the growth of z²: at most 2 term/(1 - r) is left.
            total += arb(0).union(2 * term / (1 - ball(Fraction(-2 * z - 1) / (2 * variance)).exp()))
            return total
        z += 1
