"""Objective perturbation: the minimiser of a convex loss with a random slope added, released with a little noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, isqrt, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import mechanisms as refuse
from partita.exact import Number, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.integers import source_of
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.trial import Trial
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

# A minimiser is good enough if its gradient, all errors counted, is no longer than this.
GOAL = Fraction(1, 1 << 12)
# The length of the slope is drawn to this step, its direction from normal variables to that one; directions from
# variables that are this small together are drawn again.
_STEP, _FINE = Fraction(1, 1 << 20), 1 << 50
_SHORT = Fraction(1, 16)
# The least loss of a slope, and the most weights: within them the errors of both are covered.
LEAST, WEIGHTS = Fraction(1, 1 << 14), 1 << 10
# The most that one row's gradient may be long, Euclidean.
LONGEST = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbedObjective(Mechanism):
    """Minimise Σ loss(w; row) + Λ/2 ‖w‖² + b·w with a random slope b, and release the minimiser.

    One row's gradient is at most ``length`` long in the norm ``shape``, and the trace of its second derivative at most
    ``bent``. Three parts make the loss of one row that comes or goes: ``slope`` for its gradient, ``bend`` for its
    curvature, ``last`` for the noise that covers an inexact minimiser (perturbed_objective.proof.md). The distance is
    counted in rows that come or go; one that changes counts as ``change`` of them.

    Slopes fall off with their length in that norm. Where gradients fill a cube (every entry within ``length``), the
    largest entry is the norm to take: the cube has corners, and a ball around them would be mostly empty.

    >>> PerturbedObjective(slope="0.5", bend="0.4", last="0.1", length=2, bent="1/4", weights=3).cost(
    ...     Distance.l1(1), Pure
    ... )
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "perturbed_objective"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "B8, B19"
    slope: Fraction
    bend: Fraction
    last: Fraction
    length: Fraction
    bent: Fraction
    weights: int
    shape: Norm = Norm.L2

    def __post_init__(self) -> None:
        for name in ("slope", "bend", "last", "length", "bent"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        object.__setattr__(self, "weights", whole(self.weights, "weights", least=1))
        if self.shape not in (Norm.L2, Norm.LINF):
            raise refuse.slope_without_shape(self.shape)

    @classmethod
    def argument(cls) -> str:
        return (
            "Of a perturbed objective only the minimiser is released, once. A row costs one ε: the sum of what its "
            "gradient, its curvature and the error of the minimiser can tell, which follow from the declared bounds."
        )

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """Rows at one, of which one comes: each pulls the minimiser the same way."""
        one = Fraction(1)
        objective = PerturbedObjective(slope=one, bend=one / 2, last=one / 2, length=one, bent=one, weights=1)
        claims = (objective.cost(Distance.l1(1), Pure), objective.cost(Distance.l1(1), ZCDP))
        run = partial(minimised, objective)
        yield Trial("perturbed objective", Relation.ADD_REMOVE, run, (1, 1, 1), (1, 1), claims, batch=False)

    @property
    def epsilon(self) -> Fraction:
        """The pure loss when one row comes or goes."""
        return self.slope + self.bend + self.last

    @property
    def change(self) -> Fraction:
        """As how many rows that come or go one that changes counts: its gradient moves twice as far, no more."""
        return (2 * self.slope + self.bend + self.last) / self.epsilon

    @property
    def regulariser(self) -> Fraction:
        """The least Λ for which one row's curvature costs no more than ``bend``."""
        return self.bent / self.bend

    def forms(self, distance: Distance) -> Forms:
        return {Pure: lambda: Pure(epsilon=distance.power * self.epsilon)}

    def pair(self, distance: Distance) -> Pair:
        """Randomised response is the worst of all ε-private mechanisms (theory B8)."""
        self.require(distance)
        return Pair.of(RandomizedResponseLoss(float_up(distance.power * self.epsilon)))

    def parameters(self) -> dict[str, str]:
        names = ("slope", "bend", "last", "length", "bent", "weights")
        return {name: str(getattr(self, name)) for name in names} | {"shape": self.shape.value}

    def check(self) -> None:
        """Refuse a slope so wide, or so many weights, that the minimiser could not be certified."""
        longest = self.length**2 * (self.weights if self.shape is Norm.LINF else 1)
        if self.slope < LEAST or self.weights > WEIGHTS or longest > LONGEST**2:
            raise refuse.objective_out_of_range(float(self.slope), float(LEAST), self.weights, WEIGHTS)

    @property
    def scale(self) -> Fraction:
        """The slope has a density proportional to exp(-‖b‖/scale): a little wider than its loss would need."""
        return self.length / self.slope * (1 + Fraction(1, 1 << 20))

    @property
    def deviation(self) -> float:
        """The standard deviation of each entry of the slope.

        >>> ball = PerturbedObjective(slope=1, bend=1, last=1, length=3, bent=1, weights=9)
        >>> cube = PerturbedObjective(slope=1, bend=1, last=1, length=1, bent=1, weights=9, shape=Norm.LINF)
        >>> round(ball.deviation, 2), round(cube.deviation, 2)
        (9.49, 6.06)
        """
        count = self.weights
        square = count + 1 if self.shape is Norm.L2 else Fraction((count + 1) * (count + 2), 3)
        return float(self.scale) * sqrt(square)

    def tilt(self, *, bits: BitSource | None = None) -> NDArray[np.float64]:
        """The slope b: a length that is a sum of exponential variables, and a direction that is uniform in its norm."""
        self.check()
        zeros = np.zeros(self.weights, dtype=np.int64)
        parts = Laplace(scale=self.scale / _STEP * self.weights).release(zeros, bits=bits)
        length = float(sum(abs(int(part)) for part in parts) * _STEP / self.weights)
        return length * (self._on_cube(bits) if self.shape is Norm.LINF else self._on_sphere(bits))

    def _on_cube(self, bits: BitSource | None) -> NDArray[np.float64]:
        """A uniform point on the surface of the cube: one of its faces, and a point of that."""
        drawing = source_of(bits)
        found: NDArray[np.float64] = (2.0 * below(_FINE, self.weights, drawing) + 1.0) / _FINE - 1.0
        found[below(self.weights, 1, drawing)] = 2.0 * below(2, 1, drawing) - 1.0
        return found

    def _on_sphere(self, bits: BitSource | None) -> NDArray[np.float64]:
        zeros = np.zeros(self.weights, dtype=np.int64)
        while True:
            direction = np.asarray(GaussianNoise(sigma=Fraction(_FINE)).release(zeros, bits=bits), dtype=np.float64)
            size = float(np.sqrt((direction**2).sum()))
            if size * size >= self.weights * float(_FINE * _SHORT) ** 2:
                return direction / size

    def finish(self, minimiser: NDArray[np.float64], *, bits: BitSource | None = None) -> NDArray[np.float64]:
        """The released weights, from a point whose gradient is no longer than GOAL."""
        step, noise = self.step, self.noise
        whole_steps = np.rint(np.nan_to_num(minimiser) / float(step)).astype(np.int64)
        return np.asarray(noise.release(whole_steps, bits=bits), dtype=np.float64) * float(step)

    @property
    def step(self) -> Fraction:
        """The lattice on which the weights are released: a power of two, well below the error of the minimiser."""
        wanted = GOAL / self.regulariser / 8
        return Fraction(2) ** (wanted.numerator.bit_length() - wanted.denominator.bit_length() - 1)

    @property
    def noise(self) -> Laplace:
        """The last noise: two minimisers of one slope's objective lie within twice GOAL/Λ of each other."""
        error = GOAL / self.regulariser / self.step
        root = isqrt(self.weights - 1) + 1
        return Laplace(scale=(ceil(2 * error * root) + self.weights) / self.last)

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """How far the released weights are from the minimiser of the tilted objective; the tilt itself comes on top."""
        sure, count = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        reach = self.noise.reach(sure, count) * self.step + GOAL / self.regulariser + self.step
        return float_up(reach)


def minimised(mechanism: PerturbedObjective, bits: BitSource, rows: Sequence[int]) -> float:
    """One released minimiser, for an audit: that of rows whose loss is minus themselves times the weight."""
    pulled = sum(rows) - mechanism.tilt(bits=bits)
    return float(mechanism.finish(pulled / float(mechanism.regulariser), bits=bits)[0])
