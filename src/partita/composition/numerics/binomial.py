"""Many equal (ε, δ)-private releases: the optimal total is a binomial sum (theory D11)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb

from partita.composition.numerics.search import most
from partita.effort import spend_composing
from partita.theory import numerics
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, down, floats, up
from partita.theory.numerics import ball

_TINY = 1e-300
# Masses go on until what lies beyond, which is added, is this small beside the largest.
_SMALL = 1e-17


@final
@dataclass(frozen=True, slots=True)
class Binomial:
    """The profile of k equal leaky randomised responses: L = (2i - k) ε with i binomial (Kairouz-Oh-Viswanath).

    >>> Binomial(1.0, 0.0, 5).upper(3.0)
    0.180554628602...
    """

    epsilon: float
    leak: float
    count: int

    @property
    def kept(self) -> tuple[float, float]:
        """(1 - δ)^k, rounded down and up."""
        if self.leak == 0.0:
            return 1.0, 1.0
        value = math.exp(self.count * math.log1p(-self.leak))
        slack = 4 * FUNCTION * (1 - self.count * math.log1p(-self.leak))
        return down(value, slack), min(1.0, up(value, slack))

    @property
    def infinity(self) -> float:
        """1 - (1 - δ)^k, rounded up."""
        if self.leak == 0.0:
            return 0.0
        return min(1.0, up(-math.expm1(self.count * math.log1p(-self.leak)), 8 * FUNCTION))

    def upper(self, at: float) -> float:
        """δ(ε) rounded up; exact but for the rounding."""
        return min(1.0, up(self.infinity + self.kept[1] * self._tail(at, high=True)))

    def lower(self, at: float) -> float:
        """δ(ε) rounded down."""
        lost = down(self.infinity, 16 * FUNCTION) if self.leak else 0.0
        return max(0.0, down(lost + self.kept[0] * self._tail(at, high=False)))

    def least(self, delta: float) -> float:
        """The least ε with δ(ε) <= δ, rounded up."""
        spare = down(delta - self.infinity)
        top = up(self.count * self.epsilon, 2 * UNIT)
        if spare <= 0.0:
            return top if delta >= self.infinity else math.inf
        target = down(spare / self.kept[1])
        guess = self._chernoff(target)
        spread = math.sqrt(self.count) / (2 * math.cosh(min(self.epsilon / 2, 300.0)))
        reach = max(8, math.ceil(1.5 * spread))
        while True:
            low = max(guess - reach, 0)
            masses, beyond, error = self._masses(low, guess, high=True)
            start = low
            losses = floats((2.0 * np.arange(start, start + len(masses)) - self.count) * self.epsilon)
            deltas = self._at_points(masses, beyond, losses)
            if low == 0 or deltas[0] > target:
                break
            reach *= 4
        first = int(np.argmax(deltas <= target)) if (deltas <= target).any() else len(deltas) - 1
        # Between two losses the profile is a line in e^ε, so solve there, then step up until the bound itself agrees.
        x = 0.0
        if first > 0:
            high_delta, low_delta = float(deltas[first - 1]), float(deltas[first])
            share = (high_delta - target) / (high_delta - low_delta)
            x = float(losses[first - 1]) + math.log1p(math.expm1(2 * self.epsilon) * min(max(share, 0.0), 1.0))
        elif target < float(masses.sum()) + beyond:
            x = float(losses[0])
        x = max(0.0, x)
        slack, best = error + 1e-15, top
        for turn in range(60):
            # Losses up to ε count nothing.
            kept = slice(first - 1 if first > 1 and x >= losses[first - 2] else 0, None)
            bound = _above(x, masses[kept], losses[kept], beyond, error, high=True)
            if bound <= target:
                best = min(best, x)
                if turn >= 4 or bound >= target * (1 - 1e-11) or x == 0.0:
                    return best
            # δ falls by the mean of e^(ε - L) above ε for each unit of ε; if that is not enough, further and further.
            above = losses[kept]
            fall = float(np.dot(masses[kept], np.where(above > x, np.exp(np.minimum(x - above, 0.0)), 0.0)))
            if turn < 4 and fall > 0:
                move = (bound - target) / fall
                x = max(0.0, up(x + move + 1e-3 * abs(move)))
            elif best < top:
                return best
            else:
                x = up(x, slack) + 1e-300
                slack *= 4
        return best

    def most(self, delta: float) -> float:
        """An ε a little below the least one, at which δ(ε) is certainly more than asked."""
        return most(self.lower, delta, self.least(delta))

    def _at_points(self, masses: Floats, beyond: float, losses: Floats) -> Floats:
        """About δ at each loss of the window; what is read from it is checked afterwards."""
        tails = np.append(np.cumsum(masses[::-1])[::-1][1:], 0.0) + beyond
        gap = 2 * self.epsilon
        spend_composing(len(masses) >> 1)
        if gap * len(masses) < 600:
            shrink = np.exp(-gap * np.arange(len(masses)))
            inverse = np.append(np.cumsum((masses * shrink)[::-1])[::-1][1:], 0.0) / shrink
            return floats(np.maximum(tails - inverse, 0.0))
        # With S_i = sum over j > i of p_j (1 - e^(l_i - l_j)): S_i = tail_(i+1) (1 - fall) + fall S_(i+1).
        spend_composing(len(masses))
        values = np.empty(len(masses))
        running, fall, gain = beyond, math.exp(-gap), -math.expm1(-gap)
        for i in range(len(masses) - 1, -1, -1):
            running = tails[i] * gain + fall * running
            values[i] = running
        return values

    def _tail(self, at: float, *, high: bool) -> float:
        """The mean of (1 - e^(ε - L))_+, rounded in the direction asked for."""
        first = math.floor((at / self.epsilon + self.count) / 2) - 1 if self.epsilon else self.count
        first = max(first, 0)
        if first > self.count:
            return 0.0
        masses, beyond, error = self._masses(first, first, high=high)
        losses = floats((2.0 * np.arange(first, first + len(masses)) - self.count) * self.epsilon)
        return _above(at, masses, losses, beyond, error, high=high)

    def _masses(self, first: int, anchor: int, *, high: bool) -> tuple[Floats, float, float]:
        """Binomial probabilities from ``first`` on until they no longer matter, what lies beyond, and their error.

        They are anchored at one probability from Arb and follow by their exact ratios.
        """
        k = self.count
        odds = math.exp(self.epsilon)
        anchor = min(max(anchor, first), k)
        base = self._mass(anchor, high=high)
        size = self._window(anchor)
        while True:
            last = min(k, anchor + size)
            i = np.arange(anchor, last, dtype=np.float64)
            rise = np.cumprod((k - i) / (i + 1) * odds)
            upward = base * np.concatenate([[1.0], rise])
            if last == k:
                beyond = 0.0
                break
            ratio = (k - last) / (last + 1) * odds * (1 + 1e-9)
            if ratio < 0.999 and upward[-1] * ratio / (1 - ratio) <= _SMALL * upward.max():
                beyond = float(upward[-1]) * ratio / (1 - ratio) * (1 + 1e-9)
                break
            size *= 2
        j = np.arange(anchor, first, -1, dtype=np.float64)
        downward = base * np.cumprod(j / (k - j + 1) / odds)
        masses = np.concatenate([downward[::-1], upward])
        error = (len(masses) + 8) * (4 * UNIT + FUNCTION)
        return masses, beyond, error

    def _window(self, anchor: int) -> int:
        """About how many masses matter from here on: their logarithms fall as a parabola about the middle."""
        p = 1 / (1 + math.exp(-self.epsilon))
        variance = max(self.count * p * (1 - p), 1.0)
        past = max(anchor - self.count * p, 0.0)
        start = max(self.count * p - anchor, 0.0)
        return math.ceil(start + math.sqrt(past * past + 2 * variance * (5 - math.log(_SMALL))) - past) + 8

    def _mass(self, i: int, *, high: bool) -> float:
        """The probability of exactly i losses of +ε, rounded outward by Arb."""
        k, at = self.count, Fraction(self.epsilon)

        def log_mass() -> arb:
            chosen = arb(k + 1).lgamma() - arb(i + 1).lgamma() - arb(k - i + 1).lgamma()
            fall = (-ball(at)).exp()
            return (chosen - k * (1 + fall).log() - (k - i) * ball(at)).exp()

        if high:
            return max(numerics.float_above(log_mass, "a binomial probability"), _TINY)
        return numerics.float_below(log_mass, "a binomial probability")

    def _chernoff(self, delta: float) -> int:
        """The least i whose Chernoff bound is below δ: about where the answer lies, never below it."""
        k = self.count
        p = 1 / (1 + math.exp(-self.epsilon))
        level = -math.log(max(delta, _TINY)) / k
        low, high = math.floor(k * p), k
        while high - low > 1:
            middle = (low + high) // 2
            a = middle / k
            divergence = a * math.log(a / p) + (1 - a) * math.log((1 - a) / (1 - p)) if middle < k else -math.log(p)
            if divergence >= level:
                high = middle
            else:
                low = middle
        return high


def _above(at: float, masses: Floats, losses: Floats, beyond: float, error: float, *, high: bool) -> float:
    """The mean of (1 - e^(ε - L))_+ over these losses and beyond, rounded in the direction asked for."""
    sign = 4 * UNIT if high else -4 * UNIT
    parts = masses * np.maximum(-np.expm1(np.minimum(at - losses, 0.0)) + sign * (abs(at) + np.abs(losses)), 0.0)
    # Losses below ε count nothing; the slack on them only adds.
    value = float(parts.sum()) + (beyond if high else 0.0)
    slack = error + 4 * FUNCTION + (len(masses) + 4) * UNIT
    return up(value, slack) if high else max(0.0, down(value, slack))
