"""Noisy moments of rows: how many there are, their sums, and the sums of products of features and targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.lattice import Array, blocks, root_up, within_ball
from partita.algorithms.learning.sums import Reach, Sum

# A row is a vector of whole numbers of steps, at most so many long.
UNIT = 1 << 12
# Shares of the price: products of features are many, and what is learnt from them is used least.
_SHARES = {"rows": 5, "first": 20, "targets": 10, "cross": 35, "second": 30}


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """The sums that describe rows v of features, with targets t beside them, up to second order.

    ``norm`` bounds the Euclidean length of a row whose features lie in [-1, 1] each; longer rows are shortened.
    Targets are a number in [-1, 1], or (``one_hot``) which of several classes a row is in (moments.proof.md).

    >>> [item.name for item in Moments(features=2, norm=sqrt(2)).sums()]
    ['rows', 'first', 'second']
    """

    features: int
    norm: float
    targets: int = 0
    one_hot: bool = False

    def sums(self, share: Fraction = Fraction(1)) -> tuple[Sum, ...]:
        """What is released, and how far one row moves each; together they take this share of a price."""
        p, unit = self.features, UNIT
        ball = Reach(root_up(p * unit**2), unit**2)
        # Whole-number bounds on ((Σ|v|)² + Σv²)/2 and (‖v‖⁴ + Σv⁴)/2 for ‖v‖ ≤ unit and |vᵢ| ≤ most.
        second = Reach((p + 1) * unit**2 // 2 + 1, (unit**4 + self.most**2 * unit**2) // 2 + 1)
        found = {"second": (second, second.doubled())}
        if self.one_hot:
            found["targets"] = (Reach(1, 1), Reach(2, 2))
            found["cross"] = (ball, ball.doubled())
        else:
            found["rows"] = (Reach(1, 1), Reach(1, 1))
            found["first"] = (ball, ball.doubled())
            if self.targets:
                number = Reach(unit, unit**2)
                found["targets"] = (number, number.doubled())
                product = Reach(ball.l1 * unit, ball.square * unit**2)
                found["cross"] = (product, product.doubled())
        whole = sum(_SHARES[name] for name in found)
        return tuple(
            Sum(name, *found[name], share * Fraction(weight, whole))
            for name, weight in _SHARES.items()
            if name in found
        )

    def rows(self, scaled: Array) -> Array:
        """Rows with features in [-1, 1] as whole numbers of steps, none longer than one unit."""
        return np.clip(within_ball(scaled / self.norm, UNIT), -float(self.most), float(self.most))

    @property
    def most(self) -> int:
        """The most whole steps that one feature of a row has."""
        return min(UNIT, int(UNIT / self.norm) + 1)

    def exact(self, vectors: Array, targets: Array | None = None) -> dict[str, NDArray[np.int64]]:
        """The exact sums, in whole numbers: products of whole numbers below 2^24 are summed block by block."""
        p, k = self.features, self.targets
        second = np.zeros((p, p), dtype=np.int64)
        cross = np.zeros((p, k), dtype=np.int64)
        first, total = np.zeros(p, dtype=np.int64), np.zeros(k, dtype=np.int64)
        for block in blocks(len(vectors)):
            part = vectors[block]
            second += (part.T @ part).astype(np.int64)
            first += part.sum(axis=0).astype(np.int64)
            if targets is not None:
                cross += (part.T @ targets[block]).astype(np.int64)
                total += targets[block].sum(axis=0).astype(np.int64)
        found = {"rows": np.array([len(vectors)]), "first": first, "second": second[np.triu_indices(p)]}
        if targets is not None:
            found |= {"targets": total, "cross": cross.reshape(-1)}
        return {item.name: found[item.name] for item in self.sums()}

    def read(self, released: Mapping[str, Array], spreads: Mapping[str, float]) -> Described:
        """Means and second moments of features in [-1, 1] from the released sums."""
        p, unit, norm = self.features, float(UNIT), self.norm
        second = np.zeros((p, p))
        second[np.triu_indices(p)] = released["second"] * (norm / unit) ** 2
        second = second + np.triu(second, 1).T
        if self.one_hot:
            masses = np.maximum(released["targets"], 1.0)
            cross = released["cross"].reshape(p, self.targets) * norm / unit
            rows, first, totals = float(masses.sum()), cross.sum(axis=1), masses
        else:
            rows, first = max(float(released["rows"][0]), 1.0), released["first"] * norm / unit
            cross = released["cross"].reshape(p, self.targets) * norm / unit**2 if self.targets else np.zeros((p, 0))
            totals = released["targets"] / unit if self.targets else np.zeros(0)
        mean = np.clip(first / rows, -1.0, 1.0)
        return Described(
            rows=rows,
            mean=mean,
            second=second / rows,
            totals=totals,
            cross=cross,
            second_error=spreads["second"] * (norm / unit) ** 2 / rows,
            cross_error=spreads.get("cross", 0.0) * norm / (unit if self.one_hot else unit**2) / rows,
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """What noisy moments say of the rows: public from here on."""

    rows: float
    mean: Array
    second: Array  # the mean of products of features
    totals: Array  # the sum of each target, or the number of rows of each class
    cross: Array  # the sum of each feature times each target
    second_error: float  # the deviation of the noise on each entry of ``second``
    cross_error: float  # the deviation of the noise on each mean product of a feature and a target

    def covariance(self) -> Array:
        """The covariance of the features, without negative directions: noise can bring such."""
        return positive_part(self.second - np.outer(self.mean, self.mean))


def positive_part(matrix: Array) -> Array:
    """The nearest symmetric matrix without negative eigenvalues.

    >>> positive_part(np.diag([1.0, -2.0])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    found: Array = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found + 0.0


def noise_norm(error: float, features: int) -> float:
    """About how long, as a change of direction, symmetric noise of this deviation on each entry is.

    >>> noise_norm(0.5, 4)
    2.0
    """
    return 2 * error * sqrt(features)
