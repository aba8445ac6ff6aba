"""Auditing with one run: many canaries, each in or out by a coin, and guesses of which were in."""

from __future__ import annotations

import numpy as np

from partita.errors import attacks as refuse
from partita.exact import Number, nonnegative, probability, whole

_LARGEST = 700.0  # e^700 is the last that a double holds; nobody claims such an ε


def one_run_p_value(*, canaries: int, guesses: int, correct: int, epsilon: Number, delta: Number = 0) -> float:
    """How likely so many correct guesses are, at most, if the training was (ε, δ)-private (theory G8).

    Each of ``canaries`` records was in the data with probability one half, independently; an attacker looked at the
    result, guessed for some of them whether they were in, and abstained on the rest.

    >>> round(one_run_p_value(canaries=1000, guesses=100, correct=90, epsilon=1), 14)
    2.735812801e-05
    """
    m, r, v = _counts(canaries, guesses, correct)
    return _p_value(m, r, v, float(nonnegative(epsilon, "epsilon")), float(nonnegative(delta, "delta")))


def one_run_epsilon(
    *, canaries: int, guesses: int, correct: int, delta: Number = 0, confidence: Number = 0.95
) -> float:
    """The largest ε that so many correct guesses refute, or zero if they refute none (theory G8).

    >>> round(one_run_epsilon(canaries=1000, guesses=100, correct=90), 8)
    1.63082319
    """
    m, r, v = _counts(canaries, guesses, correct)
    leak = float(nonnegative(delta, "delta"))
    significance = float(1 - probability(confidence, "confidence"))
    if r == 0 or _p_value(m, r, v, 0.0, leak) > significance:
        return 0.0
    low, high = 0.0, 1.0
    while high < _LARGEST and _p_value(m, r, v, high, leak) <= significance:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return low
        if _p_value(m, r, v, middle, leak) <= significance:
            low = middle
        else:
            high = middle


def _counts(canaries: int, guesses: int, correct: int) -> tuple[int, int, int]:
    m = whole(canaries, "canaries", least=1)
    r, v = whole(guesses, "guesses"), whole(correct, "correct")
    if r > m:
        raise refuse.more_than_all("guesses", r, m)
    if v > r:
        raise refuse.more_than_all("correct", v, r)
    return m, r, v


def _p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    from scipy.special import expit
    from scipy.stats import binom

    right = expit(epsilon)
    tail = float(binom.sf(correct - 1, guesses, right))
    if delta > 0 and correct > 0:
        # Pr[v - i <= Bin < v] for i = 1..v, as sums of the law itself so that nothing cancels.
        below = np.cumsum(binom.pmf(np.arange(correct - 1, -1, -1), guesses, right))
        tail += 2 * canaries * delta * float((below / np.arange(1, correct + 1)).max())
    return min(1.0, tail)
