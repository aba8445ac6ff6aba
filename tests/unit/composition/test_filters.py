from __future__ import annotations

from fractions import Fraction

import pytest

from partita.composition.adaptive.filters import Concentrated, EitherOr, Filter, either_order, largest_rho
from partita.composition.guarantees.compose import compose
from partita.errors import BudgetExceeded, InvalidInput, NotProven, PartitaError
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

BUDGETS = [
    (Pure(epsilon=1), Pure(epsilon="0.3")),
    (Approximate(epsilon=1, delta="1e-6"), Approximate(epsilon="0.3", delta="1e-7")),
    (ZCDP(rho=1), ZCDP(rho="0.3")),
    (ZCDP(rho=1, delta="1e-6"), ZCDP(rho="0.3", delta="1e-7")),
    (Renyi(orders=[2, 8], taus=[1, 4]), Renyi(orders=[2, 8], taus=["0.3", "1.2"])),
    (GDP(mu=1), GDP(mu="0.5")),
]


@pytest.mark.parametrize(("budget", "cost"), BUDGETS, ids=lambda loss: str(loss))
def test_a_filter_admits_up_to_its_budget_and_then_refuses_without_charging(budget, cost):
    filter = Filter(budget)
    admitted = 0
    while filter.admits(cost):
        filter.admit(cost)
        admitted += 1
    assert admitted in (3, 4)
    spent = filter.spent
    with pytest.raises(BudgetExceeded, match=r"cannot pay.*is spent.*would fit"):
        filter.admit(cost)
    assert filter.spent == spent
    assert filter.spent.fits(budget)
    # It stays usable for what still fits.
    left = filter.remaining()
    if not left.is_zero():
        filter.admit(left)
    assert filter.spent == budget
    assert filter.certified() == budget


def test_a_mechanism_is_priced_by_its_own_proof():
    filter = Filter(ZCDP(rho=1))
    filter.admit(GaussianNoise(sigma=10))
    filter.admit((GaussianNoise(sigma=10), 3))
    filter.admit(GaussianNoise(sigma=10).at(Distance.l2(2)))
    assert filter.spent == ZCDP(rho=Fraction(8, 200))
    filter.admit(Pure(epsilon="0.1"))
    assert filter.spent.rho < Fraction(8, 200) + Fraction(5, 1000)


def test_pure_costs_fit_an_approximate_budget():
    filter = Filter(Approximate(epsilon=1, delta="1e-6"))
    filter.admit(Pure(epsilon="0.5"))
    filter.admit(Laplace(epsilon="0.25"))
    assert filter.spent == Approximate(epsilon="0.75", delta=0)
    with pytest.raises(InvalidInput, match="cannot take"):
        filter.admit(ZCDP(rho="0.1"))


def test_a_curve_is_no_budget_for_a_filter():
    with pytest.raises(NotProven, match="D8"):
        Filter(Profile.from_points([(0, "0.2"), (1, 0)]))
    with pytest.raises(InvalidInput):
        Filter(3)
    with pytest.raises(InvalidInput):
        Filter(Pure(epsilon=1)).admit("everything")


def test_gaussian_noise_has_no_pure_cost():
    with pytest.raises(NotProven):
        Filter(Pure(epsilon=1)).admit(GaussianNoise(sigma=1))


def test_the_recommended_filter_admits_a_hundred_where_basic_admits_fifty_two():
    recommended = Filter.recommended(epsilon="5.2192", delta="1e-6")
    basic = Filter(Approximate(epsilon="5.2192", delta="1e-6"))
    counts = []
    for filter in (recommended, basic):
        count = 0
        while filter.admits(Pure(epsilon="0.1")):
            filter.admit(Pure(epsilon="0.1"))
            count += 1
        counts.append(count)
    assert counts == [100, 52]
    assert recommended.certified() == Approximate(epsilon="5.2192", delta="1e-6")
    assert recommended.spent.rho <= recommended.budget.rho
    assert recommended.remaining().rho < Fraction(1, 100)


def test_the_rho_of_the_recommended_filter_is_the_largest_that_converts():
    rho = largest_rho(Fraction(1), Fraction(1, 10**6))
    assert ZCDP(rho=rho).epsilon_at(Fraction(1, 10**6)) <= 1
    assert ZCDP(rho=rho * Fraction(1000001, 1000000)).epsilon_at(Fraction(1, 10**6)) > 1


@pytest.mark.parametrize("leak", ["1e-6", "2e-6"])
def test_a_leak_must_leave_something_of_delta(leak):
    with pytest.raises(InvalidInput):
        Concentrated(epsilon=1, delta="1e-6", leak=leak)


def test_releases_with_a_delta_of_their_own_use_the_leak():
    filter = Concentrated(epsilon=1, delta="1e-6", leak="5e-7")
    filter.admit(Approximate(epsilon="0.01", delta="4e-7"))
    assert not filter.admits(Approximate(epsilon="0.01", delta="2e-7"))
    assert filter.admits(Approximate(epsilon="0.01", delta="1e-7"))


