"""Which regions meet: the largest sets of regions that share a record value, found without listing the values."""

from __future__ import annotations

from collections.abc import Sequence

from partita.effort import Work, spend
from partita.limits import current
from partita.region.box import Box
from partita.region.codes import Codes
from partita.region.region import Region

Meeting = frozenset[int]


def meetings(regions: Sequence[Region], most: int | None = None) -> tuple[Meeting, ...]:
    """Sets of places in the list such that every record value lies in no more regions than those of one of them.

    Along each axis the codes fall into classes by which boxes they are in; a value lies in the boxes that all its
    codes are in. Only classes that no other includes matter, axis after axis. Each set found is met by some value,
    unless there were too many: then all regions are said to meet, which can only overstate what a value carries
    (theory E24).

    >>> from partita.region import Domain, integers
    >>> domain = Domain({"age": integers(0, 120, missing=0)})
    >>> wheres = ("age < 40", "age >= 40", "age BETWEEN 30 AND 50")
    >>> sorted(map(sorted, meetings([Region.where(where, domain) for where in wheres])))
    [[0, 2], [1, 2]]
    """
    boxes: list[tuple[Box, int]] = [(box, place) for place, region in enumerate(regions) for box in region.boxes]
    if not boxes:
        return ()
    most = current().meetings if most is None else most
    found = {(1 << len(boxes)) - 1}
    for axis in range(len(boxes[0][0])):
        classes = _classes([box[axis] for box, _ in boxes])
        spend(len(found) * len(classes) * (64 + len(boxes)) >> 8, Work.CONDITIONS)
        found = _largest({one & other for one in found for other in classes}, most)
        if len(found) > most:
            return (frozenset(place for _, place in boxes),)
    sets = {frozenset(place for bit, (_, place) in enumerate(boxes) if mask >> bit & 1) for mask in found}
    return tuple(sorted((one for one in sets if not any(one < other for other in sets)), key=sorted))


def _classes(spans: Sequence[Codes]) -> set[int]:
    """The boxes that a code of this axis can be in, as sets of bits; those included in others are left out."""
    having: dict[Codes, int] = {}
    for bit, codes in enumerate(spans):
        having[codes] = having.get(codes, 0) | 1 << bit
    # A set of boxes can only grow at the start of one.
    starts = {low for codes in having for low, _ in codes}
    spend(len(spans) + (len(starts) * sum(map(len, having)) >> 4), Work.CONDITIONS)
    masks = set()
    for start in starts:
        mask = 0
        for codes, bits in having.items():
            if any(low <= start < high for low, high in codes):
                mask |= bits
        masks.add(mask)
    return _largest(masks)


def _largest(masks: set[int], most: int | None = None) -> set[int]:
    """Those that no other includes; if there are more than so many, one more than that."""
    kept: list[int] = []
    for mask in sorted(masks - {0}, key=int.bit_count, reverse=True):
        # What was kept stays: the later ones are no larger.
        if most is not None and len(kept) > most:
            break
        spend(1 + (len(kept) * (64 + mask.bit_length() // 16) >> 10), Work.CONDITIONS)
        if not any(mask & other == mask for other in kept):
            kept.append(mask)
    return set(kept)
