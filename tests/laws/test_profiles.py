from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt

amounts = st.fractions(min_value=Fraction(1, 100), max_value=4, max_denominator=1000)
epsilons = st.fractions(min_value=0, max_value=8, max_denominator=1000)
SLACK = Fraction(1, 10**9)


@given(amounts, epsilons)
def test_a_profile_reads_like_the_exact_loss_it_was_made_from(amount: Fraction, epsilon: Fraction) -> None:
    for loss in (pt.Pure(epsilon=amount), pt.GDP(mu=amount), pt.Approximate(epsilon=amount, delta="1e-5")):
        profile = pt.convert(loss, to=pt.Profile)
        true = loss.delta_at(epsilon)
        assert true <= profile.delta_at(epsilon) <= true + SLACK


@settings(max_examples=10)
@given(amounts, epsilons)
def test_a_profile_of_a_bound_is_never_below_the_bound(rho: Fraction, epsilon: Fraction) -> None:
    profile = pt.convert(pt.ZCDP(rho=rho), to=pt.Profile)
    # Between its points the curve is drawn on the upper side.
    assert profile.delta_at(epsilon) >= pt.GDP.from_squared(2 * rho).delta_at(epsilon)


@settings(max_examples=5)
@given(amounts, st.integers(2, 3), epsilons)
def test_a_group_is_never_below_the_true_group(mu: Fraction, k: int, epsilon: Fraction) -> None:
    grouped = pt.convert(pt.GDP(mu=mu), to=pt.Profile).group(k)
    assert grouped.delta_at(epsilon) >= pt.GDP(mu=k * mu).delta_at(epsilon)


@given(amounts, amounts, epsilons)
def test_a_sum_of_curves_is_never_below_the_true_composition(a: Fraction, b: Fraction, epsilon: Fraction) -> None:
    total = pt.convert(pt.GDP(mu=a), to=pt.Profile) + pt.convert(pt.GDP(mu=b), to=pt.Profile)
    assert total.delta_at(epsilon) >= (pt.GDP(mu=a) + pt.GDP(mu=b)).delta_at(epsilon)


def test_a_profile_fits_a_budget_it_passes_below() -> None:
    profile = pt.convert(pt.GDP(mu=1), to=pt.Profile)
    assert profile.fits(pt.Approximate(epsilon=1, delta="0.127"))
    assert not profile.fits(pt.Approximate(epsilon=1, delta="0.126"))
    assert not profile.fits(pt.Pure(epsilon=10))


def test_a_curve_is_no_vector_for_a_filter() -> None:
    profile = pt.convert(pt.GDP(mu=1), to=pt.Profile)
    for call in (profile.vector, lambda: profile.like([]), lambda: profile.left_after(profile)):
        with pytest.raises(pt.NotProven, match="a curve, not a sum"):
            call()


@pytest.mark.parametrize("target", [pt.GDP, pt.ZCDP, pt.Renyi])
def test_a_curve_is_not_turned_into_one_number(target: type) -> None:
    with pytest.raises(pt.NotProven, match="B18"):
        pt.convert(pt.convert(pt.GDP(mu=1), to=pt.Profile), to=target)


def test_a_bounded_curve_gives_back_its_pure_loss() -> None:
    back = pt.convert(pt.convert(pt.Pure(epsilon=1), to=pt.Profile), to=pt.Pure)
    assert 1 <= back.epsilon <= 1 + SLACK
    with pytest.raises(pt.NotProven, match="unbounded"):
        pt.convert(pt.convert(pt.GDP(mu=1), to=pt.Profile), to=pt.Pure)
