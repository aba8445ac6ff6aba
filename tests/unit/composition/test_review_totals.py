from __future__ import annotations

import math
from fractions import Fraction

import pytest

from partita.composition.adaptive.slots import Slots
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Guarantee, made
from partita.composition.guarantees.running import Running
from partita.composition.numerics.curve import Single
from partita.composition.numerics.search import bisect
from partita.composition.plans.plan import Plan
from partita.composition.rules import pld
from partita.composition.rules.prices import prices
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.granularity.base import Relation
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.key_selection import GaussianThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure

LEAKY = [
    Approximate(epsilon="0.5", delta="1e-3"),
    TruncatedGeometric(epsilon="0.5", delta="1e-3"),
    Pair.of(AtomicLoss.between([0.5, 0.5], [1.0, 0.0])),
    Pair.of(RandomizedResponseLoss(0.5, 1e-3)),
    Profile.from_points([(0, "0.2"), (1, "0.1")]),
]


@pytest.mark.parametrize("event", LEAKY, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("method", ["best", "pld", "basic", "optimal", "advanced", "renyi"])
def test_a_release_that_leaks_more_than_delta_has_no_total(event: object, method: str) -> None:
    with pytest.raises(PartitaError):
        compose([event], delta="1e-6", method=method)


@pytest.mark.parametrize("event", LEAKY, ids=lambda event: type(event).__name__)
def test_nor_has_it_one_in_slots_or_as_a_running_total(event: object) -> None:
    with pytest.raises(PartitaError):
        Slots([event]).guarantee(delta="1e-6")
    with pytest.raises(PartitaError):
        Running(delta="1e-6").add(event)


def test_an_epsilon_is_not_read_below_the_leak() -> None:
    total = compose([Approximate(epsilon="0.5", delta="1e-3")], delta="1e-2")
    with pytest.raises(NotProven, match="already carry"):
        total.epsilon_at(Fraction(1, 10**6))


def test_a_stated_loss_is_its_own_total_at_its_own_delta() -> None:
    for delta in ("1e-3", "1e-6", "0.3", "1e-9"):
        total = compose([Approximate(epsilon="0.5", delta=delta)], delta=delta)
        assert total.epsilon == pytest.approx(0.5)
        assert total.profile(total.epsilon) <= total.delta


def test_a_bisection_never_ends_where_the_bound_is_too_large() -> None:
    assert bisect(lambda _: 1e-3, 1e-6, 0.5) == math.inf
    assert bisect(lambda _: 1e-3, 1e-6, -1.0) == math.inf
    assert bisect(lambda e: 1.0 if e < 0.5 else 0.0, 1e-6, 0.5) == pytest.approx(0.5)


def test_a_pair_is_not_priced_below_its_floor() -> None:
    plan = Plan.of([Pair.of(AtomicLoss.between([0.5, 0.5], [1.0, 0.0]))])
    with pytest.raises(NotProven, match="already carry"):
        prices(plan, 1e-6)


def test_a_guarantee_that_its_curve_does_not_confirm_is_refused() -> None:
    plan = Plan.of([Pure(epsilon=1)])
    for epsilon in (-0.5, 0.5, math.nan, math.inf):
        with pytest.raises(NotProven, match="does not confirm"):
            made(pld.RULE, plan, epsilon, 1e-6, Single(RandomizedResponseLoss(1.0)))


def test_a_bare_law_is_no_event() -> None:
    law = AtomicLoss.between([0.02, 0.98], [0.62, 0.38])
    for events in (law, [law], [(law, 3)]):
        with pytest.raises(InvalidInput, match="one direction only"):
            compose(events, delta="0.1")


def test_a_lopsided_pair_fixes_the_relation() -> None:
    first, second = AtomicLoss.between([0.02, 0.98], [0.62, 0.38]), AtomicLoss.between([0.62, 0.38], [0.02, 0.98])
    assert compose([Pair(first, second)], delta="0.4").relation is Relation.ADD_REMOVE
    assert compose([Profile(Pair(first, second))], delta="0.4").relation is Relation.ADD_REMOVE
    running = Running(delta="0.4")
    running.add(Pair(first, second))
    assert running.relation is Relation.ADD_REMOVE
    with pytest.raises(NotProven):
        Running(delta="0.4", relation="change-one").add(Pair(first, second))


def test_what_is_only_approximate_is_not_passed_on_as_proven() -> None:
    total = compose([(Laplace(epsilon="0.1"), 10)], delta="1e-6", method="central_limit_approximation")
    assert total.mode is None
    assert total.to_json()["mode"] is None
    assert "hold for questions" not in total.explain()
    for use in (total.loss, lambda: total.group(1), lambda: total.group(2)):
        with pytest.raises(NotProven, match="central-limit"):
            use()


@pytest.mark.parametrize(
    "event",
    [
        Exponential(epsilon=1),
        PermuteAndFlip(epsilon=1),
        NoisyMax(epsilon=1),
        SparseVector(epsilon=1),
        Profile.from_points([(0, "0.5"), (1, "1e-9")]),
    ],
    ids=lambda event: type(event).__name__,
)
def test_nothing_is_said_from_below_where_the_pair_is_only_a_bound(event: object) -> None:
    for delta in ("1e-6", "1e-3"):
        total = compose([event], delta=delta)
        assert total.lower == 0.0
        assert total.profile_lower(0) == 0.0


def test_nothing_is_said_from_below_of_a_laplace_release_read_as_any_pure_one() -> None:
    total = compose([(Laplace(epsilon=1), 3)], delta="1e-3", method="optimal")
    assert total.lower == 0.0
    assert compose([(Laplace(epsilon=1), 3)], delta="1e-3").lower > 0
    assert compose([(Pure(epsilon=1), 3)], delta="1e-3", method="optimal").lower > 0


@pytest.mark.parametrize(
    "events",
    [
        [Laplace(epsilon=1)],
        [(Laplace(epsilon="0.1"), 20), GaussianNoise(sigma=5)],
        [(Pure(epsilon="0.1"), 20)],
        [GaussianThreshold(sigma=1, threshold=9)],
        [Exponential(epsilon=1)],
    ],
    ids=str,
)
@pytest.mark.parametrize("delta", ["1e-3", "1e-5"])
def test_the_profile_agrees_with_the_guarantee_and_the_best_is_the_least(events: list[object], delta: str) -> None:
    best = compose(events, delta=delta)
    assert best.profile(best.epsilon) <= best.delta
    for method in ("basic", "advanced", "optimal", "zcdp", "renyi", "pld"):
        try:
            other = compose(events, delta=delta, method=method)
        except PartitaError:
            continue
        assert best.epsilon <= other.epsilon
    pure = compose([(Laplace(epsilon="0.3"), 3)], delta=0)
    assert pure.profile(pure.epsilon) == 0.0


def test_far_out_nothing_overflows() -> None:
    with pytest.raises(NotProven, match="already carry"):
        compose([GaussianThreshold(sigma=1, threshold=5)], delta=1e-9)
    total = compose([(Laplace(epsilon="0.1"), 20), GaussianNoise(sigma=5)], delta="1e-6")
    assert total.profile(10**70) <= 1e-6
    assert total.profile_lower(10**70) == 0.0


@pytest.mark.parametrize("bad", [-1, 2, "x", None, math.nan])
def test_readings_refuse_what_is_no_probability(bad: object) -> None:
    total: Guarantee = compose([Pure(epsilon=1)], delta="1e-6")
    with pytest.raises(InvalidInput):
        total.false_negatives(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        total.epsilon_at(bad)  # type: ignore[arg-type]


def test_readings_take_floats_and_text() -> None:
    total = compose([Pure(epsilon=1)], delta="1e-6")
    assert total.epsilon_at(1e-6) == total.epsilon_at("1e-6") == Fraction(total.epsilon)  # type: ignore[arg-type]
    assert total.false_negatives("0.1") == total.false_negatives(Fraction(1, 10))  # type: ignore[arg-type]


def test_nested_counts_do_not_pass_the_limit() -> None:
    with pytest.raises(InvalidInput, match="cannot be counted"):
        compose([((Pure(epsilon="0.1"), 2**40), 2**40)], delta="1e-6")


@pytest.mark.parametrize(
    "events", [[(Pure(epsilon="0.1"), 10**15)], [(Pure(epsilon="0.1"), 10**9), (Pure(epsilon="0.2"), 10**9)]], ids=str
)
def test_counts_beyond_the_exact_sums_still_have_a_total(events: list[tuple[Pure, int]]) -> None:
    total = compose(events, delta="1e-6")
    mean = sum(count * float(loss.epsilon) * math.tanh(float(loss.epsilon) / 2) for loss, count in events)
    assert mean < total.epsilon < 1.1 * mean + 1
