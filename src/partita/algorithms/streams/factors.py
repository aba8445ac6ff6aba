"""Triangular factors for streams: what is measured at each step of what came so far, and how running counts follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.linear.factorise import factorise
from partita.algorithms.linear.strategy import Floats, Strategy
from partita.errors import algorithms as refuse
from partita.exact import whole
from partita.theory.distance import Distance, Norm

MOST_STEPS = 1 << 16
MOST_OPTIMISED = 1024
_UNIT = 1 << 20


class Factors(ABC):
    """At step t a whole-number combination of the counts of steps 0 to t is measured, and nothing of later ones."""

    steps: int

    @abstractmethod
    def line(self, step: int) -> NDArray[np.int64]:
        """The weights of steps 0 to t in the measurement of step t."""

    @abstractmethod
    def factor(self, step: int) -> Floats:
        """The weights of measurements 0 to t in the running count of step t."""

    @abstractmethod
    def column(self, step: int, width: int = 1) -> NDArray[np.int64]:
        """How much the measurements move, at most, if one row enters at each of so many steps from this one."""

    @abstractmethod
    def changed(self) -> Distance:
        """How far a row that goes from one step to another moves the measurements."""

    def moved(self, width: int = 1) -> Distance:
        """How far one row in each step of a window moves the measurements: the largest over all windows."""
        places = range(max(1, self.steps - width + 1)) if not self.earliest else (0,)
        return Distance(Norm.L2, Fraction(max(_square(self.column(place, width)) for place in places)))

    @property
    @abstractmethod
    def earliest(self) -> bool:
        """Whether the first steps move the measurements furthest."""

    def measure(self, counts: NDArray[Any], step: int) -> int:
        """The exact measurement of one step."""
        line, seen = self.line(step), counts[: step + 1]
        # 64 bits hold every partial sum if they hold all weights times the largest count.
        if seen.dtype == np.int64 and int(np.abs(line).sum()) * max(int(seen.max()), -int(seen.min())) < 1 << 62:
            return int(line @ seen)
        return int(line.astype(object).dot(seen.astype(object)))


@final
@dataclass(frozen=True, eq=False)
class SquareRoot(Factors):
    """The running sum as the square of one Toeplitz table with coefficients C(2k, k) / 4^k (theory F11).

    The coefficients are rounded to whole numbers of a millionth; the second factor is computed from the rounded ones.

    >>> round(column_square(8), 9)
    1.718379259
    """

    steps: int

    def __post_init__(self) -> None:
        if whole(self.steps, "steps", least=1) > MOST_STEPS:
            raise refuse.too_many_steps(self.steps, MOST_STEPS)

    @cached_property
    def coefficients(self) -> NDArray[np.int64]:
        """The whole-number coefficients."""
        found: NDArray[np.int64] = np.round(square_root(self.steps) * _UNIT).astype(np.int64)
        return found

    @cached_property
    def _inverse(self) -> Floats:
        """The power series of 1 / ((1 - x) c(x)), term by term."""
        given = self.coefficients.astype(np.float64)
        found = np.empty(self.steps)
        for place in range(self.steps):
            found[place] = (1.0 - given[1 : place + 1] @ found[:place][::-1]) / given[0]
        return found

    @property
    def earliest(self) -> bool:
        return True

    def line(self, step: int) -> NDArray[np.int64]:
        return self.coefficients[: step + 1][::-1]

    def factor(self, step: int) -> Floats:
        return self._inverse[: step + 1][::-1]

    def column(self, step: int, width: int = 1) -> NDArray[np.int64]:
        sums = np.cumsum(self.coefficients)
        sums[width:] -= np.cumsum(self.coefficients)[: max(0, self.steps - width)]
        return sums[: self.steps - step]

    def changed(self) -> Distance:
        # No weight is negative, so the columns of two steps differ by at most the sum of their squares.
        return Distance(Norm.L2, 2 * self.moved().power)


@final
@dataclass(frozen=True, eq=False)
class Optimal(Factors):
    """The triangular table with the least total squared error, over running counts or over sliding windows."""

    steps: int
    window: int | None = None

    def __post_init__(self) -> None:
        if whole(self.steps, "steps", least=1) > MOST_OPTIMISED:
            raise refuse.too_many_steps(self.steps, MOST_OPTIMISED)

    @cached_property
    def strategy(self) -> Strategy:
        """The whole-number table."""
        queries = window_queries(self.steps, self.window)
        return Strategy.of(factorise(queries.T @ queries, close=1e-3).triangular(), name="optimal", unit=_UNIT)

    @cached_property
    def _factors(self) -> Floats:
        lines = self.strategy.lines.astype(np.float64)
        return np.linalg.solve(lines.T, np.tri(self.steps).T).T.astype(np.float64)

    @property
    def earliest(self) -> bool:
        return False

    def line(self, step: int) -> NDArray[np.int64]:
        return self.strategy.lines[step, : step + 1]

    def factor(self, step: int) -> Floats:
        return self._factors[step, : step + 1]

    def column(self, step: int, width: int = 1) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.abs(self.strategy.lines[:, step : step + width]).sum(axis=1)
        return found

    def changed(self) -> Distance:
        return self.strategy.distance(Norm.L2, changed=True)


def square_root(steps: int) -> Floats:
    """The first coefficients C(2k, k) / 4^k.

    >>> square_root(4).tolist()
    [1.0, 0.5, 0.375, 0.3125]
    """
    place = np.arange(1, whole(steps, "steps", least=1))
    found: Floats = np.concatenate([[1.0], np.cumprod((2 * place - 1) / (2 * place))])
    return found


def column_square(steps: int) -> float:
    """The squared length of the longest column of the square root: s_T (theory F11).

    >>> round(column_square(1024), 8)
    3.27255415
    """
    return float((square_root(steps) ** 2).sum())


def window_queries(steps: int, window: int | None) -> Floats:
    """Running counts, or counts of the last so many steps, as weights on the steps."""
    queries: Floats = np.tri(steps)
    if window is not None:
        queries = queries - np.tri(steps, k=-whole(window, "window", least=1))
    return queries


def _square(column: NDArray[np.int64]) -> int:
    return int((column.astype(object) ** 2).sum())
