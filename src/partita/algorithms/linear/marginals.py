"""Many marginal tables at once: one release, noise shared out for the least total error, all tables consistent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms import bounds
from partita.algorithms.budget import budget_of, norm_for
from partita.algorithms.linear.axes import Axes, Names, axes_of
from partita.algorithms.linear.consistency import nearest_nonnegative
from partita.algorithms.linear.scheme import Floats, Measured
from partita.algorithms.linear.workload import subsets
from partita.composition.calibration import pricing
from partita.curator.computations.computation import Computation, Sample
from partita.errors import algorithms as refuse
from partita.exact import Number, probability
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.histogram import cell_distance, relation_of
from partita.sampling.bits import BitSource
from partita.theory.distance import Norm
from partita.theory.measures.approximate import Approximate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

_ROUNDS = 60
_SMALL = 2e-3


@final
class Marginals(Computation):
    """All cells of several marginal tables, from noisy tables that are measured together (marginals.proof.md).

    What is measured is chosen among the tables and all their margins, and the noise of each is chosen so that the total
    squared error of the tables asked for is least; both by public numbers only. The estimates agree with each other
    wherever tables overlap, by weighted least squares.

    >>> asked = Marginals({"sex": 2, "region": 4, "age": 10}, [("sex", "region"), ("region", "age")], rho="0.1")
    >>> asked.rmse() < asked.rmse(separately=True)
    True
    """

    kind: ClassVar[str] = "marginals"

    def __init__(
        self,
        axes: Axes | Mapping[str, int],
        tables: Iterable[Sequence[str]],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        noise: str | None = None,
        relation: Relation | str = Relation.ADD_REMOVE,
    ) -> None:
        self.axes = axes if isinstance(axes, Axes) else Axes(axes)
        self.tables = tuple(dict.fromkeys(self.axes.table(table) for table in tables))
        if not self.tables:
            raise refuse.no_tables()
        self.columns = self.axes.names
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
        self.relation = relation_of(relation)
        plans = [self._planned(norm) for norm in norm_for(self.budget, noise)]
        self.noises = min(plans, key=lambda noises: _Combined(self.axes, noises).total(self.tables))

    # --- privacy ---------------------------------------------------------------------------------------------

    def losses(self, rows: int, *, changed: bool) -> list[Event]:
        relation = Relation.CHANGE_ONE if changed else Relation.ADD_REMOVE
        return [Event(noise, cell_distance(noise.norm, relation).times(rows)) for noise in self.noises.values()]

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        self.axes.accept(table, columns)

    def compute(self, sample: Sample, *, bits: BitSource | None) -> Measured:
        return self._measured(sample.codes, bits)

    def parameters(self) -> Mapping[str, object]:
        return {
            "measured": [
                [list(table), {"kind": noise.kind, **noise.parameters()}] for table, noise in self.noises.items()
            ]
        }

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0

    # --- results ---------------------------------------------------------------------------------------------

    def release(self, codes: object, *, bits: BitSource | None = None) -> MarginalTables:
        """Measure rows of codes, with noise, and estimate all tables from that."""
        return self._estimated(self._measured(self.axes.read(codes), bits))

    def release_from(
        self, curator: Curator, table: str, *, where: str | None = None, analyst: str = "", key: str | None = None
    ) -> tuple[MarginalTables, Outcome]:
        """The same on a curator's table, paid from its promises; see :func:`axes_of` for its axes."""
        declared = axes_of(curator, table, self.columns)
        if declared != self.axes:
            raise refuse.other_axes(table, dict(zip(declared.names, declared.sizes, strict=True)))
        outcome = curator.run(self, table=table, where=where, analyst=analyst, key=key)
        return self._estimated(outcome.document), outcome

    def rmse(self, *, separately: bool = False) -> float:
        """The expected root mean square error of all cells asked for; ``separately``: each table by itself."""
        cells = sum(self.axes.cells(table) for table in self.tables)
        if not separately:
            return sqrt(_Combined(self.axes, self.noises).total(self.tables) / cells)
        norm = next(iter(self.noises.values())).norm
        equal = self._noises(norm, self.tables, [1.0] * len(self.tables))
        return sqrt(sum(self.axes.cells(table) * bounds.variance(noise) for table, noise in equal.items()) / cells)

    def _measured(self, codes: NDArray[np.int64], bits: BitSource | None) -> Measured:
        return [
            [int(entry) for entry in noise.release(self.axes.counts(codes, table), bits=bits)]
            for table, noise in self.noises.items()
        ]

    def _estimated(self, measured: Measured) -> MarginalTables:
        return MarginalTables(self.axes, self.tables, _Combined(self.axes, self.noises), measured)

    def _planned(self, norm: Norm) -> dict[Names, AdditiveNoise]:
        """Noise for every table worth measuring: shares in proportion to a root of what each contributes."""
        closure = sorted({part for table in self.tables for part in subsets_of(table)}, key=_order)
        # To begin with, what is asked for is measured and its margins hardly.
        used = [1.0 if table in self.tables else 0.01 for table in closure]
        noises = self._noises(norm, closure, used)
        for _ in range(_ROUNDS):
            used = _Combined(self.axes, noises).slopes(self.tables)
            noises = self._noises(norm, closure, used)
        power = 1 / 3 if norm is Norm.L1 else 1 / 2
        least = _SMALL * sum(share**power for share in used)
        kept = [place for place, share in enumerate(used) if share**power >= least or closure[place] in self.tables]
        return self._noises(norm, [closure[place] for place in kept], [used[place] for place in kept])

    def _noises(self, norm: Norm, tables: Sequence[Names], used: Sequence[float]) -> dict[Names, AdditiveNoise]:
        kind = "laplace" if norm is Norm.L1 else "gaussian"
        shares = pricing.divided(used, 1 / 3 if norm is Norm.L1 else 1 / 2)
        strength = pricing.affordable(kind, self.budget, shares)
        if strength is None:
            raise refuse.no_such_noise(kind.capitalize(), str(self.budget))
        moved = [cell_distance(norm, self.relation)] * len(tables)
        return dict(zip(tables, pricing.mechanisms(kind, strength, shares, moved), strict=True))


