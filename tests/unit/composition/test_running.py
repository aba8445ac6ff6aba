from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from partita.composition.adaptive.odometer import Odometer
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.running import Running
from partita.errors import InvalidInput, NotProven
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


def mixture(seed: int, size: int) -> list:
    source = random.Random(seed)
    kinds = [
        lambda: Laplace(epsilon=source.uniform(0.005, 0.05)),
        lambda: GaussianNoise(sigma=source.uniform(20, 200)),
        lambda: RandomizedResponse(epsilon=source.uniform(0.01, 0.1)),
        lambda: (Approximate(epsilon=source.uniform(0.01, 0.05), delta="1e-12"), 2),
        lambda: Geometric(epsilon=source.uniform(0.01, 0.05)).at(Distance.l1(2)),
    ]
    return [source.choice(kinds)() for _ in range(size)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_running_total_is_the_total_of_the_plan_so_far(seed):
    events = mixture(seed, 160)
    running = Running(delta="1e-6")
    for i, event in enumerate(events, start=1):
        answer = running.add(event)
        if i in (1, 2, 3, 7, 20, 61, 160):
            exact = compose(events[:i], delta="1e-6")
            assert exact.lower <= answer <= exact.epsilon * (1 + 1e-5)


def test_the_running_total_never_falls():
    running = Running(delta="1e-9")
    answers = [running.add(event) for event in mixture(9, 200)]
    assert all(b >= a * (1 - 1e-5) for a, b in itertools.pairwise(answers))


def test_both_directions_are_kept_when_a_sample_comes_in():
    events = [GaussianNoise(sigma=5), *[Subsampled(GaussianNoise(sigma=1), rate="0.05")] * 5, Laplace(epsilon="0.1")]
    running = Running(delta="1e-6")
    answers = [running.add(event) for event in events]
    for i in (1, 2, 6, 7):
        assert answers[i - 1] == pytest.approx(compose(events[:i], delta="1e-6").epsilon, rel=1e-4)


def test_unlike_relations_are_refused_along_the_way():
    running = Running(delta="1e-6")
    running.add(RandomizedResponse(epsilon="0.1"))
    with pytest.raises(NotProven):
        running.add(Subsampled(GaussianNoise(sigma=1), rate="0.05"))


@pytest.mark.parametrize("delta", [0, 1, -1])
def test_a_running_total_needs_a_delta(delta):
    with pytest.raises(InvalidInput):
        Running(delta=delta)


def test_an_odometer_bounds_the_loss_at_every_moment():
    odometer = Odometer(rho="0.5", delta="1e-6")
    assert odometer.bound() == 0
    for _ in range(10):
        odometer.record(GaussianNoise(sigma=5))
    assert odometer.spent == ZCDP(rho="0.2")
    # Weaker than a filter that had this budget from the start.
    assert odometer.bound() > float(ZCDP(rho="0.2").epsilon_at(ZCDP(rho=1, delta="1e-6").delta))


def test_while_all_is_pure_the_sum_of_epsilon_is_a_bound_too():
    odometer = Odometer(rho="0.5", delta="1e-6")
    odometer.record(Pure(epsilon="0.5"))
    odometer.record(Laplace(epsilon="0.25"))
    assert odometer.bound() == 0.75
    odometer.record(GaussianNoise(sigma=100))
    assert odometer.bound() > 3


def test_a_cost_with_a_delta_has_no_odometer():
    with pytest.raises(NotProven, match="without a δ"):
        Odometer(rho=1, delta="1e-6").record(Approximate(epsilon="0.1", delta="1e-9"))
    with pytest.raises(InvalidInput):
        Odometer(rho=0, delta="1e-6")
    with pytest.raises(InvalidInput):
        Odometer(rho=1, delta=0)


ROUGH = {
    "equal Laplace": lambda i: Laplace(epsilon="0.05"),
    "unlike Laplace": lambda i: Laplace(epsilon=Fraction(10 + 7 * i % 31, 1000)),
    "unlike responses": lambda i: RandomizedResponse(epsilon=Fraction(10 + 7 * i % 31, 500)),
    "losses with a δ": lambda i: Approximate(epsilon=Fraction(10 + 7 * i % 31, 500), delta="1e-12"),
    "a mix": lambda i: [Laplace(epsilon="0.1"), RandomizedResponse(epsilon=Fraction(i + 1, 300))][i % 2],
}


@pytest.mark.parametrize("name", ROUGH)
def test_totals_without_a_smooth_release_follow_the_plan_too(name):
    running, events = Running(delta="1e-6"), []
    for i in range(60):
        events.append(ROUGH[name](i))
        found = running.add(events[-1])
        if i % 13 == 0 or i > 57:
            total = compose(events, delta="1e-6")
            assert total.lower * (1 - 1e-9) <= found <= total.epsilon * (1 + 1e-4)


def test_very_many_releases_at_once_have_a_running_total():
    running = Running(delta="1e-6")
    assert running.add((Pure(epsilon="0.1"), 10**15)) > 4.9e12
    assert running.add((Pure(epsilon="0.2"), 10**15)) < 1e14
    assert running.add((Laplace(epsilon="0.1"), 10**15)) < 2e14
