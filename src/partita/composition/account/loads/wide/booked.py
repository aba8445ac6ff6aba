"""Regions of a wide table as they are booked: each on the columns that it constrains, and on no other."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import compress
from operator import ne
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.sums import held, totals
from partita.composition.account.loads.units import ROOM
from partita.region import codes as codes_of
from partita.region.box import Box

Integers = npt.NDArray[np.int64]


@final
class Scoped(NamedTuple):
    """Disjoint boxes on some of the axes; every other axis is free."""

    axes: tuple[int, ...]
    boxes: tuple[Box, ...]

    def holds(self, codes: Sequence[int]) -> bool:
        """Whether a value of all axes is inside."""
        return any(
            all(codes_of.holds(along, codes[axis]) for axis, along in zip(self.axes, box, strict=True))
            for box in self.boxes
        )


def scoped(boxes: Sequence[Box], everything: Box) -> Scoped:
    """A region on the axes that one of its boxes constrains.

    >>> full = (((0, 3),), ((0, 9),), ((0, 4),))
    >>> scoped([(((0, 3),), ((2, 5),), ((0, 4),))], full)
    Scoped(axes=(1,), boxes=((((2, 5),),),))
    """
    every = range(len(everything))
    axes = sorted({axis for box in boxes for axis in compress(every, map(ne, box, everything))})
    return Scoped(tuple(axes), tuple(tuple(box[axis] for axis in axes) for box in boxes))


@final
class _Clauses:
    """All regions as one list of intervals: those of one axis of a box are a *clause*."""

    __slots__ = ("axis", "box", "clause", "high", "low", "owner")

    def __init__(self) -> None:
        self.axis, self.low, self.high, self.clause = array("q"), array("q"), array("q"), array("q")
        self.box, self.owner = array("q"), array("q")

    def add(self, place: int, region: Scoped) -> None:
        """List a region under its number."""
        for box in region.boxes:
            for axis, along in zip(region.axes, box, strict=True):
                for low, high in along:
                    self.axis.append(axis)
                    self.low.append(low)
                    self.high.append(high)
                    self.clause.append(len(self.box))
                self.box.append(len(self.owner))
            self.owner.append(place)

    def arrays(self) -> tuple[Integers, ...]:
        """Axis, ends and clause of every interval; the box of every clause; the region of every box."""
        listed = (self.axis, self.low, self.high, self.clause, self.box, self.owner)
        return tuple(np.array(numbers, dtype=np.int64) for numbers in listed)


@final
class Booked:
    """Everything booked so far, equal regions once, in the order of their first booking; amounts are summed."""

    __slots__ = ("_amounts", "_clauses", "_listed", "_places", "regions", "sums")

    def __init__(self, amounts: int) -> None:
        self.regions: list[Scoped] = []
        self.sums = [0] * amounts
        self._amounts: Integers = np.zeros((64, amounts), dtype=np.int64)
        self._places: dict[Scoped, int] = {}
        self._listed = _Clauses()
        self._clauses: tuple[Integers, ...] = ()

    @property
    def amounts(self) -> Integers:
        """What is booked on each region, a row each, held at ``ROOM``."""
        return self._amounts[: len(self.regions)]

    def add(self, region: Scoped, amounts: Sequence[int]) -> bool:
        """Book amounts on a region, and say whether it is a new one."""
        amounts = held(amounts)
        self.sums = [mine + theirs for mine, theirs in zip(self.sums, amounts, strict=True)]
        place = self._places.get(region)
        new = place is None
        if place is None:
            place = self._places[region] = len(self.regions)
            self.regions.append(region)
            self._listed.add(place, region)
            self._clauses = ()
            if place == len(self._amounts):
                self._amounts = np.concatenate((self._amounts, np.zeros_like(self._amounts)))
        self._amounts[place] = np.minimum(self._amounts[place] + np.asarray(amounts, dtype=np.int64), ROOM)
        return new

    def inside(self, codes: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which regions hold a value."""
        if not self._clauses:
            self._clauses = self._listed.arrays()
        axis, low, high, clause, box, owner = self._clauses
        at = np.asarray(codes, dtype=np.int64)[axis]
        # A box holds a value if one interval of each of its clauses does; a region, if one of its boxes does.
        met = np.bincount(clause[(low <= at) & (at < high)], minlength=len(box)) > 0
        boxes = np.bincount(box[~met], minlength=len(owner)) == 0
        return np.bincount(owner[boxes], minlength=len(self.regions)) > 0

    def of(self, codes: Sequence[int]) -> list[int]:
        """The exact sums of the amounts of all regions that hold a value."""
        return list(held(totals(self.amounts[self.inside(codes)])))

    def around(self, codes: Sequence[int], everything: Box) -> Box:
        """The values that are in the same boxes as one value, as far as these alone tell: the box that they share."""
        found = list(everything)
        for region in self.regions:
            for box in region.boxes:
                if all(codes_of.holds(along, codes[axis]) for axis, along in zip(region.axes, box, strict=True)):
                    for axis, along in zip(region.axes, box, strict=True):
                        found[axis] = codes_of.intersection(found[axis], along)
        return tuple(found)

    def nbytes(self) -> int:
        """The memory that the amounts take."""
        return int(self._amounts.nbytes)
