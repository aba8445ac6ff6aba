"""What a theorem of composition answers: an ε for a δ, and by which theorem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from partita.composition.plans.plan import Plan


class Reading(Protocol):
    """A whole profile that a theorem gives: bounds on δ at every ε, never below and never above the truth."""

    def upper(self, epsilon: float) -> float:
        """Never below δ(ε)."""

    def lower(self, epsilon: float) -> float:
        """Never above δ(ε)."""

    def least(self, delta: float) -> float:
        """Never below the least ε at δ."""

    def most(self, delta: float) -> float:
        """Never above the least ε at δ."""


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A theorem: its name as a method, the words for it, and how to read a plan by it."""

    method: str
    theorem: str
    read: Callable[[Plan, float], Reading]
    # Whether interactive releases may be interleaved (theory D3), and whether the bound is a theorem at all.
    concurrent: bool = True
    proven: bool = True


@final
@dataclass(frozen=True, slots=True)
class Curve:
    """A profile known by two functions; nothing is known from below."""

    delta: Callable[[float], float]
    epsilon: Callable[[float], float]

    def upper(self, epsilon: float) -> float:
        """The bound of the theorem."""
        return min(1.0, self.delta(epsilon))

    def lower(self, epsilon: float) -> float:
        """Nothing is known from below."""
        return 0.0

    def least(self, delta: float) -> float:
        """The bound of the theorem."""
        return self.epsilon(delta)

    def most(self, delta: float) -> float:
        """Nothing is known from below."""
        return 0.0


@final
@dataclass(frozen=True, slots=True)
class Worst:
    """The worse of several directions."""

    readings: tuple[Reading, ...]

    def upper(self, epsilon: float) -> float:
        """The largest of the bounds."""
        return max(reading.upper(epsilon) for reading in self.readings)

    def lower(self, epsilon: float) -> float:
        """The largest of the lower bounds: one direction is enough."""
        return max(reading.lower(epsilon) for reading in self.readings)

    def least(self, delta: float) -> float:
        """The largest of the bounds."""
        return max(reading.least(delta) for reading in self.readings)

    def most(self, delta: float) -> float:
        """The largest of the lower bounds."""
        return max(reading.most(delta) for reading in self.readings)


@final
@dataclass(frozen=True, slots=True)
class Least:
    """The best of several theorems about one plan: all of them hold, so the least bound does."""

    readings: tuple[Reading, ...]

    def upper(self, epsilon: float) -> float:
        """The least of the bounds."""
        return min(reading.upper(epsilon) for reading in self.readings)

    def lower(self, epsilon: float) -> float:
        """The largest of the lower bounds."""
        return max(reading.lower(epsilon) for reading in self.readings)

    def least(self, delta: float) -> float:
        """The least of the bounds."""
        return min(reading.least(delta) for reading in self.readings)

    def most(self, delta: float) -> float:
        """The largest of the lower bounds."""
        return max(reading.most(delta) for reading in self.readings)
