"""Upper bounds on the heaviest load of many columns: what is booked is split over groups of columns (theory I14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.sums import total
from partita.composition.account.loads.wide.cover import Cover, Restriction

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEAR, NEARER, LEAST = 0.1, 0.9, 0.002
"""How far below the heaviest cell of a group cells count at first (in mean heaviest cells), how fast that shrinks, and
the least of it."""

MOVED, RECENT = 5.0, 0.3
"""How far weight moves in one turn, and the part of the latest split in the mean of all of them."""

HOPELESS = {3: 1.27, 5: 1.16, 7: 1.1, 9: 1.065, 11: 1.045, 13: 1.03, 15: 1.022, 17: 1.016, 19: 1.011, 21: 1.007}
"""After these turns, how far above the threshold a bound is not worth further turns."""

KEEN = (0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.05, 0.0)
"""Turn by turn, what a region counts for each of its parts that lacks elsewhere, when heavy values are looked for."""


@final
class Splits:
    """The regions that reach a part of the domain, with weights, and ways to split each weight over its groups.

    For any split the sum over groups of their heaviest cells is at least the load of every value there: each value
    has one cell in every group, and is in a region only if its cell is in each part of it. Weights are whole
    numbers; the split is looked for in floating point, and what it proves is counted in whole numbers. `sum` is all
    weights together, the plainest bound.
    """

    __slots__ = (
        "_allowed",
        "_cells",
        "_cover",
        "_group",
        "_offsets",
        "_part",
        "_region",
        "_start",
        "_stop",
        "shift",
        "sum",
        "weight",
        "where",
    )  # fmt: skip

    def __init__(self, cover: Cover, weight: Integers, where: Restriction, most: int) -> None:
        found = cover.segments()
        self._cover, self.where = cover, where
        self._offsets = cover.offsets
        self._allowed = cover.reached(where)
        usable = weight > 0
        if self._allowed is not None:
            counted: Integers = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(self._allowed)))
            meets = counted[found.stop] > counted[found.start]
            reached = np.bincount(found.part[meets], minlength=len(found.region)) > 0
            usable = usable & (np.bincount(found.region[~reached], minlength=len(weight)) == 0)
            kept = usable[found.region[found.part]] & meets
        else:
            kept = usable[found.region[found.part]]
        # Those that cannot be met are left out; the others are numbered anew.
        parts = np.flatnonzero(usable[found.region])
        self._start, self._stop = found.start[kept], found.stop[kept]
        self._part = (np.cumsum(usable[found.region]) - 1)[found.part[kept]]
        self._region = (np.cumsum(usable) - 1)[found.region[parts]]
        self._group = found.group[parts]
        self.weight = weight[usable]
        self.sum = total(self.weight)
        # All of it together may be more than 64 bits hold: then it is counted in larger units, each weight rounded up.
        self.shift = max(0, self.sum.bit_length() - most.bit_length() + 1)
        if self.shift:
            self.weight = (self.weight >> self.shift) + 1
        self._cells = cover.homes

    @property
    def offsets(self) -> Integers:
        """The first cell of each group."""
        return self._offsets

    @property
    def work(self) -> int:
        """The numbers that one look at all groups takes."""
        return len(self._start) + len(self._part) + int(self._offsets[-1])

    def fair(self) -> Floats:
        """A first split: more to the groups where a part has a smaller share of the cells."""
        lengths = np.bincount(self._part, weights=self._stop - self._start, minlength=len(self._region))
        share = np.diff(self._offsets)[self._group] / np.maximum(lengths, 1)
        return self._shares(share)

    def _shares(self, share: Floats) -> Floats:
        found: Floats = share / np.bincount(self._region, weights=share, minlength=len(self.weight))[self._region]
        return found

    def better(self, share: Floats, cells: Floats, heaviest: Floats, turn: int) -> Floats:
        """Weight moves to the groups whose heavy cells a region holds less of.

        The gradient of a smooth maximum, with (1 + x/8)^8 for its exponential: products alone are the same everywhere.
        """
        near = max(LEAST, NEAR * NEARER**turn) * max(float(heaviest.mean()), np.finfo(np.float64).tiny)
        heavy = np.maximum(1 + (cells - heaviest[self._cells]) / (8 * near), 0)
        for _ in range(3):
            heavy *= heavy
        if self._allowed is not None:
            heavy[~self._allowed] = 0
        total_of = np.maximum(np.add.reduceat(heavy, self._offsets[:-1]), np.finfo(np.float64).tiny)
        running = np.concatenate(([0.0], np.cumsum(heavy / total_of[self._cells])))
        held = np.bincount(self._part, weights=running[self._stop] - running[self._start], minlength=len(self._region))
        step = 1 + MOVED / 2 * np.maximum(held, 0)
        return self._shares(share / (step * step))

    def _loads(self, amounts: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        """What each cell carries of amounts given for each part; cells that are not looked at carry nothing."""
        count = int(self._offsets[-1])
        here = amounts[self._part]
        cells = np.cumsum(
            np.bincount(self._start, weights=here, minlength=count + 1)[:count]
            - np.bincount(self._stop, weights=here, minlength=count + 1)[:count]
        )
        if self._allowed is not None:
            cells[~self._allowed] = 0
        return cells

    def parts(self, share: Floats, weight: Integers | None = None) -> Integers:
        """A split in whole numbers: those of a region come to its weight at least."""
        weight = self.weight if weight is None else weight
        given: Integers = np.floor(weight[self._region] * share).astype(np.int64)
        missing = weight.copy()
        np.subtract.at(missing, self._region, given)
        first = np.full(len(weight), len(self._region), dtype=np.int64)
        np.minimum.at(first, self._region, np.arange(len(self._region)))
        given[first] += np.maximum(missing, 0)
        return given

    def listed(self, share: Floats, unit: int) -> list[tuple[tuple[int, int], ...]]:
        """A split of so many parts of each region that weighs something: groups, and how many parts each is given."""
        given = self.parts(share, np.full(len(self.weight), unit, dtype=np.int64))
        found: list[list[tuple[int, int]]] = [[] for _ in self.weight]
        for region, group, part in zip(self._region.tolist(), self._group.tolist(), given.tolist(), strict=True):
            if part:
                found[region].append((group, part))
        return [tuple(parts) for parts in found]

    def loads(self, given: Integers) -> Integers:
        """What each cell carries of a split, in whole numbers."""
        changes = np.zeros(int(self._offsets[-1]) + 1, dtype=np.int64)
        here = given[self._part]
        np.add.at(changes, self._start, here)
        np.subtract.at(changes, self._stop, here)
        cells: Integers = np.cumsum(changes[:-1])
        if self._allowed is not None:
            cells[~self._allowed] = 0
        return cells

    def bound(self, share: Floats) -> tuple[int, Integers]:
        """What a split proves, and what each cell carries of it."""
        cells = self.loads(self.parts(share))
        return int(np.maximum.reduceat(cells, self._offsets[:-1]).sum()) << self.shift, cells

    def heaviest(self, cells: Integers | Floats) -> Integers:
        """The heaviest cell of each group."""
        if self._allowed is not None:
            cells = np.where(self._allowed, cells, -1)
        most = np.maximum.reduceat(cells, self._offsets[:-1])
        places = np.where(cells == most[self._cells], np.arange(len(cells)), len(cells))
        found: Integers = np.minimum.reduceat(places, self._offsets[:-1])
        return found

    def proven(self, threshold: int, turns: int, allowance: Allowance) -> tuple[int, Integers | None]:
        """The least bound found, and what cells then carry.

        No further splits are looked at once it is within the threshold, or far above it; those that are do not depend
        on the threshold.
        """
        if self.sum <= threshold or not len(self.weight):
            return self.sum, None
        # How far a split in whole numbers may be from the same in floating point.
        near = (threshold >> self.shift) + len(self._region) + 1
        kept, tested, floor = None, np.inf, 0.0
        for turn, (share, value) in enumerate(self.tried(turns, allowance)):
            kept = share
            if value <= near and value < tested:
                tested = value
                found, cells = self.bound(share)
                if found <= threshold:
                    return found, cells
            if turn in HOPELESS:
                # Whatever threshold ends the looking here, no less than this is said to be the bound.
                floor = max(floor, value / HOPELESS[turn])
                if threshold >= 0 and floor > near:
                    break
        if kept is None:
            return self.sum, None
        found, cells = self.bound(kept)
        return min(max(found, ceil(floor) << self.shift), self.sum), cells

    def best(self, turns: int, allowance: Allowance) -> Floats:
        """The best split that is tried, or the first one."""
        tried = [share for share, _ in self.tried(turns, allowance)]
        return tried[-1] if tried else self.fair()

    def tried(self, turns: int, allowance: Allowance) -> Iterator[tuple[Floats, float]]:
        """Turn by turn the best split so far, and what it comes to in floating point.

        The mean of several splits is a split, and seldom far from the best one.
        """
        share = steady = kept = self.fair()
        carried, least = None, np.inf
        for turn in range(turns):
            if not allowance.take(self.work):
                return
            cells = self._loads(self.weight[self._region] * share)
            if carried is None:
                carried = cells
            else:
                carried = carried + RECENT * (cells - carried)
                steady = steady + RECENT * (share - steady)
                value = float(np.maximum.reduceat(cells, self._offsets[:-1]).sum())
                if value < least:
                    least, kept = value, share
            heaviest = np.maximum.reduceat(carried, self._offsets[:-1])
            if float(heaviest.sum()) < least:
                least, kept = float(heaviest.sum()), steady
            yield kept, least
            share = self.better(share, carried, heaviest, turn)

    def climbed(self, cells: Integers, turns: Sequence[float] = KEEN) -> Integers:
        """Other cells by several turns, in the first of which regions count a little that are not met elsewhere yet."""
        for keen in turns:
            cells = self.improved(cells, keen)
        return cells

    def improved(self, cells: Integers, keen: float = 0.0) -> Integers:
        """Other cells, group by group, that more weight holds while all other groups stay as they are.

        With ``keen`` a region counts so much, once for each of its parts elsewhere whose cell is another.
        """
        cells = cells.copy()
        count = np.bincount(self._region, minlength=len(self.weight))
        met = self._met(cells)
        inside = np.bincount(self._region[met], minlength=len(self.weight))
        ends = np.searchsorted(self._group[self._part], np.arange(len(self._offsets)))
        # Another cell can hold more only if some region lacks nothing but its part there.
        lacking = ~met & (inside == count - 1)[self._region]
        for group in np.unique(self._group if keen else self._group[lacking]).tolist():
            first, last = int(ends[group]), int(ends[group + 1])
            part = self._part[first:last]
            region = self._region[part]
            missing = count[region] - 1 - (inside[region] - met[part])
            if not keen and missing.all():
                continue
            low, high = int(self._offsets[group]), int(self._offsets[group + 1])
            changes: npt.NDArray[Any] = np.zeros(high - low + 1, dtype=np.float64 if keen else np.int64)
            amounts = self.weight[region] * keen**missing if keen else np.where(missing, 0, self.weight[region])
            np.add.at(changes, self._start[first:last] - low, amounts)
            np.subtract.at(changes, self._stop[first:last] - low, amounts)
            loads = np.cumsum(changes[:-1])
            if self._allowed is not None:
                loads[~self._allowed[low:high]] = -1
            best = int(loads.argmax())
            if loads[best] > loads[cells[group] - low]:
                cells[group] = low + best
                now = (self._start[first:last] <= low + best) & (self._stop[first:last] > low + best)
                fresh = np.zeros(len(met), dtype=bool)
                fresh[part[now]] = True
                mine = part[np.flatnonzero(np.diff(part, prepend=-1))]
                np.add.at(inside, self._region[mine], fresh[mine].astype(np.int64) - met[mine])
                met[mine] = fresh[mine]
        return cells

    def contested(self) -> list[int]:
        """Groups in the order of how much weight is inside some cells of theirs and outside others, the most first."""
        allowed = np.ones(int(self._offsets[-1]), dtype=bool) if self._allowed is None else self._allowed
        counted: Integers = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(allowed)))
        covered = np.bincount(
            self._part, weights=counted[self._stop] - counted[self._start], minlength=len(self._region)
        )
        cells = np.diff(counted[self._offsets])[self._group]
        apart = self.weight[self._region] * np.minimum(covered, cells - covered) / np.maximum(cells, 1)
        score = np.bincount(self._group, weights=apart, minlength=len(self._offsets) - 1)
        return [int(group) for group in np.argsort(-score, kind="stable") if score[group] > 0]

    def _met(self, cells: Integers) -> npt.NDArray[np.bool_]:
        at = cells[self._group[self._part]]
        met = np.zeros(len(self._region), dtype=bool)
        met[self._part[(self._start <= at) & (self._stop > at)]] = True
        return met

    def codes(self, cells: Integers) -> dict[int, int]:
        """The value that a cell of each group stands for."""
        return self._cover.codes(cells, self.where)
