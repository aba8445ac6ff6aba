"""Two-sided geometric noise: the Laplace density on the integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, tanh
from typing import ClassVar, final

import numpy as np

from partita.exact import Number, float_up
from partita.limits import current
from partita.mechanisms.additive import AdditiveNoise, Floats, miss
from partita.mechanisms.base import Event, Forms, identical
from partita.mechanisms.integers import Integers
from partita.mechanisms.laplace import scale_of
from partita.mechanisms.strength import Strength
from partita.mechanisms.words import GeometricSteps, Word
from partita.sampling import geometric as sampler
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.pure import Pure
from partita.theory.numerics import ball


@final
@dataclass(frozen=True, slots=True, init=False)
class Geometric(AdditiveNoise):
    """Add integer noise z with probability proportional to exp(-|z| / scale) (theory C4).

    At distance 1 it is exactly randomised response, so it may not claim the smaller costs of real Laplace noise
    (geometric.proof.md); rounded Laplace noise of the same scale (`Laplace`) is cheaper.

    >>> Geometric(scale=4).cost(Distance.l1(1), Pure)
    Pure(epsilon=Fraction(1, 4))
    """

    kind: ClassVar[str] = "geometric"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "C4"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    word: ClassVar[type | None] = GeometricSteps
    scale: Fraction

    def __init__(self, *, scale: Number | None = None, epsilon: Number | None = None) -> None:
        object.__setattr__(self, "scale", scale_of(self.kind, scale, epsilon))

    @property
    def epsilon(self) -> Fraction:
        """The pure loss at distance 1."""
        return 1 / self.scale

    def forms(self, distance: Distance) -> Forms:
        return {Pure: lambda: Pure(epsilon=distance.power / self.scale)}

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        steps = ceil(distance.power)
        if steps == 0:
            return identical()
        if steps > current().geometric:
            return Pair.of(RandomizedResponseLoss(float_up(distance.power / self.scale)))
        return Pair.of(AtomicLoss.geometric(float_up(1 / self.scale), steps))

    def is_exact(self, distance: Distance) -> bool:
        """As far as its losses are listed one by one."""
        return distance.power <= current().geometric

    def said(self, distance: Distance) -> Word | None:
        steps = ceil(distance.power)
        return GeometricSteps(1 / self.scale, steps, exact=steps == distance.power)

    @classmethod
    def heard(cls, word: Word) -> Event:
        assert isinstance(word, GeometricSteps)
        return Geometric(epsilon=word.loss).at(Distance.l1(word.steps))

    def parameters(self) -> dict[str, str]:
        return {"scale": str(self.scale)}

    def draw(self, size: int, bits: BitSource) -> Integers:
        return sampler.geometric(self.scale, size, bits)

    def masses(self, places: Floats) -> Floats:
        scale = float(self.scale)
        return np.asarray(tanh(1 / (2 * scale)) * np.exp(-np.abs(places) / scale), dtype=np.float64)

    def reach(self, confidence: Fraction, entries: int) -> int:
        """Pr[|Z| > h] = 2 q^(h+1) / (1 + q) with q = e^(-1/scale)."""
        scale = self.scale
        beyond = numerics.upper(
            lambda: ball(scale) * (2 / ((1 + ball(-1 / scale).exp()) * miss(confidence, entries))).log(),
            "the quantile of geometric noise",
        )
        return max(0, ceil(beyond) - 1)

    def variance(self) -> float:
        """2q / (1 - q)² with q = e^(-1/scale), rounded up.

        >>> round(Geometric(epsilon="0.5").variance(), 9)
        7.835396178
        """
        scale = self.scale
        return float_up(numerics.upper(lambda: 1 / (2 * (ball(1 / (2 * scale)).sinh()) ** 2)))