@final
@dataclass(frozen=True, eq=False)
class MarginalTables:
    """Estimated tables that agree with each other; every margin of a table asked for can be read too."""

    axes: Axes
    tables: tuple[Names, ...]
    combined: _Combined
    measured: Measured

    def table(self, *columns: str, nonnegative: bool = False) -> Floats:
        """The cells of a table, an axis for each column in the order of the axes."""
        asked = self._known(columns)
        found = self.combined.estimate(self.measured, asked)
        return nearest_nonnegative(found) if nonnegative else found

    def rmse(self, *columns: str) -> float:
        """The standard deviation of every cell of a table."""
        return sqrt(self.combined.variance(self._known(columns)))

    def error(self, *columns: str, confidence: Number = 0.95) -> float:
        """The half-width around every cell of a table at once, with this confidence; not of ``nonnegative`` cells."""
        asked = self._known(columns)
        return self.combined.half_width(asked, confidence, self.axes.cells(asked))

    def plot(self, *columns: str, confidence: Number = 0.95) -> Figure:
        """The cells of a table with their error bars."""
        from partita.algorithms.pictures import answers

        cells = self.table(*columns).ravel()
        errors = np.full(len(cells), self.error(*columns, confidence=confidence))
        title = f"Cells of {', '.join(self._known(columns)) or 'everything'}"
        return answers(cells, errors, confidence, title=title, across="cell")

    def _known(self, columns: Sequence[str]) -> Names:
        asked = self.axes.table(columns)
        if not any(set(asked) <= set(table) for table in self.tables):
            raise refuse.not_measured(asked, self.tables)
        return asked


