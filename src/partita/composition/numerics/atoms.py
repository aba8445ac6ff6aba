"""Totals with few values: every combination is listed (Murtagh and Vadhan's sum, theory D11)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from partita.composition.numerics.search import most
from partita.composition.numerics.total import Total
from partita.limits import current
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, floats, probability_up, up
from partita.theory.losses.randomized_response import RandomizedResponseLoss


@final
@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """All values of the total loss in falling order, with their masses.

    >>> total = Total.of([(RandomizedResponseLoss(0.5), 3), (RandomizedResponseLoss(0.3), 2)])
    >>> found = Enumeration.of(total)
    >>> round(found.upper(1.0), 12)
    0.113269169195
    """

    losses: Floats
    masses: Floats
    infinity: float
    # Bounds on the relative error of masses and on how far a loss may be from the true one.
    relative: float
    blur: float

    @classmethod
    def of(cls, total: Total) -> Enumeration | None:
        """The list, if every law has finitely many values and there are not too many combinations."""
        size = 1
        for law, count in total.pooled.items():
            match law:
                case RandomizedResponseLoss():
                    size *= count + 1
                case AtomicLoss():
                    size *= len(law.losses) ** min(count, 20)
                case _:
                    return None
            if size > current().combinations:
                return None
        losses, masses = np.zeros(1), np.ones(1)
        relative = blur = 0.0
        for law, count in total.pooled.items():
            if isinstance(law, RandomizedResponseLoss):
                more, heights, slack = _responses(law, count)
                losses, masses = _sum(losses, more), _product(masses, heights)
                relative += slack + 2 * UNIT
                blur += 4 * UNIT * law.epsilon * count
            elif isinstance(law, AtomicLoss):
                for _ in range(count):
                    losses, masses = _sum(losses, floats(law.losses)), _product(masses, floats(law.masses))
                relative += count * (law.relative + 2 * UNIT)
                blur += count * (law.blur + 4 * UNIT * float(np.abs(law.losses).max()))
        order = np.argsort(-losses)
        return cls(losses[order], masses[order], total.infinity, relative * (1 + 1e-9), blur * (1 + 1e-9))

    def upper(self, epsilon: float) -> float:
        """δ(ε) rounded up."""
        over = self.losses > epsilon - self.blur
        parts = self.masses[over] * np.maximum(-np.expm1(epsilon - self.losses[over] - self.blur), 0.0)
        parts += self.masses[over] * (4 * UNIT * (abs(epsilon) + np.abs(self.losses[over])))
        return probability_up(self.infinity + math.fsum(parts), self.relative + 4 * FUNCTION)

    def lower(self, epsilon: float) -> float:
        """δ(ε) rounded down."""
        blur = self.blur + 4 * UNIT * (abs(epsilon) + np.abs(self.losses))
        parts = self.masses * np.maximum(-np.expm1(np.minimum(epsilon - self.losses + blur, 0.0)), 0.0)
        return max(0.0, (self.infinity * (1 - 1e-12) + math.fsum(parts)) * (1 - self.relative - 4 * FUNCTION))

    def least(self, delta: float) -> float:
        """The least ε with δ(ε) <= δ, rounded up."""
        if self.upper(0.0) <= delta:
            return 0.0
        if self.infinity > delta:
            return math.inf
        # δ falls from loss to loss; find the first loss, from the top, at which it is too large.
        low, high = 0, len(self.losses) - 1
        while low < high:
            middle = (low + high) // 2
            if self.upper(float(self.losses[middle])) > delta:
                high = middle
            else:
                low = middle + 1
        inside = self.losses >= self.losses[low - 1] if low > 0 else self.losses > math.inf
        if self.upper(float(self.losses[low])) <= delta:
            inside = self.losses >= self.losses[low]
        # There δ = A - e^ε B: solve, then step up until the bound itself agrees.
        mass, top = math.fsum(self.masses[inside]), float(self.losses[0])
        inverse = math.fsum(self.masses[inside] * np.exp(top - self.losses[inside]))
        spare = (mass - (delta - self.infinity)) / inverse if inverse > 0 else 1.0
        x = top + math.log(spare) if spare > 0 else 0.0
        x = max(0.0, min(x, top))
        step = 1e-15
        for _ in range(80):
            if self.upper(x) <= delta:
                return x
            x = up(x, step) + self.blur
            step *= 4
        return math.inf

    def most(self, delta: float) -> float:
        """An ε a little below the least one, at which δ(ε) is certainly more than asked."""
        return most(self.lower, delta, self.least(delta))


def _responses(law: RandomizedResponseLoss, count: int) -> tuple[Floats, Floats, float]:
    """The values of equal randomised responses, their binomial masses, and a bound on the relative error of those."""
    i = np.arange(count + 1)
    logs = np.array([math.log(math.comb(count, j)) for j in range(count + 1)])
    high = -math.log1p(math.exp(-law.epsilon))
    kept = math.log1p(-law.leak) * count
    exponents = logs + count * high - (count - i) * law.epsilon + kept
    slack = FUNCTION * 4 + 4 * UNIT * (float(logs.max()) - count * high + count * law.epsilon + abs(kept) + 1)
    return floats((2.0 * i - count) * law.epsilon), floats(np.exp(exponents)), slack


def _sum(first: Floats, second: Floats) -> Floats:
    return np.add.outer(first, second).ravel()


def _product(first: Floats, second: Floats) -> Floats:
    return np.multiply.outer(first, second).ravel()
