from __future__ import annotations

import math
from fractions import Fraction

import pytest

from partita.composition.calibration.calibrate import Share, calibrate, calibrate_plan, split
from partita.composition.guarantees.compose import compose
from partita.errors import InvalidInput, NotProven
from partita.granularity import Relation
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.histogram import Histogram
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure

KINDS = [Laplace, GaussianNoise, RandomizedResponse, Geometric, DiscreteGaussian, Pure]


def weaker(mechanism):
    """A little less noise."""
    match mechanism:
        case Laplace() | Geometric():
            return type(mechanism)(scale=mechanism.scale * Fraction(9995, 10000))
        case GaussianNoise():
            return GaussianNoise(sigma=mechanism.sigma * Fraction(9995, 10000))
        case DiscreteGaussian():
            return DiscreteGaussian(variance=mechanism.variance * Fraction(999, 1000))
        case RandomizedResponse() | Pure():
            return type(mechanism)(epsilon=mechanism.epsilon * Fraction(10005, 10000))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("count", [1, 7, 300])
def test_the_answer_fits_and_a_little_less_noise_does_not(kind, count):
    found = calibrate(kind, count=count, epsilon=1, delta="1e-6")
    assert compose([(found, count)], delta="1e-6").epsilon <= 1
    assert compose([(weaker(found), count)], delta="1e-6").epsilon > 1


@pytest.mark.parametrize("method", ["basic", "advanced", "optimal", "zcdp", "renyi", "gdp", "pld"])
def test_every_method_can_be_solved_backwards(method):
    found = calibrate(Laplace, count=50, epsilon=1, delta="1e-6", method=method)
    total = compose([(found, 50)], delta="1e-6", method=method).epsilon
    assert 0.999 < total <= 1


MORE = [
    (Exponential, {}),
    (PermuteAndFlip, {"monotone": True}),
    (NoisyMax, {}),
    (SparseVector, {"positives": 3}),
    (Subsampled, {"mechanism": GaussianNoise, "rate": "0.02"}),
    (Subsampled, {"mechanism": Laplace, "rate": "0.1", "scheme": "without_replacement"}),
    (LaplaceThreshold, {"keys": 2, "rows": 3}),
    (GaussianThreshold, {"keys": 2}),
    (TruncatedGeometric, {"keys": 2}),
]


@pytest.mark.parametrize(("kind", "parameters"), MORE, ids=[kind.__name__ for kind, _ in MORE])
@pytest.mark.parametrize("count", [1, 12])
def test_every_mechanism_is_solved_for_and_verified_forward(kind, parameters, count):
    found = calibrate(kind, count=count, epsilon=1, delta="1e-6", **parameters)
    assert isinstance(found, kind)
    # A threshold is a whole number, so the last step down may cost a little more than what is left.
    least = 0.9 if kind is GaussianThreshold else 0.9999
    assert least < compose([(found, count)], delta="1e-6").epsilon <= 1


def test_gradient_descent_on_samples_gets_the_noise_that_its_exact_total_needs():
    found = calibrate(Subsampled, mechanism=GaussianNoise, rate="0.01", count=1000, epsilon="2.1245", delta="1e-6")
    assert float(found.mechanism.sigma) == pytest.approx(1.0, rel=1e-5)


def test_key_selection_may_be_given_more_of_delta():
    little, much = (calibrate(GaussianThreshold, epsilon=1, delta="1e-6", leak=share) for share in ("0.01", "0.9"))
    assert little.threshold > much.threshold
    assert little.sigma < much.sigma
    assert little.leak() <= Fraction(1, 10**8)


def test_key_selection_counts_all_people_that_neighbours_differ_in():
    found = calibrate(LaplaceThreshold, epsilon=1, delta="1e-6", distance=Distance.l1(3))
    assert compose([found.at(Distance.l1(3))], delta="1e-6").epsilon <= 1


def test_a_mechanism_made_for_one_relation_is_made_for_the_one_asked_for():
    found = calibrate(LaplaceThreshold, epsilon=1, delta="1e-6", relation="change-one")
    assert found.relation is Relation.CHANGE_ONE
    assert found.scale == pytest.approx(2, rel=1e-4)


def test_a_mix_may_hold_sampled_releases_key_selection_and_sessions():
    plan, total = calibrate_plan(
        [
            Share(Subsampled, 100, Fraction(3), None, {"mechanism": GaussianNoise, "rate": "0.01"}),
            (LaplaceThreshold, 2, 1),
            (SparseVector, 1, 1, None, {"positives": 4}),
            (GaussianNoise, 10, 2),
        ],
        epsilon=1,
        delta="1e-6",
    )
    assert [count for _, count in plan] == [100, 2, 1, 10]
    assert plan[2][0].positives == 4
    assert 0.999 < total.epsilon <= 1
    assert total.relation is Relation.ADD_REMOVE


def test_pure_noise_needs_no_delta():
    assert calibrate(Laplace, count=10, epsilon=1).scale == pytest.approx(10, rel=1e-6)
    with pytest.raises(InvalidInput, match="δ"):
        calibrate(GaussianNoise, epsilon=1)


