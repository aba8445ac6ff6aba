"""The loss of the Gaussian mechanism on a Poisson sample, in the direction where a record leaves or enters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

import numpy as np
from flint import arb

from partita.effort import spend_composing
from partita.errors import theory as refuse
from partita.exact import float_up
from partita.theory import numerics
from partita.theory.losses.base import Batch, Lattice, LossLaw
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, down, floats, up
from partita.theory.losses.pooled import powers
from partita.theory.losses.quadrature import Rule, envelope, rule
from partita.theory.losses.spread import cells_on_lattice, normal_cells, normal_tail
from partita.theory.numerics import ball, normal_cdf

# Points of one lattice that are not counted as work: plans at any usual δ take fewer.
_FREE_POINTS = 1 << 16
_TINY = 1e-300
# Nodes of the contour are handled in blocks, each with a step of the quadrature fine enough for its largest t.
_BLOCK = 64


@final
@dataclass(frozen=True, slots=True)
class SubsampledGaussianLoss(LossLaw):
    """Telling (1-q) N(0, σ²) + q N(1, σ²) from N(0, σ²), or the reverse (theory C14d).

    ``sigma`` is the noise multiplier: the standard deviation over the distance. With ``removes`` the sampled record is
    present under P; otherwise under Q.

    >>> round(SubsampledGaussianLoss(0.1, 1.0, removes=True).delta(0.05), 8)
    0.02614366
    >>> round(SubsampledGaussianLoss(0.1, 1.0, removes=False).delta(0.05), 8)
    0.01057258
    """

    rate: float
    sigma: float
    removes: bool

    def __init__(self, rate: float, sigma: float, *, removes: bool) -> None:
        if not 0 < rate < 1:
            raise refuse.bad_parameter("sampling rate", rate)
        if not 0 < sigma < math.inf:
            raise refuse.bad_parameter("σ", sigma)
        object.__setattr__(self, "rate", rate)
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "removes", removes)

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return math.inf if self.removes else up(-math.log1p(-self.rate), 2 * FUNCTION)

    @property
    def minimum(self) -> float:
        return down(math.log1p(-self.rate), 2 * FUNCTION) if self.removes else -math.inf

    def delta(self, epsilon: float) -> float:
        """Exact: the loss is monotone in the noise, so the worst event is a half-line."""
        q, sigma, at = Fraction(self.rate), Fraction(self.sigma), Fraction(epsilon)
        edge = epsilon if self.removes else -epsilon
        if edge <= down(math.log1p(-self.rate), 4 * FUNCTION):
            return up(-math.expm1(epsilon)) if self.removes else 0.0

        def value() -> arb:
            rate, width, level = ball(q), ball(sigma), ball(at)
            above = (level if self.removes else -level).exp() - (1 - rate)
            if not above > 0:
                return (1 - level.exp()) if self.removes else arb(0)
            point = width * (above / rate).log() + 1 / (2 * width)
            plain, moved = normal_cdf(-point), normal_cdf(1 / width - point)
            if self.removes:
                return (1 - rate) * plain + rate * moved - level.exp() * plain
            plain, moved = normal_cdf(point), normal_cdf(point - 1 / width)
            return plain - level.exp() * ((1 - rate) * plain + rate * moved)

        return min(1.0, max(_TINY, float_up(numerics.upper(value, "the profile of a subsampled Gaussian"))))

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        pooled: dict[Self, int] = {}
        for law, count in zip(laws, counts, strict=True):
            pooled[law] = pooled.get(law, 0) + count
        return SubsampledGaussianBatch(tuple(pooled), np.array(list(pooled.values()), dtype=np.float64))

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        """The masses of each cell under both distributions are normal ones."""
        q, sigma = self.rate, self.sigma
        reach = math.sqrt(2 * max(math.log(1 / max(floor, 1e-300)), 1.0)) + 1
        ends = np.array([-reach, 1 / sigma + reach])
        low, high = np.log1p(q * np.expm1(ends / sigma - 0.5 / sigma**2))
        if not self.removes:
            low, high = -high, -low
        first, last = math.floor(low / span) - 1, math.ceil(high / span) + 1
        spend_composing(max(0, last - first - _FREE_POINTS))
        edges = np.arange(first, last + 1, dtype=np.float64) * span
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.expm1(edges if self.removes else -edges) / q
            points = np.where(level > -1, sigma * np.log1p(level), -math.inf) + 0.5 / sigma
            # The point moves by σ |level| / (1 + level) for each relative error of the level.
            steep = np.where(level > -1, np.abs(level) / (1 + level), 1 / UNIT)
        # Near the end of the support the point is ill-conditioned but its tail is far below any mass that matters.
        points = np.clip(points, -37.0, 37.0 + 1 / sigma)
        if not self.removes:
            points = -points
        shift = 1 / sigma if self.removes else -1 / sigma
        size = floats(1 + 1 / sigma + sigma * np.minimum(steep, 1 / UNIT))
        base, moved = normal_cells(points, size), normal_cells(points - shift, size)
        mixed = ((1 - q) * base[0] + q * moved[0], (1 - q) * base[1] + q * moved[1])
        mass, inverse = (mixed, base) if self.removes else (base, mixed)
        left, right = float(size[0]), float(size[-1])
        below, above = normal_tail(-float(points[0]), left), normal_tail(float(points[-1]), right)
        if self.removes:
            above = (1 - q) * above + q * normal_tail(float(points[-1]) - shift, right)
        return cells_on_lattice(first, span, mass, inverse, below, above * (1 + 4 * UNIT), upward=upward)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SubsampledGaussianBatch(Batch):
    """Subsampled Gaussians: M(s) is the integral of φ w^(s+1), or of φ w^(-s), for w = 1 - q + q e^(x/σ - 1/2σ²)."""

    laws: tuple[SubsampledGaussianLoss, ...]
    counts: Floats

    @property
    def infinity(self) -> float:
        return 0.0

    @property
    def maximum(self) -> float:
        return up(math.fsum(n * law.maximum for law, n in zip(self.laws, self.counts.tolist(), strict=True)))

    @property
    def minimum(self) -> float:
        return down(math.fsum(n * law.minimum for law, n in zip(self.laws, self.counts.tolist(), strict=True)))

    def work(self, furthest: float) -> int:
        # The quadrature has to follow w^(it), which turns the faster the larger t is.
        return sum(1000 + int(2 * furthest / law.sigma) for law in self.laws)

    @property
    def steepest(self) -> float:
        return min(
            (2 * law.sigma**2 * (30 - math.log(law.rate)) + 60 * law.sigma for law in self.laws if law.removes),
            default=math.inf,
        )

    def variance(self) -> float:
        total = 0.0
        for law, count in zip(self.laws, self.counts, strict=True):
            total += float(count) * min(law.rate**2 * math.expm1(min(law.sigma**-2, 50.0)), 2 * law.sigma**-2 + 1)
        return total

    def _rule(self, law: SubsampledGaussianLoss, c: float, furthest: float) -> Rule:
        return rule(law.rate, law.sigma, c, furthest, removes=law.removes)

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        value, error = np.zeros(len(c)), np.zeros(len(c))
        for law, count in zip(self.laws, self.counts.tolist(), strict=True):
            for i, at in enumerate(c.tolist()):
                integral = self._rule(law, at, 0.0)
                value[i] += count * integral.log_total
                error[i] += count * integral.relative
        return value, error * (1 + 1e-9) + 8 * UNIT * np.abs(value)

    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        total, error = np.ones(len(t), dtype=np.complex128), np.zeros(len(t))
        for law, count in zip(self.laws, self.counts.tolist(), strict=True):
            for start in range(0, len(t), _BLOCK):
                block = t[start : start + _BLOCK]
                integral = self._rule(law, c, float(block[-1]) if len(block) else 0.0)
                angle = np.multiply.outer(block, integral.loss)
                factor = np.empty(len(block), dtype=np.complex128)
                factor.real, factor.imag = np.cos(angle) @ integral.weight, np.sin(angle) @ integral.weight
                slack = 2 * integral.relative + block * integral.blur
                if count == 1.0:
                    total[start : start + _BLOCK] *= factor
                else:
                    total[start : start + _BLOCK] *= powers(factor[None, :], np.array([count]))
                    slack = slack + 6 * FUNCTION
                error[start : start + _BLOCK] += count * slack
        return total, np.expm1(np.minimum(error * (1 + 1e-6), 700.0)) + _TINY

    def decay(self, c: float, t: Floats) -> Floats:
        total = np.zeros(len(t))
        for law, count in zip(self.laws, self.counts.tolist(), strict=True):
            total += count * envelope(law.rate, law.sigma, c, t, removes=law.removes)
        return total
