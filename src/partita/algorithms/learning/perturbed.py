"""Private logistic regression by objective perturbation: one release, at a pure ε."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice, root_up
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.logistic import always, in_units
from partita.algorithms.learning.moments import UNIT, Moments
from partita.algorithms.learning.objective import minimised
from partita.curator.computation import Loss
from partita.granularity.base import Relation
from partita.mechanisms.perturbed_objective import GOAL, PerturbedObjective
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance

# Of the whole ε: what the curvature and the last noise take; the slope has the rest.
_BEND, _LAST, _MOST = Fraction(1, 5), Fraction(1, 50), Fraction(8)


@final
@dataclass(frozen=True, slots=True)
class Perturbed(Learner):
    """Logistic regression whose loss is tilted by a random slope before it is minimised (objective.proof.md).

    ``epsilon`` is what one row loses under the relation. The last column of the rows is the number of the class.
    """

    kind: ClassVar[str] = "perturbed_logistic_regression"
    lattice: Lattice
    rows: Moments
    mechanism: PerturbedObjective
    regulariser: float

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        classes: int,
        norm: float,
        epsilon: Fraction,
        *,
        relation: Relation = Relation.ADD_REMOVE,
        regulariser: float = 0.0,
    ) -> Perturbed:
        """The plan that a pure ε pays for."""
        rows = Moments(lattice.features, norm, classes, one_hot=True)
        square = Fraction(UNIT**2 + always(norm) ** 2, UNIT**2)
        steps = 2 if relation is Relation.CHANGE_ONE else 1
        columns = 1 if classes == 2 else classes
        # Two classes: a residual of at most 1 and a curvature of at most 1/4. More: √2, and a trace of at most 1 - 1/k.
        residual, bent = (1, Fraction(1, 4)) if columns == 1 else (2, 1 - Fraction(1, classes))
        # A weak regulariser would let weights grow beyond what is certified: more curvature than this is not bought.
        bend = min(_BEND * epsilon, _MOST)
        mechanism = PerturbedObjective(
            slope=((1 - _LAST) * epsilon - bend) / steps,
            bend=bend,
            last=_LAST * epsilon,
            length=Fraction(root_up(residual * int(square * UNIT**2)), UNIT),
            bent=bent * square,
            weights=(lattice.features + 1) * columns,
        )
        mechanism.check()
        return cls(lattice, rows, mechanism, regulariser)

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Loss]:
        return [(self.mechanism, Distance.l1(rows * (self.mechanism.change if changed else 1)), 1)]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercepts in the units of the data, one line a class (one line for two classes)."""
        classes, one = self.rows.targets, always(self.rows.norm)
        features, labels = labelled(rows, classes)
        vectors = self.rows.rows(self.lattice.codes(features) / UNIT)
        extended = np.hstack([vectors, np.full((len(vectors), 1), float(one))]) / UNIT
        own = labels[:, None] == np.arange(classes)
        targets = (own[:, 1:] if classes == 2 else own).astype(np.float64)
        tilt = self.mechanism.tilt(bits=bits)
        strength = max(float(self.mechanism.regulariser) * (1 + 2.0**-50), self.regulariser)
        found = minimised(extended, targets, tilt, strength, float(GOAL) / 2)
        weights = self.mechanism.finish(found.reshape(-1), bits=bits).reshape(found.shape)
        return in_units(weights, self.lattice, self.rows.norm, one)
