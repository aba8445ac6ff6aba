"""What a charge puts on record values, in whole units, and the simpler region that may stand for a ragged one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, final

from partita.limits import Limits
from partita.region import box as boxes_of
from partita.region.box import Box

Amounts = tuple[int, ...]


@final
class Load(NamedTuple):
    """Disjoint boxes, and what is lost by a change.

    ``one`` where exactly one of its values is inside, ``substitution`` where both are. ``same`` is for a change between
    two records of equal declared values inside, which differ in what the domain does not hold, such as open text or
    the owner (theory E11a); empty for nothing. Only pairs tell the three apart.
    """

    boxes: Sequence[Box]
    one: Amounts
    substitution: Amounts
    same: Amounts = ()

    def plus(self, other: Load, times: int = 1) -> Load:
        """With the amounts of a load on the same boxes added so many times."""
        zero = (0,) * len(self.one)
        sums = (
            tuple(mine + times * theirs for mine, theirs in zip(a, b, strict=True))
            for a, b in (
                (self.one, other.one),
                (self.substitution, other.substitution),
                (self.same or zero, other.same or zero),
            )
        )
        return Load(self.boxes, *sums)

    def times(self, count: int) -> Load:
        """The load so many times."""
        if count == 1:
            return self
        one, other, same = ([count * part for part in parts] for parts in (self.one, self.substitution, self.same))
        return Load(self.boxes, tuple(one), tuple(other), tuple(same))

    def holds(self, value: Sequence[int]) -> bool:
        """Whether a value is inside."""
        return boxes_of.held(self.boxes, value)

    def costs(self, first: Sequence[int], second: Sequence[int]) -> Amounts:
        """What a change from one value to another loses here."""
        inside = self.holds(first) + self.holds(second)
        if inside == 2 and tuple(first) == tuple(second):
            return self.same or (0,) * len(self.one)
        return ((0,) * len(self.one), self.one, self.substitution)[inside]


def widened(load: Load, limits: Limits) -> Load:
    """The load as it is decided and booked: on its own boxes, or on simpler ones around them (theory E24).

    A change inside the wider region may have exactly one value in the true one, so there it costs the larger of
    ``one`` and ``substitution``; a change between equal values is inside both or outside the true one.

    >>> odd = tuple((code, code + 1) for code in range(1, 9999, 2))
    >>> widened(Load([(odd,)], one=(5,), substitution=(0,)), Limits())
    Load(boxes=((((1, 9998),),),), one=(5,), substitution=(5,), same=())
    """
    around = manageable(load.boxes, limits)
    if around is load.boxes:
        return load
    if sum(map(boxes_of.size, around)) == sum(map(boxes_of.size, load.boxes)):
        return load._replace(boxes=around)
    return Load(around, load.one, tuple(map(max, load.one, load.substitution)), load.same)


def nothing(boxes: Sequence[Box], components: int) -> Load:
    """No load at all, to add to."""
    zero = (0,) * components
    return Load(boxes, zero, zero, zero)


def manageable(boxes: Sequence[Box], limits: Limits) -> Sequence[Box]:
    """Disjoint boxes as they are, or, if they have too many rectangles, fewer ones that hold them."""
    if len(boxes) == 1 and max(map(len, boxes[0]), default=1) == 1:
        return boxes
    if _count(boxes) <= limits.rectangles:
        return boxes
    around = [_spans(box) for box in boxes]
    if len(around) <= limits.hulls:
        apart = boxes_of.disjoint(around)
        if _count(apart) <= limits.rectangles:
            return tuple(apart)
    ends = [_ends(around, axis) for axis in range(len(around[0]))]
    return (tuple(((min(low), max(high)),) for low, high in ends),)


def _count(boxes: Sequence[Box]) -> int:
    return sum(prod(len(codes) for codes in box) for box in boxes)


def _ends(spans: Sequence[Box], axis: int) -> tuple[list[int], list[int]]:
    """The first codes of all spans along an axis, and the last."""
    return [span[axis][0][0] for span in spans], [span[axis][0][1] for span in spans]


def _spans(box: Box) -> Box:
    return tuple(((codes[0][0], codes[-1][1]),) for codes in box)
