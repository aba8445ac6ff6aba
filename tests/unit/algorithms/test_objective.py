"""Objective perturbation: the density of the minimiser, and the minimiser itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from partita.algorithms import LogisticRegression
from partita.algorithms.learning.classifying.loss import always
from partita.algorithms.learning.classifying.objective import minimised
from partita.algorithms.learning.classifying.perturbed import Perturbed
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.moments import UNIT
from partita.composition.calibration.pricing import Price
from partita.errors import InvalidInput
from partita.granularity.base import Relation
from partita.mechanisms.perturbed_objective import GOAL, PerturbedObjective
from partita.sampling.bits import TestBits
from partita.theory.distance import Norm

BOX = Lattice.of((-1, 1), features=2, steps=UNIT)
rows = arrays.arrays(np.float64, (4, 2), elements=st.floats(-1, 1))
labels = arrays.arrays(np.int64, 4, elements=st.integers(0, 2))


def log_density(learner, table, classes, weights):
    """The log density of the exact minimiser at these weights, up to a constant: of the slope, times the curvature."""
    vectors = learner.rows.rows(learner.lattice.codes(table[:, :-1]) / UNIT)
    extended = np.hstack([vectors, np.full((len(vectors), 1), float(always(learner.rows.norm)))]) / UNIT
    own = (table[:, -1:] == np.arange(classes)).astype(float)
    own = own[:, 1:] if classes == 2 else own
    strength = float(learner.mechanism.regulariser)
    scores = extended @ weights
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    chances = 1 / (1 + np.exp(-scores)) if classes == 2 else shares
    slope = -(extended.T @ (chances - own) + strength * weights)
    curvature = strength * np.eye(weights.size)
    for row, chance in zip(extended, chances, strict=True):
        inner = np.diag(chance * (1 - chance)) if classes == 2 else np.diag(chance) - np.outer(chance, chance)
        curvature += np.kron(np.outer(row, row), inner)
    length = np.abs(slope).max() if learner.mechanism.shape is Norm.LINF else np.sqrt((slope**2).sum())
    return -length / float(learner.mechanism.scale) + np.linalg.slogdet(curvature)[1]


def shaped(classes, shape):
    """A plan whose slope has the wanted shape, with gradients as long as rows can make them in its norm."""
    learner = Perturbed.plan(BOX, classes, np.sqrt(2), Price.of(epsilon=1))
    square = (1 if classes == 2 else 2) * 1.5 if shape is Norm.L2 else 0.5
    mechanism = replace(learner.mechanism, shape=shape, length=Fraction(np.sqrt(square) * 1.001))
    return replace(learner, mechanism=mechanism)


@pytest.mark.parametrize("shape", [Norm.L2, Norm.LINF], ids=["ball", "cube"])
@pytest.mark.parametrize("classes", [2, 3])
@settings(max_examples=40)
@given(rows=rows, labels=labels, draw=st.integers(0, 999), size=st.floats(0.1, 30))
def test_no_row_moves_the_density_of_the_minimiser_further_than_is_claimed(shape, classes, rows, labels, draw, size):
    learner = shaped(classes, shape)
    mechanism = learner.mechanism
    table = np.column_stack([rows, np.minimum(labels, classes - 1)])
    weights = np.random.default_rng(draw).normal(0, size, (3, 1 if classes == 2 else classes))
    whole, fewer, changed = (
        log_density(learner, part, classes, weights) for part in (table, table[1:], np.vstack([table[1:], table[1:2]]))
    )
    assert abs(whole - fewer) <= mechanism.slope + mechanism.bend
    assert abs(whole - changed) <= 2 * mechanism.slope + mechanism.bend


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("features", [1, 3, 40])
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_a_row_in_the_corner_reaches_what_the_plan_says_and_no_further(classes, features, relation):
    box = Lattice.of((-1, 1), features=features, steps=UNIT)
    learner = Perturbed.plan(box, classes, np.sqrt(features), Price.of(epsilon=1), relation=relation)
    mechanism, one = learner.mechanism, always(learner.rows.norm)
    corner = learner.rows.rows(box.codes(np.ones((1, features))) / UNIT)
    row = np.append(corner, one) / UNIT
    # A row that the model is sure of, and wrong: its residual is -1 at its own class, 1 at another.
    residual = np.ones(1) if classes == 2 else np.append([-1.0, 1.0], np.zeros(classes - 2))
    gradient = np.outer(row, residual)
    reached = np.abs(gradient).max() if mechanism.shape is Norm.LINF else np.sqrt((gradient**2).sum())
    assert 0.98 * mechanism.length < Fraction(reached) <= mechanism.length
    # And one that it knows nothing of: there the curvature is largest. The first row of all moves its logarithm most.
    chance = np.full(1 if classes == 2 else classes, 1 / classes)
    inner = np.diag(chance * (1 - chance)) if classes == 2 else np.diag(chance) - np.outer(chance, chance)
    bent = np.kron(np.outer(row, row), inner)
    strength = float(mechanism.regulariser)
    assert 0.95 * float(mechanism.bent) < np.trace(bent) <= float(mechanism.bent) * (1 + 1e-12)
    assert 0 < np.linalg.slogdet(np.eye(len(bent)) + bent / strength)[1] <= float(mechanism.bend)
    steps = 2 if relation is Relation.CHANGE_ONE else 1
    spent = steps * float(mechanism.length / mechanism.scale) + float(mechanism.bend + mechanism.last)
    assert 0.999 < spent <= 1


def test_the_last_noise_covers_two_inexact_minimisers_and_their_rounding():
    beyond = 0
    for weights in (1, 2, 5, 30, 700):
        for bend in ("0.1", "0.3", "1.7"):
            mechanism = PerturbedObjective(slope=1, bend=bend, last=1, length=1, bent="1/3", weights=weights)
            off = GOAL / mechanism.regulariser / mechanism.step  # how far one may be off, in steps
            # Both off by that much, in opposite directions along a diagonal, from where rounding parts them furthest.
            apart = 2 * off / Fraction(np.sqrt(weights))
            far = weights * (round(Fraction(499, 1000) + apart) - round(Fraction(499, 1000)))
            assert far <= mechanism.noise.scale * mechanism.last
            beyond += far > 2 * off * Fraction(np.sqrt(weights)) + 1
    assert beyond, "rounding counts"


@pytest.mark.parametrize("classes", [2, 4])
def test_the_minimiser_has_a_gradient_within_its_goal(classes):
    draw = np.random.default_rng(1)
    table = np.rint(draw.uniform(-1, 1, (3000, 3)) * UNIT) / UNIT / 2
    own = np.eye(classes)[draw.integers(0, classes, 3000)]
    own = own[:, 1:] if classes == 2 else own
    slope = draw.normal(0, 5, (3, own.shape[1]))
    found = minimised(table, own, slope, 0.5, float(GOAL) / 2)
    scores = (table.astype(np.longdouble) @ found.astype(np.longdouble)).astype(np.longdouble)
    odds = np.exp(scores) if classes > 2 else 1 / (1 + np.exp(-scores))
    chances = odds / odds.sum(axis=1, keepdims=True) if classes > 2 else odds
    gradient = table.T.astype(np.longdouble) @ (chances - own) + np.longdouble(0.5) * found + slope
    assert float(np.sqrt((gradient**2).sum())) <= float(GOAL) / 2


def test_the_loss_is_the_price_under_its_own_relation():
    for relation in Relation:
        learner = Perturbed.plan(BOX, 2, 1.0, Price.of(epsilon="1.5"), relation=relation)
        (event,) = learner.losses(changed=relation is Relation.CHANGE_ONE)
        assert event.count == 1
        assert event.distance.power * event.mechanism.epsilon == Fraction(3, 2)


def test_slopes_and_weights_beyond_what_is_certified_are_refused_before_anything_is_drawn():
    for options in ({"slope": "1e-6", "weights": 2}, {"slope": 1, "weights": 5000}):
        mechanism = PerturbedObjective(bend=1, last=1, length=1, bent=1, **options)
        with pytest.raises(InvalidInput, match="noisy gradients"):
            mechanism.tilt(bits=TestBits(1))
    wide = LogisticRegression(epsilon=1, bounds=(-1, 1))._learner(600, (-1, 1), ["a", "b", "c"])
    tiny = LogisticRegression(epsilon="1e-5", bounds=(-1, 1))._learner(2, (-1, 1), ["a", "b"])
    assert {wide.kind, tiny.kind} == {"logistic_regression"}


def test_the_shape_with_less_noise_is_taken():
    for features in (1, 2, 5, 30):
        box, norm = Lattice.of((-1, 1), features=features, steps=UNIT), np.sqrt(features)
        two = Perturbed.plan(box, 2, norm, Price.of(epsilon=1)).mechanism
        assert two.shape is Norm.LINF
        assert float(two.length) == pytest.approx(1 / norm, rel=0.03)
    many = Perturbed.plan(Lattice.of((-1, 1), features=5, steps=UNIT), 12, np.sqrt(5), Price.of(epsilon=1))
    assert many.mechanism.shape is Norm.L2


def test_a_slope_from_a_cube_has_its_largest_entry_anywhere():
    mechanism = PerturbedObjective(slope=1, bend=1, last=1, length=2, bent=1, weights=3, shape=Norm.LINF)
    bits = TestBits(4)
    drawn = np.array([mechanism.tilt(bits=bits) for _ in range(1500)])
    lengths = np.abs(drawn).max(axis=1)
    assert abs(lengths.mean() - 6) < 5.5 * np.sqrt(12 / 1500)
    # Each of six faces; on a face the other entries are uniform: mean 0, variance 1/3, fourth moment 1/5.
    at = np.abs(drawn).argmax(axis=1)
    sides = np.bincount(2 * at + (drawn[np.arange(1500), at] > 0), minlength=6)
    assert (np.abs(sides / 1500 - 1 / 6) < 5.5 * np.sqrt(5 / 36 / 1500)).all()
    others = np.array([np.delete(row, place) for row, place in zip(drawn / lengths[:, None], at, strict=True)])
    assert np.abs(others.mean()) < 5.5 * np.sqrt(1 / 3 / 3000)
    assert abs((others**2).mean() - 1 / 3) < 5.5 * np.sqrt((1 / 5 - 1 / 9) / 3000)
    assert drawn.std() == pytest.approx(mechanism.deviation, rel=0.1)


@pytest.mark.parametrize("options", [{"shape": Norm.L1}, {"length": 9}, {"length": 3, "shape": Norm.LINF}], ids=repr)
def test_a_slope_of_another_shape_or_reach_is_refused(options):
    with pytest.raises(InvalidInput):
        PerturbedObjective(**{"slope": 1, "bend": 1, "last": 1, "length": 1, "bent": 1, "weights": 3} | options).check()


def test_a_slope_has_the_length_and_the_directions_that_are_said():
    mechanism = PerturbedObjective(slope=1, bend=1, last=1, length=2, bent=1, weights=3)
    bits = TestBits(4)
    drawn = np.array([mechanism.tilt(bits=bits) for _ in range(1500)])
    lengths = np.sqrt((drawn**2).sum(axis=1))
    # Gamma(3, 2): mean 6, variance 12. Directions are uniform: each coordinate has mean 0 and variance 1/3.
    assert abs(lengths.mean() - 6) < 5.5 * np.sqrt(12 / 1500)
    directions = drawn / lengths[:, None]
    assert (np.abs(directions.mean(axis=0)) < 5.5 * np.sqrt(1 / 3 / 1500)).all()
    assert (np.abs((directions**2).mean(axis=0) - 1 / 3) < 5.5 * np.sqrt(4 / 45 / 1500)).all()
