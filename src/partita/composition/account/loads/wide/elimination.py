"""The heaviest value of many columns, exactly, one column after the other, where few are linked (theory I14 c)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.rectangles import rectangles
from partita.composition.account.loads.wide.booked import Scoped
from partita.composition.account.loads.wide.cover import Restriction
from partita.region.box import Box
from partita.region.codes import Codes

Integers = npt.NDArray[np.int64]
Scope = tuple[int, ...]
"""Columns of a table of sums, in their order."""

_Term = tuple[Scope, Box, int]

ROOMS = 16
"""How many times the numbers of one table all tables together may have."""


@final
class Cells:
    """The cells of one column that hold a code of a restriction, and those between them."""

    __slots__ = ("allowed", "ends", "starts")

    def __init__(self, cuts: Collection[int], size: int, codes: Codes) -> None:
        """``cuts``: where cells begin; 0 is one of them."""
        every = sorted(cuts)
        first = bisect_right(every, min(low for low, _ in codes)) - 1
        last = bisect_left(every, max(high for _, high in codes))
        self.starts = every[first:last]
        self.ends = [*every[first + 1 : last], every[last] if last < len(every) else size]
        pairs = zip(self.starts, self.ends, strict=True)
        self.allowed = [at for at, (a, b) in enumerate(pairs) if any(a < high and low < b for low, high in codes)]

    def within(self, low: int, high: int) -> slice:
        """The cells of an interval whose ends are cuts; cells beyond the restriction are none."""
        return slice(bisect_left(self.starts, low), bisect_left(self.starts, high))

    def reached(self, codes: Codes) -> bool:
        """Whether codes have one of the cells that count."""
        parts = [self.within(low, high) for low, high in codes]
        return any(part.start <= at < part.stop for part in parts for at in self.allowed)

    def code(self, at: int, codes: Codes) -> int:
        """A code of a cell and of the restriction."""
        a, b = self.starts[at], self.ends[at]
        return next(max(a, low) for low, high in codes if a < high and low < b)


def order_of(scopes: Collection[Scope], cells: Mapping[int, int], most: int) -> list[tuple[int, Scope]] | None:
    """In which order columns are eliminated, and with which others each of them; None where a table would be too large.

    The one with the smallest table is next. It follows from the scopes alone.

    >>> order_of([(0, 1), (1, 2), (2, 3)], dict.fromkeys(range(4), 10), 100)
    [(0, (1,)), (1, (2,)), (2, (3,)), (3, ())]
    >>> order_of([(0, 1), (1, 2), (0, 2)], dict.fromkeys(range(3), 10), 100) is None
    True
    """
    beside: dict[int, set[int]] = {}
    for scope in scopes:
        for axis in scope:
            beside.setdefault(axis, set()).update(scope)
    if any(prod(cells[axis] for axis in scope) > most for scope in scopes):
        return None

    def size(axis: int) -> int:
        found = 1
        for other in beside[axis]:
            found *= cells[other]
            if found > most:
                break
        return found

    sizes = {axis: size(axis) for axis in sorted(beside)}
    found: list[tuple[int, Scope]] = []
    while sizes:
        axis = min(sizes, key=lambda one: (sizes[one], one))
        if sizes.pop(axis) > most:
            return None
        others = beside.pop(axis) - {axis}
        for other in others:
            beside[other] |= others
            beside[other].discard(axis)
        for other in others:
            sizes[other] = size(other)
        found.append((axis, tuple(sorted(others))))
    return found


def twice(region: Scoped, columns: int) -> tuple[Scoped, Scoped, Scoped]:
    """The pairs of values whose first is in a region, whose second, and both; these have columns of their own."""
    second = Scoped(tuple(axis + columns for axis in region.axes), region.boxes)
    both = tuple((*mine, *theirs) for mine in region.boxes for theirs in region.boxes)
    return region, second, Scoped((*region.axes, *second.axes), both)


@final
class Elimination:
    """The heaviest value of a restriction by bucket elimination, or nothing where that takes too large tables."""

    __slots__ = ("_allowance", "_cells", "_most", "_shape", "_tables", "_where")

    def __init__(
        self,
        cuts: Mapping[int, Collection[int]],
        shape: Sequence[int],
        where: Restriction,
        most: int,
        allowance: Allowance,
    ) -> None:
        self._shape, self._where, self._most, self._allowance = shape, where, most, allowance
        self._cells = {axis: Cells(ends, shape[axis], self._codes(axis)) for axis, ends in cuts.items()}
        self._tables: dict[Scope, Integers] = {}

    def _codes(self, axis: int) -> Codes:
        return self._where.get(axis) or ((0, self._shape[axis]),)

    def heaviest(self, regions: Sequence[Scoped], weight: Integers) -> tuple[int, dict[int, int]] | None:
        """The largest sum of weights of regions that hold one value of the restriction, and the codes of that value.

        Boxes of a region are disjoint. Weights may be below zero.
        """
        met = [
            (region.axes, box, amount)
            for region, amount in zip(regions, weight.tolist(), strict=True)
            if amount
            for box in region.boxes
            if all(self._cells[axis].reached(codes) for axis, codes in zip(region.axes, box, strict=True))
        ]
        sizes = {axis: len(cells.starts) for axis, cells in self._cells.items()}
        order = order_of(sorted({axes for axes, _, _ in met}), sizes, self._most)
        if order is None or not self._fill(met, order, sizes):
            return None
        return self._eliminated(order)

    def _fill(self, met: Sequence[_Term], order: Sequence[tuple[int, Scope]], sizes: Mapping[int, int]) -> bool:
        """The tables of all that are met, summed by their columns; false where they take too many numbers."""
        scopes = {axes for axes, _, _ in met}
        numbers = sum(prod(sizes[axis] for axis in (axis, *others)) for axis, others in order)
        numbers += sum(prod(sizes[axis] for axis in axes) for axes in scopes)
        if numbers > ROOMS * self._most or not self._allowance.take(numbers + len(met)):
            return False
        self._tables = {axes: np.zeros([sizes[axis] for axis in axes], dtype=np.int64) for axes in scopes}
        for axes, box, amount in met:
            table = self._tables[axes]
            for corner in rectangles(box):
                along = (self._cells[axis].within(*ends) for axis, ends in zip(axes, corner, strict=True))
                table[tuple(along)] += amount
        return True

    def _eliminated(self, order: Sequence[tuple[int, Scope]]) -> tuple[int, dict[int, int]]:
        """One column after the other is fixed at its heaviest code, for all codes of those that are linked to it."""
        choices: list[tuple[int, Scope, Integers]] = []
        best = 0
        for axis, others in order:
            scope = (axis, *others)
            total = np.zeros([len(self._cells[one].starts) for one in scope], dtype=np.int64)
            for axes in [axes for axes in self._tables if axis in axes]:
                table, listed = self._tables.pop(axes), sorted(axes, key=scope.index)
                table = table.transpose([axes.index(one) for one in listed])
                total += table.reshape([len(self._cells[one].starts) if one in axes else 1 for one in scope])
            allowed = np.asarray(self._cells[axis].allowed, dtype=np.int64)
            total = total[allowed]
            place = total.argmax(axis=0)
            choices.append((axis, others, allowed[place]))
            message = np.asarray(total.max(axis=0))
            if others:
                self._tables[others] = self._tables[others] + message if others in self._tables else message
            else:
                best += int(message)
        chosen: dict[int, int] = {}
        for axis, others, places in reversed(choices):
            chosen[axis] = int(places[tuple(chosen[one] for one in others)])
        return best, {axis: self._cells[axis].code(at, self._codes(axis)) for axis, at in chosen.items()}
