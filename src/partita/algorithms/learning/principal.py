"""Private principal components from noisy moments: the directions in which rows vary most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT, Moments, noise_norm
from partita.algorithms.learning.sums import Noisy, priced
from partita.composition.calibration.pricing import Price
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.sampling.bits import BitSource


@final
@dataclass(frozen=True, slots=True)
class Principal(Learner):
    """The covariance of bounded rows, and its leading directions (moments.proof.md).

    One scale serves all features, so directions are those of the data. Noise turns a direction by an angle whose sine
    is about the size of the noise over the gap to the next variance.
    """

    kind: ClassVar[str] = "principal_components"
    lattice: Lattice
    moments: Moments
    noisy: Noisy

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        norm: float,
        price: Price,
        *,
        relation: Relation = Relation.ADD_REMOVE,
        noise: str | None = None,
    ) -> Principal:
        """The plan that one price pays for."""
        moments = Moments(lattice.features, norm)
        return cls(lattice, moments, priced(moments.sums(), price, relation, noise=noise))

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """Mean, variances in decreasing order, directions (one a line), and how far noise moves and turns them."""
        exact = self.moments.exact(self.moments.rows(self.lattice.codes(rows) / UNIT))
        released = {name: self.noisy.release(name, exact[name], bits) for name in exact}
        found = self.moments.read(released, {name: self.noisy.spread(name) for name in exact})
        unit = max(self.lattice.step) * UNIT
        variances, directions = np.linalg.eigh(found.covariance() * unit**2)
        order = np.argsort(variances)[::-1]
        lines = directions.T[order]
        # The sign of a direction means nothing: let the largest entry be positive.
        lines = lines * np.sign(lines[np.arange(len(lines)), np.abs(lines).argmax(axis=1)])[:, None]
        return {
            "mean": (found.mean * unit + np.array(self.lattice.middle)).tolist(),
            "variances": np.maximum(variances[order], 0.0).tolist(),
            "directions": lines.tolist(),
            "turned": turned(np.maximum(variances[order], 0.0), found.second_error * unit**2).tolist(),
            "error": noise_norm(found.second_error, self.moments.features) * unit**2,
            "rows": found.rows,
        }


def turned(variances: Array, error: float) -> Array:
    """About the sine of the angle by which noise of this deviation turns each direction; one where all is lost.

    To first order a direction takes up others in the proportion of the noise between them to the gap of the variances.

    >>> turned(np.array([9.0, 1.0, 0.0]), 0.8).round(2).tolist()
    [0.13, 0.81, 0.8]
    """
    gaps = np.abs(variances[:, None] - variances[None, :])
    np.fill_diagonal(gaps, np.inf)
    shares = error / np.maximum(gaps, max(error, 1e-300))
    found: Array = np.minimum(np.sqrt((shares**2).sum(axis=1)), 1.0)
    return found
