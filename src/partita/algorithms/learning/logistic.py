"""Private logistic regression: a start from noisy moments, then steps along noisy gradients."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice, blocks, root_up
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.moments import UNIT, Described, Moments, noise_norm, positive_part
from partita.algorithms.learning.sums import Noisy, Reach, Sum, priced
from partita.algorithms.progress import track
from partita.curator.computation import Loss
from partita.granularity.base import Relation
from partita.mechanisms.integers import source_of
from partita.query.pricing import Price
from partita.sampling.bits import BitSource

# Residuals are whole numbers of this step; weights of the model are rounded to whole numbers of theirs.
RESIDUAL = 1 << 12
_WEIGHT, _HEAVIEST = 1 << 10, 1 << 20
# The table of the logistic function: so many entries a unit, up to this argument.
_FINE, _FAR = 1 << 10, 16
_SYNTHETIC = 4000


@final
@dataclass(frozen=True, slots=True)
class Logistic(Learner):
    """Logistic regression by noisy gradients, for public classes (logistic.proof.md).

    Half of the price buys moments: class sizes, class means, products of features. They give a first model, and a
    public sample of made-up rows that stands for the curvature. The rest buys noisy gradients at the model, one a
    turn. The last column of the rows is the number of the class.
    """

    kind: ClassVar[str] = "logistic_regression"
    lattice: Lattice
    moments: Moments
    turns: int
    noisy: Noisy

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        classes: int,
        norm: float,
        price: Price,
        *,
        turns: int = 2,
        relation: Relation = Relation.ADD_REMOVE,
        noise: str | None = None,
    ) -> Logistic:
        """The plan that one price pays for."""
        moments = Moments(lattice.features, norm, classes, one_hot=True)
        half = Fraction(1, 2) if turns else Fraction(1)
        sums = [*moments.sums(half)]
        if turns:
            reach = gradient_reach(lattice.features, classes, norm)
            sums.append(Sum("gradient", reach, reach.doubled(), 1 - half, turns))
        return cls(lattice, moments, turns, priced(sums, price, relation, noise=noise))

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Loss]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercepts in the units of the data, one line a class (one line for two classes)."""
        features, labels = labelled(rows, self.moments.targets)
        vectors = self.moments.rows(self.lattice.codes(features) / UNIT)
        targets = (labels[:, None] == np.arange(self.moments.targets)).astype(np.float64)
        exact = self.moments.exact(vectors, targets)
        released = {name: self.noisy.release(name, exact[name], bits) for name in exact}
        described = self.moments.read(released, {name: self.noisy.spread(name) for name in exact})
        draw = np.random.default_rng([int(word) for word in source_of(bits).words(4)])
        weights, made_up = start(described, draw, self.moments.norm)
        one = always(self.moments.norm)
        made_up = np.hstack([made_up, np.full((len(made_up), 1), one / UNIT)])
        scale = UNIT * RESIDUAL * described.rows
        error = self.noisy.spread("gradient") / scale if self.turns else 0.0
        for _ in track(range(self.turns), "Logistic regression"):
            noisy = self.noisy.release("gradient", gradient(vectors, targets, weights, one), bits)
            weights = stepped(weights, noisy / scale, error, made_up)
        return in_units(weights, self.lattice, self.moments.norm, one) | {"rows": described.rows}


def always(norm: float) -> int:
    """The constant feature behind the intercept: as long as one feature of a row at its bound, in whole steps."""
    return min(UNIT, max(1, round(UNIT / norm)))


def in_units(weights: Array, lattice: Lattice, norm: float, one: int) -> dict[str, Any]:
    """Weights of rows in whole steps as coefficients and intercepts in the units of the data.

    >>> at = Lattice.of((0, 2), features=1, steps=UNIT)
    >>> in_units(np.array([[3.0], [0.5]]), at, 1.0, UNIT)
    {'coefficients': [[3.0]], 'intercepts': [-2.5]}
    """
    slopes = weights[:-1].T / norm / (np.array(lattice.step) * UNIT)
    levels = weights[-1] * (one / UNIT) - slopes @ np.array(lattice.middle)
    return {"coefficients": slopes.tolist(), "intercepts": levels.tolist()}


def gradient_reach(features: int, classes: int, norm: float) -> Reach:
    """How far one row moves the gradient: its residuals times (row, constant)."""
    one = always(norm)
    longest = UNIT**2 + one**2
    widest = root_up(features * UNIT**2) + one
    if classes == 2:
        return Reach(widest * RESIDUAL, longest * RESIDUAL**2)
    return Reach(widest * 2 * RESIDUAL, longest * 2 * RESIDUAL**2)


