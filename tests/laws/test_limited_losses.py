"""Losses and noise beyond a limit: a law that stands in for another is never better, and a bar never shorter."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.running import Running
from partita.composition.numerics.curve import profile
from partita.composition.numerics.total import Total
from partita.limits import Limits, using
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.theory.distance import Distance
from tests.laws.limiting import told

SMALL = (0, 1, 2)
EPSILONS = np.linspace(0, 6, 25)


def profiles(mechanism, distance):
    """δ at some ε, in both directions, rounded down and up."""
    curves = [profile(Total.of([(law, 1)])) for _, law in mechanism.pair(distance).directions()]
    return [[(curve.lower(float(at)), curve.upper(float(at))) for at in EPSILONS] for curve in curves]


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("scale", ["0.5", 1, 4])
def test_the_worst_law_stands_in_for_that_of_geometric_noise(scale, steps, most):
    noise, far = Geometric(scale=Fraction(scale)), Distance.l1(steps)
    exact = profiles(noise, far)
    with using(Limits(geometric=most)):
        bound = profiles(noise, far)
    for one, other in zip(exact, bound, strict=True):
        assert all(least <= most + 1e-13 for (least, _), (_, most) in zip(one, other, strict=True))


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("values", [2, 3, 6])
def test_changed_reports_one_by_one_lose_what_they_lose_together(values, most):
    response = RandomizedResponse(epsilon="0.7", values=values)
    for reports in (2, 3, 5):
        exact = profiles(response, Distance.l1(reports))
        with using(Limits(reports=most)):
            apart = profiles(response, Distance.l1(reports))
        for one, other in zip(exact, apart, strict=True):
            assert all(least <= most for (least, _), (_, most) in zip(one, other, strict=True))
            assert all(least <= most for (_, most), (least, _) in zip(one, other, strict=True))


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("variance", ["0.3", 1, 5, 90])
def test_noise_that_is_not_summed_reaches_no_less_far(variance, most):
    noise = DiscreteGaussian(variance=variance)
    exact = [*(noise.reach(Fraction(19, 20), entries) for entries in (1, 100)), noise.true_variance()]
    with using(Limits(summed=most)):
        bound = [*(noise.reach(Fraction(19, 20), entries) for entries in (1, 100)), noise.true_variance()]
    assert all(mine <= theirs * (1 + 1e-12) for mine, theirs in zip(exact, bound, strict=True))


PLANS = {
    "Gaussian and Laplace": lambda i: GaussianNoise(sigma=3) if i % 3 else Laplace(epsilon="0.2"),
    "Laplace": lambda i: Laplace(epsilon=Fraction(10 + 7 * i % 31, 300)),
    "responses": lambda i: RandomizedResponse(epsilon=Fraction(10 + 7 * i % 31, 200)),
}


@pytest.mark.parametrize(
    "limits", [*map(Limits.all, SMALL), *(Limits(running=most) for most in SMALL), Limits(thick=0)], ids=told
)
@pytest.mark.parametrize("name", PLANS)
def test_a_running_total_is_never_below_that_of_the_plan(name, limits):
    # Nodes become faint after some dozens of releases.
    many = 90 if limits == Limits(thick=0) else 20
    events = [PLANS[name](i) for i in range(many)]
    totals = [compose(events[: i + 1], delta="1e-6").lower if i % 6 == 1 else 0.0 for i in range(many)]
    with using(limits):
        running = Running(delta="1e-6")
        found = [running.add(event) for event in events]
    assert all(least * (1 - 1e-9) <= mine for least, mine in zip(totals, found, strict=True))
