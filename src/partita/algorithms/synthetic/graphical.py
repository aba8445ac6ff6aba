"""Graphical models: the distribution of greatest entropy whose marginal tables are nearest to noisy ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.adaptive_queries.belief import MOST_ROWS
from partita.algorithms.linear.axes import Axes, Names
from partita.algorithms.synthetic.junction import JunctionTree
from partita.sampling.bits import BitSource

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """A noisy marginal table, and the deviation of its noise."""

    table: Names
    counts: Floats
    deviation: float


@final
class GraphicalModel:
    """A distribution that is a product of one potential for each measured table, times a number of rows."""

    def __init__(
        self, axes: Axes, potentials: Mapping[Names, Floats], total: float, tree: JunctionTree | None = None
    ) -> None:
        self.axes = axes
        self.total = min(max(total, 1.0), MOST_ROWS)
        self.potentials = dict(potentials)
        self.tree = JunctionTree.over(axes, self.potentials) if tree is None else tree
        self._logs = beliefs(axes, self.tree, self.potentials)
        self._cliques = [self._normal(logs) for logs in self._logs]

    def table(self, table: Names) -> Floats:
        """The expected counts of a marginal table; any columns, in a clique or not."""
        home = self.tree.home(table)
        if home is None:
            return self._normal(self._across(table))
        away = tuple(place for place, name in enumerate(self.tree.cliques[home]) if name not in table)
        found: Floats = self._cliques[home].sum(axis=away) if away else self._cliques[home]
        return found

    def _normal(self, logs: Floats) -> Floats:
        """Expected counts from logarithms known up to a constant."""
        shares = np.exp(logs - logs.max())
        found: Floats = shares * (self.total / shares.sum())
        return found

    def _across(self, table: Names) -> Floats:
        """A table that lies in no clique: of the cliques between its columns, divided by what neighbours share, all
        other columns are summed out, the cheapest first."""
        cliques, kept = self.tree.cliques, self.tree.between(table)
        factors = [(cliques[place], self._logs[place]) for place in sorted(kept)]
        for place, parent in self.tree.links:
            if place in kept and parent in kept:
                shared = _shared(self.tree, place, parent)
                factors.append((shared, -_summed(self._logs[parent], cliques[parent], shared)))
        for name in _elimination(self.axes, [names for names, _ in factors], table):
            touched = [(names, logs) for names, logs in factors if name in names]
            factors = [(names, logs) for names, logs in factors if name not in names]
            if touched:
                names = self.axes.table(set().union(*(set(one) for one, _ in touched)))
                joint = np.zeros(self.axes.shape(names))
                for one, logs in touched:
                    joint = joint + _spread(logs, one, names, self.axes)
                rest = tuple(one for one in names if one != name)
                factors.append((rest, _summed(joint, names, rest)))
        joint = sum(
            (_spread(logs, one, table, self.axes) for one, logs in factors), start=np.zeros(self.axes.shape(table))
        )
        return np.asarray(joint, dtype=np.float64)

    def sample(self, rows: int, bits: BitSource) -> NDArray[np.int64]:
        """Rows of codes whose tables within cliques are as near to the model's as whole rows can be.

        The new columns of each clique are drawn together: within each combination of the columns drawn before, expected
        counts are rounded to whole rows, and the remainders are drawn in order, so that coarser tables fit too.
        """
        codes = np.zeros((rows, len(self.axes.names)), dtype=np.int64)
        done: list[str] = []
        for place, _ in self.tree.links:
            clique = self.tree.cliques[place]
            given = tuple(name for name in clique if name in done)
            new = tuple(name for name in clique if name not in done)
            order = [clique.index(name) for name in (*given, *new)]
            wanted = self.table(clique).transpose(order).reshape(*self.axes.shape(given), -1)
            drawn = np.unravel_index(_drawn(self.axes, codes, given, wanted, bits), self.axes.shape(new))
            for name, column in zip(new, drawn, strict=True):
                codes[:, self.axes.names.index(name)] = column
            done += new
        return codes


def fitted(
    axes: Axes,
    observed: Sequence[Observed],
    *,
    total: float | None = None,
    start: Mapping[Names, Floats] | None = None,
    steps: int = 1000,
    close: float = 1e-6,
) -> GraphicalModel:
    """The model nearest to noisy tables, by mirror descent on Σ |μ_c - y_c|² / 2σ_c² with a line search.

    Only noisy numbers come in: post-processing (theory B7).

    >>> axes = Axes({"a": 2, "b": 2})
    >>> model = fitted(
    ...     axes, [Observed(("a",), np.array([30.0, 10.0]), 1.0), Observed(("b",), np.array([20.0, 20.0]), 1.0)]
    ... )
    >>> model.table(("a", "b")).round().tolist()
    [[15.0, 15.0], [5.0, 5.0]]
    """
    count = best_total(observed) if total is None else total
    merged = _merged(axes, observed)
    potentials = {table: np.zeros(axes.shape(table)) for table in merged}
    for table, logs in (start or {}).items():
        if table in potentials:
            potentials[table] = logs
    model = GraphicalModel(axes, potentials, count)
    here = {table: model.table(table) for table in merged}
    loss = _loss(merged, here)
    rate = 2 / (max(weight for _, weight in merged.values()) * model.total)
    calm = 0
    for _ in range(steps):
        slopes = {table: weight * (here[table] - counts) for table, (counts, weight) in merged.items()}
        moved = {table: potentials[table] - rate * slopes[table] for table in merged}
        moved = {table: logs - logs.max() for table, logs in moved.items()}
        tried = GraphicalModel(axes, moved, count, model.tree)
        there = {table: tried.table(table) for table in merged}
        lower = _loss(merged, there)
        fall = sum(float((slopes[table] * (here[table] - there[table])).sum()) for table in merged)
        if loss - lower < 0.5 * fall or not np.isfinite(lower):
            rate /= 2
            if rate < 1e-300:
                break
            continue
        calm = calm + 1 if loss - lower <= close * max(lower, 1e-9) else 0
        potentials, model, here, loss, rate = moved, tried, there, lower, rate * 1.1
        if calm >= 5:
            break
    return model


def best_total(observed: Sequence[Observed]) -> float:
    """The number of rows that all noisy tables say together, weighted by one over the variance of their sums."""
    weights = [1 / (one.deviation**2 * one.counts.size) for one in observed]
    said = sum(weight * float(one.counts.sum()) for weight, one in zip(weights, observed, strict=True))
    return max(said / sum(weights), 1.0)


def beliefs(axes: Axes, tree: JunctionTree, potentials: Mapping[Names, Floats]) -> list[Floats]:
    """The logarithm of each clique's table, up to a constant, by messages up to the roots and down again."""
    local = [np.zeros(axes.shape(clique)) for clique in tree.cliques]
    for table, logs in potentials.items():
        home = tree.home(table)
        assert home is not None
        local[home] = local[home] + _spread(logs, table, tree.cliques[home], axes)
    upward: dict[int, Floats] = {}
    full = list(local)
    for place, parent in reversed(tree.links):
        if parent >= 0:
            shared = _shared(tree, place, parent)
            upward[place] = _summed(full[place], tree.cliques[place], shared)
            full[parent] = full[parent] + _spread(upward[place], shared, tree.cliques[parent], axes)
    for place, parent in tree.links:
        if parent >= 0:
            shared = _shared(tree, place, parent)
            downward = _summed(full[parent], tree.cliques[parent], shared) - upward[place]
            full[place] = full[place] + _spread(downward, shared, tree.cliques[place], axes)
    return full


