"""All charges ever booked as rectangles of codes with their summed weights: what grids are rebuilt from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.units import ROOM
from partita.region.box import Box

Integers = npt.NDArray[np.int64]


@final
class Rectangles:
    """Rectangles low <= code < high with a weight for each component; equal ones are kept once, weights summed."""

    __slots__ = ("_high", "_keys", "_low", "_most", "_weights", "count")

    def __init__(self, axes: int, components: int, most: int = 1 << 18) -> None:
        self._most = most
        self._low: Integers = np.zeros((64, axes), dtype=np.int64)
        self._high: Integers = np.zeros((64, axes), dtype=np.int64)
        self._weights: Integers = np.zeros((64, components), dtype=np.int64)
        self._keys: dict[bytes, int] = {}
        self.count = 0

    @property
    def low(self) -> Integers:
        """The first codes, a row for each rectangle."""
        return self._low[: self.count]

    @property
    def high(self) -> Integers:
        """The codes after the last, a row for each rectangle."""
        return self._high[: self.count]

    @property
    def weights(self) -> Integers:
        """What each rectangle weighs, in each component."""
        return self._weights[: self.count]

    def add(self, boxes: Sequence[Box], weight: Sequence[int]) -> None:
        """Book disjoint boxes with one weight."""
        for box in boxes:
            for corner in rectangles(box):
                self._add(corner, weight)

    def add_all(self, charges: Sequence[tuple[Sequence[Box], Sequence[int]]]) -> None:
        """Book many of them; at once where none is there yet and none comes twice."""
        corners = [(corner, weight) for boxes, weight in charges for box in boxes for corner in rectangles(box)]
        keys = {corner: place for place, (corner, _) in enumerate(corners)}
        if self.count or not corners or not len(corners) == len(keys) <= self._most:
            for boxes, weight in charges:
                self.add(boxes, weight)
            return
        ends = np.asarray([corner for corner, _ in corners], dtype=np.int64)
        self._low, self._high = ends[:, :, 0].copy(), ends[:, :, 1].copy()
        self._weights = np.asarray([weight for _, weight in corners], dtype=np.int64)
        self._keys = {row.tobytes(): place for place, row in enumerate(ends)}
        self.count = len(corners)

    def _add(self, rectangle: tuple[tuple[int, int], ...], weight: Sequence[int]) -> None:
        ends = np.asarray(rectangle, dtype=np.int64)
        key = ends.tobytes()
        place = self._keys.get(key)
        if place is None:
            place = self.count
            if place == len(self._low):
                self._low = np.concatenate((self._low, np.zeros_like(self._low)))
                self._high = np.concatenate((self._high, np.zeros_like(self._high)))
                self._weights = np.concatenate((self._weights, np.zeros_like(self._weights)))
            self._low[place] = ends[:, 0]
            self._high[place] = ends[:, 1]
            if len(self._keys) < self._most:
                self._keys[key] = place
            self.count += 1
        self._weights[place] = np.minimum(self._weights[place] + np.asarray(weight, dtype=np.int64), ROOM)


def rectangles(box: Box) -> Iterator[tuple[tuple[int, int], ...]]:
    """A box as rectangles: one interval for each axis.

    >>> list(rectangles((((0, 2), (4, 5)), ((0, 9),))))
    [((0, 2), (0, 9)), ((4, 5), (0, 9))]
    """
    yield from product(*box)
