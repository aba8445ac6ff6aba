"""Reading a whole profile: ε at δ, trade-off and advantage from any family of proven (ε, δ) points.

Every ε in a profile is a valid bound, so an imprecise search for the best one costs tightness, never soundness.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from partita.exact import fraction_down, fraction_up
from partita.theory import numerics
from partita.theory.numerics import ball
from partita.theory.search import golden

Profile = Callable[[Fraction], Fraction]
Rough = Callable[[float], float]

_HUGE = 1000
_LADDER = (0.0, *(2.0**power for power in range(-20, 10)))


def false_negatives_at(epsilon: Fraction, delta: Fraction, fpr: Fraction) -> Fraction:
    """The fewest false negatives under (ε, δ) in both directions: theory B6, rounded down.

    >>> float(false_negatives_at(Fraction(1), Fraction(0), Fraction(1, 100)))
    0.9728171817154095
    """
    if fpr and epsilon > _HUGE and epsilon + _log(fpr) > 0:
        # e^ε times the share is above one, so that branch says nothing; it need not be computed.
        first = Fraction(0)
    else:
        first = numerics.lower(lambda: 1 - ball(delta) - ball(epsilon).exp() * ball(fpr), "the trade-off curve")
    if delta + fpr >= 1:
        return max(Fraction(0), first)
    second = numerics.lower(lambda: (-ball(epsilon)).exp() * (1 - ball(delta) - ball(fpr)), "the trade-off curve")
    return max(Fraction(0), first, second)


def advantage_at(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest membership advantage under (ε, δ): theory B21, rounded up.

    >>> round(float(advantage_at(Fraction(1), Fraction(1, 100000))), 9)
    0.462122536
    """
    if epsilon > _HUGE:
        return Fraction(1)
    share = numerics.upper(lambda: (ball(epsilon) / 2).tanh() + 2 * ball(delta) / (1 + ball(epsilon).exp()))
    return min(Fraction(1), share)


def false_negatives(profile: Profile, rough: Rough, fpr: Fraction) -> Fraction:
    """The best lower bound on false negatives over the points of a profile; ``rough`` finds the point."""
    if fpr >= 1:
        return Fraction(0)
    share = float(fpr)

    def found(epsilon: float) -> float:
        delta = min(1.0, rough(epsilon))
        return -max(1 - delta - math.exp(epsilon) * share, math.exp(-epsilon) * (1 - delta - share))

    epsilon = _best(found)
    return false_negatives_at(epsilon, profile(epsilon), fpr)


def advantage(profile: Profile, rough: Rough) -> Fraction:
    """The best upper bound on the advantage over the points of a profile; ``rough`` finds the point."""
    epsilon = _best(lambda e: math.tanh(e / 2) + 2 * min(1.0, rough(e)) / (1 + math.exp(e)))
    return min(advantage_at(epsilon, profile(epsilon)), profile(Fraction(0)))


def epsilon_at(profile: Profile, delta: Fraction, start: Fraction) -> Fraction:
    """The least ε whose δ is small enough, from above; ``start`` must be such an ε.

    False position on the logarithm of δ: a dozen evaluations, each rigorous, and the answer satisfies the bound.
    """
    low, high = Fraction(0), start
    at_low = profile(low)
    if at_low <= delta:
        return low
    above = _log(at_low) - _log(delta)
    below = _log(profile(high)) - _log(delta)
    for _ in range(100):
        if high - low <= high / 2**50:
            break
        share = above / (above - below) if math.isfinite(below) and above > below else 0.5
        middle = fraction_down(low + (high - low) * Fraction(min(max(share, 2**-20), 1 - 2**-20)), 80)
        there = profile(middle)
        gap = _log(there) - _log(delta)
        if there <= delta:
            # Halving the other end's weight keeps both ends moving (the Illinois rule).
            high, below, above = middle, gap, above / 2
        else:
            low, above, below = middle, gap, below / 2
    return high


def _log(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator) if number else -math.inf


def _best(value: Callable[[float], float]) -> Fraction:
    """The ε with about the least value: the best rung of a ladder, refined."""
    scores = [value(epsilon) for epsilon in _LADDER]
    top = min(range(len(_LADDER)), key=scores.__getitem__)
    low, high = _LADDER[max(top - 1, 0)], _LADDER[min(top + 1, len(_LADDER) - 1)]
    refined = golden(value, low, high, steps=40)
    return Fraction(refined if value(refined) < scores[top] else _LADDER[top])


def clamp_up(number: Fraction) -> Fraction:
    """A probability rounded up, and never above one."""
    return min(Fraction(1), fraction_up(max(number, Fraction(0))))


def clamp_down(number: Fraction) -> Fraction:
    """A probability rounded down, and never below zero."""
    return max(Fraction(0), fraction_down(min(number, Fraction(1))))
