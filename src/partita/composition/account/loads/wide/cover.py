"""Groups of columns, each with a grid of its own: the cells that a region reaches in every group that it constrains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.rectangles import rectangles
from partita.composition.account.loads.wide.booked import Scoped
from partita.region.box import Box
from partita.region.codes import Codes

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Restriction = Mapping[int, Codes]
"""For some axes the codes that are looked at; all codes of every other."""


@final
class Segments(NamedTuple):
    """Runs of neighbouring cells; a region has one or more of them in each group that it constrains, together a *part*.

    ``region`` and ``group`` are those of a part, ``whole`` says that the region constrains no other group, so that
    its cells there are the region itself and not only a projection of it.
    """

    start: Integers
    stop: Integers
    part: Integers
    region: Integers
    group: Integers
    whole: Flags


@final
class Group:
    """Some columns, cut where regions begin and end, and the projections of those regions on them."""

    __slots__ = ("_ends", "_made", "axes", "cells", "cuts", "members", "sizes")

    def __init__(self, axes: Sequence[int], sizes: Sequence[int]) -> None:
        self.axes, self.sizes = tuple(axes), tuple(sizes)
        self.cuts: list[Integers] = [np.zeros(1, dtype=np.int64) for _ in self.axes]
        self.members: list[tuple[int, tuple[Box, ...], bool]] = []
        # The rectangles of the members that are one box, each with the place of its member, as they are added.
        self._ends: list[tuple[Integers, Integers]] = []
        self._made: Segments | None = None
        self.cells = 1
        """How many cells the grid has."""

    def add(self, number: int, region: Scoped) -> None:
        """Put the projection of a region among those of the group."""
        places = {axis: place for place, axis in enumerate(region.axes)}
        free = [((0, size),) for size in self.sizes]
        found = {
            tuple(box[places[axis]] if axis in places else free[at] for at, axis in enumerate(self.axes)): None
            for box in region.boxes
        }
        if len(found) == 1:
            ends = np.asarray(list(rectangles(next(iter(found)))), dtype=np.int64).reshape(-1, len(self.axes), 2)
            self._ends.append((ends, np.full(len(ends), len(self.members), dtype=np.int64)))
        self.members.append((number, tuple(found), set(region.axes) <= set(self.axes)))
        for at, size in enumerate(self.sizes):
            here = {end for box in found for interval in box[at] for end in interval if end < size}
            missing = here.difference(self.cuts[at].tolist())
            if missing:
                self.cuts[at] = np.sort(np.append(self.cuts[at], np.asarray(sorted(missing), dtype=np.int64)))
        self.cells = prod(len(cuts) for cuts in self.cuts)
        self._made = None

    def segments(self) -> Segments:
        """The runs of the group alone."""
        if self._made is None:
            start, stop, part = self._runs()
            regions = np.asarray([number for number, _, _ in self.members], dtype=np.int64)
            whole = np.asarray([whole for _, _, whole in self.members], dtype=bool)
            self._made = Segments(start, stop, part, regions, np.zeros_like(regions), whole)
        return self._made

    def _runs(self) -> tuple[Integers, Integers, Integers]:
        masked: list[tuple[Integers, Integers, Integers]] = []
        for place, (_, boxes, _) in enumerate(self.members):
            if len(boxes) > 1:
                # Projections of disjoint boxes may overlap, and a cell counts a region once.
                start, stop = _runs_of(self._mask(boxes))
                masked.append((start, stop, np.full(len(start), place, dtype=np.int64)))
        nothing = np.zeros((0, len(self.axes), 2), dtype=np.int64)
        ends = np.concatenate([nothing, *(mine for mine, _ in self._ends)])
        owner = np.concatenate([nothing.reshape(-1), *(place for _, place in self._ends)])
        self._ends = [(ends, owner)]
        first = np.stack([np.searchsorted(cuts, ends[:, at, 0]) for at, cuts in enumerate(self.cuts)], axis=1)
        after = np.stack([np.searchsorted(cuts, ends[:, at, 1]) for at, cuts in enumerate(self.cuts)], axis=1)
        start, stop, row = _flattened(first, after, [len(cuts) for cuts in self.cuts])
        plain = (start, stop, owner[row])
        starts, stops, owners = (np.concatenate(parts) for parts in zip(plain, *masked, strict=True))
        return starts, stops, owners

    def _mask(self, boxes: Iterable[Box]) -> Flags:
        """The cells of boxes whose ends are all cuts."""
        mask = np.zeros([len(cuts) for cuts in self.cuts], dtype=bool)
        for box in boxes:
            for rectangle in rectangles(box):
                index = tuple(
                    slice(int(np.searchsorted(cuts, low)), int(np.searchsorted(cuts, high)))
                    for cuts, (low, high) in zip(self.cuts, rectangle, strict=True)
                )
                mask[index] = True
        return mask.reshape(-1)

    def reached(self, where: Restriction) -> Flags:
        """The cells that hold a value of a restriction, whether or not they lie in it wholly."""
        found = np.ones(1, dtype=bool)
        for axis, cuts, size in zip(self.axes, self.cuts, self.sizes, strict=True):
            along = np.ones(len(cuts), dtype=bool)
            if axis in where:
                along[:] = False
                ends = np.append(cuts[1:], size)
                for low, high in where[axis]:
                    along |= (cuts < high) & (ends > low)
            found = (found[:, None] & along[None, :]).reshape(-1)
        return found

    def halves(self, where: Restriction) -> tuple[int, int] | None:
        """The axis with the most cells that hold a value of a restriction, and a cut with half of them below it."""
        found: tuple[int, int, int] | None = None
        for axis, cuts, size in zip(self.axes, self.cuts, self.sizes, strict=True):
            ends, reached = np.append(cuts[1:], size), np.zeros(len(cuts), dtype=bool)
            for low, high in where.get(axis, ((0, size),)):
                reached |= (cuts < high) & (ends > low)
            cells = np.flatnonzero(reached)
            if len(cells) > 1 and (found is None or len(cells) > found[0]):
                found = len(cells), axis, int(cuts[cells[len(cells) // 2]])
        return None if found is None else found[1:]

    def codes(self, cell: int, where: Restriction) -> dict[int, int]:
        """A code for each axis: one of the cell, and of the restriction."""
        found = {}
        for axis, cuts, size in zip(reversed(self.axes), reversed(self.cuts), reversed(self.sizes), strict=True):
            cell, at = divmod(cell, len(cuts))
            low = int(cuts[at])
            if axis not in where:
                found[axis] = low
                continue
            high = int(cuts[at + 1]) if at + 1 < len(cuts) else size
            found[axis] = next(max(low, first) for first, last in where[axis] if first < high and last > low)
        return found


@final
class Cover:
    """A partition of the constrained columns into groups, made from which regions constrain which columns together."""

    __slots__ = ("_at", "_made", "groups")

    def __init__(self, regions: Sequence[Scoped], shape: Sequence[int], most: int) -> None:
        self.groups = [Group(axes, [shape[axis] for axis in axes]) for axes in grouped(regions, shape, most)]
        self._at = {axis: place for place, group in enumerate(self.groups) for axis in group.axes}
        self._made: tuple[Segments, Integers, Integers] | None = None
        for number, region in enumerate(regions):
            self._put(number, region)

    def add(self, number: int, region: Scoped, shape: Sequence[int]) -> None:
        """Put one more region in; a column that is new is a group by itself."""
        for axis in region.axes:
            if axis not in self._at:
                self._at[axis] = len(self.groups)
                self.groups.append(Group((axis,), (shape[axis],)))
        self._put(number, region)

    def _put(self, number: int, region: Scoped) -> None:
        for place in sorted({self._at[axis] for axis in region.axes}):
            self.groups[place].add(number, region)
        self._made = None

    def place(self, axis: int) -> int | None:
        """The group of a column, if a region constrains it."""
        return self._at.get(axis)

    @property
    def offsets(self) -> Integers:
        """The first cell of each group, all groups being laid out one after another."""
        return self._laid()[1]

    @property
    def homes(self) -> Integers:
        """The group of each cell."""
        return self._laid()[2]

    def segments(self) -> Segments:
        """The runs of all regions in all groups."""
        return self._laid()[0]

    def _laid(self) -> tuple[Segments, Integers, Integers]:
        if self._made is None:
            sizes = np.asarray([group.cells for group in self.groups], dtype=np.int64)
            offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
            runs = [group.segments() for group in self.groups]
            counts = np.asarray([len(run.start) for run in runs], dtype=np.int64)
            parts = np.asarray([len(run.region) for run in runs], dtype=np.int64)
            places = np.arange(len(runs))
            moved = np.repeat(offsets[:-1], counts)
            found = Segments(
                np.concatenate([run.start for run in runs]) + moved,
                np.concatenate([run.stop for run in runs]) + moved,
                np.concatenate([run.part for run in runs]) + np.repeat(np.cumsum(parts) - parts, counts),
                np.concatenate([run.region for run in runs]),
                np.repeat(places, parts),
                np.concatenate([run.whole for run in runs]),
            )
            self._made = found, offsets, np.repeat(places, sizes)
        return self._made

    def reached(self, where: Restriction) -> Flags | None:
        """The cells of all groups that hold a value of a restriction; none where it restricts no column."""
        named = {self._at[axis] for axis in where if axis in self._at}
        if not named:
            return None
        offsets = self.offsets
        found = np.ones(offsets[-1], dtype=bool)
        for place in named:
            found[offsets[place] : offsets[place + 1]] = self.groups[place].reached(where)
        return found

    def codes(self, cells: Integers, where: Restriction) -> dict[int, int]:
        """A value, given by a cell of each group: a code for every constrained column."""
        found: dict[int, int] = {}
        for group, cell in zip(self.groups, (cells - self.offsets[:-1]).tolist(), strict=True):
            axis = group.axes[0]
            if len(group.axes) == 1 and axis not in where:
                found[axis] = int(group.cuts[0][cell])
            else:
                found |= group.codes(cell, where)
        return found


def grouped(regions: Sequence[Scoped], shape: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Columns that many regions constrain together are put together, as long as their grid has few cells.

    It follows from the regions alone, not from what was booked on them.

    >>> both, one = Scoped((0, 3), ((((0, 1),), ((0, 1),)),)), Scoped((1,), ((((0, 1),),),))
    >>> grouped([both, one], (2, 2, 2, 2), 4)
    [(0, 3), (1,)]
    """
    cuts: dict[int, set[int]] = {}
    shared: Counter[tuple[int, int]] = Counter()
    for region in regions:
        for at, axis in enumerate(region.axes):
            ends = cuts.setdefault(axis, {0})
            ends.update(end for box in region.boxes for interval in box[at] for end in interval if end < shape[axis])
        shared.update(combinations(region.axes, 2))
    home = {axis: axis for axis in cuts}
    members = {axis: [axis] for axis in cuts}
    cells = {axis: len(ends) for axis, ends in cuts.items()}
    for first, second in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        a, b = home[first], home[second]
        if a != b and cells[a] * cells[b] <= most:
            cells[a] *= cells.pop(b)
            for axis in members[b]:
                home[axis] = a
            members[a] += members.pop(b)
    # The longest axis comes last: it takes the fewest runs.
    return sorted(tuple(sorted(axes, key=lambda axis: (len(cuts[axis]), axis))) for axes in members.values())


def _flattened(first: Integers, after: Integers, sizes: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """Rectangles of cells as runs along the last axis, with the rectangle of each run."""
    row, at = np.arange(len(first)), np.zeros(len(first), dtype=np.int64)
    for axis in range(len(sizes) - 1):
        width = after[row, axis] - first[row, axis]
        before = np.cumsum(width) - width
        place = np.arange(int(width.sum())) - np.repeat(before - first[row, axis], width)
        at = np.repeat(at, width) * sizes[axis] + place
        row = np.repeat(row, width)
    return at * sizes[-1] + first[row, -1], at * sizes[-1] + after[row, -1], row


def _runs_of(mask: Flags) -> tuple[Integers, Integers]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False]))))
    return edges[::2].astype(np.int64), edges[1::2].astype(np.int64)
