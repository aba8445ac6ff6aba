"""Every attack of the laboratory succeeds where nothing protects the data, and fails against Partita."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest

import partita as pt
from partita.attacks.catalogue import ATTACKS
from partita.attacks.cohort import Cohort, made
from partita.attacks.laboratory.differencing import difference
from partita.attacks.laboratory.reconstruction import METHODS, reconstruct
from partita.query.noise.quote import Quote
from partita.sampling.bits import TestBits

SLOW = {"reconstruction", "reconstruction-lp", "reconstruction-exhaustive", "collusion", "timing", "errors"}
# Smaller where a few seconds would do as well, and time that other processes cannot disturb.
SMALLER: dict[str, dict[str, Any]] = {
    "reconstruction": {"people": 32, "questions": 128},
    "reconstruction-lp": {"people": 24},
    "reconstruction-exhaustive": {"people": 6},
    "collusion": {"analysts": 30},
    "errors": {"wards": 24},
    "timing": {"wards": 40, "clock": time.thread_time_ns},
}
SMALLEST = {"reconstruction": {"people": 16, "questions": 64}, "reconstruction-lp": {"people": 12}}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in ATTACKS]
)
def test_it_succeeds_without_protection_and_fails_against_partita(name):
    outcome = ATTACKS[name](bits=TestBits(20), **SMALLER.get(name, {}))
    assert outcome.works
    assert outcome.withstood
    assert outcome.against < outcome.without
    if name.startswith("reconstruction"):
        near_chance(outcome)


def near_chance(outcome):
    """Theory G1: at least 95% of the people without protection, at most 60% with a promise of ε ≤ 5."""
    assert outcome.without >= 0.95
    assert outcome.against <= 0.60


@pytest.mark.slow
def test_least_squares_stays_near_chance_up_to_five():
    near_chance(reconstruct(epsilon=5, people=32, questions=128, bits=TestBits(5)))


@pytest.mark.parametrize("name", ["reconstruction", "reconstruction-lp", "reconstruction-exhaustive"])
def test_a_reconstruction_of_this_size_finds_out_a_curator_without_noise(name, monkeypatch):
    monkeypatch.setattr(Quote, "release", lambda self, tallies, **_: np.asarray(tallies, dtype=object))
    outcome = ATTACKS[name](bits=TestBits(20), **(SMALLER[name] | SMALLEST.get(name, {})))
    assert outcome.against >= 0.95
    assert not outcome.withstood


@pytest.mark.parametrize("people", [4, 8])
@pytest.mark.parametrize("error", [0, 1])
def test_every_table_consistent_with_all_answers_is_near_the_truth(people, error):
    """Theory G1a: within E of every subset count means at most 4E people wrong."""
    bits = TestBits(people)
    subsets = ((np.arange(1, 2**people)[:, None] >> np.arange(people)) & 1).astype(float)
    truth = (bits.words(20 * people) >> np.uint64(63)).astype(float).reshape(people, 20)
    off = (bits.words(len(subsets) * 20).astype(float) * 2.0**-63 - 1).reshape(-1, 20) * error
    guess = METHODS["exhaustive"](subsets, subsets @ truth + off)
    assert (np.abs(guess - truth).sum(axis=0) <= 4 * error).all()


def test_a_clock_that_tells_nothing_helps_nobody():
    ticks = itertools.count()
    outcome = ATTACKS["timing"](wards=20, bits=TestBits(3), clock=lambda: next(ticks))
    assert outcome.against == outcome.without == 0.5
    assert outcome.withstood


def test_a_curator_without_noise_is_found_out(monkeypatch):
    """An attack that cannot fail would be no test: with the noise taken away, Partita does not withstand it."""
    monkeypatch.setattr(Quote, "release", lambda self, tallies, **_: np.asarray(tallies, dtype=object))
    outcome = difference(among=made(100, 5, bits=TestBits(1)), bits=TestBits(2))
    assert outcome.against == 1
    assert not outcome.withstood


def test_an_attack_meets_the_refusals_of_any_analyst():
    elsewhere = pt.Table("visits", source=[{"age": 3}], columns={"age": pt.integers(0, 120)})
    stranger = pt.Curator(tables=[elsewhere], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    with pytest.raises(pt.QueryRefused) as asked:
        stranger.ask("SELECT COUNT(*) AS n FROM patients", epsilon=1)
    with pytest.raises(pt.QueryRefused) as attacked:
        difference(against=stranger, bits=TestBits(1))
    assert attacked.value.code == asked.value.code
    assert stranger.spent() == (pt.Pure(epsilon=0),)


def test_an_attack_is_held_to_the_limit_of_its_analyst():
    target = made(10, 5, bits=TestBits(1))
    curator = pt.Curator(tables=[target.table()], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    curator.session(analyst="eve", budget=pt.Pure(epsilon="0.1"))
    with pytest.raises(pt.BudgetExceeded):
        difference(among=target, against=curator, analyst="eve", bits=TestBits(1))
    assert curator.spent() == (pt.Pure(epsilon=0),)


def test_a_budget_in_another_measure_bounds_the_same_attack():
    target = made(50, 5, bits=TestBits(1))
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="1e-6"))
    curator = pt.Curator(tables=[target.table()], promises=[promise], bits=TestBits(4))
    outcome = difference(among=target, against=curator, epsilon=1, bits=TestBits(1))
    assert outcome.withstood
    assert 0.5 < outcome.allowed < 1


def test_what_is_allowed_grows_with_epsilon():
    allowed = [difference(among=made(20, 2, bits=TestBits(1)), epsilon=e, bits=TestBits(1)).allowed for e in (1, 2, 4)]
    assert allowed == sorted(allowed)
    assert allowed[0] == pytest.approx(0.7310586)


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_on_exact_answers(method):
    bits = TestBits(7)
    subsets = (bits.words(60 * 8) >> np.uint64(63)).astype(float).reshape(60, 8)
    truth = (bits.words(8 * 3) >> np.uint64(63)).astype(float).reshape(8, 3)
    assert ((METHODS[method](subsets, subsets @ truth) > 0.5) == truth).all()


def test_hopeless_requests_are_refused_in_words():
    with pytest.raises(pt.InvalidInput, match="Choose among"):
        reconstruct("magic")
    with pytest.raises(pt.InvalidInput, match="tries all"):
        reconstruct("exhaustive", people=20)


def test_an_outcome_is_plain_data_and_has_a_picture(tmp_path):
    import json

    from partita import canvas

    outcome = difference(among=Cohort(np.array([[True, False], [False, True]])), bits=TestBits(1))
    assert json.loads(json.dumps(outcome.document()))["works"] is True
    assert canvas.save(outcome.plot(), tmp_path / "attack.svg").read_text(encoding="utf-8").count("<path") > 3
    assert "against Partita" in str(outcome)
