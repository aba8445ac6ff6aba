"""Tolls: what the parts of one release cost under one promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from partita.composition.calibration import pricing
from partita.granularity import Granularity, Metric, Replace
from partita.mechanisms.additive import AdditiveNoise
from partita.query.exact.burden import Moving, burden
from partita.query.exact.measurements import Lengths, Measurement
from partita.query.exact.sensitivity import Sensitivity, distance, swap_of
from partita.query.noise import partition_selection as selection
from partita.query.noise.partition_selection import Selection
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure

Protection = tuple[Granularity, Measure]
Way = Callable[[Sensitivity[Lengths]], Lengths]

_WAYS: Final[dict[Moving, Way]] = {
    Moving.ROW: lambda move: move.row,
    Moving.SWAP: swap_of,
    Moving.ROW_TWICE: lambda move: move.row.times(2),
    Moving.SWAP_TWICE: lambda move: move.substitution,
}


@final
@dataclass(frozen=True, slots=True)
class Toll:
    """What one release costs under one promise: its cost, and ``unit``, the most that one step of the promise loses.

    The step has a price of its own: several rows at once are priced at their distance, which may be less than the loss
    of a group. Where a promise lets owners be altered, it is the loss of an altered owner. Behind a truncation, for
    promises that are not on owners, ``row`` and ``substitution`` of the cost are what is to be booked so that the row
    that moves in place of another is paid for as well (burden.py).
    """

    cost: Cost
    unit: Measure

    def __add__(self, other: Toll) -> Toll:
        return Toll(self.cost + other.cost, self.unit + other.unit)


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A measurement with its noise, and how far neighbours move it under each promise."""

    measurement: Measurement
    mechanism: AdditiveNoise
    movements: tuple[Sensitivity[Lengths], ...]


def toll_of(parts: Sequence[Part], place: int, protection: Protection, delta: Fraction | None, *, whole: bool) -> Toll:
    """What the additive parts of a release cost together under one promise."""
    granularity, budget = protection

    def cost(far: Way) -> Measure:
        moved = [(part.mechanism, distance(far(part.movements[place]), part.mechanism.norm)) for part in parts]
        return pricing.total_cost([(noise, far) for noise, far in moved if far.power], budget, delta)

    unit, owner = cost(lambda move: move.unit), cost(lambda move: move.owner)
    if not parts or parts[0].movements[place].swap is None:
        return Toll(Cost(cost(lambda move: move.row), cost(lambda move: move.substitution), owner), unit)
    return Toll(Cost(*burden(granularity, lambda moving: cost(_WAYS[moving]), whole=whole), owner), unit)


def named_toll(
    chosen: Selection,
    people: Sensitivity[Lengths],
    unit: Granularity,
    measure: Measure,
    *,
    whole: bool,
) -> Toll:
    """What naming keys costs under one promise."""
    one, all_of_them = selection.cost(chosen, people.row.l1, measure), selection.cost(chosen, people.unit.l1, measure)
    if people.swap is not None:
        loads = burden(unit, lambda moving: selection.cost(chosen, _WAYS[moving](people).l1, measure), whole=whole)
        return Toll(Cost(*loads, all_of_them), all_of_them)
    # Only promises on changes ever book one; for the others it need not have a price.
    substitution = (
        selection.cost(chosen, people.substitution.l1, measure) if isinstance(unit.single, Replace | Metric) else one
    )
    return Toll(Cost(one, substitution, one), all_of_them)
