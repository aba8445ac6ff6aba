"""What a table of noise can do: draw, and say which draws were refused and must be made anew."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from partita.sampling.bits import BitSource
from partita.sampling.laws import Law
from partita.sampling.thresholds import UNSURE, Guide, Integers, Thresholds, extended, lanes

Noise = NDArray[Any]

BLOCK = 1 << 16


class Sampler(ABC):
    """Noise of one law."""

    @abstractmethod
    def attempt(self, size: int, bits: BitSource) -> tuple[Noise, Integers]:
        """Noise, and the indices of the draws that were refused."""

    def draw(self, size: int, bits: BitSource) -> Noise:
        """Independent noise; refused draws are made anew until none is left.

        The draws that are accepted are independent of how many were refused.
        """
        found, refused = self.attempt(size, bits)
        while refused.size:
            values, again = self.attempt(refused.size, bits)
            found = put(found, refused, values)
            refused = refused[again]
        return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class Direct(Sampler):
    """Noise whose thresholds are all in one table: the quantile of one uniform number each, nothing refused."""

    thresholds: Thresholds
    guide: Guide | None  # without it every draw takes the same steps

    @classmethod
    def of(cls, law: Law, *, guided: bool) -> Self:
        """The table of a law."""
        thresholds = Thresholds.of(law)
        return cls(thresholds, thresholds.guide() if guided else None)

    def attempt(self, size: int, bits: BitSource) -> tuple[Noise, Integers]:
        """Quantiles of 16 bits where they decide, of 64 where those do, and else of more bits of the same number."""
        found = np.empty(size, dtype=np.int64)
        for start in range(0, size, BLOCK):
            block = found[start : start + BLOCK]
            if self.guide is None:
                block[:] = self.thresholds.quantiles(bits.words(len(block)), bits)
                continue
            first = lanes(len(block), bits)
            block[:] = values = self.guide.take(first, mode="wrap")
            unsure = np.flatnonzero(values == UNSURE)
            block[unsure] = self.thresholds.quantiles(extended(first[unsure], bits), bits)
        return found, np.empty(0, dtype=np.int64)


def put(found: Noise, where: Integers, values: Noise) -> Noise:
    """Write values into an array of noise, which turns to Python's integers if they have.

    >>> put(np.zeros(2, dtype=np.int64), np.array([1]), np.array([1 << 70], dtype=object)).tolist()
    [0, 1180591620717411303424]
    """
    if values.dtype == object and found.dtype != object:
        found = found.astype(object)
    found[where] = values
    return found
