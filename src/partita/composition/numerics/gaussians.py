"""Gaussian releases alone: they pool into one μ with a closed form (theory B13)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.numerics.search import most
from partita.theory import numerics
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.outward import UNIT, up
from partita.theory.numerics import ball, gaussian_delta

_ROOT = math.sqrt(0.5)


@final
@dataclass(frozen=True, slots=True)
class Gaussians:
    """Any number of Gaussian releases as one, with the exact profile.

    >>> Gaussians(1.0).least(0.12693673750664394)
    1.0000000000000...
    """

    mu: float

    @property
    def infinity(self) -> float:
        """Never infinite."""
        return 0.0

    def upper(self, epsilon: float) -> float:
        """δ(ε) rounded up."""
        return GaussianLoss(self.mu).delta(epsilon)

    def lower(self, epsilon: float) -> float:
        """δ(ε) rounded down, for a μ a few units smaller."""
        mu, at = Fraction(self.mu * (1 - 16 * UNIT)), Fraction(epsilon)
        if mu == 0 or epsilon / self.mu > 1e8:
            return 0.0
        return max(0.0, numerics.float_below(lambda: gaussian_delta(ball(mu), ball(at)), "a profile"))

    def least(self, delta: float) -> float:
        """The least ε with δ(ε) <= δ, rounded up: found in floats, corrected and certified by Arb."""
        if self.mu == 0.0 or (math.erf(self.mu / 2 * _ROOT) < 1.001 * delta and self.upper(0.0) <= delta):
            return 0.0
        x, goal, best = max(_inverse(self.mu, delta), 0.0), math.log(delta), math.inf
        for _ in range(8):
            bound = self.upper(x)
            if bound <= delta:
                best = min(best, x)
            # What is read in floats may be off by more than a few units; the bound itself says by how much.
            move = (math.log(bound) - goal) / log_delta(self.mu, x)[1]
            if bound <= delta and move >= -1e-12 * x:
                return best
            x = max(0.0, x + move + 1e-3 * abs(move) + 2e-15 * x)
        step = 4e-16
        while best == math.inf and step < 1e300:
            x = up(x, step)
            step *= 4
            best = x if self.upper(x) <= delta else best
        return best

    def most(self, delta: float) -> float:
        """An ε a little below the least one, at which δ(ε) is certainly more than asked."""
        return most(self.lower, delta, self.least(delta))


def _inverse(mu: float, delta: float) -> float:
    """About the ε at δ, by Newton's method on log δ."""
    goal = math.log(delta)
    x = mu * mu / 2 + mu * math.sqrt(2 * max(-goal, 0.1))
    for _ in range(50):
        value, slope = log_delta(mu, x)
        move = (value - goal) / slope
        x += move
        if abs(move) <= 1e-15 * (abs(x) + mu):
            break
    return x


def log_delta(mu: float, epsilon: float) -> tuple[float, float]:
    """About log δ(ε) and minus its derivative, without overflow far out in the tail."""
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if a < 20:
        first, second = 0.5 * math.erfc(a * _ROOT), 0.5 * math.erfc(b * _ROOT)
        second = (
            second * math.exp(epsilon) if second > 1e-290 else _mills(b) * math.exp(-a * a / 2) / 2.5066282746310002
        )
        if first > second > 0 and (first - second) > 1e-12 * first:
            return math.log(first - second), second / (first - second)
    difference = _mills(a) - _mills(b)
    if not difference > 1e-13 * _mills(a):
        # A short step: the derivative of the Mills ratio is x m(x) - 1.
        middle = (a + b) / 2
        difference = mu * (1 - middle * _mills(middle))
    return -a * a / 2 - 0.9189385332046727 + math.log(difference), _mills(b) / difference


def _mills(x: float) -> float:
    """About Φ(-x) / φ(x), by a continued fraction where erfc would underflow."""
    if x < 6:
        return 0.5 * math.erfc(x * _ROOT) * math.exp(x * x / 2) * 2.5066282746310002
    fraction = 0.0
    for n in range(60, 0, -1):
        fraction = n / (x + fraction)
    return 1 / (x + fraction)
