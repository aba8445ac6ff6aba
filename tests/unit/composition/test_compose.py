from __future__ import annotations

import math
from fractions import Fraction

import pytest

from partita.composition.guarantees.compose import METHODS, compose
from partita.composition.guarantees.guarantee import Guarantee, Mode
from partita.composition.plans.plan import Plan
from partita.composition.plans.straight import gather, law_of
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.granularity import Relation, replace, rows
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.theory import readings
from partita.theory.distance import Distance
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

MIXED = [(Laplace(epsilon="0.1"), 100), GaussianNoise(sigma=10)]


def test_an_empty_plan_gives_nothing_away():
    for method in METHODS:
        assert compose([], delta="1e-6", method=method).epsilon == 0
    assert compose([]).epsilon == 0
    assert compose([(Laplace(epsilon=1), 0)], delta=0).epsilon == 0


def test_the_best_method_says_which_theorem_gave_it_and_is_never_beaten():
    best = compose(MIXED, delta="1e-6")
    assert best.method == "pld"
    assert "D16" in best.theorem
    for method in ("basic", "advanced", "optimal", "zcdp", "renyi", "gdp"):
        assert compose(MIXED, delta="1e-6", method=method).epsilon >= best.epsilon


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("basic", 10.0),
        ("advanced", 5.756105519),
        ("optimal", 4.774567588),
        ("zcdp", 5.219075238),
        ("pld", 4.774567588),
        ("best", 4.774567588),
    ],
)
def test_the_ladder_of_theorems_for_a_hundred_releases(method, expected):
    total = compose([(Pure(epsilon="0.1"), 100)], delta="1e-6", method=method)
    assert total.epsilon == pytest.approx(expected, rel=1e-8)
    assert total.proven
    assert total.mode is Mode.ADAPTIVE


def test_a_bound_that_is_no_theorem_says_so():
    guess = compose(MIXED, delta="1e-6", method="central_limit_approximation")
    assert not guess.proven
    assert guess.upper == math.inf
    assert guess.lower == 0
    assert "not proven" in guess.explain()


def test_a_large_mechanism_composes_no_worse_by_advanced_than_by_basic():
    assert compose([(Pure(epsilon="0.5"), 10)], delta="1e-5", method="advanced").epsilon == pytest.approx(5.0)


def test_delta_zero_is_the_sum_of_the_largest_losses():
    total = compose([(Laplace(epsilon="0.1"), 3), Pure(epsilon=1)])
    assert total.epsilon == pytest.approx(1.3, abs=1e-15)
    assert total.delta == 0
    assert total.lower <= total.epsilon
    assert total.lower == pytest.approx(1.3)


@pytest.mark.parametrize("method", ["best", "zcdp", "renyi", "gdp", "pld", "basic"])
def test_delta_zero_with_gaussian_noise_is_refused(method):
    with pytest.raises(InvalidInput, match="δ"):
        compose([GaussianNoise(sigma=1)], method=method)


def test_a_leak_larger_than_delta_is_refused():
    with pytest.raises(NotProven, match="already carry δ"):
        compose([(Approximate(epsilon="0.1", delta="1e-7"), 100)], delta="1e-6")


@pytest.mark.parametrize("delta", [-1, 1, 2, "nan", "inf", True])
def test_a_delta_that_is_no_probability_is_refused(delta):
    with pytest.raises(InvalidInput):
        compose(MIXED, delta=delta)


@pytest.mark.parametrize(
    "events",
    [None, 7, "laplace", {"a": 1}, [3], ["x"], [(1, 2)], [(Laplace(epsilon=1), -1)], [(Laplace(epsilon=1), 1.5)],
     [(Laplace(epsilon=1), 2**60)], [(Laplace(epsilon=1), True)], [(Laplace(epsilon=1), 2, 3)], [None]],
    ids=repr,
)  # fmt: skip
def test_what_is_no_plan_is_refused(events):
    with pytest.raises(InvalidInput):
        compose(events, delta="1e-6")


