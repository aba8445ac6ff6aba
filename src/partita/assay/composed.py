"""What independent releases lose together in (ε, δ), from below: their losses on a grid, rounded down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_POINTS = 4000
_MOST = 256  # losses: of more, one below nothing is known


def least_delta(epsilon: float, mu: float, laplace: Sequence[float], pure: Sequence[float]) -> float:
    """A δ that these losses together have at least, at this ε.

    Gaussian noise moved by μ deviations, Laplace noise moved by so many scales each, and choices between two answers of
    so much each, as randomised response has it. A loss that is rounded down makes δ smaller.

    >>> round(least_delta(0.0, 0.0, [1.0], []), 2), round(least_delta(1.0, 0.0, [0.5, 0.5], []), 3)
    (0.39, 0.0)
    """
    if len(laplace) + len(pure) > _MOST:
        return 0.0
    most = mu * mu / 2 + 10 * mu + sum(laplace) + sum(pure)
    step = most / _POINTS
    laws = [_laplace(one, step) for one in laplace] + [_response(one, step) for one in pure]
    if mu:
        laws.append(_gaussian(mu, step))
    first, chances = 0, np.ones(1)
    for start, more in laws:
        first, chances = first + start, np.convolve(chances, more)
    losses = (first + np.arange(len(chances))) * step
    above = losses > epsilon
    # A grain of room for sums of doubles.
    return max(0.0, float(np.sum(chances[above] * -np.expm1(epsilon - losses[above]))) * (1 - 1e-9) - 1e-13)


def _grid(low: float, high: float, step: float) -> NDArray[np.float64]:
    places = np.arange(math.floor(low / step), math.floor(high / step) + 1)
    return places.astype(np.float64) * np.float64(step)


def _laplace(most: float, step: float) -> tuple[int, NDArray[np.float64]]:
    """The loss of Laplace noise is above t in [-ε, ε) with probability 1 - e^(-(ε - t)/2) / 2."""
    at = _grid(-most, most, step)
    above = np.where(at >= most, 0.5, 1 - np.exp(-(most - np.clip(at, -most, most)) / 2) / 2)
    reached = np.where(at <= -most, 1.0, np.where(at > most, 0.0, above))
    chances = reached - np.append(reached[1:], 0.0)
    return round(at[0] / step), chances


def _response(most: float, step: float) -> tuple[int, NDArray[np.float64]]:
    low, high = math.floor(-most / step), math.floor(most / step)
    chances = np.zeros(high - low + 1)
    chances[0], chances[-1] = 1 / (1 + math.exp(most)), 1 / (1 + math.exp(-most))
    return low, chances


def _gaussian(mu: float, step: float) -> tuple[int, NDArray[np.float64]]:
    """The loss is normal with mean μ²/2 and deviation μ; what is beyond ten deviations is put at the near end."""
    law = NormalDist(mu * mu / 2, mu)
    at = _grid(law.mean - 10 * mu, law.mean + 10 * mu, step)
    below = np.array([0.0, *(law.cdf(one) for one in at[1:]), 1.0])
    return round(at[0] / step), np.diff(below)
