"""Consistency as post-processing: the non-negative histogram nearest to noisy measurements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 500


def nearest_nonnegative(cells: Floats, total: float | None = None) -> Floats:
    """The non-negative cells nearest to these, with the same total unless another is given; zero if that is negative.

    It only looks at noisy numbers, so it is free (theory B7). All cells move by the same amount, and what would be
    negative becomes zero.

    >>> nearest_nonnegative(np.array([3.0, -1.0, 2.0])).tolist()
    [2.5, 0.0, 1.5]
    """
    whole = float(cells.sum()) if total is None else total
    if whole <= 0:
        return np.zeros_like(cells)
    falling = np.sort(cells.ravel())[::-1]
    sums = np.cumsum(falling) - whole
    counts = np.arange(1, len(falling) + 1)
    kept = int(np.flatnonzero(falling - sums / counts > 0)[-1])
    found: Floats = np.maximum(cells - sums[kept] / counts[kept], 0.0)
    return found


def nonnegative_least_squares(gram: Floats, start: Floats, *, steps: int = _STEPS) -> Floats:
    """Non-negative cells whose measurements are nearest to those of an unconstrained least squares solution.

    Minimises (x - start)ᵀ G (x - start) over x >= 0 by accelerated projected gradients; G are the products of the
    measured columns, weighted by one over the variance of the noise.

    >>> nonnegative_least_squares(np.eye(2), np.array([1.0, -1.0])).tolist()
    [1.0, 0.0]
    """
    step = 1 / max(float(np.abs(gram).sum(axis=1).max()), 1e-300)
    here = ahead = np.maximum(start, 0.0)
    momentum = 1.0
    for _ in range(steps):
        moved = np.maximum(ahead - step * (gram @ (ahead - start)), 0.0)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / following * (moved - here)
        if np.abs(moved - here).max() <= 1e-9 * max(1.0, float(np.abs(moved).max())):
            return moved
        here, momentum = moved, following
    return here
