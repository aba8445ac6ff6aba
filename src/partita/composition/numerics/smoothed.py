"""A lower bound on δ from the plan with a little Gaussian noise beside: convexity takes the noise away again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from partita.composition.numerics.contour import Contour, smoothing
from partita.composition.numerics.saddle import Saddle
from partita.composition.numerics.total import Total
from partita.theory.losses.outward import FUNCTION, UNIT, up

# How far to either side the profile is taken to lie below a chord, in standard deviations of the noise.
_REACH = 3.0
# Beyond so many of them the noise hardly ever is.
_FAR = 12.0
# Shorter chords are not told from rounding; longer ones are not needed.
_SHORT, _LONG = 1e-5, 1.0
_ROUNDING = 1e-12
_ROOT = math.sqrt(0.5)
_STEPS = 24


@final
@dataclass(frozen=True, slots=True, eq=False)
class Smoothed:
    """The contour of a total and one Gaussian release of this μ (smoothed.proof.md)."""

    contour: Contour
    mu: float

    @classmethod
    def of(cls, total: Total, saddle: Saddle, delta: float) -> Smoothed | None:
        """The smoothed plan for a question about δ, where its transform dies out."""
        contour = Contour.smoothed(total, saddle, delta)
        mu = smoothing(saddle)
        return cls(contour, mu) if contour is not None and _SHORT <= _REACH * mu <= _LONG else None

    def lower(self, epsilon: float) -> float:
        """A bound on δ(ε) of the finite part of the plan itself, never above it."""
        reach, mean = _REACH * self.mu, self.mu * self.mu / 2
        above, below = self.contour.upper(epsilon - reach), self.contour.upper(epsilon + reach)
        # The chance that the noise is within reach to either side, under P and tilted to Q.
        inner, inner_tilted = self._between(0.0, reach, mean), self._between(0.0, reach, -mean)
        outer, outer_tilted = self._between(-reach, 0.0, mean), self._between(-reach, 0.0, -mean)
        # The mean weight of δ(ε) on the chords, and of the profile at their far ends.
        near_above = (inner_tilted - math.exp(-reach) * inner) / -math.expm1(-reach)
        near_below = (math.exp(reach) * outer - outer_tilted) / math.expm1(reach)
        error = 64 * (UNIT + FUNCTION) / reach
        weight = near_above + near_below + error
        rest = above * (inner - near_above + error) + below * (outer - near_below + error)
        rest += below * (self._beyond(reach, -mean) + error) + self._far(epsilon, reach, mean)
        return max(0.0, (self.contour.lower(epsilon) - up(rest, _ROUNDING)) / weight * (1 - _ROUNDING))

    def most(self, delta: float, near: float) -> float:
        """About the largest ε below one given at which ``lower`` is above δ; nothing if there is none close by."""
        low, high = near * (1 - 1e-2), near
        if not self.lower(low) > delta:
            return 0.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self.lower(middle) > delta:
                low = middle
            else:
                high = middle
        return max(0.0, low)

    def _far(self, epsilon: float, reach: float, mean: float) -> float:
        """What noise beyond reach adds: the profile at the end of each step there, and at most one beyond all."""
        found, chance, step = 0.0, self._beyond(reach, mean), 1
        while step * reach <= _FAR * self.mu:
            further = self._beyond((step + 1) * reach, mean)
            share = max(chance - further, 0.0) + _ROUNDING * chance
            found += min(1.0, self.contour.upper(epsilon - (step + 1) * reach)) * share
            chance, step = further, step + 1
        return found + chance * (1 + _ROUNDING)

    def _between(self, low: float, high: float, mean: float) -> float:
        return (math.erfc((low - mean) / self.mu * _ROOT) - math.erfc((high - mean) / self.mu * _ROOT)) / 2

    def _beyond(self, low: float, mean: float) -> float:
        return math.erfc((low - mean) / self.mu * _ROOT) / 2