def gradient(vectors: Array, targets: Array, weights: Array, one: int) -> Array:
    """The exact sum over rows of residual times (row, constant), in whole numbers, each row's part by itself."""
    classes = targets.shape[1]
    whole = np.clip(np.rint(weights * _WEIGHT), -_HEAVIEST, _HEAVIEST)
    columns = whole.shape[1]
    total = np.zeros((vectors.shape[1] + 1, columns), dtype=np.int64)
    for block in blocks(len(vectors)):
        part = vectors[block]
        # Whole numbers below 2^53, so products and sums are exact in any order.
        scores = part @ whole[:-1] + whole[-1] * one
        if classes == 2:
            place = np.clip(np.floor(scores / UNIT), -_FAR * _FINE, _FAR * _FINE).astype(np.int64) + _FAR * _FINE
            residual = _sigmoid()[place] - targets[block, 1:] * RESIDUAL
        else:
            residual = _shares(scores) - targets[block] * RESIDUAL
        total[:-1] += (part.T @ residual).astype(np.int64)
        total[-1] += one * residual.sum(axis=0).astype(np.int64)
    return total.astype(np.float64)


def _shares(scores: Array) -> Array:
    """The probability of each class, rounded down to whole steps, from exact scores by a table and plain arithmetic."""
    best = scores.max(axis=1, keepdims=True)
    place = np.clip(np.floor((scores - best) / UNIT), -_FAR * _FINE, 0).astype(np.int64) + _FAR * _FINE
    odds = _exponential()[place]
    total = np.zeros(len(odds))
    for column in range(odds.shape[1]):
        total = total + odds[:, column]
    found: Array = np.floor(odds / total[:, None] * RESIDUAL * (1 - 2.0**-40))
    return found


@lru_cache(maxsize=1)
def _sigmoid() -> Array:
    at = (np.arange(-_FAR * _FINE, _FAR * _FINE + 1) + 0.5) / _FINE
    return np.rint(RESIDUAL / (1 + np.exp(-at)))


@lru_cache(maxsize=1)
def _exponential() -> Array:
    return np.exp((np.arange(-_FAR * _FINE, 1) + 0.5) / _FINE)


def start(described: Described, draw: np.random.Generator, norm: float) -> tuple[Array, Array]:
    """First weights, as if each class were normal with one covariance, and made-up rows of those normals."""
    rows, masses = described.rows, described.totals
    features = len(described.mean)
    # Means of small classes are noise: shrink them towards the overall mean.
    signal = masses / (masses + described.cross_error * rows)
    means = described.mean[:, None] + (described.cross / masses - described.mean[:, None]) * signal
    means = np.clip(means, -1.0, 1.0)
    within = positive_part(described.second - (means * masses / rows) @ means.T)
    ridge = noise_norm(described.second_error, features) + 1e-4
    steady = within + ridge * np.eye(features)
    directions = np.linalg.solve(steady, means)
    offsets = np.log(masses / rows) - (means * directions).sum(axis=0) / 2
    if len(masses) == 2:
        weights = np.append(directions[:, 1] - directions[:, 0], offsets[1] - offsets[0])[:, None]
    else:
        weights = np.vstack([directions - directions.mean(axis=1, keepdims=True), offsets - offsets.mean()])
    which = draw.choice(len(masses), size=_SYNTHETIC, p=masses / masses.sum())
    root = np.linalg.cholesky(within + 1e-9 * np.eye(features) + min(ridge, 0.05) * np.eye(features))
    made_up = means.T[which] + draw.standard_normal((_SYNTHETIC, features)) @ root.T
    weights[:-1] *= norm
    weights[-1] *= UNIT / always(norm)
    return weights, made_up / norm


def stepped(weights: Array, gradient: Array, error: float, made_up: Array) -> Array:
    """A step along the gradient, divided by the curvature at made-up rows, and held back where noise would lead it.

    With curvature h in some direction, noise of deviation ``error`` and a wanted step of size τ or so, the step that
    errs least is h/(h² + (error/τ)²) times the gradient.
    """
    scores = np.clip(made_up @ weights, -_FAR, _FAR)
    columns = weights.shape[1]
    if columns == 1:
        chance = 1 / (1 + np.exp(-scores[:, 0]))
        curvature = (made_up * (chance * (1 - chance))[:, None]).T @ made_up / len(made_up)
    else:
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances = odds / odds.sum(axis=1, keepdims=True)
        curvature = np.zeros((made_up.shape[1], columns, made_up.shape[1], columns))
        for a in range(columns):
            for b in range(columns):
                both = chances[:, a] * ((a == b) - chances[:, b])
                curvature[:, a, :, b] = (made_up * both[:, None]).T @ made_up / len(made_up)
        curvature = curvature.reshape(made_up.shape[1] * columns, -1)
    values, vectors = np.linalg.eigh(curvature)
    size = max(float(np.sqrt((weights**2).mean())) / 2, 0.1)
    filtered = np.maximum(values, 0.0) / (values**2 + (error / size) ** 2 + 1e-12)
    step = vectors @ (filtered * (vectors.T @ gradient.reshape(-1)))
    found: Array = weights - step.reshape(weights.shape)
    return found
