"""The whole profile of a plan fixed beforehand, by whichever exact method suits its losses."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from partita.composition.numerics import convolution, saddle
from partita.composition.numerics.atoms import Enumeration
from partita.composition.numerics.binomial import Binomial
from partita.composition.numerics.contour import Contour
from partita.composition.numerics.divergences import Divergences
from partita.composition.numerics.gaussians import Gaussians
from partita.composition.numerics.saddle import Saddle
from partita.composition.numerics.search import bisect, most
from partita.composition.numerics.smoothed import Smoothed
from partita.composition.numerics.total import Total
from partita.errors import composition as refuse
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.outward import UNIT, floats, up
from partita.theory.losses.randomized_response import RandomizedResponseLoss

# Below this no float arithmetic is trusted to mean anything.
LEAST_DELTA = 1e-250
# Nodes of the lattice where a reading of the profile, not an answer in a hurry, is wanted.
_FINE = 1 << 15
# Beyond this ε of one response the powers of e^ε leave the range of floats.
_STEEP = 500.0
# Beyond so many equal releases the window of a binomial sum is no longer short.
_LISTED = 1 << 30
# With more unlike laws a lattice for each is more work than a long contour for all.
_UNLIKE = 24
# Where contours are placed that have to serve a whole curve.
_LEVELS = (0.3, 0.03, 1e-3, 1e-6)
# Beyond this ε nothing is computed anew.
_FURTHEST = 1e9


class Profile(Protocol):
    """Certified bounds on δ at every ε, and the least ε at a δ."""

    @abstractmethod
    def upper(self, epsilon: float) -> float:
        """Never below δ(ε)."""

    @abstractmethod
    def lower(self, epsilon: float) -> float:
        """Never above δ(ε)."""

    @abstractmethod
    def least(self, delta: float) -> float:
        """Never below the least ε with δ(ε) <= δ."""

    @abstractmethod
    def most(self, delta: float) -> float:
        """Never above the least ε with δ(ε) <= δ."""


@final
@dataclass(frozen=True, slots=True)
class Single:
    """One law on its own: its closed form."""

    law: LossLaw

    def upper(self, epsilon: float) -> float:
        """The closed form, rounded up."""
        return self.law.delta(epsilon)

    def lower(self, epsilon: float) -> float:
        """The closed form is exact up to a few hundred units."""
        return max(0.0, self.law.delta(epsilon) * (1 - 1e-12) - 1e-299)

    def least(self, delta: float) -> float:
        """By bisection; infinite where the mass at infinity alone is more than δ."""
        if self.law.infinity > delta:
            return math.inf
        return bisect(self.upper, delta, self.law.maximum)

    def most(self, delta: float) -> float:
        """A little below the least ε."""
        return most(self.lower, delta, self.least(delta))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Numeric:
    """A contour placed anew for each question, or a lattice where the transform does not die out (theory D16, D14)."""

    total: Total

    def upper(self, epsilon: float) -> float:
        """The trapezoidal sum, its tail and its rounding, and the mass at infinity."""
        if epsilon >= self.total.maximum:
            return self.total.infinity
        # δ falls with ε, so beyond all use the bound at the last ε that can be computed holds.
        epsilon = min(epsilon, _FURTHEST)
        place, delta = self._near(epsilon)
        contour = Contour.at(self.total, place, delta)
        if contour is not None:
            return min(1.0, up(contour.upper(epsilon) + self.total.infinity))
        found = convolution.for_epsilon(self.total, epsilon, delta, upward=True, nodes=_FINE).upper(epsilon)
        return min(found, self._divergences(place).upper(epsilon))

    def lower(self, epsilon: float) -> float:
        """The same with all errors taken away."""
        if epsilon >= min(self.total.maximum, _FURTHEST):
            return self.total.infinity * (1 - 1e-12)
        place, delta = self._near(epsilon)
        contour = Contour.at(self.total, place, delta)
        if contour is not None:
            return contour.lower(epsilon) + self.total.infinity * (1 - 1e-12)
        return convolution.for_epsilon(self.total, epsilon, delta, upward=False, nodes=_FINE).lower(epsilon)

    def least(self, delta: float) -> float:
        """By Newton's method, and then up until the certified side agrees; or from one inverse transform."""
        spare = (delta - self.total.infinity) * (1 - 4 * UNIT)
        if spare <= LEAST_DELTA:
            return self.total.maximum if delta >= self.total.infinity else math.inf
        goal = min(spare, 0.999)
        place = saddle.for_delta(self.total, goal)
        contour = Contour.at(self.total, place, goal)
        if contour is None and len(self.total.pooled) > _UNLIKE:
            contour = Contour.smoothed(self.total, place, goal)
        if contour is not None:
            return solve(contour, place.epsilon, goal, self.total.maximum)
        found = convolution.for_delta(self.total, goal, upward=True, near=place).least(delta)
        return min(found, self._divergences(place).least(delta), self.total.maximum)

    def most(self, delta: float) -> float:
        """An ε at which δ(ε) is still more than asked: a lower bound on the least ε."""
        spare = delta - self.total.infinity * (1 - 1e-12)
        if not LEAST_DELTA < spare < 1:
            return 0.0
        goal = min(spare, 0.999)
        place = saddle.for_delta(self.total, goal)
        contour = Contour.at(self.total, place, goal)
        if contour is None:
            return self._most_without(place, spare, delta)
        x = solve(contour, place.epsilon, goal, self.total.maximum)
        return most(contour.lower, spare, x)

    def _most_without(self, place: Saddle, spare: float, delta: float) -> float:
        """The same where no contour serves the plan itself: with a little noise beside, or on a lattice."""
        goal = min(spare, 0.999)
        smooth = Smoothed.of(self.total, place, goal)
        if smooth is not None:
            near = solve(smooth.contour, place.epsilon, goal, self.total.maximum)
            found = smooth.most(spare, near)
            if found > 0:
                return found
        return convolution.for_delta(self.total, goal, upward=False, nodes=_FINE, near=place).most(delta)

    def nearby(self) -> Callable[[float], float]:
        """Bounds as ``upper`` gives them, from few contours or lattices that serve every ε."""
        bounds: list[Callable[[float], float]] = []
        for delta in _LEVELS:
            place = saddle.for_delta(self.total, delta)
            contour = Contour.at(self.total, place, delta)
            if contour is not None:
                bounds.append(contour.upper)
            else:
                bounds.append(convolution.for_delta(self.total, delta, upward=True, nodes=_FINE, near=place).finite)
        lost, top = self.total.infinity, self.total.maximum

        def upper(epsilon: float) -> float:
            if epsilon >= top:
                return lost
            return min(1.0, up(min(bound(epsilon) for bound in bounds) + lost))

        return upper

    def _divergences(self, place: Saddle) -> Divergences:
        """What the ladder of orders alone proves; less, at times, than a lattice whose splits add up."""
        return Divergences(place.orders, floats(place.cumulants + place.errors), self.total.infinity)

    def _near(self, epsilon: float) -> tuple[Saddle, float]:
        """The place for a question at ε, and about the δ there."""
        place = saddle.for_epsilon(self.total, epsilon)
        guess = float(np.min(place.cumulants - place.orders * epsilon))
        return place, min(0.999, max(math.exp(max(guess, -550.0)), LEAST_DELTA))


