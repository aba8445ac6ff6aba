"""Ranks: how many rows would have to come or go for values to be the quantiles of a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise, product
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.query.exact.program import Histogram
from partita.query.language.expressions import Bounds


@final
@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """All candidates in runs of equal rank: a value that occurs, or the values between two that do.

    For each run: where it starts, how long it is, how many rows are less, and how many are at most as large.

    >>> found = Histogram(np.array([3, 7]), np.array([2, 2]))
    >>> runs = Runs.of(found, Bounds(0, 9, Fraction(1), nullable=False))
    >>> list(zip(runs.starts.tolist(), runs.lengths.tolist(), runs.off(Fraction(1, 2)).tolist()))
    [(0, 3, 4), (3, 1, 0), (4, 3, 0), (7, 1, 0), (8, 2, 4)]
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    below: NDArray[np.int64]
    up_to: NDArray[np.int64]
    rows: int

    @classmethod
    def of(cls, found: Histogram, within: Bounds) -> Runs:
        values, counts = found.values, found.counts
        starts = np.empty(2 * len(values) + 1, dtype=np.int64)
        starts[0], starts[1::2], starts[2::2] = within.low, values, values + 1
        lengths = np.append(starts[1:], within.high + 1) - starts
        reached = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        # Between two values nothing is equal; at a value, everything from below it to up to it is.
        below, up_to = np.empty_like(starts), np.empty_like(starts)
        below[0::2], up_to[0::2] = reached, reached
        below[1::2], up_to[1::2] = reached[:-1], reached[1:]
        kept = lengths > 0
        return cls(starts[kept], lengths[kept], below[kept], up_to[kept], int(reached[-1]))

    def off(self, share: Fraction, inset: int = 0, side: int = 0) -> NDArray[Any]:
        """For q = a/b, the distance of b n q from [b·below, b·up_to]; b times the rows between a run and the quantile.

        The least and the greatest value are looked for ``inset`` rows inside the data. For a ``side`` the target is so
        many rows further out, among rows that include as many beyond the end.
        """
        top, bottom = share.numerator, share.denominator
        if side:
            target = top * (self.rows - inset) + bottom * inset * (side > 0)
        else:
            target = top * self.rows + bottom * (inset if share == 0 else -inset)
        kind = np.int64 if bottom * (self.rows + inset) < 1 << 60 else object
        low, high = bottom * self.below.astype(kind), bottom * self.up_to.astype(kind)
        between: NDArray[Any] = np.maximum(np.maximum(low - target, target - high), 0)
        return between


def step(share: Fraction) -> int:
    """How far one row moves what ``off`` says: max(a, b - a) for q = a/b."""
    return max(share.numerator, share.denominator - share.numerator)


@final
@dataclass(frozen=True, slots=True)
class Together:
    """Several quantiles at once: how many rows would have to come or go for all of them to be exact.

    Each ``functional`` weighs how far the ranks are off, over ``scale``; one row moves what it says by at most one row
    (ranks.proof.md).
    """

    shares: tuple[Fraction, ...]
    functionals: tuple[tuple[int, ...], ...]
    scale: int

    def away(self, rows: int, at: Sequence[tuple[int, int, int]]) -> Fraction | None:
        """For values with their rows below and up to them, at least so many rows; None if they do not rise.

        >>> round(float(together((Fraction(1, 2), Fraction(9, 10))).away(100, [(5, 50, 50), (8, 91, 91)])), 6)
        2.0
        """
        values = [value for value, _, _ in at]
        if values != sorted(values):
            return None
        bottom = math.lcm(*(share.denominator for share in self.shares))
        targets = [bottom // share.denominator * share.numerator * rows for share in self.shares]
        tied = [list(same) for _, same in groupby(range(len(at)), key=lambda place: values[place])]
        furthest = 0
        for weights in self.functionals:
            total = -sum(weight * target for weight, target in zip(weights, targets, strict=True))
            for places in tied:
                _, low, high = at[places[0]]
                after, least = 0, 0
                for place in reversed(places):
                    after += weights[place]
                    least = min(least, after)
                total += bottom * (low * after + (high - low) * least)
            furthest = max(furthest, total)
        return Fraction(furthest, bottom * self.scale)


@lru_cache(maxsize=256)
def together(shares: tuple[Fraction, ...]) -> Together:
    """The functionals of quantiles in rising order; the ends, 0 and 1, only by themselves."""
    parts = [high - low for low, high in zip((Fraction(0), *shares), (*shares, Fraction(1)), strict=True)]
    found: dict[tuple[Fraction, ...], None] = {}
    for free in (place for place, part in enumerate(parts) if part):
        others = [part for place, part in enumerate(parts) if place != free]
        for signs in product((1, -1), repeat=len(others)):
            rest = -sum(sign * part for sign, part in zip(signs, others, strict=True)) / parts[free]
            if abs(rest) <= 1:
                moved = [Fraction(sign) for sign in signs]
                moved.insert(free, rest)
                found[tuple(one - other for one, other in pairwise(moved))] = None
    for place, share in enumerate(shares):
        for sign in (1, -1):
            alone = [Fraction(0)] * len(shares)
            alone[place] = sign / max(share, 1 - share)
            found[tuple(alone)] = None
    scale = math.lcm(*(weight.denominator for weights in found for weight in weights))
    return Together(shares, tuple(tuple(int(weight * scale) for weight in weights) for weights in found), scale)
