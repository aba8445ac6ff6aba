"""A histogram asked at once and cell by cell: the same budget, the same counts, very different errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.exact import Number
from partita.granularity.base import Relation
from partita.mechanisms.histogram import Comparison, compare
from partita.mechanisms.integers import read_flat
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointAndSeparate:
    """The noisy counts of both ways, and what was expected of their errors (theory F2).

    Both are ε-private in total. Joint: a row is in one cell only, so all cells share the whole ε. Separate: each cell
    is a question by itself and gets ε/d.
    """

    counts: NDArray[Any] = field(repr=False)  # exact: to measure errors, and never shown by itself
    joint: NDArray[Any]
    separate: NDArray[Any]
    noise: Comparison

    def error(self, confidence: Number = 0.95) -> tuple[float, float]:
        """The half-width around every cell at once: joint, and separate."""
        cells = len(self.joint)
        return self.noise.joint.error(confidence, cells), self.noise.separate.error(confidence, cells)

    def measured(self) -> tuple[float, float]:
        """The largest error that happened: joint, and separate. It needs the exact counts: for study only."""
        return float(np.abs(self.joint - self.counts).max()), float(np.abs(self.separate - self.counts).max())

    def plot(self, confidence: Number = 0.95) -> Figure:
        """Both histograms side by side with their error bars."""
        from partita.algorithms.pictures import side_by_side

        joint, separate = self.error(confidence)
        return side_by_side({"joint": (self.joint, joint), "separate": (self.separate, separate)}, confidence)


def joint_and_separate(
    counts: object,
    *,
    epsilon: Number,
    relation: Relation | str = Relation.ADD_REMOVE,
    bits: BitSource | None = None,
) -> JointAndSeparate:
    """The exercise of asking a histogram both ways, on exact counts.

    >>> from partita.sampling.bits import TestBits
    >>> both = joint_and_separate([50, 20, 30], epsilon=1, relation="change-one", bits=TestBits(1))
    >>> both.noise.ratio
    Fraction(3, 2)
    """
    exact = read_flat(counts)
    noise = compare(len(exact), epsilon, Relation(relation))
    return JointAndSeparate(
        exact, noise.joint.release(exact, bits=bits), noise.separate.release(exact, bits=bits), noise
    )
