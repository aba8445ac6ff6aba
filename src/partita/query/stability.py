"""Stability: how far neighbouring tables can move an exact result, for every way in which people are protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, steps
from partita.query.blocks import Block, Lengths, one_change, one_owner, one_row
from partita.query.truncation import Truncation
from partita.theory.distance import Distance, Norm


@final
@dataclass(frozen=True, slots=True)
class Movement:
    """How far one release moves.

    ``row`` when one row enters or leaves its region; ``both`` when a row of the region becomes another one; ``unit``
    is the most that one step of the granularity can do to this release alone.
    """

    row: Lengths
    both: Lengths
    unit: Lengths


def movement(
    block: Block, granularity: Granularity, *, groups: int, partial: bool, truncation: Truncation | None = None
) -> Movement:
    """How far a block moves under a granularity (stability.proof.md).

    The lengths follow from the declared domain alone. Where a truncation stands behind the projection, one row that
    comes or goes may let another of the same owner in or out, so that a row counts twice; and a changed row may leave
    one owner for another, so that even a plain count can move.

    >>> from partita.query.blocks import Counted
    >>> movement(Counted(), Replace(), groups=5, partial=False).unit
    Lengths(l1=2, l2_squared=2, linf=1)
    """
    row = one_row(block)
    both = one_change(block, groups=groups, partial=partial)
    if truncation is not None and not isinstance(granularity.single, Users):
        row, both = row.times(2), (row | both).times(2)
    return Movement(row, both, _unit(granularity, row, both, truncation, block, groups))


def gathered_movement(
    block: Block, granularity: Granularity, *, groups: int, keyed: bool, truncation: Truncation | None = None
) -> Movement:
    """How far a block over rows gathered by owner moves (stability.proof.md).

    A stored row that comes or goes changes one derived row: the old one out, the new one in. ``keyed`` says that rows
    are gathered by other columns besides their owner, so that one owner may have several derived rows.

    >>> from partita.query.blocks import Counted
    >>> from partita.granularity import users
    >>> gathered_movement(Counted(), users("patient", rows=9), groups=1, keyed=False).unit
    Lengths(l1=1, l2_squared=1, linf=1)
    """
    alone = one_row(block)
    change = alone | one_change(block, groups=groups, partial=True)
    if truncation is None or isinstance(granularity.single, Users):
        row, both = change, change.times(2)
    else:
        row, both = change.times(2), change.times(4 if keyed else 2)
    return Movement(row, both, _gathered_unit(granularity, alone, change, row, both, truncation, keyed=keyed))


def _gathered_unit(
    granularity: Granularity,
    alone: Lengths,
    change: Lengths,
    row: Lengths,
    both: Lengths,
    truncation: Truncation | None,
    *,
    keyed: bool,
) -> Lengths:
    match granularity:
        case Rows():
            return row
        case Replace() | Metric():
            return row | both
        case Groups(size, of):
            return _gathered_unit(of, alone, change, row, both, truncation, keyed=keyed).times(size)
        case Users(altered=altered, per=per):
            kept = granularity.rows if truncation is None else min(granularity.rows, truncation.most)
            if not keyed:
                return change if altered or per is not None else alone
            return (alone if per is None else change).times(2 * kept if altered else kept)
        case _:
            return row.times(steps(Rows(), granularity))


def distance(lengths: Lengths, norm: Norm) -> Distance:
    """A length in one norm, as mechanisms take it.

    >>> distance(Lengths(2, 2, 1), Norm.L2)
    Distance(norm=<Norm.L2: 'l2'>, power=Fraction(2, 1))
    """
    match norm:
        case Norm.L1:
            return Distance.l1(lengths.l1)
        case Norm.L2:
            return Distance.l2_squared(lengths.l2_squared)
        case Norm.LINF:
            return Distance.linf(lengths.linf)


def _unit(
    granularity: Granularity,
    row: Lengths,
    both: Lengths,
    truncation: Truncation | None,
    block: Block,
    groups: int,
) -> Lengths:
    match granularity:
        case Rows():
            return row
        case Replace() | Metric():
            return row | both
        case Groups(size, of):
            return _unit(of, row, both, truncation, block, groups).times(size)
        case Users():
            kept = granularity.rows if truncation is None else min(granularity.rows, truncation.most)
            return one_owner(block, kept, groups).times(2 if granularity.altered else 1)
        case _:
            return row.times(steps(Rows(), granularity))
