"""A loss known only by points of its profile: the least law through them, by connecting the dots."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from partita.errors import theory as refuse
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.outward import FUNCTION, UNIT, floats


def tabulated(points: Sequence[tuple[float, float]]) -> AtomicLoss:
    """The law whose profile joins the points (ε, δ) by straight lines in e^ε (theory D14).

    The points must be proven: at each ε the profile is at most δ. A profile is convex in e^ε, so it lies below every
    line between two of its upper bounds; below the first point it is at most the line to (ε = -∞, δ = 1), and beyond
    the last point it stays at the last δ, which is the mass at infinity.

    >>> tabulated([(0.0, 0.2), (1.0, 0.0)]).maximum
    1.0
    """
    table = floats(points)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0:
        raise refuse.not_a_profile("it has no points")
    epsilons, deltas = table[:, 0], table[:, 1]
    if not np.isfinite(table).all():
        raise refuse.not_a_profile("a number is not finite")
    if (np.diff(epsilons) <= 0).any():
        raise refuse.not_a_profile("ε does not grow from point to point")
    if (deltas < 0).any() or (deltas > 1).any() or (np.diff(deltas) > 0).any():
        raise refuse.not_a_profile("δ leaves [0, 1] or grows")
    # A law has δ(ε) >= 1 - e^ε; a smaller claim is raised to that.
    deltas = np.maximum(deltas, -np.expm1(np.minimum(epsilons, 0.0)))
    kept = _lower_hull(epsilons, deltas)
    epsilons, deltas = epsilons[kept], deltas[kept]
    drops = -np.diff(np.concatenate([[1.0], deltas]))
    # Slopes in e^ε between neighbours, times e^ε of the left one and of the right one.
    left = drops[1:] / np.expm1(np.diff(epsilons))
    right = -drops[1:] / np.expm1(-np.diff(epsilons))
    masses = np.empty(len(epsilons))
    masses[0] = drops[0]
    masses[1:] = right
    masses[:-1] -= left
    # A mass is a difference of slopes: what rounding took away is put back, and more mass only raises a profile.
    size = np.concatenate([[1.0], right]) + np.concatenate([left, [0.0]])
    masses = np.maximum(masses, 0.0) + size * 8 * FUNCTION
    return AtomicLoss(
        tuple(epsilons.tolist()), tuple(masses.tolist()), min(1.0, float(deltas[-1]) * (1 + 4 * UNIT)), 0.0
    )


def _lower_hull(epsilons: np.ndarray, deltas: np.ndarray) -> list[int]:
    """The corners of the greatest convex function of e^ε that is nowhere above the points."""
    kept: list[int] = []
    for i in range(len(epsilons)):
        while kept and _above(epsilons, deltas, kept, i):
            kept.pop()
        kept.append(i)
    return kept


def _above(epsilons: np.ndarray, deltas: np.ndarray, kept: list[int], i: int) -> bool:
    """Whether the last corner lies above the line from the one before it to point i."""
    b = kept[-1]
    if len(kept) == 1:
        # The corner before the first is e^ε = 0, δ = 1.
        return bool((1 - deltas[b]) * math.exp(min(epsilons[i] - epsilons[b], 700.0)) < 1 - deltas[i])
    a = kept[-2]
    first = (deltas[a] - deltas[b]) * math.expm1(min(epsilons[i] - epsilons[b], 700.0))
    second = (deltas[b] - deltas[i]) * -math.expm1(epsilons[a] - epsilons[b])
    return bool(first < second)
