"""A dominating pair: the law of the loss when a record leaves, and when one enters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from partita.theory.losses.base import LossLaw


@final
@dataclass(frozen=True, slots=True)
class Pair:
    """The losses of both directions of a neighbouring pair, which are composed separately (theory B6).

    >>> from partita.theory.losses.laplace import LaplaceLoss
    >>> Pair.of(LaplaceLoss(1.0)).symmetric
    True
    """

    remove: LossLaw
    add: LossLaw

    @classmethod
    def of(cls, law: LossLaw) -> Pair:
        """The pair of a mechanism whose two directions have the same law."""
        return cls(law, law)

    @property
    def symmetric(self) -> bool:
        """Whether both directions have the same law."""
        return self.remove is self.add or self.remove == self.add

    def directions(self) -> Iterator[tuple[str, LossLaw]]:
        """Each direction that has to be composed, with its name."""
        yield "remove", self.remove
        if not self.symmetric:
            yield "add", self.add

    def delta(self, epsilon: float) -> float:
        """The larger profile of the two directions, rounded up."""
        return max(law.delta(epsilon) for _, law in self.directions())
