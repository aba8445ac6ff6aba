"""Bounds that were shown with patience: kept for the charges that follow, and raised with every booking they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from partita.composition.account.loads.sums import held
from partita.composition.account.loads.wide.booked import Scoped
from partita.region import codes as codes_of


@final
class Shown:
    """Regions, and for each the most that any of its values carries, one number a component (theory E24).

    >>> shown = Shown(2)
    >>> low, high = Scoped((0,), ((((0, 5),),),)), Scoped((0,), ((((5, 9),),),))
    >>> shown.keep(low, [7])
    >>> shown.add(high, [3]), shown.least(Scoped((0, 1), ((((1, 3),), ((0, 1),)),)), 0)
    (None, 7)
    >>> shown.add(Scoped((), ((),)), [3]), shown.least(low, 0), shown.least(high, 0)
    (None, 10, None)
    """

    __slots__ = ("_bounds", "_most")

    def __init__(self, most: int) -> None:
        self._bounds: dict[Scoped, tuple[int, ...]] = {}
        self._most = most

    def keep(self, region: Scoped, bounds: Sequence[int]) -> None:
        """Keep what was shown of a region, in place of the oldest if there are many."""
        known = self._bounds.pop(region, None)
        if self._most:
            self._bounds[region] = tuple(bounds if known is None else map(min, known, bounds))
        while len(self._bounds) > self._most:
            del self._bounds[next(iter(self._bounds))]

    def add(self, region: Scoped, cost: Sequence[int]) -> None:
        """A booking raises every bound whose region it may meet."""
        for known, bounds in self._bounds.items():
            if _meet(known, region):
                self._bounds[known] = held(map(sum, zip(bounds, cost, strict=True)))

    def least(self, region: Scoped, component: int) -> int | None:
        """The least bound on a region that some kept one holds."""
        found = [bounds[component] for known, bounds in self._bounds.items() if _covers(known, region)]
        return min(found, default=None)


def _meet(first: Scoped, second: Scoped) -> bool:
    """Whether two regions may share a value: some boxes meet on every axis that both constrain."""
    both = [(first.axes.index(axis), second.axes.index(axis)) for axis in first.axes if axis in second.axes]
    return any(
        all(codes_of.intersection(mine[at], theirs[there]) for at, there in both)
        for mine in first.boxes
        for theirs in second.boxes
    )


def _covers(wide: Scoped, region: Scoped) -> bool:
    """Whether every box of a region lies in one box of another."""
    if not set(wide.axes) <= set(region.axes):
        return False
    places = [region.axes.index(axis) for axis in wide.axes]
    return all(
        any(
            all(codes_of.covers(along, box[place]) for along, place in zip(around, places, strict=True))
            for around in wide.boxes
        )
        for box in region.boxes
    )
