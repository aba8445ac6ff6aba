"""A dense array of loads over the grid of break points, refined when a charge needs a new one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import prod
from typing import Any, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.units import ROOM
from partita.region.box import Box
from partita.region.codes import Codes, intersection, span

Loads = npt.NDArray[np.int64]
Ranges = tuple[tuple[tuple[int, int], ...], ...]
"""For each axis, the half-open ranges of cells that a box touches."""


@final
class Grid:
    """Loads of all record values: one number a component and cell, the same for every value in the cell.

    While no axis is frozen every number is exact. Once the next refinement would exceed ``limit`` numbers, an axis
    keeps its cuts and boxes are rounded outward to them, so that every number is an upper bound.
    """

    __slots__ = ("components", "cuts", "ends", "exact", "limit", "loads", "many", "version")

    def __init__(self, shape: Sequence[int], components: int, limit: int, full_below: int, many: int = 40) -> None:
        self.components = components
        self.limit = limit
        self.many = many
        self.ends = tuple(shape)
        whole = prod(shape) * components <= min(full_below, limit)
        self.cuts: list[list[int]] = [list(range(size)) if whole else [0] for size in shape]
        self.loads: Loads = np.zeros((components, *(len(cuts) for cuts in self.cuts)), dtype=np.int64)
        self.exact = True
        self.version = 0

    @property
    def axes(self) -> int:
        """How many columns there are."""
        return len(self.ends)

    def refine(self, boxes: Sequence[Box]) -> None:
        """Make the ends of boxes into cuts, as far as the limit allows."""
        for axis, cuts in enumerate(self.cuts):
            if len(cuts) < self.ends[axis]:
                new = self._missing(axis, boxes)
                if new:
                    self._insert(axis, sorted(new))

    def _missing(self, axis: int, boxes: Sequence[Box]) -> set[int]:
        cuts, size = self.cuts[axis], self.ends[axis]
        wanted = {end for box in boxes for interval in box[axis] for end in interval if end < size}
        return {cut for cut in wanted if not _listed(cuts, cut)}

    def fits(self, boxes: Sequence[Box]) -> bool:
        """Whether the ends of boxes can all be made into cuts within the limit."""
        total = self.components
        for axis, cuts in enumerate(self.cuts):
            total *= len(cuts) + len(self._missing(axis, boxes))
        return total <= self.limit

    def _insert(self, axis: int, new: list[int]) -> None:
        cuts, size = self.cuts[axis], self.ends[axis]
        width = self.loads.size // len(cuts)
        many = len(cuts) + len(new) > self.many or 2 * (len(cuts) + len(new)) >= size
        if many and width * size <= self.limit // 2:
            # So many break points make it likely that all will come; one large copy is cheaper than hundreds.
            known = set(cuts)
            new = [cut for cut in range(size) if cut not in known]
        if width * (len(cuts) + len(new)) > self.limit:
            self.exact = False
            return
        merged = sorted((*cuts, *new))
        source = np.searchsorted(np.asarray(cuts), np.asarray(merged), side="right") - 1
        self.loads = np.take(self.loads, source, axis=axis + 1)
        self.cuts[axis] = merged
        self.version += 1

    def touched(self, box: Box) -> Ranges:
        """The cells that a box touches, rounded outward where a cut is missing."""
        return tuple(self._along(axis, codes) for axis, codes in enumerate(box))

    def _along(self, axis: int, codes: Codes) -> tuple[tuple[int, int], ...]:
        cuts = self.cuts[axis]
        if len(cuts) == self.ends[axis]:
            return codes
        ranges: list[tuple[int, int]] = []
        for low, high in codes:
            start, stop = bisect_right(cuts, low) - 1, bisect_left(cuts, high)
            if ranges and start <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], stop)
            else:
                ranges.append((start, stop))
        return tuple(ranges)

    def index(self, ranges: Ranges) -> tuple[Any, ...]:
        """The numpy index of some cells, without the component axis."""
        if all(len(along) == 1 for along in ranges):
            return tuple(slice(*along[0]) for along in ranges)
        several = sum(len(along) > 1 for along in ranges)
        if several == 1:
            return tuple(slice(*along[0]) if len(along) == 1 else _listing(along) for along in ranges)
        return np.ix_(*(_listing(along) for along in ranges))

    def add(self, boxes: Sequence[Box], cost: Sequence[int]) -> None:
        """Add a cost to every value of disjoint boxes, up to ``ROOM``; a cell that several touch gets it once."""
        if len(boxes) == 1 or self.exact:
            for box in boxes:
                self._add(self.index(self.touched(box)), cost)
            return
        mask = np.zeros(self.loads.shape[1:], dtype=bool)
        for box in boxes:
            mask[self.index(self.touched(box))] = True
        self._add((mask,), cost)

    def _add(self, index: tuple[Any, ...], cost: Sequence[int]) -> None:
        for component, amount in enumerate(cost):
            if amount:
                cells = self.loads[component]
                cells[index] = np.minimum(cells[index] + amount, ROOM)

    def highest(self, boxes: Sequence[Box], component: int) -> int:
        """The largest number among the cells that the boxes touch."""
        loads = self.loads[component]
        return max((int(loads[self.index(self.touched(box))].max()) for box in boxes), default=0)

    def peak(self, box: Box, component: int) -> tuple[int, tuple[int, ...]]:
        """The largest number in a box, and the codes of a value of the box in the cell where it stands."""
        ranges = self.touched(box)
        inside = self.loads[component][self.index(ranges)]
        place = np.unravel_index(int(inside.argmax()), inside.shape)
        cells = (int(_listing(along)[at]) for along, at in zip(ranges, place, strict=True))
        codes = tuple(self._code(axis, cell, box[axis]) for axis, cell in enumerate(cells))
        return int(inside[place]), codes

    def _code(self, axis: int, cell: int, wanted: Codes) -> int:
        cuts = self.cuts[axis]
        stop = cuts[cell + 1] if cell + 1 < len(cuts) else self.ends[axis]
        return intersection(span(cuts[cell], stop), wanted)[0][0]

    def at(self, codes: Sequence[int]) -> Loads:
        """The numbers of one record value."""
        cell = tuple(bisect_right(cuts, code) - 1 for cuts, code in zip(self.cuts, codes, strict=True))
        index: tuple[Any, ...] = (slice(None), *cell)
        found: Loads = self.loads[index]
        return found

    def bounds(self, axis: int) -> npt.NDArray[np.int64]:
        """The ends of the cells along an axis: cell i holds the codes bounds[i], ..., bounds[i + 1] - 1."""
        return np.asarray((*self.cuts[axis], self.ends[axis]), dtype=np.int64)


def _listed(cuts: list[int], cut: int) -> bool:
    place = bisect_left(cuts, cut)
    return place < len(cuts) and cuts[place] == cut


def _listing(ranges: tuple[tuple[int, int], ...]) -> npt.NDArray[np.intp]:
    if len(ranges) == 1:
        return np.arange(*ranges[0])
    return np.concatenate([np.arange(start, stop) for start, stop in ranges])
