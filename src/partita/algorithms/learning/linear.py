"""Private linear regression from noisy moments: the sufficient statistics of least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT, Moments
from partita.algorithms.learning.sums import Noisy, priced
from partita.curator.computation import Loss
from partita.granularity.base import Relation
from partita.query.pricing import Price
from partita.sampling.bits import BitSource


@final
@dataclass(frozen=True, slots=True)
class Linear(Learner):
    """Least squares of a bounded target on bounded features, from one noisy set of moments (moments.proof.md).

    The last column of the rows is the target. Whatever is solved afterwards is post-processing; directions
    in which noise outweighs the rows are held back.
    """

    kind: ClassVar[str] = "linear_regression"
    features: Lattice
    target: Lattice
    moments: Moments
    noisy: Noisy

    @classmethod
    def plan(
        cls,
        features: Lattice,
        target: Lattice,
        norm: float,
        price: Price,
        *,
        relation: Relation = Relation.ADD_REMOVE,
        noise: str | None = None,
    ) -> Linear:
        """The plan that one price pays for."""
        moments = Moments(features.features, norm, targets=1)
        return cls(features, target, moments, priced(moments.sums(), price, relation, noise=noise))

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Loss]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Coefficients and intercept in the units of the data, and the noisy sums they were computed from."""
        vectors = self.moments.rows(self.features.codes(rows[:, :-1]) / UNIT)
        exact = self.moments.exact(vectors, self.target.codes(rows[:, -1:]))
        released = {name: self.noisy.release(name, exact[name], bits) for name in exact}
        return self.solved(released)

    def solved(self, released: Mapping[str, Array], custodians: int = 1) -> dict[str, Any]:
        """The regression that noisy sums give, those of several custodians added up: no row is read here."""
        spreads = {name: self.noisy.spread(name) * custodians**0.5 for name in released}
        found = self.moments.read(released, spreads)
        level = float(np.clip(found.totals[0] / found.rows, -1.0, 1.0))
        together = found.cross[:, 0] / found.rows - found.mean * level
        # Directions in which rows vary no more than noise does are held back; the others are left nearly as they are.
        variances, directions = np.linalg.eigh(found.covariance())
        kept = np.maximum(variances, 0.0)
        kept = kept / (kept**2 + self.moments.features * found.second_error**2 + 1e-18)
        inverse = (directions * kept) @ directions.T
        slopes = inverse @ together
        error = np.sqrt((inverse**2).sum(axis=1) * (found.cross_error**2 + found.second_error**2 * (slopes**2).sum()))
        half, wide = self.target.step[0] * UNIT, np.array(self.features.step) * UNIT
        coefficients = slopes * half / wide
        middle = self.target.middle[0] + half * (level - float(found.mean @ slopes))
        return {
            "coefficients": coefficients.tolist(),
            "intercept": float(middle - coefficients @ np.array(self.features.middle)),
            "error": (error * half / wide).tolist(),
            "rows": found.rows,
            "sums": {name: values.tolist() for name, values in released.items()},
        }
