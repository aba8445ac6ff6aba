"""Whether all that a question reads is charged: its region against the boxes of a claim, box by box."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from partita.assay.meaning import Boxes, Codes
from partita.assay.values import lots

Along = tuple[tuple[int, int], ...]
Box = tuple[Along, ...]

# Intervals that are looked at for one claim: some hundredths of a second.
MOST: Final = 100_000


def uncharged(read: Boxes, charged: Boxes, *, seed: str, most: int = MOST) -> Codes | None:
    """A value that is read and not charged, or None; exact, unless more than ``most`` intervals have to be looked at.

    Boxes that are charged as they are read need no look. If the others are too many, the seed says which are looked at.

    >>> uncharged(((((0, 5),),),), ((((0, 2),),), (((3, 9),),)), seed="")
    (2,)
    """
    if read == charged:
        return None
    known, drawn = set(charged), lots(f"{seed}/boxes")
    left = sorted((next(drawn), box) for box in read if box not in known)
    for _, box in left:
        waiting = [(box, 0)]
        while waiting:
            part, at = waiting.pop()
            if at == len(charged):
                return tuple(along[0][0] for along in part)
            most -= sum(map(len, part)) + sum(map(len, charged[at]))
            if most < 0:
                return None
            if _apart(part, charged[at]):
                waiting.append((part, at + 1))
            else:
                waiting += [(piece, at + 1) for piece in _outside(part, charged[at])]
    return None


def _outside(box: Box, other: Box) -> Iterator[Box]:
    """Disjoint boxes that hold what is in one box and not in another, which meet."""
    for axis, (mine, theirs) in enumerate(zip(box, other, strict=True)):
        beyond = _without(mine, theirs)
        if beyond:
            yield (*box[:axis], beyond, *box[axis + 1 :])
            box = (*box[:axis], _without(mine, beyond), *box[axis + 1 :])


def _apart(box: Box, other: Box) -> bool:
    return any(not _meet(mine, theirs) for mine, theirs in zip(box, other, strict=True))


def _meet(one: Along, other: Along) -> bool:
    """Whether two lists of intervals have a code in common; both are in order."""
    mine = theirs = 0
    while mine < len(one) and theirs < len(other):
        if max(one[mine][0], other[theirs][0]) < min(one[mine][1], other[theirs][1]):
            return True
        if one[mine][1] <= other[theirs][1]:
            mine += 1
        else:
            theirs += 1
    return False


def _without(one: Along, other: Along) -> Along:
    """The codes of one list of intervals that are not in another; both are in order.

    >>> _without(((0, 5), (7, 9)), ((1, 2), (4, 8)))
    ((0, 1), (2, 4), (8, 9))
    """
    found: list[tuple[int, int]] = []
    at = 0
    for low, high in one:
        while at < len(other) and other[at][1] <= low:
            at += 1
        place = at
        while low < high:
            if place == len(other) or other[place][0] >= high:
                found.append((low, high))
                break
            if low < other[place][0]:
                found.append((low, other[place][0]))
            low = max(low, other[place][1])
            place += 1
    return tuple(found)


__all__ = ["uncharged"]
