"""Learning paid from a curator: charged once, free again, with a receipt, and refused when nothing is left."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.algorithms import KMeans, LinearRegression, LogisticRegression
from partita.ledger.receipts.together import compose as together
from partita.sampling.bits import TestBits


def patients(count=3000):
    import pandas as pd

    draw = np.random.default_rng(2)
    age = draw.integers(20, 90, count)
    ill = draw.uniform(size=count) < 1 / (1 + np.exp(-(age - 55) / 5))
    return pd.DataFrame(
        {"age": age, "cost": 100.0 * age + draw.normal(0, 50, count), "ill": np.where(ill, "yes", "no")}
    )


def curator(budget=None, promise=None, rows=None, seed=4):
    table = pt.Table(
        "visits",
        source=patients() if rows is None else rows,
        columns={
            "age": pt.integers(0, 120),
            "cost": pt.decimals(0, 20_000, step="0.01"),
            "ill": pt.categories("no", "yes"),
        },
    )
    return pt.Curator(
        tables=[table],
        promises=[promise or pt.Promise(pt.rows(), pt.ZCDP(rho=budget or 1, delta="1e-6"))],
        ledger=":memory:",
        bits=TestBits(seed),
    )


def test_a_fit_is_charged_once_and_free_again():
    keeper = curator()
    model = LinearRegression(rho="0.25").fit_from(keeper, "visits", columns=["age"], target="cost")
    assert model.coef_[0] == pytest.approx(100, abs=10)
    assert model.outcome_.cost.rho <= 0.25
    assert model.outcome_.receipt is not None
    again = LinearRegression(rho="0.25").fit_from(keeper, "visits", columns=["age"], target="cost")
    assert again.outcome_.free
    assert (again.coef_ == model.coef_).all()
    assert keeper.remaining()[0].rho >= 0.75


def test_classes_and_bounds_come_from_the_declared_columns():
    model = LogisticRegression(rho="0.2", solver="objective").fit_from(curator(), columns=["age"], target="ill")
    assert model.classes_.tolist() == ["no", "yes", "OTHER"]
    two = LogisticRegression(rho="0.2", classes=["no", "yes"]).fit_from(curator(), columns=["age"], target="ill")
    assert two.predict([[25.0], [88.0]]).tolist() == ["no", "yes"]


def test_clusters_of_part_of_a_table_are_paid_by_that_part():
    keeper = curator(budget="0.1")
    KMeans(2, rho="0.1").fit_from(keeper, columns=["age", "cost"], where="age >= 50")
    young = KMeans(2, rho="0.1").fit_from(keeper, columns=["age", "cost"], where="age < 50")
    assert not young.outcome_.free
    with pytest.raises(pt.BudgetExceeded):
        KMeans(3, rho="0.1").fit_from(keeper, columns=["age", "cost"])


def test_an_analysts_session_pays_from_both_accounts():
    keeper = curator()
    ada = keeper.session(analyst="ada", budget=pt.ZCDP(rho="0.1", delta="1e-7"))
    KMeans(2, rho="0.1").fit_from(ada, columns=["age", "cost"])
    assert keeper.spent()[0].rho > 0
    with pytest.raises(pt.BudgetExceeded):
        KMeans(3, rho="0.1").fit_from(ada, columns=["age", "cost"])


def test_change_one_is_charged_for_a_change():
    keeper = curator(promise=pt.Promise(pt.replace(), pt.Pure(epsilon=2)))
    model = LogisticRegression(epsilon=1, classes=["no", "yes"]).fit_from(keeper, columns=["age"], target="ill")
    assert 1 < model.outcome_.cost.epsilon < 2


@pytest.mark.parametrize("columns", [["ill"], ["nothing"], [], "age", [7]], ids=repr)
def test_columns_that_are_no_features_are_refused(columns):
    with pytest.raises(pt.PartitaError):
        KMeans(2, rho="0.1").fit_from(curator(), columns=columns)


def test_a_picture_names_the_columns():
    model = LinearRegression(rho="0.25").fit_from(curator(), columns=["age"], target="cost")
    assert [label.get_text() for label in model.plot().axes[0].get_xticklabels()] == ["age"]


@pytest.mark.parametrize(
    "budget", [pt.Pure(epsilon=1), pt.Approximate(epsilon=1, delta="1e-5")], ids=["pure", "approximate"]
)
def test_a_price_that_a_promise_does_not_know_is_named(budget):
    keeper = curator(promise=pt.Promise(pt.rows(), budget))
    for payer in (keeper, keeper.session(analyst="ada")):
        with pytest.raises(pt.InvalidInput, match="epsilon="):
            LinearRegression(rho="0.1").fit_from(payer, columns=["age"], target="cost")


def test_a_target_and_a_table_must_be_named():
    with pytest.raises(pt.InvalidInput, match="no target"):
        LinearRegression(rho="0.1").fit_from(curator(), columns=["age"])
    with pytest.raises(pt.InvalidInput, match="not one of 'visits'"):
        KMeans(2, rho="0.1").fit_from(curator(), "patients", columns=["age"])


def test_rows_that_a_learner_cannot_like_do_not_fail():
    import pandas as pd

    rows = pd.DataFrame({"age": [None, 50], "cost": [float("nan"), 1e300], "ill": [None, "perhaps"]})
    model = LogisticRegression(epsilon=1, classes=["no", "yes"]).fit_from(
        curator(rows=rows, promise=pt.Promise(pt.rows(), pt.Pure(epsilon=5))), columns=["age", "cost"], target="ill"
    )
    assert np.isfinite(model.coef_).all()


def test_several_custodians_make_one_model_and_their_receipts_compose():
    draw = np.random.default_rng(5)
    models = []
    for seed in range(3):
        rows = patients(2000)
        rows["cost"] = 100.0 * rows["age"] + draw.normal(0, 50, len(rows))
        keeper = curator(rows=rows, promise=pt.Promise(pt.rows(), pt.Pure(epsilon=1)), seed=seed)
        models.append(LinearRegression(epsilon=1).fit_from(keeper, columns=["age"], target="cost"))
    merged = models[0].merge(models[1:])
    assert merged.coef_[0] == pytest.approx(100, abs=8)
    assert (merged.coef_error_ < models[0].coef_error_).all()
    receipts = [model.outcome_.receipt for model in models]
    assert together(receipts).loss.epsilon == 3
    assert together(receipts, disjoint=True).loss.epsilon == 1
    with pytest.raises(pt.InvalidInput):
        models[0].merge([LinearRegression(epsilon=1, bounds=(0, 1), target_bounds=(0, 1)).fit([[0.5]] * 9, [0.5] * 9)])