def test_unknown_methods_and_relations_are_refused():
    with pytest.raises(InvalidInput, match="no method"):
        compose(MIXED, delta="1e-6", method="magic")
    with pytest.raises(InvalidInput, match="not a relation"):
        compose(MIXED, delta="1e-6", relation="neighbours")
    with pytest.raises(InvalidInput, match="not a relation"):
        compose(MIXED, delta="1e-6", relation=3)


def test_an_event_not_proven_under_the_relation_is_refused_by_name():
    with pytest.raises(NotProven, match=r"RandomizedResponse.*add/remove.*change-one"):
        compose([RandomizedResponse(epsilon=1)], delta="1e-6", relation="add/remove")
    with pytest.raises(NotProven, match=r"Subsampled.*change-one"):
        compose([Subsampled(GaussianNoise(sigma=1), rate="0.1")], delta="1e-6", relation=replace())


def test_unlike_relations_are_never_summed():
    with pytest.raises(NotProven, match="unlike relations"):
        compose([RandomizedResponse(epsilon=1), Subsampled(GaussianNoise(sigma=1), rate="0.1")], delta="1e-6")


def test_the_common_relation_is_inferred():
    sampled = Subsampled(GaussianNoise(sigma=1), rate="0.1")
    assert compose([sampled, Laplace(epsilon="0.1")], delta="1e-6").relation is Relation.ADD_REMOVE
    assert compose([RandomizedResponse(epsilon="0.1")], delta="1e-6").relation is Relation.CHANGE_ONE
    assert compose(MIXED, delta="1e-6").relation is None
    assert compose(MIXED, delta="1e-6", relation=rows()).relation is Relation.ADD_REMOVE


def test_a_lopsided_pair_does_not_compose_under_change_one():
    first, second = AtomicLoss.between([0.02, 0.98], [0.62, 0.38]), AtomicLoss.between([0.62, 0.38], [0.02, 0.98])
    assert compose([Pair(first, second)], delta="0.4", relation="add/remove").epsilon > 0
    with pytest.raises(NotProven, match="both directions"):
        compose([Pair(first, second)], delta="0.4", relation="change-one", method="pld")
    # What is left is what holds in both directions at once.
    total = compose([(Pair(first, second), 2)], delta="0.4", relation="change-one")
    assert total.method == "basic"
    assert total.profile(total.epsilon + 1e-9) <= 0.4


def test_both_directions_of_a_pair_are_composed_and_the_worse_one_counts():
    first, second = AtomicLoss.between([0.02, 0.98], [0.62, 0.38]), AtomicLoss.between([0.62, 0.38], [0.02, 0.98])
    both = compose([(Pair(first, second), 2)], delta="0.4").epsilon
    alone = [compose([(Pair(law, law), 2)], delta="0.4").epsilon for law in (first, second)]
    assert both == max(alone)


def test_a_bare_rho_composes_without_a_pair():
    total = compose([(ZCDP(rho="0.005"), 10), (GaussianNoise(sigma=10), 10)], delta="1e-6")
    assert total.method in ("zcdp", "renyi")
    assert total.epsilon >= compose([(GaussianNoise(sigma=10), 20)], delta="1e-6").epsilon
    with pytest.raises(NotProven, match="dominating pair"):
        compose([ZCDP(rho="0.1")], delta="1e-6", method="pld")


def test_a_bare_renyi_curve_is_read_at_its_own_orders():
    curve = Renyi(orders=[2, 4, 8, 16, 32], taus=["0.01", "0.02", "0.04", "0.08", "0.16"])
    total = compose([(curve, 10), (Laplace(epsilon="0.1"), 10)], delta="1e-6")
    assert total.method == "renyi"
    assert math.isfinite(total.epsilon)


def test_a_gdp_loss_is_the_gaussian_it_stands_for():
    assert compose([(GDP(mu="0.1"), 100)], delta="1e-6").epsilon == pytest.approx(
        compose([(GaussianNoise(sigma=10), 100)], delta="1e-6").epsilon, rel=1e-12
    )


def test_gdp_is_refused_where_it_is_no_theorem():
    with pytest.raises(NotProven):
        compose([ZCDP(rho="0.1")], delta="1e-6", method="gdp")


