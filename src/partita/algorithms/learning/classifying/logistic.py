"""Private logistic regression: a start from noisy moments, then steps along noisy gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.classifying.carried import contrasts, deviations, in_units
from partita.algorithms.learning.classifying.loss import FAR, RESIDUAL, always, gradient, gradient_reach
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.moments import UNIT, Described, Moments, noise_norm, positive_part
from partita.algorithms.learning.sums import Noisy, Sum, priced
from partita.algorithms.progress import track
from partita.composition.calibration.pricing import Price
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.integers import source_of
from partita.sampling.bits import BitSource

_SYNTHETIC = 4000
# How far the curvature of made-up rows is taken to be off, as a share of it.
_TRUSTED = 0.25


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

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercepts in the units of the data, one line a class (one line for two classes)."""
        vectors, targets = self.prepared(rows)
        guess = self.begun(self.first(vectors, targets, bits), [int(word) for word in source_of(bits).words(4)])
        for _ in track(range(self.turns), "Logistic regression"):
            guess = self.moved(guess, self.slope(vectors, targets, guess.weights, bits))
        return self.told(guess)

    def prepared(self, rows: Array) -> tuple[Array, Array]:
        """Rows as whole numbers of steps, and which class each is in."""
        features, labels = labelled(rows, self.moments.targets)
        vectors = self.moments.rows(self.lattice.codes(features) / UNIT)
        return vectors, (labels[:, None] == np.arange(self.moments.targets)).astype(np.float64)

    def first(self, vectors: Array, targets: Array, bits: BitSource | None) -> dict[str, Array]:
        """The noisy moments: the first release."""
        exact = self.moments.exact(vectors, targets)
        return {name: self.noisy.release(name, exact[name], bits) for name in exact}

    def slope(self, vectors: Array, targets: Array, weights: Array, bits: BitSource | None) -> Array:
        """One noisy gradient at public weights, a sum over rows: the release of one turn."""
        return self.noisy.release("gradient", gradient(vectors, targets, weights, always(self.moments.norm)), bits)

    def begun(self, released: Mapping[str, Array], seed: list[int], custodians: int = 1) -> Guess:
        """The first model, from noisy moments alone, those of several custodians added up; ``seed`` is public."""
        spreads = {name: self.noisy.spread(name) * custodians**0.5 for name in released}
        described = self.moments.read(released, spreads)
        weights, made_up = start(described, np.random.default_rng(seed), self.moments.norm)
        one = always(self.moments.norm)
        made_up = np.hstack([made_up, np.full((len(made_up), 1), one / UNIT)])
        reach = _size(weights)
        return Guess(weights, reach**2 * np.eye(weights.size), made_up, described.rows)

    def moved(self, guess: Guess, noisy: Array, custodians: int = 1) -> Guess:
        """The model after a step along a noisy gradient, with the error that is left."""
        scale = UNIT * RESIDUAL * guess.rows
        error = self.noisy.spread("gradient") * custodians**0.5 / scale
        bent = curvature(guess.made_up, guess.weights)
        weights, filtered = stepped(guess.weights, noisy / scale, error, bent)
        done = filtered @ bent
        rest = np.eye(weights.size) - done
        left = rest @ guess.spread @ rest.T + _TRUSTED**2 * done @ guess.spread @ done.T
        return Guess(weights, left + error**2 * filtered @ filtered, guess.made_up, guess.rows)

    def told(self, guess: Guess) -> dict[str, Any]:
        """The model in the units of the data, with the deviations that noise and chance give it."""
        norm, one = self.moments.norm, always(self.moments.norm)
        turn = contrasts(*guess.weights.shape)
        bent = turn.T @ curvature(guess.made_up, guess.weights) @ turn * guess.rows
        chance = turn @ np.linalg.inv(bent + np.eye(len(bent))) @ turn.T
        noise = turn @ (turn.T @ guess.spread @ turn) @ turn.T
        return (
            in_units(guess.weights, self.lattice, norm, one)
            | deviations(noise, self.lattice, norm, one, name="error")
            | deviations(chance, self.lattice, norm, one, name="sampling")
            | {"rows": guess.rows}
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """A model on the way, public in all its parts: weights and their covariance, made-up rows, and the number of rows.

    The covariance starts at the size of the weights: so far they may be off before the first step.
    """

    weights: Array
    spread: Array
    made_up: Array
    rows: float


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


def curvature(made_up: Array, weights: Array) -> Array:
    """The mean curvature of the loss over made-up rows."""
    scores = np.clip(made_up @ weights, -FAR, FAR)
    columns = weights.shape[1]
    if columns == 1:
        chance = 1 / (1 + np.exp(-scores[:, 0]))
        found: Array = (made_up * (chance * (1 - chance))[:, None]).T @ made_up / len(made_up)
        return found
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances = odds / odds.sum(axis=1, keepdims=True)
    bent = np.zeros((made_up.shape[1], columns, made_up.shape[1], columns))
    for a in range(columns):
        for b in range(columns):
            both = chances[:, a] * ((a == b) - chances[:, b])
            bent[:, a, :, b] = (made_up * both[:, None]).T @ made_up / len(made_up)
    return bent.reshape(weights.size, -1)


def stepped(weights: Array, gradient: Array, error: float, bent: Array) -> tuple[Array, Array]:
    """A step along the gradient, divided by the curvature, and held back where noise would lead it; and that division.

    With curvature h in some direction, noise of deviation ``error`` and a wanted step of size τ or so, the step that
    errs least is h/(h² + (error/τ)²) times the gradient.
    """
    values, vectors = np.linalg.eigh(bent)
    kept = np.maximum(values, 0.0) / (values**2 + (error / _size(weights)) ** 2 + 1e-12)
    filtered = (vectors * kept) @ vectors.T
    return weights - (filtered @ gradient.reshape(-1)).reshape(weights.shape), filtered


def _size(weights: Array) -> float:
    """About how far weights are off before a step."""
    return max(float(np.sqrt((weights**2).mean())) / 2, 0.1)
