"""Which public centre is nearest to a row, decided exactly, and k-means of weighted public points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.lattice import Array

_RESTARTS, _TURNS = 8, 40


def nearest(codes: Array, centres: Array) -> NDArray[np.int64]:
    """The index of the nearest centre of each row; of equally near ones the first.

    Rows and centres are whole numbers of up to 2^20 in up to 2^10 features, so distances are exact in floats, and a
    row has the same nearest centre whatever rows stand beside it.

    >>> nearest(np.array([[0.0], [3.0]]), np.array([[1.0], [5.0]])).tolist()
    [0, 0]
    """
    gaps = codes @ (-2.0 * centres.T) + (centres * centres).sum(axis=1)
    found: NDArray[np.int64] = gaps.argmin(axis=1)
    return found


def weighted(points: Array, weights: Array, clusters: int, draw: np.random.Generator) -> Array:
    """Centres of k-means for public points with weights of zero or more: post-processing, so it costs nothing.

    >>> weighted(np.array([[0.0], [1.0], [9.0]]), np.array([1.0, 1.0, 2.0]), 2, np.random.default_rng(1)).tolist()
    [[0.5], [9.0]]
    """
    heavy = weights > 0
    points, weights = points[heavy], weights[heavy]
    best, least = None, np.inf
    for _ in range(_RESTARTS):
        centres, inertia = _improved(points, weights, _spread_out(points, weights, clusters, draw))
        if best is None or inertia < least:
            best, least = centres, inertia
    assert best is not None
    return best[np.lexsort(best.T[::-1])]


def _spread_out(points: Array, weights: Array, clusters: int, draw: np.random.Generator) -> Array:
    """The first centre by weight, each further one by weight times its squared distance from those before."""
    chosen = [points[draw.choice(len(points), p=weights / weights.sum())]]
    far = _squares(points, chosen[0])
    for _ in range(clusters - 1):
        odds = weights * far
        total = odds.sum()
        chosen.append(points[draw.choice(len(points), p=odds / total)] if total > 0 else chosen[-1])
        far = np.minimum(far, _squares(points, chosen[-1]))
    return np.array(chosen)


def _improved(points: Array, weights: Array, centres: Array) -> tuple[Array, float]:
    clusters = len(centres)
    for _ in range(_TURNS):
        at = nearest(points, centres)
        mass = np.bincount(at, weights=weights, minlength=clusters)
        moved = centres.copy()
        full = mass > 0
        for feature in range(points.shape[1]):
            sums = np.bincount(at, weights=weights * points[:, feature], minlength=clusters)
            moved[full, feature] = sums[full] / mass[full]
        if np.array_equal(moved, centres):
            break
        centres = moved
    at = nearest(points, centres)
    return centres, float((weights * ((points - centres[at]) ** 2).sum(axis=1)).sum())


def _squares(points: Array, centre: Array) -> Array:
    found: Array = ((points - centre) ** 2).sum(axis=1)
    return found
