"""A view of rows in few public directions, in whole numbers: where a grid can be laid over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.moments import Described

# Directions are rounded to this step; a grid reaches so many deviations from the mean.
_TURN, _REACH = 1 << 10, 3.5


@final
@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Public directions, rounded to whole numbers, with the public box that is looked at in them.

    Codes and directions are whole numbers below 2^16 and 2^10, so a row's place is exact (clusters.proof.md).
    """

    directions: Array  # one column a direction
    middle: Array  # in codes
    limit: tuple[int, ...]
    scale: float  # how many steps of a place make one code
    rest: float  # the variance, in squared codes, of what is not seen

    @classmethod
    def whole(cls, lattice: Lattice) -> View:
        """All features as they are."""
        features = lattice.features
        return cls(np.eye(features), np.zeros(features), lattice.limit, 1.0, 0.0)

    @classmethod
    def principal(cls, lattice: Lattice, described: Described, steps: int, wanted: int) -> View:
        """The directions in which noisy moments say that rows vary most."""
        variances, directions = np.linalg.eigh(described.covariance() * float(steps) ** 2)
        order = np.argsort(variances)[::-1]
        seen = order[:wanted]
        turned = np.rint(directions[:, seen] * _TURN)
        middle = np.rint(described.mean * steps)
        widest = np.abs(turned).T @ np.array(lattice.limit, dtype=np.float64)
        noise = described.second_error * steps**2
        reach = np.ceil(_REACH * np.sqrt(np.maximum(variances[seen], noise)) * _TURN)
        limit = np.maximum(np.minimum(reach, widest), 1.0)
        rest = float(np.maximum(variances[order[wanted:]], 0.0).sum())
        return cls(turned, middle, tuple(int(most) for most in limit.tolist()), float(_TURN), rest)

    def places(self, codes: Array) -> Array:
        """Where each row is seen, in whole numbers, clamped into the box."""
        most = np.array(self.limit, dtype=np.float64)
        found: Array = np.clip(codes @ self.directions - self.middle @ self.directions, -most, most)
        return found

    def codes(self, places: Array) -> Array:
        """Places as codes of all features: what is not seen is at its mean."""
        found: Array = self.middle + places / self.scale**2 @ self.directions.T
        return found
