"""Coins whose bias is a real number that is known by balls of any precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.sampling.balls import floor, is_below, working
from partita.sampling.bits import BitSource


def coins(bias: Callable[[], arb], size: int, bits: BitSource) -> NDArray[np.bool_]:
    """Independent coins that come up True with probability exactly the bias.

    One word decides nearly every coin; the others reveal more bits of the same uniform number (theory C17).

    >>> from partita.sampling.bits import TestBits
    >>> int(coins(lambda: arb(2).sqrt() / 2, 1000, TestBits(1)).sum()) in range(600, 800)
    True
    """
    with working(128):
        scaled = bias() * arb(2) ** 64
        low, high = floor(scaled.lower()), -floor(-scaled.upper())
    words = bits.words(size)
    found = np.ones(size, dtype=np.bool_) if low >= 1 << 64 else words < np.uint64(max(low, 0))
    unsure = ~found & (words < np.uint64(high)) if 0 < high < 1 << 64 else ~found & (high > 0)
    for i in np.flatnonzero(unsure):
        found[i] = is_below(int(words[i]), 64, bias, bits)
    return found
