"""The optimal rule for key selection: the largest probabilities of keeping a key that (ε, δ) allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from typing import Any, ClassVar, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.exact import Number, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism, identical
from partita.mechanisms.coin import coins
from partita.mechanisms.histogram import relation_of
from partita.mechanisms.integers import source_of
from partita.mechanisms.keys import read_counts
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.trial import Trial
from partita.sampling.balls import integer_part, working
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.numerics import ball


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedGeometric(Mechanism):
    """Keep each key with the largest probability that (ε, δ) allows for its number of people (theory C15).

    A person counts once for at most ``keys`` keys; the caller enforces it before counting. Only the keys are released,
    no counts. The distance is the number of people that neighbours differ in, in L1 (truncated_geometric.proof.md).

    >>> rule = TruncatedGeometric(epsilon=1, delta="1e-5")
    >>> round(float(rule.keep_probability(11)), 9), rule.keep_probability(0), rule.keep_probability(100)
    (0.348447738, Fraction(0, 1), Fraction(1, 1))
    """

    kind: ClassVar[str] = "truncated_geometric"
    norm: ClassVar[Norm] = Norm.L1
    whole_region: ClassVar[bool] = True
    theorems: ClassVar[str] = "C15"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    leaks: ClassVar[bool] = True
    takes_relation: ClassVar[bool] = True
    epsilon: Fraction
    delta: Fraction
    keys: int = 1
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))
        object.__setattr__(self, "keys", whole(self.keys, "keys", least=1))
        object.__setattr__(self, "relation", relation_of(self.relation))

    @property
    def relations(self) -> frozenset[Relation]:
        """The one it was made for."""
        return frozenset({self.relation})

    @property
    def decisions(self) -> int:
        """How many keys one neighbour step can touch: those of one person, or of the old and the new one."""
        return self.keys * (1 if self.relation is Relation.ADD_REMOVE else 2)

    def forms(self, distance: Distance) -> Forms:
        people = ceil(distance.power)
        return {Approximate: lambda: Approximate(epsilon=self.epsilon, delta=self.delta).group(people)}

    def pair(self, distance: Distance) -> Pair:
        """One leaky randomised response for each key that is touched; for groups, one for all."""
        self.require(distance)
        people = ceil(distance.power)
        if people == 0:
            return identical()
        if people == 1:
            one = RandomizedResponseLoss(float_up(self.epsilon / self.decisions), float_up(self.delta / self.decisions))
            return Pair.of(one if self.decisions == 1 else ProductLoss.of([(one, self.decisions)]))
        group = Approximate(epsilon=self.epsilon, delta=self.delta).group(people)
        return Pair.of(RandomizedResponseLoss(float_up(group.epsilon), float_up(group.delta)))

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> TruncatedGeometric:
        """All of its own δ goes into the keys."""
        return cls(epsilon=strength, delta=setting.needed_leak(), **setting.parameters)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """A key that one person alone has, and a key that both neighbours have."""
        rule = TruncatedGeometric(epsilon=Fraction(1), delta=Fraction(1, 50))
        claims = rule.closed_forms(Distance.l1(1))
        for first, second in ((1, 0), (4, 3)):
            name = f"truncated geometric, {first} or {second} people"
            yield Trial(name, Relation.ADD_REMOVE, partial(kept, rule), first, second, claims)

    def parameters(self) -> dict[str, str]:
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "keys": str(self.keys),
            "relation": self.relation.value,
        }

    def keep_probability(self, people: int) -> Fraction:
        """The probability that a key with so many people is released, to 64 bits."""
        count = whole(people, "people")
        if count == 0:
            return Fraction(0)
        return min(Fraction(1), numerics.upper(lambda: self._keep(count)))

    def _keep(self, count: int) -> arb:
        """p grows by e^ε p + δ at first, and by 1 - e^(-ε) (1 - p - δ) from the turn on, up to one."""
        epsilon, delta = ball(self.epsilon / self.decisions), ball(self.delta / self.decisions)
        turn = _turn(self.epsilon / self.decisions, self.delta / self.decisions)
        step = delta / epsilon.expm1()
        rising = (min(count, turn) * epsilon).expm1() * step
        if count <= turn:
            return rising
        return 1 + step - (-(count - turn) * epsilon).exp() * (1 + step - rising)

    def release(self, counts: object, *, bits: BitSource | None = None) -> list[Any]:
        """The keys that are kept, in canonical order; the counts are numbers of people."""
        found, times = read_counts(counts)
        drawing = source_of(bits)
        kept = np.zeros(len(found), dtype=np.bool_)
        for number in sorted({int(time) for time in times}):
            same = times == number
            kept[same] = coins(partial(self._keep, number), int(same.sum()), drawing)
        return [key for key, keep in zip(found, kept, strict=True) if keep]

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """How many people a key needs so that all of so many such keys are kept with this confidence."""
        sure, count = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        needed = numerics.upper(lambda: (ball(sure).log() / count).exp())

        def enough(people: int) -> bool:
            return numerics.lower(lambda: self._keep(people)) >= min(needed, Fraction(1))

        low, high = 0, 1
        while not enough(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return float_up(Fraction(high))


def kept(mechanism: TruncatedGeometric, bits: BitSource, people: int, count: int) -> NDArray[np.bool_]:
    """Whether each of so many keys, each with so many people, is released, for an audit."""
    found = np.zeros(count, dtype=np.bool_)
    if people:
        found[mechanism.release(dict.fromkeys(range(count), people), bits=bits)] = True
    return found


@lru_cache(maxsize=64)
def _turn(epsilon: Fraction, delta: Fraction) -> int:
    """The last number of people for which the first rule gives the smaller probability.

    e^ε is transcendental, so the quotient is never whole and some precision tells its integer part.
    """
    precision = 128
    while True:
        with working(precision):
            growth = ball(epsilon).expm1()
            last = ((growth + 2 * ball(delta)) / ((growth + 2) * ball(delta))).log() / ball(epsilon)
            found = integer_part(last)
        if found is not None:
            return 1 + found
        precision *= 2
