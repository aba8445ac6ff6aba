"""Boxes: one set of codes for each axis, and all records whose codes lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from partita.effort import Work, spend
from partita.region import codes
from partita.region.codes import Codes

Box = tuple[Codes, ...]


def intersection(first: Box, second: Box) -> Box | None:
    """The records in both boxes, or None if there are none."""
    found: list[Codes] = []
    steps = 0
    for mine, theirs in zip(first, second, strict=True):
        if mine == theirs:
            found.append(mine)
            continue
        both = codes.intersection(mine, theirs)
        steps += len(mine) + len(theirs)
        if not both:
            spend(2 + (steps >> 1), Work.CONDITIONS)
            return None
        found.append(both)
    spend(2 + (len(found) >> 3) + (steps >> 1), Work.CONDITIONS)
    return tuple(found)


def difference(first: Box, second: Box) -> list[Box]:
    """The records of the first box outside the second, peeled off axis by axis as disjoint boxes.

    >>> difference((((0, 3),), ((0, 3),)), (((0, 3),), ((1, 2),)))
    [(((0, 3),), ((0, 1), (2, 3)))]
    """
    both = intersection(first, second)
    if both is None:
        return [first]
    pieces: list[Box] = []
    for axis, (mine, common) in enumerate(zip(first, both, strict=True)):
        # Equal axes, the usual ones, leave nothing outside.
        outside = codes.NOTHING if mine == common else codes.difference(mine, common)
        if outside:
            pieces.append((*both[:axis], outside, *first[axis + 1 :]))
    spend(1 + len(pieces) * (len(first) >> 3), Work.CONDITIONS)
    return pieces


def without(boxes: Iterable[Box], removed: Iterable[Box]) -> list[Box]:
    """The records of the first boxes outside all the others."""
    left = list(boxes)
    for other in removed:
        left = [piece for box in left for piece in difference(box, other)]
        if not left:
            break
    return left


def disjoint(boxes: Iterable[Box], kept: Iterable[Box] = ()) -> list[Box]:
    """The same records as disjoint boxes, so that none is counted twice; ``kept`` are disjoint already."""
    found = list(kept)
    for box in boxes:
        if all(box):
            found.extend(without([box], found))
    return found


def merged(boxes: list[Box]) -> tuple[Box, ...]:
    """The same boxes, those that differ along one axis only put together; disjoint ones stay disjoint."""
    if len(boxes) < 2:
        return tuple(boxes)
    # Where all boxes agree, none of them differ.
    axes = [axis for axis, along in enumerate(zip(*boxes, strict=True)) if len(set(along)) > 1]
    changed = True
    while changed:
        changed = False
        for axis in axes:
            groups: dict[Box, list[Codes]] = {}
            spend(len(boxes) * 2, Work.CONDITIONS)
            for box in boxes:
                groups.setdefault(box[:axis] + box[axis + 1 :], []).append(box[axis])
            if len(groups) < len(boxes):
                changed = True
                boxes = [(*rest[:axis], codes.united(along), *rest[axis:]) for rest, along in groups.items()]
    return tuple(sorted(boxes))


def size(box: Box) -> int:
    """How many records the box holds."""
    return prod(codes.size(axis) for axis in box)


def held(boxes: Iterable[Box], record: Sequence[int]) -> bool:
    """Whether one of the boxes holds the record with these codes."""
    return any(all(codes.holds(axis, code) for axis, code in zip(box, record, strict=True)) for box in boxes)


def hull(boxes: Iterable[Box]) -> Box | None:
    """The least single box that holds them all, or None for no box."""
    listed = tuple(boxes)
    if not listed:
        return None
    # Of many boxes most have the same codes along most axes, and these are looked at once.
    found = [set(along) for along in zip(*listed, strict=True)]
    return tuple(codes.joined(interval for each in along for interval in each) for along in found)
