"""Older bounds, kept to be compared with; none of them is ever the best."""

from __future__ import annotations

import math

from partita.theory.losses.outward import FUNCTION, up


def dwork_rothblum_vadhan(epsilon: float, count: int, slack: float) -> float:
    """sqrt(2k ln(1/δ')) ε + k ε (e^ε - 1): the first advanced composition, of 2010.

    >>> round(dwork_rothblum_vadhan(0.1, 100, 1e-6), 9)
    6.308230951
    """
    mean = count * epsilon * math.expm1(epsilon)
    return up(mean + epsilon * math.sqrt(-2 * count * math.log(slack)), 16 * FUNCTION)


def whitehouse(squares: float, slack: float) -> float:
    """(1/2) Σ ε² + sqrt(2 ln(1/δ') Σ ε²): the ε of a fully adaptive filter of 2023 (theory D6).

    >>> round(whitehouse(100 * 0.1**2, 1e-6), 9)
    5.75652177
    """
    return up(squares / 2 + math.sqrt(-2 * squares * math.log(slack)), 16 * FUNCTION)
