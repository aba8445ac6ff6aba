"""A split of the charges over groups of columns, written down so that anybody can check the bound it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.account.verify import Item, heaviest_value
from partita.region.box import Box

UNIT = 4096
"""Parts that every charge is divided into."""

Shares = tuple[tuple[int, int], ...]
"""Of one charge: groups, and how many parts of it each is given."""


@final
@dataclass(frozen=True, slots=True)
class Split:
    """Groups of axes, and for each coordinate what every charge gives to them (theory I14 d, split.proof.md).

    >>> box = (((0, 2),), ((0, 2),))
    >>> split = Split(((0,), (1,)), ((((0, 1024), (1, 3072)),),))
    >>> split.bound((4, 4), [Item((box,), Fraction(1))], 0, 100)
    Fraction(1, 1)
    """

    groups: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[Shares, ...], ...]

    def amiss(self, axes: int, charges: int, coordinates: int) -> str | None:
        """Why it is no split of so many charges, or None; what a charge gives away must come to all of it."""
        if any(not group or len(set(group)) < len(group) for group in self.groups):
            return "a group of its split names no columns, or one twice"
        if any(not 0 <= axis < axes for group in self.groups for axis in group):
            return "its split names columns that are not there"
        if len(self.shares) != coordinates or any(len(mine) != charges for mine in self.shares):
            return "its split is one of other charges"
        for given in (given for mine in self.shares for given in mine):
            if any(not 0 <= group < len(self.groups) or not 0 <= part <= UNIT for group, part in given):
                return "its split gives to groups that are not there, or not a part of a charge"
            if sum(part for _, part in given) < UNIT:
                return "its split leaves out a part of a charge"
        return None

    def bound(self, shape: Sequence[int], items: Sequence[Item], place: int, nodes: int) -> Fraction:
        """No value carries more of these charges than the heaviest cells of all groups come to."""
        total = Fraction(0)
        for number, axes in enumerate(self.groups):
            parts = [
                Item(_along(item.boxes, axes), item.one * part / UNIT)
                for item, given in zip(items, self.shares[place], strict=True)
                for group, part in given
                if group == number and part
            ]
            total += heaviest_value([shape[axis] for axis in axes], parts, nodes)[1]
        return total

    def work(self, items: Sequence[Item]) -> int:
        """About how many comparisons that takes in one coordinate: the pieces of every group, at each of its cuts."""
        found = 0
        for number, axes in enumerate(self.groups):
            for mine in self.shares:
                pieces = [
                    box
                    for item, given in zip(items, mine, strict=True)
                    if any(group == number for group, _ in given)
                    for box in _along(item.boxes, axes)
                ]
                for at in range(len(axes)):
                    cuts = {end for box in pieces for interval in box[at] for end in interval}
                    found += (2 + len(cuts)) * (1 + sum(len(box[at]) for box in pieces))
        return found


def _along(boxes: Sequence[Box], axes: Sequence[int]) -> tuple[Box, ...]:
    """The projections of boxes on some axes, equal ones once."""
    return tuple(dict.fromkeys(tuple(box[axis] for axis in axes) for box in boxes))
