"""The law of the privacy loss of one dominating pair, and many laws of one family evaluated together."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

from partita.theory.losses.outward import Complexes, Floats


@final
@dataclass(frozen=True, slots=True)
class Lattice:
    """A finite measure on the multiples of a span, with some mass at infinity.

    ``masses[i]`` sits at ``(start + i) * span``. The floats themselves are the measure: whoever makes a lattice
    has already rounded the masses in the direction that was asked for (theory D14).
    """

    span: float
    start: int
    masses: Floats
    infinity: float


class Batch(ABC):
    """Independent losses of one family, composed: transforms multiply, so their logarithms add (theory D16).

    With M(s) = E[e^(sL); L finite] for the sum L of all losses in the batch and s = c + it:
    """

    __slots__ = ()

    @property
    @abstractmethod
    def infinity(self) -> float:
        """The probability that some loss is infinite, rounded up."""

    @property
    @abstractmethod
    def maximum(self) -> float:
        """The upper end of the finite support, rounded up."""

    @property
    @abstractmethod
    def minimum(self) -> float:
        """The lower end of the finite support, rounded down."""

    @abstractmethod
    def variance(self) -> float:
        """About the variance of the sum; only used to choose where to look."""

    @property
    def steepest(self) -> float:
        """About the largest order c at which a total is worth looking at; only used to choose where to look."""
        return math.inf

    def work(self, furthest: float) -> int:
        """About how many elementary evaluations one node costs, up to so large a t; only used to choose."""
        return 1

    @abstractmethod
    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        """log M(c) for each c > 0, and a bound on the absolute error of each."""

    @abstractmethod
    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        """M(c + it) / M(c), of modulus at most one, and a bound on the absolute error of each."""

    @abstractmethod
    def decay(self, c: float, t: Floats) -> Floats:
        """A bound, for each t, on the logarithm of the largest |M(c + iu)| / M(c) over u >= t."""


class Rows(Batch):
    """A batch made straight from arrays of parameters and counts, which gives its laws back when they are asked for."""

    __slots__ = ()

    @property
    @abstractmethod
    def family(self) -> type[LossLaw]:
        """What kind of laws these are."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many laws these are, repetitions included; those that pool into one count once."""

    @abstractmethod
    def parts(self) -> Sequence[tuple[LossLaw, int]]:
        """Laws with their counts, of which this is the sum."""


class LossLaw(ABC):
    """The law of log dP/dQ under P for a dominating pair (P, Q): theory B6.

    Parameters are floats; whoever builds a law rounds them towards the larger loss.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def infinity(self) -> float:
        """The mass at plus infinity."""

    @property
    @abstractmethod
    def maximum(self) -> float:
        """The upper end of the finite support, rounded up (infinite if unbounded)."""

    @property
    @abstractmethod
    def minimum(self) -> float:
        """The lower end of the finite support, rounded down (minus infinity if unbounded)."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """An upper bound on the profile E(1 - e^(epsilon - L))_+ plus the mass at infinity."""

    @classmethod
    @abstractmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        """Laws of this family, each repeated so many times, as one sum."""

    @abstractmethod
    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        """A measure on multiples of the span whose profile is nowhere below (above) that of this law.

        ``floor`` is an amount of mass that may be moved to infinity, or dropped when rounding down.
        """
