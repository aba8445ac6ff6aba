"""The exact load inside a small box, by corner differences and running sums over the break points in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.sums import halves, joined, total
from partita.composition.account.loads.units import ROOM

Integers = npt.NDArray[np.int64]

SHORT = 32
"""Cells of an axis that are added up one after the other."""
FEW = 256
"""Corners of a rectangle; one with more, on that many axes, has few cells, which are added to one by one."""


class Part(NamedTuple):
    """Some rectangles clipped to a box, and the weight that covers all of the box."""

    low: Integers
    high: Integers
    weight: Integers
    base: int


def clipped(low: Integers, high: Integers, weight: Integers, start: Integers, stop: Integers, base: int = 0) -> Part:
    """The rectangles that cross the box [start, stop); those that cover it are summed into the base."""
    meets = ((low < stop) & (high > start)).all(axis=1)
    low, high, weight = np.maximum(low[meets], start), np.minimum(high[meets], stop), weight[meets]
    covers = ((low == start) & (high == stop)).all(axis=1)
    if covers.any():
        base = min(base + total(weight[covers]), ROOM)
        rest = ~covers
        low, high, weight = low[rest], high[rest], weight[rest]
    return Part(low, high, weight, base)


def break_points(part: Part, start: Integers, stop: Integers, extra: list[Integers]) -> list[Integers]:
    """For each axis, the starts of the elementary intervals within the box."""
    found = []
    for axis in range(len(start)):
        ends = np.concatenate(([start[axis]], part.low[:, axis], part.high[:, axis], extra[axis]))
        ends = np.unique(ends)
        found.append(ends[(ends >= start[axis]) & (ends < stop[axis])])
    return found


def dense(part: Part, cuts: list[Integers]) -> Integers:
    """The load of every elementary cell, held at ``ROOM``."""
    loads = joined([_summed(part, weight, cuts) for weight in halves(part.weight)])
    full: Integers = np.minimum(loads + part.base, ROOM)
    return full


def _summed(part: Part, weight: Integers, cuts: list[Integers]) -> Integers:
    """The sum over corners telescopes to the rectangles that hold the cell."""
    shape = tuple(len(along) for along in cuts)
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    sizes = tuple(shape[axis] for axis in axes)
    field = np.zeros(sizes, dtype=np.int64)
    first, after = ranks(part.low, part.high, axes, [cuts[axis] for axis in axes])
    few = corner_count(after, sizes) <= FEW
    row, place, sign = corners(first[few], after[few], sizes)
    np.add.at(field.reshape(-1), place, sign * weight[few][row])
    add_up(field, range(len(axes)))
    for at in np.flatnonzero(~few):
        field[tuple(slice(*ends) for ends in zip(first[at], after[at], strict=True))] += weight[at]
    cells: Integers = field.reshape(shape)
    return cells


def add_up(field: Integers, axes: Iterable[int]) -> None:
    """Running sums along some axes, in place; of a short axis slice by slice, which is many times faster."""
    for axis in axes:
        if field.shape[axis] > SHORT:
            np.cumsum(field, axis=axis, out=field)
            continue
        slices = np.moveaxis(field, axis, 0)
        for place in range(1, field.shape[axis]):
            slices[place] += slices[place - 1]


def extent(marks: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """For each axis the first place with a mark, and the place after the last; there is one mark at least.

    >>> extent(np.array([[False, True, True, False], [False, False, False, False]]))
    [(0, 1), (1, 3)]
    """
    found, before = [], 1
    for size in marks.shape:
        # Three axes at a time: numpy takes long over many.
        along = np.flatnonzero(marks.reshape(before, size, -1).any(axis=(0, 2))) if size > 1 else np.zeros(1, np.intp)
        found.append((int(along[0]), int(along[-1]) + 1))
        before *= size
    return found


def ranks(low: Integers, high: Integers, axes: Sequence[int], cuts: Sequence[Integers]) -> tuple[Integers, Integers]:
    """For each rectangle its first cell along some axes, and the cell after its last."""
    first, after = np.zeros((2, len(low), len(axes)), dtype=np.int64)
    for place, (axis, along) in enumerate(zip(axes, cuts, strict=True)):
        first[:, place] = np.searchsorted(along, low[:, axis])
        after[:, place] = np.searchsorted(along, high[:, axis])
    return first, after


def corner_count(after: Integers, sizes: Sequence[int]) -> Integers:
    """How many corners each rectangle has: twice as many for each axis that it does not reach the end of."""
    counts: Integers = np.left_shift(1, (after < np.asarray(sizes, dtype=np.int64)).sum(axis=1))
    return counts


def corners(first: Integers, after: Integers, sizes: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """Of every corner its rectangle, its place in the field and its sign; those beyond the field are none.

    >>> corners(np.array([[1, 0]]), np.array([[2, 2]]), (3, 2))
    (array([0, 0]), array([2, 4]), array([ 1, -1]))
    """
    row = np.arange(len(first))
    place, sign = np.zeros(len(first), dtype=np.int64), np.ones(len(first), dtype=np.int64)
    stride = 1
    for axis in reversed(range(len(sizes))):
        ending = np.flatnonzero(after[row, axis] < sizes[axis])
        ended = place[ending] + after[row[ending], axis] * stride
        place = np.concatenate((place + first[row, axis] * stride, ended))
        sign = np.concatenate((sign, -sign[ending]))
        row = np.concatenate((row, row[ending]))
        stride *= sizes[axis]
    return row, place, sign
