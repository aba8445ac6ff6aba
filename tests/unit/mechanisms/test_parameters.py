"""What a constructor accepts, keeps and refuses."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from partita.errors import InvalidInput, NotProven, PartitaError
from partita.granularity import Relation
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise, decimal_up, textbook_holds, textbook_sigma
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.histogram import Histogram, cell_distance, compare
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector, best_share, classical_error
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.refusals import taken

NOT_POSITIVE = [0, -1, "-0.5", float("nan"), float("inf"), -math.inf, "x", None, True, [], 1j, Decimal("NaN"), "1/0"]

POSITIVE = [
    (Laplace, "scale", {}),
    (Laplace, "epsilon", {}),
    (Geometric, "scale", {}),
    (Geometric, "epsilon", {}),
    (GaussianNoise, "sigma", {}),
    (DiscreteGaussian, "variance", {}),
    (RandomizedResponse, "epsilon", {}),
    (Exponential, "epsilon", {}),
    (PermuteAndFlip, "epsilon", {}),
    (NoisyMax, "epsilon", {}),
    (SparseVector, "epsilon", {}),
    (LaplaceThreshold, "scale", {"threshold": 10}),
    (GaussianThreshold, "sigma", {"threshold": 10}),
    (TruncatedGeometric, "epsilon", {"delta": "1e-6"}),
    (TruncatedGeometric, "delta", {"epsilon": 1}),
]


@pytest.mark.parametrize(("family", "name", "others"), POSITIVE, ids=lambda part: getattr(part, "kind", str(part)))
def test_a_parameter_that_must_be_positive_is_checked(family, name, others):
    assert taken(lambda value: family(**{name: value}, **others), NOT_POSITIVE) == []


@pytest.mark.parametrize(("family", "name", "others"), POSITIVE, ids=lambda part: getattr(part, "kind", str(part)))
def test_a_parameter_is_kept_exactly(family, name, others):
    for value, exact in (("0.1", Fraction(1, 10)), (0.1, Fraction(1, 10)), (Fraction(1, 3), Fraction(1, 3))):
        assert getattr(family(**{name: value}, **others), name) == exact


@pytest.mark.parametrize("family", [Laplace, Geometric])
def test_noise_is_given_by_its_scale_or_its_loss_but_not_both(family):
    assert family(epsilon="0.1") == family(scale=10)
    for arguments in ({}, {"scale": 1, "epsilon": 1}):
        with pytest.raises(InvalidInput, match="exactly one of the two"):
            family(**arguments)


WHOLE = [
    (RandomizedResponse, "values", {"epsilon": 1}, 1),
    (SparseVector, "positives", {"epsilon": 1}, 0),
    (LaplaceThreshold, "keys", {"scale": 1, "threshold": 9}, 0),
    (LaplaceThreshold, "rows", {"scale": 1, "threshold": 9}, 0),
    (GaussianThreshold, "keys", {"sigma": 1, "threshold": 9}, 0),
    (TruncatedGeometric, "keys", {"epsilon": 1, "delta": "1e-6"}, 0),
]


@pytest.mark.parametrize(("family", "name", "others", "below"), WHOLE)
def test_a_number_of_things_is_whole_and_large_enough(family, name, others, below):
    for value in (below, -1, 1.5, float("nan"), "x", None, True):
        with pytest.raises(PartitaError):
            family(**{name: value}, **others)


@pytest.mark.parametrize("family", [Exponential, PermuteAndFlip, NoisyMax, SparseVector])
@pytest.mark.parametrize("value", [1, 0, "yes", None, 0.0])
def test_monotone_is_true_or_false(family, value):
    with pytest.raises(InvalidInput, match="neither True nor False"):
        family(epsilon=1, monotone=value)


def test_every_mechanism_is_a_value():
    assert Laplace(scale=4) == Laplace(epsilon="0.25")
    assert len({GaussianNoise(sigma=1), GaussianNoise(sigma="1.0")}) == 1
    with pytest.raises(AttributeError):
        Laplace(scale=4).scale = 5


@pytest.mark.parametrize(
    ("budget", "distance"),
    [
        (Approximate(epsilon=1, delta="1e-6"), Distance.l2(1)),
        (Approximate(epsilon="0.01", delta="1e-12"), Distance.l2("0.5")),
        (Approximate(epsilon=30, delta="0.3"), Distance.l2(7)),
        (ZCDP(rho="0.3"), Distance.l2_squared(2)),
        (ZCDP(rho="0.3", delta="1e-9"), Distance.l2(1)),
        (GDP(mu="0.7"), Distance.l2(3)),
        (Renyi(order=8, tau="0.5"), Distance.l2(1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [1, 25])
def test_calibrated_noise_fits_its_budget_and_hardly_less_would(budget, distance, count):
    noise = GaussianNoise.for_budget(budget, distance, count=count)
    total = Distance.l2_squared(count * distance.power)
    less = GaussianNoise(sigma=noise.sigma * Fraction(999_999, 1_000_000))

    def fits(tried):
        match budget:
            case Approximate(epsilon=epsilon, delta=delta):
                return tried.cost(total, GDP).delta_at(epsilon) <= delta
            case Renyi():
                return tried.cost(total, Renyi).on(budget.orders).fits(budget)
            case _:
                return tried.cost(total, type(budget)).fits(budget)

    assert fits(noise)
    assert not fits(less)


@pytest.mark.parametrize(
    "budget", [Pure(epsilon=1), Approximate(epsilon=1, delta=0), ZCDP(rho=0), GDP(mu=0), Pure(epsilon=0)], ids=str
)
def test_no_gaussian_noise_keeps_a_pure_or_empty_budget(budget):
    with pytest.raises(NotProven, match="No amount of gaussian noise"):
        GaussianNoise.for_budget(budget, Distance.l2(1))


@pytest.mark.parametrize(
    ("budget", "distance", "count"),
    [
        (1, Distance.l2(1), 1),
        (ZCDP(rho=1), 1, 1),
        (ZCDP(rho=1), Distance.l1(1), 1),
        (ZCDP(rho=1), Distance.l2(0), 1),
        (ZCDP(rho=1), Distance.l2(1), 0),
        (ZCDP(rho=1), Distance.l2(1), 1.5),
    ],
)
def test_a_calibration_that_makes_no_sense_is_refused(budget, distance, count):
    with pytest.raises(PartitaError):
        GaussianNoise.for_budget(budget, distance, count=count)


def test_the_textbook_formula_is_only_compared():
    assert textbook_holds(1, "1e-6")
    assert not textbook_holds(12, "1e-6")
    assert textbook_sigma(1, "1e-6") > GaussianNoise.for_budget(
        Approximate(epsilon=1, delta="1e-6"), Distance.l2(1)
    ).sigma  # fmt: skip
    for arguments in ((0, "1e-6"), (1, 0), (1, 1), (1, "1e-6", 0), (float("nan"), "1e-6"), (1, None)):
        with pytest.raises(PartitaError):
            textbook_sigma(*arguments)


def test_the_analytic_calibration_holds_where_the_textbook_fails():
    noise = GaussianNoise.for_budget(Approximate(epsilon=12, delta="1e-6"), Distance.l2(1))
    assert noise.cost(Distance.l2(1), GDP).delta_at(Fraction(12)) <= Fraction(1, 10**6)
    assert noise.sigma > textbook_sigma(12, "1e-6")


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(10**40 + 1), Fraction(1, 7 * 10**30), Fraction(5)])
def test_a_short_decimal_is_never_below(number):
    short = decimal_up(number)
    assert number <= short <= number * (1 + Fraction(1, 10**13))


def test_gaussian_noise_is_gaussian_private_and_discrete_gaussian_noise_is_not():
    assert GaussianNoise(sigma=2).cost(Distance.l2(1), GDP) == GDP(mu="0.5")
    with pytest.raises(NotProven, match="B12"):
        DiscreteGaussian(variance=4).cost(Distance.l2(1), GDP)
    with pytest.raises(NotProven):
        DiscreteGaussian(variance=4).cost(Distance.l2(1), Pure)


def test_the_exact_curve_of_discrete_noise_is_above_the_continuous_one():
    noise = DiscreteGaussian(variance=1)
    assert noise.pair(Distance.l2(1)).delta(4.3) > 1.8 * float(GDP(mu=1).delta_at(Fraction(43, 10)))
    geometric = Geometric(epsilon=1).pair(Distance.l1(1)).delta(0.5)
    assert geometric > 1.3 * Laplace(epsilon=1).pair(Distance.l1(1)).delta(0.5)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-30", "1e-70"])
def test_a_tiny_loss_is_never_free(epsilon):
    """Theory C3a: in doubles ε - 1 + e^(-ε) is exactly zero here."""
    small, at = Fraction(epsilon), Distance.l1(1)
    rho = Laplace(epsilon=epsilon).cost(at, ZCDP).rho
    assert small**2 / 2 * (1 - small) <= rho <= small**2 / 2
    mu = Laplace(epsilon=epsilon).cost(at, GDP).mu
    # To first order μ = 2√2 erfinv(ε/2) = √(π/2) ε.
    assert math.isclose(float(mu / small), math.sqrt(math.pi / 2), rel_tol=1e-8)
    assert Exponential(epsilon=epsilon).cost(Distance.linf(1), ZCDP).rho == small**2 / 8
    assert GaussianNoise(sigma=1 / small).cost(Distance.l2(1), ZCDP).rho == small**2 / 2


def test_the_curve_of_discrete_noise_is_refused_where_no_theorem_gives_it():
    noise = DiscreteGaussian(variance=4)
    for square in (1, "1.9", 2, 3, "3.99"):
        assert 0 < noise.pair(Distance.l2_squared(square)).delta(1.0) < 1
    with pytest.raises(NotProven, match="exact curve of discrete_gaussian noise is not known"):
        noise.pair(Distance.l2(2))
    with pytest.raises(NotProven, match="not known"):
        DiscreteGaussian(variance=10**9).pair(Distance.l2(1))
    assert DiscreteGaussian(variance=4, alone=True).pair(Distance.l2(2)).delta(1.0) < 1
    # The bound through ρ still answers.
    assert noise.cost(Distance.l2(2), Approximate, delta="1e-6").epsilon > 0
    assert noise.cost(Distance.l2(2), Profile).delta_at(Fraction(3)) < 1


def test_several_entries_of_discrete_noise_are_independent_copies():
    noise = DiscreteGaussian(variance=4)
    both = noise.pair(Distance.l2_squared(2)).remove
    assert [count for _, count in both.parts] == [2]
    assert noise.pair(Distance.l2_squared(2)).delta(1.0) > noise.pair(Distance.l2(1)).delta(1.0)


def test_changed_reports_add_up():
    response = RandomizedResponse(epsilon=1)
    one, four = response.pair(Distance.l1(1)), response.pair(Distance.l1(4))
    p = math.e / (1 + math.e)
    atoms = [(4 - 2 * j, math.comb(4, j) * p ** (4 - j) * (1 - p) ** j) for j in range(5)]
    for epsilon in (-2.0, 0.0, 0.7, 3.0):
        true = sum(mass * max(0.0, 1 - math.exp(epsilon - loss)) for loss, mass in atoms)
        assert math.isclose(four.delta(epsilon), true, rel_tol=1e-9)
    assert response.cost(Distance.l1(4), Pure).epsilon == 4
    assert response.cost(Distance.l1(4), ZCDP).rho == 4 * response.cost(Distance.l1(1), ZCDP).rho
    assert response.pair(Distance.l1(10_000)).delta(0.0) > one.delta(0.0)
    assert response.relations == {Relation.CHANGE_ONE}


@pytest.mark.parametrize("values", [3, 10, 1000])
def test_many_answers_lose_less_than_two(values):
    two, many = RandomizedResponse(epsilon=1), RandomizedResponse(epsilon=1, values=values)
    at = Distance.l1(1)
    p, q = float(many.keep()), float(many.other())
    for epsilon in (0.0, 0.3, 0.9):
        true = p - math.exp(epsilon) * q + (values - 2) * q * max(0.0, 1 - math.exp(epsilon))
        assert math.isclose(many.pair(at).delta(epsilon), true, rel_tol=1e-9)
        assert many.pair(at).delta(epsilon) <= two.pair(at).delta(epsilon) + 1e-15


def test_estimates_from_reports_are_unbiased():
    response, bits = RandomizedResponse(epsilon=1, values=3), TestBits(4)
    truth = [0] * 5000 + [1] * 3000 + [2] * 2000
    shares = response.estimate(response.release(truth, bits=bits))
    # Six times the standard deviation of one share.
    assert all(abs(shares - [0.5, 0.3, 0.2]) < 6 * math.sqrt(response.variance() / 10_000 + 0.25 / 10_000))
    assert math.isclose(sum(shares), 1, rel_tol=1e-9)
    assert abs(shares - [0.5, 0.3, 0.2]).max() < response.error(0.9999999, entries=3, reports=10_000)


def test_reports_outside_the_answers_are_refused():
    response = RandomizedResponse(epsilon=1, values=3)
    for reports in ([3], [-1], [0, 99], 3, 2**70):
        with pytest.raises(InvalidInput, match="answers 0 to 2"):
            response.release(reports)
        with pytest.raises(InvalidInput, match="answers 0 to 2"):
            response.estimate(reports)
    with pytest.raises(InvalidInput, match="no reports"):
        response.estimate([])
    assert response.release([]).size == 0


def test_huge_losses_report_the_truth_and_tiny_ones_nothing():
    truth = list(range(100))
    assert RandomizedResponse(epsilon=500, values=100).release(truth, bits=TestBits(1)).tolist() == truth
    lies = RandomizedResponse(epsilon="1e-9", values=100).release([0] * 5000, bits=TestBits(1))
    assert 20 <= (lies == 0).sum() <= 90


@pytest.mark.parametrize(("relation", "l1", "l2"), [(Relation.ADD_REMOVE, 1, 1), (Relation.CHANGE_ONE, 2, 2)])
def test_a_histogram_moves_by_one_cell_or_two(relation, l1, l2):
    assert cell_distance(Norm.L1, relation).power == l1
    assert cell_distance(Norm.L2, relation).power == l2
    assert cell_distance(Norm.LINF, relation).power == 1
    assert Histogram.with_epsilon("0.5", relation).cost(Pure) == Pure(epsilon="0.5")
    gaussian = Histogram.with_rho("0.5", relation)
    assert gaussian.cost(ZCDP).fits(ZCDP(rho="0.5"))
    assert gaussian.cost(ZCDP).rho > Fraction(4999, 10000)
    assert Histogram(noise=Geometric(scale=2), relation=relation.value).cost(Pure).epsilon == Fraction(l1, 2)


def test_a_joint_histogram_beats_one_release_a_cell():
    assert compare(12, 1, Relation.CHANGE_ONE).ratio == 6
    assert compare(12, 1, Relation.ADD_REMOVE).ratio == 12
    joint = Histogram.with_epsilon(1, Relation.CHANGE_ONE)
    assert joint.release([10, 0, 5], bits=TestBits(1)).shape == (3,)
    assert joint.error(entries=12) < compare(12, 1, Relation.CHANGE_ONE).separate.error(entries=12)
    for arguments in (
        (0, 1, "add/remove"),
        (3, 0, "add/remove"),
        (3, 1, "other"),
        (3, 1, None),
        ("x", 1, "add/remove"),
    ):
        with pytest.raises(PartitaError):
            compare(*arguments)
    for noise in (1, None, RandomizedResponse(epsilon=1), Laplace):
        with pytest.raises(PartitaError):
            Histogram(noise=noise, relation=Relation.ADD_REMOVE)


def test_the_split_of_a_sparse_vector_sums_to_its_loss():
    for positives in (1, 3, 100):
        for monotone in (False, True):
            mechanism = SparseVector(epsilon="0.7", positives=positives, monotone=monotone)
            assert sum(mechanism.split) == Fraction(7, 10)
            assert mechanism.query_scale == (1 if monotone else 2) * positives / mechanism.split[1]
    assert SparseVector.above_threshold(epsilon=1).threshold_scale == 2
    assert 0 < best_share(10**30, monotone=False) < 1
    for share in (0, 1, -1, 2, "x", float("nan")):
        with pytest.raises(PartitaError):
            SparseVector(epsilon=1, share=share)


@pytest.mark.parametrize("questions", [1, 100, 10_000])
def test_the_best_split_is_more_accurate_than_the_textbook(questions):
    mechanism = SparseVector(epsilon="0.1")
    assert mechanism.error(0.95, questions) < classical_error("0.1", questions)
    for arguments in ((0, 1), (1, 0), (1, 1, 1), (1, "x")):
        with pytest.raises(PartitaError):
            classical_error(*arguments)


def test_a_pure_cost_is_an_approximate_one_and_others_need_a_delta():
    assert Laplace(scale=2).cost(Distance.l1(1), Approximate) == Approximate(epsilon="0.5", delta=0)
    with pytest.raises(InvalidInput, match="Say which"):
        GaussianNoise(sigma=1).cost(Distance.l2(1), Approximate)
    with pytest.raises(NotProven):
        GaussianNoise(sigma=1).cost(Distance.l2(1), Approximate, delta=0)
    assert Laplace(scale=2).cost(Distance.l1(1), Approximate, delta=0).epsilon == Fraction(1, 2)


def test_an_event_counts_releases():
    event = Laplace(scale=2).at(Distance.l1(1), 10)
    assert (event.mechanism, event.count) == (Laplace(scale=2), 10)
    assert Laplace(scale=2).at(Distance.l1(1)).count == 1
    for count in (-1, 1.5, float("nan"), "x", None):
        with pytest.raises(PartitaError):
            Laplace(scale=2).at(Distance.l1(1), count)
