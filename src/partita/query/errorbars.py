"""Error bars of what is computed from noisy numbers: sums of independent noises, and quotients of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of a weighted sum: Laplace scales, a Gaussian deviation, and the most that rounding adds."""

    scales: tuple[float, ...] = ()
    sigma: float = 0.0
    rounding: float = 0.0

    @property
    def variance(self) -> float:
        """The variance, rounding left aside."""
        return self.sigma**2 + sum(2 * scale**2 for scale in self.scales)

    def half_width(self, confidence: float, entries: int = 1) -> float:
        """What the noise of all entries stays within, with this confidence.

        >>> round(Spread(scales=(10.0,)).half_width(0.95), 3)
        29.957
        >>> round(Spread(sigma=10.0).half_width(0.95), 3)
        19.6
        """
        miss = -math.expm1(math.log(confidence) / entries)
        return _quantile(self.scales, self.sigma, miss) + self.rounding


def _quantile(scales: Sequence[float], sigma: float, miss: float) -> float:
    if not scales:
        return -sigma * NormalDist().inv_cdf(max(miss / 2, 1e-300)) if sigma else 0.0
    if sigma:
        # Two kinds of noise in one number: each may miss half as often.
        return _quantile(scales, 0.0, miss / 2) + _quantile((), sigma, miss / 2)
    widest = max(scales)
    kept = [scale for scale in scales if scale > 1e-9 * widest]
    dropped = sum(scale for scale in scales if scale <= 1e-9 * widest)
    if len(kept) == 1:
        return kept[0] * -math.log(miss) + 50 * dropped
    return _root(lambda bound: _tail(kept, bound) - miss, widest * len(kept) * (2 - math.log(miss))) + 50 * dropped


def _tail(scales: Sequence[float], bound: float) -> float:
    """Pr[|sum of independent Laplace| > bound] by partial fractions; equal scales are moved apart, upwards."""
    apart: list[float] = []
    for scale in sorted(scales):
        apart.append(max(scale, apart[-1] * 1.003) if apart else scale)
    total = 0.0
    for i, mine in enumerate(apart):
        weight = 1.0
        for j, other in enumerate(apart):
            if i != j:
                weight *= mine**2 / (mine**2 - other**2)
        total += weight * math.exp(-bound / mine)
    return total


def _root(excess: Callable[[float], float], high: float) -> float:
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return high


def quotient(top: float, bottom: float, top_error: float, bottom_error: float, reach: float) -> tuple[float, float]:
    """The least and the greatest value of a quotient whose parts are off by at most so much, within ±reach.

    >>> quotient(50.0, 100.0, 10.0, 10.0, 1.0)
    (0.36363636363636365, 0.6666666666666666)
    """
    low, high = bottom - bottom_error, bottom + bottom_error
    if low < 1:
        # There may be next to no rows, and then the mean may be anything that the column allows.
        return -reach, reach
    corners = [(top + sign * top_error) / rows for sign in (-1, 1) for rows in (low, high)]
    return max(-reach, min(corners)), min(reach, max(corners))
