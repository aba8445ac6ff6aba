"""Loads of pairs of record values of a table with many columns (theory E11, I14)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any, final

import numpy as np

from partita.composition.account.loads.allowance import Allowance, allowance
from partita.composition.account.loads.pairs import Pair, PairDecision, PairLoads
from partita.composition.account.loads.sums import countable, held, totals
from partita.composition.account.loads.wide.booked import Booked, Scoped
from partita.composition.account.loads.wide.cover import Restriction
from partita.composition.account.loads.wide.elimination import Elimination, twice
from partita.composition.account.loads.wide.pair_splits import PairSplits
from partita.composition.account.loads.wide.splits import Splits
from partita.composition.account.loads.wide.touched import Integers, Point, Touched, restrictions
from partita.composition.account.loads.wide.values import WideLoads
from partita.limits import Limits, current
from partita.region import box as boxes_of
from partita.region.box import Box
from partita.region.codes import Codes

SEVERAL = 8
"""Boxes of a region up to which all pairs of them are listed."""

TURNS = 3
"""How often each value of a change is looked for anew, the other one given."""


@final
class WidePairLoads:
    """Loads of pairs, with the face of `PairLoads`, for any number of columns.

    Two rows that agree on every constrained column may differ in another: such a change costs ``substitution`` of every
    region that holds them, and is counted by loads of values beside those of pairs.
    """

    __slots__ = ("_base", "_booked", "_equal", "_narrow", "_order", "_other", "_serial", "_split", "_touched",
                 "_values", "budget", "limits", "shape")  # fmt: skip

    def __init__(self, shape: Sequence[int], budget: Sequence[int], limits: Limits | None = None) -> None:
        self.limits = limits or current()
        self.shape = tuple(shape)
        self.budget = countable(budget)
        self._base = [0] * len(self.budget)
        self._booked = Booked(2 * len(self.budget))
        # A field has a number for each two cells.
        self._touched = Touched(self.shape, isqrt(8 * self.limits.grouped))
        self._equal = WideLoads(self.shape, self.budget, self.limits)
        self._order: list[int] = []
        self._narrow: PairLoads | None = None
        # What is known until something is booked.
        self._split: dict[int, PairSplits] = {}
        self._other: dict[int, int] = {}
        self._values: dict[tuple[int, tuple[tuple[int, Codes], ...]], Point] = {}
        self._serial = 0

    @property
    def exact(self) -> bool:
        """Whether every load is known exactly; never once all columns are constrained, where equal rows are counted."""
        return (self._narrow is not None or not self._booked.regions) and self._free(()) is not None

    @property
    def state(self) -> tuple[int, int]:
        """Changes with every booking."""
        return self._serial, 0

    @property
    def base(self) -> tuple[int, ...]:
        """What every pair carries."""
        return tuple(self._base)

    @property
    def booked(self) -> Booked:
        """Everything booked but on the whole domain."""
        return self._booked

    def _free(self, axes: Sequence[int]) -> int | None:
        """A column that no region constrains, nor one with these axes, and that has two values."""
        taken = {*self._touched.cuts, *axes}
        return next((axis for axis, size in enumerate(self.shape) if size > 1 and axis not in taken), None)

    # --- decisions -------------------------------------------------------------------------------------------

    def decide(self, boxes: Sequence[Box], one: Sequence[int], substitution: Sequence[int]) -> PairDecision:
        """Whether the costs can be booked on disjoint boxes; nothing is booked."""
        if not boxes:
            return PairDecision(fits=True)
        one, substitution = held(one), held(substitution)
        region = self._touched.scoped(boxes)
        if not region.axes:
            one = substitution
        shared = allowance(self.limits)
        for component, limit in enumerate(self.budget):
            mine, ours = one[component], substitution[component]
            left = limit - self._base[component]
            if (mine or ours) and self._most(component) + max(mine, ours) > left:
                found = self._decide(region, component, mine, ours, left, shared)
                if found is not None:
                    return found
        return PairDecision(fits=True)

    def _most(self, component: int) -> int:
        """No change costs more than the larger of one and the substitution of every region."""
        parts = len(self.budget)
        amounts = self._booked.amounts
        return totals(np.maximum(amounts[:, component], amounts[:, parts + component])[:, None])[0]

    def _decide(
        self, region: Scoped, component: int, one: int, substitution: int, left: int, shared: Allowance
    ) -> PairDecision | None:
        if self._narrow is not None or not self._booked.regions:
            return self._exactly(region, component, one, substitution, left)
        for where in restrictions(region, self.limits.hulls):
            asked: list[tuple[int, Restriction]] = [(one, {})]
            if substitution > one:
                asked.append((substitution, where if len(region.boxes) == 1 else {}))
            for cost, other in asked:
                upper = self._bounded(where, other, component, left - cost, shared) if cost else 0
                if upper + cost > left:
                    pair, load = self._met(where, component)
                    costs = (0, one, substitution)[region.holds(pair[0]) + region.holds(pair[1])]
                    if costs and pair[0] != pair[1] and load + costs > left:
                        load += self._base[component]
                        return PairDecision(fits=False, component=component, witness=pair, load=load)
                    load = upper + self._base[component]
                    return PairDecision(fits=False, component=component, load=load, proven=False)
        return None

    def _exactly(self, region: Scoped, component: int, one: int, substitution: int, left: int) -> PairDecision | None:
        """On the grid of constrained columns; a region that constrains another one may be left by that one alone."""
        base, parts = self._base[component], len(self.budget)
        dearest = substitution if set(region.axes) <= set(self._order) else max(one, substitution)
        if dearest:
            peak = self._equal.highest(self._lifted(region), component)
            if peak.upper + dearest > left:
                # Two rows that agree on all constrained columns.
                free = self._free(region.axes)
                if free is None or peak.lower + substitution <= left:
                    return PairDecision(fits=False, component=component, load=peak.upper + base, proven=False)
                pair = (peak.witness, self._moved(peak.witness, free))
                return PairDecision(fits=False, component=component, witness=pair, load=peak.lower + base)
        if self._narrow is None:
            # Nothing is booked yet but on the whole domain.
            if max(one, substitution) <= left:
                return None
            return PairDecision(fits=False, component=component, load=base, proven=False)
        amounts = (tuple(cost if at == component else 0 for at in range(parts)) for cost in (one, dearest))
        found = self._narrow.decide(self._along(region), *amounts)
        if found.fits:
            return None
        pair_ = None if found.witness is None else self._pair_of_all(found.witness, region)
        proven = found.proven and dearest == substitution
        return PairDecision(fits=False, component=component, witness=pair_, load=found.load, proven=proven)

    def _moved(self, point: Point, axis: int) -> Point:
        """A value that differs along one axis."""
        return tuple((code + 1) % self.shape[at] if at == axis else code for at, code in enumerate(point))

    def _lifted(self, region: Scoped) -> list[Box]:
        """The boxes of a region on all axes."""
        found = []
        for box in region.boxes:
            codes = dict(zip(region.axes, box, strict=True))
            found.append(tuple(codes.get(axis, ((0, size),)) for axis, size in enumerate(self.shape)))
        return found

    def _along(self, region: Scoped) -> list[Box]:
        """Disjoint boxes of the constrained columns alone."""
        places = {axis: at for at, axis in enumerate(region.axes)}
        found = [
            tuple(box[places[axis]] if axis in places else ((0, self.shape[axis]),) for axis in self._order)
            for box in region.boxes
        ]
        # They are told apart by the columns that the region constrains.
        apart = len(found) == 1 or set(region.axes) <= set(self._order)
        return found if apart else boxes_of.disjoint(dict.fromkeys(found))

    def _pair_of_all(self, pair: Pair, region: Scoped) -> Pair:
        """A pair of the constrained columns as one of all columns, its values inside the region where they can be."""
        return self._value(pair[0], region), self._value(pair[1], region)

    def _value(self, point: Point, region: Scoped) -> Point:
        codes = dict(zip(self._order, point, strict=True))
        for where in restrictions(region, len(region.boxes)):
            if all(any(a <= codes.get(axis, a) < b for a, b in along) for axis, along in where.items()):
                return self._touched.filled(codes, where)
        return self._touched.filled(codes, {})

    def _bounded(
        self, first: Restriction, second: Restriction, component: int, threshold: int, shared: Allowance
    ) -> int:
        """A bound on every change from a value of one restriction to one of another, on top of the base."""
        parts, patience = len(self.budget), shared.patience
        amounts = self._booked.amounts
        one, substitution = amounts[:, component], amounts[:, parts + component]
        cover = self._touched.cover(self._booked.regions)
        most = max(1, self.limits.single >> 4)
        split = self._split.get(component) if patience == 1 else None
        if split is None:
            # Bounded by itself, so that what it proves does not depend on what was asked before.
            own = Allowance(self.limits, patience)
            split = PairSplits(cover, one, substitution, self.limits.splits * patience, most, own)
            if patience == 1:
                self._split[component] = split
        upper = split.bound(first, second)
        if upper <= threshold:
            return upper
        # Each of the two values pays at most the larger of one and half of the substitution.
        weight = np.maximum(one, -(-substitution // 2))

        def heaviest(where: Restriction, above: int, allowed: Allowance) -> int:
            return Splits(cover, weight, where, most).proven(above, self.limits.splits * patience, allowed)[0]

        if second or patience > 1:
            other = heaviest(second, -1, shared)
        else:
            # Of all values, whatever is asked: bounded by itself, once after each booking.
            if component not in self._other:
                self._other[component] = heaviest({}, -1, Allowance(self.limits, patience))
            other = self._other[component]
        if threshold < 0 or other <= threshold:
            upper = min(upper, other + heaviest(first, max(-1, threshold - other), shared))
        exactly = self._eliminated(first, second, component, shared) if upper > threshold else None
        return upper if exactly is None else min(upper, exactly)

    def _eliminated(self, first: Restriction, second: Restriction, component: int, shared: Allowance) -> int | None:
        """The heaviest change, two values that agree included, on twice the columns; None where many are linked."""
        regions, columns, most = self._booked.regions, len(self.shape), self.limits.eliminated
        if not self._touched.loose(regions, most, pairs=True) or any(len(one.boxes) > SEVERAL for one in regions):
            return None
        parts, amounts = len(self.budget), self._booked.amounts
        one, substitution = amounts[:, component], amounts[:, parts + component]
        if 4 * sum(map(sum, zip(one.tolist(), substitution.tolist(), strict=True))) >= self.limits.single:
            return None
        cuts = self._touched.cuts | {axis + columns: ends for axis, ends in self._touched.cuts.items()}
        where = {**first, **{axis + columns: codes for axis, codes in second.items()}}
        steps = Elimination(cuts, 2 * self.shape, where, most, shared)
        alone, other, both = zip(*(twice(region, columns) for region in regions), strict=True)
        # Exactly one value inside: one; both: one twice, and what is missing to the substitution.
        weight = np.concatenate((one, one, substitution - 2 * one))
        found = steps.heaviest([*alone, *other, *both], weight)
        return None if found is None else found[0]

    def may_exceed(self, boxes: Sequence[Box], component: int, most: int) -> bool:
        """Whether a change of a value there may lose more than this, as far as loads are exact or changes are met."""
        if self._narrow is not None or not self._booked.regions or not boxes:
            return True
        above, region = most - self._base[component], self._touched.scoped(boxes)
        wheres = restrictions(region, self.limits.hulls)
        return above < 0 or any(self._met(where, component)[1] > above for where in wheres)

    def _heavy(self, where: Restriction, component: int) -> Point:
        """A value of a restriction in many regions; of one restriction it is looked for once after each booking."""
        key = component, tuple(where.items())
        if key not in self._values:
            split = Splits(
                self._touched.cover(self._booked.regions),
                self._booked.amounts[:, component],
                where,
                max(1, self.limits.single),
            )
            codes: dict[int, int] = {}
            if len(split.weight):
                codes = split.codes(split.improved(split.heaviest(split.bound(split.fair())[1])))
            if len(self._values) >= max(2, self.limits.hot_pairs):
                self._values.clear()
            self._values[key] = self._touched.filled(codes, where)
        return self._values[key]

    def _met(self, where: Restriction, component: int) -> tuple[Pair, int]:
        """A heavy change of a value of a restriction, and what it loses on top of the base."""
        first = self._heavy(where, component)
        nowhere = tuple(0 for _ in self.shape)
        last = tuple(size - 1 for size in self.shape)
        pairs = [(first, other) for other in (self._heavy({}, component), nowhere, last) if other != first]
        found = [(self._pair(*pair)[component], pair) for pair in pairs]
        load, pair = max(found, default=(0, (first, first)))
        if allowance(self.limits).patience > 1:
            load, pair = self._climbed(load, pair, where, component)
        return pair, load

    def _climbed(self, load: int, pair: Pair, where: Restriction, component: int) -> tuple[int, Pair]:
        """A heavier change, by looking in turn for what one of its values would best be, the other one given."""
        cover, parts, amounts = self._touched.cover(self._booked.regions), len(self.budget), self._booked.amounts
        one, substitution = amounts[:, component], amounts[:, parts + component]
        for place in (1, 0) * TURNS:
            gains = np.where(self._booked.inside(pair[1 - place]), substitution - one, one)
            split = Splits(cover, np.maximum(gains, 0), {} if place else where, max(1, self.limits.single))
            if not len(split.weight):
                continue
            cells = split.climbed(split.heaviest(split.bound(split.fair())[1]))
            point = self._touched.filled(split.codes(cells), split.where)
            other = (pair[0], point) if place else (point, pair[1])
            lost = self._pair(*other)[component]
            if lost > load and other[0] != other[1]:
                load, pair = lost, other
        return load, pair

    # --- booking ---------------------------------------------------------------------------------------------

    def book(
        self,
        boxes: Sequence[Box],
        one: Sequence[int],
        substitution: Sequence[int],
        proofs: Sequence[tuple[int, tuple[Any, ...], int]] = (),
    ) -> None:
        """Book the costs on disjoint boxes, whether or not they fit."""
        if not boxes:
            return
        self._serial += 1
        one, substitution = held(one), held(substitution)
        region = self._touched.scoped(boxes)
        if not region.axes:
            self._base = list(held(base + amount for base, amount in zip(self._base, substitution, strict=True)))
            if self._narrow is not None:
                self._narrow.book([tuple(((0, self.shape[axis]),) for axis in self._order)], substitution, substitution)
            return
        if not any(one) and not any(substitution):
            return
        first = not self._booked.regions
        if self._booked.add(region, (*one, *substitution)):
            self._touched.add(region)
        self._split, self._other, self._values = {}, {}, {}
        self._equal.book(boxes, substitution)
        if self._narrow is None and not first:
            return
        if 2 * self._touched.cells * len(self.budget) > self.limits.numbers:
            self._narrow = None
            return
        along = self._along(region) if set(region.axes) <= set(self._order) else []
        if self._narrow is not None and along and self._narrow.grid.fits(along):
            self._narrow.book(along, one, substitution)
            if self._narrow.exact:
                return
        self._renew()

    def _renew(self) -> None:
        """A grid of all constrained columns."""
        self._order = list(self._touched.cuts)
        self._narrow = PairLoads([self.shape[axis] for axis in self._order], self.budget, self.limits)
        self._narrow.book([tuple(((0, self.shape[axis]),) for axis in self._order)], self._base, self._base)
        parts = len(self.budget)
        for region, amounts in zip(self._booked.regions, self._booked.amounts.tolist(), strict=True):
            self._narrow.book(self._along(region), amounts[:parts], amounts[parts:])
        if not self._narrow.exact:
            self._narrow = None

    # --- readings --------------------------------------------------------------------------------------------

    def _pair(self, first: Point, second: Point) -> list[int]:
        mine, theirs = self._booked.inside(first), self._booked.inside(second)
        parts, amounts = len(self.budget), self._booked.amounts
        alone, together = totals(amounts[mine ^ theirs][:, :parts]), totals(amounts[mine & theirs][:, parts:])
        return [one + substitution for one, substitution in zip(alone, together, strict=True)]

    def pair_of(self, first: Point, second: Point) -> list[int]:
        """The exact loss of a change between two values."""
        return [base + load for base, load in zip(self._base, self._pair(first, second), strict=True)]

    def weight_of(self, codes: Point) -> list[int]:
        """A load with pair(v, w) <= weight(v) + weight(w)."""
        parts, amounts = len(self.budget), self._booked.amounts[self._booked.inside(codes)]
        return list(held(totals(np.maximum(amounts[:, :parts], -(-amounts[:, parts:] // 2)))))

    def highest(self, boxes: Sequence[Box], component: int) -> tuple[int, int, Pair]:
        """The heaviest pair with a value in the boxes: a lower and an upper bound, and a pair."""
        region, base = self._touched.scoped(boxes), self._base[component]
        if self._narrow is not None:
            _, upper, narrow = self._narrow.highest(self._along(region), component)
            pair, equal = self._pair_of_all(narrow, region), self._equal.highest(boxes, component)
            lower = self._pair(*pair)[component] if pair[0] != pair[1] else 0
            free = self._free(())
            if free is not None and equal.lower > lower:
                # The column is free in every booked region, and may be left by the one that is asked about.
                lower, pair = equal.lower, (equal.witness, self._moved(equal.witness, free))
            return base + lower, max(upper, base + equal.upper), pair
        best: tuple[int, int, Pair] | None = None
        shared = allowance(self.limits)
        for where in restrictions(region, self.limits.hulls):
            upper, pair, lower = 0, (self._touched.filled({}, where),) * 2, 0
            if self._booked.regions:
                upper = self._bounded(where, {}, component, -1, shared)
                pair, lower = self._met(where, component)
                lower = lower if pair[0] != pair[1] and any(map(region.holds, pair)) else 0
            found = (base + lower, base + max(lower, upper), pair)
            best = found if best is None else (max(best[0], found[0]), max(best[1], found[1]), max(best, found)[2])
        assert best is not None
        return best

    def ends(self, axis: int, most: int) -> Integers:
        """Where cells of an axis begin, and where the last ends; every second one, or fewer, of many."""
        return self._touched.ends(axis, most)

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return self._booked.nbytes() + (0 if self._narrow is None else self._narrow.nbytes())
