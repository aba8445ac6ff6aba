"""Strategies: which whole-number combinations of cells are measured, and how far a row moves them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import algorithms as refuse
from partita.exact import whole
from partita.theory.distance import Distance, Norm

Floats = NDArray[np.float64]

MOST_CELLS = 4096
_BITS = 20
_BLOCK = 512


@final
@dataclass(frozen=True, eq=False)
class Strategy:
    """Lines of whole numbers over the cells; what is released is their products with the counts, with noise.

    Privacy comes from these numbers alone (theory F9, strategy.proof.md), so they must not depend on the data. Weights
    that are not whole are scaled by ``unit`` and rounded before anything else is computed from them.

    >>> from partita.theory.distance import Norm
    >>> Strategy.cells(4).distance(Norm.L1), Strategy.cells(4).distance(Norm.L2, changed=True).power
    (Distance(norm=<Norm.L1: 'l1'>, power=Fraction(1, 1)), Fraction(2, 1))
    """

    name: str
    lines: NDArray[np.int64]
    unit: int = 1

    def __post_init__(self) -> None:
        given = np.asarray(self.lines)
        if given.ndim != 2 or 0 in given.shape or given.dtype.kind not in "iu":
            raise refuse.not_a_matrix("strategy", f"{given.dtype} of shape {given.shape}")
        if int(given.max()) >= 1 << 63:
            raise refuse.not_a_matrix("strategy", "a number beyond 64 bits")
        # In 64 bits and never changed again: smaller ones would wrap where lengths are computed.
        lines = given.astype(np.int64)
        lines.setflags(write=False)
        object.__setattr__(self, "lines", lines)

    @classmethod
    def of(cls, weights: object, *, name: str = "given", unit: int | None = None) -> Strategy:
        """The strategy nearest to a table of weights: exact for whole numbers, else to a millionth of the largest."""
        table = matrix(weights, "strategy")
        if table.shape[1] > MOST_CELLS:
            raise refuse.too_many_cells(table.shape[1], MOST_CELLS, "Use a tree.")
        largest = float(np.abs(table).max(initial=0.0))
        if largest == 0.0:
            raise refuse.not_covered()
        if unit is None:
            unit = 1 if (table == np.round(table)).all() and largest < 2**_BITS else 1 << _BITS
        scale = 1.0 if unit == 1 else unit / largest
        return cls(name, np.round(table * scale).astype(np.int64), 1 if unit == 1 else unit)

    @classmethod
    def cells(cls, count: int) -> Strategy:
        """Every cell by itself."""
        return cls("cells", np.eye(whole(count, "cells", least=1), dtype=np.int64))

    @property
    def width(self) -> int:
        """How many cells there are."""
        return int(self.lines.shape[1])

    def distance(self, norm: Norm, *, rows: int = 1, changed: bool = False) -> Distance:
        """How far so many rows entering or leaving, or becoming others, move the exact products.

        One row moves them by a column, a changed one by the difference of two; several by as many times as much.
        """
        power = self._changed(norm) if changed else self._columns(norm)
        return Distance(norm, Fraction(power)).times(whole(rows, "rows", least=1))

    def measure(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """The exact products, as Python's integers where 64 bits could overflow."""
        counts = np.asarray(histogram).ravel()
        if counts.dtype == object or _too_large(self.lines, counts):
            found: NDArray[Any] = self.lines.astype(object).dot(counts.astype(object))
            return found
        return self.lines @ counts.astype(np.int64)

    @cached_property
    def gram(self) -> Floats:
        """The products of the columns with each other."""
        lines = self.lines.astype(np.float64)
        found: Floats = lines.T @ lines
        return found

    @cached_property
    def inverse(self) -> Floats:
        """The least squares solution: from measurements to cells."""
        lines = self.lines.astype(np.float64)
        if len(lines) == self.width:
            try:
                found: Floats = np.linalg.inv(lines).astype(np.float64)
            except np.linalg.LinAlgError:
                found = np.zeros_like(lines)
            if np.allclose(found @ lines, np.eye(self.width), atol=1e-9):
                return found
        return np.linalg.pinv(lines, rcond=1e-10).astype(np.float64)

    def factors(self, queries: Floats) -> Floats:
        """What each query is made of: its weights on the measurements (theory F9); refuses what cannot be answered."""
        found = queries @ self.inverse
        back = found @ self.lines
        if not np.allclose(back, queries, atol=1e-6 * max(1.0, float(np.abs(queries).max(initial=0.0)))):
            raise refuse.not_covered()
        return found

    def _exact(self) -> NDArray[Any]:
        """The lines, in Python's integers where sums of squares of differences might leave 64 bits."""
        return self.lines.astype(object) if _wide(self.lines) else self.lines

    def _columns(self, norm: Norm) -> int:
        lines = np.abs(self._exact())
        match norm:
            case Norm.L1:
                return int(lines.sum(axis=0).max())
            case Norm.L2:
                return int((lines * lines).sum(axis=0).max())
            case Norm.LINF:
                return int(lines.max())

    def _changed(self, norm: Norm) -> int:
        if norm is Norm.L2:
            lines = self._exact()
            squares = (lines * lines).sum(axis=0)
            most = 0
            for start in range(0, self.width, _BLOCK):
                block = slice(start, start + _BLOCK)
                apart = squares[block, None] + squares[None, :] - 2 * (lines[:, block].T @ lines)
                most = max(most, int(apart.max()))
            return most
        most, lines = 0, self._exact()
        for place in range(self.width):
            apart = np.abs(lines - lines[:, place : place + 1])
            most = max(most, int((apart.sum(axis=0) if norm is Norm.L1 else apart).max()))
        return most


def matrix(values: object, name: str) -> Floats:
    """A table of finite numbers.

    >>> matrix([[1, 0], [1, 1]], "queries").shape
    (2, 2)
    """
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise refuse.not_a_matrix(name, type(values).__name__) from None
    if table.ndim != 2 or 0 in table.shape:
        raise refuse.not_a_matrix(name, f"shape {table.shape}")
    if not np.isfinite(table).all():
        raise refuse.not_a_matrix(name, "a number that is not finite")
    return table


def _wide(lines: NDArray[np.int64]) -> bool:
    """Whether squares of a whole column might leave 64 bits."""
    largest = _largest(lines)
    return bool(4 * largest * largest * len(lines) >= 1 << 62)


def _too_large(lines: NDArray[np.int64], counts: NDArray[Any]) -> bool:
    most = _largest(lines) * _largest(counts)
    return bool(most * lines.shape[1] >= 1 << 62)


def _largest(numbers: NDArray[Any]) -> int:
    """The largest size: of Python's integers, because the least of 64 bits has none among them."""
    return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))
