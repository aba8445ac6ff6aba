"""Boxes: one set of codes for each axis, and all records whose codes lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from partita.region import codes
from partita.region.codes import Codes

Box = tuple[Codes, ...]


def intersection(first: Box, second: Box) -> Box | None:
    """The records in both boxes, or None if there are none."""
    found: list[Codes] = []
    for mine, theirs in zip(first, second, strict=True):
        both = codes.intersection(mine, theirs)
        if not both:
            return None
        found.append(both)
    return tuple(found)


def difference(first: Box, second: Box) -> list[Box]:
    """The records of the first box outside the second, peeled off axis by axis as disjoint boxes.

    >>> difference((((0, 3),), ((0, 3),)), (((0, 3),), ((1, 2),)))
    [(((0, 3),), ((0, 1), (2, 3)))]
    """
    if intersection(first, second) is None:
        return [first]
    pieces: list[Box] = []
    kept = list(first)
    for axis, (mine, theirs) in enumerate(zip(first, second, strict=True)):
        outside = codes.difference(mine, theirs)
        if outside:
            pieces.append((*kept[:axis], outside, *first[axis + 1 :]))
            kept[axis] = codes.intersection(mine, theirs)
    return pieces


def without(boxes: Iterable[Box], removed: Iterable[Box]) -> list[Box]:
    """The records of the first boxes outside all the others."""
    left = list(boxes)
    for other in removed:
        left = [piece for box in left for piece in difference(box, other)]
        if not left:
            break
    return left


def disjoint(boxes: Iterable[Box]) -> list[Box]:
    """The same records as disjoint boxes, so that none is counted twice."""
    kept: list[Box] = []
    for box in boxes:
        if all(box):
            kept.extend(without([box], kept))
    return kept


def merged(boxes: list[Box]) -> tuple[Box, ...]:
    """The same disjoint boxes, those that differ along one axis only put together."""
    if len(boxes) < 2:
        return tuple(boxes)
    axes = len(boxes[0])
    changed = True
    while changed:
        changed = False
        for axis in range(axes):
            groups: dict[Box, Codes] = {}
            for box in boxes:
                rest = box[:axis] + box[axis + 1 :]
                groups[rest] = codes.union(groups.get(rest, codes.NOTHING), box[axis])
            if len(groups) < len(boxes):
                changed = True
                boxes = [(*rest[:axis], along, *rest[axis:]) for rest, along in groups.items()]
    return tuple(sorted(boxes))


def size(box: Box) -> int:
    """How many records the box holds."""
    return prod(codes.size(axis) for axis in box)


def held(boxes: Iterable[Box], record: Sequence[int]) -> bool:
    """Whether one of the boxes holds the record with these codes."""
    return any(all(codes.holds(axis, code) for axis, code in zip(box, record, strict=True)) for box in boxes)


def hull(boxes: Iterable[Box]) -> Box | None:
    """The least single box that holds them all, or None for no box."""
    found: Box | None = None
    for box in boxes:
        found = (
            box if found is None else tuple(codes.union(mine, theirs) for mine, theirs in zip(found, box, strict=True))
        )
    return found
