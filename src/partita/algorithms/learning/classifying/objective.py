"""Minimises the regularised logistic loss with a given slope, to a gradient that is certainly short enough."""

from __future__ import annotations

import math

import numpy as np

from partita.algorithms.learning.lattice import Array

# On the way rows are summed in large blocks. A gradient that decides is summed in small ones, smaller the more weights
# there are, and the blocks are added without error: so its error stays far below its goal.
_BLOCK, _SMALL, _LEAST = 1 << 14, 1 << 8, 1 << 3
_SPLIT = 2.0**20
_BACKTRACKS = 60
_STEPS = 10_000


def minimised(rows: Array, targets: Array, slope: Array, regulariser: float, goal: float) -> Array:
    """Weights (rows' features by columns) at which the gradient is at most ``goal`` long, errors of floats included.

    ``targets`` is one column of zeros and ones for two classes, or one column a class. Newton's steps, each shortened
    until the objective falls: for a strongly convex objective this ends, whatever the rows are (objective.proof.md).
    """
    shape = (rows.shape[1], targets.shape[1])
    tilt = slope.reshape(shape)
    weights = np.zeros(shape)
    value = _value(rows, targets, weights, tilt, regulariser)
    for _ in range(_STEPS):
        gradient = _gradient(rows, targets, weights, tilt, regulariser, _BLOCK)
        if _length(gradient) <= goal / 2:
            small = max(_LEAST, int(_SMALL / math.sqrt(weights.size)))
            gradient = _gradient(rows, targets, weights, tilt, regulariser, small)
            if _length(gradient) <= goal / 2:
                return weights
        step = np.linalg.solve(_curvature(rows, weights, regulariser), gradient.reshape(-1)).reshape(shape)
        length = 1.0
        for _ in range(_BACKTRACKS):
            tried = weights - length * step
            found = _value(rows, targets, tried, tilt, regulariser)
            if found <= value - length * 1e-4 * float((gradient * step).sum()) + 1e-12 * abs(value):
                break
            length /= 2
        weights, value = tried, found
    raise ArithmeticError  # never reached (objective.proof.md); the curator would tell its one constant fault


def _scores(rows: Array, weights: Array) -> Array:
    """Scores with an error of about one rounding: rows are short dyadic numbers, so the coarse part is exact."""
    coarse = np.rint(weights * _SPLIT) / _SPLIT
    found: Array = rows @ coarse + rows @ (weights - coarse)
    return found


def _chances(scores: Array) -> Array:
    if scores.shape[1] == 1:
        low = np.exp(-np.abs(scores))
        return np.where(scores >= 0, 1 / (1 + low), low / (1 + low))
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Array = odds / odds.sum(axis=1, keepdims=True)
    return found


def _gradient(rows: Array, targets: Array, weights: Array, tilt: Array, regulariser: float, size: int) -> Array:
    parts = [tilt, regulariser * weights]
    for start in range(0, len(rows), _BLOCK):
        residual = _chances(_scores(rows[start : start + _BLOCK], weights)) - targets[start : start + _BLOCK]
        for place in range(0, len(residual), size):
            block = slice(place, place + size)
            parts.append(rows[start : start + _BLOCK][block].T @ residual[block])
    stacked = np.array(parts).reshape(len(parts), -1)
    return np.array([math.fsum(column) for column in stacked.T]).reshape(weights.shape)


def _length(gradient: Array) -> float:
    return float(np.sqrt((gradient**2).sum()))


def _value(rows: Array, targets: Array, weights: Array, tilt: Array, regulariser: float) -> float:
    total = [float((tilt * weights).sum()), regulariser / 2 * float((weights**2).sum())]
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        scores = _scores(rows[block], weights)
        own = (scores * targets[block]).sum(axis=1)
        if scores.shape[1] == 1:
            total.append(float((np.logaddexp(0.0, scores[:, 0]) - own).sum()))
        else:
            best = scores.max(axis=1)
            total.append(float((best + np.log(np.exp(scores - best[:, None]).sum(axis=1)) - own).sum()))
    return math.fsum(total)


def _curvature(rows: Array, weights: Array, regulariser: float) -> Array:
    features, columns = weights.shape
    total = np.zeros((features, columns, features, columns))
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        chances = _chances(_scores(part, weights))
        if columns == 1:
            total[:, 0, :, 0] += (part * (chances * (1 - chances))).T @ part
            continue
        for a in range(columns):
            for b in range(columns):
                both = chances[:, a] * ((a == b) - chances[:, b])
                total[:, a, :, b] += (part * both[:, None]).T @ part
    found: Array = total.reshape(features * columns, -1) + regulariser * np.eye(features * columns)
    return found
