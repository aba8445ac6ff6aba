"""What a charge puts on record values, in whole units, and the simpler region that may stand for a ragged one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, final

from partita.limits import Limits
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import Codes

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
    if _as_many(around, load.boxes):
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
    if len(boxes) <= limits.rectangles and _count(boxes) <= limits.rectangles:
        return boxes
    if len(boxes) <= limits.hulls:
        apart = boxes_of.disjoint([_spans(box) for box in boxes])
        if _count(apart) <= limits.rectangles:
            return tuple(apart)
    # Of many boxes most have the same codes along most axes, and these are looked at once.
    along = [set(column) for column in zip(*boxes, strict=True)]
    return (tuple(((min(each[0][0] for each in found), max(each[-1][1] for each in found)),) for found in along),)


def _as_many(around: Sequence[Box], boxes: Sequence[Box]) -> bool:
    """Whether disjoint boxes hold as many values as others do; the axes on which all agree do not tell."""
    unlike = [at for at, column in enumerate(zip(*around, *boxes, strict=True)) if len(set(column)) > 1]
    sizes: dict[Codes, int] = {}

    def held(found: Sequence[Box]) -> int:
        count = 0
        for box in found:
            here = 1
            for at in unlike:
                size = sizes.get(box[at])
                here *= sizes.setdefault(box[at], codes_of.size(box[at])) if size is None else size
            count += here
        return count

    return held(around) == held(boxes)


def _count(boxes: Sequence[Box]) -> int:
    return sum(prod(map(len, box)) for box in boxes)


def _spans(box: Box) -> Box:
    return tuple(((codes[0][0], codes[-1][1]),) for codes in box)
