"""Looks for a pair of values above a threshold: blocks of the first value, a field of bounds over all second ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.changes import Changes
from partita.composition.account.grid import Grid
from partita.region.box import Box

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Block = tuple[tuple[int, int], ...]


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """A pair above the threshold, or a proof that there is none, or an upper bound when the work ran out."""

    witness: tuple[tuple[int, ...], tuple[int, ...]] | None
    load: int
    proven: bool
    proofs: list[tuple[int, tuple[Any, ...], int]] = field(default_factory=list)


@final
class Partners:
    """For a block V of first values and any second value w,

        pair(v, w) <= max over V of one(v)  +  sum over regions R that hold w of gain(R),

    where gain is both - one if R holds all of V, one if R misses V, and the larger of the two otherwise. With a
    single value in V it is an equality. The sum is a field over the grid: corner differences and running sums.
    """

    __slots__ = ("_both", "_bounds", "_changes", "_component", "_grid", "_left", "_new", "_one", "_places", "numbers")

    def __init__(
        self,
        grid: Grid,
        changes: Changes,
        component: int,
        boxes: Sequence[Box],
        one: int,
        both: int,
        left: int,
        numbers: int,
    ) -> None:
        self._grid = grid
        self._changes = changes
        self._component = component
        self._new = boxes
        self._one = one
        self._both = both
        self._left = left
        self.numbers = numbers
        self._bounds = [grid.bounds(axis) for axis in range(grid.axes)]
        self._places: tuple[Integers, Integers] | None = None

    def run(self, anywhere: int, lift: int, base: int) -> Verdict:
        """Search all pairs with a value in the new region; ``anywhere`` is the heaviest weight there will be."""
        if not self._grid.exact:
            return Verdict(None, 2 * anywhere, proven=False)
        proofs: list[tuple[int, tuple[Any, ...], int]] = []
        components = self._grid.components // 2
        weight = max(self._one, -(-self._both // 2))
        dearest = max(self._one, self._both)
        for box in self._new:
            ranges = self._grid.touched(box)
            index = self._grid.index(ranges)
            heavy = self._grid.loads[self._component][index] + weight + anywhere > self._left
            partner = self._grid.loads[components + self._component][index] + lift + dearest > self._left
            doubtful = heavy & partner
            if not doubtful.any():
                continue
            mask = np.zeros(self._grid.loads.shape[1:], dtype=bool)
            mask[index] = doubtful
            found = self._blocks(mask, proofs, base)
            if found is not None:
                # Out of work, the only bound on all pairs is the heaviest weight twice.
                return found if found.proven else Verdict(None, 2 * anywhere, proven=False)
        return Verdict(None, self._left, proven=True, proofs=proofs)

    def _blocks(self, mask: Flags, proofs: list[tuple[int, tuple[Any, ...], int]], base: int) -> Verdict | None:
        stack = [_hull(mask, tuple((0, size) for size in mask.shape))]
        while stack:
            block = stack.pop()
            assert block is not None
            if self.numbers <= 0:
                return Verdict(None, 0, proven=False)
            bound, partner = self._bound(block)
            if bound <= self._left:
                proofs.append((self._component, tuple(slice(*along) for along in block), bound + base))
                continue
            if all(last - first == 1 for first, last in block):
                first = tuple(int(self._bounds[axis][cell]) for axis, (cell, _) in enumerate(block))
                return Verdict((first, self._other(first, partner)), bound, proven=True)
            halves = [half for half in (_hull(mask, piece) for piece in _halves(block)) if half is not None]
            stack.extend(halves)
        return None

    def _bound(self, block: Block) -> tuple[int, tuple[int, ...]]:
        """An upper bound on the loss of any change of a value of the block, and the cell it comes from."""
        start = np.asarray([self._bounds[axis][first] for axis, (first, _) in enumerate(block)])
        stop = np.asarray([self._bounds[axis][last] for axis, (_, last) in enumerate(block)])
        changes, component = self._changes, self._component
        covers, meets = changes.covering(start, stop)
        one, both = changes.one[:, component], changes.both[:, component]
        gain = np.where(covers, both - one, np.where(meets, np.maximum(one, both - one), one))
        field = self._field(gain)
        heaviest = int(self._grid.loads[component][tuple(slice(*along) for along in block)].max())
        mine = min(int(one[meets].sum()), heaviest)
        new_covers, new_meets = self._new_status(start, stop)
        extra = self._both - self._one if new_covers else self._one
        if new_meets and not new_covers:
            extra = max(self._one, self._both - self._one)
        for box in self._new:
            field[self._grid.index(self._grid.touched(box))] += extra
        if new_meets:
            mine += self._one
        self.numbers -= field.size * field.ndim
        if (stop - start == 1).all():
            # The block is one value, and a change to itself is none.
            field[tuple(first for first, _ in block)] = np.iinfo(np.int64).min // 2
        place = int(field.argmax())
        cell = np.unravel_index(place, field.shape)
        return mine + int(field[cell]), tuple(int(at) for at in cell)

    def _field(self, gain: Integers) -> Integers:
        """For every cell, the sum of the gains of the regions that hold it."""
        shape = self._grid.loads.shape[1:]
        field = np.zeros(tuple(size + 1 for size in shape), dtype=np.int64)
        if self._changes.rows:
            places, signs = self._corners(field)
            np.add.at(field.reshape(-1), places, (signs * gain[self._changes.owner]).reshape(-1))
            for axis in range(field.ndim):
                np.cumsum(field, axis=axis, out=field)
        return field[tuple(slice(0, -1) for _ in shape)]

    def _corners(self, field: Integers) -> tuple[Integers, Integers]:
        """Where the corners of all rectangles lie in a field, and their signs; found once for a search."""
        if self._places is None:
            places = np.zeros((1, self._changes.rows), dtype=np.int64)
            signs = np.ones((1, 1), dtype=np.int64)
            for axis, stride in enumerate(np.asarray(field.strides) // field.itemsize):
                first = np.searchsorted(self._bounds[axis], self._changes.low[:, axis]) * stride
                after = np.searchsorted(self._bounds[axis], self._changes.high[:, axis]) * stride
                places = np.concatenate((places + first, places + after))
                signs = np.concatenate((signs, -signs))
            self._places = (places.reshape(-1), signs)
        return self._places

    def _new_status(self, start: Integers, stop: Integers) -> tuple[bool, bool]:
        """Whether the new region is known to hold all of a block, and whether it may hold some of it."""
        covers = meets = False
        for box in self._new:
            holds = all(
                any(low <= start[axis] and stop[axis] <= high for low, high in codes) for axis, codes in enumerate(box)
            )
            touches = all(
                any(low < stop[axis] and start[axis] < high for low, high in codes) for axis, codes in enumerate(box)
            )
            covers, meets = covers or holds, meets or touches
        return covers, meets

    def _other(self, first: tuple[int, ...], cell: tuple[int, ...]) -> tuple[int, ...]:
        """A value of a cell that is not the first value itself."""
        second = [int(self._bounds[axis][at]) for axis, at in enumerate(cell)]
        if tuple(second) == first:
            for axis, at in enumerate(cell):
                if self._bounds[axis][at + 1] - self._bounds[axis][at] > 1:
                    second[axis] += 1
                    break
        return tuple(second)


def _hull(mask: Flags, block: Block) -> Block | None:
    """The least block around the marked cells of a block."""
    part = mask[tuple(slice(*along) for along in block)]
    if not part.any():
        return None
    narrow = []
    for axis, (first, _) in enumerate(block):
        others = tuple(other for other in range(part.ndim) if other != axis)
        along = np.flatnonzero(part.any(axis=others))
        narrow.append((first + int(along[0]), first + int(along[-1]) + 1))
    return tuple(narrow)


def _halves(block: Block) -> list[Block]:
    axis = max(range(len(block)), key=lambda at: block[at][1] - block[at][0])
    first, last = block[axis]
    middle = (first + last) // 2
    return [(*block[:axis], piece, *block[axis + 1 :]) for piece in ((first, middle), (middle, last))]
