"""The largest cost that still fits a region: the bookings of the account read backwards."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from partita.composition.account.booking import Release, Shape, Vector, booked, shape
from partita.composition.account.loads.windows import Steps
from partita.errors import NotProven
from partita.granularity import Windows
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.composition.account.account import RegionAccount

SLIGHTLY = (Fraction(1), *(1 - Fraction(1, 10**digits) for digits in (15, 12, 9, 6, 3)), Fraction(1, 2))


def remaining(account: RegionAccount, region: Region) -> Measure:
    """A cost that fits, and for single rows the largest one; for pairs the largest found by halving."""
    left = account.headroom(region)
    if region.empty or left.is_zero():
        return left
    vector = _affordable(account, region, left)
    if shape(account.promise.granularity) is Shape.PAIRS:
        vector = _stretched(account, region, vector, left.vector())
    # Amounts are rounded up to the account's units, group by group, so the last digits may have to go.
    for share in SLIGHTLY:
        tried = tuple(share * part for part in vector)
        if _fits(account, region, tried):
            return left.like(tried)
    return left.zero()


def _affordable(account: RegionAccount, region: Region, left: Measure) -> Vector:
    """A cost whose booking stays within what is left, coordinate by coordinate."""
    granularity = account.promise.granularity
    try:
        made = booked(granularity, Release(region, Cost(left)))
    except NotProven:
        # A group rule that no δ may pass through: what is left can be spent without δ.
        first, *rest = left.vector()
        if left.kind not in {"approximate", "zcdp"} or not any(rest):
            return tuple(Fraction(0) for _ in left.vector())
        return _affordable(account, region, left.like([first, *(Fraction(0) for _ in rest)]))
    taken = made.one if made.substitution is None else tuple(map(max, made.one, made.substitution))
    windows = granularity.single
    if isinstance(windows, Windows):
        # A window gains this much at each of the steps that the region has in it.
        seen = Steps.of(region.domain, windows).seen(region)
        taken = tuple(seen * part for part in taken)
    factor = [
        max(Fraction(1), most / part) if part else Fraction(1) for part, most in zip(left.vector(), taken, strict=True)
    ]
    if made.region != region:
        left = left.like([*map(min, left.vector(), account.headroom(made.region).vector())])
    return tuple(part / times for part, times in zip(left.vector(), factor, strict=True))


def _stretched(account: RegionAccount, region: Region, least: Vector, most: Vector) -> Vector:
    """Between a cost that fits and one that may not, the largest that was found to fit."""
    low, high = Fraction(0), Fraction(1)
    for _ in range(account.engine.limits.stretches):
        middle = (low + high) / 2
        tried = tuple(a + middle * (b - a) for a, b in zip(least, most, strict=True))
        low, high = (middle, high) if _fits(account, region, tried) else (low, middle)
    return tuple(a + low * (b - a) for a, b in zip(least, most, strict=True))


def _fits(account: RegionAccount, region: Region, vector: Vector) -> bool:
    try:
        return account.admits(region, account.promise.budget.like(vector))
    except NotProven:
        return False
