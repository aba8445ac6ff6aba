"""Private k-means: centres from a noisy coarse histogram, then refined by noisy means of what is near them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.grid import Grid
from partita.algorithms.learning.lattice import Array, Lattice, blocks, root_up, within_ball
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.sums import Noisy, Reach, Sum, priced
from partita.algorithms.learning.voronoi import nearest, weighted
from partita.algorithms.progress import track
from partita.curator.computation import Loss
from partita.errors import learning as refuse
from partita.granularity.base import Relation
from partita.mechanisms.integers import source_of
from partita.query.pricing import Price
from partita.sampling.bits import BitSource

STEPS = 1 << 16
# The largest grid, and the most features for which there is one.
CELLS, FEATURES, WIDEST = 1 << 14, 8, 1 << 10
# A vector from a row to its centre is at most so many whole steps long.
_UNIT = 1 << 12
# How many rows fall on an average cell, and the least count that is not taken for noise, both in deviations of the
# noise; and the share of a cluster's rows that its radius covers. Chosen on made-up data.
_COARSE, _FAINT, _COVERED = 7.0, 3.0, 0.98


@final
@dataclass(frozen=True, slots=True)
class Clusters(Learner):
    """How k-means will be done: all sums that are released, with their noise, fixed before any row is read.

    With few features: the number of rows, a histogram on a coarse grid, and ``turns`` times the noisy sums of what is
    near each centre. With many: ``turns`` of noisy counts and sums from centres packed into the box.
    The proof is in clusters.proof.md.
    """

    kind: ClassVar[str] = "kmeans"
    lattice: Lattice
    clusters: int
    turns: int
    noisy: Noisy

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
        gridded = features <= FEATURES
        often = turns if turns is not None else (1 if gridded else 5)
        ball = Reach(root_up(features * _UNIT**2), _UNIT**2)
        sums = [Sum("rows", one, one, Fraction(2, 100))]
        if gridded:
            sums.append(Sum("grid", one, Reach(2, 2), Fraction(58, 100)))
        else:
            sums.append(Sum("counts", one, Reach(2, 2), Fraction(20, 100), often))
        sums.append(Sum("centres", ball, ball.doubled(), Fraction(40 if gridded else 78, 100), often))
        return cls(lattice, clusters, often, priced(sums, price, relation, noise=noise))

    @property
    def gridded(self) -> bool:
        """Whether a histogram gives the first centres."""
        return self.lattice.features <= FEATURES

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Loss]:
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
        rows = max(1.0, float(self.noisy.release("rows", np.array([len(codes)]), bits)[0]))
        start = self._from_grid(codes, rows, drawing, bits) if self.gridded else self._packed(rows, drawing)
        found = start
        for _ in track(range(self.turns), "k-means"):
            found = self._turn(codes, found, bits)
        return found

    def _from_grid(self, codes: Array, rows: float, draw: np.random.Generator, bits: BitSource | None) -> Centres:
        features, noise = self.lattice.features, self.noisy.spread("grid")
        # The finer the grid the smaller its cells, and the more noise falls on each cluster.
        fine = (rows / (_COARSE * noise)) ** (2 * features / (2 + features))
        grid = Grid.of(self.lattice, int(min(max(fine, 4.0 * self.clusters, 2.0**features), CELLS)))
        counts = self.noisy.release("grid", grid.counts(codes), bits)
        weights = np.where(counts > _FAINT * noise, counts, 0.0)
        points = grid.centres()
        if not (weights > 0).any():
            weights = np.ones(grid.size)
        centres = np.rint(weighted(points, weights, self.clusters, draw))
        at = nearest(points, centres)
        far = np.sqrt(((points - centres[at]) ** 2).sum(axis=1))
        half = (
            np.sqrt(sum(((2 * limit + 1) / cells) ** 2 for limit, cells in zip(grid.limit, grid.cells, strict=True)))
            / 2
        )
        mass = np.bincount(at, weights=weights, minlength=self.clusters).astype(np.float64)
        radius = np.array([_quantile(far[at == j], weights[at == j], _COVERED) for j in range(self.clusters)]) + half
        return Centres(centres, mass, np.full(self.clusters, half / np.sqrt(features)), radius)

    def _packed(self, rows: float, draw: np.random.Generator) -> Centres:
        most = np.array(self.lattice.limit, dtype=np.float64)
        centres = np.rint(packed(most, self.clusters, draw))
        size = float(np.sqrt((most**2).sum()))
        each = np.full(self.clusters, rows / self.clusters)
        return Centres(centres, each, np.full(self.clusters, size), np.full(self.clusters, size))

    def _turn(self, codes: Array, before: Centres, bits: BitSource | None) -> Centres:
        """One step of Lloyd's: each centre moves by the noisy mean of the vectors from it to the rows nearest to it."""
        features = self.lattice.features
        sums = np.zeros((self.clusters, features), dtype=np.int64)
        counts = np.zeros(self.clusters, dtype=np.int64)
        for block in blocks(len(codes)):
            at = nearest(codes[block], before.codes)
            arrows = within_ball((codes[block] - before.codes[at]) / before.radius[at, None], _UNIT)
            counts += np.bincount(at, minlength=self.clusters)
            for feature in range(features):
                sums[:, feature] += np.bincount(at, arrows[:, feature], self.clusters).astype(np.int64)
        mass = before.mass if self.gridded else self.noisy.release("counts", counts.astype(np.float64), bits)
        noisy = self.noisy.release("centres", sums.astype(np.float64), bits) / _UNIT
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


def packed(most: Array, clusters: int, draw: np.random.Generator) -> Array:
    """Points of the box that are far from each other and from its sides, chosen without looking at any row."""
    found = [np.zeros(len(most))]
    while len(found) < clusters:
        tried = draw.uniform(-0.8, 0.8, size=(64, len(most))) * most
        gaps = ((tried[:, None, :] - np.array(found)[None]) ** 2).sum(axis=2).min(axis=1)
        found.append(tried[int(gaps.argmax())])
    return np.array(found)


def _quantile(values: Array, weights: Array, share: float) -> float:
    """The value that so much of the weight does not exceed."""
    if not len(values) or weights.sum() <= 0:
        return 1.0
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= share * weights.sum()
    return float(values[order][int(np.argmax(reached))])
