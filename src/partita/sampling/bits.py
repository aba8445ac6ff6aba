"""Where random bits come from: the interface every sampler draws through, and a source for tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.errors import sampling as refuse

Words = NDArray[np.uint64]


class BitSource(ABC):
    """A stream of independent, uniform 64-bit words; each word is handed out once."""

    @abstractmethod
    def words(self, count: int) -> Words:
        """The next words of the stream, as an array that the caller owns."""


@final
class TestBits(BitSource):
    """A repeatable stream for tests. Noise drawn from it protects nobody.

    >>> bool((TestBits(7).words(3) == TestBits(7).words(3)).all())
    True
    """

    __test__ = False  # this is no test case

    __slots__ = ("_philox",)

    def __init__(self, seed: int) -> None:
        self._philox = np.random.Philox(key=seed)

    def words(self, count: int) -> Words:
        """The next words of the stream."""
        return np.asarray(self._philox.random_raw(count), dtype=np.uint64)


def source(bits: object) -> BitSource:
    """The source itself, after a check that it is one.

    >>> source(TestBits(1)).words(0).size
    0
    """
    if not isinstance(bits, BitSource):
        raise refuse.not_a_source(bits)
    return bits
