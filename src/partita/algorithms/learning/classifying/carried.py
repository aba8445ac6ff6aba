"""Errors carried from the weights of a linear classifier to the units of the data: those of noise, and of chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.moments import UNIT


def in_units(weights: Array, lattice: Lattice, norm: float, one: int) -> dict[str, Any]:
    """Weights of rows in whole steps as coefficients and intercepts in the units of the data.

    >>> at = Lattice.of((0, 2), features=1, steps=UNIT)
    >>> in_units(np.array([[3.0], [0.5]]), at, 1.0, UNIT)
    {'coefficients': [[3.0]], 'intercepts': [-2.5]}
    """
    found = _units(lattice, norm, one) @ weights
    return {"coefficients": found[:-1].T.tolist(), "intercepts": found[-1].tolist()}


def deviations(spread: Array, lattice: Lattice, norm: float, one: int, *, name: str) -> dict[str, Any]:
    """The standard deviations of coefficients and intercepts, from the covariance of all weights.

    >>> at = Lattice.of((0, 2), features=1, steps=UNIT)
    >>> deviations(np.diag([4.0, 9.0]), at, 1.0, UNIT, name="noise")
    {'noise': [[2.0]], 'intercept_noise': [3.605551275463989]}
    """
    turn = _units(lattice, norm, one)
    columns = len(spread) // len(turn)
    blocks = spread.reshape(len(turn), columns, len(turn), columns)
    found = np.array([np.sqrt(np.maximum(np.diag(turn @ blocks[:, a, :, a] @ turn.T), 0.0)) for a in range(columns)])
    return {name: found[:, :-1].tolist(), f"intercept_{name}": found[:, -1].tolist()}


def contrasts(features: int, columns: int) -> Array:
    """Directions, at right angles, in which weights tell classes apart: what all classes have in common is left out.

    >>> contrasts(2, 1).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if columns == 1:
        return np.eye(features)
    centred = np.eye(columns) - 1 / columns
    values, vectors = np.linalg.eigh(centred)
    return np.kron(np.eye(features), vectors[:, values > 0.5])


def lowered(matrix: Array, error: float) -> tuple[Array, Array]:
    """Eigenvalues, each lowered by what noise of this size may have added, none below zero; and their directions."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.maximum(values - error, 0.0), vectors


def _units(lattice: Lattice, norm: float, one: int) -> Array:
    """The linear map from weights of (row, constant) to coefficients and intercept."""
    found = np.diag(np.append(1 / (norm * np.array(lattice.step) * UNIT), one / UNIT))
    found[-1, :-1] = -np.diag(found)[:-1] * np.array(lattice.middle)
    return found
