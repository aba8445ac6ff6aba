"""Private linear regression from noisy moments: the sufficient statistics of least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT, Described, Moments
from partita.algorithms.learning.sums import Noisy, priced
from partita.composition.calibration.pricing import Price
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
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

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
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
        half, wide = self.target.step[0] * UNIT, np.array(self.features.step) * UNIT
        coefficients = slopes * half / wide
        error, level_error = self._errors(found, spreads, level, slopes, inverse)
        middle = self.target.middle[0] + half * (level - float(found.mean @ slopes))
        return {
            "coefficients": coefficients.tolist(),
            "intercept": float(middle - coefficients @ np.array(self.features.middle)),
            "error": (error * half / wide).tolist(),
            "intercept_error": level_error * half,
            "rows": found.rows,
            "sums": {name: values.tolist() for name, values in released.items()},
        }

    def _errors(
        self, found: Described, spreads: Mapping[str, float], level: float, slopes: Array, inverse: Array
    ) -> tuple[Array, float]:
        """The deviations that noise gives slopes and intercept, in scaled units, to first order in all noises."""
        unit = UNIT * found.rows
        means, levels = spreads["first"] * self.moments.norm / unit, spreads["targets"] / unit
        rest = level - float(found.mean @ slopes)
        # Noise on the mean moves products through it, noise on the number of rows moves everything.
        turned = np.outer(found.mean, slopes) - rest * np.eye(len(slopes))
        common = levels**2 + (spreads["rows"] / found.rows * rest) ** 2
        plain = found.cross_error**2 + found.second_error**2 * float(slopes @ slopes)
        moved = plain * np.eye(len(slopes)) + means**2 * turned @ turned.T + common * np.outer(found.mean, found.mean)
        spread = inverse @ moved @ inverse.T
        at = found.mean + np.array(self.features.middle) / (np.array(self.features.step) * UNIT)
        own = common + means**2 * float(slopes @ slopes)
        shared = inverse @ (rest * means**2 * slopes - own * found.mean)
        level_error = own - 2 * float(at @ shared) + float(at @ spread @ at)
        return np.sqrt(np.maximum(np.diag(spread), 0.0)), float(np.sqrt(max(level_error, 0.0)))