def test_the_exponential_mechanism_is_composed_by_its_least_bound():
    total = compose([(Exponential(epsilon="0.1"), 200)], delta="1e-6")
    for method in ("optimal", "zcdp", "pld"):
        assert total.epsilon <= compose([(Exponential(epsilon="0.1"), 200)], delta="1e-6", method=method).epsilon


def test_a_distance_scales_the_loss():
    far = compose([(Laplace(epsilon="0.1").at(Distance.l1(3)), 10)], delta="1e-6").epsilon
    assert far == pytest.approx(compose([(Laplace(epsilon="0.3"), 10)], delta="1e-6").epsilon, rel=1e-12)
    geometric = compose([(Geometric(epsilon="0.1").at(Distance.l1(3)), 10)], delta="1e-6").epsilon
    assert geometric > far


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_a_billion_releases_have_a_total(count):
    for event in (Laplace(epsilon="1e-4"), Pure(epsilon="1e-4"), GaussianNoise(sigma=10**4)):
        total = compose([(event, count)], delta="1e-6")
        sigma = math.sqrt(count) * 1e-4
        assert sigma**2 / 2 < total.epsilon < sigma**2 / 2 + 6 * sigma


def test_the_guarantee_carries_bounds_profile_and_tradeoff():
    total = compose(MIXED, delta="1e-6")
    assert total.lower <= total.epsilon == total.upper
    assert total.lower > total.epsilon * (1 - 1e-6)
    assert total.profile(total.epsilon) <= 1e-6 * (1 + 1e-7)
    assert total.profile(0) > total.profile(2) > total.profile(5)
    assert total.profile_lower(2) <= total.profile(2)
    assert 0 < total.tradeoff("0.01") < 0.99
    assert total.tradeoff(0) <= 1
    assert total.tradeoff(1) == 0
    assert Fraction(total.advantage()) < 1
    assert total.epsilon_at(Fraction(1, 10**9)) > total.epsilon
    assert total.delta_at(Fraction(3)) == Fraction(total.profile(3))


def test_bad_readings_are_refused():
    total = compose(MIXED, delta="1e-6")
    with pytest.raises(InvalidInput):
        total.tradeoff(2)
    with pytest.raises(InvalidInput):
        total.profile(-1)
    with pytest.raises(PartitaError):
        compose([(Approximate(epsilon="0.1", delta="1e-9"), 10)], delta="1e-6").epsilon_at(Fraction(1, 10**12))


def test_a_group_of_three_is_the_plan_at_three_times_the_distance():
    total = compose([(Laplace(epsilon="0.1"), 20)], delta="1e-6")
    assert total.group(1) is total
    assert total.group(3).epsilon == pytest.approx(
        compose([(Laplace(epsilon="0.3"), 20)], delta="1e-6").epsilon, rel=1e-9
    )


def test_a_sampled_plan_has_its_group_from_the_total():
    total = compose([(Subsampled(GaussianNoise(sigma=2), rate="0.01"), 100)], delta="1e-8")
    assert total.group(2).epsilon == pytest.approx(2 * total.epsilon, rel=1e-9)
    assert total.group(2).delta > 2e-8


def test_a_guarantee_composes_with_others_as_one_loss():
    total = compose(MIXED, delta="1e-6")
    more = compose([total.loss(), Laplace(epsilon="0.1")], delta="3e-6")
    assert more.epsilon < total.epsilon + 0.1 + 1e-9


def test_a_guarantee_explains_itself_and_is_plain_data():
    total = compose([RandomizedResponse(epsilon="0.1")] * 3, delta="1e-6")
    assert "3 releases together" in total.explain()
    assert "change-one" in total.explain()
    document = total.to_json()
    assert document["relation"] == "change-one"
    assert document["epsilon"] == total.epsilon
    assert document["version"] == 1


