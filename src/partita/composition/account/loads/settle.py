"""Decides exactly whether some value of a box carries more than a threshold, where the grid only knows a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.field import Part, break_points, clipped, dense, extent
from partita.composition.account.loads.grid import Grid, Ranges
from partita.composition.account.loads.profile import Profiles
from partita.composition.account.loads.rectangles import Rectangles
from partita.composition.account.loads.sums import total
from partita.limits import Limits

Integers = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search found: a value above the threshold, a proof that there is none, or neither."""

    witness: tuple[int, ...] | None
    load: int
    proven: bool


def settled(
    grid: Grid,
    charges: Rectangles,
    component: int,
    threshold: int,
    ends: Integers,
    limits: Limits,
    allowance: Allowance,
) -> Verdict:
    """Whether some value of the rectangle carries more than the threshold.

    With few coarse axes, cell by cell, which also tightens the bounds of the cells. With many, over the whole
    rectangle at once: there the cells are too coarse to help. Once the allowance is used up the numbers of the cells
    stand for what a search would find.
    """
    ranges = grid.touched(tuple(((int(low), int(high)),) for low, high in ends))
    block = grid.loads[component][grid.index(ranges)]
    suspicious = block > threshold
    if not suspicious.any():
        return Verdict(None, threshold, proven=True)
    if not allowance.take(grid.axes * (block.size + charges.count)):
        return Verdict(None, int(block.max()), proven=False)
    coarse = sum(len(cuts) < size for cuts, size in zip(grid.cuts, grid.ends, strict=True))
    if coarse <= limits.coarse:
        search = Search(grid, component, threshold, limits, allowance)
        return search.run(charges, ends[:, 0], ends[:, 1])
    start, stop = _suspected(grid, ranges, suspicious, ends)
    weight = charges.weights[:, component]
    found = Profiles(charges.low, charges.high, weight, start, stop).search(threshold, limits.steps, allowance)
    if found.witness is None and found.proven:
        inside = tuple(
            slice(int(np.searchsorted(bounds, ends[axis, 0])), int(np.searchsorted(bounds, ends[axis, 1], "right")) - 1)
            for axis, bounds in enumerate(grid.bounds(axis) for axis in range(grid.axes))
        )
        whole = grid.loads[component][inside]
        np.minimum(whole, threshold, out=whole)
    return Verdict(found.witness, found.load, found.proven)


def _suspected(
    grid: Grid, ranges: Ranges, suspicious: npt.NDArray[np.bool_], ends: Integers
) -> tuple[Integers, Integers]:
    """The part of a rectangle around the cells whose bound is above the threshold."""
    start, stop = ends[:, 0].copy(), ends[:, 1].copy()
    for axis, (((offset, _),), (first, last)) in enumerate(zip(ranges, extent(suspicious), strict=True)):
        bounds = grid.bounds(axis)
        start[axis] = max(start[axis], bounds[offset + first])
        stop[axis] = min(stop[axis], bounds[offset + last])
    return start, stop


