"""Error bounds of sums of independent noises, for all queries at once."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from partita.exact import Number, probability
from partita.mechanisms.additive import AdditiveNoise
from partita.query.answer.intervals import Spread

Floats = NDArray[np.float64]

# -ln(1 - u) <= 2 ln(2) u for 0 <= u <= 1/2.
_CHORD = 2 * math.log(2)


def variance(noise: AdditiveNoise) -> float:
    """The variance of one draw; rounding to whole numbers adds at most 1/12, to every kind alike.

    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> round(variance(GaussianNoise(sigma=2)), 3)
    4.083
    """
    return Spread.of(noise).variance + 1 / 12


def half_widths(
    squares: Floats, largest: Floats, sums: Floats, *, laplace: bool, confidence: Number, entries: int
) -> Floats:
    """What weighted sums of noises stay within, all of so many entries at once with this confidence.

    For each sum: the squares Σ(wσ)² (of scales, for Laplace noise), the largest w·scale, and Σ|w|, which bounds what
    rounding adds. Gaussian sums are Gaussian. For Laplace sums Chernoff's bound: with E e^(sZ) = 1/(1 - s²) and
    s·largest <= 1/√2, the tail beyond t is at most 2 exp(-st + 2 ln 2 s² Σ(w·scale)²).

    >>> one = np.ones(1)
    >>> half_widths(one, one, 0 * one, laplace=False, confidence=0.95, entries=1).round(3).tolist()
    [1.96]
    """
    miss = float(1 - probability(confidence, "confidence")) / entries
    if not laplace:
        return -NormalDist().inv_cdf(miss / 2) * np.sqrt(squares) + sums / 2
    log = math.log(2 / miss)
    middle = 2 * np.sqrt(_CHORD * squares * log)
    # The best s is t / (2 chord squares); where that is too large the bound is linear in t.
    steepest = 1 / (math.sqrt(2) * np.maximum(largest, 1e-300))
    inside = np.sqrt(log / np.maximum(_CHORD * squares, 1e-300)) <= steepest
    tail = log / steepest + _CHORD * squares * steepest
    # One Laplace variable alone has an exact tail.
    alone = np.where(squares <= largest**2 * (1 + 1e-12), largest * -math.log(miss), np.inf)
    found: Floats = np.minimum(np.where(inside, middle, tail), alone) + sums / 2
    return found
