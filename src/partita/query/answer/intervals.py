"""Error bars of what is computed from noisy numbers: sums of independent noises, and quotients of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from partita.limits import Limits, current
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace

Interval = tuple[float, float]
ANYTHING: Final[Interval] = (-math.inf, math.inf)
_CUT: Final = 1e-4


@final
@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of a weighted sum: Laplace scales, a Gaussian deviation, and the most that rounding adds."""

    scales: tuple[float, ...] = ()
    sigma: float = 0.0
    rounding: float = 0.0

    @classmethod
    def of(cls, noise: AdditiveNoise) -> Spread:
        """The noise on one released number.

        >>> Spread.of(Laplace(scale=3))
        Spread(scales=(3.0,), sigma=0.0, rounding=0.5)
        """
        if isinstance(noise, Laplace):
            return cls(scales=(float(noise.scale),), rounding=0.5)
        assert isinstance(noise, GaussianNoise)
        return cls(sigma=float(noise.sigma), rounding=0.5)

    @property
    def variance(self) -> float:
        """The variance, rounding left aside."""
        return self.sigma**2 + sum(2 * scale**2 for scale in self.scales)

    def times(self, count: int) -> Spread:
        """The noise of so many such sums together."""
        return Spread(self.scales * count, self.sigma * count**0.5, self.rounding * count)

    def half_width(self, confidence: float, entries: int = 1) -> float:
        """What the noise of all entries stays within, with this confidence.

        >>> round(Spread(scales=(10.0,)).half_width(0.95), 3)
        29.957
        >>> round(Spread(sigma=10.0).half_width(0.95), 3)
        19.6
        """
        return _quantile(self.scales, self.sigma, missed(confidence, entries), current()) + self.rounding


def missed(confidence: float, entries: int = 1) -> float:
    """How often one of so many independent bars may miss, if all are to hold at once."""
    return -math.expm1(math.log(confidence) / entries)


def deviations(miss: float) -> float:
    """Within how many standard deviations a normal number stays but for these misses."""
    return -NormalDist().inv_cdf(max(miss / 2, 1e-300))


@lru_cache(maxsize=4096)
def _quantile(scales: tuple[float, ...], sigma: float, miss: float, limits: Limits) -> float:
    if not scales:
        return sigma * deviations(miss) if sigma else 0.0
    if sigma:
        # Two kinds of noise in one number: each may miss half as often.
        return _quantile(scales, 0.0, miss / 2, limits) + _quantile((), sigma, miss / 2, limits)
    widest = max(scales)
    kept = [scale for scale in scales if scale > 1e-9 * widest]
    dropped = sum(scale for scale in scales if scale <= 1e-9 * widest)
    if len(kept) == 1:
        return kept[0] * -math.log(miss) + 50 * dropped
    if len(kept) <= limits.fractions:
        highest = widest * len(kept) * (2 - math.log(miss))
        return _root(lambda bound: _tail(kept, bound) - miss, highest) + 50 * dropped
    # Chernoff's bound with half of the largest exponent, or the best one below that.
    wide = math.log(2 / miss)
    highest = max(math.sqrt(8 * sum(scale**2 for scale in kept) * wide), 3 * widest * wide)
    tail = _tail_of_many(kept, highest, miss, limits.frequencies)
    return _root(lambda bound: tail(bound) - miss, highest) + 50 * dropped


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


