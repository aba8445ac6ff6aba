"""Hot points: record values whose load is known exactly, kept to refuse at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.units import ROOM
from partita.composition.account.loads.wide.booked import Scoped
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import Codes

Integers = npt.NDArray[np.int64]


@final
class HotPoints:
    """A few values with exact loads, the least recently useful forgotten first."""

    __slots__ = ("_codes", "_loads", "_places", "_used", "clock", "count")

    def __init__(self, axes: int, components: int, most: int = 128) -> None:
        self._codes: Integers = np.zeros((most, axes), dtype=np.int64)
        self._loads: Integers = np.zeros((most, components), dtype=np.int64)
        self._used: Integers = np.zeros(most, dtype=np.int64)
        self._places: dict[tuple[int, ...], int] = {}
        self.count = 0
        self.clock = 0

    def remember(self, codes: tuple[int, ...], loads: Sequence[int]) -> None:
        """Keep a value and its exact loads."""
        if not len(self._codes):
            return
        self.clock += 1
        place = self._places.get(codes)
        if place is None:
            if self.count < len(self._codes):
                place, self.count = self.count, self.count + 1
            else:
                place = int(self._used.argmin())
                self._places = {known: at for known, at in self._places.items() if at != place}
            self._places[codes] = place
            self._codes[place] = codes
        self._loads[place] = loads
        self._used[place] = self.clock

    def inside(self, boxes: Sequence[Box]) -> npt.NDArray[np.bool_]:
        """Which of the points the boxes hold."""
        points = self._codes[: self.count]
        held = np.zeros(self.count, dtype=bool)
        for box in boxes:
            mine = np.ones(self.count, dtype=bool)
            for axis, codes in enumerate(box):
                along = points[:, axis]
                if len(codes) == 1:
                    mine &= (along >= codes[0][0]) & (along < codes[0][1])
                else:
                    mine &= np.fromiter((codes_of.holds(codes, int(code)) for code in along), bool, self.count)
            held |= mine
        return held

    def above(self, boxes: Sequence[Box], thresholds: Sequence[int]) -> tuple[tuple[int, ...], Integers] | None:
        """A point of the boxes with a load above a threshold, with its loads, if one is known."""
        if not self.count:
            return None
        over = (self._loads[: self.count] > np.asarray(thresholds)).any(axis=1)
        if not over.any():
            return None
        over &= self.inside(boxes)
        places = np.flatnonzero(over)
        if not len(places):
            return None
        place = int(places[0])
        self.clock += 1
        self._used[place] = self.clock
        return tuple(int(code) for code in self._codes[place]), self._loads[place]

    def add(self, boxes: Sequence[Box], cost: Sequence[int]) -> None:
        """Book a cost on the points that the boxes hold."""
        if self.count:
            loads, mine = self._loads[: self.count], self.inside(boxes)
            loads[mine] = np.minimum(loads[mine] + np.asarray(cost, dtype=np.int64), ROOM)

    def best(self, boxes: Sequence[Box], component: int) -> tuple[int, tuple[int, ...]] | None:
        """The heaviest point of the boxes that is known in a component."""
        places = np.flatnonzero(self.inside(boxes))
        if not len(places):
            return None
        place = int(places[self._loads[places, component].argmax()])
        return int(self._loads[place, component]), tuple(int(code) for code in self._codes[place])


@final
class RecentPoints:
    """The values of many columns that were met last, with exact loads; room is made for them as they come."""

    __slots__ = ("_codes", "_loads", "_most", "_next", "count")

    def __init__(self, axes: int, components: int, most: int) -> None:
        self._codes: Integers = np.zeros((0, axes), dtype=np.int64)
        self._loads: Integers = np.zeros((0, components), dtype=np.int64)
        self._most = most
        self._next = 0
        self.count = 0

    def remember(self, codes: Sequence[int], loads: Sequence[int]) -> None:
        """Keep a value and its exact loads, in place of the oldest if there are many."""
        if not self._most:
            return
        if self._next == len(self._codes) < self._most:
            more = min(self._most - self._next, max(8, self._next))
            self._codes = np.concatenate((self._codes, np.zeros((more, self._codes.shape[1]), dtype=np.int64)))
            self._loads = np.concatenate((self._loads, np.zeros((more, self._loads.shape[1]), dtype=np.int64)))
        self._next %= self._most
        self._codes[self._next], self._loads[self._next] = codes, loads
        self._next += 1
        self.count = max(self.count, self._next)

    def add(self, region: Scoped, cost: Sequence[int]) -> None:
        """Book a cost on the points that a region holds."""
        if self.count:
            mine = np.zeros(self.count, dtype=bool)
            for box in region.boxes:
                mine |= self._inside(zip(region.axes, box, strict=True))
            loads = self._loads[: self.count]
            loads[mine] = np.minimum(loads[mine] + np.asarray(cost, dtype=np.int64), ROOM)

    def above(
        self, where: Iterable[tuple[int, Codes]], component: int, threshold: int
    ) -> tuple[int, tuple[int, ...]] | None:
        """The heaviest point within codes of some axes, if its load is above a threshold."""
        loads = self._loads[: self.count, component]
        if not (loads > threshold).any():
            return None
        found = np.where(self._inside(where), loads, -1)
        place = int(found.argmax())
        return (int(found[place]), tuple(self._codes[place].tolist())) if found[place] > threshold else None

    def _inside(self, where: Iterable[tuple[int, Codes]]) -> npt.NDArray[np.bool_]:
        held = np.ones(self.count, dtype=bool)
        for axis, codes in where:
            along = self._codes[: self.count, axis]
            here = np.zeros(self.count, dtype=bool)
            for low, high in codes:
                here |= (along >= low) & (along < high)
            held &= here
        return held
