"""Exchanges: rows that agree where two cliques meet swap what lies beyond, until other tables fit the model too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.linear.axes import Axes, Names
from partita.algorithms.progress import track
from partita.algorithms.synthetic.graphical import Floats, GraphicalModel
from partita.algorithms.synthetic.junction import JunctionTree
from partita.sampling.bits import BitSource

Codes = NDArray[np.int64]

_SWEEPS = 5
# Pairs of rows that are looked at, times tables, and cells that are watched: a million rows must not take minutes.
_WORK, _CELLS = 100_000_000, 1 << 22
# Swaps that are decided together touch a small part of the rows, so that they seldom meet in a cell.
_PART, _BLOCK = 20, 1 << 17


def settled(
    model: GraphicalModel, codes: Codes, tables: Sequence[Names], bits: BitSource, *, progress: bool | None = False
) -> Codes:
    """Rows with the same tables within cliques, and with others that are nearer to those of the model.

    Two rows that agree on the columns a clique shares with its parent may swap all columns beyond: no table within a
    clique changes. Swaps are kept if they bring down Σ (n - e)² / √(e + 1) over all cells of the tables, with e rows
    expected and n made up: true counts scatter around e by about √e, so that being off by d costs about d² / √e of the
    distance to them. Only the model comes in: post-processing (theory B7).

    >>> from partita.algorithms.synthetic.graphical import Observed, fitted
    >>> from partita.sampling.bits import TestBits
    >>> axes = Axes({"a": 2, "b": 2})
    >>> model = fitted(axes, [Observed((name,), np.array([20.0, 20.0]), 1.0) for name in axes.names])
    >>> rows = settled(model, np.repeat([[0, 0], [1, 1]], 20, axis=0), [("a", "b")], TestBits(1))
    >>> axes.counts(rows, ("a", "b")).tolist()
    [10, 10, 10, 10]
    """
    axes = model.axes
    sizes = accumulate(axes.cells(table) for table in tables)
    watched = [table for table, cells in zip(tables, sizes, strict=True) if cells <= _CELLS]
    links = [link for link in _links(model.tree) if any(_crosses(table, *link) for table in watched)]
    if not links or len(codes) < 2:
        return codes
    fit = _Fit(model, codes, watched)
    rounds = links * _SWEEPS
    most = _WORK // (len(rounds) * len(watched)) + 1
    for shared, beyond in track(rounds, "making rows", shown=progress, total=len(rounds)):
        cut = _Cut(axes, watched, shared, beyond)
        for first, second in _pairs(axes, fit.codes, shared, bits, most=most, at_once=_BLOCK // len(cut.starts) + 1):
            fit.swap(first, second, cut)
    return fit.codes.astype(np.int64)


@final
class _Cut:
    """What lies beyond a link, and where the cells of rows are in all tables that cross it."""

    def __init__(self, axes: Axes, tables: Sequence[Names], shared: Collection[str], beyond: Collection[str]) -> None:
        self.beyond = np.array([name in beyond for name in axes.names])
        used = [place for place, table in enumerate(tables) if _crosses(table, shared, beyond)]
        steps = np.zeros((len(axes.names), len(used)))
        for place, table in enumerate(tables[one] for one in used):
            for name, step in zip(reversed(table), _steps(axes, table), strict=True):
                steps[axes.names.index(name), place] = step
        self.starts = np.cumsum([0, *(axes.cells(table) for table in tables)])[used]
        self.near, self.far = steps * ~self.beyond[:, None], steps * self.beyond[:, None]


@final
class _Fit:
    """Rows, and how far every cell of some tables is from what the model expects."""

    def __init__(self, model: GraphicalModel, codes: Codes, tables: Sequence[Names]) -> None:
        expected = np.concatenate([model.table(table).ravel() for table in tables]) * (len(codes) / model.total)
        self.codes: Floats = codes.astype(np.float64)
        self.off: Floats = np.concatenate([model.axes.counts(codes, table) for table in tables]) - expected
        self.weights: Floats = 1 / np.sqrt(expected + 1)

    def swap(self, first: Codes, second: Codes, cut: _Cut) -> None:
        """Swap what lies beyond the cut in those pairs of rows where it helps; none if all together do not."""
        one, two = self.codes[first], self.codes[second]
        near = [(rows @ cut.near).astype(np.int64) + cut.starts for rows in (one, two)]
        far = [(rows @ cut.far).astype(np.int64) for rows in (one, two)]
        old, new = np.stack([near[0] + far[0], near[1] + far[1]]), np.stack([near[0] + far[1], near[1] + far[0]])
        change = (self.weights[new] * (2 * self.off[new] + 1) - self.weights[old] * (2 * self.off[old] - 1)).sum(axis=0)
        change[(near[0] == near[1]) | (far[0] == far[1])] = 0.0
        kept = change.sum(axis=1) < 0
        cells = len(self.off)
        moved = np.bincount(new[:, kept].ravel(), minlength=cells) - np.bincount(old[:, kept].ravel(), minlength=cells)
        if float((self.weights * moved * (2 * self.off + moved)).sum()) < 0:
            self.off = self.off + moved
            self.codes[np.ix_(first[kept], cut.beyond)] = two[np.ix_(kept, cut.beyond)]
            self.codes[np.ix_(second[kept], cut.beyond)] = one[np.ix_(kept, cut.beyond)]


def _links(tree: JunctionTree) -> list[tuple[set[str], set[str]]]:
    """For every clique but the first: the columns shared with its parent, and all others in it and below it."""
    below = [set(clique) for clique in tree.cliques]
    for place, parent in reversed(tree.links):
        if parent >= 0:
            below[parent] |= below[place]
    found = []
    for place, parent in tree.links[1:]:
        shared = set(tree.cliques[place]) & set(tree.cliques[parent]) if parent >= 0 else set()
        found.append((shared, below[place] - shared))
    return found


def _crosses(table: Names, shared: Collection[str], beyond: Collection[str]) -> bool:
    """Whether a table has columns beyond a link and others on this side of it."""
    return any(name in beyond for name in table) and any(name not in beyond and name not in shared for name in table)


def _steps(axes: Axes, table: Names) -> list[int]:
    """How far one code of each column is in a flat table, from the last column to the first."""
    return list(accumulate(reversed(axes.shape(table)), lambda step, size: step * size, initial=1))[:-1]


def _pairs(
    axes: Axes, codes: Floats, shared: Collection[str], bits: BitSource, *, most: int, at_once: int
) -> Iterator[tuple[Codes, Codes]]:
    """Random pairs of rows that agree on the shared columns, a part of them at a time."""
    groups = np.zeros(len(codes), dtype=np.int64)
    for place, name in enumerate(axes.names):
        if name in shared:
            groups = groups * axes.sizes[place] + codes[:, place].astype(np.int64)
    order = np.lexsort((bits.words(len(codes)), groups))
    alike = groups[order[:-1]] == groups[order[1:]]
    alike[1::2] = False
    lefts = np.flatnonzero(alike)
    lefts = lefts[np.argsort(bits.words(len(lefts)))][:most]
    part = max(1, min(len(codes) // _PART, at_once))
    for start in range(0, len(lefts), part):
        chosen = lefts[start : start + part]
        yield order[chosen], order[chosen + 1]
