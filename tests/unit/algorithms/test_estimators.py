"""The estimators: scikit-learn's own checks, bad input before anything is spent, and what they learn."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from partita.algorithms import PCA, KMeans, LinearRegression, LogisticRegression
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.sampling.bits import TestBits

NOISE = "every fit draws fresh noise, so two fits differ"
# The checks that do not apply, and why; all others must pass.
NOT_APPLICABLE = {
    "check_fit_idempotent": NOISE,
    "check_supervised_y_2d": NOISE,
    "check_regressor_data_not_an_array": NOISE,
    "check_regressors_int": NOISE,
    "check_classifier_data_not_an_array": NOISE,
    "check_dtype_object": "what is no number is refused with our own error, which is a ValueError",
    "check_clustering": "labels_ of the training rows would be released without noise; predict names them on request",
}
ESTIMATORS = [
    KMeans(3, epsilon=1, bounds=(-10, 10)),
    LogisticRegression(epsilon=1, bounds=(-10, 10), classes="from labels"),
    LogisticRegression(epsilon=1, delta=1e-6, bounds=(-10, 10), classes="from labels", solver="gradient"),
    LinearRegression(rho=1, bounds=(-10, 10), target_bounds=(-100, 100)),
    PCA(mu=1, bounds=(-10, 10)),
]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=["kmeans", "objective", "gradient", "linear", "pca"])
def test_scikit_learn_accepts_it(estimator):
    found = check_estimator(estimator, expected_failed_checks=NOT_APPLICABLE, on_skip=None, on_fail=None)
    failed = [each["check_name"] for each in found if each["status"] == "failed"]
    assert failed == []
    assert sum(each["status"] == "passed" for each in found) > 30


def two_clouds(rows=4000, seed=1):
    draw = np.random.default_rng(seed)
    X = np.vstack([draw.normal([-0.5, 0.0], 0.1, (rows, 2)), draw.normal([0.5, 0.3], 0.1, (rows, 2))])
    return X, np.repeat([0, 1], rows)


def test_kmeans_finds_the_clouds_and_says_how_sure_it_is():
    X, _ = two_clouds()
    model = KMeans(2, epsilon=1, bounds=(-1, 1)).fit(X, bits=TestBits(3))
    centres = model.cluster_centers_[np.argsort(model.cluster_centers_[:, 0])]
    assert np.abs(centres - [[-0.5, 0.0], [0.5, 0.3]]).max() < 0.02
    assert np.abs(model.sizes_ - 4000).max() < 200
    assert (model.center_error_ < 0.02).all()
    assert model.guarantee().epsilon <= 1
    assert set(model.fit_predict(X)) == {0, 1}
    assert model.score(X) < 0


def test_kmeans_finds_clouds_in_many_dimensions():
    draw = np.random.default_rng(4)
    middles = draw.uniform(-0.6, 0.6, (4, 12))
    X = middles[draw.integers(0, 4, 20_000)] + draw.normal(0, 0.1, (20_000, 12))
    model = KMeans(4, epsilon=1, bounds=(-1, 1)).fit(X, bits=TestBits(1))
    gaps = np.sqrt(((model.cluster_centers_[:, None] - middles[None]) ** 2).sum(axis=2))
    assert gaps.min(axis=0).max() < 0.2
    assert model.guarantee().epsilon <= 1 + 1e-9


@pytest.mark.parametrize(
    "options",
    [{}, {"delta": 1e-6, "solver": "gradient"}, {"delta": 1e-6, "solver": "descent"},
     {"delta": 1e-6, "solver": "descent", "batches": "disjoint"},
     {"delta": 1e-6, "solver": "descent", "batches": "poisson"}],
    ids=["objective", "gradient", "descent", "disjoint", "poisson"],
)  # fmt: skip
def test_logistic_regression_tells_the_clouds_apart(options):
    X, y = two_clouds()
    labels = np.array(["left", "right"])[y]
    model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=["left", "right"], **options)
    model.fit(X, labels, bits=TestBits(1))
    assert model.score(X, labels) > 0.95
    assert model.guarantee().epsilon <= 1 + 1e-9


def test_logistic_regression_learns_three_classes():
    draw = np.random.default_rng(0)
    y = draw.integers(0, 3, 6000)
    X = np.array([[-0.5, 0], [0.5, 0], [0, 0.6]])[y] + draw.normal(0, 0.1, (6000, 2))
    for options in ({}, {"delta": 1e-6, "solver": "gradient"}):
        model = LogisticRegression(epsilon=2, bounds=(-1, 1), classes=[0, 1, 2], **options).fit(X, y, bits=TestBits(2))
        assert model.score(X, y) > 0.95
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)


def test_linear_regression_covers_its_coefficients():
    draw = np.random.default_rng(0)
    X = draw.uniform(-1, 1, (20_000, 3))
    truth = np.array([0.3, -0.2, 0.1])
    y = X @ truth + 0.1
    inside = []
    for seed in range(20):
        model = LinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(-1, 1)).fit(X, y, bits=TestBits(seed))
        inside.append(np.abs(model.coef_ - truth) <= 1.96 * model.coef_error_ + 0.01 * np.abs(truth))
        assert abs(model.intercept_ - 0.1) <= 5.5 * model.intercept_error_
        assert model.intercept_error_ < 0.02
        assert model.score(X, y) > 0.9
    # 60 intervals of 95%: fewer than 44 inside has a chance below 1e-6, dependence within a fit allowed for.
    assert np.sum(inside) >= 44


def test_principal_components_find_the_widest_direction():
    draw = np.random.default_rng(0)
    X = draw.normal(0, 1, (20_000, 3)) * [0.02, 0.3, 0.1]
    model = PCA(2, epsilon=1, bounds=(-1, 1)).fit(X, bits=TestBits(1))
    assert np.abs(model.components_[0]).argmax() == 1
    assert abs(model.explained_variance_[0] - 0.09) < 3 * model.variance_error_ + 0.01
    assert model.transform(X).shape == (20_000, 2)


BAD = {
    "no bounds": (lambda: KMeans(2, epsilon=1).fit([[0.0], [1.0]]), "learning.no-bounds"),
    "bounds upside down": (lambda: KMeans(2, epsilon=1, bounds=(1, -1)).fit([[0.0], [1.0]]), "learning.bad-bounds"),
    "infinite bounds": (lambda: PCA(epsilon=1, bounds=(0, np.inf)).fit([[0.0], [1.0]]), "learning.bad-bounds"),
    "bounds of others": (
        lambda: PCA(epsilon=1, bounds=([0, 0], [1, 1])).fit([[0.0], [1.0]]),
        "learning.other-features",
    ),
    "nan": (lambda: KMeans(1, epsilon=1, bounds=(0, 1)).fit([[np.nan], [1.0]]), "learning.rows-refused"),
    "one dimension": (lambda: KMeans(1, epsilon=1, bounds=(0, 1)).fit([1.0, 2.0]), "learning.rows-refused"),
    "few rows": (lambda: KMeans(3, epsilon=1, bounds=(0, 1)).fit([[0.0], [1.0]]), "learning.fewer-rows"),
    "no price": (lambda: KMeans(1, bounds=(0, 1)).fit([[0.0], [1.0]]), "query.no-price"),
    "two prices": (lambda: KMeans(1, epsilon=1, rho=1, bounds=(0, 1)).fit([[0.0], [1.0]]), "query.several-prices"),
    "no classes": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1)).fit([[0.0], [1.0]], [0, 1]),
        "learning.no-classes",
    ),
    "one class": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=["a"]).fit([[0.0], [1.0]], ["a", "a"]),
        "learning.few-classes",
    ),
    "a label that was not declared": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=["a", "b"]).fit([[0.0], [1.0]], ["a", "c"]),
        "learning.unknown-label",
    ),
    "no target bounds": (
        lambda: LinearRegression(epsilon=1, bounds=(0, 1)).fit([[0.0], [1.0]], [0, 1]),
        "learning.no-bounds",
    ),
    "too many components": (
        lambda: PCA(5, epsilon=1, bounds=(0, 1)).fit([[0.0], [1.0]]),
        "learning.too-many-components",
    ),
    "a regulariser that is none": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=[0, 1], regulariser="x").fit([[0], [1]], [0, 1]),
        "number.not-a-number",
    ),
    "classes that are no list": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=5).fit([[0.0], [1.0]], [0, 1]),
        "learning.no-classes",
    ),
    "bounds that touch": (lambda: PCA(epsilon=1, bounds=(0, 5e-324)).fit([[0.0], [1.0]]), "learning.bad-bounds"),
    "classes that are lists": (
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=[[0], [1]]).fit([[0.0], [1.0]], [0, 1]),
        "learning.no-classes",
    ),
    "batches for a solver without": (
        lambda: LogisticRegression(
            epsilon=1, bounds=(0, 1), classes=[0, 1], solver="gradient", batches="disjoint"
        ).fit([[0.0], [1.0]], [0, 1]),
        "learning.batches-elsewhere",
    ),
    "no curator": (lambda: PCA(epsilon=1).fit_from(None, columns=["age"]), "learning.not-a-curator"),
    "unknown relation": (
        lambda: KMeans(1, epsilon=1, bounds=(0, 1), relation="rows").fit([[0.0], [1.0]]),
        "learning.one-of",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_refused_before_anything_is_drawn(name, monkeypatch):
    monkeypatch.setattr("partita.sampling.entropy.system", lambda: pytest.fail("bits were drawn"))
    attempt, code = BAD[name]
    with pytest.raises(PartitaError) as refusal:
        attempt()
    assert refusal.value.code == code


@pytest.mark.parametrize(
    "options", [{"init": "k-means++"}, {"tol": 1e-4}, {"bounds": "from rows"}], ids=["centres", "stopping", "bounds"]
)
def test_variants_that_take_something_from_the_rows_are_refused(options):
    with pytest.raises(NotProven) as refusal:
        KMeans(2, **{"epsilon": 1, "bounds": (-1, 1)} | options).fit(np.zeros((5, 2)))
    assert refusal.value.code == "learning.from-data"


@pytest.mark.parametrize("rows", [np.zeros((0, 2)), np.zeros((1, 2)), np.full((3, 2), np.nan), np.full((9, 2), 1e300)])
def test_no_rows_of_a_curator_can_make_a_learner_fail(rows):
    for estimator, target in (
        (KMeans(4, epsilon=1, bounds=(-1, 1)), None),
        (KMeans(4, epsilon=1, bounds=(-1, 1), algorithm="lloyd"), None),
        (PCA(epsilon=1, bounds=(-1, 1)), None),
        (LinearRegression(epsilon=1, bounds=(-1, 1)), (0, 1)),
        (LogisticRegression(epsilon=1, bounds=(-1, 1)), [0, 1]),
        (LogisticRegression(epsilon=1, bounds=(-1, 1), solver="gradient"), [0, 1, 2]),
        (LogisticRegression(epsilon=1, bounds=(-1, 1), solver="descent", batches="disjoint"), [0, 1, 2]),
    ):
        learner = estimator._learner(2, (-1, 1), target)
        table = rows if target is None else np.column_stack([rows, np.zeros(len(rows))])
        found = learner.learn(table, bits=TestBits(1))
        for value in [*found.pop("sums", {}).values(), *found.values()]:
            assert np.isfinite(np.asarray(value, dtype=float)).all()


@pytest.mark.parametrize("rows", [[0.271828, 0.5], [[0.271828 + 1j], [0.5]], 0.271828], ids=["flat", "complex", "one"])
def test_a_refusal_of_a_shape_shows_no_value_of_the_rows(rows):
    with pytest.raises(InvalidInput) as refusal:
        KMeans(1, epsilon=1, bounds=(0, 1)).fit(np.array(rows))
    assert "271828" not in str(refusal.value)
    assert str(refusal.value).endswith(". Nothing was spent.")


def test_a_refusal_shows_no_value_of_the_rows():
    for attempt in (
        lambda: KMeans(1, epsilon=1, bounds=(0, 1)).fit([["secret"], ["other"]]),
        lambda: LinearRegression(epsilon=1, bounds=(0, 1), target_bounds=(0, 1)).fit([[0.0], [1.0]], ["secret", "b"]),
        lambda: LogisticRegression(epsilon=1, bounds=(0, 1), classes=["a", "b"]).fit([[0.0], [1.0]], ["secret", "b"]),
    ):
        with pytest.raises(InvalidInput) as refusal:
            attempt()
        assert "secret" not in str(refusal.value)


def test_a_large_price_is_a_usable_price():
    X, y = two_clouds(300)
    model = LogisticRegression(epsilon=1000, bounds=(-1, 1), classes=[0, 1]).fit(X, y, bits=TestBits(1))
    assert model.score(X, y) > 0.99


def test_parameters_survive_cloning():
    model = LogisticRegression(epsilon="0.1", delta="1e-6", bounds=([0], [1]), classes=("a", "b"))
    assert clone(model).get_params() == model.get_params()


def test_pictures_are_drawn():
    X, y = two_clouds(200)
    for model in (
        KMeans(2, epsilon=1, bounds=(-1, 1)).fit(X),
        LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit(X, y),
        LinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(0, 1)).fit(X, y),
        PCA(epsilon=1, bounds=(-1, 1)).fit(X),
    ):
        assert model.plot().axes


def test_a_classifier_says_how_sure_it_is_and_shows_it():
    X, y = two_clouds(2000)
    model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit(X, y, bits=TestBits(1))
    assert model.coef_error_.shape == model.coef_sampling_error_.shape == (1, 2)
    assert model.intercept_error_.shape == model.intercept_sampling_error_.shape == (1,)
    assert any(container.has_yerr for container in model.plot().axes[0].containers)
    assert model.guarantee().epsilon <= 1 + 1e-9
    # Without them the whole price goes into the model.
    plain = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1], errors=False).fit(X, y, bits=TestBits(1))
    assert plain.coef_error_ is None
    assert plain.learner_.mechanism.epsilon == 1
    assert model.learner_.mechanism.epsilon == Fraction(9, 10)
    assert plain.plot().axes


def test_the_package_imports_without_scikit_learn():
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import partita.algorithms as a, partita.algorithms.learning.clustering.clusters\n"
        "try: a.KMeans\n"
        "except ValueError as refusal: print(refusal.code)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "learning.needs-scikit-learn"


def test_batches_choose_their_solver_and_samples_their_rate():
    X, y = two_clouds(500)
    options = {"epsilon": 1, "delta": "1e-6", "bounds": (-1, 1), "classes": [0, 1], "max_iter": 5}
    few, many = (
        LogisticRegression(**options, batches="poisson", sample_rate=rate).fit(X, y, bits=TestBits(1)).learner_
        for rate in ("1/50", "1/5")
    )
    assert few.kind == "gradient_descent"
    assert few.rate == Fraction(1, 50)
    assert 2 * few.noisy.noise("gradient").sigma < many.noisy.noise("gradient").sigma


def test_lloyd_on_the_unit_ball_is_that_of_the_lecture_notes():
    """ε' = ε/2T; Laplace noise of scale 1/ε' on counts and on sums of rows in the L1 unit ball, turn by turn."""
    X = np.repeat([[-0.5, 0.0], [0.4, 0.2], [0.9, 0.9]], [300, 200, 1], axis=0)
    first = [[-0.1, 0.0], [0.1, 0.0]]
    options = {"epsilon": 1, "bounds": (-1, 1), "algorithm": "lloyd", "init": first, "max_iter": 5, "radius": 1}
    learner = KMeans(2, **options).fit(X, bits=TestBits(1)).learner_
    counts, sums = learner.losses()
    assert [float(one.distance.power / one.mechanism.scale) for one in (counts, sums)] == [0.1, 0.1]
    assert (learner.radius, counts.count, sums.count) == (1.0, 5, 5)
    # With hardly any noise it is Lloyd's own: the row outside the ball is pulled to its surface.
    sure = KMeans(2, **options | {"epsilon": 10**7}).fit(X, bits=TestBits(1))
    second = (200 * np.array([0.4, 0.2]) + [0.5, 0.5]) / 201
    assert sure.cluster_centers_ == pytest.approx(np.array([[-0.5, 0.0], second]), abs=1e-4)
    with pytest.raises(InvalidInput, match="radius= is for"):
        KMeans(2, epsilon=1, bounds=(-1, 1), radius=1).fit(X)


def test_a_public_start_is_checked_before_anything_is_spent():
    with pytest.raises(InvalidInput) as refusal:
        KMeans(2, epsilon=1, bounds=(-1, 1), algorithm="lloyd", init=[[0.0, 1.0]]).fit(np.zeros((5, 2)))
    assert refusal.value.code == "learning.bad-start"
