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
    """The upper end of a bisection for the least ε with a bound of at most δ."""
    if upper(0.0) <= delta:
        return 0.0
    high = 1.0
    while upper(high) > delta:
        high *= 2
        if high > 1e300:
            return top
    low = 0.0
    high = min(high, top) if upper(min(high, top)) <= delta else high
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high) or high - low <= 1e-15 * high:
            break
        if upper(middle) <= delta:
            high = middle
        else:
            low = middle
    return high
