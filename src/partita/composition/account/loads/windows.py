"""The load of every window of consecutive steps: one record in each step may differ (theory E8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.sums import countable, halves, held, joined
from partita.composition.account.loads.units import ROOM
from partita.composition.account.loads.values import Decision, ValueLoads
from partita.composition.account.loads.wide.values import WideLoads, loads_of
from partita.errors import region as refuse
from partita.granularity import Windows
from partita.limits import Limits, current
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import size
from partita.region.columns import Dates
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.region import Region

Integers = npt.NDArray[np.int64]

WIDEST = 1_000_000
MOST_STEPS = 1 << 21


@final
@dataclass(frozen=True, slots=True)
class Steps:
    """Which codes of an axis are steps of time, how many make a window, and where rows without a step are put.

    Stored times before the first declared step are clamped to it, and later ones to the last; a time that is missing
    becomes the code ``astray``. So a window may have several rows at either end, and any of its rows may be astray.
    """

    axis: int
    width: int
    count: int
    astray: int

    @classmethod
    def of(cls, domain: Domain, windows: Windows) -> Steps:
        """The steps that a promise on windows is about."""
        axis = domain.axis(windows.column)
        column = domain.bounded[axis]
        if not isinstance(column, Stepped | Dates):
            # Unlisted values of many steps would share the code of one.
            raise refuse.no_steps(windows.column, column.kind)
        if windows.width > WIDEST:
            raise refuse.window_too_wide(windows.width, WIDEST)
        count = size(column.values)
        if count > MOST_STEPS:
            raise refuse.too_many_steps(windows.column, count, MOST_STEPS)
        return cls(axis, windows.width, count, column.code(None))

    def seen(self, region: Region) -> int:
        """How many rows of one window a region can hold."""
        along = codes_of.joined(interval for box in region.boxes for interval in box[self.axis])
        ends = (0, self.count - 1, self.astray)
        if any(codes_of.holds(along, end) for end in ends):
            return self.width
        return max(1, min(self.width, size(along)))

    def sums(self, peaks: Integers) -> Integers:
        """The load of every window that can hold a declared step, the first of them ending at the first step."""
        heaviest = np.maximum(peaks[: self.count], peaks[self.astray])
        sums = []
        for half in halves(np.pad(heaviest, self.width - 1, mode="edge")):
            running = np.concatenate(([0], np.cumsum(half)))
            sums.append(running[self.width :] - running[: -self.width])
        return joined(sums)

    def codes(self, number: int, most: int) -> list[int]:
        """The first steps of one of these windows, clamped."""
        first = number - self.width + 1
        return [min(max(step, 0), self.count - 1) for step in range(first, first + min(self.width, most))]


@final
class WindowLoads:
    """For each step the heaviest load of any value in it; for each window the sum over its steps."""

    __slots__ = ("_axis", "_peaks", "_steps", "_values", "budget")

    def __init__(self, shape: Sequence[int], budget: Sequence[int], steps: Steps, limits: Limits | None = None) -> None:
        self._values = loads_of(shape, budget, limits or current())
        self._axis = axis = steps.axis
        self._steps = steps
        self.budget = countable(budget)
        self._peaks: Integers = np.zeros((len(self.budget), shape[axis]), dtype=np.int64)

    @property
    def values(self) -> ValueLoads | WideLoads:
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
            if cost[component] > limit:
                # More than anybody may lose at one step, whatever windows come to.
                step = boxes[0][self._axis][0][0]
                witness = (min(step, self._steps.count - 1),)
                return Decision(fits=False, component=component, witness=witness, load=self.worst(component)[0])
            total, first = self._heaviest(after[component])
            if total > limit:
                before, _ = self._heaviest(self._peaks[component])
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
        values, axis = self._values, self._axis
        along, base, cost = boxes, values.base, held(cost)
        if isinstance(values, WideLoads):
            narrow = values.narrow
            if narrow is None or axis not in narrow[0]:
                return self._raised(values, boxes, cost)
            order, inner = narrow
            along, axis = [tuple(box[at] for at in order) for box in boxes], order.index(axis)
            values = inner
        grid = values.grid
        bounds = grid.bounds(axis)
        peaks = self._peaks.copy()
        others = tuple(at for at in range(grid.axes) if at != axis)
        for box in along:
            index = grid.index(grid.touched(box))
            steps = np.concatenate([np.arange(low, high) for low, high in box[axis]])
            cells = np.searchsorted(bounds, steps, side="right") - 1
            for component, amount in enumerate(cost):
                if amount:
                    heaviest = np.full(grid.loads.shape[axis + 1], -1, dtype=np.int64)
                    inside = grid.loads[component][index].max(axis=others)
                    touched = index[axis]
                    heaviest[touched if isinstance(touched, slice) else np.ravel(touched)] = inside
                    raised = heaviest[cells] + base[component] + amount
                    peaks[component, steps] = np.maximum(peaks[component, steps], raised)
        return peaks

    def _raised(self, values: WideLoads, boxes: Sequence[Box], cost: Sequence[int]) -> Integers:
        """The same without a grid of the steps: nobody at a step carries more than its peak, nor than the boxes."""
        peaks = self._peaks.copy()
        along = codes_of.joined(interval for box in boxes for interval in box[self._axis])
        for component, amount in enumerate(cost):
            if amount:
                most = min(values.highest(boxes, component).upper, ROOM)
                for low, high in along:
                    steps = peaks[component, low:high]
                    peaks[component, low:high] = np.maximum(steps, np.minimum(steps, most) + amount)
        return peaks

    def worst(self, component: int) -> tuple[int, int]:
        """The heaviest window, and which one it is."""
        return self._heaviest(self._peaks[component])

    def around(self, boxes: Sequence[Box], component: int) -> int:
        """The heaviest window that can have a row in the boxes."""
        if not boxes:
            return 0
        sums = self._steps.sums(self._peaks[component])
        low = min(box[self._axis][0][0] for box in boxes)
        high = max(box[self._axis][-1][1] for box in boxes)
        astray = any(start <= self._steps.astray < end for box in boxes for start, end in box[self._axis])
        met = sums if astray else sums[low : high - 1 + self._steps.width]
        return int(met.max(initial=0))

    def _heaviest(self, peaks: Integers) -> tuple[int, int]:
        sums = self._steps.sums(peaks)
        number = int(sums.argmax())
        return int(sums[number]), number

    def heaviest_step(self, code: int, component: int) -> int:
        """Where the row of a step weighs most: at the step, or astray."""
        peaks = self._peaks[component]
        return code if peaks[code] >= peaks[self._steps.astray] else self._steps.astray

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return self._values.nbytes() + self._peaks.nbytes
