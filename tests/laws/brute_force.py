"""Exact probabilities of small mechanisms by summing over everything, written without looking at how they are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Law = NDArray[np.float64]

REACH = 400


def rounded_laplace(scale: float) -> Callable[[int], float]:
    """Pr[round(X) = z] for a Laplace variable."""

    def mass(z: int) -> float:
        if z == 0:
            return -math.expm1(-0.5 / scale)
        return 0.5 * math.exp(-(abs(z) - 0.5) / scale) * -math.expm1(-1 / scale)

    return mass


def at_least(scale: float, z: int) -> float:
    """Pr[round(X) >= z] for a Laplace variable."""
    return 0.5 * math.exp(-(z - 0.5) / scale) if z >= 1 else 1 - 0.5 * math.exp(-(0.5 - z) / scale)


def noisy_max_law(scores: Sequence[int], scale: float, reach: int = REACH) -> Law:
    """The probability that each index is named, the first of equals winning."""
    mass = rounded_laplace(scale)
    chances = np.zeros(len(scores))
    for i, own in enumerate(scores):
        for z in range(-reach, reach + 1):
            top = own + z
            chance = mass(z)
            for j, other in enumerate(scores):
                if j != i:
                    chance *= 1 - at_least(scale, top - other + (0 if j < i else 1))
            chances[i] += chance
    return chances


def transcript_chance(
    values: Sequence[int],
    answers: Sequence[bool],
    threshold_scale: float | None,
    query_scale: float,
    reach: int = REACH,
) -> float:
    """The probability of these answers against the threshold 0; no noise on the threshold if its scale is none."""
    noises = [(0, 1.0)]
    if threshold_scale is not None:
        mass = rounded_laplace(threshold_scale)
        noises = [(r, mass(r)) for r in range(-reach, reach + 1)]
    total = 0.0
    for r, chance in noises:
        for value, answer in zip(values, answers, strict=True):
            above = at_least(query_scale, r - value)
            chance *= above if answer else 1 - above
        total += chance
    return total


def sparse_vector_law(
    values: Sequence[int], threshold_scale: float | None, query_scale: float, positives: int, reach: int = REACH
) -> dict[tuple[bool, ...], float]:
    """The probability of every transcript that ends with the last positive or the last question."""
    law: dict[tuple[bool, ...], float] = {}
    for answers in itertools.product((False, True), repeat=len(values)):
        ended = next((n + 1 for n in range(len(answers)) if sum(answers[: n + 1]) == positives), len(answers))
        if not any(answers[ended:]):
            asked = answers[:ended]
            law[asked] = transcript_chance(values[:ended], asked, threshold_scale, query_scale, reach)
    return law


def worst_loss(first: Sequence[float], second: Sequence[float]) -> float:
    """The largest log-ratio of two laws, in either direction."""
    return max(abs(math.log(p / q)) for p, q in zip(first, second, strict=True) if p > 1e-250 or q > 1e-250)


def hockey_stick(first: Law, second: Law, epsilon: float) -> float:
    """The largest amount by which an event is likelier than e^ε times."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def renyi(first: Law, second: Law, order: float) -> float:
    """The Rényi divergence of two laws with the same support."""
    logs = order * np.log(first) + (1 - order) * np.log(second)
    top = logs.max()
    return float((top + np.log(np.exp(logs - top).sum())) / (order - 1))


def geometric_law(epsilon: float, centre: int, reach: int = 200) -> Law:
    """Two-sided geometric noise around a centre, on a fixed range of integers."""
    z = np.abs(np.arange(-reach, reach + 1) - centre)
    return math.tanh(epsilon / 2) * np.exp(-epsilon * z)


def poisson_sum_law(records: Sequence[int], epsilon: float, rate: float) -> Law:
    """The noisy sum of a Poisson sample of records."""
    total = np.zeros(401)
    for chosen in itertools.product((False, True), repeat=len(records)):
        share = math.prod(rate if one else 1 - rate for one in chosen)
        total += share * geometric_law(epsilon, sum(itertools.compress(records, chosen)))
    return total


def fixed_sum_law(records: Sequence[int], epsilon: float, size: int) -> Law:
    """The noisy sum of a sample of a fixed size without replacement."""
    samples = list(itertools.combinations(records, size))
    return sum(geometric_law(epsilon, sum(sample)) for sample in samples) / len(samples)


def poisson_replace_loss(epsilon: float, rate: float) -> float:
    """The true loss of a noisy sum of a Poisson sample when a record changes from -1 to 1."""
    return worst_loss(poisson_sum_law([-1], epsilon, rate)[100:301], poisson_sum_law([1], epsilon, rate)[100:301])
