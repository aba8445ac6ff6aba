"""The codes of a small table held in memory, for counts that a region alone decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.limits import current
from partita.query.exact.program import Program
from partita.region.codes import Codes
from partita.region.region import Region


@final
class Held:
    """One array of codes for each column of the domain, as narrow as they fit.

    A row is in a region if its codes are: the region itself is evaluated, and nothing is written in SQL (theory E18).
    """

    def __init__(self, codes: Sequence[NDArray[np.int64]], sizes: Sequence[int]) -> None:
        self._columns = [_narrow(column, size) for column, size in zip(codes, sizes, strict=True)]
        self._rows = len(codes[0]) if codes else 0

    def count(self, region: Region) -> int:
        """How many rows are in the region.

        >>> from partita.region import Domain, integers
        >>> domain = Domain({"age": integers(0, 120, missing=0), "day": integers(0, 6, missing=0)})
        >>> held = Held([np.array([40, 70, 90]), np.array([0, 1, 5])], domain.shape)
        >>> held.count(Region.where("age > 65 AND day < 3", domain))
        1
        """
        total = 0
        for box in region.boxes:  # boxes of a region are disjoint
            met: NDArray[np.bool_] | None = None
            for column, codes, full in zip(self._columns, box, region.domain.everything, strict=True):
                if codes != full:
                    part = _within(column, codes)
                    met = part if met is None else np.logical_and(met, part, out=met)
            total += self._rows if met is None else int(np.count_nonzero(met))
        return total


def counted(program: Program) -> bool:
    """Whether a program asks for the number of rows in a region of few boxes, and for nothing else."""
    return program.counts_rows and len(program.where.region.boxes) <= current().held_boxes


def _narrow(codes: NDArray[np.int64], size: int) -> NDArray[Any]:
    """The same codes in the smallest unsigned type that holds every code and the end of every interval."""
    return codes.astype(
        next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if size <= np.iinfo(kind).max)
    )


def _within(column: NDArray[Any], codes: Codes) -> NDArray[np.bool_]:
    kind = column.dtype.type
    found: NDArray[np.bool_] | None = None
    for low, high in codes:
        # Unsigned: what is below the interval wraps around to far above it.
        part = (column - kind(low) if low else column) < kind(high - low)
        found = part if found is None else np.logical_or(found, part, out=found)
    return np.zeros(len(column), dtype=bool) if found is None else found