def test_the_trade_off_of_a_plan_is_that_of_its_profile_read_point_by_point():
    for events in ([(Laplace(epsilon="0.1"), 40)], MIXED, [(Subsampled(GaussianNoise(sigma=1), rate="0.05"), 60)]):
        total = compose(events, delta="1e-6")
        for share in (Fraction(1, 100), Fraction(1, 5), Fraction(3, 4)):
            slowly = readings.false_negatives(total.delta_at, total.curve.upper, share)
            assert float(total.false_negatives(share)) == pytest.approx(float(slowly), abs=1e-6)
        assert total.tradeoff(0) >= 1 - 1e-3
        assert total.tradeoff(1) == 0


def test_a_guarantee_draws_itself():
    total = compose([(Pure(epsilon="0.1"), 10)], delta="1e-6")
    assert len(total.plot({"basic": compose([(Pure(epsilon="0.1"), 10)], delta="1e-6", method="basic")}).axes) == 2


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(scale="7.3"), Laplace(epsilon="1/3"), GaussianNoise(sigma="0.7"), RandomizedResponse(epsilon="0.1"),
     Laplace(scale="1e70"), GaussianNoise(sigma="1e-70")],
    ids=repr,
)  # fmt: skip
def test_laws_read_straight_are_those_of_the_mechanism_rounded_up(mechanism):
    for distance in (Fraction(1), Fraction(7, 3), Fraction(1, 10)):
        event = mechanism.at(Distance(mechanism.norm, distance), 3)
        batches, rest = gather([event, (event, 2)])
        if isinstance(mechanism, RandomizedResponse) and distance != 1:
            assert not batches
            assert rest == [event, (event, 2)]
            continue
        ((law, count),) = batches[0].parts()
        own = mechanism.pair(event.distance).remove
        assert not rest
        assert type(law) is type(own)
        if isinstance(law, GaussianLoss):
            assert 1 <= law.mu**2 / (9 * own.mu**2) <= 1 + 2.0**-48
        else:
            assert 1 <= law.epsilon / own.epsilon <= 1 + 2.0**-50
            assert count == 9
    field = "mu" if isinstance(mechanism, GaussianNoise) else "epsilon"
    assert getattr(law_of(mechanism), field) >= getattr(mechanism.pair(mechanism.unit()).remove, field)


def test_only_plain_noise_and_binary_responses_at_distance_one_are_read_straight():
    others = [
        RandomizedResponse(epsilon=1, values=5),
        Exponential(epsilon=1),
        (Exponential(epsilon=1), 2),
        Laplace(epsilon=1).at(Distance.l1(0)),
    ]
    assert gather(others) == ((), others)
    assert law_of(Exponential(epsilon=1)) is None
    assert gather([(Laplace(epsilon=1), 0)]) == ((), [])


def test_a_plan_read_at_once_is_the_plan_read_one_by_one():
    events = [Laplace(epsilon="0.3"), (GaussianNoise(sigma=5), 4), RandomizedResponse(epsilon="0.2"), Laplace(scale=9)]
    at_once = compose(events, delta="1e-6")
    one_by_one = compose([(Profile(part.pair()), part.count) for part in Plan.of(events).parts], delta="1e-6")
    assert at_once.epsilon == pytest.approx(one_by_one.epsilon, rel=1e-12)


def test_a_plan_may_be_handed_over_as_it_is():
    plan = Plan.of(MIXED, relation="change-one")
    assert compose(plan, delta="1e-6").relation is Relation.CHANGE_ONE
    assert isinstance(compose(plan, delta="1e-6"), Guarantee)


@pytest.mark.parametrize("method", ["best", *METHODS])
@pytest.mark.parametrize("beside", [[], [GaussianNoise(sigma=10)], [Renyi(orders=[2, 8], taus=["0.1", "0.5"])]])
def test_the_delta_of_a_loss_is_lost_by_no_method(method, beside):
    # Once in four runs everything may be published.
    leaky = ZCDP(rho="0.01", delta="0.25")
    try:
        least = compose([leaky, *beside], delta="0.2", method=method).epsilon
    except NotProven:
        least = math.inf
    assert least == math.inf
    if method in ("best", "renyi") and not beside:
        assert compose([leaky], delta="0.3", method=method).epsilon >= leaky.epsilon_at(Fraction("0.3")) * (1 - 1e-9)
