"""The total loss of a plan in one direction: its parts pooled, and what is known of them at once."""

from __future__ import annotations

import math
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
        """From laws and counts; products are unfolded, and laws that lose nothing are left out."""
        flat: list[tuple[LossLaw, int]] = []
        for law, count in parts:
            inner = law.parts if isinstance(law, ProductLoss) else ((law, 1),)
            flat.extend((part, times * count) for part, times in inner if not _free(part))
        return cls(tuple(flat))

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


def _free(law: LossLaw) -> bool:
    return law.maximum == 0.0 and law.infinity == 0.0 and math.isfinite(law.minimum)
