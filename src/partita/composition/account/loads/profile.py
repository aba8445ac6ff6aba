"""Branch and bound by profiles: the weight that can meet at each coordinate of each axis narrows the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.sums import halves, joined, total
from partita.composition.account.loads.units import ROOM
from partita.limits import current

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ABOUT = 64
"""Numbers that a block costs on each axis besides those of its rectangles."""


@final
@dataclass(frozen=True, slots=True)
class Found:
    """A value above the threshold; or none, with an upper bound that is proven unless steps ran out."""

    witness: tuple[int, ...] | None
    load: int
    proven: bool


class Nodes(NamedTuple):
    """Blocks of ranks still to be searched, a row each, and the rectangles that may reach them."""

    alive: Flags
    first: Integers
    last: Integers

    def rows(self, chosen: slice | Integers | Flags) -> Nodes:
        """Some of the blocks."""
        return Nodes(self.alive[chosen], self.first[chosen], self.last[chosen])


@final
class Profiles:
    """Rectangles clipped to a box, with ranks among the starts of each axis in place of codes.

    Some heaviest value has on every axis the start of a rectangle (or of the box) as its code, so only starts
    are looked at. A block of ranks is dropped as soon as one axis has no rank where more than the threshold can
    meet; ranks at its ends where less can meet are cut off, which often drops rectangles and cuts further.
    """

    __slots__ = (
        "_ending",
        "_enter",
        "_halves",
        "_high",
        "_leave",
        "_low",
        "_started",
        "_starts",
        "_weight",
        "breadth",
        "steps",
    )

    def __init__(self, low: Integers, high: Integers, weight: Integers, start: Integers, stop: Integers) -> None:
        meets = ((low < stop) & (high > start)).all(axis=1) & (weight > 0)
        low, high = np.maximum(low[meets], start), high[meets]
        axes = len(start)
        self._weight = weight[meets]
        # All weights together may be far more than any value carries, and more than 64 bits hold.
        self._halves = halves(self._weight)
        self._starts = [np.unique(np.append(low[:, axis], start[axis])) for axis in range(axes)]
        self._low = np.empty_like(low)
        self._high = np.empty_like(high)
        for axis, starts in enumerate(self._starts):
            self._low[:, axis] = np.searchsorted(starts, low[:, axis])
            self._high[:, axis] = np.searchsorted(starts, high[:, axis])
        self._enter = [np.argsort(self._low[:, axis], kind="stable") for axis in range(axes)]
        self._leave = [np.argsort(self._high[:, axis], kind="stable") for axis in range(axes)]
        ranks = [np.arange(len(starts)) for starts in self._starts]
        self._started = [
            np.searchsorted(self._low[self._enter[axis], axis], ranks[axis], side="right") for axis in range(axes)
        ]
        self._ending = [
            np.searchsorted(self._high[self._leave[axis], axis], ranks[axis], side="right") for axis in range(axes)
        ]
        self.breadth = (len(self._weight) + ABOUT) * axes
        self.steps = 0

    def root(self) -> Nodes:
        """The whole box."""
        last = np.asarray([[len(starts) for starts in self._starts]], dtype=np.int64)
        return Nodes(np.ones((1, len(self._weight)), dtype=bool), np.zeros_like(last), last)

    def guess(self) -> tuple[int, tuple[int, ...]]:
        """The load of one promising value, and the value."""
        nodes = self.root()
        return self._greedy(nodes.alive[0], nodes.first[0], nodes.last[0])

    def search(self, threshold: int, steps: int, allowance: Allowance) -> Found:
        """Find a value with a load above the threshold, or show that there is none."""
        self.steps, batched = steps, max(1, current().batch)
        nodes = self.root()
        if threshold < 0:
            load, codes = self.guess()
            return Found(codes, load, proven=True)
        while len(nodes.first):
            several = min(batched, len(nodes.first), max(1, allowance.looked // self.breadth))
            if self.steps <= 0 or not allowance.take(several * self.breadth):
                return Found(None, self._bound(nodes), proven=False)
            rest = nodes.rows(slice(None, -several))
            batch, reach = self._narrowed(nodes.rows(slice(-several, None)), threshold)
            if len(batch.first):
                best = int(reach.argmax())
                load, codes = self._greedy(batch.alive[best], batch.first[best], batch.last[best])
                if load > threshold:
                    return Found(codes, load, proven=True)
                batch = self._halved(batch, reach)
            nodes = Nodes(
                np.concatenate((rest.alive, batch.alive)),
                np.concatenate((rest.first, batch.first)),
                np.concatenate((rest.last, batch.last)),
            )
        return Found(None, threshold, proven=True)

    def _narrowed(self, nodes: Nodes, threshold: int) -> tuple[Nodes, Integers]:
        """Drop what too little weight can reach and cut off the ends; with the most that can meet in each."""
        self.steps -= len(nodes.first)
        alive = nodes.alive.copy()
        for axis in range(len(self._starts)):
            alive &= self._low[:, axis] < nodes.last[:, axis, None]
            alive &= self._high[:, axis] > nodes.first[:, axis, None]
        first, last, reach = self._cut(alive, nodes, threshold)
        keep = reach > threshold
        return Nodes(alive[keep], first[keep], last[keep]), reach[keep]

    def _cut(self, alive: Flags, nodes: Nodes, threshold: int) -> tuple[Integers, Integers, Integers]:
        """For each block and axis the first and last rank where more than the threshold can meet, and the most."""
        used: Flags = np.asarray(alive.any(axis=0))
        parts = [np.where(alive[:, used], half[used], 0) for half in self._halves]
        renamed = np.cumsum(used) - 1
        first, last = np.empty_like(nodes.first), np.empty_like(nodes.last)
        reach = np.full(len(alive), np.iinfo(np.int64).max)
        for axis in range(len(self._starts)):
            start, stop = int(nodes.first[:, axis].min()), int(nodes.last[:, axis].max())
            enter, leave = self._enter[axis], self._leave[axis]
            started = _running(parts, used, renamed, enter, self._started[axis][start:stop])
            ended = _running(parts, used, renamed, leave, self._ending[axis][start:stop])
            profile = joined([entered - left for entered, left in zip(started, ended, strict=True)])
            ranks = np.arange(start, stop)
            inside = (ranks >= nodes.first[:, axis, None]) & (ranks < nodes.last[:, axis, None])
            profile *= inside
            over = profile > threshold
            np.minimum(reach, profile.max(axis=1), out=reach)
            first[:, axis] = start + over.argmax(axis=1)
            last[:, axis] = stop - over[:, ::-1].argmax(axis=1)
        return first, last, reach

    def _halved(self, nodes: Nodes, reach: Integers) -> Nodes:
        """Two halves of each block along the axis where most weight ends inside; the promising ones last."""
        count, axes = nodes.first.shape
        parts = [np.where(nodes.alive, half, 0) for half in self._halves]
        inside = np.empty((count, axes), dtype=np.int64)
        for axis in range(axes):
            ends = (self._low[:, axis] > nodes.first[:, axis, None]) | (self._high[:, axis] < nodes.last[:, axis, None])
            inside[:, axis] = joined([(weights * ends).sum(axis=1) for weights in parts])
        inside[nodes.last - nodes.first < 2] = -1
        axis = inside.argmax(axis=1)
        rows = np.arange(count)
        middle = (nodes.first[rows, axis] + nodes.last[rows, axis]) // 2
        left, right = nodes.last.copy(), nodes.first.copy()
        left[rows, axis] = middle
        right[rows, axis] = middle
        order = np.argsort(np.tile(reach, 2), kind="stable")
        halves = Nodes(
            np.tile(nodes.alive, (2, 1)),
            np.concatenate((nodes.first, right)),
            np.concatenate((left, nodes.last)),
        )
        # A block of one value is itself, and nothing besides.
        there = np.flatnonzero((halves.first < halves.last).sum(axis=1) == axes)
        return halves.rows(order[np.isin(order, there)])

    def _greedy(self, alive: Flags, first: Integers, last: Integers) -> tuple[int, tuple[int, ...]]:
        """The load of a good value: on each axis in turn the heaviest rank for the rectangles still in reach."""
        point = first.copy()
        held = alive.copy()
        for axis in np.argsort(last - first):
            sums = []
            for half in self._halves:
                weights = np.where(held, half, 0)
                started = np.concatenate(([0], weights[self._enter[axis]].cumsum()))[self._started[axis]]
                ended = np.concatenate(([0], weights[self._leave[axis]].cumsum()))[self._ending[axis]]
                sums.append((started - ended)[first[axis] : last[axis]])
            best = int(joined(sums).argmax()) + int(first[axis])
            point[axis] = best
            held &= (self._low[:, axis] <= best) & (self._high[:, axis] > best)
        codes = tuple(int(starts[rank]) for starts, rank in zip(self._starts, point, strict=True))
        return min(total(self._weight[held]), ROOM), codes

    def _bound(self, nodes: Nodes) -> int:
        """The most that can meet in any of the blocks."""
        return int(joined([np.where(nodes.alive, half, 0).sum(axis=1) for half in self._halves]).max())


def _running(
    parts: list[Integers], used: Flags, renamed: Integers, order: Integers, places: Integers
) -> list[Integers]:
    """For every block the weights in some order, summed up to each of the places; for each half of them."""
    kept = used[order]
    upto = np.concatenate(([0], kept.cumsum()))[places]
    found = []
    for weights in parts:
        sums = np.zeros((len(weights), weights.shape[1] + 1), dtype=np.int64)
        np.cumsum(weights[:, renamed[order[kept]]], axis=1, out=sums[:, 1:])
        found.append(sums[:, upto])
    return found
