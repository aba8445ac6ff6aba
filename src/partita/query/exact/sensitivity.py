"""Stability: how far neighbouring tables can move an exact result, for every way in which people are protected."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic, Protocol, Self, TypeVar, final

from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, steps
from partita.query.exact.measurements import (
    Counted,
    Lengths,
    Measurement,
    Owned,
    one_alteration,
    one_change,
    one_owner,
    one_row,
)
from partita.query.exact.per_user_sensitivity import Steady
from partita.query.language.keys import Each, Key
from partita.query.language.per_user import PerUser
from partita.query.tables.truncation import Truncation
from partita.theory.distance import Distance, Norm


class Moved(Protocol):
    """A distance: the larger of two, and of so many steps."""

    def __or__(self, other: Self, /) -> Self: ...

    def times(self, k: int, /) -> Self: ...


Far = TypeVar("Far", bound=Moved)


@final
@dataclass(frozen=True, slots=True)
class Sensitivity(Generic[Far]):
    """How far each kind of neighbour moves one exact result; a mechanism makes a loss of it.

    ``row`` when one row enters or leaves its region; ``substitution`` when a row of the region becomes another one;
    ``unit`` is the most that one step of the granularity can do to this release alone, and ``owner`` the most that all
    rows of one owner can do who enters or leaves: less than ``unit`` where owners are altered. ``swap``, where a
    truncation stands behind the projection and the promise is not on owners: what a row that comes does together with
    the one of the same owner that goes for it; there ``substitution`` is two of them, a row taken from one owner and
    given to another.
    """

    row: Far
    substitution: Far
    unit: Far
    owner: Far
    swap: Far | None = None

    @classmethod
    def of(
        cls,
        granularity: Granularity,
        *,
        row: Far,
        substitution: Far,
        owner: Far,
        altered: Far | None = None,
        swap: Far | None = None,
    ) -> Sensitivity[Far]:
        """With the unit that follows; ``altered`` is what an owner does in any way that the promise allows."""
        any_way = owner if altered is None else altered
        return cls(
            row, substitution, _unit(granularity, row if swap is None else swap, substitution, any_way), owner, swap
        )


@final
@dataclass(frozen=True, slots=True)
class Parted:
    """The derived rows of one owner who is gathered by other columns as well: at most one for each of so many values.

    ``apart`` says that groups tell these values apart, so that no two derived rows of an owner are in one group.
    """

    values: int
    apart: bool


def parted(per_user: PerUser | None, keys: tuple[Key, ...]) -> Parted | None:
    """What is known of the derived rows of an owner, in groups by these keys."""
    if per_user is None or not per_user.keys:
        return None
    domain = per_user.table.domain
    values = prod(domain.bounded[domain.axis(name)].size for name in per_user.keys)
    return Parted(values, apart={Each(name) for name in per_user.keys} <= set(keys))


def behind(granularity: Granularity, truncation: Truncation | None) -> bool:
    """Whether a row that comes or goes may let another of its owner in or out (theory E14, I9)."""
    return truncation is not None and not isinstance(granularity.single, Users)


def movement(
    measurement: Measurement,
    granularity: Granularity,
    *,
    groups: int,
    partial: bool,
    truncation: Truncation | None = None,
    whole: bool = False,
) -> Sensitivity[Lengths]:
    """How far a measurement moves under a granularity (sensitivity.proof.md).

    The lengths follow from the declared domain alone. Where a truncation stands behind the projection, one row that
    comes or goes may let another of the same owner in or out, and a changed row may leave one owner for another, so
    that even a plain count can move. ``whole`` says that every row is in the region.

    >>> from partita.query.exact.measurements import Counted
    >>> movement(Counted(), Replace(), groups=5, partial=False).unit
    Lengths(l1=2, l2_squared=2, linf=1)
    """
    row = one_row(measurement)
    substitution = one_change(measurement, groups=groups, partial=partial)
    if not behind(granularity, truncation):
        owner = _entered(granularity, measurement, groups, truncation)
        altered = _owned(granularity, measurement, groups, truncation)
        return Sensitivity.of(granularity, row=row, substitution=substitution, owner=owner, altered=altered)
    swap = row | substitution
    # Rows are one less under one owner and one more under another, or as many as before.
    counted = whole and not partial and groups < 2 and measurement in (Counted(), Owned())
    twice = row if counted else swap.times(2)
    return Sensitivity.of(granularity, row=row, substitution=twice, owner=swap, swap=swap)


def gathered_movement(
    measurement: Measurement,
    granularity: Granularity,
    *,
    groups: int,
    keyed: bool,
    truncation: Truncation | None = None,
    steady: Steady | None = None,
    parted: Parted | None = None,
) -> Sensitivity[Lengths]:
    """How far a measurement over rows gathered by owner moves (sensitivity.proof.md).

    A stored row that comes or goes changes one derived row: the old one out, the new one in. ``keyed`` says that rows
    are gathered by other columns besides their owner, so that one owner may have several derived rows; ``parted`` is
    what is known of them. ``steady`` says how far one stored row moves a derived one, where that is known.

    >>> from partita.query.exact.measurements import Counted
    >>> from partita.granularity import users
    >>> gathered_movement(Counted(), users("patient", rows=9), groups=1, keyed=False).unit
    Lengths(l1=1, l2_squared=1, linf=1)
    """
    alone = one_row(measurement)
    change = alone | one_change(measurement, groups=groups, partial=True)
    known = None if steady is None else steady.moved(measurement, groups)
    row, apart, swap = change, change.times(2), change
    if known is not None:
        row, apart, swap = change & known.row, apart & known.apart, change & known.swap
    if not behind(granularity, truncation):
        altered, owner = _gathered_owner(granularity, alone, change, truncation, parted, keyed=keyed)
        return Sensitivity.of(granularity, row=row, substitution=apart, owner=owner, altered=altered)
    swap = row | (apart if keyed else swap)
    return Sensitivity.of(granularity, row=row, substitution=swap.times(2), owner=swap, swap=swap)


def _gathered_owner(
    granularity: Granularity,
    alone: Lengths,
    change: Lengths,
    truncation: Truncation | None,
    parted: Parted | None,
    *,
    keyed: bool,
) -> tuple[Lengths, Lengths]:
    """What one owner of a promise does to derived rows: in any way that the promise allows, and by coming or going."""
    users = granularity.single
    if not isinstance(users, Users):
        return alone, alone
    kept = _kept(users, truncation) if keyed else 1
    twice = 2 * kept if keyed and users.per is not None else kept
    if parted is not None:
        kept, twice = min(kept, parted.values), min(twice, parted.values)
    several = Lengths.apart if parted is not None and parted.apart else Lengths.times
    entered = several(alone if users.per is None else change, kept)
    if not users.altered:
        return entered, entered
    return several(change, twice), entered


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


def swap_of(move: Sensitivity[Lengths]) -> Lengths:
    """What one list of kept rows does that loses one row and gains another."""
    return move.row | move.substitution if move.swap is None else move.swap


def _kept(users: Users, truncation: Truncation | None) -> int:
    return users.rows if truncation is None else min(users.rows, truncation.most)


def _met(measurement: Measurement, users: Users, truncation: Truncation | None) -> int:
    """How many rows of an owner count in a measurement: of owners, one for each group that they may be in."""
    groups = None if truncation is None or not isinstance(measurement, Owned) else truncation.groups
    return _kept(users, truncation) if groups is None else min(groups, _kept(users, truncation))


def _each(truncation: Truncation | None) -> int | None:
    """The most rows of an owner in one group, where a question caps them."""
    return None if truncation is None else truncation.each


def _entered(granularity: Granularity, measurement: Measurement, groups: int, truncation: Truncation | None) -> Lengths:
    users = granularity.single
    return (
        one_owner(measurement, _met(measurement, users, truncation), groups, _each(truncation))
        if isinstance(users, Users)
        else one_row(measurement)
    )


def _owned(granularity: Granularity, measurement: Measurement, groups: int, truncation: Truncation | None) -> Lengths:
    users = granularity.single
    if isinstance(users, Users) and users.altered:
        return one_alteration(measurement, _met(measurement, users, truncation), groups, _each(truncation))
    return _entered(granularity, measurement, groups, truncation)


def _unit(granularity: Granularity, row: Far, change: Far, owner: Far) -> Far:
    """The most that one step can do, from what a row that comes or goes does, one that changes, and an owner."""
    match granularity:
        case Rows():
            return row
        case Replace() | Metric():
            return row | change
        case Groups(size, of):
            return _unit(of, row, change, owner).times(size)
        case Users():
            return owner
        case _:
            return row.times(steps(Rows(), granularity))
