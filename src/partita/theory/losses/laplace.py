"""The loss of the Laplace mechanism: two atoms at ±ε and an exponential tilt between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

import numpy as np

from partita.errors import theory as refuse
from partita.theory.losses.base import Batch, Lattice, LossLaw, Rows
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, probability_up, up
from partita.theory.losses.pooled import FactorBatch, pool
from partita.theory.losses.spread import atoms_on_lattice, multiple_below


@final
@dataclass(frozen=True, slots=True)
class LaplaceLoss(LossLaw):
    """Telling Laplace noise from the same noise moved by ε scales (theory C3).

    >>> round(LaplaceLoss(1.0).delta(0.5), 10)
    0.2211992169
    """

    epsilon: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise refuse.bad_parameter("ε", self.epsilon)

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return self.epsilon

    @property
    def minimum(self) -> float:
        return -self.epsilon

    def delta(self, epsilon: float) -> float:
        """Exact (theory C3), rounded up."""
        if epsilon >= self.epsilon:
            return 0.0
        if epsilon <= -self.epsilon:
            return probability_up(-math.expm1(epsilon), 2 * FUNCTION)
        part = -math.expm1((epsilon - self.epsilon) / 2)
        return probability_up(part + UNIT * (abs(epsilon) + self.epsilon), 2 * FUNCTION)

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        return cls.rows(floats([law.epsilon for law in laws]), floats(counts))

    @classmethod
    def rows(cls, epsilons: Floats, counts: Floats) -> Rows:
        """Many laws at once, without making each."""
        return LaplaceBatch(*pool(epsilons[:, None], counts))

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        """Between l and l + w the split is (1, e^(w/2)) tanh(w/4) e^((l - ε)/2) / 2 (laplace.proof.md)."""
        steps = round(self.epsilon / span)
        whole = Fraction(steps) * Fraction(span)
        if upward and steps > 0 and 0 <= whole - Fraction(self.epsilon) <= Fraction(self.epsilon) / 2**40:
            return _whole_cells(span, steps)
        if not upward:
            # Less ε is dominated; whole cells then, each put at its lower end.
            return _lower_cells(span, multiple_below(self.epsilon, span))
        return _any_cells(self.epsilon, span)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LaplaceBatch(FactorBatch):
    """Laplace losses: M(s) = e^(-ε/2) (cosh zε + sinh(zε) / 2z) with z = s + 1/2."""

    parameters: Floats
    counts: Floats

    @property
    def family(self) -> type[LossLaw]:
        return LaplaceLoss

    def parts(self) -> Sequence[tuple[LossLaw, int]]:
        return [
            (LaplaceLoss(e), int(n)) for (e,), n in zip(self.parameters.tolist(), self.counts.tolist(), strict=True)
        ]

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return up(float(np.dot(self.counts, self.parameters[:, 0])), (2 + len(self.counts)) * UNIT)

    @property
    def minimum(self) -> float:
        return -self.maximum

    def variance(self) -> float:
        epsilon = self.parameters[:, 0]
        # The second moment is at most ε², and ρ = ε - 1 + e^(-ε) is the mean.
        mean = epsilon + np.expm1(-epsilon)
        return float(np.dot(self.counts, np.minimum(2 * mean, epsilon * epsilon)))

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        epsilon = self.parameters[:, 0, None]
        a = c + 0.5
        fall = np.exp(-2 * a * epsilon)
        # log of ((1 + fall)/2 + (1 - fall)/4a), which lies between 1/2 and 1 + 1/4a <= 3/2.
        inner = -0.5 * np.expm1(-2 * a * epsilon) * (0.5 / a - 1)
        parts = c * epsilon + np.log1p(inner)
        slack = 4 * UNIT * (c * epsilon + 1.0) + 8 * FUNCTION + 0.0 * fall
        rounding = (2 + len(self.counts)) * UNIT
        return self.counts @ parts, self.counts @ (slack + rounding * np.abs(parts))

    def factors(self, c: float, t: Floats, rows: slice) -> tuple[Complexes, Floats]:
        """((1 + τ/2z) cos tε + i (τ + 1/2z) sin tε) / (1 + τ/2a), with a = c + 1/2, z = a + it, τ = tanh aε."""
        epsilon = self.parameters[rows, 0]
        a = c + 0.5
        tilt = np.tanh(a * epsilon)[:, None]
        # 1/2z in its two parts; real arithmetic is half the work.
        size = 0.5 / (a * a + t * t)
        real, imaginary = a * size, -t * size
        angle = np.multiply.outer(epsilon, t)
        cos, sin = np.cos(angle), np.sin(angle)
        below = 1 / (1 + tilt * (0.5 / a))
        cos *= below
        sin *= below
        tilted = tilt * cos
        factors = np.empty(angle.shape, dtype=np.complex128)
        factors.real = cos + tilted * real - sin * imaginary
        factors.imag = sin * (tilt + real) + tilted * imaginary
        furthest = float(t[-1]) if len(t) else 0.0
        return factors, 4 * UNIT * epsilon * furthest + 12 * FUNCTION

    def decay(self, c: float, t: Floats) -> Floats:
        """Beyond t each factor is at most sqrt(1 + (1/4 + τa) / (a² + t²)) / (1 + τ/2a) (laplace.proof.md)."""
        a = c + 0.5
        tilt = np.tanh(a * self.parameters[:, 0])
        drop = np.log1p(tilt * (0.5 / a)) * (1 - 4 * FUNCTION)
        rise = 0.5 * np.log1p(np.multiply.outer(0.25 + tilt * a, 1 / (a * a + t * t))) * (1 + 4 * FUNCTION)
        return self.counts @ np.minimum(rise - drop[:, None], 0.0) * (1 - 1e-12)


def _whole_cells(span: float, steps: int) -> Lattice:
    """The law with ε = steps * span, every cell a whole one."""
    epsilon = steps * span
    corner = math.tanh(span / 4)
    masses = np.exp((np.arange(-steps, steps + 1) * span - epsilon) / 2) * corner
    masses[-1] = (1 + corner) / 2
    masses[0] = math.exp(-epsilon) * (1 + corner) / 2
    return Lattice(span, -steps, masses * (1 + 4 * FUNCTION + 4 * UNIT * epsilon), 0.0)


def _lower_cells(span: float, steps: int) -> Lattice:
    """The law with ε = steps * span, the mass of each cell put at its lower end."""
    epsilon = steps * span
    masses = np.exp((np.arange(-steps, steps + 1) * span - epsilon) / 2) * (math.expm1(span / 2) / 2)
    masses[-1] = 0.5
    masses[0] += 0.5 * math.exp(-epsilon) if steps else 0.5
    return Lattice(span, -steps, masses * (1 - 4 * FUNCTION - 4 * UNIT * epsilon), 0.0)


def _any_cells(epsilon: float, span: float) -> Lattice:
    """Cells cut off by ±ε; the two atoms are split on their own."""
    ends = np.array([-epsilon, epsilon])
    heights = np.array([0.5 * math.exp(-epsilon), 0.5])
    atoms = atoms_on_lattice(ends, heights, 0.0, span, 2 * FUNCTION, upward=True)
    start = atoms.start
    edges = (start + np.arange(len(atoms.masses) + 1)) * span
    left, right = np.clip(edges[:-1], -epsilon, epsilon), np.clip(edges[1:], -epsilon, epsilon)
    width = right - left
    height = 0.5 * np.exp((left - epsilon) / 2)
    mass = height * np.expm1(width / 2)
    slack = 16 * UNIT * (1 + np.abs(edges[:-1]) + epsilon)
    masses = np.zeros(len(atoms.masses) + 1)
    masses[:-1] = atoms.masses
    mass = mass + slack * height
    fall = np.exp(np.minimum(edges[:-1] - left, 0.0))
    rising = height * (np.expm1(width / 2) + fall * np.expm1(-width / 2)) / -math.expm1(-span)
    rising = np.clip(rising + slack * height * (2 + 1 / span), 0.0, mass)
    masses[1:] += rising
    masses[:-1] += mass - rising
    return Lattice(span, start, masses * (1 + 8 * FUNCTION), 0.0)
