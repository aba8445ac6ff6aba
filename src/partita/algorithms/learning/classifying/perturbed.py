"""Private logistic regression by objective perturbation: one release, at a pure ε, and its curvature for error bars."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.classifying.carried import contrasts, deviations, in_units, lowered
from partita.algorithms.learning.classifying.loss import CURVED, always, curvature, curvature_reach, read_curvature
from partita.algorithms.learning.classifying.objective import minimised
from partita.algorithms.learning.lattice import Array, Lattice, root_up
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.moments import UNIT, Moments
from partita.algorithms.learning.sums import Noisy, Sum, divided, priced, pure_of, spread
from partita.composition.calibration.pricing import Price
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.perturbed_objective import GOAL, PerturbedObjective
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm

# Of the ε of the minimiser: what the curvature and the last noise take; the slope has the rest.
_BEND, _LAST, _MOST = Fraction(7, 20), Fraction(1, 50), Fraction(8)
# The part of the price that buys the curvature, and the most weights for which it is bought.
_CURVATURE, CURVES = Fraction(1, 10), 128


@final
@dataclass(frozen=True, slots=True)
class Perturbed(Learner):
    """Logistic regression whose loss is tilted by a random slope before it is minimised (objective.proof.md).

    The price is what one row loses under the relation. With ``curved`` a tenth of it buys the curvature at the released
    weights, which tells how far the slope has moved them. The last column of the rows is the number of the class.
    """

    kind: ClassVar[str] = "perturbed_logistic_regression"
    lattice: Lattice
    rows: Moments
    mechanism: PerturbedObjective
    regulariser: float
    curved: Noisy | None = None

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        classes: int,
        norm: float,
        price: Price,
        *,
        relation: Relation = Relation.ADD_REMOVE,
        regulariser: float = 0.0,
        curved: bool = False,
    ) -> Perturbed:
        """The plan that one price pays for."""
        rows = Moments(lattice.features, norm, classes, one_hot=True)
        noisy = None
        if curved and (lattice.features + 1) * (1 if classes == 2 else classes) <= CURVES:
            price, part = divided(price, _CURVATURE)
            reach = curvature_reach(lattice.features, classes, norm)
            noisy = priced([Sum("curvature", reach, reach.doubled())], part, relation)
        mechanism = _least(rows, pure_of(price), relation)
        mechanism.check()
        return cls(lattice, rows, mechanism, regulariser, noisy)

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        found = [Event(self.mechanism, Distance.l1(rows * (self.mechanism.change if changed else 1)))]
        return found if self.curved is None else [*found, *self.curved.losses(rows, changed=changed)]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercepts in the units of the data, one line a class (one line for two classes)."""
        classes, one = self.rows.targets, always(self.rows.norm)
        features, labels = labelled(rows, classes)
        vectors = self.rows.rows(self.lattice.codes(features) / UNIT)
        extended = np.hstack([vectors, np.full((len(vectors), 1), float(one))]) / UNIT
        own = labels[:, None] == np.arange(classes)
        targets = (own[:, 1:] if classes == 2 else own).astype(np.float64)
        tilt = self.mechanism.tilt(bits=bits)
        found = minimised(extended, targets, tilt, self._strength(), float(GOAL) / 2)
        weights = self.mechanism.finish(found.reshape(-1), bits=bits).reshape(found.shape)
        if classes > 2:
            # What all classes have in common is noise, and changes no prediction.
            weights = weights - weights.mean(axis=1, keepdims=True)
        told = in_units(weights, self.lattice, self.rows.norm, one)
        if self.curved is None:
            return told
        bent = self.curved.release("curvature", curvature(vectors, weights, one), bits)
        return told | self._errors(weights, read_curvature(bent, weights.size))

    def _strength(self) -> float:
        return max(float(self.mechanism.regulariser) * (1 + 2.0**-50), self.regulariser)

    def _errors(self, weights: Array, bent: Array) -> dict[str, Any]:
        """The deviations that noise and chance give coefficients, from released numbers alone."""
        assert self.curved is not None
        unsure = spread(self.curved.noise("curvature")) / (CURVED * float(UNIT) ** 2)
        turn, strength = contrasts(*weights.shape), self._strength()
        values, directions = lowered(turn.T @ bent @ turn, unsure)
        directions = turn @ directions
        # The slope moves weights by itself over the curvature, the regulariser by their size times its share of that.
        slope = self.mechanism.deviation / (values + strength)
        drawn = strength / (values + strength) * (directions.T @ weights.reshape(-1))
        last = float(self.mechanism.noise.scale * self.mechanism.step) * 2**0.5
        noise = (directions * (slope**2 + last**2)) @ directions.T + np.outer(directions @ drawn, directions @ drawn)
        chance = (directions / (values + strength)) @ directions.T
        where = (self.lattice, self.rows.norm, always(self.rows.norm))
        return deviations(noise, *where, name="error") | deviations(chance, *where, name="sampling")


def _least(rows: Moments, epsilon: Fraction, relation: Relation) -> PerturbedObjective:
    """The slope, from a ball or from a cube, whose entries deviate least at a pure ε."""
    one, classes = always(rows.norm), rows.targets
    square = Fraction(UNIT**2 + one**2, UNIT**2)
    largest = Fraction(max(rows.most, one), UNIT)
    columns = 1 if classes == 2 else classes
    # Two classes: a residual of at most 1 and a curvature of at most 1/4. More: √2, and a trace of at most 1 - 1/k.
    residual, bent = (1, Fraction(1, 4)) if columns == 1 else (2, 1 - Fraction(1, classes))
    # A weak regulariser would let weights grow beyond what is certified: more curvature than this is not bought.
    bend = min(_BEND * epsilon, _MOST)
    steps = 2 if relation is Relation.CHANGE_ONE else 1
    ball = Fraction(root_up(residual * int(square * UNIT**2)), UNIT)
    return min(
        (
            PerturbedObjective(
                slope=((1 - _LAST) * epsilon - bend) / steps,
                bend=bend,
                last=_LAST * epsilon,
                length=length,
                bent=bent * square,
                weights=(rows.features + 1) * columns,
                shape=shape,
            )
            for shape, length in ((Norm.L2, ball), (Norm.LINF, largest))
        ),
        key=lambda mechanism: mechanism.deviation,
    )
