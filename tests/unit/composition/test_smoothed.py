"""A lower bound that noise beside a plan cannot lift above the truth, and that is close to it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from partita.composition.guarantees.compose import compose
from partita.composition.numerics import saddle
from partita.composition.numerics.curve import solve
from partita.composition.numerics.smoothed import Smoothed
from partita.composition.plans.plan import Plan
from partita.mechanisms.geometric import Geometric
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure


def responses(count: int, seed: int, low: float = 0.05, high: float = 0.6) -> list[Pure]:
    draws = random.Random(seed)
    return [Pure(epsilon=str(round(draws.uniform(low, high), 6))) for _ in range(count)]


def truth(losses: list[Pure]):
    """δ at any ε by adding up all combinations of answers."""
    sums, masses = np.zeros(1), np.ones(1)
    for loss in losses:
        one = float(loss.epsilon)
        likely = 1 / (1 + np.exp(-one))
        sums = np.concatenate([sums + one, sums - one])
        masses = np.concatenate([masses * likely, masses * (1 - likely)])
    return lambda epsilon: float((masses * np.maximum(-np.expm1(epsilon - sums), 0.0)).sum())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-7])
def test_the_bound_is_never_above_the_truth_and_close_to_it(seed, delta):
    losses = responses(16, seed)
    exactly, total = truth(losses), Plan.of(losses).totals[0]
    place = saddle.for_delta(total, delta)
    smooth = Smoothed.of(total, place, delta)
    assert smooth is not None
    near = solve(smooth.contour, place.epsilon, delta, total.maximum)
    for share in np.linspace(0.7, 1.1, 41):
        assert smooth.lower(near * share) <= exactly(near * share) * (1 + 1e-9)
    at = smooth.most(delta, near)
    assert exactly(at) >= delta * (1 - 1e-9)
    assert exactly(at * 1.001) < delta


@pytest.mark.parametrize("count", [40, 200, 800])
def test_many_unlike_responses_are_enclosed_within_a_hundredth_of_a_percent(count):
    total = compose(responses(count, 1, 0.5 / count**0.5, 1.5 / count**0.5), delta="1e-6")
    assert total.lower <= total.epsilon <= total.lower * 1.0001


def test_leaks_and_noise_on_integers_are_enclosed_too():
    draws = random.Random(3)
    leaky = [Approximate(epsilon=str(round(draws.uniform(0.01, 0.1), 5)), delta="1e-10") for _ in range(60)]
    geometric = [Geometric(scale=draws.randint(50, 400)) for _ in range(40)]
    for plan in (leaky, geometric, leaky + geometric):
        total = compose(plan, delta="1e-6")
        assert 0 < total.lower <= total.epsilon <= total.lower * 1.0001
