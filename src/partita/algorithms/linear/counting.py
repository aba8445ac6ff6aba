"""Counting cells behind the curator's door: a scheme on the joint table of some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.linear.axes import columns_of
from partita.algorithms.linear.scheme import Measured, Scheme
from partita.algorithms.linear.workload import cells_of
from partita.curator.computations.computation import Computation, Sample
from partita.curator.curator import Curator
from partita.errors import algorithms as refuse
from partita.exact import Number
from partita.mechanisms.base import Event
from partita.mechanisms.integers import read
from partita.region.columns import Bounded
from partita.sampling.bits import BitSource
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class Counting(Computation):
    """The noisy measurements of a scheme, on rows counted into the cells of a joint table (counting.proof.md).

    Rows with the NULL atom in a column whose missing values have no cell are left out, row by row.
    """

    kind: ClassVar[str] = "counting"
    scheme: Scheme
    columns: tuple[str, ...]
    width: int
    budget: Measure

    def parameters(self) -> Mapping[str, object]:
        return self.scheme.parameters()

    def losses(self, rows: int, *, changed: bool) -> list[Event]:
        if not changed:
            return list(self.scheme.losses(rows, changed=False))
        # A changed row may also come from, or go to, the rows that are left out: then it enters or leaves.
        return [
            max(moved, come, key=lambda event: event.distance.power)
            for moved, come in zip(
                self.scheme.losses(rows, changed=True), self.scheme.losses(rows, changed=False), strict=True
            )
        ]

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        accept_cells(self.columns, columns, self.width)

    def compute(self, sample: Sample, *, bits: BitSource | None) -> Measured:
        return self.scheme.release(counted(sample.codes, sample.columns, self.width), bits=bits)

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0


def counted(codes: NDArray[np.int64], columns: tuple[Bounded, ...], width: int) -> NDArray[np.int64]:
    """The counts of all cells: all codes if they are as many as the cells, otherwise all but the NULL atoms."""
    shape = tuple(column.size for column in columns)
    if prod(shape) == width:
        return cells_of(codes, shape)
    present = np.ones(len(codes), dtype=bool)
    for place, column in enumerate(columns):
        if column.null is not None:
            present &= codes[:, place] != column.null
    return cells_of(codes[present], without_null(columns))


def without_null(columns: Sequence[Bounded]) -> tuple[int, ...]:
    """How many values each column has, its NULL atom left out."""
    return tuple(column.size if column.null is None else column.size - 1 for column in columns)


def check_cells(curator: Curator, table: str, columns: Sequence[str], width: int) -> None:
    """Refuse columns whose joint table has another number of cells, before anything is spent."""
    accept_cells(columns, columns_of(curator, table, columns), width)


def accept_cells(names: Sequence[str], columns: Sequence[Bounded], width: int) -> None:
    """The same for declared columns."""
    if width not in (prod(column.size for column in columns), prod(without_null(columns))):
        named = f"The table of {', '.join(names)}" if names else "The table of no columns (name some)"
        raise refuse.wrong_cells(named, width, prod(without_null(columns)))


def read_counts(histogram: object, width: int) -> NDArray[Any]:
    """Exact counts of so many cells; a table of several axes is read in order."""
    counts = read(histogram).values.ravel()
    if len(counts) != width:
        raise refuse.wrong_cells("histogram", width, len(counts))
    return counts
