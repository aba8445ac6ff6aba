"""Training in noisy steps: rows are clipped by themselves, and a plan's steps and samples are used once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import partita as pt
from partita.algorithms import TrainingPlan
from partita.algorithms.learning import clipping
from partita.algorithms.learning.clipping import RADIUS, clipped
from partita.attacks.laboratory.models import infer_from_model
from partita.composition.exchange.interchange import to_dp_accounting
from partita.errors import PartitaError
from partita.sampling.bits import TestBits
from tests.sizes import tried

# So little noise that it is rounded away: what is released is the exact sum.
SILENT = {"clip": 1, "noise_multiplier": "1e-12"}
NUMBERS = st.one_of(
    st.floats(-2, 2),
    st.floats(),
    st.sampled_from([np.nan, np.inf, -np.inf, 5e-324, 1e308, -1.7e308, 1e-160, 2.0**40]),
)


@pytest.mark.soak
@settings(max_examples=tried(100, soaking=3000))
@given(
    vectors=arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=NUMBERS),
    clip=st.sampled_from([1.0, 1e-3, 3.7, 1e300, 1e-300]),
)
def test_no_row_is_longer_than_said_and_none_depends_on_another(vectors, clip):
    found = clipped(vectors, clip)
    assert max(sum(int(code) ** 2 for code in line) for line in found) <= RADIUS**2
    for place, line in enumerate(vectors):
        assert (clipped(line[None, :], clip) == found[place]).all()
    assert (clipped(vectors[::-1].copy(order="F"), clip) == found[::-1]).all()


@pytest.mark.soak
@settings(max_examples=tried(30, soaking=1000))
@given(vectors=arrays(np.float64, (3, 4), elements=st.floats(-3, 3, width=32)), clip=st.sampled_from([0.5, 1.0, 2.0]))
def test_a_row_is_shortened_and_hardly_changed(vectors, clip):
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    meant = vectors / np.maximum(norms / clip, 1)
    assert np.abs(clipped(vectors, clip) * clip / RADIUS - meant).max() <= clip * 1e-5


@pytest.mark.parametrize("at_once", [1 << 22, 1 << 15, 3])
def test_vectors_of_many_entries_keep_their_bound_too(monkeypatch, at_once):
    monkeypatch.setattr(clipping, "_AT_ONCE", at_once)
    flat = clipped(np.full((2, 1 << 12 if at_once == 3 else 1 << 17), 0.3), 1.0)
    assert 0.99 < int((flat[0] * flat[0]).sum()) / RADIUS**2 <= 1
    assert (flat[0] == flat[1]).all()


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
def test_one_row_moves_a_step_by_no_more_than_the_plan_says(relation):
    """Whole runs with the noise rounded away, with and without a row, or with another in its place."""
    plan = TrainingPlan(rows=8, batch=8, steps=1, relation=relation, **SILENT)
    [event] = plan.events()
    draw = np.random.default_rng(5)
    for _ in range(30):
        rows = draw.normal(0, 10.0 ** draw.integers(-2, 3), (8, 3))
        other = np.vstack([rows[:7], -5 * rows[7:]]) if relation == "change-one" else rows[:7]
        sums = [plan.start(len(one)) for one in (rows, other)]
        [first, second] = [
            run.release(one[run.sample()]) * 8 * RADIUS for run, one in zip(sums, (rows, other), strict=True)
        ]
        assert np.rint(first - second) @ np.rint(first - second) <= event.distance.power * (1 + 1e-12)


def test_parts_of_a_sample_and_groups_of_weights_give_the_same_step():
    plan = TrainingPlan(rows=10, batch=10, steps=2, **SILENT)
    rows = np.random.default_rng(3).normal(size=(10, 6))
    run = plan.start(10)
    chosen = run.sample()
    whole = run.release(rows[chosen])
    for part in np.array_split(run.sample(), 3):
        run.add(rows[part, :2], rows[part, 2:].reshape(-1, 2, 2))
    narrow, square = run.release()
    assert narrow.shape == (2,)
    assert square.shape == (2, 2)
    assert np.concatenate([narrow, square.ravel()]) == pytest.approx(whole, abs=0)


def test_the_noise_is_that_of_the_plan():
    plan = TrainingPlan(rows=100, batch=50, steps=1, clip=2, noise_multiplier=3)
    noise = plan.start(0, bits=TestBits(4))
    noise.sample()
    found = noise.release(np.zeros((0, 40_000)))
    assert plan.error() == pytest.approx(3 * 2 / 50)
    assert found.std() == pytest.approx(plan.error(), rel=0.02)  # six deviations


@pytest.mark.parametrize("multiplier", ["1", "2"])
def test_totals_agree_with_another_library(multiplier):
    from dp_accounting.pld import PLDAccountant

    plan = TrainingPlan(rows=10_000, batch=100, steps=100, clip="0.3", noise_multiplier=multiplier)
    other = PLDAccountant()
    other.compose(to_dp_accounting(plan.events()))
    ours = float(plan.guarantee(delta="1e-6").epsilon)
    assert ours == pytest.approx(other.get_epsilon(1e-6), rel=2e-3)


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
def test_the_noise_found_keeps_the_promise_and_is_nearly_the_least(relation):
    options = {"rows": 1000, "batch": 50, "epochs": 5, "clip": 1, "relation": relation}
    plan = TrainingPlan(epsilon=2, delta="1e-6", **options)
    assert plan.steps == 100
    assert plan.guarantee(delta="1e-6").epsilon <= 2
    less = TrainingPlan(noise_multiplier=plan.noise_multiplier * 0.99, **options)
    assert less.guarantee(delta="1e-6").epsilon > 2


def trained(rows, labels, plan):
    weights = np.zeros(rows.shape[1])
    run = plan.start(len(rows), bits=TestBits(6))
    for chosen in run:
        signs = np.where(labels[chosen], 1.0, -1.0)
        pulls = signs / (1 + np.exp(np.clip(signs * (rows[chosen] @ weights), -50, 50)))
        weights = weights + 3 * run.release(pulls[:, None] * rows[chosen])
    return lambda given: given @ weights


def test_a_model_trained_by_a_plan_withstands_what_finds_out_one_with_too_little_noise():
    told = {}
    for name, price in {"kept": {"epsilon": 1, "delta": "1e-9"}, "broken": {"noise_multiplier": "0.001"}}.items():
        plan = TrainingPlan(rows=200, batch=100, steps=20, clip=1, **price)
        told[name] = infer_from_model(
            lambda rows, labels, plan=plan: trained(rows, labels, plan),
            epsilon=1,
            canaries=200,
            features=400,
            bits=TestBits(8),
        )
    assert told["kept"].withstood
    assert not told["broken"].withstood


def refusal(call):
    with pytest.raises(PartitaError) as caught:
        call()
    return caught.value.code


PLAN = {"rows": 100, "batch": 10, "steps": 2, "clip": 1, "noise_multiplier": 1}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"batch": 101}, "training.batch-too-large"),
        ({"epochs": 1}, "training.one-length"),
        ({"steps": None}, "training.one-length"),
        ({"epsilon": 1}, "training.one-amount"),
        ({"noise_multiplier": None, "epsilon": 1}, "training.one-amount"),
        ({"relation": "rows"}, "learning.one-of"),
        ({"rows": 0}, None),
        ({"steps": 0}, None),
        ({"clip": 0}, None),
        ({"clip": float("nan")}, None),
        ({"noise_multiplier": -1}, None),
        ({"noise": 1}, None),
    ],
)
def test_plans_that_make_no_sense_are_refused(changes, code):
    found = refusal(lambda: TrainingPlan(**{**PLAN, **changes}))
    assert code in (None, found)


def test_a_sample_is_released_once_and_steps_end():
    run = TrainingPlan(**PLAN).start(100)
    one = lambda count: np.zeros((count, 3))  # noqa: E731
    assert refusal(lambda: run.release(one(0))) == "training.no-sample"
    chosen = run.sample()
    assert refusal(lambda: run.release()) == "training.no-gradients"
    assert refusal(lambda: run.release(one(len(chosen) + 1))) == "training.other-rows"
    run.sample()
    assert run.left == 0
    assert refusal(lambda: run.sample()) == "training.out-of-steps"
    assert refusal(lambda: run.add(one(1), one(2))) == "training.other-shapes"
    assert refusal(lambda: run.add(3.0)) == "training.other-shapes"
    assert refusal(lambda: run.add(["a"])) == "learning.not-numbers"
    run.add(one(1))
    assert refusal(lambda: run.add(np.zeros((1, 4)))) == "training.other-shapes"


def test_a_released_sample_is_gone():
    run = TrainingPlan(**PLAN).start(20)
    run.release(np.zeros((len(run.sample()), 3)))
    assert refusal(lambda: run.release(np.zeros((0, 3)))) == "training.no-sample"
    assert refusal(lambda: run.add(np.zeros((0, 3)))) == "training.no-sample"


def test_what_a_plan_composes_with_is_a_plan_of_anybody():
    plan = TrainingPlan(**PLAN)
    assert pt.compose([*plan.events(), (pt.GaussianNoise(sigma=10), 1)], delta="1e-6").epsilon > 0
