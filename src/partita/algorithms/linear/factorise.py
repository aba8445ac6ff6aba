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
_ALL = 1 / 512
_MEMORY = 6
_FAR = 3.0
_LITTLE = 1e-9


@final
@dataclass(frozen=True, slots=True, eq=False)
class Factorised:
    """The products X of the columns of a strategy, none longer than one, and how far its error is from the least."""

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


def factorise(
    gram: Floats, *, close: float = _CLOSE, enough: float = np.inf, progress: bool | None = None
) -> Factorised:
    """The strategy whose total squared error is least for these queries, given the products V of their columns.

    Minimise tr(V X⁻¹) over positive X with at most ones on the diagonal. For every λ > 0 and H = (Λ½ V Λ½)½ the least
    is not below (tr H)² / tr Λ, and at the best λ = diag(H), where X = Λ^-½ H Λ^-½ attains it. The iteration
    λ ← diag(H) goes there, with Anderson's extrapolation to go faster. It ends when the error of X, once its diagonal
    is brought down to one, is ``close`` to the bound, or when the bound says that no strategy comes below ``enough``.
    The data are not looked at (theory F9).

    >>> found = factorise(np.tri(8).T @ np.tri(8))
    >>> bool(found.gap < 0.01)
    True
    """
    best, least = Factorised(np.eye(len(gram)), float(np.trace(gram)), 0.0), 0.0
    if not gram.any():
        return best
    scale = np.maximum(np.sqrt(np.diag(gram) / np.diag(gram).max()), _LITTLE)
    seen: list[tuple[Floats, Floats]] = []
    for step in track(range(_STEPS), "choosing a strategy", shown=progress if len(gram) > 256 else False):
        root = np.sqrt(scale)
        values, vectors = np.linalg.eigh(root[:, None] * gram * root[None, :])
        powers = np.sqrt(np.maximum(values, 0.0))
        half = (vectors * powers) @ vectors.T
        least = max(least, float(powers.sum()) ** 2 / float(scale.sum()))
        best = min(best, *_within(gram, root, powers, vectors, half), key=lambda one: one.error)
        if best.error <= least * (1 + close) or least > enough:
            break
        place = np.log(scale)
        moved = np.log(np.maximum(np.diag(half) / (scale * powers.sum() / scale.sum()), _LITTLE))
        seen = [*seen, (place, moved)][-_MEMORY:] if step < _STEPS // 2 else []
        place = place + np.clip(2 * moved - _learnt(seen, root) if seen else moved, -_FAR, _FAR)
        scale = np.maximum(np.exp(place - place.max()), _LITTLE)
    return Factorised(best.gram, best.error, least)


def _within(gram: Floats, root: Floats, powers: Floats, vectors: Floats, half: Floats) -> list[Factorised]:
    """Two ways to bring a diagonal down to one, with the error of each.

    Every column by its own length is best if all of V can be inverted. All columns by the longest keeps what the
    queries see as it is, which matters if there are fewer of them than cells; a small share of all cells is added, so
    that X can be inverted, and costs as large a share of the error.
    """
    spread = np.diag(half) / root**2
    raw = half / np.outer(root, root)
    common = (1 - _ALL) * raw / spread.max() + _ALL * np.eye(len(gram))
    found = [Factorised(common, float(powers.sum()) * float(spread.max()) / (1 - _ALL), 0.0)]
    if powers[0] > 1e-7 * powers[-1]:
        lengths = np.sqrt(np.diag(half))
        inverse = (vectors / powers) @ vectors.T * np.outer(lengths, lengths)
        own = raw / np.sqrt(np.outer(spread, spread))
        found.append(Factorised(own, float((gram * inverse).sum()), 0.0))
    return found


def _learnt(seen: list[tuple[Floats, Floats]], root: Floats) -> Floats | float:
    """What the last steps say about the next: the combination of them that would have moved least, taken off."""
    if len(seen) < 2:
        return 0.0
    places, moves = (np.diff(np.stack(part), axis=0).T for part in zip(*seen, strict=True))
    shares = np.linalg.lstsq(root[:, None] * moves, root * seen[-1][1], rcond=1e-8)[0]
    found: Floats = (places + 2 * moves) @ shares
    return found