def profile(total: Total) -> Profile:
    """The exact method for a total: closed forms first, then a contour, then on a lattice."""
    if total.families == {RandomizedResponseLoss} and total.size > 1 and len(total.pooled) == 1:
        law = next(iter(total.pooled))
        if isinstance(law, RandomizedResponseLoss) and law.epsilon > 0:
            return _equal(law, total)
    if total.empty or (total.maximum == 0.0 and total.infinity == 0.0):
        return Single(GaussianLoss(0.0))
    if total.families == {GaussianLoss}:
        return Gaussians(up(math.sqrt(total.variance), 8 * UNIT))
    if total.size == 1:
        return Single(total.parts[0][0])
    if total.families <= {RandomizedResponseLoss, AtomicLoss}:
        listed = Enumeration.of(total)
        if listed is not None:
            return listed
    return Numeric(total)


def _equal(law: RandomizedResponseLoss, total: Total) -> Profile:
    """Many equal randomised responses."""
    count = total.size
    if law.epsilon > _STEEP:
        # All losses are +ε but with probability e^-ε each: the sum is as good, and holds by basic composition.
        return Single(RandomizedResponseLoss(up(law.epsilon * count), total.infinity))
    if count > _LISTED:
        reason = "its losses are too many to be summed one by one."
        raise refuse.no_total(f"A plan of {count} equal releases", "pld", reason)
    return Binomial(law.epsilon, law.leak, count)


def solve(contour: Contour, start: float, delta: float, top: float) -> float:
    """The least ε at which the contour certifies δ, never below the truth: Newton's method between two guards."""
    goal = math.log(delta)
    x = max(0.0, min(start, top))
    low, high = -1.0, math.inf
    for turn in range(120):
        bound, slope = contour.upper_and_slope(x)
        steady = bound > 0 and slope > 0 and math.isfinite(bound)
        move = (math.log(bound) - goal) / slope if steady else math.nan
        if bound <= delta:
            high = x
            if x == 0.0 or -1e-10 * x <= move:
                return x
        else:
            low = x
            if low >= top:
                return top
        if math.isfinite(high) and high - low <= 1e-13 * high:
            break
        # Aim a little beyond, so that the last step lands on the certified side; further each time it does not.
        tried = x + move + 1e-12 * 2.0 ** min(turn, 30) * x
        if not low < tried < high or abs(move) > 1 + abs(x) * 0.5:
            tried = (max(low, 0.0) + high) / 2 if math.isfinite(high) else 1.5 * x + 1 / contour.c
        x = min(max(tried, 0.0), top)
    return min(high, top)
