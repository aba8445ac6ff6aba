"""Surveys in the local model: what is reported, estimated and promised."""

from __future__ import annotations

import math

import numpy as np
import pytest

from partita.algorithms.choosing.survey import ENCODINGS, Survey, interval
from partita.composition.guarantees.compose import compose
from partita.errors import PartitaError
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.measures.zcdp import ZCDP

DRINKS = ["tea", "coffee", "milk", "water"]
TRUTH = ["tea"] * 5000 + ["coffee"] * 3000 + ["milk"] * 2000


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_survey_is_asked_reported_and_estimated(encoding):
    survey = Survey(DRINKS, epsilon=1, encoding=encoding)
    found = survey.estimate(survey.collect(TRUTH, bits=TestBits(1)))
    for drink, share in (("tea", 0.5), ("coffee", 0.3), ("milk", 0.2), ("water", 0.0)):
        low, high = found.intervals[drink]
        assert low <= share <= high
        assert abs(found.shares[drink] - share) < survey.expected_error(10_000)
    assert found.people == 10_000
    assert found.plot().axes


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_intervals_hold_the_truth_for_all_answers_at_once(encoding):
    survey = Survey(["a", "b", "c"], epsilon=2, encoding=encoding)
    truth, bits = ["a"] * 20 + ["b"] * 170, TestBits(3)
    missed = 0
    for _ in range(400):
        found = survey.estimate(survey.collect(truth, bits=bits), confidence=0.9)
        exact = np.array([20, 170, 0]) / 190
        missed += bool(((found.low > exact + 1e-12) | (found.high < exact - 1e-12)).any())
    # Each misses with probability 0.1 at most: more than 83 of 400 has a chance below 1e-6.
    assert missed <= 83


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_estimates_are_unbiased_and_vary_as_much_as_is_said(encoding):
    survey = Survey([0, 1, 2, 3, 4], epsilon=1, encoding=encoding)
    reports = survey.collect([0] * 200_000, bits=TestBits(7))
    estimates = survey.mechanism.estimate(reports)
    deviation = math.sqrt(survey.mechanism.variance() / 200_000)
    # Answers that nobody has: within 5.5 deviations, all four, with a false alarm below 1e-6.
    assert (np.abs(estimates[1:]) < 5.5 * deviation).all()


def test_the_encoding_that_varies_least_is_chosen():
    assert Survey(range(4), epsilon=1).encoding == "direct"
    assert Survey(range(100), epsilon=1).encoding == "optimised"
    for answers in (4, 9, 12, 40):
        kept = Survey(range(answers), epsilon=1).mechanism.variance()
        others = [Survey(range(answers), epsilon=1, encoding=way).mechanism.variance() for way in ENCODINGS]
        assert kept == min(others)


def test_symmetric_bits_cost_two_responses_of_half_the_loss():
    mechanism = UnaryEncoding(epsilon=1, values=5)
    half = RandomizedResponse(epsilon="1/2")
    assert mechanism.cost(Distance.l1(1), ZCDP).rho == 2 * half.cost(Distance.l1(1), ZCDP).rho
    both = compose([(half, 2)], delta="0.01", relation="change-one").epsilon
    assert compose([Survey(range(5), epsilon=1, encoding="symmetric").event()], delta="0.01").epsilon == pytest.approx(
        both, rel=1e-6
    )


def test_the_local_model_is_compared_with_a_curator():
    row = Survey(["yes", "no"], epsilon=1).beside_central(1_000_000)
    assert row.local / row.central > 600
    assert row.worth < 2000


def test_many_possible_answers_are_estimated_by_name():
    mechanism = RandomizedResponse(epsilon=60, values=10**12)
    assert mechanism.estimate([5, 5, 10**11], answers=[5, 7]).round(6).tolist() == pytest.approx([2 / 3, 0], abs=1e-6)
    with pytest.raises(PartitaError, match="Name those you want to know about"):
        mechanism.estimate([5])


def test_yes_and_no_are_answers():
    reports = RandomizedResponse(epsilon=60).release([True, False, True], bits=TestBits(1))
    assert reports.tolist() == [1, 0, 1]
    assert RandomizedResponse(epsilon=60).estimate(reports == 1).round(6).tolist() == pytest.approx(
        [1 / 3, 2 / 3], abs=1e-6
    )
    assert UnaryEncoding(epsilon=90).release([True], bits=TestBits(1)).tolist() == [[False, True]]


BAD = {
    "one answer": lambda: Survey(["a"], epsilon=1),
    "an answer twice": lambda: Survey(["a", "a"], epsilon=1),
    "no list": lambda: Survey(5, epsilon=1),
    "answers that are lists": lambda: Survey([[1], [2]], epsilon=1),
    "no loss": lambda: Survey(["a", "b"], epsilon=0),
    "encoding": lambda: Survey(["a", "b"], epsilon=1, encoding="morse"),
    "unknown answer": lambda: Survey(["a", "b"], epsilon=1).collect(["c"]),
    "reports of another kind": lambda: Survey(["a", "b"], epsilon=1).estimate([[0, 1]]),
    "reports beyond the list": lambda: Survey(["a", "b"], epsilon=1).estimate([2]),
    "no reports": lambda: Survey(["a", "b"], epsilon=1).estimate(np.array([], dtype=int)),
    "bits that are none": lambda: Survey(range(50), epsilon=1).estimate(np.full((2, 50), 2)),
    "too few bits": lambda: Survey(range(50), epsilon=1).estimate(np.zeros((2, 3), dtype=int)),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_cannot_be_asked_is_refused(name):
    with pytest.raises(PartitaError):
        BAD[name]()


def test_an_interval_reaches_the_ends():
    assert interval(0.0, 10, 0.025)[0] == 0.0
    assert interval(1.0, 10, 0.025)[1] == 1.0
