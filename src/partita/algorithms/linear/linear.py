"""Linear queries: one release for a whole workload, by a strategy chosen for it without looking at the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import TYPE_CHECKING, final

import numpy as np

from partita.algorithms.budget import budget_of, norm_for
from partita.algorithms.linear.consistency import nearest_nonnegative, nonnegative_least_squares
from partita.algorithms.linear.counting import Counting, check_cells, read_counts
from partita.algorithms.linear.factorise import factorise
from partita.algorithms.linear.scheme import Floats, Lines, Measured, Scheme
from partita.algorithms.linear.strategy import MOST_CELLS, Strategy, matrix
from partita.algorithms.linear.tree import Tree, balanced, depth_of
from partita.algorithms.linear.workload import Workload, range_queries
from partita.errors import algorithms as refuse
from partita.exact import Number
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.histogram import relation_of
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator

STRATEGIES = ("best", "optimal", "tree", "cells")
_ARITIES = (2, 3, 4, 6, 8, 12, 16, 32)
_OPTIMISED = 1024


@final
class LinearQueries:
    """Answers to many linear queries about one histogram, from a single private release (theory F9).

    ``strategy`` says what is measured: ``"cells"``, a ``"tree"``, the ``"optimal"`` strategy for Gaussian noise, the
    ``"best"`` of them by predicted error, or a :class:`Strategy` of your own. ``nonnegative`` makes the estimated cells
    consistent with counts, which is free.

    >>> queries = LinearQueries(Workload.prefixes(64), epsilon=1, delta="1e-6")
    >>> queries.rmse() < LinearQueries(Workload.prefixes(64), epsilon=1, delta="1e-6", strategy="cells").rmse()
    True
    """

    def __init__(
        self,
        workload: Workload,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        strategy: str | Strategy = "best",
        noise: str | None = None,
        relation: Relation | str = Relation.ADD_REMOVE,
        nonnegative: bool = False,
        progress: bool | None = None,
    ) -> None:
        if not isinstance(workload, Workload):
            workload = Workload.of(workload)
        self.workload = workload
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
        self.relation = relation_of(relation)
        self.nonnegative = nonnegative
        self._progress = progress
        self._least = 0.0
        self.scheme = self._chosen(strategy, norm_for(self.budget, noise))

    def losses(self, rows: int = 1, *, changed: bool = False) -> Sequence[Event]:
        """The releases, with the distance that so many rows can move each."""
        return self.scheme.losses(rows, changed=changed)

    def rmse(self) -> float:
        """The expected root mean square error over all queries of the workload, non-negativity left aside."""
        return sqrt(max(self._total(self.scheme), 0.0) / self.workload.queries)

    def least(self) -> float:
        """What no Gaussian strategy can come below: a bound on ``rmse``, which says how good the one found is.

        Laplace noise may come below it, and is chosen where it does. Zero where nothing is known: if no Gaussian
        strategy was looked for, or if rows change.
        """
        return sqrt(self._least / self.workload.queries)

    def error(self, confidence: Number = 0.95) -> Floats:
        """The half-width of each query's error, all of them at once with this confidence, non-negativity left aside."""
        return self.scheme.half_widths(self._written(), confidence)

    def release(self, histogram: object, *, bits: BitSource | None = None) -> Estimate:
        """Measure exact counts, with noise, and estimate everything from that."""
        counts = read_counts(histogram, self.workload.width)
        return self._estimated(self.scheme.release(counts, bits=bits))

    def release_from(
        self,
        curator: Curator,
        table: str,
        *,
        columns: Sequence[str],
        where: str | None = None,
        analyst: str = "",
        key: str | None = None,
    ) -> tuple[Estimate, Outcome]:
        """The same on a curator's table, paid from its promises: cells are the joint codes of the columns, in order."""
        check_cells(curator, table, columns, self.workload.width)
        counting = Counting(self.scheme, tuple(columns), self.workload.width, self.budget)
        outcome = curator.run(counting, table=table, where=where, analyst=analyst, key=key)
        return self._estimated(outcome.document), outcome

    def _estimated(self, measured: Measured) -> Estimate:
        plain = self.scheme.estimate(measured)
        if not self.nonnegative:
            return Estimate(plain, self.workload, self.scheme, plain)
        if isinstance(self.scheme, Lines):
            cells = nonnegative_least_squares(self.scheme.strategy.gram, plain)
        else:
            cells = nearest_nonnegative(plain)
        return Estimate(cells, self.workload, self.scheme, plain)

    def _written(self) -> Floats:
        if self.workload.matrix is None:
            raise refuse.not_written()
        return self.workload.matrix

    def _chosen(self, strategy: str | Strategy, norms: Sequence[Norm]) -> Scheme:
        changed = self.relation is Relation.CHANGE_ONE
        if isinstance(strategy, Strategy):
            if strategy.width != self.workload.width:
                raise refuse.wrong_cells("strategy", self.workload.width, strategy.width)
            given = [Lines.within(self.budget, strategy, norm=norm, changed=changed) for norm in norms]
            return min(given, key=self._total)
        if strategy not in STRATEGIES:
            raise refuse.unknown_choice("strategy", strategy, STRATEGIES)
        width = self.workload.width
        found: list[Scheme] = []
        for norm in norms:
            if strategy in ("best", "cells") and width <= MOST_CELLS:
                found.append(Lines.within(self.budget, Strategy.cells(width), norm=norm, changed=changed))
            if strategy in ("best", "tree"):
                found.append(self._tree(norm, changed=changed))
        if strategy in ("best", "optimal") and Norm.L2 in norms:
            found += self._optimal(min(map(self._total, found), default=inf), changed=changed)
        if not found:
            raise refuse.too_many_cells(width, _OPTIMISED, 'Use strategy="tree".')
        return min(found, key=self._total)

    def _tree(self, norm: Norm, *, changed: bool) -> Tree:
        """The best depth by predicted error, then the best shares for its levels."""
        width = self.workload.width

        def made(depth: int, queries: Floats | None = None) -> Tree:
            parts = balanced(width, depth)
            return Tree.within(self.budget, width, parts=parts, norm=norm, changed=changed, queries=queries)

        if width > MOST_CELLS and self.workload.matrix is None:
            return made(depth_of(width, 16))
        depths = sorted({depth_of(width, arity) for arity in _ARITIES})
        depth = min(depths, key=lambda depth: self._total(made(depth)))
        return made(depth, self._asked)

    def _optimal(self, enough: float, *, changed: bool) -> list[Scheme]:
        """The best Gaussian strategy, unless there are too many cells or none can have less error than is enough."""
        places, merged = self.workload.classes()
        if merged.width > _OPTIMISED:
            return []
        # The bound is for columns of length one; where rows change, their differences count, and it says nothing.
        unit = 0.0 if changed else float(GaussianNoise.for_budget(self.budget, Distance.l2(1)).sigma) ** 2
        found = factorise(merged.gram, enough=enough / unit if unit else inf, progress=self._progress)
        self._least = found.least * unit
        if self._least > enough:
            return []
        optimal = Strategy.of(found.triangular()[:, places], name="optimal")
        return [Lines.within(self.budget, optimal, norm=Norm.L2, changed=changed)]

    def _total(self, scheme: Scheme) -> float:
        """The expected total squared error over the workload."""
        return float(scheme.variances(self._asked).sum())

    @cached_property
    def _asked(self) -> Floats:
        """The queries, or others, one for each cell, whose columns have the same products and so the same error."""
        if self.workload.matrix is not None and self.workload.queries <= max(self.workload.width, 64):
            return self.workload.matrix
        values, vectors = np.linalg.eigh(self.workload.gram)
        found: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return found


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated cells and answers, with their errors; whatever is asked of it is free.

    ``plain`` are the cells as least squares gave them: where ``cells`` were made non-negative, answers moved, and
    their error bars are wider by as much.
    """

    cells: Floats
    workload: Workload
    scheme: Scheme
    plain: Floats

    @property
    def answers(self) -> Floats:
        """The answers to the workload."""
        if self.workload.matrix is None:
            raise refuse.not_written()
        return self.answer(self.workload.matrix)

    def answer(self, queries: Floats) -> Floats:
        """The answers to any queries over the cells."""
        found: Floats = self._asked(queries) @ self.cells
        return found

    def range(self, low: int, high: int) -> float:
        """How many are in a range of cells, both ends included."""
        return float(self.answer(range_queries(len(self.cells), [(low, high)]))[0])

    def rmse(self, queries: Floats | None = None) -> float:
        """The expected root mean square error of queries, or of the workload, non-negativity left aside."""
        return float(np.sqrt(self.scheme.variances(self._asked(queries)).mean()))

    def error(self, confidence: Number = 0.95, queries: Floats | None = None) -> Floats:
        """The half-widths of queries, or of the workload: all of them at once with this confidence."""
        asked = self._asked(queries)
        return self.scheme.half_widths(asked, confidence) + np.abs(asked @ (self.cells - self.plain))

    def _asked(self, queries: Floats | None) -> Floats:
        """Queries over the cells, or those of the workload."""
        if queries is None:
            if self.workload.matrix is None:
                raise refuse.not_written()
            return self.workload.matrix
        found = matrix(queries, "queries")
        if found.shape[1] != len(self.cells):
            raise refuse.wrong_cells("A query", len(self.cells), found.shape[1])
        return found

    def plot(self, confidence: Number = 0.95) -> Figure:
        """The estimated answers of the workload with their error bars; the cells where it is too large to write out."""
        from partita.algorithms.pictures import answers

        asked = self.workload.matrix
        queries = np.eye(len(self.cells)) if asked is None else asked
        errors = self.error(confidence, queries)
        return answers(self.answer(queries), errors, confidence, self.workload.names)
