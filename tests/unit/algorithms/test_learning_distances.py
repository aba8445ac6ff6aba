"""No sum of any learner moves further than its plan says, whatever the rows and whatever was released before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.loss import always, curvature, curvature_reach, read_curvature
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import UNIT as BALL
from partita.algorithms.learning.clustering.lloyd import Lloyd, into_ball
from partita.algorithms.learning.lattice import Lattice, within_ball
from partita.algorithms.learning.linear import Linear
from partita.algorithms.learning.moments import UNIT, Moments
from partita.algorithms.learning.principal import Principal
from partita.algorithms.learning.sums import Noisy
from partita.composition.calibration.pricing import Price
from partita.sampling.bits import TestBits
from tests.unit.algorithms.replay import moves

PRICE = Price.of(epsilon=1)
LEAKY = Price.of(epsilon=1, delta="1e-6")


def box(features, **options):
    return Lattice.of((-1, 1), features=features, steps=UNIT, **options)


LEARNERS = {
    "kmeans": (Clusters.plan(Lattice.of((-1, 1), features=2, steps=STEPS), 3, PRICE, turns=2), 0),
    "kmeans gaussian": (Clusters.plan(Lattice.of((-1, 1), features=2, steps=STEPS), 3, LEAKY, noise="gaussian"), 0),
    "kmeans wide": (Clusters.plan(Lattice.of((-1, 1), features=9, steps=STEPS), 2, LEAKY, turns=2), 0),
    "lloyd": (Lloyd.plan(2, clusters=3, turns=3, price=PRICE), 0),
    "linear": (Linear.plan(box(3), box(1), np.sqrt(3), PRICE), 1),
    "linear clipped": (Linear.plan(box(3), box(1), 0.7, PRICE), 1),
    "principal": (Principal.plan(box(3, one_scale=True), np.sqrt(3), PRICE), 0),
    "two classes": (Logistic.plan(box(2), 2, np.sqrt(2), PRICE), 2),
    "three classes": (Logistic.plan(box(2), 3, np.sqrt(2), PRICE), 3),
    "descent": (Descent.plan(box(2), 2, np.sqrt(2), PRICE, turns=3), 2),
    "descent three classes": (Descent.plan(box(2), 3, 1.0, LEAKY, turns=2), 3),
}
features = {"kmeans wide": 9, "linear": 3, "linear clipped": 3, "principal": 3}
every_learner = pytest.mark.parametrize("name", sorted(LEARNERS))
extreme = st.one_of(
    st.floats(-1.5, 1.5), st.sampled_from([1.0, -1.0, 0.0, 1e300, -1e300, float("nan"), float("inf"), 1 / 3])
)


@st.composite
def tables(draw, width, classes):
    rows = draw(arrays.arrays(np.float64, (draw(st.integers(1, 6)), width), elements=extreme))
    if classes > 1:
        rows[:, -1] = draw(arrays.arrays(np.int64, len(rows), elements=st.integers(-1, classes)))
    return rows


@every_learner
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_sum_moves_no_further_than_its_plan_says(name, data, monkeypatch):
    learner, classes = LEARNERS[name]
    rows = data.draw(tables(features.get(name, 2) + (classes > 0), classes))
    other = data.draw(tables(features.get(name, 2) + (classes > 0), classes))
    limits = {item.name: item for item in learner.noisy.sums}
    changed = rows.copy()
    changed[-1] = other[0]
    for second, reach in ((rows[:-1], "enters"), (changed, "changes")):
        for sum_name, far, square in moves(learner, rows, second, data.draw(st.integers(0, 99)), monkeypatch):
            limit = getattr(limits[sum_name], reach)
            assert far <= limit.l1
            assert square <= limit.square


@pytest.mark.parametrize("norm", [np.sqrt(3), 0.6], ids=["whole box", "short rows"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@settings(max_examples=30)
@given(row=arrays.arrays(np.float64, (1, 3), elements=st.floats(-1, 1)), draw=st.integers(0, 999), size=st.floats(0, 9))
def test_one_row_bends_the_loss_no_further_than_is_said(norm, classes, row, draw, size):
    weights = np.random.default_rng(draw).normal(0, size, (4, 1 if classes == 2 else classes))
    vectors, reach = Moments(3, norm, classes, one_hot=True).rows(row), curvature_reach(3, classes, norm)
    found = [int(entry) for entry in curvature(vectors, weights, always(norm))]
    assert sum(map(abs, found)) <= reach.l1
    assert sum(entry**2 for entry in found) <= reach.square


def test_a_row_in_the_corner_bends_the_loss_as_far_as_is_said():
    norm = np.sqrt(3)
    reach = curvature_reach(3, 2, norm)
    vectors = Moments(3, norm, 2, one_hot=True).rows(np.ones((1, 3)))
    found = curvature(vectors, np.zeros((4, 1)), always(norm)).astype(float)
    assert np.abs(found).sum() > 0.99 * reach.l1
    assert (found**2).sum() > 0.99 * reach.square
    matrix = read_curvature(found, 4)
    assert matrix == pytest.approx(np.full((4, 4), 1 / 12), rel=1e-2)


@given(rows=arrays.arrays(np.float64, (5, 3), elements=st.floats(-1e3, 1e3)), scale=st.sampled_from([1 << 12, 1 << 20]))
def test_vectors_in_the_ball_are_short_and_depend_on_their_own_row(rows, scale):
    found = within_ball(rows, scale)
    assert all(sum(int(x) ** 2 for x in row) <= scale**2 for row in found.tolist())
    assert all((within_ball(rows[i : i + 1], scale)[0] == found[i]).all() for i in range(len(rows)))


@given(rows=arrays.arrays(np.float64, (4, 3), elements=extreme))
def test_rows_of_the_l1_ball_are_short_and_depend_on_their_own_row(rows):
    found = into_ball(np.nan_to_num(rows))
    assert all(sum(abs(int(x)) for x in row) <= BALL for row in found.tolist())
    assert all((into_ball(np.nan_to_num(rows[i : i + 1]))[0] == found[i]).all() for i in range(len(rows)))


@given(rows=arrays.arrays(np.float64, (4, 2), elements=extreme))
def test_codes_lie_in_the_box_and_depend_on_their_own_row(rows):
    lattice = Lattice.of(([0, -3], [1, 1e9]), features=2, steps=100)
    found = lattice.codes(rows)
    assert (np.abs(found) <= lattice.limit).all()
    assert all((lattice.codes(rows[i : i + 1])[0] == found[i]).all() for i in range(len(rows)))


@every_learner
def test_sums_are_whole_numbers_of_64_bits_until_noise_is_added(name, monkeypatch):
    # A float would round sums beyond 2^53, and then one row could move them further.
    learner, classes = LEARNERS[name]
    own, kinds = Noisy.release, set()

    def release(self, part, values, bits):
        kinds.add((part, np.asarray(values).dtype.kind))
        return own(self, part, values, bits)

    monkeypatch.setattr(Noisy, "release", release)
    learner.learn(np.zeros((3, features.get(name, 2) + (classes > 0))), bits=TestBits(1))
    # Counts of rows are far below.
    assert {kind for part, kind in kinds if part not in ("rows", "grid")} == {"i"}


@pytest.mark.parametrize("wide", [2, 9])
def test_how_fine_a_grid_is_follows_from_released_numbers(wide, monkeypatch):
    # With so little noise the exact number of rows would show: one row more would make another grid.
    learner = Clusters.plan(Lattice.of((-1, 1), features=wide, steps=STEPS), 2, Price.of(epsilon=500))
    rows = np.random.default_rng(1).uniform(-1, 1, (3000, wide))
    for fewer in (rows[1:], rows[40:]):
        assert list(moves(learner, rows, fewer, 3, monkeypatch))
