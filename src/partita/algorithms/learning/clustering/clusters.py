"""Private k-means: centres from a noisy coarse histogram, then refined by noisy means of what is near them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.clustering.grid import Grid
from partita.algorithms.learning.clustering.view import View
from partita.algorithms.learning.clustering.voronoi import nearest, weighted
from partita.algorithms.learning.lattice import Array, Lattice, blocks, root_up, within_ball
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import Moments
from partita.algorithms.learning.sums import Noisy, Reach, Sum, priced
from partita.algorithms.progress import track
from partita.composition.calibration.pricing import Price
from partita.errors import algorithms as refuse
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.integers import source_of
from partita.sampling.bits import BitSource

STEPS = 1 << 16
# The largest grid, the most features it is laid over as they are, and the most axes otherwise.
CELLS, FEATURES, AXES, WIDEST = 1 << 14, 8, 6, 1 << 10
# A vector from a row to its centre is at most so many whole steps long.
_UNIT = 1 << 12
# How many rows fall on an average cell, and the least count that is not taken for noise, both in deviations of the
# noise; and the share of a cluster's rows that its radius covers. Chosen on made-up data.
_COARSE, _FAINT, _COVERED = 7.0, 3.0, 0.98


@final
@dataclass(frozen=True, slots=True)
class Clusters(Learner):
    """How k-means will be done: all sums that are released, with their noise, fixed before any row is read.

    The number of rows, a histogram on a coarse grid, and ``turns`` times the noisy sums of what is near each centre.
    With more than a few features the grid is laid over the directions in which noisy moments say that rows vary most
    (clusters.proof.md).
    """

    kind: ClassVar[str] = "kmeans"
    lattice: Lattice
    clusters: int
    turns: int
    noisy: Noisy
    moments: Moments | None = None

    @classmethod
    def plan(
        cls,
        lattice: Lattice,
        clusters: int,
        price: Price,
        *,
        turns: int | None = None,
        relation: Relation = Relation.ADD_REMOVE,
        noise: str | None = None,
    ) -> Clusters:
        """The plan that one price pays for."""
        features, one = lattice.features, Reach(1, 1)
        if features > WIDEST:
            raise refuse.too_wide(features, WIDEST)
        ball = Reach(root_up(features * _UNIT**2), _UNIT**2)
        if features <= FEATURES:
            often, moments = turns or 1, None
            sums = [Sum("rows", one, one, Fraction(2, 100)), Sum("grid", one, Reach(2, 2), Fraction(58, 100))]
        else:
            longest = math.sqrt(sum(limit**2 for limit in lattice.limit)) / STEPS
            often, moments = turns or 2, Moments(features, longest)
            sums = [*moments.sums(Fraction(25, 100)), Sum("grid", one, Reach(2, 2), Fraction(35, 100))]
        sums.append(Sum("centres", ball, ball.doubled(), Fraction(40, 100), often))
        return cls(lattice, clusters, often, priced(sums, price, relation, noise=noise), moments)

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """The centres with their noisy sizes, and the deviation of each centre's coordinates, in units of the data."""
        found = self.run(self.lattice.codes(rows), bits)
        return {
            "centres": self.lattice.values(found.codes).tolist(),
            "sizes": found.mass.tolist(),
            "error": (found.error * max(self.lattice.step)).tolist(),
        }

    def run(self, codes: Array, bits: BitSource | None = None) -> Centres:
        """The centres, from rows in codes of the lattice."""
        drawing = np.random.default_rng([int(word) for word in source_of(bits).words(4)])
        found = self._from_grid(codes, *self._view(codes, bits), drawing, bits)
        for _ in track(range(self.turns), "k-means"):
            found = self._turn(codes, found, bits)
        return found

    def _view(self, codes: Array, bits: BitSource | None) -> tuple[View, float]:
        """Where the grid is laid, and the noisy number of rows."""
        if self.moments is None:
            rows = self.noisy.release("rows", np.array([len(codes)], dtype=np.float64), bits)
            return View.whole(self.lattice), max(1.0, float(rows[0]))
        exact = self.moments.exact(self.moments.rows(codes / STEPS))
        released = {name: self.noisy.release(name, exact[name], bits) for name in exact}
        described = self.moments.read(released, {name: self.noisy.spread(name) for name in exact})
        axes = min(AXES, max(1, self.clusters - 1))
        return View.principal(self.lattice, described, STEPS, axes), described.rows

    def _from_grid(
        self, codes: Array, view: View, rows: float, draw: np.random.Generator, bits: BitSource | None
    ) -> Centres:
        axes, noise = len(view.limit), self.noisy.spread("grid")
        # The finer the grid the smaller its cells, and the more noise falls on each cluster.
        fine = (rows / (_COARSE * noise)) ** (2 * axes / (2 + axes))
        grid = Grid.of(view.limit, int(min(max(fine, 4.0 * self.clusters, 2.0**axes), CELLS)))
        counts = self.noisy.release("grid", grid.counts(view.places(codes)), bits)
        weights = np.where(counts > _FAINT * noise, counts, 0.0)
        points = grid.centres()
        if not (weights > 0).any():
            weights = np.ones(grid.size)
        middles = weighted(points, weights, self.clusters, draw)
        at = nearest(points, middles)
        far = np.sqrt(((points - middles[at]) ** 2).sum(axis=1))
        mass = np.bincount(at, weights=weights, minlength=self.clusters).astype(np.float64)
        covered = np.array([_quantile(far[at == j], weights[at == j], _COVERED) for j in range(self.clusters)])
        half = grid.half / view.scale
        # What is not seen from the grid is beside it: twice its variance covers most of that.
        radius = np.sqrt((covered / view.scale + half) ** 2 + 2 * view.rest) + 1.0
        most = np.array(self.lattice.limit, dtype=np.float64)
        centres = np.rint(np.clip(view.codes(middles), -most, most))
        return Centres(centres, mass, np.full(self.clusters, half / np.sqrt(axes)), radius)

    def _turn(self, codes: Array, before: Centres, bits: BitSource | None) -> Centres:
        """One step of Lloyd's: each centre moves by the noisy mean of the vectors from it to the rows nearest to it."""
        features = self.lattice.features
        sums = np.zeros((self.clusters, features), dtype=np.int64)
        for block in blocks(len(codes)):
            at = nearest(codes[block], before.codes)
            arrows = within_ball((codes[block] - before.codes[at]) / before.radius[at, None], _UNIT)
            for feature in range(features):
                sums[:, feature] += np.bincount(at, arrows[:, feature], self.clusters).astype(np.int64)
        mass = before.mass
        noisy = self.noisy.release("centres", sums, bits) / _UNIT
        error = before.radius * self.noisy.spread("centres") / _UNIT / np.maximum(mass, 1.0)
        # A centre whose new place would be less certain than its old one stays.
        better = (mass > 0) & (error < before.error)
        moved = before.codes + np.where(better, before.radius / np.maximum(mass, 1.0), 0.0)[:, None] * noisy
        most = np.array(self.lattice.limit, dtype=np.float64)
        return Centres(np.rint(np.clip(moved, -most, most)), mass, np.where(better, error, before.error), before.radius)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """Released centres in codes, with the noisy number of rows of each, and the deviation of each coordinate."""

    codes: Array
    mass: Array
    error: Array
    radius: Array


def _quantile(values: Array, weights: Array, share: float) -> float:
    """The value that so much of the weight does not exceed."""
    if not len(values) or weights.sum() <= 0:
        return 1.0
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= share * weights.sum()
    return float(values[order][int(np.argmax(reached))])
