"""What every way to compose a fixed plan must satisfy, whatever its numbers."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.guarantees.compose import compose
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from tests.sizes import tried

# Two exact methods, or two places of a contour, agree to this.
SAME = 2e-4

pytestmark = pytest.mark.soak
examples = settings(max_examples=tried(30, soaking=2000))


def decimals(low: str, high: str) -> st.SearchStrategy[Fraction]:
    return st.decimals(low, high, places=4).map(Fraction)


events = st.one_of(
    decimals("0.01", "1").map(lambda e: Laplace(epsilon=e)),
    decimals("0.01", "1").map(lambda e: Pure(epsilon=e)),
    decimals("1", "100").map(lambda s: GaussianNoise(sigma=s)),
    decimals("0.01", "0.5").map(lambda e: Approximate(epsilon=e, delta="1e-14")),
    decimals("0.02", "0.5").map(lambda e: Geometric(epsilon=e).at(Distance.l1(2))),
    st.tuples(decimals("1", "5"), decimals("0.01", "0.2")).map(
        lambda pair: Subsampled(GaussianNoise(sigma=pair[0]), rate=pair[1])
    ),
)
plans = st.lists(st.tuples(events, st.integers(1, 8)), min_size=1, max_size=4)
deltas = st.sampled_from(["1e-3", "1e-6", "1e-10"])


def total(plan, delta, method="best") -> float:
    return compose(plan, delta=delta, method=method).epsilon


@examples
@given(plan=plans, delta=deltas)
def test_the_order_of_a_plan_does_not_matter(plan, delta):
    assert total(plan, delta) == pytest.approx(total(plan[::-1], delta), rel=SAME)


@examples
@given(plan=plans, delta=deltas)
def test_so_many_releases_are_that_many_single_ones(plan, delta):
    singles = [event for event, count in plan for _ in range(count)]
    assert total(plan, delta) == pytest.approx(total(singles, delta), rel=SAME)


@examples
@given(plan=plans, delta=deltas, data=st.data())
def test_grouping_does_not_matter(plan, delta, data):
    cut = data.draw(st.integers(0, 3))
    split = [piece for event, count in plan for piece in ((event, min(cut, count)), (event, count - min(cut, count)))]
    assert total(plan, delta) == pytest.approx(total(split, delta), rel=SAME)


@examples
@given(plan=plans, more=events, delta=deltas)
def test_another_release_never_makes_the_total_less(plan, more, delta):
    assert total([*plan, more], delta) >= total(plan, delta) * (1 - SAME)


@examples
@given(plan=plans, epsilon=decimals("0.01", "1"), delta=deltas)
def test_less_noise_never_costs_less(plan, epsilon, delta):
    little, much = Laplace(epsilon=epsilon), Laplace(epsilon=epsilon * Fraction(11, 10))
    assert total([*plan, (much, 3)], delta) >= total([*plan, (little, 3)], delta) * (1 - SAME)


@examples
@given(plan=plans)
def test_a_smaller_delta_never_needs_a_smaller_epsilon(plan):
    values = [total(plan, delta) for delta in ("1e-2", "1e-4", "1e-8", "1e-12")]
    assert all(b >= a * (1 - SAME) for a, b in itertools.pairwise(values))


@examples
@given(plan=plans, delta=deltas)
def test_no_total_is_below_its_certified_lower_bound(plan, delta):
    guarantee = compose(plan, delta=delta)
    assert guarantee.lower <= guarantee.epsilon
    for method in ("basic", "zcdp", "renyi"):
        assert compose(plan, delta=delta, method=method).epsilon >= guarantee.lower * (1 - 1e-12)


@examples
@given(plan=plans, delta=deltas, share=st.floats(0.1, 1.2))
def test_profiles_bracket_each_other_and_lower_bounds_stay_below(plan, delta, share):
    guarantee = compose(plan, delta=delta)
    at = share * guarantee.epsilon
    assert guarantee.profile_lower(at) <= guarantee.profile(at)
    assert guarantee.profile(at) <= 1
    if share < 1:
        assert guarantee.profile(at) >= float(delta) * (1 - 1e-3)


@examples
@given(plan=st.lists(st.tuples(decimals("0.01", "1"), st.integers(1, 30)), min_size=1, max_size=3), delta=deltas)
def test_each_theorem_is_at_least_as_good_as_the_one_before_it(plan, delta):
    losses = [(Pure(epsilon=e), count) for e, count in plan]
    basic, advanced, optimal = (total(losses, delta, method) for method in ("basic", "advanced", "optimal"))
    assert optimal <= advanced * (1 + SAME)
    assert advanced <= basic * (1 + 1e-12)
    assert optimal <= total(losses, delta, "zcdp") * (1 + SAME)
    assert total([(Laplace(epsilon=e), count) for e, count in plan], delta) <= optimal * (1 + SAME)
