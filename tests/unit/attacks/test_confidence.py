"""Confidence bounds hold as often as they say, and show no more than the event does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from partita.attacks.confidence import (
    at_least,
    at_most,
    bonferroni,
    epsilon_lower_bound,
    epsilon_of_hits,
    epsilon_shown,
    mu_shown,
    renyi_shown,
    rho_shown,
)
from partita.errors import InvalidInput

SHARES = st.floats(0.001, 0.999)


@given(runs=st.integers(1, 60), share=SHARES, gamma=st.sampled_from([0.2, 0.05, 1e-4]))
def test_a_bound_is_wrong_no_more_often_than_it_says(runs, share, gamma):
    counts = np.arange(runs + 1)
    law = binom.pmf(counts, runs, share)
    assert law[at_least(counts.astype(float), runs, gamma) > share].sum() <= gamma * (1 + 1e-9)
    assert law[at_most(counts.astype(float), runs, gamma) < share].sum() <= gamma * (1 + 1e-9)


@given(runs=st.integers(1, 10**7), gamma=st.floats(1e-12, 0.5), data=st.data())
def test_the_share_seen_lies_between_its_bounds(runs, gamma, data):
    hits = data.draw(st.integers(0, runs))
    assert 0 <= at_least(hits, runs, gamma) <= hits / runs <= at_most(hits, runs, gamma) <= 1


def test_no_hits_show_nothing_and_all_hits_exclude_nothing():
    assert at_least(0, 100, 0.01) == 0
    assert at_most(100, 100, 0.01) == 1


def test_a_tiny_share_keeps_its_precision():
    assert at_most(0, 10**9, 1e-9) == pytest.approx(-math.log(1e-9) * 1e-9, rel=1e-6)


@given(high=SHARES, low=SHARES)
def test_a_coin_shows_exactly_its_own_losses(high, low):
    p, q = max(high, low), min(high, low)
    epsilon = max(math.log(p / q), math.log((1 - q) / (1 - p)))
    assert float(epsilon_shown(p, q)) == pytest.approx(epsilon, abs=1e-12)
    assert float(rho_shown(p, q)) <= epsilon * math.tanh(epsilon / 2) + 1e-9
    assert float(mu_shown(p, q)) <= 2 * math.sqrt(2 * float(rho_shown(p, q))) + 6
    kl = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert float(renyi_shown(p, q, [1 + 1e-7])[0]) == pytest.approx(kl, rel=1e-3, abs=1e-6)


@given(often=SHARES, seldom=SHARES, delta=st.floats(0, 0.999))
def test_a_delta_only_lowers_what_is_shown(often, seldom, delta):
    with_delta, without = (float(epsilon_shown(often, seldom, leak)) for leak in (delta, 0.0))
    assert 0 <= with_delta <= without


def test_an_event_within_delta_shows_nothing():
    assert float(epsilon_of_hits(0.01, 0.001, 0.02)) == 0
    assert float(rho_shown(0.2, 0.3)) == 0
    assert float(mu_shown(0.2, 0.3)) == 0


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ((11, 10, 1, 10), "audit.more-than-all"),
        ((1, 10, 11, 10), "audit.more-than-all"),
        ((1, 0, 1, 10), "number.too-small"),
        ((-1, 10, 1, 10), "number.too-small"),
        ((1.5, 10, 1, 10), "number.not-whole"),
        ((float("nan"), 10, 1, 10), "number.not-finite"),
    ],
)
def test_counts_that_cannot_have_happened_are_refused(counts, code):
    with pytest.raises(InvalidInput) as refusal:
        epsilon_lower_bound(*counts, gamma=0.05)
    assert refusal.value.code == code


@pytest.mark.parametrize("gamma", [0, 1, -0.1, float("nan"), True, "x"])
def test_an_error_rate_must_be_a_probability(gamma):
    with pytest.raises(InvalidInput):
        epsilon_lower_bound(1, 2, 1, 2, gamma=gamma)
    with pytest.raises(InvalidInput):
        bonferroni(gamma, 3)
