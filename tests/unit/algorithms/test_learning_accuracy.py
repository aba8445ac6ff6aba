"""What learners say of their own error holds in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Exact

from partita.algorithms import LogisticRegression
from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.principal import Principal
from partita.composition.calibration.pricing import Price
from partita.sampling.bits import TestBits

PRICE = Price.of(epsilon="0.5")


def cloud(rows=3000, seed=0):
    return np.clip(np.random.default_rng(seed).normal([0.2, -0.1], 0.1, (rows, 2)), -1, 1)


@pytest.mark.parametrize("name", ["grid", "lloyd"])
def test_a_centre_is_off_by_about_the_deviation_that_is_said(name):
    rows = cloud()
    plans = {
        "grid": Clusters.plan(Lattice.of((-1, 1), features=2, steps=STEPS), 1, PRICE),
        "lloyd": Lloyd.plan(2, clusters=1, turns=2, price=PRICE, middle=(0.0, 0.0), radius=2.0),
    }
    off = []
    for seed in range(120):
        found = plans[name].learn(rows, bits=TestBits(seed))
        off.append((np.array(found["centres"][0]) - rows.mean(axis=0)) / found["error"][0])
    # 240 coordinates in deviations; what is beyond the noise on sums (counts, the edge of the ball) may add as much.
    spread = float(np.sqrt(np.mean(np.square(off))))
    assert 0.5 < spread < 2.5


def test_descent_exceeds_the_least_loss_by_no_more_than_its_bound():
    draw = np.random.default_rng(3)
    rows = draw.uniform(-1, 1, (4000, 2))
    labels = (draw.uniform(size=4000) < 1 / (1 + np.exp(-3 * rows[:, 0]))).astype(float)
    box = Lattice.of((-1, 1), features=2, steps=UNIT)
    learner = Descent.plan(box, 2, np.sqrt(2), Price.of(rho="0.05"), turns=25, radius=5.0)

    def loss(slopes, level):
        score = rows @ slopes + level
        return float(np.mean(np.logaddexp(0, score) - labels * score))

    from scipy.optimize import minimize

    least = minimize(lambda w: loss(w[:2], w[2]), np.zeros(3)).fun
    excess = []
    for seed in range(20):
        found = learner.learn(np.column_stack([rows, labels]), bits=TestBits(seed))
        excess.append(loss(np.array(found["coefficients"][0]), found["intercepts"][0]) - least)
    assert 0 <= np.mean(excess) <= learner.excess(4000)


def test_a_variance_is_off_by_no_more_than_noise_allows():
    rows = np.random.default_rng(1).normal(0, 1, (5000, 3)) * [0.3, 0.1, 0.05]
    learner = Principal.plan(Lattice.of((-1, 1), features=3, steps=UNIT, one_scale=True), np.sqrt(3), PRICE)
    exact = np.sort(np.linalg.eigvalsh(np.cov(np.clip(rows, -1, 1).T)))[::-1]
    outside = 0
    for seed in range(40):
        found = learner.learn(rows, bits=TestBits(seed))
        outside += bool((np.abs(np.array(found["variances"]) - exact) > found["error"] + 0.002).any())
    assert outside <= 10


def test_a_direction_is_turned_by_about_the_angle_that_is_said():
    draw = np.random.default_rng(1)
    rows = np.clip(draw.normal(0, 1, (20_000, 3)) * [0.35, 0.2, 0.05], -1, 1)
    learner = Principal.plan(Lattice.of((-1, 1), features=3, steps=UNIT, one_scale=True), np.sqrt(3), PRICE)
    values, exact = np.linalg.eigh(np.cov(rows.T))
    exact = exact.T[np.argsort(values)[::-1]]
    share = []
    for seed in range(40):
        found = learner.learn(rows, bits=TestBits(seed))
        across = 1 - (np.array(found["directions"]) * exact).sum(axis=1) ** 2
        share.append(across / np.square(found["turned"]))
    # The mean square of a sine over what is said of it; 40 runs of heavy-tailed ratios.
    assert (np.mean(share, axis=0) > 0.2).all()
    assert (np.mean(share, axis=0) < 5).all()


def classified(rows, spread, seed=0):
    draw = np.random.default_rng(seed)
    X = np.clip(draw.normal(0, spread, (rows, 3)), -1, 1)
    return X, (draw.uniform(size=rows) < 1 / (1 + np.exp(-X @ [2.0, -3.0, 1.0]))).astype(int)


SOLVERS = {"objective": {}, "gradient": {"delta": "1e-6", "solver": "gradient"}}


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.5, 0.15])
@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_coefficients_of_a_classifier_are_off_by_what_is_said(solver, spread):
    X, y = classified(20_000, spread)
    exact = Exact(C=1e9, max_iter=500).fit(X, y)
    truth = np.append(exact.coef_[0], exact.intercept_)
    off = []
    for seed in range(40):
        model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1], **SOLVERS[solver])
        model.fit(X, y, bits=TestBits(seed))
        errors = np.append(model.coef_error_[0], model.intercept_error_)
        off.append((np.append(model.coef_[0], model.intercept_) - truth) / errors)
    # 160 intervals of about 95%, four of them from one fit: fewer than 128 inside, or errors five times too wide, is no
    # accident.
    assert (np.abs(off) <= 1.96).sum() >= 128
    assert np.sqrt(np.mean(np.square(off))) > 0.2


def test_the_error_of_chance_is_the_one_that_statistics_knows():
    X, y = classified(50_000, 0.5)
    chance = 1 / (1 + np.exp(-X @ [2.0, -3.0, 1.0]))
    extended = np.column_stack([X, np.ones(len(X))])
    known = np.sqrt(np.diag(np.linalg.inv((extended * (chance * (1 - chance))[:, None]).T @ extended)))
    for options in SOLVERS.values():
        model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1], **options).fit(X, y, bits=TestBits(1))
        found = np.append(model.coef_sampling_error_[0], model.intercept_sampling_error_)
        assert found == pytest.approx(known, rel=0.25)


def test_errors_of_three_classes_are_those_of_what_tells_them_apart():
    draw = np.random.default_rng(0)
    y = draw.integers(0, 3, 20_000)
    X = np.clip(np.array([[-0.3, 0], [0.3, 0], [0, 0.4]])[y] + draw.normal(0, 0.3, (20_000, 2)), -1, 1)
    exact = Exact(C=1e9, max_iter=500).fit(X, y)
    truth = exact.coef_ - exact.coef_.mean(axis=0)
    for options in SOLVERS.values():
        model = LogisticRegression(epsilon=2, bounds=(-1, 1), classes=[0, 1, 2], **options).fit(X, y, bits=TestBits(3))
        assert model.coef_error_.shape == (3, 2)
        assert np.abs(model.coef_.sum(axis=0)).max() < 1e-9
        assert (np.abs(model.coef_ - truth) <= 5 * model.coef_error_).all()
