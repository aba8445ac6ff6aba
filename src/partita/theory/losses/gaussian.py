"""The loss of the Gaussian mechanism: itself Gaussian, with mean ρ and variance 2ρ, where ρ = μ²/2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from flint import arb

from partita.errors import theory as refuse
from partita.theory import numerics
from partita.theory.losses.base import Batch, Lattice, LossLaw, Rows
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, up
from partita.theory.losses.spread import cells_on_lattice, normal_cells, normal_tail
from partita.theory.numerics import gaussian_delta

_TINY = 1e-300


@final
@dataclass(frozen=True, slots=True)
class GaussianLoss(LossLaw):
    """Telling N(0, 1) from N(μ, 1): all Gaussians of a plan pool into one (theory B13, D16).

    >>> round(GaussianLoss(1.0).delta(1.0), 12)
    0.126936737507
    """

    mu: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mu) and self.mu >= 0):
            raise refuse.bad_parameter("μ", self.mu)

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return math.inf if self.mu > 0 else 0.0

    @property
    def minimum(self) -> float:
        return -math.inf if self.mu > 0 else 0.0

    def delta(self, epsilon: float) -> float:
        """Exact (theory B13), rounded up."""
        if self.mu == 0.0:
            return up(-math.expm1(epsilon)) if epsilon < 0 else 0.0
        if self.mu < 1e-200:
            # δ(ε) <= δ(0) = 2Φ(μ/2) - 1 <= μ/√(2π) for ε >= 0.
            return max(_TINY, up(0.4 * self.mu)) if epsilon >= 0 else 1.0
        if epsilon / self.mu - self.mu / 2 > 1e8:
            # Far beyond any float: δ <= Φ(-a) <= exp(-a²/2) with a = ε/μ - μ/2.
            return _TINY
        mu, at = arb(self.mu), arb(epsilon)
        value = numerics.float_above(lambda: gaussian_delta(mu, at), "the profile of a Gaussian")
        return min(1.0, max(_TINY, value))

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        return cls.rows(floats([law.mu for law in laws]), floats(counts))

    @classmethod
    def rows(cls, mus: Floats, counts: Floats) -> Rows:
        """Many laws at once, without making each."""
        return GaussianBatch(math.fsum((counts * mus * mus).tolist()) / 2)

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        """Cell by cell, the mass is split so that the mean of e^(-L) is kept (theory D14)."""
        if self.mu == 0.0:
            return Lattice(span, 0, np.ones(1), 0.0)
        half, sigma = self.mu * self.mu / 2, self.mu
        reach = math.sqrt(2 * max(math.log(1 / max(floor, 1e-300)), 1.0))
        first = math.floor((half - reach * sigma) / span) - 1
        last = math.ceil((half + reach * sigma) / span) + 1
        edges = np.arange(first, last + 1, dtype=np.float64) * span
        mass = normal_cells((edges - half) / sigma, 1 + sigma)
        inverse = normal_cells((edges + half) / sigma, 1 + sigma)
        below = normal_tail(float((half - edges[0]) / sigma), 1 + sigma)
        above = normal_tail(float((edges[-1] - half) / sigma), 1 + sigma)
        return cells_on_lattice(first, span, mass, inverse, below, above, upward=upward)


@final
@dataclass(frozen=True, slots=True)
class GaussianBatch(Rows):
    """Any number of Gaussians: only the sum of ρ matters; log M(s) = ρ s (s + 1)."""

    # Within three units of the true sum: each μ² is rounded twice, and fsum rounds once.
    rho: float

    @property
    def family(self) -> type[LossLaw]:
        return GaussianLoss

    @property
    def size(self) -> int:
        return 1

    def parts(self) -> Sequence[tuple[LossLaw, int]]:
        """One Gaussian with the same sum, rounded up."""
        return [(GaussianLoss(up(math.sqrt(2 * self.rho), 8 * UNIT)), 1)]

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return math.inf if self.rho > 0 else 0.0

    @property
    def minimum(self) -> float:
        return -math.inf if self.rho > 0 else 0.0

    def variance(self) -> float:
        return 2 * self.rho

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        value = self.rho * c * (c + 1)
        return value, 8 * UNIT * value

    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        modulus = np.exp(-self.rho * t * t)
        phase = self.rho * (2 * c + 1) * t
        error = modulus * (8 * UNIT * (self.rho * t * t + np.abs(phase)) + 3 * FUNCTION) + _TINY
        return modulus * (np.cos(phase) + 1j * np.sin(phase)), error

    def decay(self, c: float, t: Floats) -> Floats:
        return -self.rho * t * t * (1 - 8 * UNIT)
