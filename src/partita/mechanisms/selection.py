"""Choosing one of several candidates by its score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from partita.exact import Number, float_up, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism
from partita.mechanisms.integers import Integers, read_flat, source_of
from partita.mechanisms.strength import Strength
from partita.mechanisms.trial import Trial
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball


class Selection(Mechanism):
    """Release the index of one candidate, a good one with high probability.

    The distance is how far neighbours move any one score, in L∞; ``epsilon`` is the loss at distance 1. Scores are
    ``monotone`` if a neighbour moves all of them in the same direction: counts are when a record comes or goes, and are
    not when one is changed (theory C9, C11).
    """

    __slots__ = ()

    strength: ClassVar[Strength | None] = Strength.EPSILON
    epsilon: Fraction
    monotone: bool

    @property
    def relations(self) -> frozenset[Relation]:
        """Monotone scores are so only when records come or go."""
        return frozenset({Relation.ADD_REMOVE}) if self.monotone else frozenset(Relation)

    @property
    def weight(self) -> Fraction:
        """How much one unit of score counts: ε/2, or ε for monotone scores."""
        return self.epsilon if self.monotone else self.epsilon / 2

    def forms(self, distance: Distance) -> Forms:
        return {Pure: lambda: Pure(epsilon=distance.power * self.epsilon)}

    def pair(self, distance: Distance) -> Pair:
        """Randomised response is the worst of all ε-private mechanisms (theory B8)."""
        self.require(distance)
        return Pair.of(RandomizedResponseLoss(float_up(distance.power * self.epsilon)))

    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.epsilon), "monotone": str(self.monotone).lower()}

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """Scores that move in opposite directions; and, for monotone scores, all in the same."""
        made: Any = cls
        for monotone in (False, True):
            choice: Selection = made(epsilon=Fraction(2), monotone=monotone)
            first, second = ((0, 0, 0), (0, 1, 1)) if monotone else ((0, 0), (-1, 1))
            claims = (choice.cost(Distance.linf(1), Pure), choice.cost(Distance.linf(1), ZCDP))
            name = f"{cls.kind.replace('_', ' ')}{', monotone' if monotone else ''}"
            relation = Relation.ADD_REMOVE if monotone else Relation.CHANGE_ONE
            yield Trial(name, relation, partial(chosen, choice), first, second, claims, batch=False)

    @abstractmethod
    def choose(self, scores: Integers, bits: BitSource) -> int:
        """The index of one candidate."""

    def release(self, scores: object, *, bits: BitSource | None = None) -> int:
        """The index of one candidate; the scores are exact integers, larger is better."""
        return self.choose(read_flat(scores), source_of(bits))

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """How far the score of the choice is below the best, among so many candidates (theory C9)."""
        sure, count = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        return float_up(numerics.upper(lambda: (count / (1 - ball(sure))).log() / ball(self.weight)))


def chosen(mechanism: Selection, bits: BitSource, scores: Sequence[int]) -> int:
    """One choice among candidates, for an audit."""
    return mechanism.release(list(scores), bits=bits)
