"""The load of every window of consecutive steps: one record in each step may differ (theory E8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.values import Decision, Limits, ValueLoads
from partita.region.box import Box

Integers = npt.NDArray[np.int64]


@final
class WindowLoads:
    """For each step the heaviest load of any value in it; for each window the sum over its steps."""

    __slots__ = ("_axis", "_peaks", "_values", "_width", "budget")

    def __init__(
        self, shape: Sequence[int], budget: Sequence[int], axis: int, width: int, limits: Limits | None = None
    ) -> None:
        self._values = ValueLoads(shape, budget, limits)
        self._axis = axis
        self._width = min(width, shape[axis])
        self.budget = tuple(int(part) for part in budget)
        self._peaks: Integers = np.zeros((len(self.budget), shape[axis]), dtype=np.int64)

    @property
    def values(self) -> ValueLoads:
        """The loads of single values."""
        return self._values

    @property
    def exact(self) -> bool:
        """Whether every load is known exactly."""
        return self._values.exact

    def decide(self, boxes: Sequence[Box], cost: Sequence[int]) -> Decision:
        """Whether the cost fits every window; nothing is booked."""
        if not boxes:
            return Decision(fits=True)
        after = self._after(boxes, cost)
        for component, limit in enumerate(self.budget):
            if not cost[component]:
                continue
            total, first = _heaviest(after[component], self._width)
            if total > limit:
                before, _ = _heaviest(self._peaks[component], self._width)
                return Decision(
                    fits=False, component=component, witness=(first,), load=before, proven=self._values.exact
                )
        return Decision(fits=True)

    def book(self, boxes: Sequence[Box], cost: Sequence[int]) -> None:
        """Add the cost to every value of disjoint boxes, whether or not it fits."""
        if boxes and any(cost):
            self._peaks = self._after(boxes, cost)
            self._values.book(boxes, cost)

    def _after(self, boxes: Sequence[Box], cost: Sequence[int]) -> Integers:
        """The heaviest load of each step once the cost is booked."""
        grid, base = self._values.grid, self._values.base
        bounds = grid.bounds(self._axis)
        peaks = self._peaks.copy()
        others = tuple(axis for axis in range(grid.axes) if axis != self._axis)
        for box in boxes:
            index = grid.index(grid.touched(box))
            steps = np.concatenate([np.arange(low, high) for low, high in box[self._axis]])
            cells = np.searchsorted(bounds, steps, side="right") - 1
            for component, amount in enumerate(cost):
                if amount:
                    heaviest = np.full(grid.loads.shape[self._axis + 1], -1, dtype=np.int64)
                    inside = grid.loads[component][index].max(axis=others)
                    along = index[self._axis]
                    heaviest[along if isinstance(along, slice) else np.ravel(along)] = inside
                    raised = heaviest[cells] + base[component] + amount
                    peaks[component, steps] = np.maximum(peaks[component, steps], raised)
        return peaks

    def worst(self, component: int) -> tuple[int, int]:
        """The heaviest window and its first step."""
        return _heaviest(self._peaks[component], self._width)

    def around(self, boxes: Sequence[Box], component: int) -> int:
        """The heaviest window that meets the boxes."""
        steps = {step for box in boxes for low, high in box[self._axis] for step in range(low, high)}
        if not steps:
            return 0
        sums = _sums(self._peaks[component], self._width)
        first = max(0, min(steps) - self._width + 1)
        return int(sums[first : max(steps) + 1].max(initial=0))

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return self._values.nbytes() + self._peaks.nbytes


def _sums(peaks: Integers, width: int) -> Integers:
    running = np.concatenate(([0], np.cumsum(peaks)))
    sums: Integers = running[width:] - running[:-width]
    return sums


def _heaviest(peaks: Integers, width: int) -> tuple[int, int]:
    sums = _sums(peaks, width)
    first = int(sums.argmax())
    return int(sums[first]), first
