"""What a release costs one step of a promise's granularity, as a load on record values that adds up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from typing import final

from partita.composition.account.windows import Steps
from partita.errors import NotProven
from partita.errors import granularity as refuse_granularity
from partita.errors import regions as refuse
from partita.exact import whole
from partita.granularity import (
    Edges,
    Granularity,
    Groups,
    Metric,
    Nodes,
    Replace,
    Rows,
    Users,
    Windows,
    steps,
)
from partita.region.region import Region
from partita.theory import numerics
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.numerics import ball

Vector = tuple[Fraction, ...]


@final
@unique
class Shape(Enum):
    """Which maximum an account takes."""

    VALUES = "the heaviest record value"
    PAIRS = "the heaviest pair of record values"
    WINDOWS = "the heaviest window of steps"


@final
@dataclass(frozen=True, slots=True)
class Release:
    """A release as its caller states it.

    ``cost``: one record enters or leaves the region. ``both``: a record of the region becomes another one of it,
    where known. ``unit``: all records of one owner enter or leave at once, where known. ``stability``: the cost was
    measured behind a map that moves one record to so many. ``stated_for``: the relation the cost was proven for,
    if not for records that enter or leave. ``own_domain``: that proof fixed the size of the selected rows.
    ``altered``: all records of one owner are altered at once, where known. Beside a ``unit``, that is all it says; by
    itself it also says that fewer records cost in proportion: j of k rows out and i in at most (j - i)/k of what k
    rows out cost and i/k of ``altered``, for i <= j, and the same the other way round.
    ``declared``: it reads nothing of a record but its declared values: no open text, no owner, nothing behind a
    truncation, which looks at owners. In a domain that declares nothing else every release does.
    """

    region: Region
    cost: Measure
    both: Measure | None = None
    unit: Measure | None = None
    stability: int = 1
    stated_for: Granularity | None = None
    own_domain: bool = False
    altered: Measure | None = None
    declared: bool = False


@final
@dataclass(frozen=True, slots=True)
class Booking:
    """A load: ``one`` on every value of the region; for pairs, ``both`` where both values are in it.

    ``same``, for pairs: what a change between two records of equal values in it loses, if anything (theory E11a).
    """

    region: Region
    one: Vector
    both: Vector | None = None
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
    made = _booked(granularity, _per_record(granularity, release), 1)
    if made.both is None or release.declared or release.region.domain.closed:
        return made
    # Equal values may hide records that the release tells apart.
    return Booking(made.region, made.one, made.both, same=made.both)


def charged(granularity: Granularity, like: Measure, release: Release) -> Measure:
    """The most that one protected unit is booked for a release: what its total rises by, wherever it is heaviest."""
    if release.region.empty:
        return like.zero()
    load = booked(granularity, release)
    most = load.one
    if load.both is not None:
        # No pair has only one value inside the whole domain.
        most = load.both if load.region.whole else tuple(map(max, load.one, load.both))
    windows = granularity.single
    if isinstance(windows, Windows):
        most = tuple(Steps.of(release.region.domain, windows).seen(release.region) * part for part in most)
    return like.like(most)


def _per_record(granularity: Granularity, release: Release) -> Release:
    """The release with costs stated for records, whatever relation they were proven for (theory A9, E4, E5, E7)."""
    times = whole(release.stability, "stability", least=1)
    cost = release.cost if times == 1 else release.cost.group(times)
    both = release.both if times == 1 or release.both is None else release.both.group(times)
    stated = release.stated_for
    if release.own_domain:
        raise refuse.own_domain(str(granularity))
    if stated is None or stated == Rows():
        unit, altered = (
            whole_unit if times == 1 or whole_unit is None else whole_unit.group(times)
            for whole_unit in (release.unit, release.altered)
        )
        return Release(release.region, cost, both, unit, altered=altered)
    inner = granularity.single
    if stated == inner and isinstance(inner, Users):
        return Release(release.region, cost, both, unit=cost, altered=cost if inner.altered else None)
    if isinstance(stated, Replace | Metric):
        if shape(granularity) is not Shape.PAIRS:
            raise refuse_granularity.no_guarantee(str(stated), str(granularity))
        changed = cost.group(steps(stated, inner))
        return Release(release.region, changed, changed)
    count = steps(stated, Rows())
    if count > 1:
        cost = cost.group(count)
    return Release(release.region, cost, both)


def _booked(granularity: Granularity, release: Release, times: int) -> Booking:
    match granularity:
        case Rows() | Edges():
            return Booking(release.region, release.cost.group(times).vector())
        case Nodes():
            if granularity.stability is None:
                raise refuse_granularity.no_guarantee(str(Edges()), str(granularity))
            return Booking(release.region, release.cost.group(times * granularity.stability).vector())
        case Groups():
            return _booked(granularity.of, release, times * granularity.size)
        case Replace() | Metric():
            return _changed(release, times)
        case Users():
            return _owned(granularity, release, times)
        case Windows():
            return _windowed(granularity, release, times)
        case _:
            raise refuse.no_account(str(granularity))


def _changed(release: Release, times: int) -> Booking:
    """One inside, and both inside, each change taken so many times (theory E11)."""
    one, both = release.cost, replaced(release.cost, release.both)
    if times == 1:
        return Booking(release.region, one.vector(), both.vector())
    if isinstance(one, Approximate) and isinstance(both, Approximate) and (one.delta or both.delta):
        # Each of the steps may be of either kind, so the factor on δ is that of the dearer kind throughout.
        dearest = max(one.epsilon, both.epsilon)
        factor = numerics.upper(lambda: times * (ball((times - 1) * dearest)).exp(), "the delta of a group")
        return Booking(
            release.region,
            (times * one.epsilon, factor * one.delta),
            (times * both.epsilon, factor * both.delta),
        )
    return Booking(release.region, one.group(times).vector(), both.group(times).vector())


def replaced(one: Measure, both: Measure | None) -> Measure:
    """The loss of a record altered inside a region: what is known, or a removal and an addition (theory E11)."""
    if both is None:
        return one.group(2)
    try:
        generic = one.group(2)
    except NotProven:
        return both
    return generic if generic.fits(both) else both


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


def _owned(users: Users, release: Release, times: int) -> Booking:
    """All rows of one owner, of which at most ``in_region`` lie in any one region (theory E14)."""
    if users.altered:
        return _altered(users, release, times)
    region, shadow = release.region, _shadow(users, release.region)
    most, share = users.rows, Fraction(users.rows, users.in_region or users.rows)
    if release.unit is not None:
        vector = release.unit.group(times).vector()
        if most * region.size < shadow.size:
            return Booking(region, tuple(most * part for part in vector))
        return Booking(shadow, vector)
    vector = release.cost.group(times * (users.in_region or most)).vector()
    if share * region.size < shadow.size:
        return Booking(region, tuple(share * part for part in vector))
    return Booking(shadow, vector)


def _altered(users: Users, release: Release, times: int) -> Booking:
    """All rows of one owner before, and all rows afterwards, which may have other constants (theory E14, I7)."""
    region, shadow = release.region, _shadow(users, release.region)
    most, share = users.rows, Fraction(users.rows, users.in_region or users.rows)
    if release.unit is not None:
        share = Fraction(most)
        one = release.unit
        both = one.group(2) if release.altered is None else release.altered
    else:
        one = release.cost.group(users.in_region or most)
        both = release.cost.group(2 * (users.in_region or most)) if release.altered is None else release.altered
    if times > 1 and any((*one.vector()[1:], *both.vector()[1:])):
        # Chains of unlike steps: each is taken for the dearer kind.
        one = both = one.like([*map(max, one.vector(), both.vector())])
    before, changed = one.group(times).vector(), both.group(times).vector()
    # An owner met on one side only pays half of the load, one who is met before and after pays all of it.
    load = tuple(max(2 * part, other) for part, other in zip(before, changed, strict=True))
    if share * region.size < shadow.size:
        return Booking(region, tuple(share * part for part in load))
    if shadow.whole or not region.domain.constant:
        # Every owner, or every part of one that is met before, is met afterwards as well.
        load = tuple(map(max, before, changed))
    return Booking(shadow, load)


def _windowed(windows: Windows, release: Release, times: int) -> Booking:
    """One row in each step of a window; a release that sees several of its steps costs a group of them (theory E8)."""
    seen = Steps.of(release.region.domain, windows).seen(release.region)
    changed = 2 if windows.changed else 1
    vector = release.cost.group(times * changed * seen).vector()
    return Booking(release.region, tuple(part / seen for part in vector))
