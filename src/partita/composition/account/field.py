"""The exact load inside a small box, by corner differences and running sums over the break points in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partita.composition.account.sums import halves, joined, total
from partita.composition.account.units import ROOM

Integers = npt.NDArray[np.int64]


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
    open_axes = [axis for axis, size in enumerate(shape) if size > 1]
    field = np.zeros(tuple(shape[axis] + 1 for axis in open_axes), dtype=np.int64)
    count = len(weight)
    if count and open_axes:
        strides = np.asarray(field.strides) // field.itemsize
        places = np.zeros(count, dtype=np.int64)[None, :]
        signs = np.ones((1, 1), dtype=np.int64)
        for axis, stride in zip(open_axes, strides, strict=True):
            first = np.searchsorted(cuts[axis], part.low[:, axis]) * stride
            after = np.searchsorted(cuts[axis], part.high[:, axis]) * stride
            places = np.concatenate((places + first, places + after))
            signs = np.concatenate((signs, -signs))
        np.add.at(field.reshape(-1), places.reshape(-1), (signs * weight[None, :]).reshape(-1))
        for axis in range(len(open_axes)):
            np.cumsum(field, axis=axis, out=field)
    elif count:
        field = field + weight.sum()
    trimmed = field[tuple(slice(0, -1) for _ in open_axes)]
    cells: Integers = trimmed.reshape(shape)
    return cells
