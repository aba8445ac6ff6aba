"""Looks for a pair of values above a threshold: blocks of the first value, a field of bounds over all second ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.changes import Changes
from partita.composition.account.loads.field import add_up, corner_count, corners, extent, ranks
from partita.composition.account.loads.grid import Grid
from partita.composition.account.loads.sums import total
from partita.limits import Limits
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

    where gain is substitution - one if R holds all of V, one if R misses V, and the larger of the two otherwise. With a
    single value in V it is an equality. The sum is a field over the grid: corner differences and running sums.
    """

    __slots__ = (
        "_allowance",
        "_axes",
        "_bounds",
        "_changes",
        "_component",
        "_corners",
        "_grid",
        "_left",
        "_light",
        "_new",
        "_one",
        "_sizes",
        "_substitution",
        "_together",
    )

    def __init__(
        self,
        grid: Grid,
        changes: Changes,
        component: int,
        boxes: Sequence[Box],
        one: int,
        substitution: int,
        left: int,
        limits: Limits,
        allowance: Allowance,
        *,
        light: bool,
    ) -> None:
        self._grid = grid
        self._changes = changes
        self._component = component
        self._new = boxes
        self._one = one
        self._substitution = substitution
        self._left = left
        # No region costs more for a substitution than twice for one: then the grid holds the sums of the costs for one.
        self._light = light
        self._allowance = allowance
        self._together = limits.together
        self._bounds = [grid.bounds(axis) for axis in range(grid.axes)]
        # Along an axis with one cell every region holds it, so that axis has no corners: columns that nobody asked
        # about cost nothing, however many there are.
        self._axes = [axis for axis, size in enumerate(grid.loads.shape[1:]) if size > 1]
        self._sizes = tuple(len(self._bounds[axis]) - 1 for axis in self._axes)
        self._corners: tuple[Integers, Integers, Integers] | None = None

    def run(self, anywhere: int, lift: int, base: int) -> Verdict:
        """Search all pairs with a value in the new region; ``anywhere`` is the heaviest weight there will be."""
        if not self._grid.exact or self._allowance.pair_numbers <= 0:
            return Verdict(None, 2 * anywhere, proven=False)
        proofs: list[tuple[int, tuple[Any, ...], int]] = []
        components = self._grid.components // 2
        weight = max(self._one, -(-self._substitution // 2))
        dearest = max(self._one, self._substitution)
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
            found = self._blocks(mask, proofs, base, lift)
            if found is not None:
                # Out of work, the only bound on all pairs is the heaviest weight twice.
                return found if found.proven else Verdict(None, 2 * anywhere, proven=False)
        return Verdict(None, self._left, proven=True, proofs=proofs)

    def _blocks(
        self, mask: Flags, proofs: list[tuple[int, tuple[Any, ...], int]], base: int, lift: int
    ) -> Verdict | None:
        whole = _hull(mask, tuple((0, size) for size in mask.shape))
        stack = [] if whole is None else [whole]
        if stack and self._corners is None and not self._ready():
            return Verdict(None, 0, proven=False)
        several = max(1, self._together // (mask.size + self._changes.rows))
        while stack:
            if self._allowance.pair_numbers <= 0:
                return Verdict(None, 0, proven=False)
            batch, stack = stack[-several:], stack[:-several]
            split: list[Block] = []
            for block, (bound, partner, before) in zip(batch, self._bound(batch), strict=True):
                self._tighten(block, before, lift)
                if bound <= self._left:
                    proofs.append((self._component, tuple(slice(*along) for along in block), bound + base))
                elif all(last - first == 1 for first, last in block):
                    first = tuple(int(self._bounds[axis][cell]) for axis, (cell, _) in enumerate(block))
                    return Verdict((first, self._other(first, partner)), bound, proven=True)
                else:
                    split.extend(half for piece in _halves(block) if (half := _hull(mask, piece)) is not None)
            stack.extend(sorted(split, key=self._heaviest))
        return None

    def _heaviest(self, block: Block) -> int:
        return int(self._grid.loads[self._component][tuple(slice(*along) for along in block)].max())

    def _tighten(self, block: Block, before: int, lift: int) -> None:
        """Keep what was learned of every change of a value of the block, as things stand before the new charge."""
        cells = self._grid.loads[self._grid.components // 2 + self._component]
        part = cells[tuple(slice(*along) for along in block)]
        np.minimum(part, before - lift, out=part)

    def _bound(self, blocks: Sequence[Block]) -> list[tuple[int, tuple[int, ...], int]]:
        """For each block an upper bound on the loss of any change of one of its values, the cell that it comes from,
        and the bound without the new charge."""
        count = len(blocks)
        start = np.asarray([[self._bounds[axis][first] for axis, (first, _) in enumerate(block)] for block in blocks])
        stop = np.asarray([[self._bounds[axis][last] for axis, (_, last) in enumerate(block)] for block in blocks])
        covers, meets = self._changes.covering(start, stop)
        field = self._field(covers, meets)
        self._allowance.pair_numbers -= count * self._numbers()
        mine = [self._mine(block, meets[at]) for at, block in enumerate(blocks)]
        for at in map(int, np.flatnonzero((stop - start == 1).all(axis=1))):
            # The block is one value, and a change to itself is none.
            field[(at, *(first for first, _ in blocks[at]))] = np.iinfo(np.int64).min // 2
        before = field.reshape(count, -1).max(axis=1)
        for at in range(count):
            extra, own = self._new_costs(start[at], stop[at])
            mine[at] += own
            for box in self._new:
                field[at][self._grid.index(self._grid.touched(box))] += extra
            before[at] += mine[at] - own
        flat = field.reshape(count, -1)
        places = flat.argmax(axis=1)
        found = []
        for at, place in enumerate(places):
            cell = np.unravel_index(int(place), field.shape[1:])
            found.append((mine[at] + int(flat[at, place]), tuple(int(part) for part in cell), int(before[at])))
        return found

    def _new_costs(self, start: Integers, stop: Integers) -> tuple[int, int]:
        """What the new region adds to a second value inside it, and to the first value, for one block."""
        covers, meets = self._new_status(start, stop)
        if covers:
            return self._substitution - self._one, self._one
        if meets:
            return max(self._one, self._substitution - self._one), self._one
        return self._one, 0

    def _mine(self, block: Block, meets: Flags) -> int:
        """The most that a first value pays for regions that it is in alone."""
        heaviest = self._heaviest(block)
        return heaviest if self._light else min(total(self._changes.one[meets, self._component]), heaviest)

    def _field(self, covers: Flags, meets: Flags) -> Integers:
        """For every block and cell, the sum of the gains of the regions that hold the cell."""
        assert self._corners is not None
        row, place, sign = self._corners
        one, substitution = self._changes.one[:, self._component], self._changes.substitution[:, self._component]
        gain = np.where(covers, substitution - one, np.where(meets, np.maximum(one, substitution - one), one))
        field = np.zeros((len(gain), *self._sizes), dtype=np.int64)
        if self._light:
            gain = gain - one
        weights = gain[:, self._changes.owner[row]] * sign
        block, corner = np.nonzero(weights)
        np.add.at(field.reshape(-1), place[corner] + block * prod(self._sizes), weights[block, corner])
        add_up(field, range(1, field.ndim))
        field = field.reshape(len(gain), *self._grid.loads.shape[1:])
        return field + self._grid.loads[self._component] if self._light else field

    def _ready(self) -> bool:
        """Find the corners of all rectangles, once for a search, if there is work enough left for a look at them."""
        cuts = [self._bounds[axis][:-1] for axis in self._axes]
        first, after = ranks(self._changes.low, self._changes.high, self._axes, cuts)
        if int(corner_count(after, self._sizes).sum()) > self._allowance.pair_numbers:
            return False
        self._corners = corners(first, after, self._sizes)
        return True

    def _numbers(self) -> int:
        """What is computed for one block."""
        assert self._corners is not None
        return prod(self._sizes) * len(self._sizes) + self._changes.rows * self._grid.axes + len(self._corners[0])

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
    return tuple((start + first, start + last) for (start, _), (first, last) in zip(block, extent(part), strict=True))


def _halves(block: Block) -> list[Block]:
    axis = max(range(len(block)), key=lambda at: block[at][1] - block[at][0])
    first, last = block[axis]
    middle = (first + last) // 2
    return [(*block[:axis], piece, *block[axis + 1 :]) for piece in ((first, middle), (middle, last))]
