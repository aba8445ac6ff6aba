"""One run with many canaries: the p-value is a tail of coins, and the bound is where it crosses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.attacks.audits.one_run import one_run_epsilon, one_run_p_value
from partita.errors import InvalidInput

COUNTS = st.integers(1, 60).flatmap(
    lambda m: st.integers(1, m).flatmap(lambda r: st.tuples(st.just(m), st.just(r), st.integers(0, r)))
)


EPSILONS = st.just(0.0) | st.floats(1e-9, 5)


def tail(guesses: int, correct: int, right: float) -> float:
    return math.fsum(
        math.comb(guesses, i) * right**i * (1 - right) ** (guesses - i) for i in range(correct, guesses + 1)
    )


@given(counts=COUNTS, epsilon=EPSILONS)
def test_without_a_delta_it_is_the_tail_of_coins(counts, epsilon):
    m, r, v = counts
    found = one_run_p_value(canaries=m, guesses=r, correct=v, epsilon=epsilon)
    assert found == pytest.approx(tail(r, v, 1 / (1 + math.exp(-epsilon))), rel=1e-9)


@given(counts=COUNTS, epsilon=EPSILONS, delta=st.just(0.0) | st.floats(1e-12, 0.01))
def test_with_a_delta_every_window_below_is_weighed(counts, epsilon, delta):
    m, r, v = counts
    right = 1 / (1 + math.exp(-epsilon))
    windows = [(tail(r, v - i, right) - tail(r, v, right)) / i for i in range(1, v + 1)]
    expected = min(1, tail(r, v, right) + 2 * m * delta * max(windows, default=0))
    found = one_run_p_value(canaries=m, guesses=r, correct=v, epsilon=epsilon, delta=delta)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(counts=COUNTS, delta=st.sampled_from([0, 1e-6, 1e-3]), confidence=st.sampled_from([0.5, 0.95, 0.999]))
def test_the_bound_is_the_last_epsilon_that_is_refuted(counts, delta, confidence):
    m, r, v = counts
    epsilon = one_run_epsilon(canaries=m, guesses=r, correct=v, delta=delta, confidence=confidence)
    given_counts = {"canaries": m, "guesses": r, "correct": v, "delta": delta}
    if epsilon > 0:
        assert one_run_p_value(epsilon=epsilon, **given_counts) <= 1 - confidence + 1e-12
    assert one_run_p_value(epsilon=epsilon + 1e-6, **given_counts) >= (1 - confidence) * (1 - 1e-3)


def test_guessing_nothing_shows_nothing():
    assert one_run_epsilon(canaries=10, guesses=0, correct=0) == 0


def test_a_million_right_guesses_show_much_and_stay_finite():
    assert 10 < one_run_epsilon(canaries=10**6, guesses=10**6, correct=10**6) < 20


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ((0, 0, 0), "number.too-small"),
        ((10, 11, 0), "audit.more-than-all"),
        ((10, 5, 6), "audit.more-than-all"),
        ((10, 5, -1), "number.too-small"),
        ((10, 5.5, 1), "number.not-whole"),
    ],
)
def test_counts_that_cannot_have_happened_are_refused(counts, code):
    m, r, v = counts
    with pytest.raises(InvalidInput) as refusal:
        one_run_epsilon(canaries=m, guesses=r, correct=v)
    assert refusal.value.code == code
