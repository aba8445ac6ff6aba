"""Tolls: what the parts of one release cost under one promise, by what happens to a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.granularity import Granularity, Metric, Replace
from partita.mechanisms.additive import AdditiveNoise
from partita.query import pricing, selection
from partita.query.blocks import Block, Lengths
from partita.query.burden import Moving, burden
from partita.query.selection import Selection
from partita.query.stability import Movement, behind, distance, swap_of
from partita.query.truncation import Truncation
from partita.theory.measures.base import Measure

Protection = tuple[Granularity, Measure]


@final
@dataclass(frozen=True, slots=True)
class Toll:
    """What one release costs under one promise, by what happens to a row.

    ``row``: one row enters or leaves the region. ``both``: a row of the region becomes another row of the region.
    ``unit``: the most that one step of the promise's granularity can cost through this release alone. ``owner``: all
    rows of one owner enter or leave, which is less than ``unit`` where a promise lets owners be altered. Behind a
    truncation, for promises that are not on owners, ``row`` and ``both`` are what is to be booked so that the row that
    moves in place of another is paid for as well (burden.py).
    """

    row: Measure
    both: Measure
    unit: Measure
    owner: Measure

    def __add__(self, other: Toll) -> Toll:
        return Toll(self.row + other.row, self.both + other.both, self.unit + other.unit, self.owner + other.owner)


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A block with its noise, and how far neighbours move it under each promise."""

    block: Block
    mechanism: AdditiveNoise
    movements: tuple[Movement, ...]


def toll_of(parts: Sequence[Part], place: int, protection: Protection, delta: Fraction | None, *, whole: bool) -> Toll:
    """What the additive parts of a release cost together under one promise."""
    granularity, budget = protection

    def cost(far: Callable[[Movement], Lengths]) -> Measure:
        moved = [(part.mechanism, distance(far(part.movements[place]), part.mechanism.norm)) for part in parts]
        return pricing.total_cost([(noise, far) for noise, far in moved if far.power], budget, delta)

    unit, owner = cost(lambda move: move.unit), cost(lambda move: move.owner)
    if not parts or parts[0].movements[place].swap is None:
        return Toll(cost(lambda move: move.row), cost(lambda move: move.both), unit, owner)
    ways: dict[Moving, Callable[[Movement], Lengths]] = {
        Moving.ROW: lambda move: move.row,
        Moving.SWAP: swap_of,
        Moving.ROW_TWICE: lambda move: move.row.times(2),
        Moving.SWAP_TWICE: lambda move: move.both,
    }
    return Toll(*burden(granularity, lambda moving: cost(ways[moving]), whole=whole), unit, owner)


def named_toll(
    chosen: Selection,
    people: selection.Steps,
    unit: Granularity,
    measure: Measure,
    truncation: Truncation | None,
    *,
    whole: bool,
) -> Toll:
    """What naming keys costs under one promise."""
    one, all_of_them = selection.cost(chosen, 1, measure), selection.cost(chosen, people.unit, measure)
    if behind(unit, truncation):
        counts = {Moving.ROW: 1, Moving.SWAP: 2, Moving.ROW_TWICE: 2, Moving.SWAP_TWICE: 4}
        loads = burden(unit, lambda moving: selection.cost(chosen, counts[moving], measure), whole=whole)
        return Toll(*loads, all_of_them, all_of_them)
    # Only promises on changes ever book one; for the others it need not have a price.
    both = selection.cost(chosen, people.both, measure) if isinstance(unit.single, Replace | Metric) else one
    return Toll(one, both, all_of_them, one)
