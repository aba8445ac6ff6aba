"""The best Gaussian strategy for linear queries: a convex problem, solved with a certificate of how close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.progress import track

Floats = NDArray[np.float64]

_STEPS = 60
_CLOSE = 5e-3
_RIDGE = 1e-9


@final
@dataclass(frozen=True, slots=True, eq=False)
class Factorised:
    """The products X of the columns of a strategy, each of length one, and how far its error is from the least."""

    gram: Floats
    error: float
    least: float

    @property
    def gap(self) -> float:
        """By which share the total squared error could still be smaller, at most."""
        return self.error / self.least - 1 if self.least > 0 else 0.0

    def triangular(self) -> Floats:
        """A lower triangular strategy with these products: line t uses cells 0 to t only, as a stream must."""
        turned: Floats = np.linalg.cholesky(self.gram[::-1, ::-1]).astype(np.float64)
        return turned.T[::-1, ::-1].copy()


def factorise(gram: Floats, *, close: float = _CLOSE, progress: bool | None = None) -> Factorised:
    """The strategy whose total squared error is least for these queries, given the products VᵀV of their columns.

    Minimise tr(V X⁻¹) over positive X with ones on the diagonal. At the optimum X⁻¹ V X⁻¹ is a diagonal Λ; the
    iteration λ ← diag((Λ½ V Λ½)½) goes there, and 2 tr((Λ½ V Λ½)½) - tr Λ is a lower bound for every λ, which says when
    to stop. The data are not looked at (theory F9).

    >>> found = factorise(np.tri(8).T @ np.tri(8))
    >>> bool(found.gap < 0.01)
    True
    """
    size = len(gram)
    wanted = gram + _RIDGE * np.trace(gram) / size * np.eye(size)
    scale = np.sqrt(np.diag(wanted))
    best: tuple[float, Floats] | None = None
    least = 0.0
    for _ in track(range(_STEPS), "choosing a strategy", shown=progress if size > 256 else False):
        root = np.sqrt(scale)
        values, vectors = np.linalg.eigh(root[:, None] * wanted * root[None, :])
        powers = np.sqrt(np.maximum(values, 0.0))
        half = (vectors * powers) @ vectors.T
        least = max(least, 2 * float(powers.sum()) - float(scale.sum()))
        raw = half / np.outer(root, root)
        spread = np.sqrt(np.diag(raw))
        products = raw / np.outer(spread, spread)
        error = float(np.sum(wanted * np.linalg.inv(products)))
        if best is None or error < best[0]:
            best = error, products
        if best[0] <= least * (1 + close):
            break
        scale = np.diag(half).copy()
    assert best is not None
    return Factorised(best[1], best[0], least)
