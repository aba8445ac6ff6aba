"""What a release costs one step of a promise's granularity, as a load on record values that adds up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from typing import TypedDict, final

from partita.composition.account.loads.windows import Steps
from partita.errors import NotProven
from partita.errors import granularity as refuse_granularity
from partita.errors import region as refuse
from partita.exact import whole
from partita.granularity import (
    Edges,
    Events,
    Granularity,
    Groups,
    Metric,
    Nodes,
    Persons,
    Replace,
    Rows,
    Users,
    Windows,
    steps,
)
from partita.region.region import Region
from partita.theory import numerics
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.numerics import ball
from partita.theory.powers import powers

Vector = tuple[Fraction, ...]


@final
@unique
class Shape(Enum):
    """Which maximum an account takes."""

    VALUES = "the heaviest record value"
    PAIRS = "the heaviest pair of record values"
    WINDOWS = "the heaviest window of steps"


class Stated(TypedDict, total=False):
    """What callers of an account may say of a release by keywords; ``unit`` is the `owner` of a `Cost`."""

    unit: Measure | None
    altered: Measure | None
    declared: bool
    stability: int
    stated_for: Granularity | None
    own_domain: bool


@final
@dataclass(frozen=True, slots=True)
class Release:
    """A release on a region, as its caller states it.

    ``stability``: the cost was measured behind a map that moves one record to so many. ``stated_for``: the relation
    the cost was proven for, if not for records that enter or leave. ``own_domain``: that proof fixed the size of the
    selected rows. In a domain that has nothing but declared values every release is `declared`.
    """

    region: Region
    cost: Cost
    stability: int = 1
    stated_for: Granularity | None = None
    own_domain: bool = False

    @classmethod
    def of(
        cls,
        region: Region,
        cost: Cost | Measure,
        substitution: Measure | None = None,
        *,
        unit: Measure | None = None,
        altered: Measure | None = None,
        declared: bool = False,
        stability: int = 1,
        stated_for: Granularity | None = None,
        own_domain: bool = False,
    ) -> Release:
        """A release from a whole cost, or from the loss of one record and what else is known, each under its name."""
        known = (substitution, unit, altered)
        if not isinstance(cost, Cost):
            cost = Cost(cost, *known, declared)
        elif declared or known != (None, None, None):
            raise refuse.cost_twice()
        return cls(region, cost, stability, stated_for, own_domain)

    @property
    def plain(self) -> bool:
        """Whether nothing is said but what records lose."""
        owners = self.cost.owner is not None or self.cost.altered is not None
        return not owners and self.stability == 1 and self.stated_for is None and not self.own_domain


@final
@dataclass(frozen=True, slots=True)
class Booking:
    """A load: ``one`` on every value of the region; for pairs, ``substitution`` where both values are in it.

    ``same``, for pairs: what a change between two records of equal values in it loses, if anything (theory E11a).
    It is no `Cost`, which says what each kind of neighbour loses: it is what a granularity makes of one, numbers that
    add up over releases, on a region that may be wider than the release's own (the shadow of its owners).
    """

    region: Region
    one: Vector
    substitution: Vector | None = None
    same: Vector | None = None


def shape(granularity: Granularity) -> Shape:
    """Which maximum a promise to this granularity is about."""
    match granularity.single:
        case Replace() | Metric():
            return Shape.PAIRS
        case Windows():
            return Shape.WINDOWS
        case _:
            return Shape.VALUES


def booked(granularity: Granularity, release: Release) -> Booking:
    """The load that a release puts on record values, so that the maximum of summed loads bounds the promise's loss.

    Proved in booking.proof.md for each granularity (theory E4, E6, E7, E8, E10, E11, E14).
    """
    made = _booked(granularity, release.region, _per_record(granularity, release), 1)
    if made.substitution is None or release.cost.declared or release.region.domain.closed:
        return made
    # Equal values may hide records that the release tells apart.
    return Booking(made.region, made.one, made.substitution, same=made.substitution)


def charged(granularity: Granularity, like: Measure, release: Release) -> Measure:
    """The most that one protected unit is booked for a release: what its total rises by, wherever it is heaviest."""
    if release.region.empty:
        return like.zero()
    load = booked(granularity, release)
    most = load.one
    if load.substitution is not None:
        # No pair has only one value inside the whole domain.
        most = load.substitution if load.region.whole else tuple(map(max, load.one, load.substitution))
    windows = granularity.single
    if isinstance(windows, Windows):
        most = tuple(Steps.of(release.region.domain, windows).seen(release.region) * part for part in most)
    return like.like(most)


def _per_record(granularity: Granularity, release: Release) -> Cost:
    """The cost stated for records, whatever relation they were proven for (theory A9, E4, E5, E7)."""
    times, cost = whole(release.stability, "stability", least=1), release.cost

    def behind(loss: Measure | None) -> Measure | None:
        return loss if times == 1 or loss is None else loss.group(times)

    row, substitution = cost.row if times == 1 else cost.row.group(times), behind(cost.substitution)
    stated = release.stated_for
    if release.own_domain:
        raise refuse.own_domain(str(granularity))
    if stated is None or stated == Rows():
        return Cost(row, substitution, behind(cost.owner), behind(cost.altered))
    inner = granularity.single
    if stated == inner and isinstance(inner, Users):
        return Cost(row, substitution, owner=row, altered=row if inner.altered else None)
    if isinstance(stated, Replace | Metric):
        if shape(granularity) is not Shape.PAIRS:
            raise refuse_granularity.no_guarantee(str(stated), str(granularity))
        changed = row.group(steps(stated, inner))
        return Cost(changed, changed)
    count = steps(stated, Rows())
    if count > 1:
        row = row.group(count)
    return Cost(row, substitution)


def _booked(granularity: Granularity, region: Region, cost: Cost, times: int) -> Booking:
    match granularity:
        case Rows() | Edges() | Persons() | Events():
            # Of persons and their events, the region and the cost are already those of a whole person there, and of
            # all that one event moves (people.py, events.py).
            return Booking(region, cost.row.group(times).vector())
        case Nodes():
            if granularity.stability is None:
                raise refuse_granularity.no_guarantee(str(Edges()), str(granularity))
            return Booking(region, cost.row.group(times * granularity.stability).vector())
        case Groups():
            return _booked(granularity.of, region, cost, times * granularity.size)
        case Replace() | Metric():
            return _changed(region, cost, times)
        case Users():
            return _owned(granularity, region, cost, times)
        case Windows():
            return _windowed(granularity, region, cost, times)
        case _:
            raise refuse.no_account(str(granularity))


def _changed(region: Region, cost: Cost, times: int) -> Booking:
    """One inside, and both inside, each change taken so many times (theory E11)."""
    one, substitution = cost.row, replaced(cost.row, cost.substitution)
    if times == 1:
        return Booking(region, one.vector(), substitution.vector())
    if isinstance(one, Approximate) and isinstance(substitution, Approximate) and (one.delta or substitution.delta):
        # Each of the steps may be of either kind, so the factor on δ is that of the dearer kind throughout.
        dearest = max(one.epsilon, substitution.epsilon)
        factor = numerics.upper(lambda: times * (ball((times - 1) * dearest)).exp(), "the delta of a group")
        return Booking(
            region,
            (times * one.epsilon, factor * one.delta),
            (times * substitution.epsilon, factor * substitution.delta),
        )
    return Booking(region, one.group(times).vector(), substitution.group(times).vector())


def replaced(one: Measure, substitution: Measure | None) -> Measure:
    """The loss of a record altered inside a region: what is known, or a removal and an addition (theory E11)."""
    if substitution is None:
        return one.group(2)
    try:
        generic = one.group(2)
    except NotProven:
        return substitution
    return generic if generic.fits(substitution) else substitution


def reached(granularity: Granularity, region: Region) -> Region:
    """Where a release on a region is booked if nothing is known of a whole owner: there, or on its shadow."""
    users = granularity.single
    if not isinstance(users, Users) or region.empty:
        return region
    shadow = _shadow(users, region)
    return region if users.rows * region.size < (users.in_region or users.rows) * shadow.size else shadow


def _shadow(users: Users, region: Region) -> Region:
    """All values that agree with one of the region on what is constant about an owner."""
    constant = set(region.domain.constant)
    if users.per is not None:
        constant.add(region.domain.axis(users.per))
    return region.freed(constant)


def _owned(users: Users, region: Region, cost: Cost, times: int) -> Booking:
    """All rows of one owner, of which at most ``in_region`` lie in any one region (theory E14)."""
    if users.altered:
        return _altered(users, region, cost, times)
    shadow = _shadow(users, region)
    most, share = users.rows, Fraction(users.rows, users.in_region or users.rows)
    if cost.owner is not None:
        vector = cost.owner.group(times).vector()
        if most * region.size < shadow.size:
            return Booking(region, tuple(most * part for part in vector))
        return Booking(shadow, vector)
    vector = cost.row.group(times * (users.in_region or most)).vector()
    if share * region.size < shadow.size:
        return Booking(region, tuple(share * part for part in vector))
    return Booking(shadow, vector)


def _altered(users: Users, region: Region, cost: Cost, times: int) -> Booking:
    """All rows of one owner before, and all rows afterwards, which may have other constants (theory E14, I7)."""
    shadow = _shadow(users, region)
    most, share = users.rows, Fraction(users.rows, users.in_region or users.rows)
    if cost.owner is not None:
        share = Fraction(most)
        one = cost.owner
        substitution = one.group(2) if cost.altered is None else cost.altered
    else:
        one = cost.row.group(users.in_region or most)
        substitution = cost.row.group(2 * (users.in_region or most)) if cost.altered is None else cost.altered
    if times > 1 and not powers(one, substitution):
        # Chains of unlike steps: each is taken for the dearer kind.
        one = substitution = one.like([*map(max, one.vector(), substitution.vector())])
    before, changed = one.group(times).vector(), substitution.group(times).vector()
    # An owner met on one side only pays half of the load, one who is met before and after pays all of it.
    load = tuple(max(2 * part, other) for part, other in zip(before, changed, strict=True))
    if share * region.size < shadow.size:
        return Booking(region, tuple(share * part for part in load))
    if shadow.whole or not region.domain.constant:
        # Every owner, or every part of one that is met before, is met afterwards as well.
        load = tuple(map(max, before, changed))
    return Booking(shadow, load)


def _windowed(windows: Windows, region: Region, cost: Cost, times: int) -> Booking:
    """One row in each step of a window; a release that sees several of its steps costs a group of them (theory E8)."""
    seen = Steps.of(region.domain, windows).seen(region)
    changed = 2 if windows.changed else 1
    vector = cost.row.group(times * changed * seen).vector()
    return Booking(region, tuple(part / seen for part in vector))
