"""A measure: an amount of privacy loss that knows its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Self

from partita.errors import foundation as refuse_number
from partita.errors import theory as refuse
from partita.exact import Number, exact, nonnegative, shown, whole
from partita.notebook import InWords

Reading = Callable[[object, str], Fraction]
"""How a written number is read: what callers hand over must be moderate, what was booked may be anything."""


class Measure(InWords, ABC):
    """An amount of privacy loss in one measure, for one neighbouring relation.

    A loss is a vector of non-negative coordinates that add up over releases; a budget is a loss that bounds
    the sum. Everything it can be read as (δ at an ε, the trade-off curve) is a proven bound, rounded against us.
    """

    __slots__ = ()

    kind: ClassVar[str]
    symbol: ClassVar[str]

    @abstractmethod
    def vector(self) -> tuple[Fraction, ...]:
        """The coordinates that add up over releases."""

    @abstractmethod
    def like(self, vector: Sequence[Fraction]) -> Self:
        """A loss of this kind with other coordinates."""

    @abstractmethod
    def _delta_at(self, epsilon: Fraction) -> Fraction: ...

    @abstractmethod
    def _epsilon_at(self, delta: Fraction) -> Fraction: ...

    @abstractmethod
    def _false_negatives(self, fpr: Fraction) -> Fraction: ...

    def delta_at(self, epsilon: Number) -> Fraction:
        """The least proven δ at this ε, rounded up."""
        return self._delta_at(exact(epsilon, "epsilon"))

    def epsilon_at(self, delta: Number) -> Fraction:
        """The least proven ε at this δ, rounded up."""
        leak = nonnegative(delta, "delta")
        if leak >= 1:
            raise refuse.delta_too_large(shown(leak))
        return self._epsilon_at(leak)

    def false_negatives(self, fpr: Number) -> Fraction:
        """The fewest false negatives of any test with this share of false positives (theory B5), rounded down."""
        share = nonnegative(fpr, "fpr")
        if share > 1:
            raise refuse_number.too_large("fpr", fpr, 1)
        return self._false_negatives(share)

    @abstractmethod
    def advantage(self) -> Fraction:
        """The most by which true positives can exceed false positives (theory B21), rounded up."""

    @abstractmethod
    def group(self, k: int) -> Self:
        """The loss of a group of k neighbours' steps (theory B19)."""

    @abstractmethod
    def __str__(self) -> str:
        """The loss as people write it."""

    def describe(self) -> dict[str, object]:
        """The loss as plain data, exact numbers as text, from which ``restored`` makes it again."""
        raise refuse.not_a_loss("loss", self)

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> Measure:
        """The loss that a description of this kind was made from, each number read by ``read(text, name)``."""
        raise refuse.not_a_loss("document", cls.kind)

    def gives(self, to: type[Measure]) -> Measure | None:
        """The loss of another measure that follows from this one, if this measure knows the theorem."""
        return None

    @classmethod
    def given_by(cls, loss: Measure) -> Measure | None:
        """The loss of this measure that follows from one of another, if this measure knows the theorem."""
        return None

    def zero(self) -> Self:
        """No loss at all, of this kind."""
        return self.like([Fraction(0)] * len(self.vector()))

    def is_zero(self) -> bool:
        """Whether nothing is lost."""
        return not any(self.vector())

    def __add__(self, other: Self) -> Self:
        self._must_match(other)
        return self.like([mine + theirs for mine, theirs in zip(self.vector(), other.vector(), strict=True)])

    def __radd__(self, other: object) -> Self:
        """So that ``sum(losses)`` works: it starts at 0."""
        if other == 0 and not isinstance(other, Measure):
            return self
        raise refuse.not_a_loss("other", other)

    def times(self, count: int) -> Self:
        """The loss of so many releases like this one.

        >>> from partita.theory.measures.pure import Pure
        >>> Pure(epsilon="0.1").times(3)
        Pure(epsilon=Fraction(3, 10))
        """
        copies = whole(count, "count")
        return self.like([copies * part for part in self.vector()])

    def fits(self, budget: Self) -> bool:
        """Whether every coordinate is within the budget's."""
        self._must_match(budget)
        return all(mine <= theirs for mine, theirs in zip(self.vector(), budget.vector(), strict=True))

    def left_after(self, spent: Self) -> Self:
        """What is left of this budget, never below zero."""
        self._must_match(spent)
        return self.like(
            [max(mine - theirs, Fraction(0)) for mine, theirs in zip(self.vector(), spent.vector(), strict=True)]
        )

    def _must_match(self, other: object) -> None:
        if not isinstance(other, Measure):
            raise refuse.not_a_loss("other", other)
        if type(other) is not type(self):
            raise refuse.unlike_losses(self.symbol, other.symbol)


def most(*losses: Measure) -> Measure:
    """The largest of some losses of one measure, coordinate by coordinate: no less than any of them.

    >>> from partita.theory.measures.zcdp import ZCDP
    >>> print(most(ZCDP(rho="0.1", delta="1e-6"), ZCDP(rho="0.3")))
    (ρ = 0.3, δ = 1e-06)
    """
    first, *others = losses
    for other in others:
        first._must_match(other)
    return first.like([max(parts) for parts in zip(*(loss.vector() for loss in losses), strict=True)])
