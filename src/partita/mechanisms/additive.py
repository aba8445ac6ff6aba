"""Noise added to each entry of a vector of exact integers."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any

from flint import arb

from partita.exact import Number, float_up, probability, whole
from partita.mechanisms.base import Mechanism
from partita.mechanisms.integers import Integers, noisy
from partita.sampling.bits import BitSource
from partita.theory.numerics import ball


class AdditiveNoise(Mechanism):
    """Independent noise on the integers, one draw for each entry of the exact result."""

    __slots__ = ()

    @abstractmethod
    def draw(self, size: int, bits: BitSource) -> Integers:
        """The noise alone."""

    @abstractmethod
    def reach(self, confidence: Fraction, entries: int) -> int:
        """The least integer that the noise of all entries stays within, with this confidence."""

    def release(self, values: object, *, bits: BitSource | None = None) -> Any:
        """The exact integers with noise on each; bits come from the operating system unless a test passes its own."""
        return noisy(values, self.draw, bits)

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The half-width of an interval around each noisy entry that holds the truth, for all entries at once.

        It counts the rounding of the noise to integers, and is the least whole number that does.
        """
        sure, count = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        return float_up(Fraction(self.reach(sure, count)))


def miss(confidence: Fraction, entries: int) -> arb:
    """The share that one of several independent entries may miss: 1 - confidence^(1/entries)."""
    return -(ball(confidence).log() / entries).expm1()
