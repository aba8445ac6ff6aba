"""Searches for a good parameter; what is found is only a choice, and every choice is a valid bound."""

from __future__ import annotations

import math
from collections.abc import Callable

_RATIO = (math.sqrt(5) - 1) / 2


def golden(value: Callable[[float], float], low: float, high: float, steps: int = 60) -> float:
    """Where a function with one valley is about least, between two ends.

    >>> round(golden(lambda x: (x - 2) ** 2, 0.0, 5.0), 6)
    2.0
    """
    left, right = high - _RATIO * (high - low), low + _RATIO * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(steps):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _RATIO * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _RATIO * (high - low)
            at_right = value(right)
    return left if at_left <= at_right else right


def golden_by_scale(value: Callable[[float], float], guess: float, octaves: float = 20.0) -> float:
    """Where a function of a positive number is about least, within some octaves of a guess.

    >>> round(golden_by_scale(lambda x: x + 9 / x, 1.0), 4)
    3.0
    """
    centre = math.log(min(max(guess, 1e-290), 1e290))
    reach = octaves * math.log(2)

    def shifted(log: float) -> float:
        try:
            return value(math.exp(log))
        except (OverflowError, ValueError, ZeroDivisionError):
            return math.inf

    return math.exp(golden(shifted, max(centre - reach, -690.0), min(centre + reach, 690.0), steps=70))
