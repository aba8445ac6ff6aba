"""Uniform integers below any bound, and uniform permutations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.exact import whole
from partita.sampling import request
from partita.sampling.bits import BitSource, source


def below(n: int, size: int, bits: BitSource) -> NDArray[Any]:
    """Independent integers, each of 0, ..., n - 1 equally likely; Python's integers if n is more than 2^63.

    As many bits as n - 1 has are drawn and refused if they make n or more; how often that happens is
    independent of the integers accepted.

    >>> from partita.sampling.bits import TestBits
    >>> bool((below(6, 100, bits=TestBits(1)) < 6).all())
    True
    """
    n, size, bits = whole(n, "n", least=1), request.size(size), source(bits)
    length = (n - 1).bit_length()
    if length > 63:
        return np.array([_one_below(n, length, bits) for _ in range(size)], dtype=object)
    found = np.zeros(size, dtype=np.int64)
    done = size if length == 0 else 0
    while done < size:
        # Enough for the rest nearly always: n / 2^length of them are accepted.
        count = (size - done) * (1 << length) // n + 8
        drawn = (bits.words(min(count, 1 << 16)) >> np.uint64(64 - length)).view(np.int64)
        kept = drawn[drawn < n][: size - done]
        found[done : done + len(kept)] = kept
        done += len(kept)
    return found


def permutation(n: int, bits: BitSource) -> NDArray[np.int64]:
    """An order of 0, ..., n - 1, each equally likely.

    The order of independent 64-bit keys; should two be equal, all are drawn again, which favours no order.

    >>> from partita.sampling.bits import TestBits
    >>> sorted(permutation(4, bits=TestBits(1)).tolist())
    [0, 1, 2, 3]
    """
    n, bits = request.size(n), source(bits)
    while True:
        keys = bits.words(n)
        order = np.argsort(keys)
        rising = keys[order]
        if (rising[1:] != rising[:-1]).all():
            return order


def _one_below(n: int, length: int, bits: BitSource) -> int:
    words = -(-length // 64)
    while True:
        drawn = int.from_bytes(bits.words(words).tobytes(), "little") >> (64 * words - length)
        if drawn < n:
            return drawn
