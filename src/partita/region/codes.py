"""Sets of codes: sorted, disjoint, non-touching half-open intervals of the integers 0, 1, 2, ..."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

Codes = tuple[tuple[int, int], ...]

NOTHING: Codes = ()


def span(low: int, high: int) -> Codes:
    """The codes low, ..., high - 1.

    >>> span(2, 5), span(5, 2)
    (((2, 5),), ())
    """
    return ((low, high),) if low < high else NOTHING


def of(codes: Iterable[int]) -> Codes:
    """The set of the codes given, in any order.

    >>> of([3, 1, 2, 7])
    ((1, 4), (7, 8))
    """
    return joined((code, code + 1) for code in codes)


def joined(intervals: Iterable[tuple[int, int]]) -> Codes:
    """The union of half-open intervals given in any order."""
    kept: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if low >= high:
            continue
        if kept and low <= kept[-1][1]:
            if high > kept[-1][1]:
                kept[-1] = (kept[-1][0], high)
        else:
            kept.append((low, high))
    return tuple(kept)


def union(first: Codes, second: Codes) -> Codes:
    """The codes in either set."""
    if first == second or not second:
        return first
    return joined(first + second) if first else second


def united(sets: Sequence[Codes]) -> Codes:
    """The codes in any of one or more sets.

    >>> united([((0, 2),), ((5, 6),), ((2, 4),)])
    ((0, 4), (5, 6))
    """
    return sets[0] if len(sets) == 1 else joined(interval for one in sets for interval in one)


def intersection(first: Codes, second: Codes) -> Codes:
    """The codes in both sets.

    >>> intersection(((0, 5),), ((3, 9),))
    ((3, 5),)
    """
    if first == second:
        return first
    if len(first) == 1 and len(second) == 1:
        return span(max(first[0][0], second[0][0]), min(first[0][1], second[0][1]))
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(first) and j < len(second):
        low = max(first[i][0], second[j][0])
        high = min(first[i][1], second[j][1])
        if low < high:
            found.append((low, high))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def difference(first: Codes, second: Codes) -> Codes:
    """The codes of the first set that are not in the second.

    >>> difference(((0, 10),), ((3, 4), (8, 20)))
    ((0, 3), (4, 8))
    """
    found: list[tuple[int, int]] = []
    j = 0
    for low, high in first:
        while j < len(second) and second[j][1] <= low:
            j += 1
        k = j
        while k < len(second) and second[k][0] < high:
            if second[k][0] > low:
                found.append((low, second[k][0]))
            low = max(low, second[k][1])
            k += 1
        if low < high:
            found.append((low, high))
    return tuple(found)


def size(codes: Codes) -> int:
    """How many codes the set holds."""
    return sum(high - low for low, high in codes)


def holds(codes: Codes, code: int) -> bool:
    """Whether the set holds a code.

    >>> holds(((0, 3), (5, 6)), 5), holds(((0, 3), (5, 6)), 3)
    (True, False)
    """
    if len(codes) == 1:
        return codes[0][0] <= code < codes[0][1]
    place = bisect_right(codes, code, key=_start) - 1
    return place >= 0 and code < codes[place][1]


def members(codes: Codes) -> Iterator[int]:
    """Each code of the set, in order."""
    for low, high in codes:
        yield from range(low, high)


def covers(first: Codes, second: Codes) -> bool:
    """Whether the first set holds every code of the second."""
    return not difference(second, first)


def _start(interval: tuple[int, int]) -> int:
    return interval[0]
