from __future__ import annotations

from typing import Any

import pytest

from partita.composition.calibration.calibrate import calibrate, calibrate_plan
from partita.composition.guarantees.compose import compose
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure


def test_a_distance_in_another_norm_is_not_read_as_ones_own() -> None:
    """An L1 distance of 2 is not a squared L2 distance of 2: an L2 distance may be as large as 2."""
    with pytest.raises(InvalidInput, match="l1 was given"):
        calibrate(GaussianNoise, epsilon=1, delta="1e-6", distance=Distance.l1(2))
    with pytest.raises(InvalidInput, match="l1 was given"):
        calibrate_plan([(GaussianNoise, 1, 1, Distance.l1(2))], epsilon=1, delta="1e-6")


@pytest.mark.parametrize("mechanism", [GaussianNoise, Laplace], ids=lambda kind: kind.__name__)
def test_a_distance_of_zero_needs_no_noise_and_is_refused(mechanism: Any) -> None:
    nothing = Distance.l2(0) if mechanism is GaussianNoise else Distance.l1(0)
    with pytest.raises(NotProven, match="distance is zero"):
        calibrate(mechanism, epsilon=1, delta="1e-6", distance=nothing)
    with pytest.raises(NotProven, match="distance is zero"):
        calibrate_plan([(mechanism, 1, 1, nothing)], epsilon=1, delta="1e-6")


@pytest.mark.parametrize("mechanism", [GaussianNoise, Laplace, Pure, [], None, "laplace", 3, int])
@pytest.mark.parametrize(
    "more",
    [{"distance": 3}, {"foo": 3}, {"relation": "foo"}, {"relation": 3}, {"method": []}, {"method": "x"}, {"count": 0}],
    ids=str,
)
def test_what_cannot_be_used_is_refused_by_name(mechanism: Any, more: dict[str, Any]) -> None:
    with pytest.raises(PartitaError):
        calibrate(mechanism, epsilon=1, delta="1e-6", **more)


@pytest.mark.parametrize(
    "shares",
    [None, 3, "x", [], [3], [None], [(Laplace, 1, 1, 3)], [(Laplace, 1, 1, None, 5)], [([], 1)], [()]],
    ids=str,
)
def test_shares_that_are_none_are_refused(shares: Any) -> None:
    with pytest.raises(PartitaError):
        calibrate_plan(shares, epsilon=1, delta="1e-6")


@pytest.mark.parametrize("mechanism", [GaussianNoise, Laplace, Pure], ids=lambda kind: kind.__name__)
def test_nothing_is_calibrated_by_an_approximation(mechanism: Any) -> None:
    with pytest.raises(NotProven, match="central-limit"):
        calibrate(mechanism, epsilon=1, delta="1e-6", count=10, method="central_limit_approximation")


def test_a_mechanism_is_calibrated_only_under_its_own_relation() -> None:
    with pytest.raises(NotProven, match="add/remove"):
        calibrate(RandomizedResponse, epsilon=1, delta="1e-6", relation="add/remove")


@pytest.mark.parametrize("event", [Pure(epsilon=800), Pure(epsilon="1e6"), Exponential(epsilon=800)], ids=str)
@pytest.mark.parametrize("count", [2, 1000])
def test_huge_losses_add_up_without_overflow(event: Any, count: int) -> None:
    total = compose([(event, count)], delta="1e-6")
    assert total.epsilon == pytest.approx(count * float(event.epsilon), rel=1e-6)
    assert total.profile(total.epsilon) <= 1e-6
