"""Everything booked under change-one: regions as units, with the cost of one and of both values inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.rectangles import rectangles
from partita.composition.account.loads.sums import totals
from partita.composition.account.loads.units import ROOM
from partita.region.box import Box

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@final
class Changes:
    """Regions with summed costs; the rectangles of one region belong together, or a pair would be counted twice."""

    __slots__ = ("_high", "_keys", "_low", "_one", "_owner", "_substitution", "count", "rows")

    def __init__(self, axes: int, components: int) -> None:
        self._low: Integers = np.zeros((64, axes), dtype=np.int64)
        self._high: Integers = np.zeros((64, axes), dtype=np.int64)
        self._owner: Integers = np.zeros(64, dtype=np.int64)
        self._one: Integers = np.zeros((64, components), dtype=np.int64)
        self._substitution: Integers = np.zeros((64, components), dtype=np.int64)
        self._keys: dict[tuple[Box, ...], int] = {}
        self.count = 0
        self.rows = 0

    @property
    def low(self) -> Integers:
        """The first codes of the rectangles."""
        return self._low[: self.rows]

    @property
    def high(self) -> Integers:
        """The codes after the last of the rectangles."""
        return self._high[: self.rows]

    @property
    def owner(self) -> Integers:
        """Which region each rectangle belongs to; the rectangles of a region follow each other."""
        return self._owner[: self.rows]

    @property
    def one(self) -> Integers:
        """For each region, the cost when exactly one value is inside."""
        return self._one[: self.count]

    @property
    def substitution(self) -> Integers:
        """For each region, the cost when both values are inside."""
        return self._substitution[: self.count]

    def add(self, boxes: Sequence[Box], one: Sequence[int], substitution: Sequence[int]) -> None:
        """Book a region given as disjoint boxes."""
        key = tuple(boxes)
        place = self._keys.get(key)
        if place is None:
            place = self.count
            self._keys[key] = place
            if place == len(self._one):
                self._one = np.concatenate((self._one, np.zeros_like(self._one)))
                self._substitution = np.concatenate((self._substitution, np.zeros_like(self._substitution)))
            self.count += 1
            for box in boxes:
                for rectangle in rectangles(box):
                    self._row(np.asarray(rectangle, dtype=np.int64), place)
        for kept, amounts in ((self._one, one), (self._substitution, substitution)):
            kept[place] = np.minimum(kept[place] + np.asarray(amounts, dtype=np.int64), ROOM)

    def _row(self, ends: Integers, owner: int) -> None:
        if self.rows == len(self._low):
            self._low = np.concatenate((self._low, np.zeros_like(self._low)))
            self._high = np.concatenate((self._high, np.zeros_like(self._high)))
            self._owner = np.concatenate((self._owner, np.zeros_like(self._owner)))
        self._low[self.rows], self._high[self.rows], self._owner[self.rows] = ends[:, 0], ends[:, 1], owner
        self.rows += 1

    def inside(self, codes: Sequence[int]) -> Flags:
        """Which regions hold a value."""
        point = np.asarray(codes, dtype=np.int64)
        held = np.zeros(self.count, dtype=bool)
        held[self.owner[((self.low <= point) & (self.high > point)).all(axis=1)]] = True
        return held

    def covering(self, start: Integers, stop: Integers) -> tuple[Flags, Flags]:
        """For each block of values, which regions are known to hold all of it, and which may hold some of it."""
        if not self.rows:
            nothing = np.zeros((len(start), 0), dtype=bool)
            return nothing, nothing
        covers = np.ones((len(start), self.rows), dtype=bool)
        meets = np.ones((len(start), self.rows), dtype=bool)
        for axis in range(self.low.shape[1]):
            low, high = self.low[:, axis], self.high[:, axis]
            first, last = start[:, axis, None], stop[:, axis, None]
            covers &= (low <= first) & (high >= last)
            meets &= (low < last) & (high > first)
        if self.rows == self.count:
            return covers, meets
        heads = np.flatnonzero(np.diff(self.owner, prepend=-1))
        return np.logical_or.reduceat(covers, heads, axis=1), np.logical_or.reduceat(meets, heads, axis=1)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The exact loss of a change from one value to another."""
        mine, theirs = self.inside(first), self.inside(second)
        alone, together = totals(self.one[mine ^ theirs]), totals(self.substitution[mine & theirs])
        return [one + substitution for one, substitution in zip(alone, together, strict=True)]
