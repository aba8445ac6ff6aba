"""A law on the integers as sorted 64-bit thresholds: most draws are one table lookup, ties are decided by balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.sampling.balls import integer_part, working
from partita.sampling.bits import BitSource, Words
from partita.sampling.laws import Law

Integers = NDArray[np.int64]
Lanes = NDArray[np.uint16]
Guide = NDArray[np.int16]

# Draws beyond the outermost threshold (less than 2^-44 of them on each side) are left to the law itself.
DEPTH = 44
UNSURE = -(1 << 15)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """The integer parts of 2^64 Pr[Z < i] for consecutive i: a first word decides unless it equals one of them.

    A word w stands for all U in [w, w + 1) / 2^64. A threshold lies strictly inside [T, T + 1) / 2^64 or at its
    start, so that w < T and w > T decide, and only w = T does not (theory C17 iii).
    """

    law: Law
    words: Words
    first: int  # the value below every threshold

    @classmethod
    def of(cls, law: Law) -> Self:
        """Thresholds computed until every integer part is certain.

        >>> from fractions import Fraction
        >>> from partita.sampling.laws import Rounded
        >>> from partita.sampling.shapes import Laplace
        >>> Thresholds.of(Rounded(Laplace(Fraction(1, 100)))).words
        array([                   0, 18446744073709551615], dtype=uint64)
        """
        precision = 160
        while True:
            with working(precision):
                scaled = [tail * arb(2) ** 64 for tail in law.tails(DEPTH)]
                # A tail is never negative, though the ball of a very small one may reach below zero.
                floors = [0 if number < 1 else integer_part(number) for number in scaled]
            outer = [floor for floor in floors if floor is not None]
            if len(outer) == len(scaled):
                break
            precision *= 2
        # The tails are no dyadic rationals, so the integer part of 2^64 - x is 2^64 - 1 - floor(x).
        middle = [1 << 63] if law.mirror == -1 else []
        rising = outer[::-1] + middle + [(1 << 64) - 1 - floor for floor in outer]
        words = np.array(rising, dtype=np.uint64)
        return cls(law, words, law.mirror - len(outer))

    def find(self, words: Words) -> tuple[Integers, NDArray[np.bool_]]:
        """The value for each first word, and where that word does not decide it."""
        place = np.searchsorted(self.words, words, side="left")
        last = len(self.words)
        open_ = (place == 0) | (place == last) | (self.words[np.minimum(place, last - 1)] == words)
        return place + self.first, open_

    def guide(self) -> Guide:
        """The value by the first 16 bits of U, UNSURE where a threshold or an end shares them."""
        inside = np.bincount((self.words >> np.uint64(48)).astype(np.int64), minlength=1 << 16)
        below = np.cumsum(inside) - inside
        unsure = (inside > 0) | (below == 0) | (below == len(self.words))
        return np.where(unsure, UNSURE, below + self.first).astype(np.int16)

    def quantiles(self, words: Words, bits: BitSource) -> Integers:
        """The value for each first word, by more bits of the same number where it takes them."""
        values, undecided = self.find(words)
        for i in np.flatnonzero(undecided):
            values[i] = self.decide(int(words[i]), bits)
        return values

    def decide(self, word: int, bits: BitSource) -> int:
        """The value for one first word that does not decide it, by more bits of the same number."""
        return self.law.locate(word, 64, bits)


def lanes(count: int, bits: BitSource) -> Lanes:
    """Independent uniform 16-bit numbers, four from each word."""
    return bits.words(-(-count // 4)).view(np.uint16)[:count]


def extended(first: Lanes, bits: BitSource) -> Words:
    """The same uniform numbers, with 48 more bits of each."""
    return (first.astype(np.uint64) << np.uint64(48)) | (bits.words(len(first)) >> np.uint64(16))
