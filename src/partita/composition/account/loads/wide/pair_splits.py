"""Upper bounds on the loss of changed rows of many columns: charges are split over groups of columns (theory I14)."""

from __future__ import annotations

from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.wide.cover import Cover, Restriction
from partita.composition.account.loads.wide.splits import Splits

Integers = npt.NDArray[np.int64]


@final
class PairSplits:
    """For each group of columns the loss of every change from a cell to a cell, equal ones included.

    A change may leave a group as it is and alter another, so equal cells are a change that costs ``substitution`` of
    every region that holds them. A region in several groups is only projected on each: two cells in the projection may
    have one value inside the region, so that they cost the larger of ``one`` and ``substitution`` there.
    """

    __slots__ = ("_cover", "_fields", "_most", "_shift")

    def __init__(
        self, cover: Cover, one: Integers, substitution: Integers, turns: int, most: int, allowance: Allowance
    ) -> None:
        larger = np.maximum(one, substitution)
        splits = Splits(cover, larger, {}, most)
        found = cover.segments()
        self._cover, self._shift = cover, splits.shift
        kept = np.flatnonzero(larger[found.region] > 0)
        share = splits.best(turns, allowance)
        lone, together = np.zeros((2, len(found.region)), dtype=np.int64)
        upper = splits.parts(share)
        lower = splits.parts(share, self._counted(one[larger > 0], larger[larger > 0]))
        whole = found.whole[kept]
        exactly = self._counted(substitution, larger)[found.region[kept]]
        lone[kept] = lower
        together[kept] = np.where(whole, exactly, np.maximum(upper, lower))
        offsets = cover.offsets
        parts = np.searchsorted(found.group, np.arange(len(offsets)))
        runs = np.searchsorted(found.group[found.part], np.arange(len(offsets)))
        self._fields: list[Integers] = []
        for group in range(len(offsets) - 1):
            first, last = int(parts[group]), int(parts[group + 1])
            a, b = int(runs[group]), int(runs[group + 1])
            count, cells = last - first, int(offsets[group + 1] - offsets[group])
            marks = np.zeros((count, cells + 1), dtype=np.int64)
            np.add.at(marks, (found.part[a:b] - first, found.start[a:b] - offsets[group]), 1)
            np.subtract.at(marks, (found.part[a:b] - first, found.stop[a:b] - offsets[group]), 1)
            held = np.cumsum(marks[:, :-1], axis=1)
            mine, ours = lone[first:last], together[first:last]
            allowance.pair_numbers -= count * cells * cells
            if allowance.pair_numbers < 0:
                # Whoever is inside pays the larger of one and half of the substitution.
                self._fields.append(np.maximum(mine, -(-ours // 2)) @ held)
                continue
            alone = mine @ held
            self._fields.append(alone[:, None] + alone[None, :] + (held * (ours - 2 * mine)[:, None]).T @ held)
        self._most = [_highest(field) for field in self._fields]

    def _counted(self, amounts: Integers, larger: Integers) -> Integers:
        """Amounts in the units that sums are counted in."""
        if not self._shift:
            return amounts
        return np.where(larger > 0, (amounts >> self._shift) + 1, 0)

    def bound(self, first: Restriction, second: Restriction) -> int:
        """A bound on the loss of every change from a value of one restriction to a value of another."""
        total = sum(self._most)
        named = {self._cover.place(axis) for axis in (*first, *second)} - {None}
        for place in named:
            assert place is not None
            group = self._cover.groups[place]
            here = _highest(self._fields[place], group.reached(first), group.reached(second))
            total += here - self._most[place]
        return total << self._shift


def _highest(
    field: Integers, first: npt.NDArray[np.bool_] | None = None, second: npt.NDArray[np.bool_] | None = None
) -> int:
    """The heaviest change between two sets of cells; of a line of cells, which bounds a change by a sum, that sum."""
    before = field if first is None else field[first]
    if field.ndim == 1:
        return int(before.max()) + int((field if second is None else field[second]).max())
    return int((before if second is None else before[:, second]).max())
