"""Many laws of one parametric family as arrays: equal laws pooled into counts, factors multiplied node by node."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from partita.theory.losses.base import Rows
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, up

# Rows of parameters handled at once, so that memory stays flat however long the plan is.
_BLOCK = 1 << 20


def pool(parameters: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Distinct rows of parameters, and how often each occurs.

    >>> rows, times = pool(np.array([[0.1], [0.2], [0.1]]), np.array([1.0, 2.0, 3.0]))
    >>> rows[:, 0].tolist(), times.tolist()
    ([0.1, 0.2], [4.0, 2.0])
    """
    if len(parameters) == 1:
        return parameters, counts
    order = np.lexsort(parameters.T[::-1])
    ordered = parameters[order]
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    return floats(ordered[fresh]), floats(np.add.reduceat(counts[order], np.flatnonzero(fresh)))


def survival_to_infinity(rates: Floats, counts: Floats) -> float:
    """1 - prod (1 - p)^n, rounded up.

    >>> survival_to_infinity(np.array([0.5]), np.array([2.0])) >= 0.75
    True
    """
    if not rates.any():
        return 0.0
    total = float(np.sum(counts * np.log1p(-rates)))
    return min(1.0, up(-math.expm1(total), (8 + len(rates)) * FUNCTION))


class FactorBatch(Rows):
    """A family whose ratio M(c + it) / M(c) is an explicit factor for each row of parameters."""

    __slots__ = ()

    counts: Floats

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    def work(self, furthest: float) -> int:
        return len(self.counts)

    @abstractmethod
    def factors(self, c: float, t: Floats, rows: slice) -> tuple[Complexes, Floats]:
        """The factor of each row (first axis) at each t, and a bound on its absolute error for each row."""

    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        """The product of all factors; factors are at most one in modulus, so their errors add up."""
        total = np.ones(len(t), dtype=np.complex128)
        error = 0.0
        step = max(1, _BLOCK // max(len(t), 1))
        for start in range(0, len(self.counts), step):
            rows = slice(start, min(start + step, len(self.counts)))
            counts = self.counts[rows]
            factors, slack = self.factors(c, t, rows)
            if counts.max() == 1.0:
                total *= np.multiply.reduce(factors, axis=0)
            else:
                total *= powers(factors, counts)
                # exp(n log r): n times the rounding of log r and of the sum over rows, and n |log r| |r|^n < 1.
                slack = slack + 5 * FUNCTION + 4 * UNIT * len(counts)
            error += float(np.dot(counts, slack)) + len(counts) * 4 * UNIT
        return total, np.full(len(t), math.expm1(min(error * (1 + 1e-6), 700.0)) + 1e-300)


def powers(factors: Complexes, counts: Floats) -> Complexes:
    """The product of factors[i] ** counts[i] along the first axis, in polar form."""
    squared = factors.real * factors.real + factors.imag * factors.imag
    with np.errstate(divide="ignore"):
        logs = 0.5 * np.log(squared)
    angles = np.arctan2(factors.imag, factors.real)
    modulus = np.exp(np.maximum(counts @ logs, -745.0))
    angle = counts @ angles
    product: Complexes = modulus * (np.cos(angle) + 1j * np.sin(angle))
    return product