@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12", 2**-50, "1e-30"])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "20"])
def test_gaussian_noise_is_solved_at_any_target(epsilon, delta):
    found = calibrate(GaussianNoise, count=1000, epsilon=epsilon, delta=delta)
    total = compose([(found, 1000)], delta=delta).epsilon
    assert float(epsilon) * (1 - 1e-9) < total <= float(epsilon)


def test_the_distance_scales_the_noise():
    near, far = (calibrate(GaussianNoise, epsilon=1, delta="1e-6", distance=Distance.l2(d)).sigma for d in (1, 3))
    assert far / near == pytest.approx(3, rel=1e-9)
    near, far = (calibrate(Laplace, epsilon=1, delta="1e-6", distance=Distance.l1(d)).scale for d in (1, 3))
    assert far / near == pytest.approx(3, rel=1e-6)


def test_a_mix_shares_the_budget_by_weight():
    plan, total = calibrate_plan([(Laplace, 1, 60), Share(GaussianNoise, 200, Fraction(40))], epsilon=1, delta="1e-6")
    (histogram, one), (counts, many) = plan
    assert (one, many) == (1, 200)
    assert 1 - 1e-6 < total.epsilon <= 1
    rho = [float(histogram.epsilon) ** 2 / 2, 200 / (2 * float(counts.sigma) ** 2)]
    assert rho[0] / sum(rho) == pytest.approx(0.6, abs=1e-6)


def test_a_mix_may_have_distances():
    plan, total = calibrate_plan(
        [(GaussianNoise, 10, 1, Distance.l2(2)), (GaussianNoise, 10, 1)], epsilon=1, delta="1e-6"
    )
    assert float(plan[0][0].sigma) == pytest.approx(2 * float(plan[1][0].sigma), rel=1e-9)
    assert total.epsilon <= 1


def test_the_split_formulas_of_the_textbook():
    assert split(1, "1e-6", 100) == pytest.approx((0.01, 1e-8), rel=1e-15)
    each, delta = split(1, "1e-6", 100, method="advanced")
    assert each == pytest.approx(0.01825469356644, rel=1e-12)
    assert delta == pytest.approx(5e-9)
    assert compose([(Pure(epsilon=Fraction(each)), 100)], delta="5e-7", method="advanced").epsilon <= 1
    # Few large releases: basic composition is the better one.
    assert split(10, "1e-6", 2, method="advanced")[0] == 5.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: calibrate(Histogram, epsilon=1, delta="1e-6"),
        lambda: calibrate(Subsampled, epsilon=1, delta="1e-6"),
        lambda: calibrate(Subsampled, mechanism=GaussianNoise, epsilon=1, delta="1e-6"),
        lambda: calibrate(Subsampled, mechanism=LaplaceThreshold, rate="0.1", epsilon=1, delta="1e-6"),
        lambda: calibrate(LaplaceThreshold, epsilon=1),
        lambda: calibrate(TruncatedGeometric, epsilon=1),
        lambda: calibrate(LaplaceThreshold, epsilon=1, delta="1e-6", leak=1),
        lambda: calibrate(Laplace, epsilon=1, delta="1e-6", leak="0.5"),
        lambda: calibrate(SparseVector, epsilon=1, delta="1e-6", threshold=3),
        lambda: calibrate(Laplace, epsilon=0, delta="1e-6"),
        lambda: calibrate(Laplace, epsilon=-1, delta="1e-6"),
        lambda: calibrate(Laplace, epsilon=1, delta=1),
        lambda: calibrate(Laplace, epsilon=1, delta="1e-6", count=0),
        lambda: calibrate(Laplace, epsilon=1, delta="1e-6", method="magic"),
        lambda: calibrate_plan([], epsilon=1, delta="1e-6"),
        lambda: calibrate_plan([(Laplace, 1, 0)], epsilon=1, delta="1e-6"),
        lambda: calibrate_plan([(Histogram, 1, 1)], epsilon=1, delta="1e-6"),
        lambda: calibrate_plan([(Laplace, 1, 1, None, 3)], epsilon=1, delta="1e-6"),
        lambda: split(1, 0, 10, method="advanced"),
        lambda: split(1, "1e-6", 10, method="optimal"),
    ],
)
def test_what_cannot_be_solved_is_refused(call):
    with pytest.raises((InvalidInput, NotProven)):
        call()


def test_a_distance_of_zero_hides_nothing():
    with pytest.raises(NotProven, match="zero"):
        calibrate(GaussianNoise, epsilon=1, delta="1e-6", distance=Distance.l2(0))


def test_noise_grows_like_the_square_root_of_the_number_of_questions():
    scales = [float(calibrate(Laplace, count=count, epsilon=1, delta="1e-6").scale) for count in (100, 400, 1600)]
    assert math.log(scales[2] / scales[0]) / math.log(16) == pytest.approx(0.5, abs=0.05)


def test_very_many_releases_are_calibrated_too():
    found = calibrate(Pure, count=10**12, epsilon=1, delta="1e-6")
    assert 0.99 < compose([(found, 10**12)], delta="1e-6").epsilon <= 1
