"""The logistic loss of rows in whole numbers: its gradient and its curvature at public weights, row by row."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.lattice import Array, blocks, root_up
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.sums import Reach

# Residuals are whole numbers of this step; weights of the model are rounded to whole numbers of theirs.
RESIDUAL = 1 << 12
WEIGHT, _HEAVIEST = 1 << 10, 1 << 20
# The table of the logistic function: so many entries a unit, up to this argument.
_FINE, FAR = 1 << 10, 16
# Products of two chances are divided by this, which leaves whole numbers of 1/CURVED.
_COARSE = 1 << 14
CURVED = RESIDUAL**2 // _COARSE


def always(norm: float) -> int:
    """The constant feature behind the intercept: as long as one feature of a row at its bound, in whole steps."""
    return min(UNIT, max(1, round(UNIT / norm)))


def gradient_reach(features: int, classes: int, norm: float) -> Reach:
    """How far one row moves the gradient: its residuals times (row, constant)."""
    one = always(norm)
    longest = UNIT**2 + one**2
    widest = root_up(features * UNIT**2) + one
    if classes == 2:
        return Reach(widest * RESIDUAL, longest * RESIDUAL**2)
    return Reach(widest * 2 * RESIDUAL, longest * 2 * RESIDUAL**2)


def gradient(vectors: Array, targets: Array, weights: Array, one: int) -> NDArray[np.int64]:
    """The exact sum over rows of residual times (row, constant), in whole numbers, each row's part by itself."""
    classes = targets.shape[1]
    whole = rounded(weights)
    total = np.zeros((vectors.shape[1] + 1, whole.shape[1]), dtype=np.int64)
    for block in blocks(len(vectors)):
        part = vectors[block]
        own = targets[block, 1:] if classes == 2 else targets[block]
        residual = _chances(part, whole, one) - own * RESIDUAL
        total[:-1] += (part.T @ residual).astype(np.int64)
        total[-1] += one * residual.sum(axis=0).astype(np.int64)
    return total


def curvature_reach(features: int, classes: int, norm: float) -> Reach:
    """How far one row moves the entries of the curvature on and above its diagonal."""
    one = always(norm)
    square, largest = UNIT**2 + one**2, max(min(UNIT, int(UNIT / norm) + 1), one)
    wide = (root_up(features * UNIT**2) + one) ** 2
    if classes == 2:
        most = CURVED // 4
        return Reach(most * (wide + square) // 2 + 1, most**2 * square * (square + largest**2) // 2 + 1)
    trace = CURVED - CURVED // classes
    return Reach(trace * (2 * wide + square) // 2 + 1, CURVED**2 * square * (2 * square + largest**2) // 8 + 1)


def curvature(vectors: Array, weights: Array, one: int) -> NDArray[np.int64]:
    """The exact second derivative of the loss over all rows, in whole numbers: what is on and above its diagonal.

    Weights are numbered as in a table with a line for each feature, the constant last, and a column for each class.
    """
    whole = rounded(weights)
    features, columns = whole.shape
    total = np.zeros((features, columns, features, columns), dtype=np.int64)
    for block in blocks(len(vectors)):
        part = np.hstack([vectors[block], np.full((len(vectors[block]), 1), float(one))])
        chances = _chances(part[:, :-1], whole, one)
        for a in range(columns):
            for b in range(columns):
                other = RESIDUAL - chances[:, b] if a == b else chances[:, b]
                bent = np.floor(chances[:, a] * other / _COARSE) * (1 if a == b else -1)
                total[:, a, :, b] += ((part * bent[:, None]).T @ part).astype(np.int64)
    square = total.reshape(features * columns, -1)
    found: NDArray[np.int64] = square[np.triu_indices(len(square))]
    return found


def read_curvature(released: Array, weights: int) -> Array:
    """The whole symmetric matrix from its released entries, with rows as parts of a unit."""
    found = np.zeros((weights, weights))
    found[np.triu_indices(weights)] = released / (CURVED * float(UNIT) ** 2)
    return found + np.triu(found, 1).T


def rounded(weights: Array) -> Array:
    """Weights as whole numbers of their step; what is no number is none, whether there are rows or not."""
    found: Array = np.clip(np.rint(np.nan_to_num(weights, nan=0.0) * WEIGHT), -_HEAVIEST, _HEAVIEST)
    return found


def _chances(part: Array, whole: Array, one: int) -> Array:
    """The chance of the second of two classes, or of each class, in whole steps: from exact scores by a table."""
    # Whole numbers below 2^53, so products and sums are exact in any order.
    scores = part @ whole[:-1] + whole[-1] * one
    if whole.shape[1] > 1:
        return _shares(scores)
    place = np.clip(np.floor(scores / UNIT), -FAR * _FINE, FAR * _FINE).astype(np.int64) + FAR * _FINE
    found: Array = _sigmoid()[place]
    return found


def _shares(scores: Array) -> Array:
    """The probability of each class, rounded down to whole steps, from exact scores by a table and plain arithmetic."""
    best = scores.max(axis=1, keepdims=True)
    place = np.clip(np.floor((scores - best) / UNIT), -FAR * _FINE, 0).astype(np.int64) + FAR * _FINE
    odds = _exponential()[place]
    total = np.zeros(len(odds))
    for column in range(odds.shape[1]):
        total = total + odds[:, column]
    found: Array = np.floor(odds / total[:, None] * RESIDUAL * (1 - 2.0**-40))
    return found


@lru_cache(maxsize=1)
def _sigmoid() -> Array:
    at = (np.arange(-FAR * _FINE, FAR * _FINE + 1) + 0.5) / _FINE
    return np.rint(RESIDUAL / (1 + np.exp(-at)))


@lru_cache(maxsize=1)
def _exponential() -> Array:
    return np.exp((np.arange(-FAR * _FINE, 1) + 0.5) / _FINE)
