"""Vectors of any length as whole numbers within a ball, each by itself, so that sums of them are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.lattice import Array

# The radius of the ball in whole numbers. Squares of entries are at most 2^40, so that 2^22 of them are summed exactly.
RADIUS = 1 << 20
_AT_ONCE = 1 << 22


def clipped(vectors: Array, clip: float) -> NDArray[np.int64]:
    """Each line as whole numbers in units of clip / RADIUS, with a Euclidean norm of at most RADIUS, exactly.

    A longer line is shortened and entries are rounded towards zero. A line that holds anything but finite numbers
    counts as zero. No line depends on another: everything is done entry by entry, or in whole numbers
    (training.proof.md).

    >>> clipped(np.array([[3.0, 4.0], [0.0, 0.5], [np.inf, 1.0]]), 1.0).tolist()
    [[629145, 838860], [0, 524288], [0, 0]]
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
        magnitudes = np.abs(vectors)
        largest = magnitudes.max(axis=1, initial=0.0)
        usable = np.isfinite(largest) & (largest > 0)
        # A power of two divides exactly: entries are in [0, 1), and their norm is found in whole numbers.
        exponents = np.where(usable, np.frexp(np.where(usable, largest, 1.0))[1], 0)
        parts = np.ceil(np.ldexp(magnitudes, -exponents[:, None]) * RADIUS)
        parts = np.where(usable[:, None], parts, 0.0).astype(np.int64)
        norms = np.ldexp(np.sqrt(_squares(parts).astype(np.float64)) / RADIUS, exponents)
        longer = np.maximum(norms / clip, 1.0) * clip
        found = np.trunc(vectors / longer[:, None] * RADIUS)
    codes = np.where(usable[:, None] & np.isfinite(found), found, 0.0)
    # Compared before they are whole numbers of 64 bits, so that nothing wraps.
    inside = np.abs(codes).max(axis=1, initial=0.0) <= RADIUS
    whole = np.where(inside[:, None], codes, 0.0).astype(np.int64)
    short = np.asarray(_squares(whole) <= RADIUS * RADIUS, dtype=np.bool_)
    kept: NDArray[np.int64] = np.where(short[:, None], whole, 0)
    return kept


def _squares(codes: NDArray[np.int64]) -> NDArray[Any]:
    """The sum of squares of each line, exactly, of entries of at most RADIUS."""
    blocks = [codes[:, start : start + _AT_ONCE] for start in range(0, codes.shape[1], _AT_ONCE)]
    sums: list[NDArray[Any]] = [(block * block).sum(axis=1) for block in blocks]
    if len(sums) == 1:
        return sums[0]
    return np.array([sum(int(part) for part in line) for line in zip(*sums, strict=True)], dtype=object)
