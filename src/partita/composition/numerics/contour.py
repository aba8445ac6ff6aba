"""Exact composition on a contour: a short trapezoidal sum that is itself an upper bound on δ (theory D16)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.numerics import saddle as saddles
from partita.composition.numerics.lobes import Lobes
from partita.composition.numerics.saddle import Saddle
from partita.composition.numerics.total import Total
from partita.limits import current
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, up

# The share of δ that aliases and the cut-off tail may add; they are part of the bound, so this is looseness, not error.
TOLERANCE = 1e-10
# The share of ε that lobes left out may add where the transform comes back for ever.
LOOSE = 1e-5
# Where no law has a smooth density a lattice does better sooner, unless there are so many releases that its rounding
# would add up.
MANY = 1 << 14
# The share of ε that a little Gaussian noise beside may add. With fewer releases there is no bell to hide it under;
# with more, rounding rules and there is nothing to smooth.
SMOOTHING, FEW, COUNTABLE = 1e-5, 12, 1 << 30
_TINY = 1e-300
# Numbers of nodes to choose from: steps of a seventh.
_LADDER = np.array(sorted({int(nodes) for nodes in np.geomspace(4, 1 << 17, 80)}))


def smoothing(saddle: Saddle) -> float:
    """The μ of a little noise beside a plan: ε grows by about ρ (c + 1), and ρ is so small that this is a share."""
    return math.sqrt(2 * SMOOTHING * max(saddle.epsilon, 0.0) / (saddle.c + 1))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Contour:
    """The transform of a total loss on the nodes c + i n h, ready to give bounds on δ at any ε.

    With T = 2π/h the full sum is the sum over all whole m of δ(x + mT) e^(cmT): δ(x) and non-negative aliases. What
    is cut off and what is rounded is bounded and added (contour.proof.md).
    """

    c: float
    step: float
    t: Floats
    # No node below this is left out.
    gap: float
    values: Complexes
    cumulant: float
    cumulant_error: float
    # In units of the term n = 0: the cut-off tail, and the error of the sum without that of the phases.
    tail: float
    blur: float
    # The sum of moduli, and of moduli times t: what a relative error, and an error of the phase per unit of ε, cost.
    size: float
    moment: float
    orders: Floats
    cumulants: Floats
    errors: Floats

    @classmethod
    def at(cls, total: Total, saddle: Saddle, delta: float, stretch: float = 1.0) -> Contour | None:
        """The contour for δ about as asked, or nothing if the tail cannot be bounded with little work."""
        c = saddle.c
        period = alias_period(total, saddle, delta) * stretch
        step = 2 * math.pi / period
        variance = total.variance
        # The sum itself is about 1 / sqrt(2π width) in units of the term n = 0.
        goal = TOLERANCE / math.sqrt(2 * math.pi * (variance + 1 / c**2))
        limits = current()
        smooth = math.isinf(total.maximum - total.minimum) or total.size > MANY
        limit = limits.contour if smooth else limits.rough_contour
        nodes, tail = _cut(total, c, step, goal, min(limit, limits.contour_work // total.batch.work(0.0)))
        if nodes * total.batch.work(nodes * step) > 4 * limits.contour_work:
            return None
        numbers = np.arange(1, nodes + 1)
        if nodes == 0:
            lobes = Lobes.of(total, c)
            loose = goal * max(1.0, LOOSE * c * saddle.epsilon / TOLERANCE)
            found = lobes.nodes(step, goal, loose, 4 * limits.rough_contour) if lobes else None
            if found is None:
                return None
            numbers, tail = found
            nodes = len(numbers)
        t = numbers * step
        jumps = np.flatnonzero(np.diff(numbers) > 1)
        gap = float(t[jumps[0] if len(jumps) else -1])
        ratio, error = total.batch.ratio(c, floats(t))
        s = c + 1j * t
        weight = (c * (c + 1)) / (s * (s + 1))
        modulus = np.abs(weight)
        values = 2 * weight * ratio
        absolute = np.abs(values)
        size = 1.0 + float(absolute.sum())
        k = int(np.argmin(np.abs(saddle.orders - c)))
        share = step / (2 * math.pi)
        blur = share * (2 * float(modulus @ error) + size * (nodes + 64) * UNIT + size * 3 * FUNCTION)
        return cls(
            c, step, floats(t), gap, values, float(saddle.cumulants[k]), float(saddle.errors[k]), tail,
            blur * (1 + 1e-9), size, float(absolute @ t), saddle.orders, saddle.cumulants, saddle.errors,
        )  # fmt: skip

    @classmethod
    def smoothed(cls, total: Total, saddle: Saddle, delta: float, stretch: float = 1.0) -> Contour | None:
        """The contour of the total and a little Gaussian noise beside, so that its transform dies out.

        More releases never lose less.
        """
        if not FEW <= total.size < COUNTABLE or saddle.epsilon <= 0:
            return None
        more = Total.of([*total.given, (GaussianLoss(smoothing(saddle)), 1)], total.rows)
        return cls.at(more, saddles.around(more, saddle.c, saddle.epsilon), delta, stretch)

    def sums(self, epsilon: float) -> tuple[float, float]:
        """The trapezoidal sum in units of the term n = 0, and minus the derivative of its logarithm."""
        phase = self.t * epsilon
        turned = self.values * (np.cos(phase) - 1j * np.sin(phase))
        real = 1.0 + float(turned.real.sum())
        slope = self.c * real - float(turned.imag @ self.t)
        return self.step / (2 * math.pi) * real, slope / real if real else math.inf

    def _error(self, epsilon: float) -> float:
        """A bound on the error of the sum, the cut-off tail apart."""
        phase = 2 * UNIT * abs(epsilon) * self.moment * self.step / (2 * math.pi)
        return self.blur + phase * (1 + 1e-9) + _TINY

    def _scale(self, epsilon: float, *, high: bool) -> float:
        """The term n = 0 without h/2π: e^(log M(c) - cε) / (c(c+1)), rounded up or down."""
        exponent = self.cumulant - self.c * epsilon
        slack = self.cumulant_error + 4 * UNIT * (abs(self.cumulant) + self.c * abs(epsilon)) + 4 * FUNCTION
        if exponent > 700 or slack > 700:
            return math.inf if high else 0.0
        value = math.exp(exponent) / (self.c * (self.c + 1))
        return value * (math.exp(slack) if high else math.exp(-slack)) * (1 + (4 * UNIT if high else -4 * UNIT))

    def upper(self, epsilon: float) -> float:
        """A bound on δ(ε) of the finite part, never below it."""
        return self.upper_and_slope(epsilon)[0]

    def upper_and_slope(self, epsilon: float) -> tuple[float, float]:
        """The bound of ``upper`` and about minus the derivative of its logarithm."""
        value, slope = self.sums(epsilon)
        whole = max(value, 0.0) + self._error(epsilon) + self.tail
        return up(whole * self._scale(epsilon, high=True), 8 * UNIT), slope

    def lower(self, epsilon: float) -> float:
        """A bound on δ(ε) of the finite part, never above it."""
        value, _ = self.sums(epsilon)
        whole = (value - self._error(epsilon) - self.tail) * (1 - 8 * UNIT)
        if whole <= 0.0:
            return 0.0
        return max(0.0, whole * self._scale(epsilon, high=False) - self.aliases(epsilon)) * (1 - 8 * UNIT)

    def aliases(self, epsilon: float) -> float:
        """A bound on what the aliases add to δ(ε).

        To the left δ is at most one; to the right it is at most κ(c') e^(log M(c') - c'x) for any order c' > c.
        """
        period = 2 * math.pi / self.step
        left = math.exp(-self.c * period) * (1 + 8 * UNIT * (2 + self.c * period))
        left /= 1 - min(left, 0.5)
        more = self.orders > self.c * (1 + 1e-9)
        orders = self.orders[more]
        if not len(orders):
            return math.inf
        gain = (orders - self.c) * period
        logs = self.cumulants[more] + self.errors[more] + log_kappa(orders) - orders * epsilon - gain
        slack = 16 * UNIT * (np.abs(self.cumulants[more]) + orders * (abs(epsilon) + period + 40) + 4)
        right = float(np.min(logs + slack - np.log(-np.expm1(-np.maximum(gain, 1e-9)))))
        return (left + math.exp(min(right, 700.0))) * (1 + 1e-12)


def log_kappa(c: Floats) -> Floats:
    """log of the largest (1 - e^(-u)) e^(-cu): the constant of the Rényi conversion."""
    return c * np.log(c) - (c + 1) * np.log1p(c)


def alias_period(total: Total, saddle: Saddle, delta: float) -> float:
    """T so long that the aliases on both sides are below the tolerance."""
    c, variance = saddle.c, total.variance
    left = (math.log(1 / TOLERANCE) + max(0.0, -math.log(delta))) / c
    more = saddle.orders > c * 1.02
    orders = saddle.orders[more]
    if not len(orders):
        return max(left, min(8 * math.sqrt(variance), total.maximum - saddle.epsilon))
    k = int(np.argmin(np.abs(saddle.orders - c)))
    rise = saddle.cumulants[more] - saddle.cumulants[k] - (orders - c) * saddle.epsilon
    rise += log_kappa(orders) + math.log(c * (c + 1)) + 0.5 * math.log(2 * math.pi * (variance + 1 / c**2))
    right = float(np.min((rise + math.log(1 / TOLERANCE)) / (orders - c)))
    return max(left, min(right, total.maximum - saddle.epsilon))


def _cut(total: Total, c: float, step: float, goal: float, most: int) -> tuple[int, float]:
    """How many nodes bring the tail below the goal, and the tail there; none if more than ``most`` are needed."""
    counts = _LADDER[: int(np.searchsorted(_LADDER, most, side="right"))]
    if not len(counts):
        return 0, math.inf
    tails = _tails(total, c, step, counts)
    # The tail falls with the number of nodes.
    k = len(tails) - int(np.searchsorted(tails[::-1], goal, side="right"))
    return (0, math.inf) if k == len(tails) else (int(counts[k]), float(tails[k]))


def _tails(total: Total, c: float, step: float, nodes: npt.NDArray[np.int64]) -> Floats:
    """The sum beyond each number of nodes, in units of the term n = 0: the integral of the falling bound."""
    t = nodes * step
    fall = total.batch.decay(c, floats(t))
    area = np.arctan2(c, t) / c
    tails: Floats = c * (c + 1) / math.pi * np.exp(np.minimum(fall * (1 - 1e-12), 0.0)) * area * (1 + 1e-9)
    return tails
