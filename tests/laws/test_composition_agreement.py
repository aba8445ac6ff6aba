"""Our totals beside those of two other libraries, within the error they state."""

from __future__ import annotations

import warnings

import pytest

from partita.composition.exchange.interchange import to_dp_accounting
from partita.composition.guarantees.compose import compose
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure

PLANS = {
    "laplace": [(Laplace(epsilon="0.1"), 100)],
    "few laplace": [(Laplace(epsilon="0.5"), 3)],
    "gaussian": [(GaussianNoise(sigma=10), 100)],
    "geometric": [(Geometric(epsilon="0.1").at(Distance.l1(2)), 50)],
    "responses": [(RandomizedResponse(epsilon="0.2"), 40)],
    "sampled": [(Subsampled(GaussianNoise(sigma=1), rate="0.01"), 500)],
    "mixed": [
        (Laplace(epsilon="0.1"), 20),
        (GaussianNoise(sigma=5), 3),
        (Subsampled(GaussianNoise(sigma=2), rate="0.1"), 10),
    ],
}


def google(plan, delta: float, interval: float) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting import privacy_accountant
        from dp_accounting.pld import PLDAccountant

        relation = privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE
        if any(isinstance(event, RandomizedResponse) for event, _ in plan):
            relation = privacy_accountant.NeighboringRelation.REPLACE_SPECIAL
        accountant = PLDAccountant(relation, value_discretization_interval=interval)
        accountant.compose(to_dp_accounting(plan))
        return accountant.get_epsilon(delta)


@pytest.mark.parametrize("name", [name for name in PLANS if name != "responses"])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_totals_agree_with_dp_accounting(name, delta):
    """Its default is a pessimistic discretisation in steps of 1e-4."""
    ours = compose(PLANS[name], delta=delta)
    theirs = google(PLANS[name], delta, 1e-4)
    assert ours.lower <= theirs * (1 + 1e-9)
    assert ours.epsilon <= theirs * (1 + 3e-5)
    assert ours.epsilon >= theirs * (1 - 5e-3)


def test_responses_agree_with_the_worst_case_of_their_epsilon():
    ours = compose(PLANS["responses"], delta=1e-6).epsilon
    assert ours == pytest.approx(compose([(Pure(epsilon="0.2"), 40)], delta=1e-6).epsilon, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "rate", "steps"), [(1.0, 0.01, 1000), (0.8, 0.001, 2000), (2.0, 0.05, 300)])
def test_sampled_gaussians_agree_with_prv_accountant(sigma, rate, steps):
    """It states a lower bound, an estimate and an upper bound."""
    import prv_accountant as prv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accountant = prv.PRVAccountant(
            prvs=[prv.PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)],
            max_self_compositions=[steps], eps_error=0.02, delta_error=1e-10,
        )  # fmt: skip
        low, _, high = accountant.compute_epsilon(delta=1e-6, num_self_compositions=[steps])
    ours = compose([(Subsampled(GaussianNoise(sigma=sigma), rate=rate), steps)], delta=1e-6)
    assert low <= ours.epsilon <= high
    assert low - 1e-9 <= ours.epsilon
    assert ours.lower <= high
