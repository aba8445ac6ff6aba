from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.algorithms import compare_linear, four_steps
from partita.sampling.bits import TestBits

ROWS = 2000
VALUES = np.array([(i * i) % 3 == 1 for i in range(ROWS)], dtype=np.int64)
QUERIES = np.array([[(i >> (j % 11)) & 1 for i in range(ROWS)] for j in range(20)])


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "randomised response"])
def test_all_errors_stay_within_the_bound_and_are_not_far_below_it(kind):
    steps = four_steps(20, epsilon=2, delta="1e-6", kind=kind)
    bits = TestBits(6)
    truth = QUERIES @ VALUES / ROWS
    worst = [np.abs(steps.answer(VALUES, QUERIES, bits=bits) - truth).max() for _ in range(200)]
    bound = steps.error(ROWS, confidence=0.95)
    assert np.mean([error <= bound for error in worst]) > 0.87  # 0.95 less five standard deviations
    assert np.median(worst) > bound / 6


def test_rounding_to_whole_rows_does_not_break_the_bound_of_a_single_average():
    # The bound is 2.996 of a row. Noise in whole rows would exceed it with 8 % in place of 5.
    steps, bits, times = four_steps(1, epsilon=1), TestBits(8), 4000
    bound, nobody = steps.error(1, confidence=0.95), np.zeros(1, dtype=np.int64)
    missed = sum(abs(steps.answer(nobody, [[1]], bits=bits)[0]) > bound for _ in range(times))
    assert missed <= 0.05 * times + 5 * np.sqrt(0.05 * 0.95 * times)


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "randomised response"])
def test_with_as_many_rows_as_needed_the_error_is_as_asked(kind):
    steps = four_steps(50, epsilon=1, delta="1e-6", kind=kind)
    rows = steps.rows_for("0.01")
    assert steps.error(int(np.ceil(rows))) <= 0.01 < steps.error(int(rows) - 100)


def test_the_noise_of_many_queries_costs_what_was_budgeted():
    laplace = four_steps(100, epsilon=1)
    assert laplace.noise.cost(pt.l1(100), pt.Pure) == pt.Pure(epsilon=1)
    gaussian = four_steps(100, epsilon=1, delta="1e-6", kind="gaussian")
    assert float(gaussian.noise.cost(pt.l2_squared(100), pt.Approximate, delta="1e-6").epsilon) <= 1 + 1e-9


def test_gaussian_wins_between_few_and_very_many():
    found = compare_linear(300, 10_000, epsilon=1, delta="1e-6")
    assert min(found, key=found.get) == "gaussian"
    assert str(four_steps(3, epsilon=1)) == "3 averages by laplace within ε = 1"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: four_steps(3, epsilon=1, kind="gaussian"), "algorithms.no-such-noise"),
        (lambda: four_steps(3, rho=1, kind="randomised response"), "algorithms.no-such-noise"),
        (lambda: four_steps(3, rho=1, kind="cauchy"), "algorithms.unknown-choice"),
        (lambda: four_steps(2, epsilon=1).answer([0, 2], [[1, 1], [0, 1]]), "algorithms.not-bits"),
        (lambda: four_steps(2, epsilon=1).answer([0, 1], [[1, 1]]), "algorithms.not-bits"),
    ],
)
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code
