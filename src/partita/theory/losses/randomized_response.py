"""The loss of leaky randomised response, the worst of all (ε, δ)-private mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from partita.errors import theory as refuse
from partita.theory.losses.base import Batch, Lattice, LossLaw, Rows
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, probability_up, up
from partita.theory.losses.pooled import FactorBatch, pool, survival_to_infinity
from partita.theory.losses.spread import atoms_on_lattice, multiple_below


@final
@dataclass(frozen=True, slots=True)
class RandomizedResponseLoss(LossLaw):
    """The truth with odds e^ε, and everything with probability δ (theory B8, D11).

    Every (ε, δ)-private mechanism is a post-processing of it, so it stands for all of them.

    >>> round(RandomizedResponseLoss(1.0).delta(0.5), 10)
    0.2876491366
    """

    epsilon: float
    leak: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise refuse.bad_parameter("ε", self.epsilon)
        if not 0 <= self.leak < 1:
            raise refuse.bad_parameter("δ", self.leak)

    @property
    def infinity(self) -> float:
        return self.leak

    @property
    def maximum(self) -> float:
        return self.epsilon

    @property
    def minimum(self) -> float:
        return -self.epsilon

    def delta(self, epsilon: float) -> float:
        """Exact (theory B8), rounded up."""
        if epsilon >= self.epsilon:
            return self.leak
        if epsilon <= -self.epsilon:
            part = -math.expm1(epsilon)
        else:
            part = -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))
            part += UNIT * (abs(epsilon) + self.epsilon)
        return probability_up(self.leak + (1 - self.leak) * part, 4 * FUNCTION)

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        parameters = np.array([(law.epsilon, law.leak) for law in laws], dtype=np.float64)
        return RandomizedResponseBatch(*pool(parameters, floats(counts)))

    @classmethod
    def rows(cls, epsilons: Floats, counts: Floats) -> Rows:
        """Many laws without a leak at once, without making each."""
        return RandomizedResponseBatch(*pool(np.stack([epsilons, np.zeros(len(epsilons))], axis=1), counts))

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        # Less ε is dominated: downward, take the largest multiple below it.
        epsilon = self.epsilon if upward else multiple_below(self.epsilon, span) * span
        high = 1 / (1 + math.exp(-epsilon))
        shares = np.array([math.exp(-epsilon) * high, high]) * (1 - self.leak)
        losses = np.array([-epsilon, epsilon])
        return atoms_on_lattice(losses, shares, self.leak, span, 4 * FUNCTION, upward=upward)


@final
@dataclass(frozen=True, slots=True, eq=False)
class RandomizedResponseBatch(FactorBatch):
    """Randomised responses: M(s) = (1 - δ) cosh(zε) / cosh(ε/2) with z = s + 1/2."""

    parameters: Floats
    counts: Floats

    @property
    def family(self) -> type[LossLaw]:
        return RandomizedResponseLoss

    def parts(self) -> Sequence[tuple[LossLaw, int]]:
        rows = zip(self.parameters.tolist(), self.counts.tolist(), strict=True)
        return [(RandomizedResponseLoss(e, leak), int(n)) for (e, leak), n in rows]

    @property
    def infinity(self) -> float:
        return survival_to_infinity(self.parameters[:, 1], self.counts)

    @property
    def maximum(self) -> float:
        return up(float(np.dot(self.counts, self.parameters[:, 0])), (2 + len(self.counts)) * UNIT)

    @property
    def minimum(self) -> float:
        return -self.maximum

    def variance(self) -> float:
        epsilon = self.parameters[:, 0]
        return float(np.dot(self.counts, epsilon * epsilon / np.cosh(np.minimum(epsilon / 2, 300.0)) ** 2))

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        epsilon, leak = self.parameters[:, 0, None], self.parameters[:, 1, None]
        z = c + 0.5
        parts = c * epsilon + np.log1p(np.exp(-2 * z * epsilon)) - np.log1p(np.exp(-epsilon)) + np.log1p(-leak)
        slack = 4 * UNIT * (c * epsilon + 2.0) + 4 * FUNCTION
        rounding = (2 + len(self.counts)) * UNIT
        return self.counts @ parts, self.counts @ (slack + rounding * np.abs(parts))

    def factors(self, c: float, t: Floats, rows: slice) -> tuple[Complexes, Floats]:
        """cos(tε) + i tanh((c + 1/2) ε) sin(tε): at most one in modulus."""
        epsilon = self.parameters[rows, 0]
        angle = np.multiply.outer(epsilon, t)
        factors = np.empty(angle.shape, dtype=np.complex128)
        factors.real = np.cos(angle)
        factors.imag = np.tanh((c + 0.5) * epsilon)[:, None] * np.sin(angle)
        furthest = float(t[-1]) if len(t) else 0.0
        return factors, 2 * UNIT * epsilon * furthest + 6 * FUNCTION

    def decay(self, c: float, t: Floats) -> Floats:
        """None: the transform of two atoms comes back to its height for ever."""
        return np.zeros(len(t))
