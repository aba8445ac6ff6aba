"""The auditor finds what there is, in outputs of every shape, and no more than there is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from partita.attacks.audits.audit import Audit, audit
from partita.errors import InvalidInput
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

ONE_IN_A_BILLION = "0.999999999"


def coin(generator: np.random.Generator, epsilon: float = 1.0):
    """Randomised response, many at once: its loss is exactly epsilon."""
    keep = 1 / (1 + math.exp(-epsilon))
    return lambda bit, n: np.where(generator.random(n) < keep, bit, 1 - bit)


def rounded(noise, generator: np.random.Generator, scale: float = 100.0):
    """Integer noise around a number."""
    return lambda value, n: np.rint(getattr(generator, noise)(value, scale, n)).astype(np.int64)


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20)


def test_a_coin_is_measured_almost_exactly(generator):
    shown = audit(coin(generator), 0, 1, batch=True, trials=1_000_000, confidence=ONE_IN_A_BILLION)
    assert 0.97 < shown.epsilon <= 1
    assert shown.likelier in {"first", "second"}
    assert shown.runs == 500_000


@pytest.mark.parametrize(
    ("dress", "words"),
    [
        (lambda bit: int(bit), "output"),
        (lambda bit: "yes" if bit else "no", "output is"),
        (lambda bit: None if bit else "no", "output is"),
        (lambda bit: {"a": 1, "b": 2} if bit else {"a": 1}, "output is"),
        (lambda bit: (1, "x") if bit else (1,), "output"),
        (lambda bit: frozenset({"x"}) if bit else frozenset(), "output is"),
        (lambda bit: (5, 5 + bit, 5), "output[1]"),
        (lambda bit: np.array([[0, bit], [0, 0]]), "output[1]"),
        (lambda bit: float("nan") if bit else 1.0, "output"),
        (lambda bit: 10**400 if bit else -(10**400), "output"),
    ],
)
def test_a_difference_is_found_whatever_the_output_looks_like(dress, words, generator):
    keep = generator.random(4 * 20_000) < 0.75
    answers = iter(keep.tolist())
    shown = audit(lambda bit: dress(bit if next(answers) else 1 - bit), 0, 1, trials=20_000)
    assert 0.9 < shown.epsilon <= math.log(3)
    assert shown.event.startswith(words)


def test_equal_inputs_show_nothing(generator):
    for release in (coin(generator), rounded("laplace", generator), lambda value, n: [generator.bytes(4)] * n):
        shown = audit(release, 0, 0, batch=True, trials=20_000, confidence=ONE_IN_A_BILLION)
        assert shown.epsilon == 0
        assert not shown.falsifies(0)


def test_the_confidence_is_kept_however_many_events_are_tried(generator):
    rounds, wrong = 300, 0
    for _ in range(rounds):
        shown = audit(rounded("laplace", generator, 3.0), 0, 3, batch=True, trials=400, confidence=0.8)
        wrong += shown.epsilon > 1
    assert binom.sf(wrong - 1, rounds, 0.2) > 1e-6


def test_a_vector_is_read_along_its_most_telling_direction(generator):
    shift = np.full(9, 20)

    def release(bit, n):
        return np.rint(generator.normal(0, 60, (n, 9)) + bit * shift).astype(int)

    shown = audit(release, 0, 1, batch=True, trials=100_000, claim=GDP(mu="0.8"), confidence=ONE_IN_A_BILLION)
    assert shown.falsifies(GDP(mu="0.8"))  # the truth is 1; one coordinate alone shows a third
    assert not shown.falsifies(GDP(mu=1))


def test_a_histogram_in_which_one_cell_moves_is_caught_in_that_cell(generator):
    cells = np.arange(40) * 100

    def release(extra, n):
        return np.rint(cells + generator.laplace(0, 10, (n, 40)) + extra * (np.arange(40) == 31) * 10).astype(int)

    shown = audit(release, 0, 1, batch=True, trials=100_000)
    assert 0.8 < shown.epsilon <= 1
    assert "[31]" in shown.event


def test_scattered_values_are_weighed_one_by_one(generator):
    """Even and odd outputs differ: no threshold on the value itself shows it."""

    def release(bit, n):
        return 2 * generator.integers(0, 50, n) + (generator.random(n) < (0.9 if bit else 0.1))

    shown = audit(release, 0, 1, batch=True, trials=100_000)
    assert shown.epsilon > 2
    assert shown.event.startswith("log-likelihood")


def test_a_gaussian_is_read_at_its_delta(generator):
    release = rounded("normal", generator)
    truth = float(GDP(mu=1).epsilon_at(ratio := Pure(epsilon="0.05").epsilon))
    shown = audit(release, 0, 100, batch=True, trials=1_000_000, delta=ratio, confidence=ONE_IN_A_BILLION)
    assert 0.9 * truth < shown.epsilon <= truth


def test_a_claim_is_falsified_only_beyond_the_truth(generator):
    shown = audit(coin(generator, 2.0), 0, 1, batch=True, trials=200_000, confidence=ONE_IN_A_BILLION)
    truth = [Pure(epsilon=2), Approximate(epsilon=2, delta="1e-9"), ZCDP(rho="1.5232"), GDP(mu="2.3623")]
    truth += [Renyi(orders=[2, 8], taus=["1.876", "1.982"])]
    lies = [Pure(epsilon="1.9"), Approximate(epsilon="1.9", delta="0.001"), ZCDP(rho="1.4"), GDP(mu="2.2")]
    lies += [Renyi(orders=[2, 8], taus=["1.876", "1.8"])]
    assert not any(shown.falsifies(claim) for claim in truth)
    assert all(shown.falsifies(claim) for claim in lies)
    assert shown.falsifies("1.9")
    assert not shown.falsifies(2)


def test_the_words_are_honest(generator):
    shown = audit(coin(generator), 0, 1, batch=True, trials=10_000)
    assert "absence of falsification proves nothing" in str(shown)
    assert "with 99.9% confidence" in str(shown)
    assert f"{shown.hits:,} times on the {shown.likelier}" in str(shown)
    nothing = audit(coin(generator), 0, 0, batch=True, trials=1_000, delta="1e-6")
    assert str(nothing) == (
        "The audit shows nothing above ε = 0 at δ = 1e-06 (500 runs on each input, 99.9% confidence). "
        "An audit can refute a claim and cannot confirm one: absence of falsification proves nothing."
    )


def test_an_error_of_the_release_is_the_callers_own():
    def release(data):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        audit(release, 0, 1)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"trials": 99}, "number.too-small"),
        ({"trials": 1000.5}, "number.not-whole"),
        ({"trials": float("inf")}, "number.not-finite"),
        ({"trials": True}, "number.not-a-number"),
        ({"confidence": 1}, "number.outside-unit-interval"),
        ({"confidence": 0}, "number.outside-unit-interval"),
        ({"confidence": float("nan")}, "number.not-finite"),
        ({"delta": -1e-9}, "number.negative"),
        ({"delta": None}, "number.not-a-number"),
        ({"claim": "one"}, "audit.not-a-claim"),
        ({"release": 7}, "audit.not-callable"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(bad, code):
    calls: list[object] = []
    arguments = {"release": calls.append, "first": 0, "second": 1, **bad}
    with pytest.raises(InvalidInput) as refusal:
        audit(**arguments)
    assert refusal.value.code == code
    assert not calls


def test_a_claim_that_is_no_number_and_no_loss_is_refused():
    shown = Audit(1.0, Pure(epsilon=0).epsilon, Pure(epsilon="0.9").epsilon, 10, 5, "x", "first", 5, 0, 0.9, 0.1)
    for claim in (None, "many", float("nan"), True, -1):
        with pytest.raises(InvalidInput):
            shown.falsifies(claim)