@final
class Search:
    """Branch and bound over blocks of cells; every bound it tightens in the grid holds for the whole cell."""

    __slots__ = ("_allowance", "_bounds", "_component", "_grid", "_limits", "_threshold", "steps")

    def __init__(self, grid: Grid, component: int, threshold: int, limits: Limits, allowance: Allowance) -> None:
        self._allowance = allowance
        self._limits = limits
        self._grid = grid
        self._component = component
        self._threshold = threshold
        self._bounds = [grid.bounds(axis) for axis in range(grid.axes)]
        self.steps = limits.steps

    def run(self, charges: Rectangles, start: Integers, stop: Integers) -> Verdict:
        """Search the box [start, stop) of codes."""
        cells = [
            (
                int(np.searchsorted(bounds, start[axis], side="right")) - 1,
                int(np.searchsorted(bounds, stop[axis])),
            )
            for axis, bounds in enumerate(self._bounds)
        ]
        weight = charges.weights[:, self._component]
        relevant = weight > 0
        low, high = self._codes(cells)
        part = clipped(charges.low[relevant], charges.high[relevant], weight[relevant], low, high)
        stack = [(cells, part)]
        while stack:
            cells, part = stack.pop()
            block = self._grid.loads[self._component][tuple(slice(*along) for along in cells)]
            suspicious = block > self._threshold
            if not suspicious.any():
                continue
            if self.steps <= 0 or not self._allowance.take(block.ndim * (block.size + len(part.weight))):
                return Verdict(None, int(block.max()), proven=False)
            self.steps -= 1
            cells, part = self._narrowed(cells, part, suspicious)
            low, high = self._codes(cells)
            inner = [self._bounds[axis][first:last] for axis, (first, last) in enumerate(cells)]
            ends = [np.clip(np.asarray([start[axis], stop[axis]]), low[axis], high[axis]) for axis in range(len(low))]
            cuts = break_points(part, low, high, [np.concatenate(both) for both in zip(inner, ends, strict=True)])
            if _product(cuts) <= self._limits.dense:
                found = self._evaluate(cells, part, cuts, start, stop)
                if found is not None:
                    return found
            else:
                found = self._split(stack, cells, part, cuts, start, stop)
                if found is not None:
                    return found
        return Verdict(None, self._threshold, proven=True)

    def _codes(self, cells: list[tuple[int, int]]) -> tuple[Integers, Integers]:
        low = np.asarray([self._bounds[axis][first] for axis, (first, _) in enumerate(cells)])
        high = np.asarray([self._bounds[axis][last] for axis, (_, last) in enumerate(cells)])
        return low, high

    def _narrowed(
        self, cells: list[tuple[int, int]], part: Part, suspicious: npt.NDArray[np.bool_]
    ) -> tuple[list[tuple[int, int]], Part]:
        """The least block around the suspicious cells."""
        inner = extent(suspicious)
        narrow = [(start + first, start + last) for (start, _), (first, last) in zip(cells, inner, strict=True)]
        if narrow == cells:
            return cells, part
        low, high = self._codes(narrow)
        return narrow, clipped(part.low, part.high, part.weight, low, high, part.base)

    def _evaluate(
        self, cells: list[tuple[int, int]], part: Part, cuts: list[Integers], start: Integers, stop: Integers
    ) -> Verdict | None:
        loads = dense(part, cuts)
        best = loads
        for axis, (first, last) in enumerate(cells):
            starts = np.searchsorted(cuts[axis], self._bounds[axis][first:last])
            best = np.maximum.reduceat(best, starts, axis=axis)
        block = self._grid.loads[self._component][tuple(slice(*along) for along in cells)]
        np.minimum(block, best, out=block)
        asked = tuple(
            slice(int(np.searchsorted(along, start[axis])), int(np.searchsorted(along, stop[axis])))
            for axis, along in enumerate(cuts)
        )
        inside = loads[asked]
        if inside.size == 0:
            return None
        top = int(inside.max())
        if top <= self._threshold:
            return None
        place = np.unravel_index(int(inside.argmax()), inside.shape)
        witness = tuple(int(cuts[axis][asked[axis]][at]) for axis, at in enumerate(place))
        return Verdict(witness, top, proven=True)

    def _split(
        self,
        stack: list[tuple[list[tuple[int, int]], Part]],
        cells: list[tuple[int, int]],
        part: Part,
        cuts: list[Integers],
        start: Integers,
        stop: Integers,
    ) -> Verdict | None:
        """Halve a block between cells; a single cell is searched on its own."""
        wide = [len(cuts[axis]) if last - first > 1 else 0 for axis, (first, last) in enumerate(cells)]
        if not any(wide):
            return self._single(cells, part, start, stop)
        axis = int(np.argmax(wide))
        first, last = cells[axis]
        middle = (first + last) // 2
        for piece in ((first, middle), (middle, last)):
            half = [*cells[:axis], piece, *cells[axis + 1 :]]
            low, high = self._codes(half)
            stack.append((half, clipped(part.low, part.high, part.weight, low, high, part.base)))
        return None

    def _single(self, cells: list[tuple[int, int]], part: Part, start: Integers, stop: Integers) -> Verdict | None:
        """Search one cell: first all of it, so that its bound can be stored, then what was asked of it."""
        place = (self._component, *(first for first, _ in cells))
        low, high = self._codes(cells)
        verdict = self._climb(part, low, high)
        if verdict.proven and verdict.witness is None:
            # Only a bound on the whole cell may be stored; a load that was met somewhere is no bound.
            self._grid.loads[place] = min(int(self._grid.loads[place]), verdict.load)
            return None
        if ((start <= low) & (stop >= high)).all():
            return verdict
        clip_low, clip_high = np.maximum(start, low), np.minimum(stop, high)
        narrow = clipped(part.low, part.high, part.weight, clip_low, clip_high, part.base)
        verdict = self._climb(narrow, clip_low, clip_high)
        return None if verdict.proven and verdict.witness is None else verdict

    def _climb(self, part: Part, low: Integers, high: Integers) -> Verdict:
        """The heaviest load of a box as long as it is within the threshold, else a value above it."""
        most = part.base + total(part.weight)
        if most <= self._threshold:
            return Verdict(None, most, proven=True)
        profiles = Profiles(part.low, part.high, part.weight, low, high)
        rest = self._threshold - part.base
        best, codes = profiles.guess()
        allowed = min(self.steps, self._limits.extra)
        while best <= rest:
            found = profiles.search(best, allowed, self._allowance)
            self.steps -= allowed - profiles.steps
            allowed = profiles.steps
            if found.witness is None:
                if found.proven:
                    return Verdict(None, part.base + best, proven=True)
                break
            best, codes = found.load, found.witness
        if best > rest:
            return Verdict(codes, part.base + best, proven=True)
        # The exact maximum is out of reach; the threshold itself may still be shown to hold.
        found = profiles.search(rest, self.steps, self._allowance)
        self.steps = profiles.steps
        return Verdict(found.witness, part.base + found.load, found.proven)


def _product(cuts: list[Integers]) -> int:
    total = 1
    for along in cuts:
        total *= len(along)
    return total
