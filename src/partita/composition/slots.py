"""Slots: releases declared beforehand, used adaptively in any order, with the exact composed guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import final

from partita.composition.compose import compose
from partita.composition.guarantee import Guarantee, Mode
from partita.composition.plan import Part, Plan, read
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import Number
from partita.granularity.base import Granularity, Relation
from partita.region.region import Region
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.measures.gdp import GDP


@final
class Slots:
    """A multiset of dominating pairs fixed beforehand; every release uses one that dominates it (theory D9).

    The transcript is then a post-processing of one draw from each slot, so the guarantee is the exact profile of all
    declared slots, whatever was used, in whatever order, however chosen.

    >>> from partita.theory.measures.pure import Pure
    >>> slots = Slots([(Pure(epsilon="0.5"), 3), (Pure(epsilon="0.3"), 2)])
    >>> slots.take(Pure(epsilon="0.3"))
    3
    >>> round(slots.guarantee(delta="0.1132691692").epsilon, 6)
    1.0
    """

    def __init__(self, events: object, *, relation: Relation | Granularity | str | None = None) -> None:
        self.plan = Plan.of(events, relation)
        self._pairs: list[Pair] = []
        self._names: list[str] = []
        for part in self.plan.parts:
            pair = part.pair()
            if self.plan.relation is not Relation.ADD_REMOVE and not pair.symmetric:
                raise refuse.directions_mix(part.name)
            self._pairs += [pair] * part.count
            self._names += [part.name] * part.count
        # Where each slot was used: nowhere, on some regions, or (None) on everything.
        self._used: list[list[Region] | None] = [[] for _ in self._pairs]

    @property
    def free(self) -> list[int]:
        """Slots that were not used at all."""
        return [i for i, used in enumerate(self._used) if used == []]

    def covers(self, event: object, region: Region | None = None) -> bool:
        """Whether some slot could take this release; nothing changes."""
        return self._find(read(event), region) is not None

    def take(self, event: object, region: Region | None = None) -> int:
        """Use the least slot that dominates a release, and say which; refuse where there is none.

        With a region, and neighbours that come or go, a slot is used up only for the record values in it: releases on
        disjoint regions may share a slot. Under change-one a neighbour touches two values at once, so they may not.
        """
        part = read(event)
        if part.count != 1:
            raise refuse.not_an_event(event)
        slot = self._find(part, region)
        if slot is None:
            raise refuse.no_slot(part.name, len(self.free))
        used = self._used[slot]
        if region is None or self.plan.relation is not Relation.ADD_REMOVE or used is None:
            self._used[slot] = None
        else:
            used.append(region)
        return slot

    def guarantee(self, *, delta: Number, method: str = "best") -> Guarantee:
        """The exact total of all declared slots: valid for a fully adaptive analyst."""
        return replace(compose(self.plan, delta=delta, method=method), mode=Mode.FULLY_ADAPTIVE)

    def _find(self, part: Part, region: Region | None) -> int | None:
        """The first free slot that dominates, those that lose least first."""
        order = sorted(range(len(self._pairs)), key=lambda i: _weight(self._pairs[i]))
        for i in order:
            if self._open(i, region) and dominates(self._pairs[i], part):
                return i
        return None

    def _open(self, slot: int, region: Region | None) -> bool:
        used = self._used[slot]
        if used is None:
            return False
        if not used:
            return True
        return region is not None and not any(region.meets(other) for other in used)


def dominates(slot: Pair, part: Part) -> bool:
    """Whether a pair is proven to dominate every pair of neighbours of a release.

    Equal laws; a law of the same family with less loss; anything (ε, δ)-private in both directions under leaky
    randomised response with that ε and δ (theory B8); anything μ-Gaussian under a Gaussian with that μ.
    """
    if isinstance(slot.remove, GaussianLoss) and slot.symmetric:
        try:
            if part.loss(GDP).squared <= Fraction(slot.remove.mu) ** 2:
                return True
        except NotProven:
            pass
    try:
        pair = part.pair()
    except NotProven:
        return False
    if isinstance(slot.remove, RandomizedResponseLoss) and slot.symmetric:
        response = slot.remove
        return all(law.delta(response.epsilon) <= response.leak for _, law in pair.directions())
    return _law_dominates(slot.remove, pair.remove) and _law_dominates(slot.add, pair.add)


def _law_dominates(slot: LossLaw, law: LossLaw) -> bool:
    match slot, law:
        case (GaussianLoss(mu=more), GaussianLoss(mu=less)):
            return less <= more
        case (LaplaceLoss(epsilon=more), LaplaceLoss(epsilon=less)):
            return less <= more
        case (SubsampledGaussianLoss(), SubsampledGaussianLoss()):
            return slot.removes == law.removes and law.rate <= slot.rate and law.sigma >= slot.sigma
        case _:
            return slot == law


def _weight(pair: Pair) -> float:
    """How much a pair loses, to order slots by: only a choice, any slot that dominates is sound."""
    return max(law.delta(0.0) for _, law in pair.directions())
