"""Noisy gradient descent for logistic regression: on all rows, on disjoint batches, or on Poisson samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.classifying.carried import in_units
from partita.algorithms.learning.classifying.loss import RESIDUAL, always, gradient, gradient_reach
from partita.algorithms.learning.classifying.sampled import least_noise
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.moments import UNIT, Moments
from partita.algorithms.learning.sums import Noisy, Reach, Sum, priced, spread
from partita.algorithms.progress import track
from partita.composition.calibration.pricing import Price
from partita.errors import algorithms as refuse
from partita.exact import Number, positive
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.integers import source_of
from partita.mechanisms.subsampled import Subsampled
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory.distance import Norm

BATCHES = ("disjoint", "poisson")
_ROWS = Fraction(1, 50)


@final
@dataclass(frozen=True, slots=True)
class Descent(Learner):
    """T steps against noisy gradients from zero, kept in a ball, and the mean of all steps (theory F5).

    ``batches=None`` looks at all rows in every step: T releases. ``"disjoint"`` gives every row one step by a coin of
    its own, so the T releases cost what one costs (theory E3). ``"poisson"`` draws a secret sample for each step, and
    what a sample hides is credited (theory C14). The proof is in descent.proof.md.
    """

    kind: ClassVar[str] = "gradient_descent"
    lattice: Lattice
    moments: Moments
    turns: int
    batches: str | None
    rate: Fraction
    radius: float
    noisy: Noisy

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        classes: int,
        norm: float,
        price: Price,
        *,
        turns: int = 20,
        batches: str | None = None,
        rate: Number = "1/10",
        radius: float | None = None,
        relation: Relation = Relation.ADD_REMOVE,
    ) -> Descent:
        """The plan that one price pays for."""
        if batches not in (None, *BATCHES):
            raise refuse.one_of("batches", batches, BATCHES)
        moments = Moments(lattice.features, norm, classes, one_hot=True)
        reach = gradient_reach(lattice.features, classes, norm)
        times = 1 if batches == "disjoint" else turns
        one = Reach(1, 1)
        sums = (Sum("rows", one, one, _ROWS), Sum("gradient", reach, reach.doubled(), 1 - _ROWS, times))
        share = positive(rate, "rate")
        if batches == "poisson":
            if price.epsilon is None or price.delta is None:
                raise refuse.needs_delta("A Poisson sample")
            whole = priced(sums, price, relation, noise="gaussian")
            noise = least_noise(whole, "gradient", share, price, relation)
            noisy = Noisy(sums, (whole.noise("rows"), noise))
        else:
            noisy = priced(sums, price, relation)
        return cls(lattice, moments, turns, batches, share, 10.0 * norm if radius is None else radius, noisy)

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        found = self.noisy.losses(rows, changed=changed)
        if self.batches != "poisson":
            return found
        if rows > 1:
            raise refuse.sample_of_groups(rows)
        steps = found[-1]
        assert isinstance(steps.mechanism, GaussianNoise)
        secret = sampled(steps.mechanism, self.rate, self.noisy.sums[-1], changed=changed)
        return [found[0], replace(steps, mechanism=secret)]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercepts in the units of the data, one line a class (one line for two classes)."""
        classes, norm = self.moments.targets, self.moments.norm
        features, labels = labelled(rows, classes)
        vectors = self.moments.rows(self.lattice.codes(features) / UNIT)
        targets = (labels[:, None] == np.arange(classes)).astype(np.float64)
        size = max(1.0, float(self.noisy.release("rows", np.array([len(vectors)]), bits)[0]))
        expected = size * {None: 1.0, "disjoint": 1 / self.turns, "poisson": float(self.rate)}[self.batches]
        one, unit = always(norm), UNIT * RESIDUAL
        weights = np.zeros((self.lattice.features + 1, 1 if classes == 2 else classes))
        error = spread(self.noisy.noise("gradient")) / unit / expected
        longest = sqrt(self.noisy.sums[-1].enters.square) / unit
        step = 2 * self.radius / sqrt((longest**2 + weights.size * error**2) * self.turns)
        total = np.zeros_like(weights)
        for batch in track(self._batches(len(vectors), bits), "Gradient descent", total=self.turns):
            exact = gradient(vectors[batch], targets[batch], weights, one)
            noisy = self.noisy.release("gradient", exact, bits) / unit / expected
            total += weights
            weights = weights - step * noisy
            weights = weights * min(1.0, self.radius / max(float(np.sqrt((weights**2).sum())), 1e-300))
        return in_units(total / self.turns, self.lattice, norm, one) | {"rows": size}

    def _batches(self, rows: int, bits: BitSource | None) -> Iterator[Any]:
        """Which rows each step looks at; no coin looks at a row."""
        drawing = source_of(bits)
        match self.batches:
            case "disjoint":
                turn = below(self.turns, rows, drawing)
                for step in range(self.turns):
                    yield turn == step
            case "poisson":
                noise = self.noisy.noise("gradient")
                for _ in range(self.turns):
                    yield Subsampled(noise, rate=self.rate).sample(rows, bits=drawing)
            case _:
                for _ in range(self.turns):
                    yield slice(None)

    def excess(self, rows: int) -> float:
        """The most by which the mean loss exceeds the least in the ball, in expectation over the noise (theory F5).

        For a step on all rows, if the noisy number of rows is about right.
        """
        unit = UNIT * RESIDUAL
        longest = sqrt(self.noisy.sums[-1].enters.square) / unit
        error = spread(self.noisy.noise("gradient")) / unit / rows
        weights = (self.lattice.features + 1) * (1 if self.moments.targets == 2 else self.moments.targets)
        return 2 * self.radius * sqrt((longest**2 + weights * error**2) / self.turns)


def sampled(noise: AdditiveNoise, rate: Fraction, item: Sum, *, changed: bool) -> Subsampled:
    """The noise on a secret Poisson sample, for rows that come and go or for rows that change (theory C14)."""
    if not changed:
        return Subsampled(noise, rate=rate)
    presence = item.distance(Norm.L2 if noise.norm is Norm.L2 else Norm.L1)
    return Subsampled(noise, rate=rate, relation=Relation.CHANGE_ONE, presence=presence)
