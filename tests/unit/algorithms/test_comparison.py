from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.algorithms import compare_linear, four_steps, joint_and_separate
from partita.attacks.audits.audit import audit
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["laplace", "randomised response"])
def test_the_auditor_finds_no_more_than_was_claimed_for_averages(kind):
    steps, bits = four_steps(2, epsilon=1, kind=kind), TestBits(9)

    def run(values):
        return tuple(steps.answer(values, [[1, 1], [0, 1]], bits=bits).round(6).tolist())

    assert audit(run, (0, 1), (0, 0), trials=1000, confidence=1 - 1e-6).epsilon <= 1


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed_for_either_histogram():
    for which in ("joint", "separate"):
        bits = TestBits(10)

        def run(counts, which=which, bits=bits):
            return tuple(getattr(joint_and_separate(counts, epsilon=1, bits=bits), which).tolist())

        assert audit(run, (3, 1), (2, 1), trials=1000, confidence=1 - 1e-6).epsilon <= 1


def test_bounded_numbers_are_averaged_and_move_every_sum_by_no_more_than_a_row():
    steps, bits = four_steps(2, epsilon=1), TestBits(3)
    queries = [[1] * 400, [1, 0] * 200]
    found = np.array([steps.answer([0.75, 0.25] * 200, queries, bits=bits) for _ in range(300)])
    assert found.mean(axis=0) == pytest.approx([0.5, 0.375], abs=6 * np.sqrt(2) * 2 / 400 / np.sqrt(300))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: four_steps(3, epsilon=1, kind="gaussian"), "algorithms.no-such-noise"),
        (lambda: four_steps(3, rho=1, kind="randomised response"), "algorithms.no-such-noise"),
        (lambda: four_steps(3, rho=1, kind="cauchy"), "algorithms.unknown-choice"),
        (lambda: four_steps(2, epsilon=1).answer([0, 2], [[1, 1], [0, 1]]), "algorithms.not-bits"),
        (lambda: four_steps(2, epsilon=1).answer([0, 1], [[1, 1]]), "algorithms.not-bits"),
        (lambda: four_steps(1, epsilon=1).answer([0, float("nan")], [[1, 1]]), "algorithms.not-bits"),
        (lambda: four_steps(1, epsilon=1).answer("01", [[1, 1]]), "algorithms.not-bits"),
        (
            lambda: four_steps(1, epsilon=1, kind="randomised response").answer([0, 0.5], [[1, 1]]),
            "algorithms.not-bits",
        ),
    ],
)
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code
