"""Burdens: what a release books on record values where one row may let another of its owner in or out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, unique
from typing import final

from partita.granularity import Granularity, Metric, Replace
from partita.theory.measures.base import Measure


@final
@unique
class Moving(Enum):
    """What may happen to a release behind a truncation: one row, one of each, and either of them twice."""

    ROW = "a row comes or goes"
    SWAP = "a row comes, and another of the same owner goes for it"
    ROW_TWICE = "a row comes or goes, under each of two owners"
    SWAP_TWICE = "a row changes its owner, and another of each owner comes or goes for it"


def burden(
    granularity: Granularity,
    cost: Callable[[Moving], Measure],
    *,
    whole: bool,
) -> tuple[Measure, Measure]:
    """What to book for a row, and for a row that becomes another, so that the heaviest load pays for all that moves.

    The row that comes or goes in place of another may have any value, in regions where neither the old nor the new row
    is; so every value carries half of what two of them cost together, twice over (stability.proof.md). A release that
    every row is in is paid for by everybody alike, once.
    """
    if not isinstance(granularity.single, Replace | Metric):
        swapped = cost(Moving.SWAP)
        load = swapped if whole else most(cost(Moving.ROW).times(2), swapped)
        return load, load
    twice = cost(Moving.SWAP_TWICE)
    if whole:
        return twice, twice
    both = most(cost(Moving.SWAP).times(2), twice)
    if any(both.vector()[1:]):
        # Halves of unlike kinds are only known to add up for costs that are powers of a distance.
        return both, both
    return most(cost(Moving.ROW).times(2), cost(Moving.ROW_TWICE)), both


def most(*losses: Measure) -> Measure:
    """The largest of some losses, coordinate by coordinate."""
    return losses[0].like([max(parts) for parts in zip(*(loss.vector() for loss in losses), strict=True)])
