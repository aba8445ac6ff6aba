"""Reading a whole profile: ε at δ, trade-off and advantage from any family of proven (ε, δ) points.

Every ε in a profile is a valid bound, so an imprecise search for the best one costs tightness, never soundness.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from partita.exact import fraction_down, fraction_up
from partita.theory import numerics
from partita.theory.numerics import ball
from partita.theory.search import golden

Profile = Callable[[Fraction], Fraction]

_LADDER = (Fraction(0), *(Fraction(2) ** power for power in range(-20, 14)))


def false_negatives_at(epsilon: Fraction, delta: Fraction, fpr: Fraction) -> Fraction:
    """The fewest false negatives under (ε, δ) in both directions: theory B6, rounded down.

    >>> float(false_negatives_at(Fraction(1), Fraction(0), Fraction(1, 100)))
    0.9728171817154095
    """
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
    share = numerics.upper(lambda: (ball(epsilon) / 2).tanh() + 2 * ball(delta) / (1 + ball(epsilon).exp()))
    return min(Fraction(1), share)


def false_negatives(profile: Profile, fpr: Fraction) -> Fraction:
    """The best lower bound on false negatives over the points of a profile."""
    if fpr >= 1:
        return Fraction(0)
    return _best(lambda epsilon: false_negatives_at(epsilon, profile(epsilon), fpr))


def advantage(profile: Profile) -> Fraction:
    """The best upper bound on the advantage over the points of a profile."""
    return -_best(lambda epsilon: -advantage_at(epsilon, profile(epsilon)))


def epsilon_at(profile: Profile, delta: Fraction, start: Fraction) -> Fraction:
    """The least ε whose δ is small enough, from above; ``start`` must be such an ε."""
    if profile(Fraction(0)) <= delta:
        return Fraction(0)
    return numerics.least(lambda epsilon: profile(epsilon) <= delta, Fraction(0), start)


def _best(value: Callable[[Fraction], Fraction]) -> Fraction:
    """The largest value found over a ladder of ε and by a search around its best rung."""
    scores = [value(epsilon) for epsilon in _LADDER]
    top = max(range(len(_LADDER)), key=scores.__getitem__)
    low, high = float(_LADDER[max(top - 1, 0)]), float(_LADDER[min(top + 1, len(_LADDER) - 1)])
    best = golden(lambda epsilon: -float(value(Fraction(epsilon))), low, high, steps=40)
    return max(scores[top], value(Fraction(best)))


def clamp_up(number: Fraction) -> Fraction:
    """A probability rounded up, and never above one."""
    return min(Fraction(1), fraction_up(max(number, Fraction(0))))


def clamp_down(number: Fraction) -> Fraction:
    """A probability rounded down, and never below zero."""
    return max(Fraction(0), fraction_down(min(number, Fraction(1))))
