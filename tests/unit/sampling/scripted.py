"""Sources of bits for tests: a fixed script that then goes on at random, and one that remembers what it gave."""

from collections.abc import Iterable
from typing import final

import numpy as np

from partita.sampling.bits import BitSource, TestBits, Words

ONES = (1 << 64) - 1


@final
class Scripted(BitSource):
    """The given words first, then words from a seed; counts all that it gave."""

    def __init__(self, words: Iterable[int] = (), seed: int = 0) -> None:
        self._script = list(words)
        self._rest = TestBits(seed)
        self.given: list[Words] = []

    def words(self, count: int) -> Words:
        now, self._script = self._script[:count], self._script[count:]
        found = np.concatenate([np.array(now, dtype=np.uint64), self._rest.words(count - len(now))])
        self.given.append(found.copy())
        return found
