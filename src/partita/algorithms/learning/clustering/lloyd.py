"""Lloyd's k-means with Laplace noise on counts and sums, as in the lecture notes: ε is divided over 2T releases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.clustering.voronoi import nearest
from partita.algorithms.learning.lattice import Array, blocks
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.sums import Noisy, Reach, Sum, priced
from partita.algorithms.progress import track
from partita.composition.calibration.pricing import Price
from partita.errors import algorithms as refuse
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.integers import source_of
from partita.sampling.bits import BitSource

# The L1 ball has radius one; so many steps of the lattice.
UNIT = 1 << 20


@final
@dataclass(frozen=True, slots=True)
class Lloyd(Learner):
    """T turns of Lloyd's algorithm on rows in the L1 unit ball (theory F1, lloyd.proof.md).

    Each turn releases the number of rows nearest to each centre and their sum, each with Laplace noise of scale
    1/ε', ε' = ε/(2T). A centre becomes the noisy sum over the noisy count, or a uniform point of the ball if that
    count is below one.

    >>> plan = Lloyd.plan(2, clusters=3, turns=5, price=Price.of(epsilon=1))
    >>> plan.noisy.noise("counts").scale
    Fraction(10, 1)
    """

    kind: ClassVar[str] = "lloyd"
    features: int
    clusters: int
    turns: int
    noisy: Noisy
    middle: tuple[float, ...] = ()
    radius: float = 1.0
    start: tuple[tuple[float, ...], ...] | None = None

    @classmethod
    def plan(
        cls,
        features: int,
        *,
        clusters: int,
        turns: int,
        price: Price,
        relation: Relation = Relation.ADD_REMOVE,
        noise: str | None = "laplace",
        middle: tuple[float, ...] = (),
        radius: float = 1.0,
        start: Array | None = None,
    ) -> Lloyd:
        """The plan that one price pays for; half of it for counts, half for sums, equally over the turns."""
        one, ball = Reach(1, 1), Reach(UNIT, UNIT**2)
        sums = (
            Sum("counts", one, Reach(2, 2), Fraction(1, 2), turns),
            Sum("sums", ball, ball.doubled(), Fraction(1, 2), turns),
        )
        if start is not None and (start.shape != (clusters, features) or not np.isfinite(start).all()):
            raise refuse.bad_start(f"the shape {start.shape} or a number that is not finite")
        given = None if start is None else tuple(tuple(centre) for centre in start.tolist())
        place = middle or (0.0,) * features
        return cls(features, clusters, turns, priced(sums, price, relation, noise=noise), place, radius, given)

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        return self.noisy.losses(rows, changed=changed)

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """The centres in units of the data; the ball is the one around ``middle`` with this radius in L1."""
        middle = np.array(self.middle)
        inside = np.nan_to_num((rows - middle) / self.radius, nan=0.0)
        start = None if self.start is None else np.clip((np.array(self.start) - middle) / self.radius, -1.0, 1.0)
        centres, sizes = self.run(inside, bits, start=start)
        error = self.radius * self.noisy.spread("sums") / UNIT / np.maximum(sizes, 1.0)
        return {
            "centres": (centres * self.radius + middle).tolist(),
            "sizes": sizes.tolist(),
            "error": error.tolist(),
        }

    def run(self, rows: Array, bits: BitSource | None = None, *, start: Array | None = None) -> tuple[Array, Array]:
        """The centres and their last noisy counts; any row outside the L1 ball is pulled to its surface."""
        drawing = np.random.default_rng([int(word) for word in source_of(bits).words(4)])
        codes = into_ball(rows)
        centres = uniform_in_ball(self.clusters, self.features, drawing) if start is None else start
        many = np.zeros(self.clusters)
        for _ in track(range(self.turns), "Lloyd's k-means"):
            counts, sums = self._exact(codes, np.rint(centres * UNIT))
            many = self.noisy.release("counts", counts, bits)
            total = self.noisy.release("sums", sums, bits) / UNIT
            fresh = uniform_in_ball(self.clusters, self.features, drawing)
            enough = many >= 1
            moved = np.where(enough[:, None], total / np.where(enough, many, 1.0)[:, None], fresh)
            # Back into the ball: a centre outside it helps nobody, and this looks at noisy numbers only.
            centres = moved / np.maximum(np.abs(moved).sum(axis=1), 1.0)[:, None]
        return centres, many

    def _exact(self, codes: Array, centres: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        counts = np.zeros(self.clusters, dtype=np.int64)
        sums = np.zeros((self.clusters, self.features), dtype=np.int64)
        for block in blocks(len(codes)):
            at = nearest(codes[block], centres)
            counts += np.bincount(at, minlength=self.clusters)
            for feature in range(self.features):
                sums[:, feature] += np.bincount(at, codes[block, feature], self.clusters).astype(np.int64)
        return counts, sums


def into_ball(rows: Array) -> Array:
    """Each row as whole numbers, in units of 1/UNIT, with an L1 norm of at most one, exactly: row by row.

    >>> (into_ball(np.array([[3.0, 1.0]])) / UNIT).round(6).tolist()
    [[0.75, 0.25]]
    """
    size = np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        for feature in range(rows.shape[1]):
            size += np.abs(rows[:, feature])
        found = np.trunc(rows / np.maximum(size, 1.0)[:, None] * UNIT)
    found = np.where(np.isfinite(found), found, 0.0)
    length = np.zeros(len(rows))
    for feature in range(rows.shape[1]):
        length += np.abs(found[:, feature])
    kept: Array = np.where((length <= UNIT)[:, None], found, 0.0)
    return kept


def uniform_in_ball(count: int, features: int, draw: np.random.Generator) -> Array:
    """Uniform points of the L1 unit ball: gaps of sorted uniforms with random signs."""
    cuts = np.sort(draw.uniform(size=(count, features)), axis=1)
    gaps = np.diff(np.concatenate([np.zeros((count, 1)), cuts], axis=1), axis=1)
    found: Array = gaps * draw.choice([-1.0, 1.0], size=(count, features))
    return found
