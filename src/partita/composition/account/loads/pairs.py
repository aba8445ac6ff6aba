"""The load of every pair of record values under change-one (theory E11), and the search for a pair above the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import allowance
from partita.composition.account.loads.changes import Changes
from partita.composition.account.loads.grid import Grid
from partita.composition.account.loads.partners import Partners
from partita.composition.account.loads.sums import countable, held
from partita.composition.account.loads.units import ROOM
from partita.limits import Limits, current
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.box import Box

Integers = npt.NDArray[np.int64]
Pair = tuple[tuple[int, ...], tuple[int, ...]]

FAR = 1 << 60


@final
@dataclass(frozen=True, slots=True)
class PairDecision:
    """Whether a charge fits every pair; if not, a pair and why, and whether that was proven.

    ``proofs`` are bounds found on the way, on the loss of every change of a value in some cells once the charge
    is booked.
    """

    fits: bool
    component: int = 0
    witness: Pair | None = None
    load: int = 0
    proven: bool = True
    proofs: list[tuple[int, tuple[Any, ...], int]] = field(default_factory=list)


@final
class PairLoads:
    """Loads of pairs; the grid holds two numbers a value, from which most charges are admitted at once.

    ``weight`` (components 0, 1, ...): a load M with pair(v, w) <= M(v) + M(w), where a region counts the larger of
    its cost for one and half its cost for a substitution. ``partner`` (the components after): a bound on pair(v, w)
    over all w, less ``_lift``, which every booking raises by its cost for one.
    """

    __slots__ = (
        "_base",
        "_changes",
        "_everything",
        "_grid",
        "_hot",
        "_lift",
        "_light",
        "_serial",
        "_tops",
        "budget",
        "limits",
        "shape",
    )

    def __init__(self, shape: Sequence[int], budget: Sequence[int], limits: Limits | None = None) -> None:
        self.limits = limits or current()
        self.shape = tuple(shape)
        self.budget = countable(budget)
        components = len(self.budget)
        self._grid = Grid(shape, 2 * components, self.limits.numbers, self.limits.full_below, self.limits.many)
        self._changes = Changes(len(shape), components)
        self._hot: list[tuple[Pair, list[int]]] = []
        self._base = [0] * components
        self._lift = [0] * components
        self._light = True
        self._serial = 0
        self._tops = [0] * components
        self._everything = tuple(((0, size),) for size in shape)

    @property
    def exact(self) -> bool:
        """Whether the grid has every break point, so that searches can be exact."""
        return self._grid.exact

    @property
    def state(self) -> tuple[int, int]:
        """Changes with every booking, and whenever the cells of the grid come to mean other values."""
        return self._serial, self._grid.version

    @property
    def changes(self) -> Changes:
        """Everything booked so far, but for what was booked on the whole domain."""
        return self._changes

    @property
    def base(self) -> tuple[int, ...]:
        """What every pair carries, on top of which everything else counts."""
        return tuple(self._base)

    @property
    def grid(self) -> Grid:
        """The numbers over the grid of break points."""
        return self._grid

    # --- decisions -------------------------------------------------------------------------------------------

    def decide(self, boxes: Sequence[Box], one: Sequence[int], substitution: Sequence[int]) -> PairDecision:
        """Whether the costs can be booked on disjoint boxes; nothing is booked."""
        proofs: list[tuple[int, tuple[Any, ...], int]] = []
        if not boxes:
            return PairDecision(fits=True)
        one, substitution = held(one), held(substitution)
        if boxes[0] == self._everything:
            one = substitution
        for component, limit in enumerate(self.budget):
            if one[component] or substitution[component]:
                if self._beyond(boxes, one[component], substitution[component], limit):
                    return PairDecision(fits=False, component=component, load=self._base[component])
                left = limit - self._base[component]
                found = self._decide(boxes, component, one[component], substitution[component], left, proofs)
                if found is not None:
                    return found
        return PairDecision(fits=True, proofs=proofs)

    def _beyond(self, boxes: Sequence[Box], one: int, substitution: int, limit: int) -> bool:
        """Whether a change loses more than all of the budget by this charge alone."""
        if one <= limit and substitution <= limit:
            return False
        inside = sum(map(boxes_of.size, boxes))
        return (one > limit and inside < prod(self.shape)) or (substitution > limit and inside > 1)

    def _decide(
        self,
        boxes: Sequence[Box],
        component: int,
        one: int,
        substitution: int,
        left: int,
        proofs: list[tuple[int, tuple[Any, ...], int]],
    ) -> PairDecision | None:
        weight = max(one, -(-substitution // 2))
        if 2 * (self._tops[component] + weight) <= left:
            return None
        for (first, second), loads in self._hot:
            inside = _held(boxes, first) + _held(boxes, second)
            if inside and loads[component] + (one if inside == 1 else substitution) > left:
                return self._refused(component, (first, second), loads[component])
        here = self._grid.highest(boxes, component) + weight
        anywhere = max(int(self._grid.loads[component].max()), here)
        self._tops[component] = int(self._grid.loads[component].max())
        if here + anywhere <= left:
            return None
        if not self._ready(boxes, component):
            load = here + anywhere - weight + self._base[component]
            return PairDecision(fits=False, component=component, load=load, proven=False)
        search = Partners(
            self._grid,
            self._changes,
            component,
            boxes,
            one,
            substitution,
            left,
            self.limits,
            allowance(self.limits),
            light=self._light,
        )
        verdict = search.run(anywhere, self._lift[component], self._base[component])
        proofs.extend(verdict.proofs)
        if verdict.witness is not None:
            loads = self._changes.pair(*verdict.witness)
            self._hot.insert(0, (verdict.witness, loads))
            del self._hot[self.limits.hot_pairs :]
            return self._refused(component, verdict.witness, loads[component])
        if not verdict.proven:
            load = verdict.load + self._base[component]
            return PairDecision(fits=False, component=component, load=load, proven=False)
        return None

    def _ready(self, boxes: Sequence[Box], component: int) -> bool:
        """Whether the grid has the ends of the boxes as cuts, so that no cell is partly inside, and counts all.

        A region with less cost for a substitution than for one has a negative gain, which no cell may get by rounding,
        and which may not be taken off a sum that is held at ``ROOM``.
        """
        if not self._grid.exact or not self._grid.fits(boxes) or int(self._grid.loads[component].max()) >= ROOM:
            return False
        self._grid.refine(boxes)
        return self._grid.exact

    def _refused(self, component: int, witness: Pair, load: int) -> PairDecision:
        return PairDecision(fits=False, component=component, witness=witness, load=load + self._base[component])

    # --- booking ---------------------------------------------------------------------------------------------

    def book(
        self,
        boxes: Sequence[Box],
        one: Sequence[int],
        substitution: Sequence[int],
        proofs: Sequence[tuple[int, tuple[Any, ...], int]] = (),
    ) -> None:
        """Book the costs on disjoint boxes, whether or not they fit.

        ``proofs`` must come from a decision about this very charge, in the same ``state``.
        """
        if not boxes:
            return
        self._serial += 1
        one, substitution = held(one), held(substitution)
        if boxes[0] == self._everything:
            # Every pair has both values inside, so every pair pays the same.
            self._base = list(held(base + amount for base, amount in zip(self._base, substitution, strict=True)))
            return
        if not any(one) and not any(substitution):
            return
        self._changes.add(boxes, one, substitution)
        for pair, loads in self._hot:
            inside = _held(boxes, pair[0]) + _held(boxes, pair[1])
            for component in range(len(loads)):
                loads[component] += (0, one[component], substitution[component])[inside]
        version = self._grid.version
        self._grid.refine(boxes)
        weights = [max(a, -(-s // 2)) for a, s in zip(one, substitution, strict=True)]
        extra = [max(a, s) - a for a, s in zip(one, substitution, strict=True)]
        self._light = self._light and all(s <= 2 * a for a, s in zip(one, substitution, strict=True))
        self._grid.add(boxes, (*weights, *extra))
        components = len(self.budget)
        for component in range(components):
            self._tops[component] += weights[component]
            self._lift[component] += one[component]
            if self._lift[component] > FAR:
                self._settle(component)
        if version == self._grid.version:
            for component, index, bound in proofs:
                cells = self._grid.loads[components + component]
                cells[index] = np.minimum(cells[index], bound - self._base[component] - self._lift[component])

    def _settle(self, component: int) -> None:
        """Put what every value was lifted by into the bounds themselves, before it leaves 64 bits."""
        components = len(self.budget)
        cells = self._grid.loads[components + component]
        cells += self._lift[component]
        np.minimum(cells, 2 * int(self._grid.loads[component].max()), out=cells)
        self._lift[component] = 0

    # --- readings --------------------------------------------------------------------------------------------

    def pair_of(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The exact loss of a change between two values."""
        return [base + load for base, load in zip(self._base, self._changes.pair(first, second), strict=True)]

    def weight_of(self, codes: Sequence[int]) -> list[int]:
        """A load with pair(v, w) <= weight(v) + weight(w)."""
        components = len(self.budget)
        found = self._grid.at(codes)[:components]
        return [int(part) for part in found]

    def highest(self, boxes: Sequence[Box], component: int) -> tuple[int, int, Pair]:
        """The heaviest pair with a value in the boxes: a lower and an upper bound (equal if proven), and a pair."""
        base = self._base[component]
        first = _first(boxes[0])
        pair = (first, _another(first, self.shape))
        best = self._changes.pair(*pair)[component] if pair[0] != pair[1] else 0
        here = self._grid.highest(boxes, component)
        anywhere = int(self._grid.loads[component].max())
        if not self._ready(boxes, component):
            return base + best, base + max(best, here + anywhere), pair
        shared = allowance(self.limits)
        while True:
            search = Partners(
                self._grid,
                self._changes,
                component,
                boxes,
                0,
                0,
                best,
                self.limits,
                shared,
                light=self._light,
            )
            verdict = search.run(anywhere, self._lift[component], base)
            if verdict.witness is None:
                upper = best if verdict.proven else max(best, here + anywhere)
                return base + best, base + upper, pair
            pair = verdict.witness
            best = self._changes.pair(*pair)[component]

    def nbytes(self) -> int:
        """The memory that the loads take."""
        return int(self._grid.loads.nbytes + 2 * self._changes.low.nbytes)


def _held(boxes: Sequence[Box], codes: Sequence[int]) -> int:
    return int(any(all(codes_of.holds(a, c) for a, c in zip(box, codes, strict=True)) for box in boxes))


def _another(codes: tuple[int, ...], shape: Sequence[int]) -> tuple[int, ...]:
    """A different value, if the domain has one."""
    for axis, size in enumerate(shape):
        if size > 1:
            return (*codes[:axis], (codes[axis] + 1) % size, *codes[axis + 1 :])
    return codes


def _first(box: Box) -> tuple[int, ...]:
    return tuple(codes[0][0] for codes in box)
