"""The load of every record value under add/remove: how much of a budget each has been exposed to (theory E10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance, allowance
from partita.composition.account.loads.field import clipped, dense
from partita.composition.account.loads.grid import Grid
from partita.composition.account.loads.hot import HotPoints
from partita.composition.account.loads.rectangles import Rectangles, rectangles
from partita.composition.account.loads.settle import settled
from partita.composition.account.loads.sums import countable, held, totals
from partita.composition.account.loads.units import ROOM
from partita.limits import Limits, current
from partita.region.box import Box

Integers = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True)
class Peak:
    """The heaviest load in one component: between ``lower``, met at a witness, and ``upper``, never exceeded."""

    lower: int
    upper: int
    witness: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a charge fits; if not, where and why, and whether that was proven."""

    fits: bool
    component: int = 0
    witness: tuple[int, ...] | None = None
    load: int = 0
    proven: bool = True


@final
class ValueLoads:
    """Loads as integers in the budget's unit; a charge fits if no value of its region exceeds the budget."""

    __slots__ = ("_base", "_charges", "_everything", "_grid", "_hot", "_since", "_tops", "budget", "limits", "shape")

    def __init__(self, shape: Sequence[int], budget: Sequence[int], limits: Limits | None = None) -> None:
        self.limits = limits or current()
        self.shape = tuple(shape)
        self.budget = countable(budget)
        components = len(self.budget)
        self._grid = Grid(shape, components, self.limits.numbers, self.limits.full_below, self.limits.many)
        self._charges = Rectangles(len(shape), components, self.limits.keys)
        self._hot = HotPoints(len(shape), components, self.limits.hot)
        # What every value carries; the grid, the charges and the hot points hold only what comes on top of it.
        self._base = [0] * components
        self._everything = tuple(((0, size),) for size in shape)
        # Upper bounds on the heaviest load on top, one a component: they let far-away charges pass at once.
        self._tops = [0] * components
        self._since = 0

    @property
    def exact(self) -> bool:
        """Whether every load is known exactly, and not only bounded."""
        return self._grid.exact

    @property
    def grid(self) -> Grid:
        """The loads (or bounds on them) over the grid of break points."""
        return self._grid

    @property
    def base(self) -> tuple[int, ...]:
        """What every value carries, on top of which the grid counts."""
        return tuple(self._base)

    @property
    def charges(self) -> Rectangles:
        """Everything booked so far."""
        return self._charges

    # --- decisions -------------------------------------------------------------------------------------------

    def decide(self, boxes: Sequence[Box], cost: Sequence[int]) -> Decision:
        """Whether the cost can be booked on disjoint boxes; nothing is booked."""
        if not boxes:
            return Decision(fits=True)
        thresholds = [limit - base - amount for limit, base, amount in zip(self.budget, self._base, cost, strict=True)]
        for component, threshold in enumerate(thresholds):
            if threshold < 0 and cost[component]:
                codes = _first(boxes[0])
                return Decision(fits=False, component=component, witness=codes, load=self.load_of(codes)[component])
        doubtful = [c for c, threshold in enumerate(thresholds) if cost[c] and self._tops[c] > threshold]
        if not doubtful:
            return Decision(fits=True)
        known = self._hot.above(boxes, [t if cost[c] else self.budget[c] for c, t in enumerate(thresholds)])
        if known is not None:
            codes, loads = known
            component = next(c for c in doubtful if loads[c] > thresholds[c])
            return self._refused(component, codes, int(loads[component]))
        for component in doubtful:
            found = self._decide(boxes, component, thresholds[component])
            if found is not None:
                return found
        return Decision(fits=True)

    def _decide(self, boxes: Sequence[Box], component: int, threshold: int) -> Decision | None:
        if self._grid.highest(boxes, component) <= threshold:
            return None
        if self._grid.exact:
            load, codes = max(self._grid.peak(box, component) for box in boxes)
            self._hot.remember(codes, self._grid.at(codes).tolist())
            return self._refused(component, codes, load)
        shared = allowance(self.limits)
        for rectangle in (rectangle for box in boxes for rectangle in rectangles(box)):
            ends = np.asarray(rectangle, dtype=np.int64)
            verdict = settled(self._grid, self._charges, component, threshold, ends, self.limits, shared)
            if verdict.witness is not None:
                self._hot.remember(verdict.witness, self._on_top(verdict.witness))
                return self._refused(component, verdict.witness, verdict.load)
            if not verdict.proven:
                load = verdict.load + self._base[component]
                return Decision(fits=False, component=component, load=load, proven=False)
        return None

    def _refused(self, component: int, codes: tuple[int, ...], on_top: int) -> Decision:
        return Decision(fits=False, component=component, witness=codes, load=on_top + self._base[component])

    # --- booking ---------------------------------------------------------------------------------------------

    def book(self, boxes: Sequence[Box], cost: Sequence[int]) -> None:
        """Add the cost to every value of disjoint boxes, whether or not it fits."""
        if not boxes or not any(cost):
            return
        if boxes[0] == self._everything:
            self._raise(cost)
            return
        cost = held(cost)
        self._charges.add(boxes, cost)
        self._hot.add(boxes, cost)
        was_exact = self._grid.exact
        self._grid.refine(boxes)
        for component, amount in enumerate(cost):
            self._tops[component] += amount
        if was_exact and not self._grid.exact:
            self._freeze()
        else:
            self._grid.add(boxes, cost)
        self._since += 1
        if self._since >= self.limits.recount:
            self._recount()

    def load(self, charges: Sequence[tuple[Sequence[Box], Sequence[int]]]) -> None:
        """Book many charges at once: one grid for all of them, by corner differences and running sums."""
        if len(charges) < self.limits.bulk:
            for boxes, cost in charges:
                self.book(boxes, cost)
            return
        listed = []
        for boxes, cost in charges:
            if boxes and boxes[0] == self._everything:
                self._raise(cost)
            elif boxes and any(cost):
                amounts = held(cost)
                listed.append((boxes, amounts))
                self._hot.add(boxes, amounts)
        self._charges.add_all(listed)
        for _, amounts in listed:
            self._tops = [top + amount for top, amount in zip(self._tops, amounts, strict=True)]
        self._grid = rebuilt(self.shape, self._charges, len(self.budget), self.limits)
        self._since = 0
        self._cap()
        self._tops = [int(self._grid.loads[component].max()) for component in range(len(self.budget))]

    def _raise(self, cost: Sequence[int]) -> None:
        """Book a cost that every value pays."""
        self._base = list(held(base + amount for base, amount in zip(self._base, cost, strict=True)))

    def _recount(self) -> None:
        """Bring the bounds on the heaviest loads back to the truth, if some stand in the way of charges."""
        self._since = 0
        for component, top in enumerate(self._tops):
            if top > self.budget[component] - self._base[component]:
                self._tops[component] = int(self._grid.loads[component].max())

    def _freeze(self) -> None:
        """Keep a coarser grid from now on: the cuts that most charges share, and bounds instead of loads."""
        self._grid = frozen(self.shape, self._charges, len(self.budget), self.limits)
        self._cap()

    def _cap(self) -> None:
        """Nobody carries more than all charges together, though a cell may have counted each box of one."""
        for component, top in enumerate(self._tops):
            cells = self._grid.loads[component]
            np.minimum(cells, min(top, ROOM), out=cells)

    # --- readings --------------------------------------------------------------------------------------------

    def load_of(self, codes: Sequence[int]) -> list[int]:
        """The exact loads of one value."""
        return [base + load for base, load in zip(self._base, self._on_top(codes), strict=True)]

    def _on_top(self, codes: Sequence[int]) -> list[int]:
        if self._grid.exact:
            return [int(load) for load in self._grid.at(codes)]
        point = np.asarray(codes, dtype=np.int64)
        inside = ((self._charges.low <= point) & (self._charges.high > point)).all(axis=1)
        return list(held(totals(self._charges.weights[inside])))

    def highest(self, boxes: Sequence[Box], component: int) -> Peak:
        """The heaviest load in disjoint boxes; where the work runs out, the numbers of the cells bound it."""
        if not boxes:
            return Peak(0, 0, ())
        base = self._base[component]
        upper, codes = max(self._grid.peak(box, component) for box in boxes)
        if self._grid.exact:
            return Peak(base + upper, base + upper, codes)
        best: tuple[int, tuple[int, ...]] = (self._on_top(codes)[component], codes)
        best = max(best, self._hot.best(boxes, component) or best)
        shared, unproven = allowance(self.limits), []
        for rectangle in (rectangle for box in boxes for rectangle in rectangles(box)):
            best, proven = self._climb(np.asarray(rectangle, dtype=np.int64), component, best, shared)
            if not proven:
                unproven.append(tuple((interval,) for interval in rectangle))
        upper = self._grid.highest(unproven, component)
        return Peak(base + best[0], base + max(upper, best[0]), best[1])

    def _climb(
        self, ends: Integers, component: int, best: tuple[int, tuple[int, ...]], shared: Allowance
    ) -> tuple[tuple[int, tuple[int, ...]], bool]:
        """Raise the threshold to each value found, until none is above it or the steps are used up."""
        while True:
            verdict = settled(self._grid, self._charges, component, best[0], ends, self.limits, shared)
            if verdict.witness is None:
                return best, verdict.proven
            self._hot.remember(verdict.witness, self._on_top(verdict.witness))
            best = (verdict.load, verdict.witness)

    def heaviest(self, box: Box, component: int) -> tuple[int, ...]:
        """A value of a box in its heaviest cell."""
        return self._grid.peak(box, component)[1]

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return int(self._grid.loads.nbytes + self._charges.low.nbytes * 2 + self._charges.weights.nbytes)


