"""Loads of record values of a table with many columns: exact while few are asked about, bounds beyond (theory I14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance, allowance
from partita.composition.account.loads.hot import RecentPoints
from partita.composition.account.loads.sums import countable, held
from partita.composition.account.loads.values import Decision, Peak, ValueLoads
from partita.composition.account.loads.wide.booked import Booked, Scoped
from partita.composition.account.loads.wide.cover import Restriction
from partita.composition.account.loads.wide.divided import Divisible, divided
from partita.composition.account.loads.wide.elimination import Elimination
from partita.composition.account.loads.wide.shown import Shown
from partita.composition.account.loads.wide.splits import KEEN, Splits
from partita.composition.account.loads.wide.touched import Point, Touched, restrictions
from partita.limits import Limits, current
from partita.region.box import Box

Integers = npt.NDArray[np.int64]
Heavy = tuple[int, Point]
"""A load, and a value that carries it."""


@final
class WideLoads:
    """Loads as integers in the budget's unit, with the face of `ValueLoads`, for any number of columns.

    Columns that no booked region constrains do not matter. While the others make a grid that is small enough, the
    loads on it are exact. Beyond, every charge is split over groups of columns, and the heaviest cells of all groups
    together bound every load.
    """

    __slots__ = ("_base", "_booked", "_hot", "_narrow", "_order", "_shown", "_touched", "budget", "limits", "shape")

    def __init__(self, shape: Sequence[int], budget: Sequence[int], limits: Limits | None = None) -> None:
        self.limits = limits or current()
        self.shape = tuple(shape)
        self.budget = countable(budget)
        self._base = [0] * len(self.budget)
        self._booked = Booked(len(self.budget))
        self._touched = Touched(self.shape, self.limits.grouped)
        self._order: list[int] = []
        self._narrow: ValueLoads | None = None
        self._shown = Shown(self.limits.shown)
        self._hot = RecentPoints(len(self.shape), len(self.budget), self.limits.hot)

    @property
    def exact(self) -> bool:
        """Whether every load is known exactly, and not only bounded."""
        return self._narrow is not None or not self._booked.regions

    @property
    def base(self) -> tuple[int, ...]:
        """What every value carries."""
        return tuple(self._base)

    @property
    def booked(self) -> Booked:
        """Everything booked but on the whole domain."""
        return self._booked

    @property
    def narrow(self) -> tuple[tuple[int, ...], ValueLoads] | None:
        """The constrained columns and the exact loads on them, while there are some."""
        return None if self._narrow is None else (tuple(self._order), self._narrow)

    # --- decisions -------------------------------------------------------------------------------------------

    def decide(self, boxes: Sequence[Box], cost: Sequence[int]) -> Decision:
        """Whether the cost can be booked on disjoint boxes; nothing is booked."""
        if not boxes:
            return Decision(fits=True)
        shared = allowance(self.limits)
        region: Scoped | None = None
        for component, amount in enumerate(cost):
            if not amount:
                continue
            threshold = self.budget[component] - self._base[component] - amount
            if threshold >= self._booked.sums[component]:
                continue
            region = region or self._touched.scoped(boxes)
            found = self._decide(region, component, threshold, shared)
            if found is not None:
                return found
            if shared.patience > 1 and self._narrow is None:
                self._keep(region, component, threshold)
        return Decision(fits=True)

    def _decide(self, region: Scoped, component: int, threshold: int, shared: Allowance) -> Decision | None:
        shown = self._shown.least(region, component)
        if shown is not None and shown <= threshold:
            return None
        if threshold < 0:
            point = self._touched.filled({}, next(restrictions(region, len(region.boxes))))
            return Decision(fits=False, component=component, witness=point, load=self.load_of(point)[component])
        if self._narrow is not None:
            peak = self._exactly(region, component)
            if peak.upper <= threshold + self._base[component]:
                return None
            return Decision(fits=False, component=component, witness=peak.witness, load=peak.lower)
        for where in restrictions(region, self.limits.hulls):
            known = self._known(where, component, threshold)
            upper, (load, point) = (0, known) if known else self._bounded(where, component, threshold, shared)
            if not known and upper <= threshold:
                continue
            if load > threshold and region.holds(point):
                load += self._base[component]
                return Decision(fits=False, component=component, witness=point, load=load)
            load = max(upper, threshold + 1) + self._base[component]
            return Decision(fits=False, component=component, load=load, proven=False)
        return None

    def _known(self, where: Restriction, component: int, threshold: int) -> Heavy | None:
        """A remembered value there with a load above the threshold; columns that no region constrains are free."""
        cut = [(axis, codes) for axis, codes in where.items() if axis in self._touched.cuts]
        found = self._hot.above(cut, component, threshold)
        if found is None:
            return None
        return found[0], self._touched.filled({axis: found[1][axis] for axis in self._touched.cuts}, where)

    def _bounded(self, where: Restriction, component: int, threshold: int, shared: Allowance) -> tuple[int, Heavy]:
        """A bound on all loads of a restriction, a heavy value of it and its load, all on top of the base."""
        splits = Splits(
            self._touched.cover(self._booked.regions),
            self._booked.amounts[:, component],
            where,
            max(1, self.limits.single),
        )
        upper, carried = splits.proven(threshold, self.limits.splits, shared)
        if carried is None or upper <= threshold:
            point = self._touched.filled({}, where)
            return upper, (self._booked.of(point)[component] if upper > threshold else 0, point)
        if (exactly := self._eliminated(where, component, shared)) is not None:
            return exactly
        looked = [(splits, carried)]
        if shared.patience > 1:
            parts = self.limits.divided * (shared.patience - 1)
            upper, part = divided(splits, upper, threshold, parts, self._divisible(component, shared))
            looked += [(part, part.bound(part.fair())[1])] if part is not splits and len(part.weight) else []
        return upper, max(self._heavy(*each, component, shared) for each in looked)

    def _eliminated(self, where: Restriction, component: int, shared: Allowance) -> tuple[int, Heavy] | None:
        """The heaviest value of a restriction and its load, which is the bound, where few columns are linked."""
        if not self._touched.loose(self._booked.regions, self.limits.eliminated):
            return None
        weight = self._booked.amounts[:, component]
        if sum(weight.tolist()).bit_length() >= self.limits.single.bit_length():
            return None
        steps = Elimination(self._touched.cuts, self.shape, where, self.limits.eliminated, shared)
        found = steps.heaviest(self._booked.regions, weight)
        if found is None:
            return None
        upper, codes = found
        point = self._touched.filled(codes, where)
        loads = self._booked.of(point)
        self._hot.remember(point, loads)
        return max(upper, loads[component]), (loads[component], point)

    def _heavy(self, splits: Splits, carried: Integers, component: int, shared: Allowance) -> Heavy:
        """A value with much of what cells carry of a split, remembered with its load; with patience, of several."""
        cells = splits.heaviest(carried)
        tried = [splits.improved(cells) if shared.take(splits.work) else cells]
        if shared.patience > 1 and shared.take(len(KEEN) * splits.work):
            tried.append(splits.climbed(cells))
        found = []
        for each in tried:
            point = self._touched.filled(splits.codes(each), splits.where)
            loads = self._booked.of(point)
            self._hot.remember(point, loads)
            found.append((loads[component], point))
        return max(found)

    def may_exceed(self, boxes: Sequence[Box], component: int, most: int) -> bool:
        """Whether a value there may carry more than this, as far as loads are exact or values were met lately."""
        if self._narrow is not None or not boxes:
            return True
        above = most - self._base[component]
        wheres = restrictions(self._touched.scoped(boxes), self.limits.hulls)
        return above < 0 or any(self._known(where, component, above) is not None for where in wheres)

    def _divisible(self, component: int, shared: Allowance) -> Divisible:
        """Bounds on the loads of any restriction, the same way."""
        regions, amounts = self._booked.regions, self._booked.amounts[:, component]
        cover, most = self._touched.cover(regions), max(1, self.limits.single)
        return Divisible(cover, lambda where: Splits(cover, amounts, where, most), self.limits.splits, shared)

    def improve(self, boxes: Sequence[Box]) -> None:
        """Look for better bounds on the loads of disjoint boxes, with the patience in force, and keep them."""
        if self._narrow is None and boxes and self._booked.regions:
            for component in range(len(self.budget)):
                self._keep(
                    self._touched.scoped(boxes), component, self.highest(boxes, component).upper - self._base[component]
                )

    def _keep(self, region: Scoped, component: int, upper: int) -> None:
        """Keep a bound on what is booked in a region beyond the base; of other components all of it is one."""
        sums = self._booked.sums
        self._shown.keep(region, [upper if place == component else sums[place] for place in range(len(self.budget))])

    def _exactly(self, region: Scoped, component: int) -> Peak:
        """The heaviest value of a region on the grid of constrained columns."""
        assert self._narrow is not None
        places = {axis: at for at, axis in enumerate(region.axes)}
        best: Peak | None = None
        for box in region.boxes:
            along = tuple(box[places[axis]] if axis in places else ((0, self.shape[axis]),) for axis in self._order)
            peak = self._narrow.highest([along], component)
            if best is None or peak.upper > best.upper:
                codes = dict(zip(self._order, peak.witness, strict=True))
                point = self._touched.filled(codes, dict(zip(region.axes, box, strict=True)))
                best = Peak(peak.lower, peak.upper, point)
        assert best is not None
        return Peak(best.lower + self._base[component], best.upper + self._base[component], best.witness)

    def split(
        self, charges: Sequence[Sequence[Box]], unit: int
    ) -> tuple[list[tuple[int, ...]], list[list[tuple[tuple[int, int], ...]]]]:
        """Groups of columns, and for each component how many parts of a unit every charge on boxes gives to them."""
        cover, regions = self._touched.cover(self._booked.regions), self._booked.regions
        asked, anywhere = [self._touched.scoped(boxes) for boxes in charges], ((0, unit),)
        found = []
        for component in range(len(self.budget)):
            weight = self._booked.amounts[:, component]
            splits = Splits(cover, weight, {}, max(1, self.limits.single))
            best = splits.best(self.limits.splits, allowance(self.limits)) if weight.any() else splits.fair()
            places = np.flatnonzero(weight > 0).tolist()
            known = {regions[at]: parts for at, parts in zip(places, splits.listed(best, unit), strict=True)}
            found.append([known.get(region, anywhere) for region in asked])
        return [group.axes for group in cover.groups], found

    # --- booking ---------------------------------------------------------------------------------------------

    def book(self, boxes: Sequence[Box], cost: Sequence[int]) -> None:
        """Add the cost to every value of disjoint boxes, whether or not it fits."""
        region = self._add(boxes, cost)
        if region is None or (self._narrow is None and len(self._booked.regions) > 1):
            return
        if self._touched.cells * len(self.budget) > self.limits.numbers:
            self._narrow = None
            return
        along = self._along(region)
        if self._narrow is not None and set(region.axes) <= set(self._order) and self._narrow.grid.fits(along):
            self._narrow.book(along, cost)
            if self._narrow.exact:
                return
        self._renew()

    def load(self, charges: Sequence[tuple[Sequence[Box], Sequence[int]]]) -> None:
        """Book many charges at once."""
        before = self._booked.regions[:]
        for boxes, cost in charges:
            self._add(boxes, cost)
        if (self._narrow is not None or not before) and self._booked.regions:
            if self._touched.cells * len(self.budget) > self.limits.numbers:
                self._narrow = None
            else:
                self._renew()

    def _add(self, boxes: Sequence[Box], cost: Sequence[int]) -> Scoped | None:
        """List a charge; nothing is to be listed where there is no cost, and on the whole domain."""
        if not boxes or not any(cost):
            return None
        region = self._touched.scoped(boxes)
        if not region.axes:
            self._base = list(held(base + amount for base, amount in zip(self._base, cost, strict=True)))
            return None
        if self._booked.add(region, cost):
            self._touched.add(region)
        self._hot.add(region, held(cost))
        self._shown.add(region, held(cost))
        return region

    def _along(self, region: Scoped) -> list[Box]:
        places = {axis: at for at, axis in enumerate(region.axes)}
        return [
            tuple(box[places[axis]] if axis in places else ((0, self.shape[axis]),) for axis in self._order)
            for box in region.boxes
        ]

    def _renew(self) -> None:
        """A grid of all constrained columns, cut where regions end and nowhere else."""
        self._order = list(self._touched.cuts)
        self._narrow = ValueLoads([self.shape[axis] for axis in self._order], self.budget, replace(self.limits, bulk=0))
        self._narrow.load(
            [
                (self._along(region), amounts)
                for region, amounts in zip(self._booked.regions, self._booked.amounts.tolist(), strict=True)
            ]
        )
        if not self._narrow.exact:
            self._narrow = None

    # --- readings --------------------------------------------------------------------------------------------

    def load_of(self, codes: Sequence[int]) -> list[int]:
        """The exact loads of one value."""
        return [base + load for base, load in zip(self._base, self._booked.of(codes), strict=True)]

    def highest(self, boxes: Sequence[Box], component: int) -> Peak:
        """The heaviest load in disjoint boxes; beyond the grid, a bound and the heaviest value that was met."""
        if not boxes:
            return Peak(0, 0, ())
        region, base = self._touched.scoped(boxes), self._base[component]
        if self._narrow is not None:
            return self._exactly(region, component)
        shared, best = allowance(self.limits), None
        for where in restrictions(region, self.limits.hulls):
            upper, lower, point = 0, 0, self._touched.filled({}, where)
            if self._booked.regions:
                upper, (lower, point) = self._bounded(where, component, -1, shared)
            if not region.holds(point):
                # Of one that holds all boxes, but of no box.
                point = self._touched.filled({}, next(restrictions(region, len(region.boxes))))
                lower = self._booked.of(point)[component]
            upper, lower = upper + base, lower + base
            if best is None:
                best = Peak(lower, upper, point)
            best = Peak(max(lower, best.lower), max(upper, best.upper), point if lower > best.lower else best.witness)
        assert best is not None
        shown = self._shown.least(region, component)
        upper = best.upper if shown is None else min(best.upper, base + shown)
        return Peak(best.lower, upper, best.witness)

    def ends(self, axis: int, most: int) -> Integers:
        """Where cells of an axis begin, and where the last ends; every second one, or fewer, of many."""
        return self._touched.ends(axis, most)

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return self._booked.nbytes() + (0 if self._narrow is None else self._narrow.nbytes())

    def heaviest(self, box: Box, component: int) -> Point:
        """A value of a box that carries much."""
        return self.highest([box], component).witness


def loads_of(shape: Sequence[int], budget: Sequence[int], limits: Limits) -> ValueLoads | WideLoads:
    """The loads of values for so many columns."""
    return (WideLoads if len(shape) > limits.axes else ValueLoads)(shape, budget, limits)
