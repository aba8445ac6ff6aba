"""The columns that booked regions constrain: where they are cut, and groups of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.wide.booked import Scoped, scoped
from partita.composition.account.loads.wide.cover import Cover, Restriction
from partita.composition.account.loads.wide.elimination import order_of
from partita.region.box import Box
from partita.region.codes import Codes, joined

Integers = npt.NDArray[np.int64]
Point = tuple[int, ...]

ROOMIER = 4
"""How many times the cells it was made for a group of columns may come to have."""


@final
class Touched:
    """The columns that booked regions constrain, where they are cut, and groups of them.

    Everything here follows from the regions in the order of their first booking, so that a book that is opened again
    is looked at in the same way.
    """

    __slots__ = ("_counted", "_cover", "_everything", "_loose", "_most", "cuts", "shape")

    def __init__(self, shape: Sequence[int], most: int) -> None:
        self.shape = tuple(shape)
        self.cuts: dict[int, set[int]] = {}
        self._everything: Box = tuple(((0, size),) for size in shape)
        self._most = most
        self._cover: Cover | None = None
        self._counted = 0
        self._loose: tuple[int, bool] | None = None

    def scoped(self, boxes: Sequence[Box]) -> Scoped:
        """A region on the axes that it constrains."""
        return scoped(boxes, self._everything)

    def add(self, region: Scoped) -> None:
        """Cut the columns of a region at its ends."""
        for at, axis in enumerate(region.axes):
            ends = {end for box in region.boxes for interval in box[at] for end in interval}
            self.cuts.setdefault(axis, {0}).update(ends - {self.shape[axis]})

    def ends(self, axis: int, most: int) -> Integers:
        """Where the cells of a column begin, and where the last ends; evenly spread ones if they are many."""
        starts = np.asarray(sorted(self.cuts.get(axis, {0})), dtype=np.int64)
        if len(starts) > most:
            starts = starts[np.linspace(0, len(starts) - 1, most).astype(int)]
        return np.append(np.unique(starts), self.shape[axis])

    @property
    def cells(self) -> int:
        """How many cells a grid of all these columns has."""
        return prod(len(ends) for ends in self.cuts.values())

    def cover(self, regions: Sequence[Scoped]) -> Cover:
        """The columns in groups; there is a region at least."""
        due = _due(len(regions))
        if self._cover is None or self._counted < due:
            self._cover, self._counted = Cover(regions[:due], self.shape, self._most), due
        while self._counted < len(regions):
            self._cover.add(self._counted, regions[self._counted], self.shape)
            self._counted += 1
            if self._outgrown(self._cover):
                self._cover = Cover(regions[: self._counted], self.shape, self._most)
        return self._cover

    def loose(self, regions: Sequence[Scoped], most: int, *, pairs: bool = False) -> bool:
        """Whether columns can be eliminated one by one, by the regions that they are put into groups by."""
        due = _due(len(regions))
        if self._loose is None or self._loose[0] != due:
            self._loose = due, 4 * due <= most and self._linked(regions[:due], most, pairs=pairs)
        return self._loose[1]

    def _linked(self, regions: Sequence[Scoped], most: int, *, pairs: bool) -> bool:
        """Whether few columns are linked by regions; the cells are those that these regions make."""
        made, columns = Touched(self.shape, 0), len(self.shape)
        for region in regions:
            made.add(region)
        cells = {axis: len(ends) for axis, ends in made.cuts.items()}
        scopes = {region.axes for region in regions}
        if pairs:
            cells |= {axis + columns: count for axis, count in cells.items()}
            scopes = {(*axes, *(axis + columns for axis in axes)) for axes in scopes}
        return order_of(sorted(scopes), cells, most) is not None

    def _outgrown(self, cover: Cover) -> bool:
        return any(len(group.axes) > 1 and group.cells > ROOMIER * self._most for group in cover.groups)

    def filled(self, codes: Mapping[int, int], where: Restriction) -> Point:
        """A value with some codes given, of a restriction, and the first of everything else."""
        found = [0] * len(self.shape)
        for axis, along in where.items():
            found[axis] = along[0][0]
        for axis, code in codes.items():
            found[axis] = code
        return tuple(found)


def _due(count: int) -> int:
    """The number of regions, among the first so many, by which columns are put into groups.

    >>> [_due(count) for count in (1, 5, 64, 79, 80, 1000)]
    [1, 5, 63, 78, 78, 891]
    """
    due = 1
    while (following := due + max(1, due // 4)) <= count:
        due = following
    return due


def restrictions(region: Scoped, most: int) -> Iterator[dict[int, Codes]]:
    """The boxes of a region as restrictions; with many, one that holds them all."""
    if len(region.boxes) <= max(1, most):
        for box in region.boxes:
            yield dict(zip(region.axes, box, strict=True))
        return
    yield {
        axis: joined(interval for box in region.boxes for interval in box[at]) for at, axis in enumerate(region.axes)
    }
