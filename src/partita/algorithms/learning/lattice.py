"""Rows in a public box as whole numbers of a public step, so that everything computed from them is exact."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.errors import algorithms as refuse

Array = NDArray[np.float64]
# Rows are looked at so many at a time. Whole numbers of up to 2^32 are summed exactly in floats over so many rows, in
# whatever order (2^20 · 2^32 < 2^53); the sums of blocks are added as integers.
BLOCK = 1 << 20
LARGEST = 1 << 32


@final
@dataclass(frozen=True, slots=True)
class Lattice:
    """A box of public bounds, one interval a feature, divided into whole steps from its middle.

    Each value is clamped and rounded by itself, with operations that are rounded correctly, so that a row becomes the
    same whole numbers whatever rows stand beside it (lattice.proof.md).

    >>> Lattice.of((-1, 1), features=2, steps=4).codes([[0.3, -7.0]]).tolist()
    [[1.0, -4.0]]
    """

    middle: tuple[float, ...]
    step: tuple[float, ...]
    limit: tuple[int, ...]

    @classmethod
    def of(cls, bounds: object, *, features: int, steps: int, one_scale: bool = False, name: str = "bounds") -> Lattice:
        """The lattice with so many steps from the middle of each interval to its ends.

        With ``one_scale`` the step is the same for all features (that of the widest), which keeps angles and distances.
        """
        lower, upper = read_bounds(bounds, features, name)
        half = upper / 2 - lower / 2
        step = (np.full(features, half.max()) if one_scale else half) / steps
        limit = np.minimum(np.ceil(half / step), steps)
        return cls(
            tuple((upper / 2 + lower / 2).tolist()), tuple(step.tolist()), tuple(int(most) for most in limit.tolist())
        )

    @property
    def features(self) -> int:
        """How many features a row has."""
        return len(self.middle)

    def codes(self, rows: object) -> Array:
        """The rows as whole numbers (held in floats), each clamped into the box; a missing value is the middle."""
        values = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.rint((values - np.array(self.middle)) / np.array(self.step))
        most = np.array(self.limit, dtype=np.float64)
        found = np.clip(found, -most, most)
        return np.where(np.isnan(found), 0.0, found)

    def values(self, codes: object) -> Array:
        """Codes, also fractions of them, in the units of the data."""
        found: Array = np.asarray(codes, dtype=np.float64) * np.array(self.step) + np.array(self.middle)
        return found


def read_bounds(bounds: object, features: int, name: str = "bounds") -> tuple[Array, Array]:
    """The lower and the upper end of every feature.

    >>> read_bounds((0, 2), 2)[1].tolist()
    [2.0, 2.0]
    """
    if bounds is None:
        raise refuse.no_bounds("The data", f"{name}=(-1, 1), or {name}=([0, 0], [120, 20000]) for two features")
    try:
        lowest, highest = list(bounds)  # type: ignore[call-overload]
        ends = [np.asarray(end, dtype=np.float64) for end in (lowest, highest)]
    except (TypeError, ValueError):
        raise refuse.bad_bounds(name, bounds) from None
    for end in ends:
        if end.ndim > 1 or not np.isfinite(end).all():
            raise refuse.bad_bounds(name, bounds)
        if end.ndim == 1 and end.size != features:
            raise refuse.other_features(name, end.size, features)
    lower, upper = (np.broadcast_to(end, (features,)).copy() for end in ends)
    with np.errstate(divide="ignore", over="ignore"):
        wide = np.isfinite(1 / (upper / 2 - lower / 2))
    if not (lower < upper).all() or not wide.all():
        raise refuse.bad_bounds(name, bounds)
    return lower, upper


def blocks(rows: int) -> Iterator[slice]:
    """The rows in blocks that are summed exactly.

    >>> [block.stop for block in blocks(3)]
    [3]
    """
    for start in range(0, rows, BLOCK):
        yield slice(start, min(start + BLOCK, rows))


def within_ball(vectors: Array, steps: int) -> Array:
    """Each vector as whole numbers, in units of 1/steps, with a Euclidean norm of at most one, exactly.

    A longer vector is shortened, entries are rounded towards zero, and should rounding still leave one too long,
    it counts as zero: the bound holds for the numbers that are summed, not for those that were meant.

    >>> within_ball(np.array([[3.0, 4.0]]), 10).tolist()
    [[5.0, 7.0]]
    """
    square = _squares(vectors)
    longer = np.sqrt(np.maximum(square, 1.0)) * (1 + 2.0**-40)
    with np.errstate(invalid="ignore"):
        found = np.trunc(vectors / longer[:, None] * float(steps))
    found = np.where(np.isfinite(found), found, 0.0)
    kept: Array = np.where((_squares(found) <= float(steps) ** 2)[:, None], found, 0.0)
    return kept


def root_up(square: int) -> int:
    """The least whole number whose square is not below.

    >>> root_up(10)
    4
    """
    return math.isqrt(max(square - 1, 0)) + (square > 0)


def _squares(vectors: Array) -> Array:
    """The sum of squares of each row, column by column: the same for a row wherever it stands."""
    total = np.zeros(len(vectors))
    with np.errstate(over="ignore"):
        for column in range(vectors.shape[1]):
            total += vectors[:, column] * vectors[:, column]
    return total