def rebuilt(shape: Sequence[int], charges: Rectangles, components: int, limits: Limits) -> Grid:
    """The grid of all charges: exact if its break points fit the limit, else frozen."""
    cuts = []
    for axis, size in enumerate(shape):
        ends = np.unique(np.concatenate(([0], charges.low[:, axis], charges.high[:, axis])))
        cuts.append(ends[ends < size])
    if prod(len(along) for along in cuts) * components > limits.numbers:
        return frozen(shape, charges, components, limits)
    grid = Grid(shape, components, limits.numbers, 0, limits.many)
    grid.cuts = [along.tolist() for along in cuts]
    start, stop = np.zeros(len(shape), dtype=np.int64), np.asarray(shape, dtype=np.int64)
    grid.loads = np.stack(
        [
            dense(clipped(charges.low, charges.high, charges.weights[:, component], start, stop), cuts)
            for component in range(components)
        ]
    )
    return grid


def frozen(shape: Sequence[int], charges: Rectangles, components: int, limits: Limits) -> Grid:
    """A grid of bounds with few cuts, built from all charges rounded outward to them."""
    grid = Grid(shape, components, limits.frozen_numbers, 0, limits.many)
    grid.exact = False
    grid.cuts = _chosen_cuts(shape, charges, limits.frozen_numbers // components)
    cuts = [np.asarray(along, dtype=np.int64) for along in grid.cuts]
    ends = [np.append(along, size) for along, size in zip(cuts, shape, strict=True)]
    low = np.stack(
        [along[np.searchsorted(along, charges.low[:, j], side="right") - 1] for j, along in enumerate(cuts)], axis=1
    )
    high = np.stack([along[np.searchsorted(along, charges.high[:, j])] for j, along in enumerate(ends)], axis=1)
    start, stop = np.zeros(len(shape), dtype=np.int64), np.asarray(shape, dtype=np.int64)
    fields = []
    for component in range(components):
        part = clipped(low, high, charges.weights[:, component], start, stop)
        fields.append(dense(part, cuts))
    grid.loads = np.stack(fields)
    return grid


def _chosen_cuts(shape: Sequence[int], charges: Rectangles, cells: int) -> list[list[int]]:
    """For each axis evenly spread quantiles of the ends of all charges, as many as the cells allow."""
    wanted = []
    for axis in range(len(shape)):
        ends = np.concatenate((charges.low[:, axis], charges.high[:, axis]))
        wanted.append(np.sort(ends[(ends > 0) & (ends < shape[axis])]))
    distinct = [len(np.unique(ends)) + 1 for ends in wanted]
    share = _shares(distinct, cells)
    chosen = []
    for ends, most, all_of in zip(wanted, share, distinct, strict=True):
        if most >= all_of:
            cuts = np.unique(ends)
        else:
            cuts = np.unique(ends[np.linspace(0, len(ends) - 1, most - 1).astype(int)]) if most > 1 else ends[:0]
        chosen.append([0, *(int(cut) for cut in cuts)])
    return chosen


def _shares(distinct: list[int], cells: int) -> list[int]:
    """How many cells each axis gets: all it wants for the narrow ones, equal parts for the rest."""
    shares = [0] * len(distinct)
    left = float(cells)
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    for done, axis in enumerate(order):
        fair = left ** (1 / (len(order) - done))
        shares[axis] = max(1, min(distinct[axis], int(fair + 1e-9)))
        left = max(1.0, left / shares[axis])
    return shares


def _first(box: Box) -> tuple[int, ...]:
    return tuple(codes[0][0] for codes in box)
