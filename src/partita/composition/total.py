"""The total loss of a plan in one direction: its parts pooled, and what is known of them at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import final

from partita.theory.losses.base import LossLaw
from partita.theory.losses.product import ProductBatch, ProductLoss, grouped


@final
@dataclass(frozen=True, eq=False)
class Total:
    """Independent losses, each repeated so many times.

    >>> from partita.theory.losses.laplace import LaplaceLoss
    >>> Total.of([(LaplaceLoss(0.5), 3), (LaplaceLoss(0.5), 1)]).size
    4
    """

    parts: tuple[tuple[LossLaw, int], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[LossLaw, int]]) -> Total:
        """From laws and counts; products are unfolded."""
        given = tuple(parts)
        flat = tuple([part for part in given if type(part[0]) is not ProductLoss])
        for law, count in given if len(flat) < len(given) else ():
            if isinstance(law, ProductLoss):
                flat += tuple((part, times * count) for part, times in law.parts)
        return cls(flat)

    @property
    def size(self) -> int:
        """The number of losses, repetitions included."""
        return sum(count for _, count in self.parts)

    @cached_property
    def pooled(self) -> dict[LossLaw, int]:
        """Each distinct law with its count."""
        found: dict[LossLaw, int] = {}
        for law, count in self.parts:
            found[law] = found.get(law, 0) + count
        return found

    @cached_property
    def families(self) -> frozenset[type[LossLaw]]:
        """The families that occur."""
        return frozenset(type(law) for law, _ in self.parts)

    @cached_property
    def batch(self) -> ProductBatch:
        """All parts, ready to be evaluated."""
        return ProductBatch(tuple(grouped(self.parts)))

    @cached_property
    def infinity(self) -> float:
        """The probability of an infinite loss, rounded up."""
        return self.batch.infinity

    @cached_property
    def maximum(self) -> float:
        """The largest finite loss, rounded up."""
        return self.batch.maximum if self.parts else 0.0

    @cached_property
    def minimum(self) -> float:
        """The least loss, rounded down."""
        return self.batch.minimum if self.parts else 0.0

    @cached_property
    def variance(self) -> float:
        """About the variance; only used to choose where to look."""
        return max(self.batch.variance(), 1e-300)
