"""What two runs of the same releases really lose, from the exact numbers that went into each noise.

Written from the theory sheet alone (B13, C3, C9, C10, C15): no cost, distance or price of the product is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.special import log_ndtr, ndtri

from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

SLACK = 1e-7  # relative, for what is computed here in floats
_ORDERS = (1.0001, 1.1, 1.3, 1.6, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0)
_STEP = 1 / 256  # of the grid that losses are rounded down to


@dataclass
class Moves:
    """How far apart one pair of neighbours is in everything that was released."""

    laplace: list[float] = field(default_factory=list)  # each number's |x - x'| / scale
    square: float = 0.0  # of all Gaussian numbers, the sum of (x - x')² / σ²
    choices: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)  # log-probabilities of all outcomes
    named: list[KeyMove] = field(default_factory=list)

    def add(self, other: Moves) -> None:
        self.laplace += other.laplace
        self.square += other.square
        self.choices += other.choices
        self.named += other.named

    def __bool__(self) -> bool:
        return bool(self.laplace or self.square or self.choices or self.named)


@dataclass
class KeyMove:
    """One key of an open set: the chances that it is named, and the loss of Gaussian or Laplace noise on its count."""

    before: float
    after: float
    square: float  # of Gaussian noise, where both tables have the key
    laplace: float


def exceeds(moves: Moves, claim: Measure, times: int = 1) -> str | None:
    """What is wrong if these neighbours lose more than is claimed for so many steps; None if nothing is."""
    match claim:
        case Pure():
            most = math.inf if moves.square or moves.named else _pure(moves)
            return _above(most, float(claim.epsilon) * times, "ε")
        case ZCDP():
            leak = _leak(moves)
            if leak > float(claim.delta) * (1 + SLACK):
                return f"δ = {leak} where {float(claim.delta)} is claimed"
            return _above(_rho(moves), float(claim.rho) * times**2, "ρ")
        case GDP():
            if moves.named:
                return "keys are named under μ"
            return _above(_mu_square(moves), float(claim.mu) ** 2 * times**2, "μ²")
        case Approximate():
            assert times == 1
            return _approximate(moves, float(claim.epsilon), float(claim.delta))
    raise AssertionError(claim)


def _above(true: float, claimed: float, what: str) -> str | None:
    return None if true <= claimed * (1 + SLACK) + 1e-12 else f"{what} = {true:.9g} where {claimed:.9g} is claimed"


def _pure(moves: Moves) -> float:
    there = sum(float(np.max(old - new)) for old, new in moves.choices)
    back = sum(float(np.max(new - old)) for old, new in moves.choices)
    return sum(moves.laplace) + max(there, back)


def _rho(moves: Moves) -> float:
    """The least ρ with D_α ≤ ρ α, as far as some orders tell, in both directions."""
    worst = 0.0
    common = sum(key.square for key in moves.named) / 2
    for order in _ORDERS:
        noise = sum(_laplace_divergence(e, order) for e in [*moves.laplace, *(key.laplace for key in moves.named)])
        for way in (1, -1):
            chosen = sum(_divergence(*pair[::way], order) for pair in moves.choices)
            worst = max(worst, (noise + chosen) / order)
    # Near order 1 the quotient is what the limit says, less a little: it never says too much.
    return worst + moves.square / 2 + common


def _laplace_divergence(e: float, order: float) -> float:
    if not e:
        return 0.0
    first = math.log(order / (2 * order - 1)) + (order - 1) * e
    second = math.log((order - 1) / (2 * order - 1)) - order * e
    return max(0.0, float(np.logaddexp(first, second)) / (order - 1))


def _divergence(old: np.ndarray, new: np.ndarray, order: float) -> float:
    terms = order * old - (order - 1) * new
    top = float(terms.max())
    return max(0.0, (top + math.log(float(np.exp(terms - top).sum()))) / (order - 1))


def _mu_square(moves: Moves) -> float:
    total = moves.square
    total += sum(float(2 * ndtri(math.exp(-e / 2) / 2)) ** 2 for e in moves.laplace if e)
    return total + sum(max(_mu(old, new), _mu(new, old)) ** 2 for old, new in moves.choices)


def _mu(old: np.ndarray, new: np.ndarray) -> float:
    """The least μ that the best tests between two finite laws allow."""
    order = np.argsort(new - old)[::-1]
    found = np.cumsum(np.exp(new[order]))[:-1]  # of the second law, what is rejected
    alarms = np.cumsum(np.exp(old[order]))[:-1]
    kept = (found < 1 - 1e-9) & (alarms > 1e-12) & (alarms < 1 - 1e-9)
    return float(np.max(ndtri(found[kept]) - ndtri(alarms[kept]), initial=0.0))


def _leak(moves: Moves) -> float:
    """The chance that a key is named which only one of the tables has."""
    there = 1 - math.prod(1 - key.before for key in moves.named if key.after == 0)
    back = 1 - math.prod(1 - key.after for key in moves.named if key.before == 0)
    return max(there, back)


def gaussian_delta(mu: float, epsilon: np.ndarray) -> np.ndarray:
    """δ of Gaussian noise at each ε (theory B13)."""
    if mu == 0:
        return np.maximum(0.0, -np.expm1(epsilon))
    first = log_ndtr(-epsilon / mu + mu / 2)
    second = epsilon + log_ndtr(-epsilon / mu - mu / 2)
    return np.maximum(0.0, np.exp(first) - np.exp(second))


def _approximate(moves: Moves, epsilon: float, delta: float) -> str | None:
    """Whether δ at the claimed ε is more than claimed; losses on a grid are rounded down, so nothing is overstated."""
    for way in (1, -1):
        found = _delta(moves, epsilon, way)
        if found > delta * (1 + SLACK) + 1e-12:
            return f"δ({epsilon:.9g}) = {found:.9g} where {delta:.9g} is claimed"
    return None


def _delta(moves: Moves, epsilon: float, way: int) -> float:
    if sum(moves.laplace) <= epsilon and not moves.square and not moves.named and not moves.choices:
        return 0.0
    losses, masses, lost = np.zeros(1), np.ones(1), 0.0
    for e in moves.laplace:
        losses, masses = _together(losses, masses, *_laplace_atoms(e))
    for pair in moves.choices:
        old, new = pair[::way]
        losses, masses = _together(losses, masses, old - new, np.exp(old))
    for key in moves.named:
        old, new = (key.before, key.after)[::way]
        atoms = [(math.log(p / q), p) for p, q in ((old, new), (1 - old, 1 - new)) if p > 0 and q > 0]
        gone = sum(p for p, q in ((old, new), (1 - old, 1 - new)) if p > 0 and q == 0)
        lost += (1 - lost) * gone
        losses, masses = _together(losses, masses, *map(np.array, zip(*atoms, strict=True)))
    return lost + float(np.sum(masses * gaussian_delta(math.sqrt(moves.square), epsilon - losses)))


def _together(
    losses: np.ndarray, masses: np.ndarray, more: np.ndarray, chances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The law of the sum of two independent losses, rounded down to the grid where it has too many values."""
    sums = np.add.outer(losses, more).ravel()
    weights = np.multiply.outer(masses, chances).ravel()
    if len(sums) <= 64:
        return sums, weights
    cells, places = np.unique(np.floor(sums / _STEP).astype(np.int64), return_inverse=True)
    return cells * _STEP, np.bincount(places, weights)


