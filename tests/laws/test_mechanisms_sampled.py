"""Secret samples against exact sums over all samples, and the places where amplification is false."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from partita.errors import PartitaError
from partita.granularity import Relation
from partita.mechanisms.amplified import amplified_tau, symmetric_pair
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.laws.brute_force import fixed_sum_law, hockey_stick, poisson_sum_law, renyi, worst_loss

ONE = Distance.l1(1)
LEVELS = (-0.6, -0.2, 0.0, 0.1, 0.3, 0.6, 1.0)
MIDDLE = slice(100, 301)  # beyond, the sums of tiny tails are rounding only


def curve_holds(pair, with_record, without):
    for level in LEVELS:
        assert hockey_stick(with_record, without, level) <= pair.remove.delta(level) + 1e-12
        assert hockey_stick(without, with_record, level) <= pair.add.delta(level) + 1e-12


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("others", [[], [0, 1], [1, 1, 0]])
def test_a_poisson_sample_keeps_its_word_when_a_record_comes_or_goes(rate, others):
    mechanism = Subsampled(Geometric(epsilon=1), rate=rate)
    p, q = poisson_sum_law([*others, 1], 1.0, rate), poisson_sum_law(others, 1.0, rate)
    assert worst_loss(p[MIDDLE], q[MIDDLE]) <= float(mechanism.cost(ONE, Pure).epsilon) * (1 + 1e-9)
    curve_holds(mechanism.pair(ONE), p, q)


def test_a_sampled_curve_is_reached_by_one_record_alone():
    pair = Subsampled(Geometric(epsilon=1), rate=0.3).pair(ONE)
    p, q = poisson_sum_law([1], 1.0, 0.3), poisson_sum_law([], 1.0, 0.3)
    for level in (-0.1, 0.0, 0.2):
        assert math.isclose(pair.remove.delta(level), hockey_stick(p, q, level), rel_tol=1e-6)
        assert math.isclose(pair.add.delta(level), hockey_stick(q, p, level), rel_tol=1e-6)


@pytest.mark.parametrize(("size", "others"), [(1, [0, 0]), (2, [0, 1, 1]), (2, [0, 0, 0, 1]), (3, [0, 1, 0, 1])])
def test_a_sample_of_fixed_size_keeps_its_word_when_a_record_changes(size, others):
    count = len(others) + 1
    mechanism = Subsampled(Geometric(epsilon=1), rate=f"{size}/{count}", scheme="without_replacement")
    at = Distance.l1(1)
    for old, new in itertools.permutations((0, 1), 2):
        p, q = fixed_sum_law([*others, old], 1.0, size), fixed_sum_law([*others, new], 1.0, size)
        assert worst_loss(p[MIDDLE], q[MIDDLE]) <= float(mechanism.cost(at, Pure).epsilon) * (1 + 1e-9)
        curve_holds(mechanism.pair(at), p, q)


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("others", [[], [1, -1]])
def test_a_poisson_sample_keeps_its_word_when_a_record_changes(rate, others):
    mechanism = Subsampled(Geometric(epsilon=1), rate=rate, relation="change-one", presence=Distance.l1(1))
    at = Distance.l1(2)
    for old, new in itertools.permutations((-1, 0, 1), 2):
        p, q = poisson_sum_law([*others, old], 1.0, rate), poisson_sum_law([*others, new], 1.0, rate)
        assert worst_loss(p[MIDDLE], q[MIDDLE]) <= float(mechanism.cost(at, Pure).epsilon) * (1 + 1e-9)
        curve_holds(mechanism.pair(at), p, q)


def test_a_presence_counts_where_it_is_the_further_one():
    near, far = Distance.l2(1), Distance.l2(3)

    def curve(presence, change):
        mechanism = Subsampled(GaussianNoise(sigma=1), rate="0.2", relation="change-one", presence=presence)
        return [mechanism.pair(change).delta(at) for at in (0.0, 0.3, 1.0)]

    assert curve(far, near) == pytest.approx(curve(near, far), rel=1e-3)
    assert curve(near, near) == curve(Distance.l2(0.5), near)
    assert all(more > less for more, less in zip(curve(far, near), curve(near, near), strict=True))


def test_the_add_remove_formula_is_false_when_a_record_changes():
    """Theory C14c: a sampled record may meet a neighbour whose record is not sampled."""
    rate = 0.3
    true = worst_loss(poisson_sum_law([-1], 1.0, rate)[MIDDLE], poisson_sum_law([1], 1.0, rate)[MIDDLE])
    assert true > 1.5 * float(Subsampled(Geometric(epsilon=1), rate=rate).cost(ONE, Pure).epsilon)


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        (GaussianNoise(sigma=1), {"scheme": "without_replacement", "relation": "add/remove"}),
        (GaussianNoise(sigma=1), {"relation": "change-one"}),
        (GaussianNoise(sigma=1), {"relation": "change-one", "presence": Distance.l1(1)}),
        (GaussianNoise(sigma=1), {"presence": Distance.l2(1)}),
        (RandomizedResponse(epsilon=1), {}),
        (SparseVector(epsilon=1, monotone=True), {"scheme": "without_replacement"}),
        (Subsampled(GaussianNoise(sigma=1), rate="0.5"), {}),
        (GaussianNoise(sigma=1), {"scheme": "bootstrap"}),
        (GaussianNoise(sigma=1), {"relation": "friends"}),
        (1.0, {}),
        (GaussianNoise, {}),
    ],
)
def test_what_has_no_theorem_is_refused(mechanism, options):
    with pytest.raises(PartitaError):
        Subsampled(mechanism, rate="0.1", **options)


@pytest.mark.parametrize("rate", [0, -1, 1.1, float("nan"), float("inf"), "x", None, True])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(PartitaError):
        Subsampled(GaussianNoise(sigma=1), rate=rate)


@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
def test_sampling_everybody_changes_nothing(scheme):
    base = Laplace(scale=2)
    whole = Subsampled(base, rate=1, scheme=scheme)
    assert whole.cost(ONE, Pure) == base.cost(ONE, Pure)
    assert whole.cost(ONE, ZCDP) == base.cost(ONE, ZCDP)
    assert whole.pair(ONE) == base.pair(ONE)


@pytest.mark.parametrize("base", [Laplace(scale=2), GaussianNoise(sigma=2)])
@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
@pytest.mark.parametrize("rate", [1 - Fraction(1, 10**30), 1 - Fraction(1, 10**15), Fraction(1, 10**12)])
def test_a_rate_near_an_end_still_has_a_curve(base, scheme, rate):
    pair = Subsampled(base, rate=rate, scheme=scheme).pair(base.unit())
    for level in (-1.0, 0.0, 0.1, 1.0):
        assert 0 <= pair.delta(level) <= 1
        if rate > Fraction(1, 2):
            assert pair.delta(level) >= base.pair(base.unit()).delta(level) * (1 - 1e-9)


@pytest.mark.parametrize("base", [Laplace(scale=1), Geometric(scale=2)])
@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
def test_a_smaller_sample_never_costs_more_and_never_more_than_the_whole(base, scheme):
    small, large = Subsampled(base, rate="0.1", scheme=scheme), Subsampled(base, rate="0.5", scheme=scheme)
    for measure in (Pure, ZCDP):
        assert small.cost(ONE, measure).fits(large.cost(ONE, measure))
        assert large.cost(ONE, measure).fits(base.cost(ONE, measure))
    for level in (-0.3, 0.0, 0.2, 0.4):
        curves = [mechanism.pair(ONE).delta(level) for mechanism in (small, large, base)]
        assert curves[0] <= curves[1] + 1e-12 <= curves[2] + 2e-12


def test_rho_and_mu_are_not_amplified():
    noise = GaussianNoise(sigma=3)
    assert Subsampled(noise, rate="0.01").cost(Distance.l2(1), ZCDP) == noise.cost(Distance.l2(1), ZCDP)


@pytest.mark.parametrize("rate", [0.01, 0.2])
@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_both_directions_stay_below_the_divergence_of_the_one_who_leaves(rate, sigma):
    x = np.linspace(-12 * sigma, 12 * sigma + 1, 40001)
    step = x[1] - x[0]
    plain = np.exp(-(x**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) * step
    moved = np.exp(-((x - 1) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) * step
    mixed = (1 - rate) * plain + rate * moved
    curve = Subsampled(GaussianNoise(sigma=sigma), rate=rate).cost(Distance.l2(1), Renyi)
    for order, tau in zip(ORDERS, curve.taus, strict=True):
        if order <= 12:
            assert renyi(plain, mixed, float(order)) <= float(tau) * (1 + 1e-6) + 1e-12
            assert renyi(mixed, plain, float(order)) <= float(tau) * (1 + 1e-6) + 1e-12
    assert math.isclose(float(curve.at(4)), renyi(mixed, plain, 4.0), rel_tol=1e-6)


def test_divergences_between_whole_orders_lie_on_the_upper_side():
    values = [amplified_tau(Fraction(1, 10), Fraction(1), Fraction(n, 4)) for n in range(5, 33)]
    assert values == sorted(values)


def test_a_fixed_size_sample_of_gaussian_noise_follows_its_formula():
    rate, mu = 0.2, 0.7
    pair = Subsampled(GaussianNoise(sigma="10/7"), rate=rate, scheme="without_replacement").pair(Distance.l2(1))
    base = GaussianLoss(mu)
    for level in (0.0, 0.3, 1.0, 2.0):
        amplified = math.log1p(rate * math.expm1(level))
        exact = rate * base.delta(level)
        assert exact * (1 - 1e-9) <= pair.delta(amplified) <= exact * (1 + 5e-3) + 1e-30
    assert pair.symmetric


def test_a_symmetric_curve_dominates_both_directions_of_every_base():
    lopsided = Subsampled(GaussianNoise(sigma=1), rate="0.3").pair(Distance.l2(1))
    joined = symmetric_pair((lopsided, Pair.of(GaussianLoss(0.1))), 1.0)
    for level in (0.0, 0.1, 0.5, 1.5):
        assert joined.delta(level) >= lopsided.delta(level) * (1 - 1e-12)


def test_an_approximate_cost_on_a_sample_is_read_from_its_curve():
    mechanism = Subsampled(GaussianNoise(sigma=1), rate="0.1")
    cost = mechanism.cost(Distance.l2(1), Approximate, delta="1e-5")
    assert mechanism.pair(Distance.l2(1)).delta(float(cost.epsilon)) <= 1e-5 * (1 + 1e-9)
    assert cost.epsilon < GaussianNoise(sigma=1).cost(Distance.l2(1), Approximate, delta="1e-5").epsilon


def test_a_sample_serves_the_relation_it_was_made_for_and_books_everything():
    poisson = Subsampled(GaussianNoise(sigma=1), rate="0.1")
    fixed = Subsampled(GaussianNoise(sigma=1), rate="0.1", scheme="without_replacement")
    assert poisson.relations == {Relation.ADD_REMOVE}
    assert fixed.relations == {Relation.CHANGE_ONE}
    assert poisson.whole_region
    assert not poisson.group_by_distance
    assert poisson.error() == GaussianNoise(sigma=1).error()
    assert poisson.parameters() == {
        "mechanism": "gaussian",
        "mechanism.sigma": "1",
        "rate": "1/10",
        "scheme": "poisson",
        "relation": "add/remove",
    }


def test_a_group_is_not_one_record_that_moves_further():
    """Two records at rate 0.05 are noticed more often than one record of twice the size at rate 0.05."""
    p, q = poisson_sum_law([1, 1], 4.0, 0.05), poisson_sum_law([], 4.0, 0.05)
    wrong = Subsampled(Geometric(epsilon=4), rate=0.05).pair(Distance.l1(2))
    assert hockey_stick(p, q, 0.0) > wrong.remove.delta(0.0)


def test_samples_have_their_size():
    poisson = Subsampled(GaussianNoise(sigma=1), rate="0.25")
    # Twelve standard deviations of a binomial with 10,000 trials at 1/4.
    assert abs(int(poisson.sample(10_000, bits=TestBits(3)).sum()) - 2500) < 520
    fixed = Subsampled(GaussianNoise(sigma=1), rate="0.25", scheme="without_replacement")
    assert int(fixed.sample(100, bits=TestBits(3)).sum()) == 25
    assert fixed.sample(0, bits=TestBits(3)).size == 0
    with pytest.raises(PartitaError, match="not a whole number of records"):
        fixed.sample(10)
    for records in (-1, 1.5, "x", None, float("nan"), True):
        with pytest.raises(PartitaError):
            poisson.sample(records)


def test_every_record_is_as_likely_to_be_in_a_sample_of_fixed_size():
    fixed, bits = Subsampled(GaussianNoise(sigma=1), rate="1/3", scheme="without_replacement"), TestBits(9)
    seen = sum(fixed.sample(6, bits=bits).astype(int) for _ in range(3000))
    assert all(abs(seen - 1000) < 6 * math.sqrt(3000 * 2 / 9))
