"""What several questions cost together when all of them are fixed beforehand, for each person by those they are in."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, final

from partita.composition.guarantees.compose import compose
from partita.errors.query import prices as refuse
from partita.granularity import Groups, Metric, Replace, Users, Windows
from partita.limits import current
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.query.exact.measurements import Lengths
from partita.query.exact.sensitivity import Sensitivity, behind, distance, swap_of
from partita.query.noise.quote import Promised, Quote, Toll
from partita.region.meetings import Meeting, meetings
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure, most

# A δ is not spent for less than this.
_SAVES: Final = Fraction(95, 100)


@final
@dataclass(frozen=True, slots=True)
class Joint:
    """What a fixed plan costs under one promise, on the union of the regions of its questions.

    ``together``: a change is told where a promise needs it, an owner where that is not to be derived from a row.
    ``apart``: if every question were charged by itself; row and change are what the heaviest row, or pair of rows,
    would carry, and owners are told where they are charged as such.
    """

    together: Cost
    apart: Cost

    @property
    def exact(self) -> bool:
        """Whether exact composition made the plan cheaper than its questions apart."""
        row, substitution = self.together.row, self.together.substitution
        return (row if substitution is None else most(row, substitution)) != self.apart.row


def union(quotes: Sequence[Quote]) -> Region:
    """The record values that a plan depends on."""
    found = quotes[0].region
    for one in quotes[1:]:
        found = found | one.region
    return found


def joint(quotes: Sequence[Quote], promises: Sequence[Promised], deltas: Sequence[Fraction]) -> tuple[Joint, ...]:
    """The cost of a plan under each promise (joint.proof.md).

    Every question, its noise and its region are fixed before the first is answered, so the losses of the questions
    that one row is in compose exactly (theory D9, E15, E17): for a promise in (ε, δ) at the given δ, for additive
    measures by sums. The heaviest row counts.
    """
    return tuple(
        _joint(quotes, place, promise, delta)
        for place, (promise, delta) in enumerate(zip(promises, deltas, strict=True))
    )


def as_owners(quotes: Sequence[Quote], place: int, delta: Fraction) -> Cost:
    """What a plan costs an owner who comes or goes with all rows, or is altered, through every question at once.

    Composed exactly at a δ, where that is less than the sum (joint.proof.md, owners).
    """
    exact, everything = _Exact(quotes, place, delta), range(len(quotes))
    tolls, zero = [quote.tolls[place] for quote in quotes], quotes[0].promises[place].budget.zero()
    entered = _least(_sum((_entered(toll) for toll in tolls), zero), exact.of(everything, _owner))
    altered = _least(_sum((toll.unit for toll in tolls), zero), exact.of(everything, _unit))
    return Cost(entered, owner=entered, altered=altered)


def saves(apart: Measure, exact: Measure) -> bool:
    """Whether exact composition is worth its δ."""
    return isinstance(apart, Approximate) and isinstance(exact, Approximate) and _least(apart, exact) is exact


def inner_delta(promise: Promised, delta: Fraction, epsilon: Fraction) -> Fraction:
    """The δ to compose at so that a group of rows has about this δ, where its ε is at most so much (theory B19).

    Only a choice: what a group then costs is computed by the account.
    """
    steps, unit = 1, promise.granularity
    while isinstance(unit, Groups):
        steps, unit = steps * unit.size, unit.of
    if steps == 1 or isinstance(unit, Users):
        return delta
    return delta / Fraction(steps * math.exp(min(700.0, float(epsilon) * (steps - 1) / steps)))


def _joint(quotes: Sequence[Quote], place: int, promise: Promised, delta: Fraction) -> Joint:
    unit = promise.granularity.single
    if isinstance(unit, Windows):
        raise refuse.no_plan_for(str(promise.granularity), "a union of steps would be charged as if all were in one")
    if isinstance(unit, Users) and unit.in_region is not None:
        raise refuse.no_plan_for(str(promise.granularity), "in_region= caps the rows of an owner in each question anew")
    altered = isinstance(unit, Users) and unit.altered
    sets = meetings([quote.region for quote in quotes]) or (frozenset(),)
    pairs = _pairs(sets) if altered or isinstance(unit, Replace | Metric) else ()
    tolls, zero = [quote.tolls[place] for quote in quotes], promise.budget.zero()
    rows = [toll.cost.row for toll in tolls]
    dearer = [_dearer(toll) for toll in tolls]
    row = most(*(_sum((rows[i] for i in one), zero) for one in sets))
    changes = [_sum([*(dearer[i] for i in both), *(rows[i] for i in one)], zero) for both, one in pairs]
    substitution = most(*changes) if changes else None
    apart = row if substitution is None or altered else most(row, substitution)
    entered, whole, replaced = _sum((_entered(toll) for toll in tolls), zero), None, None
    if isinstance(unit, Users) and any(quote.by_owner for quote in quotes):
        # Caps and counts of owners are proven for owners as a whole.
        whole = entered
    if isinstance(unit, Users) and altered:
        replaced = _altered(quotes, place, promise, substitution, whole)
        substitution = None
    declared = all(quote.declared for quote in quotes)
    plain = Joint(
        Cost(row, substitution, whole, replaced, declared),
        Cost(apart, apart, whole, None if whole is None else replaced, declared),
    )
    if not isinstance(promise.budget, Approximate) or not delta:
        return plain
    everything = frozenset(range(len(quotes)))
    if behind(unit, quotes[0].program.truncation):
        return _behind(_Exact(quotes, place, delta), plain, whole=union(quotes).whole)
    exact = _Exact(quotes, place, delta)
    row = _least(row, exact.largest([(frozenset(), one) for one in sets]))
    substitution = None if substitution is None else _least(substitution, exact.largest(pairs))
    owner = None
    if isinstance(unit, Users):
        owner = _least(entered, exact.of(everything, _owner))
        if altered:
            replaced = _least(_sum((toll.unit for toll in tolls), zero), exact.of(everything, _unit))
    return replace(plain, together=Cost(row, substitution, owner, replaced, declared))


def _altered(
    quotes: Sequence[Quote], place: int, promise: Promised, changed: Measure | None, whole: Measure | None
) -> Measure | None:
    """What an altered owner loses: through every question at once, or so many times through the heaviest change."""
    tolls, users = [quote.tolls[place] for quote in quotes], promise.granularity
    together = _sum((toll.unit for toll in tolls), promise.budget.zero())
    if whole is not None:
        return together
    if changed is None or not isinstance(users, Users) or not all(quote.proportional(place) for quote in quotes):
        return None
    # At least one of the two is proven for owners of any part of the rows; both are for all of them.
    return changed.group(users.rows)


def _behind(exact: _Exact, plain: Joint, *, whole: bool) -> Joint:
    """A plan where one row may let another of its owner in, anywhere in the plan: then two rows move every question."""
    everything = frozenset(range(len(exact.quotes)))
    if not whole:
        # Every value carries half of what two of them cost, twice over.
        exact = _Exact(exact.quotes, exact.place, exact.delta / 2)

    def booked(*steps: _Step) -> Approximate:
        once, both = exact.of(everything, steps[0]), exact.of(everything, steps[1])
        found = both if whole else most(once.times(2), both)
        assert isinstance(found, Approximate)
        return found

    row, substitution = plain.together.row, plain.together.substitution
    load = booked(_row, _swap) if substitution is None else booked(_swap, _twice)
    substitution = None if substitution is None else _least(substitution, load)
    return replace(plain, together=replace(plain.together, row=_least(row, load), substitution=substitution))


def _pairs(sets: Sequence[Meeting]) -> tuple[tuple[Meeting, Meeting], ...]:
    """For two values: the questions that may hold both of them, and those that hold at most one."""
    if len(sets) ** 2 > 2 * current().joint_pairs:
        everything = frozenset().union(*sets)
        return ((everything, frozenset()),)
    found = {(one & other, one ^ other) for one, other in combinations_with_replacement(sets, 2)}
    return tuple(sorted(found, key=lambda pair: (sorted(pair[0]), sorted(pair[1]))))


@final
class _Exact:
    """Exact composition of the losses of some of the questions, at one δ."""

    def __init__(self, quotes: Sequence[Quote], place: int, delta: Fraction) -> None:
        self.quotes, self.place, self.delta = quotes, place, delta

    def largest(self, sets: Sequence[tuple[Meeting, Meeting]]) -> Approximate:
        """The largest ε over pairs of sets: the first moved by the farther of row and change, the second by a row."""
        moves = [[*self.moves(many, _farther), *self.moves(one, _row)] for many, one in sets]
        # Unlike laws are composed for at most so many sets of questions, or else for all questions at once.
        if len(moves) > current().joint_sets and not all(map(_gaussian, moves)):
            moves = [self.moves(range(len(self.quotes)), _farther)]
        return Approximate.read(max(_epsilon(found, self.delta) for found in _heaviest(moves)), self.delta)

    def of(self, which: Iterable[int], step: _Step) -> Approximate:
        """Some questions, all moved in the same way."""
        return Approximate.read(_epsilon(self.moves(which, step), self.delta), self.delta)

    def moves(self, which: Iterable[int], step: _Step) -> list[Move]:
        """The losses of some questions: of each part, or of the whole where it has other parts than additive noise."""
        found: list[Move] = []
        for i in sorted(which):
            quote = self.quotes[i]
            if not quote.by_parts(self.place):
                found.append((step.loss(quote.tolls[self.place]), None))
                continue
            for part in quote.offer.parts:
                moved = distance(step.length(part.movements[self.place]), part.mechanism.norm)
                if moved.power:
                    found.append((part.mechanism, moved))
        return found


@final
@dataclass(frozen=True, slots=True)
class _Step:
    """What may happen to a question: how far its numbers move, and what it loses as a whole."""

    length: Callable[[Sensitivity[Lengths]], Lengths]
    loss: Callable[[Toll], Measure]


def _dearer(toll: Toll) -> Measure:
    """A row that comes or goes, or one that changes."""
    assert toll.cost.substitution is not None, "a toll knows what a change loses"
    return most(toll.cost.row, toll.cost.substitution)


def _entered(toll: Toll) -> Measure:
    assert toll.cost.owner is not None, "a toll knows what an owner loses"
    return toll.cost.owner


_row = _Step(lambda move: move.row, lambda toll: toll.cost.row)
_farther = _Step(lambda move: move.row | move.substitution, _dearer)
_unit = _Step(lambda move: move.unit, lambda toll: toll.unit)
_owner = _Step(lambda move: move.owner, _entered)
# Behind a truncation: one row in and one out of the same owner, and that under two owners.
_swap = _Step(swap_of, lambda toll: toll.cost.row)
_twice = _Step(lambda move: move.substitution, _dearer)


# A mechanism at a distance, or a loss by itself.
Move = tuple[AdditiveNoise, Distance] | tuple[Measure, None]
Moves = Sequence[Move]


def _gaussian(moves: Moves) -> bool:
    return all(isinstance(noise, GaussianNoise) for noise, _ in moves)


def _shift(moves: Moves) -> Fraction:
    shifts = [
        moved.power / noise.sigma**2 for noise, moved in moves if isinstance(noise, GaussianNoise) and moved is not None
    ]
    return sum(shifts, Fraction(0))


def _heaviest(sets: Sequence[Moves]) -> list[Moves]:
    """Of sets of Gaussian noise only the one with the largest shift: their curves never cross."""
    gaussian = [moves for moves in sets if _gaussian(moves)]
    rest = [moves for moves in sets if not _gaussian(moves)]
    return [*rest, max(gaussian, key=_shift)] if gaussian else rest


def _epsilon(moves: Moves, delta: Fraction) -> Fraction:
    if not moves:
        return Fraction(0)
    if _gaussian(moves):
        noise = GaussianNoise(sigma=Fraction(1))
        return noise.cost(Distance.l2_squared(_shift(moves)), Approximate, delta=delta).epsilon
    return _composed(frozenset(Counter(moves).items()), delta)


@lru_cache(maxsize=256)
def _composed(counted: frozenset[tuple[Move, int]], delta: Fraction) -> Fraction:
    events: list[object] = []
    for (noise, moved), count in sorted(counted, key=str):
        if isinstance(noise, Measure):
            events.append((noise, count))
        else:
            assert moved is not None
            events.append(Event(noise, moved, count))
    return Fraction(compose(events, delta=delta).upper)


def _sum(losses: Iterable[Measure], zero: Measure) -> Measure:
    return sum(losses, start=zero)


def _least(apart: Measure, exact: Approximate) -> Measure:
    """The exact total, unless it would spend a larger δ and save next to nothing."""
    assert isinstance(apart, Approximate)
    return apart if apart.delta <= exact.delta and apart.epsilon * _SAVES <= exact.epsilon else exact
