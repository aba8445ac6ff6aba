"""The total loss of a plan in one direction: its parts pooled, and what is known of them at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import final

from partita.theory.losses.base import Batch, LossLaw, Rows
from partita.theory.losses.product import ProductBatch, ProductLoss, grouped


@final
@dataclass(frozen=True, eq=False)
class Total:
    """Independent losses, each repeated so many times.

    >>> from partita.theory.losses.laplace import LaplaceLoss
    >>> Total.of([(LaplaceLoss(0.5), 3), (LaplaceLoss(0.5), 1)]).size
    4
    """

    given: tuple[tuple[LossLaw, int], ...]
    rows: tuple[Rows, ...] = ()

    @classmethod
    def of(cls, parts: Iterable[tuple[LossLaw, int]], rows: tuple[Rows, ...] = ()) -> Total:
        """From laws and counts, and from whole batches; products are unfolded."""
        given = tuple(parts)
        flat = tuple([part for part in given if type(part[0]) is not ProductLoss])
        for law, count in given if len(flat) < len(given) else ():
            if isinstance(law, ProductLoss):
                flat += tuple((part, times * count) for part, times in law.parts)
        return cls(flat, rows)

    @cached_property
    def parts(self) -> tuple[tuple[LossLaw, int], ...]:
        """Every law with its count."""
        return self.given + tuple(part for batch in self.rows for part in batch.parts())

    @property
    def empty(self) -> bool:
        """Whether nothing is released at all."""
        return not self.given and not self.rows

    @cached_property
    def size(self) -> int:
        """The number of losses, repetitions included; batches whose laws pool into one count once."""
        return sum(count for _, count in self.given) + sum(batch.size for batch in self.rows)

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
        return frozenset([type(law) for law, _ in self.given] + [batch.family for batch in self.rows])

    @cached_property
    def batch(self) -> Batch:
        """All parts, ready to be evaluated."""
        batches = (*self.rows, *grouped(self.given))
        return batches[0] if len(batches) == 1 else ProductBatch(batches)

    @cached_property
    def infinity(self) -> float:
        """The probability of an infinite loss, rounded up."""
        return self.batch.infinity

    @cached_property
    def maximum(self) -> float:
        """The largest finite loss, rounded up."""
        return self.batch.maximum

    @cached_property
    def minimum(self) -> float:
        """The least loss, rounded down."""
        return self.batch.minimum

    @cached_property
    def variance(self) -> float:
        """About the variance; only used to choose where to look."""
        return max(self.batch.variance(), 1e-300)