def test_either_filter_is_enough_and_one_that_was_exceeded_is_out_for_good():
    both = EitherOr([Filter(Pure(epsilon=1)), Filter(ZCDP(rho="0.02"))], epsilon=1)
    for _ in range(30):
        both.admit(Laplace(epsilon="0.02"))
    assert len(both.alive) == 2
    # Gaussian noise has no ε, so only the ρ filter goes on.
    both.admit(GaussianNoise(sigma=50))
    assert len(both.alive) == 1
    with pytest.raises(BudgetExceeded):
        both.admit(Pure(epsilon="0.5"))
    assert both.certified().epsilon == 1
    assert both.certified().delta == ZCDP(rho="0.02").delta_at(Fraction(1))


def test_the_recommended_filter_may_stand_beside_a_pure_one():
    both = EitherOr([Filter(Pure(epsilon=1)), Filter.recommended(epsilon=1, delta="1e-6")], epsilon=1)
    assert both.certified() == Approximate(epsilon=1, delta="1e-6")
    for _ in range(200):
        both.admit(Pure(epsilon="0.01"))
    (left,) = both.alive
    assert isinstance(left, Concentrated)
    assert not both.admits(Pure(epsilon="0.9"))
    once = EitherOr([Filter(Pure(epsilon=1)), Filter.recommended(epsilon=1, delta="1e-6")], epsilon=1)
    once.admit(Pure(epsilon="0.9"))
    assert isinstance(once.alive[0], Filter)
    with pytest.raises(PartitaError, match="either-or filter holds filters"):
        EitherOr([Pure(epsilon=1)], epsilon=1)


@pytest.mark.parametrize("place", [0, 1])
def test_a_filter_that_has_spent_joins_no_others(place):
    """When it is exceeded the others go on, and have not counted what it had admitted."""
    filters = [Filter(Pure(epsilon=1)), Filter.recommended(epsilon=1, delta="1e-6")]
    filters[place].admit(Pure(epsilon="0.01"))
    with pytest.raises(InvalidInput, match="has already counted") as caught:
        EitherOr(filters, epsilon=1)
    assert caught.value.code == "composition.spent-before"
    for one in filters:
        one.admit(Pure(epsilon="0.01"))  # refused means that nothing has changed


def test_a_filter_charged_while_it_joins_others_is_refused(monkeypatch):
    late = Filter(Pure(epsilon=1))
    own = Filter._own

    def charged_first(one):
        one.admit(Pure(epsilon="0.9"))
        own(one)

    monkeypatch.setattr(Filter, "_own", charged_first)
    with pytest.raises(InvalidInput, match="has already counted"):
        EitherOr([late], epsilon=1)


def test_one_of_several_filters_certifies_nothing_alone():
    filters = [Filter(Pure(epsilon=1)), Filter.recommended(epsilon=1, delta="1e-6")]
    both = EitherOr(filters, epsilon=1)
    for _ in range(200):
        both.admit(Pure(epsilon="0.01"))
    assert both.alive == (filters[1],)
    for one in filters:
        with pytest.raises(NotProven, match="promises nothing alone"):
            one.certified()
    assert both.certified() == Approximate(epsilon=1, delta="1e-6")


def test_an_either_or_of_pure_filters_stays_pure():
    assert EitherOr([Filter(Pure(epsilon=1))], epsilon=1).certified() == Pure(epsilon=1)
    with pytest.raises(NotProven):
        EitherOr([], epsilon=1)
    with pytest.raises(InvalidInput):
        EitherOr([Filter(ZCDP(rho=100))] * 2, epsilon=1)


def test_orders_share_delta_when_any_of_them_may_hold():
    with pytest.raises(NotProven, match="needs more than"):
        either_order([(8, 1), (16, 1)], epsilon=1, delta="1e-6")
    assert either_order([(64, "0.5"), (128, "0.6")], epsilon=1, delta="1e-6").certified().delta <= Fraction(1, 10**6)


def test_recomputing_an_exact_curve_is_not_a_filter():
    """The counterexample of theory D8: both paths pass the naive check, the interaction does not."""
    target, limit = Fraction(8, 10), 0.2839
    first, a, b = Pure(epsilon="0.5"), [Pure(epsilon="1.2")], [(Pure(epsilon="0.4149"), 8)]
    for rest in (a, b):
        assert compose([first, *rest], delta="0.2").profile(target) < limit
    high = 1 / (1 + pow(2.718281828459045, -0.5))
    up = compose(a, delta="0.2").profile(target - Fraction(1, 2))
    down = compose(b, delta="0.2").profile(target + Fraction(1, 2))
    assert high * up + (1 - high) * down > 0.3376
    # A filter that is proven refuses one of the two continuations.
    filter = Filter.recommended(epsilon=target, delta="0.2839")
    filter.admit(first)
    admitted = [all(_admit(filter, cost) for cost in rest) for rest in (a,)]
    assert not all(admitted)


def _admit(filter, cost) -> bool:
    return filter.admits(cost)


def test_a_filter_and_a_total_say_what_they_are():
    budget = Filter(ZCDP(rho="0.5"))
    budget.admit(ZCDP(rho="0.2"))
    assert repr(budget) == "<Filter with a budget of ρ = 0.5; ρ = 0.3 is left>"
    total = compose([(Pure(epsilon="0.1"), 10)], delta=0)
    assert str(total) == total.explain()
