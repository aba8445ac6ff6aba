"""Noise added to each entry of a vector of exact integers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.exact import Number, float_up, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Mechanism
from partita.mechanisms.integers import Integers, noisy
from partita.mechanisms.strength import Setting
from partita.mechanisms.trial import Trial, entry_by_entry
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.numerics import ball

Floats = NDArray[np.float64]
# How far neighbours move the number that is audited: many steps of the lattice under wide noise, and one under narrow.
_MOVED = (100, 1)


class AdditiveNoise(Mechanism):
    """Independent noise on the integers, one draw for each entry of the exact result."""

    __slots__ = ()

    @abstractmethod
    def draw(self, size: int, bits: BitSource) -> Integers:
        """The noise alone."""

    @abstractmethod
    def reach(self, confidence: Fraction, entries: int) -> int:
        """The least integer that the noise of all entries stays within, with this confidence."""

    @abstractmethod
    def masses(self, places: Floats) -> Floats:
        """The probability of each of these integers, to float accuracy: what draws are compared with."""

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """A number that a neighbour moves, under noise about as wide as it is moved; claimed in every measure."""
        for moved in _MOVED:
            noise: Any = cls.of_strength(Fraction(1, moved), Setting({}))
            distance = Distance.l2(moved) if cls.norm is Norm.L2 else Distance(cls.norm, Fraction(moved))
            claims = (*noise.closed_forms(distance), noise.cost(distance, Approximate, delta="0.05"))
            for claim in claims:
                run = partial(entry_by_entry, noise)
                yield Trial(noise.settings(), Relation.ADD_REMOVE, run, 0, moved, (claim, *claims))

    def settings(self) -> str:
        """The noise and its parameters, as one line.

        >>> from partita.mechanisms.laplace import Laplace
        >>> Laplace(scale=4).settings()
        'laplace, scale = 4'
        """
        named = (f"{name} = {text}" for name, text in self.parameters().items() if text != "false")
        return f"{self.kind}, {', '.join(named)}"

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


def rounded_masses(tail: Callable[[Floats], Floats], places: Floats) -> Floats:
    """The masses of symmetric real noise, rounded to the nearest integer, from its upper tail.

    >>> rounded_masses(lambda x: np.exp(-x) / 2, np.array([0.0, 1.0])).round(6).tolist()
    [0.393469, 0.1917]
    """
    size = np.abs(places)
    inner = tail(np.maximum(size - 0.5, 0.5))
    found: Floats = np.where(size == 0, 1 - 2 * inner, inner - tail(size + 0.5))
    return found