def _laplace_atoms(e: float) -> tuple[np.ndarray, np.ndarray]:
    """The loss of Laplace noise: e or -e where the number lies outside, and what is between rounded down."""
    parts = np.linspace(0, e, 33)  # how far the noise carries the number, in scales
    chances = (np.exp(-parts[:-1]) - np.exp(-parts[1:])) / 2
    losses = e - 2 * parts[1:]
    return np.concatenate(([e], losses, [-e])), np.concatenate(([0.5], chances, [math.exp(-e) / 2]))


def exponential_law(scores: np.ndarray, weight: Fraction) -> np.ndarray:
    """Log-probabilities of the exponential mechanism, where a unit of score counts so much."""
    powers = scores * float(weight)
    top = float(powers.max())
    return powers - top - math.log(float(np.exp(powers - top).sum()))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def permute_and_flip_law(scores: np.ndarray, weight: Fraction) -> np.ndarray:
    """Log-probabilities of permute-and-flip: each comes at a uniform time, and wins if no earlier coin accepted."""
    biases = np.exp((scores - scores.max()) * float(weight))
    times, weights = (_NODES + 1) / 2, _WEIGHTS / 2
    survive = np.log1p(-np.multiply.outer(times, biases))
    others = survive.sum(axis=1, keepdims=True) - survive
    return np.log(biases * (weights[:, None] * np.exp(others)).sum(axis=0))


def truncated_geometric_chance(people: int, epsilon: float, delta: float) -> float:
    """The largest chance of naming a key that so many people have (theory C15)."""
    chance = 0.0
    for _ in range(people):
        chance = min(math.exp(epsilon) * chance + delta, 1 - math.exp(-epsilon) * (1 - chance - delta), 1.0)
    return chance


def laplace_tail(beyond: float, scale: float) -> float:
    """The chance that Laplace noise exceeds a number."""
    return math.exp(-beyond / scale) / 2 if beyond >= 0 else 1 - math.exp(beyond / scale) / 2


def gaussian_tail(beyond: float, sigma: float) -> float:
    """The chance that Gaussian noise exceeds a number."""
    return math.exp(float(log_ndtr(-beyond / sigma)))
