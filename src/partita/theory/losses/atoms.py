"""A loss with finitely many values: any pair of discrete distributions, and the discrete noises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from partita.effort import spend_composing
from partita.errors import theory as refuse
from partita.theory.losses.base import Batch, Lattice, LossLaw
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, probability_up, up
from partita.theory.losses.pooled import powers, survival_to_infinity
from partita.theory.losses.spread import atoms_on_lattice

LIMIT = 1 << 20
_BLOCK = 1 << 21


@final
@dataclass(frozen=True, slots=True)
class AtomicLoss(LossLaw):
    """The loss takes each value with its probability, and is infinite with the rest.

    ``relative`` bounds the relative error of the probabilities; the losses are rounded up, by at most ``blur``.

    >>> AtomicLoss.between([0.25, 0.75], [0.75, 0.25]).delta(0.0)
    0.5000000000000...
    """

    losses: tuple[float, ...]
    masses: tuple[float, ...]
    infinity_: float = 0.0
    relative: float = 0.0
    blur: float = 0.0

    def __post_init__(self) -> None:
        if len(self.losses) != len(self.masses) or len(self.losses) == 0:
            raise refuse.not_a_distribution("there must be one probability for each loss")
        if len(self.losses) > LIMIT:
            raise refuse.too_many_atoms(len(self.losses), LIMIT)
        if not all(map(math.isfinite, self.losses)) or not all(0 <= p < math.inf for p in self.masses):
            raise refuse.not_a_distribution("a loss or a probability is not finite, or is negative")
        if not 0 <= self.infinity_ <= 1:
            raise refuse.bad_parameter("mass at infinity", self.infinity_)

    @classmethod
    def between(cls, first: Sequence[float], second: Sequence[float]) -> AtomicLoss:
        """The loss of telling the first distribution from the second, outcome by outcome.

        >>> AtomicLoss.between([0.5, 0.5], [1.0, 0.0]).infinity
        0.5000000000000...
        """
        p, q = floats(first), floats(second)
        if p.ndim != 1 or p.shape != q.shape or len(p) == 0:
            raise refuse.not_a_distribution("both need the same outcomes")
        if not (np.isfinite(p).all() and np.isfinite(q).all() and (p >= 0).all() and (q >= 0).all()):
            raise refuse.not_a_distribution("a probability is negative or not finite")
        if abs(math.fsum(p) - 1) > 1e-9 or abs(math.fsum(q) - 1) > 1e-9:
            raise refuse.not_a_distribution(f"the sums are {math.fsum(p):.12g} and {math.fsum(q):.12g}")
        shared = (p > 0) & (q > 0)
        if not shared.any():
            raise refuse.not_a_distribution("no outcome is possible under both")
        # What the sum lacks beyond the rounding of its terms may be anywhere, so it is put at infinity.
        missing = max(0.0, 1.0 - math.fsum(p) - 2 * UNIT * len(p))
        lost = math.fsum(p[(p > 0) & (q == 0)]) + missing
        first_log, second_log = np.log(p[shared]), np.log(q[shared])
        slack = FUNCTION * (np.abs(first_log) + np.abs(second_log)) + 4 * UNIT
        losses = first_log - second_log + slack
        return cls(
            tuple(losses.tolist()), tuple(p[shared].tolist()), probability_up(lost), 2 * UNIT, float(2 * slack.max())
        )

    @classmethod
    def geometric(cls, epsilon: float, distance: int) -> AtomicLoss:
        """Discrete Laplace noise with decay ε a step, moved by whole steps (theory C4).

        >>> round(AtomicLoss.geometric(1.0, 1).delta(0.5), 10)
        0.2876491366
        """
        if not (0 < epsilon < math.inf):
            raise refuse.bad_parameter("ε", epsilon)
        if distance < 1:
            raise refuse.bad_parameter("distance", distance)
        q = math.exp(-epsilon)
        y = np.arange(1, distance)
        height = -math.expm1(-epsilon) / (1 + q)
        # At or below zero the loss is distance * ε, at or beyond the distance its opposite, linear in between.
        losses = np.concatenate([[distance * epsilon], (distance - 2 * y) * epsilon, [-distance * epsilon]])
        masses = np.concatenate(
            [[1 / (1 + q)], height * np.exp(-epsilon * y), [math.exp(-epsilon * distance) / (1 + q)]]
        )
        slack = 4 * UNIT * distance * epsilon
        return cls(tuple((losses + slack).tolist()), tuple(masses.tolist()), 0.0, 8 * FUNCTION + slack, 2 * slack)

    @classmethod
    def discrete_gaussian(cls, sigma_squared: float, distance: int) -> AtomicLoss:
        """The discrete Gaussian with parameter σ² on the integers, moved by whole steps (theory C8).

        Beyond 38σ the mass, below 1e-300, is moved to infinity.

        >>> round(AtomicLoss.discrete_gaussian(4.0, 1).delta(0.5), 12)
        0.054007223694
        """
        if not (0 < sigma_squared < math.inf):
            raise refuse.bad_parameter("σ²", sigma_squared)
        if distance < 1:
            raise refuse.bad_parameter("distance", distance)
        reach = math.ceil(38.5 * math.sqrt(sigma_squared)) + 2
        if 2 * reach + 1 > LIMIT:
            raise refuse.too_many_atoms(2 * reach + 1, LIMIT)
        y = np.arange(-reach, reach + 1, dtype=np.float64)
        heights = np.exp(-y * y / (2 * sigma_squared))
        total = math.fsum(heights)
        masses = heights / total
        losses = (distance / sigma_squared) * (distance / 2 - y)
        slack = 8 * UNIT * float(np.abs(losses).max())
        relative = 8 * FUNCTION + 4 * UNIT * reach * reach / (2 * sigma_squared)
        # The lower tail is far below the rounding of its neighbour, so only the upper one needs a place.
        return cls(tuple((losses + slack).tolist()), tuple(masses.tolist()), 1e-300, relative, 2 * slack)

    @property
    def infinity(self) -> float:
        return self.infinity_

    @property
    def maximum(self) -> float:
        return max(self.losses)

    @property
    def minimum(self) -> float:
        return min(self.losses)

    def delta(self, epsilon: float) -> float:
        """The sum itself, rounded up."""
        spend_composing(4 + (len(self.losses) >> 3))
        losses, masses = floats(self.losses), floats(self.masses)
        over = losses > epsilon
        gap = epsilon - losses[over]
        parts = masses[over] * (-np.expm1(gap) + 2 * UNIT * (abs(epsilon) + np.abs(losses[over])))
        return probability_up(self.infinity_ + math.fsum(parts), self.relative + 4 * FUNCTION)

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        pooled: dict[Self, int] = {}
        for law, count in zip(laws, counts, strict=True):
            pooled[law] = pooled.get(law, 0) + count
        return AtomicBatch(tuple(pooled), np.array(list(pooled.values()), dtype=np.float64))

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        losses, masses = floats(self.losses), floats(self.masses)
        if not upward:
            losses = losses - self.blur * (1 + 4 * UNIT)
        return atoms_on_lattice(losses, masses, self.infinity_, span, self.relative, upward=upward)


@final
@dataclass(frozen=True, slots=True, eq=False)
class AtomicBatch(Batch):
    """Discrete losses: M(s) is a finite sum of exponentials."""

    laws: tuple[AtomicLoss, ...]
    counts: Floats

    @property
    def infinity(self) -> float:
        return survival_to_infinity(np.array([law.infinity_ for law in self.laws]), self.counts)

    @property
    def maximum(self) -> float:
        ends = np.array([law.maximum for law in self.laws])
        return up(float(np.dot(self.counts, ends)), 0.0) + 4 * UNIT * float(np.dot(self.counts, np.abs(ends)))

    @property
    def minimum(self) -> float:
        ends = np.array([law.minimum for law in self.laws])
        return -up(-float(np.dot(self.counts, ends)), 0.0) - 4 * UNIT * float(np.dot(self.counts, np.abs(ends)))

    def work(self, furthest: float) -> int:
        return sum(len(law.losses) for law in self.laws)

    def variance(self) -> float:
        total = 0.0
        for law, count in zip(self.laws, self.counts, strict=True):
            losses, masses = floats(law.losses), floats(law.masses)
            mean = np.dot(losses, masses)
            total += float(count * np.dot(masses, (losses - mean) ** 2))
        return total

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        value, error = np.zeros(len(c)), np.zeros(len(c))
        for law, count in zip(self.laws, self.counts, strict=True):
            losses, masses = floats(law.losses), floats(law.masses)
            top = float(losses.max())
            inner = np.exp(np.multiply.outer(c, losses - top)) @ masses
            value += count * (c * top + np.log(inner))
            reach = float(np.abs(losses).max()) + abs(top)
            slack = law.relative + (len(losses) + 8) * UNIT + 4 * FUNCTION + c * (4 * UNIT * reach + law.blur)
            error += count * (slack + 4 * UNIT * np.abs(np.log(inner)))
        return value, error * (1 + 1e-9) + 4 * UNIT * len(self.laws) * np.abs(value)

    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        total, error = np.ones(len(t), dtype=np.complex128), np.zeros(len(t))
        for law, count in zip(self.laws, self.counts, strict=True):
            losses, masses = floats(law.losses), floats(law.masses)
            tilted = masses * np.exp(c * (losses - losses.max()))
            tilted /= tilted.sum()
            keep = tilted > 0.0
            losses, tilted = losses[keep], tilted[keep]
            factor = np.empty(len(t), dtype=np.complex128)
            step = max(1, _BLOCK // len(losses))
            for start in range(0, len(t), step):
                angle = np.multiply.outer(t[start : start + step], losses)
                factor[start : start + step].real = np.cos(angle) @ tilted
                factor[start : start + step].imag = np.sin(angle) @ tilted
            reach = float(np.dot(tilted, np.abs(losses)))
            spread = float(np.abs(losses - losses.max()).max())
            slack = 2 * law.relative + 2 * (len(losses) + 8) * UNIT + 6 * FUNCTION + 8 * UNIT * c * spread
            slack += 2 * c * law.blur
            if count == 1.0:
                total *= factor
            else:
                total *= powers(factor[None, :], np.array([count]))
                slack += 6 * FUNCTION
            error += count * (slack + t * (2 * UNIT * reach + law.blur))
        return total, np.expm1(np.minimum(error * (1 + 1e-6), 700.0)) + 1e-300

    def decay(self, c: float, t: Floats) -> Floats:
        """None: the transform of atoms comes back to its height for ever."""
        return np.zeros(len(t))
