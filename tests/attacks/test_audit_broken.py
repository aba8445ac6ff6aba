"""The auditor catches mechanisms that are broken on purpose, and acquits the same mechanism booked rightly.

Every release here is written from scratch and wrong in one known way (theory G9). A false alarm has probability
below 1e-8 in each test, so below 1e-6 in all together.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from partita.attacks.audits.audit import audit
from partita.attacks.audits.low_bits import naive_laplace
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

SURE = Fraction(1) - Fraction(1, 10**8)


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(2026)


def geometric(generator: np.random.Generator, epsilon: float, size: tuple[int, ...] | int) -> np.ndarray:
    """Two-sided geometric noise: the difference of two one-sided ones."""
    success = -math.expm1(-epsilon)
    return generator.geometric(success, size) - generator.geometric(success, size)


def textbook_sigma(epsilon: float, delta: float) -> float:
    return math.sqrt(2 * math.log(2 / delta)) / epsilon


@pytest.mark.slow
def test_the_textbook_gaussian_is_refuted_at_a_large_epsilon(generator):
    """Two million runs show an ε of 8.57, a million 7.87; a larger ε takes e times as many for each unit."""
    epsilon, delta, unit = 8, 0.5, 1000
    sigma = unit * textbook_sigma(epsilon, delta)

    def release(value, n):
        return np.rint(generator.normal(value, sigma, n)).astype(np.int32)

    shown = audit(release, 0, unit, batch=True, trials=2_000_000, delta=delta, confidence=SURE)
    assert shown.falsifies(epsilon)
    assert shown.falsifies(Approximate(epsilon=epsilon, delta=delta))


def test_the_textbook_gaussian_at_a_small_delta_is_refuted_by_its_exact_curve():
    """An event of probability 1e-6 against one of 1e-12 is out of any sampler's reach; the curve is not."""
    claimed = Fraction(1, 10**6)
    true = GDP(mu=1 / textbook_sigma(12, 1e-6)).delta_at(Fraction(12))
    assert float(true) == pytest.approx(3.1362304128399174e-06, rel=1e-6)
    assert true > claimed
    assert GDP(mu=1 / textbook_sigma(1, 1e-6)).delta_at(Fraction(1)) < claimed


def poisson_sum(generator: np.random.Generator, p: float, epsilon: float):
    """Keep each row with probability p, sum the kept rows, add geometric noise for one row in {-1, 1}."""

    def release(rows, n):
        kept = generator.random((n, len(rows))) < p
        return (kept * np.asarray(rows)).sum(axis=1) + geometric(generator, epsilon, n)

    return release


def test_poisson_amplification_is_refuted_under_change_one(generator):
    p, epsilon = 0.3, 1
    amplified = math.log1p(p * math.expm1(epsilon))
    assert amplified == pytest.approx(0.41573522, abs=1e-8)
    release = poisson_sum(generator, p, epsilon)
    changed = audit(release, [1], [-1], batch=True, trials=2_000_000, confidence=SURE)
    assert changed.falsifies(amplified)
    assert not changed.falsifies("0.6260071783")  # what is true under change-one
    removed = audit(release, [1], [], batch=True, trials=2_000_000, confidence=SURE)
    assert not removed.falsifies(amplified)  # and under add/remove the formula is right
    assert removed.epsilon > 0.38


def permute_and_flip(generator: np.random.Generator, epsilon: float):
    """Try candidates in random order, each accepted with probability exp(epsilon (score - best) / 2)."""

    def release(scores, n):
        accepts = np.exp(epsilon * (np.asarray(scores) - max(scores)) / 2)
        first = generator.integers(0, 2, n)
        return np.where(generator.random(n) < accepts[first], first, 1 - first)

    return release


def test_permute_and_flip_is_refuted_at_the_price_of_the_exponential_mechanism(generator):
    """A best candidate is accepted when tried; with two candidates, a refusal leaves the other, the best one."""
    release, booked = permute_and_flip(generator, 2), ZCDP(rho="0.5")
    shown = audit(release, [0, 0], [-1, 1], batch=True, trials=400_000, claim=booked, confidence=SURE)
    assert shown.falsifies(booked)
    assert shown.rho > 0.65  # the divergence is 0.688
    assert not shown.falsifies(ZCDP(rho="1.5232"))
    assert not shown.falsifies(Pure(epsilon=2))


def test_the_continuous_profile_is_refuted_for_geometric_noise(generator):
    booked = Fraction("0.2212")  # 1 - e^{-1/4}: the profile of continuous Laplace noise at half its epsilon

    def release(value, n):
        return value + geometric(generator, 1, n)

    shown = audit(release, 0, 1, batch=True, trials=400_000, delta=booked, confidence=SURE)
    assert shown.falsifies("0.5")
    assert not shown.falsifies(Approximate(epsilon="0.5", delta="0.28764914"))
    assert not shown.falsifies(Pure(epsilon=1))


def test_naive_float_laplace_is_refuted_by_its_low_bits(generator):
    def release(value, n):
        return naive_laplace(generator.random(n), value)

    shown = audit(release, 0.0, 1.0, batch=True, trials=100_000, confidence=SURE)
    assert shown.falsifies(4)
    assert "last set bit" in shown.event


def test_noise_that_is_rounded_after_it_was_added_has_no_low_bits_to_tell(generator):
    def release(value, n):
        return np.rint(256 * naive_laplace(generator.random(n), value))

    assert not audit(release, 0.0, 1.0, batch=True, trials=400_000, confidence=SURE).falsifies(1)


def test_noisy_max_without_doubled_noise_is_refuted_for_scores_that_move_both_ways(generator):
    def release(scores, n):
        return (np.asarray(scores) + generator.laplace(0, 1, (n, len(scores)))).argmax(axis=1)

    shown = audit(release, [0] * 3, [2, 0, 0], batch=True, trials=400_000, confidence=SURE)
    assert not shown.falsifies(2)  # moving one score by two is within 2
    opposed = audit(release, [6, 6, 7], [7, 7, 6], batch=True, trials=2_000_000, confidence=SURE)
    assert opposed.falsifies("1.02")


def test_a_sparse_vector_without_threshold_noise_is_refuted(generator):
    """Fifty answers "below" on the brink: without noise on the threshold the loss grows with their number."""

    def release(answer, n):
        above = answer + generator.laplace(0, 4, (n, 50)) >= 3
        return np.where(above.any(axis=1), above.argmax(axis=1), -1)

    assert audit(release, 0, 1, batch=True, trials=400_000, confidence=SURE).falsifies(1)


def test_noise_that_is_drawn_once_is_refuted(generator):
    """Two answers with the same noise: their difference is exact."""

    def release(pair, n):
        return np.asarray(pair) + np.rint(generator.laplace(0, 20, (n, 1))).astype(int)

    assert audit(release, (10, 10), (10, 11), batch=True, trials=20_000, confidence=SURE).falsifies(2)


def test_an_error_that_only_one_row_causes_is_refuted(generator):
    """An error is an output like any other, once it is caught."""

    def release(ages):
        try:
            return sum(1 / (age - 42) > -9 for age in ages) + int(geometric(generator, 0.1, 1)[0])
        except ZeroDivisionError:
            return "division by zero"

    assert audit(release, [30, 41], [30, 42], trials=2_000, confidence=SURE).falsifies(1)
