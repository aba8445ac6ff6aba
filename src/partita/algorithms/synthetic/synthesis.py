"""Synthetic data by adaptively chosen marginal tables: measure where the model is worst, fit, and go on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.adaptive_queries.adaptive import FilteredSession
from partita.algorithms.budget import budget_of
from partita.algorithms.linear.axes import Axes, Names, axes_of, columns_of
from partita.algorithms.linear.marginals import subsets_of
from partita.algorithms.progress import track
from partita.algorithms.synthetic.graphical import Floats, GraphicalModel, Observed, fitted
from partita.algorithms.synthetic.junction import JunctionTree
from partita.algorithms.synthetic.synthetic import Synthetic
from partita.composition.adaptive.filters import Filter, largest_rho
from partita.curator.computations.computation import Computation, Sample
from partita.errors import algorithms as refuse
from partita.exact import Number, fraction_down, whole
from partita.mechanisms.base import Event
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.zcdp import ZCDP

if TYPE_CHECKING:
    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

# What is released: each measured table with the deviation of its noise and its noisy counts.
Measurements = list[dict[str, Any]]

INFERENCES = ("built-in", "mbi")

_TABLES = Fraction(9, 10)
_CELLS = 1 << 18
_WIDE = 100_000


@final
class AdaptiveMarginals(Computation):
    """Rows that look like the data: one-column tables first, then, round by round, the table the model fits worst.

    After each table a graphical model is fitted to everything measured; when a table brought little, the noise of the
    next ones is halved (theory F8, adaptive.proof.md). ``tables`` is what should be right: all tables of ``degree``
    columns unless given. ``cells`` limits the size of the model. ``inference="mbi"`` fits with the package of that
    name, an extra.

    >>> maker = AdaptiveMarginals({"sex": 2, "region": 4, "age": 10}, rho="0.1", degree=2)
    >>> len(maker.tables), [one.count for one in maker.losses(1)]
    (3, [1])
    """

    kind: ClassVar[str] = "adaptive-marginals"

    def __init__(
        self,
        axes: Axes | Mapping[str, int],
        tables: Iterable[Sequence[str]] | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        degree: int = 2,
        rounds: int | None = None,
        cells: int = _CELLS,
        steps: int = 200,
        inference: str = "built-in",
    ) -> None:
        if inference not in INFERENCES:
            raise refuse.unknown_choice("inference", inference, INFERENCES)
        if inference == "mbi" and find_spec("mbi") is None:
            raise refuse.no_mbi()
        self.inference = inference
        self.axes = axes if isinstance(axes, Axes) else Axes(axes)
        self.columns = self.axes.names
        width = min(whole(degree, "degree", least=1), len(self.columns))
        listed = combinations(self.columns, width) if tables is None else tables
        self.tables = tuple(dict.fromkeys(self.axes.table(table) for table in listed))
        self.tables = tuple(table for table in self.tables if tables is not None or self.axes.cells(table) <= _WIDE)
        if not self.tables or () in self.tables:
            raise refuse.no_tables()
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho)
        match self.budget:
            case ZCDP(rho=amount):
                self.rho = amount
            case Approximate(epsilon=loss, delta=share):
                self.rho = fraction_down(largest_rho(loss, share))
            case _:
                raise refuse.no_such_noise("Adaptive", str(self.budget))
        least = len(self.columns) + 1
        self.rounds = 16 * len(self.columns) if rounds is None else whole(rounds, "rounds", least=least)
        if not _root_down(8 * (1 - _TABLES) * self.rho / self.rounds):
            # So little would leave no choice to make: said here, before anything is spent.
            raise refuse.price_too_small(str(self.budget), self.rounds)
        self.cells, self.steps = whole(cells, "cells", least=1), whole(steps, "steps", least=1)
        self.weights = {
            part: sum(len(set(part) & set(table)) for table in self.tables)
            for table in self.tables
            for part in subsets_of(table)
            if part
        }

    # --- privacy ---------------------------------------------------------------------------------------------

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        """One filtered session; a changed row is one that leaves and one that enters."""
        return [Event(FilteredSession(rho=self.rho), Distance.l2((2 if changed else 1) * whole(rows, "rows", least=1)))]

    def parameters(self) -> Mapping[str, object]:
        return {
            "rho": str(self.rho),
            "tables": [list(table) for table in self.tables],
            "rounds": self.rounds,
            "cells": self.cells,
            "steps": self.steps,
            "inference": self.inference,
        }

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        self.axes.accept(table, columns)

    def compute(self, sample: Sample, *, bits: BitSource | None) -> Measurements:
        return self._run(sample.codes, bits, progress=None)

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0

    # --- results ---------------------------------------------------------------------------------------------

    def release(self, codes: object, *, bits: BitSource | None = None, progress: bool | None = None) -> Synthetic:
        """Synthetic rows from rows of codes."""
        measured = self._run(self.axes.read(codes), bits, progress=progress)
        return self.synthetic(measured, bits=bits, progress=progress)

    def release_from(
        self, curator: Curator, table: str, *, where: str | None = None, analyst: str = "", key: str | None = None
    ) -> tuple[Synthetic, Outcome]:
        """The same from a curator's table, paid from its promises, with the values of its columns."""
        declared = axes_of(curator, table, self.columns)
        if declared != self.axes:
            raise refuse.other_axes(table, dict(zip(declared.names, declared.sizes, strict=True)))
        outcome = curator.run(self, table=table, where=where, analyst=analyst, key=key)
        columns = dict(zip(self.columns, columns_of(curator, table, self.columns), strict=True))
        return self.synthetic(outcome.document, columns=columns), outcome

    def synthetic(
        self,
        measured: Measurements,
        *,
        columns: Mapping[str, Any] | None = None,
        bits: BitSource | None = None,
        progress: bool | None = None,
    ) -> Synthetic:
        """Synthetic rows from what was released: post-processing, as often as you like."""
        observed = [
            Observed(tuple(one["table"]), np.array(one["counts"], dtype=np.float64), float(Fraction(one["sigma"])))
            for one in measured
        ]
        model = self._fitted(observed, steps=5 * self.steps)
        return Synthetic.of(model, observed, tables=self.tables, columns=columns, bits=bits, progress=progress)

    # --- the rounds ------------------------------------------------------------------------------------------

    def _run(self, codes: NDArray[np.int64], bits: BitSource | None, *, progress: bool | None) -> Measurements:
        allowed = Filter(ZCDP(rho=self.rho))
        exact = {table: self.axes.counts(codes, table) for table in self.weights}
        first: list[Names] = [(name,) for name in self.columns if (name,) in self.weights]
        heaviest, each = max(self.weights.values()), self.rho / self.rounds
        sigma, epsilon = _root_up(1 / (2 * _TABLES * each)), _root_down(8 * (1 - _TABLES) * each)
        said: Measurements = []
        observed: list[Observed] = []

        def measure(table: Names) -> None:
            noise = GaussianNoise(sigma=sigma)
            allowed.admit(noise.cost(Distance.l2(1), ZCDP))
            counts = [int(count) for count in noise.release(exact[table], bits=bits)]
            said.append({"table": list(table), "sigma": str(sigma), "counts": counts})
            observed.append(Observed(table, np.array(counts, dtype=np.float64), float(sigma)))

        for column in first:
            measure(column)
        model = self._fitted(observed, steps=self.steps)
        for _ in track(range(self.rounds), "measuring tables", shown=progress, total=self.rounds):
            left = allowed.remaining().rho
            last = left < 2 * (1 / (2 * sigma**2) + epsilon**2 / 8)
            if last:
                sigma, epsilon = _root_up(1 / (2 * _TABLES * left)), _root_down(8 * (1 - _TABLES) * left)
            choice = Exponential(epsilon=epsilon / heaviest)
            allowed.admit(choice.cost(Distance.linf(heaviest), ZCDP))
            candidates = self._candidates(model, float(1 - left / self.rho))
            scores = self._scores(model, candidates, exact, float(sigma))
            table = candidates[choice.release(scores, bits=bits)]
            before = model.table(table)
            measure(table)
            model = self._fitted(observed, start=model.potentials, steps=self.steps)
            if last:
                break
            learnt = float(np.abs(model.table(table) - before).sum())
            if learnt <= float(sigma) * math.sqrt(2 / math.pi) * before.size:
                sigma, epsilon = sigma / 2, epsilon * 2
        return said

    def _fitted(
        self, observed: Sequence[Observed], *, start: Mapping[Names, Floats] | None = None, steps: int
    ) -> GraphicalModel:
        if self.inference == "mbi":
            from partita.algorithms.synthetic.by_mbi import fitted_by_mbi

            return fitted_by_mbi(self.axes, observed, start=start, steps=steps)
        return fitted(self.axes, observed, start=start, steps=steps)

    def _candidates(self, model: GraphicalModel, spent: float) -> list[Names]:
        """Tables that keep the model within its size, which grows as ρ is spent; those in a clique are free."""
        limit = self.cells * max(spent, 1 / self.rounds)
        tables = [one for one in model.potentials if not any(set(one) < set(other) for other in model.potentials)]
        return [
            table
            for table in self.weights
            if model.tree.home(table) is not None
            or JunctionTree.over(self.axes, [*tables, table]).cells(self.axes) <= limit
        ]

    def _scores(
        self, model: GraphicalModel, candidates: Sequence[Names], exact: Mapping[Names, NDArray[np.int64]], sigma: float
    ) -> NDArray[Any]:
        """How badly the model fits each candidate, less what noise alone would make of it: whole numbers."""
        bias = math.sqrt(2 / math.pi) * sigma
        found = []
        for table in candidates:
            guessed = np.rint(model.table(table)).astype(np.int64).ravel()
            off = int(np.abs(exact[table] - guessed).sum())
            found.append(self.weights[table] * off - round(self.weights[table] * bias * len(guessed)))
        return np.array(found, dtype=object)


def _root_up(square: Fraction) -> Fraction:
    """A short decimal that is not below a square root."""
    return decimal_up(Fraction(math.isqrt(math.ceil(square * 10**24)) + 1, 10**12), 12)


def _root_down(square: Fraction) -> Fraction:
    """A decimal that is not above a square root."""
    return Fraction(math.isqrt(math.floor(square * 10**24)), 10**12)


__all__ = ["AdaptiveMarginals", "Floats", "Measurements"]
