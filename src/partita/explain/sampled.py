"""A whole trade-off curve from a few points of a profile that is slow to compute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from partita.errors import NotProven
from partita.exact import Number, exact
from partita.theory import readings
from partita.theory.measures.base import Measure
from partita.theory.semantics import TradeOff

_POINTS = 32


class Profiled(TradeOff, Protocol):
    """Anything with a proven δ at every ε: a loss, or a composed guarantee."""

    def delta_at(self, epsilon: Fraction) -> Fraction:
        """The least proven δ at this ε."""

    def epsilon_at(self, delta: Fraction) -> Fraction:
        """The least proven ε at this δ."""


@final
@dataclass(frozen=True, slots=True)
class Sampled:
    """The best trade-off that a few proven (ε, δ) give together: never above what all of them would give.

    >>> point = Sampled(((Fraction(1), Fraction(0)),))
    >>> float(point.false_negatives(Fraction(1, 100))) == float(1 - Fraction(1, 100) * Fraction(math.e))
    True
    """

    points: tuple[tuple[Fraction, Fraction], ...]

    def false_negatives(self, fpr: Fraction) -> Fraction:
        """The fewest false negatives at this share of false positives, rounded down."""
        if fpr >= 1:
            return Fraction(0)
        share = float(fpr)

        def rough(point: tuple[Fraction, Fraction]) -> float:
            factor, delta = math.exp(min(700.0, float(point[0]))), float(point[1])
            return max(1 - delta - factor * share, (1 - delta - share) / factor)

        epsilon, delta = max(self.points, key=rough)
        return readings.false_negatives_at(epsilon, delta, fpr)


def sampled(guarantee: Profiled, *, delta: Number = Fraction(1, 10**6), points: int = _POINTS) -> TradeOff:
    """A curve that is quick to read: a loss as it is, a composed guarantee by points up to its ε at this δ."""
    if isinstance(guarantee, Measure | Sampled):
        return guarantee
    try:
        reach = guarantee.epsilon_at(exact(delta, "delta"))
    except NotProven:
        return guarantee
    grid = [reach * step / points for step in range(points + 1)]
    return Sampled(tuple((epsilon, min(Fraction(1), guarantee.delta_at(epsilon))) for epsilon in grid))
