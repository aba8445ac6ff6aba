"""The best of repeated runs against its exact law, for outputs whose probabilities are drawn at random."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.guarantees.compose import compose
from partita.mechanisms.repeated import Repeated
from partita.sampling.bits import TestBits
from partita.theory.conversions import pure_to_rho
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from tests.refusals import taken
from tests.sizes import tried

ONE = Distance.l1(1)
SHAPES = ("-1/2", "0", "1", "2")


def generating(stop, shape, x):
    if stop == 1:
        return x
    if shape == 0:
        return np.log1p(-(1 - stop) * x) / math.log(stop)
    return np.expm1(-shape * np.log1p(-(1 - stop) * x)) / math.expm1(-shape * math.log(stop))


def best_of(law, scores, stop, shape):
    """The exact law of the kept output: the best score, and of equal scores as likely as in one run."""
    found = np.zeros(len(law))
    for score in set(scores):
        here = [i for i, one in enumerate(scores) if one == score]
        below = sum(law[i] for i, one in enumerate(scores) if one < score)
        mass = sum(law[i] for i in here)
        rise = generating(stop, shape, min(below + mass, 1.0)) - generating(stop, shape, below)
        for i in here:
            found[i] = rise * law[i] / mass
    return found / found.sum()


@pytest.mark.soak
@settings(max_examples=tried(25, soaking=5000))
@given(
    first=st.lists(st.integers(1, 40), min_size=4, max_size=4),
    second=st.lists(st.integers(1, 40), min_size=4, max_size=4),
    scores=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    stop=st.sampled_from(["1", "1/2", "1/10", "1/1000"]),
    shape=st.sampled_from(SHAPES),
)
def test_no_pair_of_outputs_loses_more_than_is_said(first, second, scores, stop, shape):
    p, q = np.array(first) / sum(first), np.array(second) / sum(second)
    epsilon = float(np.abs(np.log(p / q)).max())
    if epsilon < 1e-9:
        return
    each = Fraction(epsilon * (1 + 1e-12))
    pure = Repeated(epsilon=each, stop=stop, shape=shape)
    confined = Repeated(rho=pure_to_rho(each), stop=stop, shape=shape)
    a, b = (best_of(law, scores, float(Fraction(stop)), float(Fraction(shape))) for law in (p, q))
    loss = np.log(a / b)
    assert np.abs(loss).max() <= float(pure.cost(ONE, Pure).epsilon) * (1 + 1e-9) + 1e-9
    curves = [one.cost(ONE, Renyi) for one in (pure, confined)]
    for place, order in enumerate(curves[0].orders):
        if order <= 100:
            true = math.log(float(np.dot(a, np.exp((float(order) - 1) * loss)))) / (float(order) - 1)
            assert all(true <= float(curve.taus[place]) * (1 + 1e-9) + 1e-9 for curve in curves)


E = math.e
# Who has a bad output has had no better one in many runs, and who has a rare one in the middle had none above it.
WORST = {
    "two": ([E / (1 + E), 1 / (1 + E)], [1 / (1 + E), E / (1 + E)]),
    "three": ([1 - 0.001 * E - 0.49 / E, 0.001 * E, 0.49 / E], [0.509, 0.001, 0.49]),
}


@pytest.mark.parametrize("case", WORST)
@pytest.mark.parametrize("shape", SHAPES)
def test_divergences_pay_for_what_the_number_of_runs_tells(shape, case):
    a, b = (best_of(law, range(len(law)), 0.001, float(Fraction(shape))) for law in WORST[case])
    curve = Repeated(epsilon=1, stop="1/1000", shape=shape).cost(ONE, Renyi)
    for order, tau in zip(curve.orders, curve.taus, strict=True):
        if order <= 2000:
            weights = float(order) * np.log(a) - (float(order) - 1) * np.log(b)
            true = (weights.max() + math.log(np.exp(weights - weights.max()).sum())) / (float(order) - 1)
            assert true <= float(tau) * (1 + 1e-9)


def test_a_pure_loss_is_nearly_reached():
    """A rare output that beats all others, and one that loses to all: many runs find the first."""
    epsilon, stop = 0.5, 1e-4
    rare = 1e-6
    p = np.array([1 - rare * math.exp(epsilon), rare * math.exp(epsilon)])
    q = np.array([1 - rare, rare])
    a, b = (best_of(law, [0, 1], stop, 1.0) for law in (p, q))
    assert math.log(a[1] / b[1]) > 0.95 * epsilon
    # The output that nearly everybody has: all of what the number of runs adds.
    p, q = np.array([0.9, 0.1]), np.array([1 - 0.1 * math.exp(epsilon), 0.1 * math.exp(epsilon)])
    a, b = (best_of(law, [0, 1], stop, 1.0) for law in (p, q))
    assert math.log(a[0] / b[0]) > 1.9 * epsilon * 0.5


@pytest.mark.parametrize("shape", SHAPES)
def test_the_number_of_runs_has_its_law(shape):
    made, bits = Repeated(epsilon=1, stop="1/5", shape=shape), TestBits(20261118)
    drawn = np.array([made.runs(bits=bits) for _ in range(300)])
    eta, stop = float(Fraction(shape)), 0.2
    one = generating(stop, eta, 1e-9) / 1e-9
    # Six deviations: a false alarm in a billion.
    assert abs((drawn == 1).mean() - one) < 6 * math.sqrt(one / 300)
    assert abs(drawn.mean() - made.mean) < 6 * drawn.std() / math.sqrt(300)
    assert made.mean == pytest.approx((1 - generating(stop, eta, 1 - 1e-7)) / 1e-7, rel=1e-4)


def test_the_best_run_is_kept_and_none_that_has_no_score():
    made, bits = Repeated(epsilon=1, stop="1/50"), TestBits(4)
    scores = iter([1.0, float("nan"), 3.0, 2.0] * 1000)

    def run(drawing):
        score = next(scores)
        return score, score

    found = [made.release(run, bits=bits) for _ in range(20)]
    assert found.count(3.0) > 10  # the best of those with a score, unless the runs ended before it
    equal = [made.release(lambda drawing: (0.0, int(drawing.words(1)[0]) & 1), bits=bits) for _ in range(100)]
    assert 20 < sum(equal) < 80


def test_rho_pays_for_many_runs_at_a_small_price():
    once = compose([Repeated(rho="0.001", stop=1)], delta="1e-6").epsilon
    many = Repeated(rho="0.001", stop="1/100", shape=0)
    total = float(many.cost(ONE, Approximate, delta="1e-6").epsilon)
    assert many.mean > 20
    assert once < total < 3 * once


def test_what_makes_no_sense_is_refused():
    assert taken(lambda stop: Repeated(epsilon=1, stop=stop), [0, -1, 2, "x", None, float("nan"), True]) == []
    assert taken(lambda shape: Repeated(epsilon=1, shape=shape), [-1, -2, "x", None, float("inf"), True]) == []
    assert taken(lambda loss: Repeated(**loss), [{}, {"epsilon": 1, "rho": 1}, {"epsilon": 0}, {"rho": -1}]) == []