def _merged(axes: Axes, observed: Sequence[Observed]) -> dict[Names, tuple[Floats, float]]:
    """One table for each set of columns: repeated measurements as their weighted mean."""
    found: dict[Names, tuple[Floats, float]] = {}
    for one in observed:
        weight, counts = 1 / one.deviation**2, one.counts.reshape(axes.shape(one.table))
        before, heavy = found.get(one.table, (np.zeros_like(counts), 0.0))
        found[one.table] = ((before * heavy + counts * weight) / (heavy + weight), heavy + weight)
    return found


def _loss(merged: Mapping[Names, tuple[Floats, float]], tables: Mapping[Names, Floats]) -> float:
    return sum(weight / 2 * float(((tables[table] - counts) ** 2).sum()) for table, (counts, weight) in merged.items())


def _shared(tree: JunctionTree, place: int, parent: int) -> Names:
    other = set(tree.cliques[parent])
    return tuple(name for name in tree.cliques[place] if name in other)


def _summed(logs: Floats, names: Names, kept: Names) -> Floats:
    """The logarithm of the sum over all columns that are not kept."""
    away = tuple(place for place, name in enumerate(names) if name not in kept)
    if not away:
        return logs
    top = logs.max(axis=away, keepdims=True)
    found: Floats = np.log(np.exp(logs - top).sum(axis=away)) + top.reshape(
        tuple(size for place, size in enumerate(logs.shape) if place not in away)
    )
    return found


