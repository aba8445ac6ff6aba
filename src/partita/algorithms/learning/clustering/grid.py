"""A coarse histogram of rows on a grid over their public box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from partita.algorithms.learning.lattice import Array, blocks


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """So many cells along each axis, from -limit to limit; every row lies in exactly one, decided on whole numbers.

    >>> Grid.of((8, 8), 16).cells
    (4, 4)
    """

    limit: tuple[int, ...]
    cells: tuple[int, ...]

    @classmethod
    def of(cls, limit: tuple[int, ...], most: int) -> Grid:
        """About the given number of cells, as nearly square as whole numbers allow; at least one along each axis."""
        widths = np.array(limit, dtype=np.float64)
        side = (widths.prod() / max(most, 1)) ** (1 / len(widths)) if most > 1 else widths.max()
        cells = np.clip(np.rint(widths / max(side, 1.0)), 1, widths).astype(int)
        while cells.prod(dtype=float) > max(most, 1):
            cells[int(np.argmax(cells))] -= 1
        return cls(limit, tuple(cells.tolist()))

    @property
    def size(self) -> int:
        """How many cells there are in all."""
        return int(np.prod(self.cells))

    @property
    def half(self) -> float:
        """Half of a cell's diagonal."""
        sides = [(2 * limit + 1) / cells for limit, cells in zip(self.limit, self.cells, strict=True)]
        return float(np.sqrt(np.square(sides).sum())) / 2

    def counts(self, codes: Array) -> Array:
        """How many rows lie in each cell."""
        total = np.zeros(self.size, dtype=np.int64)
        for block in blocks(len(codes)):
            place = np.zeros(len(codes[block]), dtype=np.int64)
            for column, (limit, cells) in enumerate(zip(self.limit, self.cells, strict=True)):
                # Codes run from -limit to limit: whole-number division, so a row has one cell wherever it stands.
                along = (codes[block, column].astype(np.int64) + limit) * cells // (2 * limit + 1)
                place = place * cells + along
            total += np.bincount(place, minlength=self.size)
        return total.astype(np.float64)

    def centres(self) -> Array:
        """The middle of each cell, in codes."""
        along = [
            (np.arange(cells) + 0.5) * (2 * limit + 1) / cells - limit - 0.5
            for limit, cells in zip(self.limit, self.cells, strict=True)
        ]
        return np.stack([axis.reshape(-1) for axis in np.meshgrid(*along, indexing="ij")], axis=1)
