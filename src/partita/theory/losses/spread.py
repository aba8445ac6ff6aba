"""Putting a discrete loss on a lattice so that its profile can only grow (or only fall)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from partita.theory.losses.base import Lattice
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, floats

# A bound with its error: the true values are within the second array of the first.
Bounded = tuple[Floats, Floats]

_TINY = 1e-300


def atoms_on_lattice(
    losses: Floats, masses: Floats, infinity: float, span: float, relative: float, *, upward: bool
) -> Lattice:
    """Split each atom between its two neighbours so that the mean of e^(-L) is kept, or floor it.

    ``relative`` bounds the relative error of the masses given. Splitting keeps both the mass and E e^(-L) and spreads,
    so the profile, a mean of functions convex in e^(-L), can only grow (theory D14, convolution.proof.md).

    >>> atoms_on_lattice(np.array([0.5]), np.array([1.0]), 0.0, 1.0, 0.0, upward=False).start
    0
    """
    below = np.floor(losses / span)
    first = int(below.min())
    slots = (below - first).astype(np.int64)
    size = int(slots.max()) + 2
    if not upward:
        # One rounding may put an atom that is just below a multiple on it: step down once more where that is so.
        high = below * span * (1 - np.sign(below) * 4 * UNIT) > losses
        moved = slots - high
        shift = int(moved.min() < 0)
        spread = np.bincount(moved + shift, weights=masses * (1 - relative), minlength=size + shift)
        return Lattice(span, first - shift, floats(spread * (1 - 8 * UNIT)), infinity * (1 - 4 * UNIT))
    excess = losses - below * span
    slack = 4 * UNIT * (np.abs(losses) + span)
    rising = -np.expm1(-np.maximum(excess + slack, 0.0)) / -np.expm1(-span)
    share = np.clip(rising * (1 + 64 * UNIT), 0.0, 1.0)
    # An atom on a multiple stays there when the multiple, as a real number, is not below it.
    on = _not_below(below, span, losses)
    share[on] = 0.0
    spread = np.bincount(slots, weights=masses * (1 - share), minlength=size)
    spread += np.bincount(slots + 1, weights=masses * share, minlength=size)
    return Lattice(span, first, floats(spread * (1 + relative + 16 * UNIT)), infinity)


def multiple_below(value: float, span: float) -> int:
    """The largest whole number of spans that is not above a value, decided exactly.

    >>> multiple_below(0.3, 0.1)
    2
    """
    steps = math.floor(value / span) + 1
    while Fraction(steps) * Fraction(span) > Fraction(value):
        steps -= 1
    return steps


def _not_below(index: Floats, span: float, losses: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Where index * span, as a real number, is at least the loss: decided exactly where floats are equal."""
    product = index * span
    sure = product > losses * (1 + np.sign(losses) * 4 * UNIT)
    for i in np.flatnonzero(~sure & (np.abs(product - losses) <= 8 * UNIT * np.abs(losses))):
        sure[i] = Fraction(int(index[i])) * Fraction(span) >= Fraction(float(losses[i]))
    return sure


def cells_on_lattice(
    first: int, span: float, mass: Bounded, inverse: Bounded, below: float, above: float, *, upward: bool
) -> Lattice:
    """A continuous loss from the masses of P and of Q in each cell, split like atoms (theory D14).

    Cell i lies between (first + i) and (first + i + 1) spans; ``below`` and ``above`` are the masses of P outside, both
    rounded up. Rising above the exact split, or adding mass, can only raise the profile.
    """
    size = len(mass[0]) + 1
    masses = np.zeros(size)
    if not upward:
        # One span further down covers the rounding of the edges.
        masses[:-1] = np.maximum(mass[0] - mass[1], 0.0) * (1 - 4 * UNIT)
        return Lattice(span, first - 1, masses, 0.0)
    whole = mass[0] + mass[1]
    edges = (first + np.arange(size - 1)) * span
    with np.errstate(over="ignore"):
        back = np.exp(edges) * np.maximum(inverse[0] - inverse[1], 0.0)
    rising = (whole - back) / -math.expm1(-span)
    blur = 16 * UNIT * (2 + np.abs(edges) + np.abs(edges + span)) / span
    rising = np.clip(rising * (1 + 64 * UNIT) + whole * blur, 0.0, whole)
    masses[1:] += rising
    masses[:-1] += whole - rising
    masses[0] += below
    return Lattice(span, first, masses * (1 + 16 * UNIT), above)


def normal_tail(x: float, reach: float = 1.0) -> float:
    """The standard normal mass above x, rounded up; x is within 8 units of |x| + reach."""
    value = 0.5 * math.erfc(x * math.sqrt(0.5))
    return value * (1 + 2 * FUNCTION + 16 * UNIT * (abs(x) + 1) * (abs(x) + reach)) + _TINY


def normal_cells(points: Floats, reach: Floats | float = 1.0) -> Bounded:
    """The standard normal mass between consecutive points, from the nearer tail, with a bound on its error.

    Each point is within 8 units of |x| + reach; a tail moves by its hazard, at most |x| + 1, times that.
    """
    root = math.sqrt(0.5)
    tail = np.array([0.5 * math.erfc(abs(x) * root) for x in points.tolist()])
    left, right = points[:-1], points[1:]
    low, high = tail[:-1], tail[1:]
    mass = np.where(left >= 0, low - high, np.where(right <= 0, high - low, 1.0 - low - high))
    size = np.abs(points)
    error = tail * (2 * FUNCTION + 16 * UNIT * (size + 1.0) * (size + reach))
    return np.maximum(mass, 0.0), error[:-1] + error[1:] + 4 * UNIT * mass + _TINY
