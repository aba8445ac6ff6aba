"""Burdens: what a release books on record values where one row may let another of its owner in or out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, unique
from fractions import Fraction
from typing import final

from partita.granularity import Granularity, Metric, Replace
from partita.theory.measures.base import Measure, most
from partita.theory.powers import powers


@final
@unique
class Moving(Enum):
    """What may happen to a release behind a truncation: one row, one of each, and either of them twice."""

    ROW = "a row comes or goes"
    SWAP = "a row comes, and another of the same owner goes for it"
    ROW_TWICE = "a row comes or goes, under each of two owners"
    ROW_AND_SWAP = "a row comes or goes under one owner, and one comes for another under the other"
    SWAP_TWICE = "a row changes its owner, and another of each owner comes or goes for it"


def burden(
    granularity: Granularity,
    cost: Callable[[Moving], Measure],
    *,
    whole: bool,
    convex: bool = True,
) -> tuple[Measure, Measure]:
    """What to book for a row, and for a row that becomes another, so that the heaviest load pays for all that moves.

    The row that comes or goes in place of another may have any value, in regions where neither the old nor the new row
    is; so every value carries half of what two of them cost together, twice over (sensitivity.proof.md). A release that
    every row is in is paid for by everybody alike, once. ``convex``: the cost of the sum of two distances is at most
    the mean of the costs of twice each, as for noise that is added; otherwise it is asked for.
    """
    if not isinstance(granularity.single, Replace | Metric):
        swapped = cost(Moving.SWAP)
        load = swapped if whole else most(cost(Moving.ROW).times(2), swapped)
        return load, load
    twice = cost(Moving.SWAP_TWICE)
    if whole:
        return twice, twice
    substitution = most(cost(Moving.SWAP).times(2), twice)
    if not powers(substitution):
        # Halves of unlike kinds are only known to add up for costs that are powers of a distance.
        return substitution, substitution
    one = most(cost(Moving.ROW).times(2), cost(Moving.ROW_TWICE))
    if convex:
        return one, substitution
    # A list with one row of the region and a list with two share what both of them carry.
    mixed = cost(Moving.ROW_AND_SWAP)
    rest = [
        max(Fraction(0), 2 * amount - dear) for amount, dear in zip(mixed.vector(), substitution.vector(), strict=True)
    ]
    return most(one, one.like(rest)), substitution