@final
@dataclass(frozen=True, eq=False)
class _Combined:
    """Weighted least squares over noisy tables, in closed form.

    A table is the sum of its parts: for each set S of its columns, the margin on S centred along every column of S,
    spread evenly over the rest. A noisy table gives each of its parts with a variance of its own, the parts are
    uncorrelated, and the best estimate of a part is the mean of all tables that have it, weighted by one over the
    variance.
    """

    axes: Axes
    noises: Mapping[Names, AdditiveNoise]

    def estimate(self, measured: Measured, table: Names) -> Floats:
        """The cells of a table from all noisy tables."""
        found = np.zeros(self.axes.shape(table))
        for part in subsets_of(table):
            spread = self.axes.cells(table) / self.axes.cells(part)
            shape = [size if name in part else 1 for name, size in zip(table, self.axes.shape(table), strict=True)]
            found = found + self._part(measured, part).reshape(shape) / spread
        return found

    def variance(self, table: Names) -> float:
        """The variance of every cell of a table."""
        return sum(
            self._part_variance(part) * _kept(self.axes, part) / (self.axes.cells(table) / self.axes.cells(part)) ** 2
            for part in subsets_of(table)
        )

    def weight(self, table: Names) -> float:
        """The sum of the sizes of all weights that noisy cells have in the estimate of one cell.

        Weights depend on the columns in which a noisy cell agrees with that cell: for those of a part, centring leaves
        1 - 1/n of a cell itself and takes 1/n from each other.
        """
        found = 0.0
        for measured, spread in self._spread.items():
            both = tuple(name for name in table if name in measured)
            sizes = dict(zip(both, self.axes.shape(both), strict=True))
            parts = [
                (part, self._part_variance(part) / spread * self.axes.cells(part) ** 2) for part in subsets_of(both)
            ]
            for agreeing in subsets_of(both):
                size = sum(
                    share * prod((1 if name in agreeing else 0) - 1 / sizes[name] for name in part)
                    for part, share in parts
                )
                found += (
                    abs(size) * prod(sizes[name] - 1 for name in both if name not in agreeing) / self.axes.cells(both)
                )
        return found / self.axes.cells(table)

    def total(self, tables: Iterable[Names]) -> float:
        """The sum of the variances of all cells of some tables."""
        return sum(self.axes.cells(table) * self.variance(table) for table in tables)

    def slopes(self, tables: Iterable[Names]) -> list[float]:
        """How fast that sum grows with the variance of each noisy table."""
        weight: dict[Names, float] = {}
        for table in tables:
            for part in subsets_of(table):
                rest = self.axes.cells(table) / self.axes.cells(part)
                share = self.axes.cells(table) * _kept(self.axes, part) / rest**2
                weight[part] = weight.get(part, 0.0) + share
        return [
            sum(
                weight.get(part, 0.0)
                * self._part_variance(part) ** 2
                / (self._spread[table] ** 2 * self.axes.cells(table) / self.axes.cells(part))
                for part in subsets_of(table)
            )
            for table in self.noises
        ]

    def half_width(self, table: Names, confidence: Number, entries: int) -> float:
        """A simultaneous half-width: that of Gaussian noise and its rounding, Chebyshev's for Laplace."""
        deviation = np.array([self.variance(table)])
        if next(iter(self.noises.values())).norm is Norm.L2:
            none, sums = np.zeros(1), np.array([self.weight(table)])
            return float(
                bounds.half_widths(deviation, none, sums, laplace=False, confidence=confidence, entries=entries)[0]
            )
        miss = 1 - float(probability(confidence, "confidence"))
        return float(np.sqrt(deviation[0] * entries / miss))

    @cached_property
    def _spread(self) -> dict[Names, float]:
        return {table: bounds.variance(noise) for table, noise in self.noises.items()}

    @cached_property
    def _variances(self) -> dict[Names, float]:
        return {}

    def _part_variance(self, part: Names) -> float:
        if part not in self._variances:
            weights = sum(
                self.axes.cells(part) / (self._spread[table] * self.axes.cells(table))
                for table in self.noises
                if set(part) <= set(table)
            )
            self._variances[part] = 1 / weights
        return self._variances[part]

    def _part(self, measured: Measured, part: Names) -> Floats:
        found = np.zeros(self.axes.shape(part))
        for table, flat in zip(self.noises, measured, strict=True):
            if not set(part) <= set(table):
                continue
            cells = np.asarray(flat, dtype=np.float64).reshape(self.axes.shape(table))
            margin = cells.sum(axis=tuple(place for place, name in enumerate(table) if name not in part))
            for axis in range(margin.ndim):
                margin = margin - margin.mean(axis=axis, keepdims=True)
            rest = self.axes.cells(table) / self.axes.cells(part)
            found = found + margin * (self._part_variance(part) / (self._spread[table] * rest))
        return found


def subsets_of(table: Names) -> list[Names]:
    """All subsets of some columns, the smallest first."""
    return [tuple(table[place] for place in chosen) for chosen in subsets(range(len(table)))]


def _kept(axes: Axes, part: Names) -> float:
    """The share of a cell's variance that is left after centring along every column of a part."""
    return prod(1 - 1 / size for size in axes.shape(part))


def _order(table: Names) -> tuple[int, Names]:
    return len(table), table


__all__ = ["Axes", "MarginalTables", "Marginals", "axes_of", "subsets_of"]
