"""One classifier of several custodians: rounds paid from their ledgers, and what a person loses by all of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.algorithms import LogisticRegression
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.loss import rounded
from partita.algorithms.learning.classifying.rounds import FirstRound, GradientRound
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.moments import UNIT
from partita.composition.calibration.pricing import Price
from partita.errors import InvalidInput
from partita.ledger.receipts.together import Rule, compose
from partita.sampling.bits import TestBits

ROWS = 4000


def patients(seed, rows=ROWS):
    draw = np.random.default_rng(seed)
    age, weight = draw.integers(20, 90, rows), draw.integers(40, 140, rows)
    ill = draw.uniform(size=rows) < 1 / (1 + np.exp(-((age - 55) / 12 + (weight - 90) / 30)))
    return pd.DataFrame({"age": age, "weight": weight, "ill": np.where(ill, "yes", "no")})


def hospital(seed, promise=None, rows=None, name="patients", high=120):
    columns = {"age": pt.integers(0, high), "weight": pt.integers(0, 200), "ill": pt.categories("no", "yes")}
    table = pt.Table(name, source=patients(seed) if rows is None else rows, columns=columns)
    kept = promise or pt.Promise(pt.rows(), pt.ZCDP(rho=2))
    return pt.Curator(tables=[table], promises=[kept], ledger=":memory:", bits=TestBits(seed))


def model(**options):
    return LogisticRegression(**{"rho": "0.5", "classes": ["no", "yes"], "max_iter": 4} | options)


def about(found, wanted):
    """Accounts count in whole numbers of a tiny unit, rounded up."""
    return all(part <= more <= part * (1 + Fraction(1, 10**9)) for more, part in zip(found, wanted, strict=True))


LEAKY = {"rho": None, "epsilon": 1, "delta": "1e-6"}
FIT = {"columns": ["age", "weight"], "target": "ill"}


def test_custodians_learn_together_what_neither_can_alone():
    keepers = [hospital(seed) for seed in range(4)]
    common = model().fit_across(keepers, **FIT)
    alone = model(solver="gradient").fit_from(hospital(0), **FIT)
    held = patients(99, 20_000)
    X, y = held[["age", "weight"]].to_numpy(float), held["ill"].to_numpy()
    assert common.score(X, y) > 0.70
    assert (common.coef_error_ < alone.coef_error_).all()
    truth = np.array([1 / 12, 1 / 30])
    both = np.hypot(common.coef_error_[0], common.coef_sampling_error_[0])
    assert (np.abs(common.coef_[0] - truth) < 5.5 * both).all()
    assert [len(kept) for kept in common.outcomes_] == [5] * 4


@pytest.mark.parametrize("price", [{"rho": "0.5"}, {"rho": None, "epsilon": 1}], ids=["ρ", "ε"])
def test_receipts_compose_to_what_the_theorem_says(price):
    """Parallel over custodians if a person is at one, the sum if at several, round by round either way."""
    budget = pt.ZCDP(rho=2) if price["rho"] else pt.Pure(epsilon=2)
    keepers = [hospital(seed, pt.Promise(pt.rows(), budget)) for seed in range(3)]
    common = model(**price).fit_across(keepers, **FIT)
    whole = sum(
        (one.cost(type(budget)) for one in common.learner_.losses()),
        start=budget.zero(),
    )
    assert all(about(common.exposure(at=[place]).loss.vector(), whole.vector()) for place in range(3))
    assert common.exposure(disjoint=True).rule is Rule.MAXIMUM
    assert about(common.exposure(disjoint=True).loss.vector(), whole.vector())
    assert common.exposure().rule is Rule.SUM
    assert about(common.exposure().loss.vector(), whole.times(3).vector())
    assert about(common.exposure(at=[0, 2]).loss.vector(), whole.times(2).vector())
    assert all(about(keeper.spent()[0].vector(), whole.vector()) for keeper in keepers)


def test_other_questions_of_one_custodian_count_with_the_rounds():
    keepers = [hospital(seed) for seed in range(2)]
    common = model().fit_across(keepers, **FIT)
    other = keepers[1].ask("SELECT COUNT(*) AS n FROM patients", rho="0.25")
    receipts = [outcome.receipt for kept in common.outcomes_ for outcome in kept]
    rounds = common.exposure(at=[0]).loss.rho
    largest, whole = (compose([*receipts, other.receipt], disjoint=apart).loss.rho for apart in (True, False))
    assert float(largest) == pytest.approx(float(rounds + other.cost.rho), rel=1e-9)
    assert float(whole) == pytest.approx(float(2 * rounds + other.cost.rho), rel=1e-9)


def test_under_change_one_a_record_may_move_between_two_custodians():
    keepers = [hospital(seed, pt.Promise(pt.replace(), pt.ZCDP(rho=8))) for seed in range(3)]
    common = model().fit_across(keepers, **FIT)
    told = common.exposure(disjoint=True)
    assert told.rule is Rule.TWO_LARGEST
    enters = sum(one.cost(pt.ZCDP).rho for one in common.learner_.losses())
    inside = sum(one.cost(pt.ZCDP).rho for one in common.learner_.losses(changed=True))
    assert about([told.loss.rho], [max(2 * enters, inside)])


def test_the_same_fit_again_is_free_and_gives_the_same_model():
    keepers = [hospital(seed, pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))) for seed in range(2)]
    first = model().fit_across(keepers, **FIT)
    again = model().fit_across(keepers, **FIT)
    assert all(outcome.free for kept in again.outcomes_ for outcome in kept)
    assert (again.coef_ == first.coef_).all()


def test_nobody_is_asked_unless_everybody_can_pay_for_all_rounds():
    rich, poor = hospital(0), hospital(1, pt.Promise(pt.rows(), pt.ZCDP(rho="0.4")))
    with pytest.raises(pt.BudgetExceeded):
        model().fit_across([rich, poor], **FIT)
    assert rich.spent()[0].rho == poor.spent()[0].rho == 0


@pytest.mark.parametrize(
    ("attempt", "code"),
    [
        (lambda keeper: model().fit_across(keeper, **FIT), "learning.no-custodians"),
        (lambda keeper: model().fit_across([], **FIT), "learning.no-custodians"),
        (lambda keeper: model().fit_across([keeper, 7], **FIT), "learning.not-a-curator"),
        (lambda keeper: model().fit_across([keeper, keeper], **FIT), "learning.same-custodian"),
        (lambda keeper: model().fit_across([keeper, keeper.session(analyst="ada")], **FIT), "learning.same-custodian"),
        (lambda keeper: model(solver="objective").fit_across([keeper], **FIT), "learning.one-of"),
        (lambda keeper: model(**LEAKY).fit_across([keeper], **FIT), "learning.rounds-without-delta"),
        (lambda keeper: model().fit_across([keeper, hospital(1, high=100)], **FIT), "learning.other-plan"),
        (lambda keeper: model().fit_across([keeper], **FIT).exposure(at=[1]), "learning.unknown-custodian"),
    ],
    ids=["one curator", "nobody", "no curator", "twice", "and a session", "solver", "delta", "other domain", "place"],
)  # fmt: skip
def test_what_cannot_be_learnt_in_rounds_is_refused(attempt, code):
    with pytest.raises(InvalidInput) as refusal:
        attempt(hospital(0))
    assert refusal.value.code == code


def test_sessions_take_part_for_their_custodians():
    keeper = hospital(0)
    ada = keeper.session(analyst="ada", budget=pt.ZCDP(rho="0.5"))
    model().fit_across([ada, hospital(1)], **FIT)
    assert float(keeper.spent()[0].rho) == pytest.approx(float(ada.spent()[0].rho), rel=1e-9) == pytest.approx(0.5)


def test_rounds_are_exactly_the_releases_of_one_fit():
    plan = Logistic.plan(Lattice.of((-1, 1), features=2, steps=UNIT), 2, np.sqrt(2), Price.of(rho=1), turns=3)
    at = tuple(tuple(map(int, line)) for line in rounded(np.zeros((3, 1))).tolist())
    for changed in (False, True):
        rounds = FirstRound(plan).losses(changed=changed)
        for turn in range(3):
            rounds += GradientRound(plan, turn, at).losses(changed=changed)
        counted = {}
        for one in rounds:
            counted[one.mechanism, one.distance] = counted.get((one.mechanism, one.distance), 0) + one.count
        assert counted == {(one.mechanism, one.distance): one.count for one in plan.losses(changed=changed)}


def test_a_round_takes_any_rows():
    plan = Logistic.plan(Lattice.of((-1, 1), features=2, steps=UNIT), 2, np.sqrt(2), Price.of(rho=1), turns=3)
    for rows in (np.zeros((0, 3)), np.full((3, 3), np.nan), np.full((3, 3), 1e300)):
        for learner in (FirstRound(plan), GradientRound(plan, 0, ((0,), (0,), (5,)))):
            found = learner.learn(rows, bits=TestBits(1))
            values = found["sums"].values() if "sums" in found else found.values()
            assert all(np.isfinite(np.asarray(value)).all() for value in values)
