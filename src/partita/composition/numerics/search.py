"""Searches along a profile that end on the certified side."""

from __future__ import annotations

import math
from collections.abc import Callable


def most(lower: Callable[[float], float], delta: float, near: float) -> float:
    """An ε just below one given, at which a certified lower bound is still above δ."""
    if math.isinf(near):
        return 0.0
    gap = 1e-12
    while gap < 1:
        below = near * (1 - gap)
        if lower(below) > delta:
            return max(0.0, below)
        gap *= 4
    return 0.0


def bisect(upper: Callable[[float], float], delta: float, top: float) -> float:
    """The upper end of a bisection for the least ε with a bound of at most δ; infinite where no ε has one.

    >>> bisect(lambda epsilon: 0.001, 1e-6, 0.5)
    inf
    """
    if upper(0.0) <= delta:
        return 0.0
    high = 1.0
    while upper(high) > delta:
        high *= 2
        if high > 1e300:
            # The end of the support is an answer only where the bound says so itself.
            return top if 0.0 <= top < math.inf and upper(top) <= delta else math.inf
    low = 0.0
    high = top if 0.0 < top < high and upper(top) <= delta else high
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high) or high - low <= 1e-15 * high:
            break
        if upper(middle) <= delta:
            high = middle
        else:
            low = middle
    return high