def _tail_of_many(scales: Sequence[float], highest: float, miss: float, most: int) -> Callable[[float], float]:
    """The same for many scales: their characteristic function, turned back on a fine grid.

    The trapezoidal rule with this step counts each tail beyond a period twice, which is far beyond any bar. What is
    cut off at the end of the grid is no more than the second term, since the function falls.
    """
    distinct, often = np.unique(np.array(scales), return_counts=True)
    deviation = math.sqrt(2 * float(often @ distinct**2))
    step = math.pi / (20 * deviation + 4 * highest + 40 * float(distinct[-1]))

    def falls(places: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.exp(-(often @ np.log1p(np.outer(distinct**2, places**2))))
        return found

    count = max(1, min(512, most))
    while count < most and float(falls(np.full(1, count * step))[0]) > _CUT * miss * count * step * deviation:
        count *= 2
    places: NDArray[np.float64] = step * np.arange(1.0, 1.0 + count)
    heights = falls(places)
    cut = 4 / math.pi * float(heights[-1]) / float(places[-1])

    def tail(bound: float) -> float:
        inside = (step * bound + 2 * step * float(np.sum(np.sin(places * bound) / places * heights))) / math.pi
        return max(0.0, 1 - inside) + cut / max(bound, 1e-300)

    return tail


def _root(excess: Callable[[float], float], high: float) -> float:
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return high


def quotient(top: float, bottom: float, top_error: float, bottom_error: float, reach: float | None = None) -> Interval:
    """The least and the greatest value of a quotient whose parts are off by at most so much.

    With a ``reach`` it is the mean of a column: it stays within ±reach, and of less than one row it may be anything.

    >>> quotient(50.0, 100.0, 10.0, 10.0, 1.0)
    (0.36363636363636365, 0.6666666666666666)
    """
    low, high = bottom - bottom_error, bottom + bottom_error
    if reach is not None and low < 1:
        return -reach, reach
    if low <= 0 <= high:
        return ANYTHING
    corners = [(top + sign * top_error) / rows for sign in (-1, 1) for rows in (low, high)]
    low, high = min(corners), max(corners)
    return (low, high) if reach is None else within(low, high, -reach, reach)


@final
@dataclass(frozen=True, slots=True)
class Pair:
    """The Gaussian noise of two numbers: their variances, their covariance, and the most that rounding adds."""

    top: float
    bottom: float
    covariance: float
    rounding: tuple[float, float] = (0.0, 0.0)

    def quotient(self, top: float, bottom: float, miss: float, reach: float | None = None) -> Interval:
        """Where the exact quotient lies: every r for which top - r · bottom is within its own noise (Fieller).

        For the true quotient that difference is noise alone, so the interval misses exactly as often as it says;
        where the bottom may be zero it is unbounded.

        >>> low, high = Pair(100.0, 0.0, 0.0).quotient(50.0, 100.0, 0.05)
        >>> round(low, 3), round(high, 3)
        (0.304, 0.696)
        """
        wide = deviations(miss)
        low, high = self._roots(top, bottom, wide, 0.0)
        if math.isfinite(high):
            slack = self.rounding[0] + max(abs(low), abs(high)) * 1.01 * self.rounding[1]
            low, high = self._roots(top, bottom, wide, slack)
        if reach is not None and (math.isinf(high) or bottom - wide * math.sqrt(self.bottom) - self.rounding[1] < 1):
            return -reach, reach
        return (low, high) if reach is None else within(low, high, -reach, reach)

    def _roots(self, top: float, bottom: float, wide: float, slack: float) -> Interval:
        square = wide**2
        leading = bottom**2 - square * self.bottom
        if leading <= 0:
            return ANYTHING
        sign = math.copysign(1.0, bottom)
        ends = []
        for side in (-1, 1):
            shifted = top + side * sign * slack
            middle = shifted * bottom - square * self.covariance
            rest = shifted**2 - square * self.top
            ends.append((middle + side * math.sqrt(max(0.0, middle**2 - leading * rest))) / leading)
        return ends[0], ends[1]


def within(low: float, high: float, floor: float, ceiling: float) -> Interval:
    """An interval cut to the range that the exact value cannot leave.

    Where its middle lies outside, the estimate is the end of the range, and half of the interval's width stays inside:
    what noise carried over the end is not known any better for that.

    >>> within(0.75, 1.0, -1.0, 1.0), within(1.0, 2.0, -1.0, 1.0)
    ((0.75, 1.0), (0.5, 1.0))
    """
    half = (high - low) / 2
    return max(floor, min(low, ceiling - half)), min(ceiling, max(high, floor + half))


def comovement(count: Interval, first: Interval, other: Interval, product: Interval) -> Interval:
    """Where product/n - first · other/n² lies if each part lies in its interval; from -1 to 1 of less than a row.

    In u = 1/n it is a parabola, so it is extreme at an end or at the vertex.
    """
    if count[0] < 1:
        return -1.0, 1.0
    crossed = [one * two for one in first for two in other]
    return within(*_parabola(count, product, (min(crossed), max(crossed))), -1.0, 1.0)


def dispersion(count: Interval, first: Interval, squares: Interval) -> Interval:
    """Where squares/n - (first/n)² lies if each part lies in its interval; from 0 to 1."""
    if count[0] < 1:
        return 0.0, 1.0
    ends = [first[0] ** 2, first[1] ** 2]
    bent = (0.0 if first[0] <= 0 <= first[1] else min(ends), max(ends))
    return within(*_parabola(count, squares, bent), 0.0, 1.0)


def _parabola(count: Interval, straight: Interval, bent: Interval) -> Interval:
    """The range of s · u - b · u² over u = 1/n and the intervals of s and b."""
    ends = (1 / count[1], 1 / count[0])

    def values(slope: float, bend: float) -> list[float]:
        places = list(ends)
        if bend and ends[0] < slope / (2 * bend) < ends[1]:
            places.append(slope / (2 * bend))
        return [slope * place - bend * place**2 for place in places]

    return min(values(straight[0], bent[1])), max(values(straight[1], bent[0]))