def _spread(logs: Floats, names: Names, over: Names, axes: Axes) -> Floats:
    """The same table with an axis for every column of a larger one."""
    return logs.reshape(tuple(size if name in names else 1 for name, size in zip(over, axes.shape(over), strict=True)))


def _elimination(axes: Axes, tables: Sequence[Names], kept: Names) -> list[str]:
    """All columns but the kept ones, the cheapest first at every step."""
    left = [set(table) for table in tables]
    seen = set().union(*left)
    rest, order = [name for name in axes.names if name in seen and name not in kept], []

    def joined(name: str) -> set[str]:
        return set().union(*(table for table in left if name in table)) | {name}

    while rest:
        name = min(rest, key=lambda one: axes.cells(joined(one)))
        made = joined(name) - {name}
        left = [table for table in left if name not in table] + [made]
        rest.remove(name)
        order.append(name)
    return order


def _drawn(axes: Axes, codes: NDArray[np.int64], given: Names, wanted: Floats, bits: BitSource) -> NDArray[np.int64]:
    """The next column for every row: in each group of rows alike so far, expected counts rounded to whole rows."""
    shape = axes.shape(given)
    groups = np.zeros(len(codes), dtype=np.int64)
    for name, size in zip(given, shape, strict=True):
        groups = groups * size + codes[:, axes.names.index(name)]
    flat = wanted.reshape(-1, wanted.shape[-1])
    found = np.zeros(len(codes), dtype=np.int64)
    # A random order, so that which rows of a group get which value does not follow from earlier columns.
    order = np.lexsort((bits.words(len(codes)), groups))
    starts = np.searchsorted(groups[order], np.arange(len(flat) + 1))
    for group in np.flatnonzero(np.diff(starts)):
        size = int(starts[group + 1] - starts[group])
        found[order[starts[group] : starts[group + 1]]] = _rounded(flat[group], size, bits)
    return found


def _rounded(weights: Floats, size: int, bits: BitSource) -> NDArray[np.int64]:
    """So many values in proportion to the weights: whole parts first, then one each by systematic sampling."""
    whole = weights.sum()
    expected = weights * (size / whole) if whole > 0 else np.full(len(weights), size / len(weights))
    counts = np.floor(expected + 1e-9).astype(np.int64)
    short = size - int(counts.sum())
    if short > 0:
        ends = np.cumsum(np.maximum(expected - counts, 0.0))
        start = int(bits.words(1)[0]) / 2**64
        marks = (start + np.arange(short)) * (ends[-1] / short)
        counts += np.bincount(
            np.minimum(np.searchsorted(ends, marks, side="right"), len(counts) - 1), minlength=len(counts)
        )
    return np.repeat(np.arange(len(counts)), counts)[:size]
