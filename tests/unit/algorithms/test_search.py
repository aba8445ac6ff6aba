"""Searching among models: one price for all of them, and scores that no row moves further than is said."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.algorithms import LinearRegression, LogisticRegression, PrivateSearch
from partita.algorithms.estimators.search import stop_for
from partita.errors import PartitaError
from partita.mechanisms.repeated import Repeated
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure
from tests.sizes import tried

CLASSIFIER = LogisticRegression(bounds=(-1, 1), classes=[0, 1])
REGRESSOR = LinearRegression(bounds=(-1, 1), target_bounds=(-2, 2))
SETTINGS = {"regulariser": [0, 10, 1000], "row_norm": [0.5, 1]}
numbers = st.one_of(st.floats(-3, 3), st.sampled_from([float("nan"), float("inf"), -1e308, 1e308, 0.0]))


def points(count=3000, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-1, 1, (count, 2))
    return X, (X @ [2.0, -1.0] + draw.normal(0, 0.3, count) > 0).astype(int)


def planned(estimator, candidates, **options):
    search = PrivateSearch(estimator, candidates, epsilon=1, **options)
    X, y = points(20)
    return search.fit(X, y, bits=TestBits(1)).learner_


CLASSES = planned(CLASSIFIER, SETTINGS, tries=2)
NUMBERS = planned(REGRESSOR, [{"row_norm": 1}, {}], tries=2)


def test_a_search_finds_a_good_model_at_the_price_that_was_said():
    X, y = points()
    search = PrivateSearch(CLASSIFIER, SETTINGS, epsilon=2, tries=12).fit(X, y, bits=TestBits(3))
    assert search.score(X, y) > 0.85
    assert search.best_params_["regulariser"] in SETTINGS["regulariser"]
    assert abs(search.best_score_ - search.score(X, y) * len(X)) < 200
    assert search.guarantee().epsilon == pytest.approx(2, rel=1e-9)
    line = PrivateSearch(REGRESSOR, [{"row_norm": 0.1}, {}], epsilon=2, tries=12, shape=1)
    # Now and then there is one try only, and it may be the worse candidate.
    scores = [line.fit(X, X @ [1.0, 0.5], bits=TestBits(seed)).score(X, X @ [1.0, 0.5]) for seed in range(7)]
    assert np.median(scores) > 0.9
    assert line.guarantee().epsilon == pytest.approx(2, rel=1e-9)


def test_more_candidates_cost_nothing_and_more_tries_neither():
    few, many = (planned(CLASSIFIER, SETTINGS, tries=tries) for tries in (2, 30))
    lots = planned(CLASSIFIER, {"regulariser": list(range(40))}, tries=2)
    costs = {learner.losses()[0].cost(Pure).epsilon for learner in (few, many, lots)}
    assert max(costs) <= 1
    assert max(costs) - min(costs) < Fraction(1, 10**6)


@pytest.mark.parametrize(("learner", "shape"), [(CLASSES, 0), (NUMBERS, 0)], ids=["classes", "numbers"])
@pytest.mark.parametrize("changed", [False, True])
def test_the_price_is_that_of_the_dearest_candidate_and_its_score(learner, shape, changed):
    """The sum written out again, in place of trusting the plan."""
    for rows in (1, 3):
        tries = []
        for one in learner.candidates:
            own = sum(
                event.count * event.mechanism.cost(event.distance, Pure).epsilon
                for event in one.losses(rows, changed=changed)
            )
            tries.append(own + Fraction(rows * learner.most) / learner.scoring.scale)
        (event,) = learner.losses(rows, changed=changed)
        assert event.cost(Pure).epsilon == (2 + shape) * max(tries)
        assert isinstance(event.mechanism, Repeated)


@pytest.mark.soak
@settings(max_examples=tried(40, soaking=5000))
@given(
    rows=st.lists(st.tuples(numbers, numbers, st.sampled_from([0.0, 1.0, float("nan"), 0.5, -1.0, 9.0])), max_size=5),
    other=st.tuples(numbers, numbers, numbers),
    weights=st.lists(numbers, min_size=3, max_size=3),
)
@pytest.mark.parametrize("learner", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_no_row_moves_a_score_further_than_is_said(learner, rows, other, weights):
    a, b, level = weights
    learnt = {"coefficients": [[a, b]], "intercepts": [level], "intercept": level}
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    score = learner.exact_score(table, learnt)
    assert 0 <= score <= learner.most * len(table)
    more = np.vstack([np.array([other]), table])
    assert 0 <= learner.exact_score(more, learnt) - score <= learner.most
    # Wherever it stands, and whatever it replaces.
    assert learner.exact_score(more[::-1].copy(), learnt) == learner.exact_score(more, learnt)
    if len(table):
        changed = np.vstack([np.array([other]), table[1:]])
        assert abs(learner.exact_score(changed, learnt) - score) <= learner.most


@pytest.mark.parametrize("learner", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_rows_that_are_none_or_hold_nothing_are_learnt_from_all_the_same(learner):
    for table in (np.zeros((0, 3)), np.full((4, 3), np.nan)):
        found = learner.learn(table, bits=TestBits(1))
        assert set(found) == {"candidate", "score", "learnt"}


def test_only_the_kept_try_is_told_and_the_number_of_tries_is_drawn_anew(monkeypatch):
    drawn = []
    own = Repeated.runs

    def counted(self, *, bits=None):
        drawn.append((own(self, bits=bits), self.stop, self.shape))
        return drawn[-1][0]

    monkeypatch.setattr(Repeated, "runs", counted)
    learner = dataclasses.replace(CLASSES, stop=Fraction(1, 3), shape=Fraction(1))
    X, y = points(30)
    documents = [learner.learn(np.column_stack([X, y]), bits=TestBits(seed)) for seed in range(12)]
    assert len({count for count, _, _ in drawn}) > 1
    assert {(stop, shape) for _, stop, shape in drawn} == {(Fraction(1, 3), Fraction(1))}
    assert all(set(found) == {"candidate", "score", "learnt"} for found in documents)


@pytest.mark.parametrize(
    "promise",
    [pt.Promise(pt.rows(), pt.Pure(epsilon=2)), pt.Promise(pt.replace(), pt.Pure(epsilon=3))],
    ids=["add/remove", "change-one"],
)
def test_a_curator_is_paid_once_for_the_whole_search(promise):
    X, y = points(800)
    rows = [{"a": float(a), "b": float(b), "y": bool(one)} for (a, b), one in zip(X, y, strict=True)]
    columns = {"a": pt.decimals(-1, 1, step="0.01"), "b": pt.decimals(-1, 1, step="0.01"), "y": pt.booleans()}
    with pt.Curator(
        tables=[pt.Table("t", rows, columns)], promises=[promise], ledger=":memory:", bits=TestBits(5)
    ) as keeper:
        made = PrivateSearch(
            LogisticRegression(), SETTINGS, epsilon=1, tries=3, relation=str(promise.granularity.relation.value)
        )
        search = made.fit_from(keeper, "t", columns=["a", "b"], target="y")
        assert 0.9 < float(search.outcome_.cost.epsilon) <= 1
        left = keeper.remaining()
        again = made.fit_from(keeper, "t", columns=["a", "b"], target="y")
        assert again.outcome_.free
        assert keeper.remaining() == left
        assert again.best_params_ == search.best_params_
        assert set(search.predict([[0.9, -0.9], [-0.9, 0.9]])) <= {True, False}
        with pytest.raises(pt.BudgetExceeded):
            PrivateSearch(LogisticRegression(), SETTINGS, epsilon=50, tries=3).fit_from(
                keeper, "t", columns=["a", "b"], target="y"
            )


@pytest.mark.parametrize("shape", ["-1/2", "0", "1", "3"])
def test_there_are_about_as_many_tries_as_were_asked_for(shape):
    stop = stop_for(Fraction(25), Fraction(shape))
    assert Repeated(epsilon=1, stop=stop, shape=shape).mean == pytest.approx(25, rel=1e-3)


def test_a_search_that_makes_no_sense_is_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(Repeated, "release", lambda *_, **__: pytest.fail("a row was read"))
    X, y = points(20)
    price = {"epsilon": 1}
    for estimator, candidates, options in [
        (CLASSIFIER, {"regulariser": [0]}, price),
        (CLASSIFIER, [], price),
        (CLASSIFIER, {}, price),
        (CLASSIFIER, {"regulariser": range(10**5), "row_norm": range(1, 10**4)}, price),
        (CLASSIFIER, [{"epsilon": 1}, {"epsilon": 2}], price),
        (CLASSIFIER, {"unknown": [1, 2]}, price),
        (CLASSIFIER, {"regulariser": "ab"}, price),
        (CLASSIFIER, 7, price),
        (CLASSIFIER, SETTINGS, {}),
        (CLASSIFIER, SETTINGS, {**price, "tries": 0}),
        (CLASSIFIER, SETTINGS, {**price, "tries": 10**9}),
        (CLASSIFIER, SETTINGS, {**price, "shape": -2}),
        (CLASSIFIER, SETTINGS, {**price, "shape": -1}),
        (CLASSIFIER, SETTINGS, {**price, "scoring": 1}),
        (CLASSIFIER, SETTINGS, {"epsilon": float("nan")}),
        (LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]), SETTINGS, price),
        (LogisticRegression(bounds=(-1, 1), classes=[0]), SETTINGS, price),
        (LogisticRegression(classes=[0, 1]), SETTINGS, price),
        (LinearRegression(bounds=(-1, 1)), [{"row_norm": 1}, {}], price),
        (pt.algorithms.KMeans(2, bounds=(-1, 1)), [{"n_clusters": 2}, {"n_clusters": 3}], price),
        (None, SETTINGS, price),
    ]:
        with pytest.raises(PartitaError):
            PrivateSearch(estimator, candidates, **options).fit(X, y)


def test_the_unit_of_a_whole_search_is_one_step():
    (event,) = CLASSES.losses()
    assert event.distance == Distance.l1(1)
