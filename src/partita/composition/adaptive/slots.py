"""Slots: releases declared beforehand, used adaptively in any order, with the exact composed guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import final

from partita.composition.adaptive.filters import agreed
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Guarantee, Mode
from partita.composition.plans.plan import Paired, Part, Plan, counted, read, relation_of, unit_of
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import Number
from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows
from partita.live import Live
from partita.region.region import Region
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.measures.gdp import GDP

# Slots are kept one by one.
LIMIT = 1 << 16


@final
class Slots(Live):
    """A multiset of dominating pairs fixed beforehand; every release uses one that dominates it (theory D9).

    The transcript is then a post-processing of one draw from each slot, so the guarantee is the exact profile of all
    declared slots, whatever was used, in whatever order, however chosen. Slots and releases are those of one row; for
    a unit of several its steps are counted in both.

    >>> from partita.theory.measures.pure import Pure
    >>> slots = Slots([(Pure(epsilon="0.5"), 3), (Pure(epsilon="0.3"), 2)])
    >>> slots.take(Pure(epsilon="0.3"))
    3
    >>> round(slots.guarantee(delta="0.1132691692").epsilon, 6)
    1.0
    """

    def __init__(self, events: object, *, relation: Relation | Granularity | str | None = None) -> None:
        super().__init__()
        self._plan = Plan.protecting(events, relation)
        self._relation, self._unit = self._plan.relation, unit_of(relation)
        # Only a row that comes or goes is in one region at a time: a user, a group or a window may be in several.
        self._shared = isinstance(relation, Rows) or (
            not isinstance(relation, Granularity) and relation_of(relation) is Relation.ADD_REMOVE
        )
        if self._plan.size > LIMIT:
            raise refuse.too_many_slots(self._plan.size, LIMIT)
        self._declared: list[Paired] = []
        self._pairs: list[Pair] = []
        for part in self._plan.parts:
            pair = part.pair()
            # Several rows may come and go at once, so that both directions meet in one unit too.
            if (self._unit is not None or self._relation is not Relation.ADD_REMOVE) and not pair.symmetric:
                raise refuse.directions_mix(part.name)
            self._declared.append(Paired(pair, part.count))
            self._pairs += [pair] * part.count
        # Those that lose least first: only a choice, any slot that dominates is sound.
        weights = {pair: _weight(pair) for pair in self._pairs}
        self._order = sorted(range(len(self._pairs)), key=lambda i: weights[self._pairs[i]])
        # Where each slot was used: nowhere, on some regions, or (None) on everything.
        self._used: list[list[Region] | None] = [[] for _ in self._pairs]

    def __repr__(self) -> str:
        return f"<Slots: {len(self._used):,} declared, {len(self.free):,} not used>"

    @property
    def plan(self) -> Plan:
        """What was declared."""
        return self._plan

    @property
    def relation(self) -> Relation | None:
        """Under which relation the slots are used: as given, or that of the first release proven under one only."""
        return self._relation

    @property
    def free(self) -> list[int]:
        """Slots that were not used at all."""
        return [i for i, used in enumerate(self._used) if used == []]

    def covers(self, event: object, region: Region | None = None) -> bool:
        """Whether some slot could take this release; nothing changes."""
        with self._lock:
            agreed(self._relation, event)
            return self._find(read(counted(event, self._unit)), region) is not None

    def take(self, event: object, region: Region | None = None) -> int:
        """Use the least slot that dominates a release, and say which; refuse where there is none.

        With a region, and neighbours that differ by a row that comes or goes, a slot is used up only for the record
        values in it: releases on disjoint regions may share a slot. Under change-one a neighbour touches two values at
        once, and a user, a group or a window may hold rows in both, so there they may not.
        """
        part = read(event)
        if part.count != 1:
            raise refuse.not_an_event(event)
        if region is not None and not isinstance(region, Region):
            raise refuse.not_an_event(region)
        with self._lock:
            relation = agreed(self._relation, part)
            slot = self._find(read(counted(part, self._unit)), region)
            if slot is None:
                raise refuse.no_slot(part.name, len(self.free))
            used = self._used[slot]
            if region is None or not self._shared or used is None:
                self._used[slot] = None
            else:
                used.append(region)
            self._relation = relation
            return slot

    def guarantee(self, *, delta: Number, method: str = "best") -> Guarantee:
        """The exact total of the pairs of all declared slots: valid for a fully adaptive analyst.

        A release is dominated by the pair of its slot and by nothing else that was declared, so only pairs are
        composed: a closed form of the mechanism that a slot was declared with does not hold for what was run on it.
        """
        total = compose(Plan.of(self._declared, self._relation), delta=delta, method=method)
        if not total.proven:
            raise refuse.only_approximation("A guarantee of slots")
        return replace(total, mode=Mode.FULLY_ADAPTIVE)

    def _find(self, part: Part, region: Region | None) -> int | None:
        """The first free slot that dominates, those that lose least first."""
        known: dict[Pair, bool] = {}
        for i in self._order:
            pair = self._pairs[i]
            if self._open(i, region):
                if pair not in known:
                    known[pair] = dominates(pair, part)
                if known[pair]:
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
