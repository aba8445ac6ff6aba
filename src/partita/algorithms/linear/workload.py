"""Workloads: the linear queries that matter, as weights on the cells of a histogram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.linear.strategy import Floats, matrix
from partita.errors import algorithms as refuse
from partita.exact import whole

# A workload of all ranges is written out only below this; beyond it is known by the products of its columns.
_WRITTEN = 128


@final
@dataclass(frozen=True, eq=False)
class Workload:
    """Queries over cells: each is a weight for every cell, and its answer is the weighted sum of the counts.

    ``gram`` holds the products of the columns with each other: all that a strategy needs to know. ``matrix`` is the
    queries themselves, or None where there are too many to write out.

    >>> Workload.prefixes(3).matrix.tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """

    queries: int
    gram: Floats
    matrix: Floats | None
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, weights: object, *, names: Sequence[str] = ()) -> Workload:
        """The queries of a table of weights, a line each."""
        table = matrix(weights, "queries")
        return cls(len(table), table.T @ table, table, tuple(map(str, names)))

    @classmethod
    def cells(cls, count: int) -> Workload:
        """Every cell by itself: a histogram."""
        return cls.of(np.eye(whole(count, "cells", least=1)))

    @classmethod
    def prefixes(cls, count: int) -> Workload:
        """How many are in the first 1, 2, ... cells."""
        return cls.of(np.tri(whole(count, "cells", least=1)))

    @classmethod
    def ranges(cls, count: int, pairs: Iterable[tuple[int, int]] | None = None) -> Workload:
        """Ranges of cells, both ends included: those listed, or all of them.

        >>> Workload.ranges(1000).queries
        500500
        """
        width = whole(count, "cells", least=1)
        if pairs is not None:
            return cls.of(range_queries(width, pairs))
        if width <= _WRITTEN:
            return cls.of(range_queries(width, [(low, high) for low in range(width) for high in range(low, width)]))
        place = np.arange(width, dtype=np.float64)
        gram = (np.minimum.outer(place, place) + 1) * (width - np.maximum.outer(place, place))
        return cls(width * (width + 1) // 2, gram, None)

    @classmethod
    def marginals(cls, shape: Sequence[int], tables: Iterable[Sequence[int]]) -> Workload:
        """All cells of several marginal tables of a small joint table, each named by the places of its columns."""
        sizes = [whole(size, "size", least=1) for size in shape]
        blocks = []
        for table in tables:
            kept = set(table)
            if not kept <= set(range(len(sizes))):
                raise refuse.bad_range(min(kept), max(kept), len(sizes))
            block: Floats = np.ones((1, 1))
            for place, size in enumerate(sizes):
                block = np.kron(block, np.eye(size) if place in kept else np.ones((1, size))).astype(np.float64)
            blocks.append(block)
        if not blocks:
            raise refuse.not_a_matrix("queries", "no table")
        return cls.of(np.vstack(blocks))

    @property
    def width(self) -> int:
        """How many cells there are."""
        return len(self.gram)

    def classes(self) -> tuple[NDArray[np.int64], Workload]:
        """Cells that no query tells apart, as one: which class each cell is in, and the workload on the classes.

        Only for queries that are written out; a cell in no query gets a class of its own, with no weight.
        """
        if self.matrix is None:
            return np.arange(self.width), self
        merged, places = np.unique(self.matrix, axis=1, return_inverse=True)
        return places.ravel().astype(np.int64), Workload.of(merged)


def range_queries(width: int, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Ranges as weights.

    >>> range_queries(3, [(1, 2)]).tolist()
    [[0.0, 1.0, 1.0]]
    """
    listed = []
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise refuse.not_a_pair(pair)
        listed.append((whole(pair[0], "low"), whole(pair[1], "high")))
    found = np.zeros((len(listed), width))
    for line, (low, high) in enumerate(listed):
        if not low <= high < width:
            raise refuse.bad_range(low, high, width)
        found[line, low : high + 1] = 1.0
    return found


def cells_of(codes: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.int64]:
    """The counts of all cells of a joint table, from rows of codes.

    >>> cells_of(np.array([[0, 1], [1, 1], [1, 1]]), (2, 2)).tolist()
    [0, 1, 0, 2]
    """
    places = np.ravel_multi_index(tuple(codes.T), tuple(shape)) if len(codes) else np.empty(0, dtype=np.int64)
    return np.bincount(places, minlength=prod(shape)).astype(np.int64)


def subsets(table: Iterable[int]) -> list[tuple[int, ...]]:
    """All subsets of some columns, the smallest first.

    >>> subsets((0, 2))
    [(), (0,), (2,), (0, 2)]
    """
    columns = sorted(set(table))
    found = [
        tuple(column for column, kept in zip(columns, chosen, strict=True) if kept)
        for chosen in product((False, True), repeat=len(columns))
    ]
    return sorted(found, key=lambda subset: (len(subset), subset))
