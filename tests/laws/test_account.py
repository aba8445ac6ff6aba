"""The region account against brute force over whole databases' differences, for every granularity."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import Limits, RegionAccount
from partita.composition.account.booking import replaced
from partita.composition.account.certificate import check
from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded, NotProven
from partita.granularity import Rows, groups, metric, replace, rows, users, windows
from partita.region import Domain, Region, categories, integers
from partita.region import codes as codes_of
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.laws.limiting import anyhow

DOMAIN = Domain({"t": integers(0, 2, missing=0), "c": categories("a", "b", missing="a", other="b", constant=True)})
POINTS = list(product(*(range(size) for size in DOMAIN.shape)))
BIG = Fraction(10**6)
BUDGETS = {
    "pure": Pure(epsilon=BIG),
    "approximate": Approximate(epsilon=BIG, delta="0.999"),
    "zcdp": ZCDP(rho=BIG),
    "gdp": GDP.from_squared(BIG),
}


def cost_of(kind: str, amount: Fraction):
    return {
        "pure": lambda: Pure(epsilon=amount),
        "approximate": lambda: Approximate(epsilon=amount, delta=amount / 10**6),
        "zcdp": lambda: ZCDP(rho=amount),
        "gdp": lambda: GDP.from_squared(amount),
    }[kind]()


@st.composite
def region(draw: st.DrawFn) -> Region:
    boxes = draw(
        st.lists(
            st.tuples(*(st.sets(st.integers(0, size - 1), min_size=1).map(codes_of.of) for size in DOMAIN.shape)),
            min_size=1,
            max_size=2,
        )
    )
    return Region.of(DOMAIN, boxes)


amounts = st.integers(1, 9).map(lambda part: Fraction(part, 10))
kinds = st.sampled_from(sorted(BUDGETS))
plans = st.lists(st.tuples(region(), amounts), min_size=1, max_size=5)


def inside(where: Region, records) -> int:
    return sum(where.holds(record) for record in records)


def only(point) -> Region:
    return Region(DOMAIN, (tuple(codes_of.span(code, code + 1) for code in point),))


def loss_of(cost, count: int):
    """The loss of a release when so many records of its region differ."""
    return cost.zero() if count == 0 else cost.group(count)


def total(plan, kind, differing):
    """The loss of a whole plan for one way to differ: records that enter or leave, by general composition."""
    budget = BUDGETS[kind]
    loss = budget.zero()
    for where, amount in plan:
        loss = loss + loss_of(cost_of(kind, amount), inside(where, differing))
    return loss


def covers(bound, losses) -> bool:
    """Whether a bound holds for each of the losses, coordinate by coordinate."""
    return all(loss.fits(bound) for loss in losses)


def account_of(granularity, kind, plan, limits=None):
    account = RegionAccount(DOMAIN, Promise(granularity, BUDGETS[kind]), limits=limits)
    for where, amount in plan:
        account.charge(where, cost_of(kind, amount))
    return account


@settings(max_examples=80)
@given(plans, kinds, anyhow)
def test_rows_are_exposed_by_what_holds_them_and_no_more(plan, kind, limits):
    account = account_of(rows(), kind, plan, limits)
    loss, witness = account.worst()
    losses = [total(plan, kind, [point]) for point in POINTS]
    assert covers(loss, losses)
    assert all(covers(account.spent(only(point)), [lost]) for point, lost in zip(POINTS, losses, strict=True))
    if limits != Limits():
        return
    assert loss.vector() == tuple(max(parts) for parts in zip(*(part.vector() for part in losses), strict=True))
    assert isinstance(witness, dict)


@settings(max_examples=50)
@given(plans, kinds, st.integers(1, 3), anyhow)
def test_a_group_is_exposed_by_no_more_than_the_account_says(plan, kind, size, limits):
    loss, _ = account_of(groups(size), kind, plan, limits).worst()
    losses = [total(plan, kind, group) for group in combinations_with_replacement(POINTS, size)]
    assert covers(loss, losses)
    if limits == Limits():
        assert loss.vector()[0] == max(part.vector()[0] for part in losses)


@settings(max_examples=60)
@given(plans, kinds, st.integers(1, 3), st.integers(1, 3), st.booleans(), anyhow)
def test_an_owner_is_exposed_by_no_more_than_the_account_says(plan, kind, most, within, altered, limits):
    """All sets of at most ``most`` rows, constant in c, with at most ``within`` in any region asked about."""
    granularity = users("who", rows=most, in_region=within, altered=altered)
    loss, _ = account_of(granularity, kind, plan, limits).worst()
    sets = [
        rows_
        for count in range(1, most + 1)
        for rows_ in combinations_with_replacement(POINTS, count)
        if len({point[1] for point in rows_}) == 1 and all(inside(where, rows_) <= within for where, _ in plan)
    ]
    if altered:
        sets = [(*before, *after) for before in [(), *sets[::7]] for after in [(), *sets]]
    assert covers(loss, (total(plan, kind, rows_) for rows_ in sets))


@settings(max_examples=40)
@given(plans, kinds)
def test_an_owner_of_one_row_is_a_row(plan, kind):
    assert account_of(users("who", rows=1), kind, plan).worst()[0] == account_of(rows(), kind, plan).worst()[0]


@settings(max_examples=60)
@given(plans, kinds, st.integers(1, 3), st.booleans(), anyhow)
def test_a_window_is_exposed_by_no_more_than_the_account_says(plan, kind, width, changed, limits):
    account = account_of(windows("t", width=width, changed=changed), kind, plan, limits)
    loss, _ = account.worst()
    steps = DOMAIN.shape[0]
    losses = []
    # A stored time outside the declared steps is clamped to either end, and a missing one becomes step 0.
    for first in range(-width, steps + 1):
        chosen = [min(max(step, 0), steps - 1) for step in range(first, first + width)]
        each = [[point for point in POINTS if point[0] in (step, 0)] for step in chosen]
        for picked in product(*each):
            losses.append(total(plan, kind, picked))
            if changed and first % 2:
                losses.extend(total(plan, kind, (*picked, *other)) for other in list(product(*each))[::3])
    assert covers(loss, losses)
    if kind == "pure" and not changed and limits == Limits():
        assert loss.epsilon == max(part.epsilon for part in losses)


def change(plan, kind, first, second, both):
    loss = BUDGETS[kind].zero()
    for (where, amount), known in zip(plan, both, strict=True):
        cost = cost_of(kind, amount)
        count = where.holds(first) + where.holds(second)
        if count == 1:
            loss = loss + cost
        elif count == 2:
            loss = loss + (cost.group(2) if known is None else min_of(cost, known))
    return loss


def min_of(cost, known):
    return replaced(cost, known)


@settings(max_examples=80)
@given(plans, kinds, st.data(), anyhow)
def test_a_changed_row_is_exposed_by_the_heaviest_pair_and_no_more(plan, kind, data, limits):
    both = [data.draw(st.sampled_from([None, cost_of(kind, amount), BUDGETS[kind].zero()])) for _, amount in plan]
    for granularity in (replace(), metric("t", unit=1)):
        account = RegionAccount(DOMAIN, Promise(granularity, BUDGETS[kind]), limits=limits, record=True)
        for (where, amount), known in zip(plan, both, strict=True):
            account.charge(where, cost_of(kind, amount), known)
        loss, witness = account.worst()
        losses = [change(plan, kind, v, w, both) for v in POINTS for w in POINTS if v != w]
        expected = tuple(max(parts) for parts in zip(*(part.vector() for part in losses), strict=True))
        assert covers(loss, losses)
        if limits != Limits():
            continue
        assert all(0 <= mine - truth <= Fraction(1, 10**9) for mine, truth in zip(loss.vector(), expected, strict=True))
        if any(expected):
            assert isinstance(witness, tuple)
            assert len(witness) == 2
        assert check(account.certificate().to_json()).holds


@settings(max_examples=25)
@given(
    st.lists(st.tuples(region(), amounts), min_size=1, max_size=3),
    st.sampled_from(["pure", "approximate", "zcdp"]),
    anyhow,
)
def test_a_group_of_changed_rows_is_exposed_by_no_more_than_the_account_says(plan, kind, limits):
    account = RegionAccount(DOMAIN, Promise(groups(2, replace()), BUDGETS[kind]), limits=limits)
    for where, amount in plan:
        account.charge(where, cost_of(kind, amount))
    loss, _ = account.worst()
    few = [(v, w) for v, w in product(POINTS[:4], repeat=2) if v != w]
    for pairs in product(few, repeat=2):
        whole = BUDGETS[kind].zero()
        for where, amount in plan:
            steps = [where.holds(v) + where.holds(w) for v, w in pairs]
            whole = whole + loss_of(cost_of(kind, amount), sum(steps))
        assert whole.fits(loss)


# --- filters ------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.lists(st.tuples(region(), amounts), max_size=12),
    st.sampled_from(["rows", "replace", "users", "windows"]),
    anyhow,
)
def test_no_order_of_charges_gets_past_the_budget_and_a_refusal_changes_nothing(plan, name, limits):
    granularity = {
        "rows": rows(),
        "replace": replace(),
        "users": users("who", rows=2),
        "windows": windows("t", width=2),
    }[name]
    budget = Pure(epsilon="1.5")
    account = RegionAccount(DOMAIN, Promise(granularity, budget), limits=limits, record=True)
    for where, amount in plan:
        cost = Pure(epsilon=amount)
        before = account.worst()[0]
        admitted = account.admits(where, cost)
        assert account.worst()[0] == before
        if admitted:
            account.charge(where, cost)
        else:
            with pytest.raises(BudgetExceeded, match="Nothing was read and nothing was charged"):
                account.charge(where, cost)
            assert account.worst()[0] == before
        assert account.worst()[0].fits(budget)
    if limits == Limits():
        assert check(account.certificate().to_json()).holds


GRANULARITIES = {
    "rows": rows(),
    "groups": groups(2),
    "users": users("who", rows=3),
    "capped users": users("who", rows=3, in_region=2),
    "altered users": users("who", rows=2, altered=True),
    "user-days": users("who", rows=2, per="t"),
    "groups of users": groups(2, users("who", rows=2)),
    "windows": windows("t", width=2),
    "changed windows": windows("t", width=2, changed=True),
    "groups of windows": groups(2, windows("t", width=2)),
    "replace": replace(),
    "groups of changes": groups(2, replace()),
    "metric": metric("t", unit=1),
}


def part_spent(name, kind, plan, limits):
    """An account with a small budget of which a plan has spent a part."""
    budget = BUDGETS[kind].like([4, *BUDGETS[kind].vector()[1:]])
    account = RegionAccount(DOMAIN, Promise(GRANULARITIES[name], budget), limits=limits)
    for asked, amount in plan:
        if account.admits(asked, cost_of(kind, amount / 10)):
            account.charge(asked, cost_of(kind, amount / 10))
    return account


@settings(max_examples=80)
@given(plans, region(), st.sampled_from(sorted(GRANULARITIES)), kinds, anyhow)
def test_what_remains_fits_and_for_single_rows_nothing_more_does(plan, where, name, kind, limits):
    account = part_spent(name, kind, plan, limits)
    left = account.remaining(where)
    assert account.admits(where, left)
    if name == "rows" and not left.is_zero() and kind != "zcdp" and limits == Limits():
        more = left.like([part * Fraction(1000001, 1000000) for part in left.vector()])
        assert not account.admits(where, more)


@settings(max_examples=120)
@given(plans, region(), st.sampled_from(sorted(GRANULARITIES)), kinds, st.integers(1, 60), st.data())
def test_a_release_that_is_charged_no_more_than_the_headroom_fits(plan, where, name, kind, tenths, data):
    """With the limits outside of tests: beyond them an account may refuse what fits."""
    account = part_spent(name, kind, plan, Limits())
    cost = cost_of(kind, Fraction(tenths, 10))
    both = data.draw(st.sampled_from([None, cost, cost.zero()]))
    try:
        charged = account.charged(where, cost, both)
    except NotProven:
        return  # the δ of a group may grow beyond any promise
    room = account.headroom(where)
    if charged.fits(room):
        assert account.admits(where, cost, both)
        before = account.worst()[0]
        account.charge(where, cost, both)
        # Nobody's total rises by more than was said, up to the account's rounding.
        risen = zip(account.worst()[0].vector(), before.vector(), charged.vector(), strict=True)
        assert all(now - then <= said + Fraction(1, 10**9) for now, then, said in risen)


@settings(max_examples=60)
@given(plans, region(), amounts, st.sampled_from(["rows", "replace", "users", "windows"]), anyhow)
def test_the_part_of_a_region_that_can_pay_really_can(plan, where, amount, name, limits):
    granularity = {
        "rows": rows(),
        "replace": replace(),
        "users": users("who", rows=2, in_region=1),
        "windows": windows("t", width=2),
    }[name]
    account = RegionAccount(DOMAIN, Promise(granularity, Pure(epsilon="1.5")), limits=limits)
    for asked, part in plan:
        if account.admits(asked, Pure(epsilon=part)):
            account.charge(asked, Pure(epsilon=part))
    cost = Pure(epsilon=amount)
    part = account.payable(where, cost)
    assert part <= where
    assert account.admits(part, cost)
    if account.admits(where, cost):
        assert part == where
    if name == "rows" and limits == Limits():
        for point in POINTS:
            assert part.holds(point) == (where.holds(point) and account.admits(only(point), cost))


def test_the_value_test_for_shrinking_is_not_enough_under_change_one():
    """Theory E20: {A} and {B} booked at one half each; {A, C} passes the value test, yet (A, B) would have 1.5."""
    domain = Domain({"x": categories("A", "B", "C", missing="A", other="C")})
    free = Pure(epsilon=0)
    account = RegionAccount(domain, Promise(replace(), Pure(epsilon=1)))
    for name in "AB":
        account.charge(Region.box(domain, x=name), Pure(epsilon="0.5"), free)
    asked = Region.box(domain, x=["A", "C"])
    assert not account.admits(asked, Pure(epsilon="0.5"), free)
    part = account.payable(asked, Pure(epsilon="0.5"), free)
    assert {"x": "A"} not in part
    assert account.admits(part, Pure(epsilon="0.5"), free)


@settings(max_examples=40)
@given(plans, st.sampled_from(["rows", "replace", "users", "windows"]))
def test_an_account_loaded_from_a_ledger_is_the_account_that_was_charged(plan, name):
    granularity = {
        "rows": rows(),
        "replace": replace(),
        "users": users("who", rows=2),
        "windows": windows("t", width=2),
    }[name]
    charged = account_of(granularity, "pure", plan)
    loaded = RegionAccount(DOMAIN, Promise(granularity, BUDGETS["pure"]))
    loaded.load((where, cost_of("pure", amount), None) for where, amount in plan)
    assert loaded.worst()[0] == charged.worst()[0]
    for where, _ in plan:
        assert loaded.spent(where) == charged.spent(where)


def test_a_charge_loaded_so_many_times_is_not_one_charge_of_so_many_times_the_cost():
    """The δ of an owner's rows grows faster than the ε, so repetitions are counted and not multiplied out."""
    owner = Promise(users("who", rows=3), Approximate(epsilon=100, delta="0.5"))
    cost = Approximate(epsilon="0.2", delta="1e-6")
    charged, counted = (RegionAccount(DOMAIN, owner) for _ in range(2))
    for _ in range(40):
        charged.charge(Region.everything(DOMAIN), cost)
    counted.load([(Region.everything(DOMAIN), cost, None, 40)])
    assert counted.worst()[0] == charged.worst()[0]
    with pytest.raises(NotProven):
        counted.load([(Region.everything(DOMAIN), cost.times(40), None)])


def test_many_charges_loaded_at_once_give_the_same_loads_exact_or_not():
    domain = Domain({"x": integers(0, 30, missing=0), "y": integers(0, 30, missing=0)})
    charges = [
        (Region.box(domain, x=(i % 25, i % 25 + 5), y=(i % 7, 20 + i % 11)), Pure(epsilon=Fraction(1, 1000)), None)
        for i in range(300)
    ]
    for limits in (Limits(), Limits(numbers=50, frozen_numbers=50, full_below=0)):
        loaded = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)), limits=limits)
        loaded.load(charges)
        counted = Counter(
            point for region_, _, _ in charges for point in product(range(31), repeat=2) if region_.holds(point)
        )
        assert loaded.worst()[0] == Pure(epsilon=Fraction(max(counted.values()), 1000))


# --- relations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", [rows(), replace(), users("who", rows=2), windows("t", width=2)])
def test_a_cost_proven_on_its_own_domain_is_refused(granularity):
    """Theory E5: printing the number of selected rows is free by such a proof."""
    account = RegionAccount(DOMAIN, Promise(granularity, Pure(epsilon=1)))
    with pytest.raises(NotProven) as refusal:
        account.charge(Region.where("c = 'a'", DOMAIN), Pure(epsilon=0), stated_for=replace(), own_domain=True)
    assert refusal.value.code == "region.own-domain"


@pytest.mark.parametrize("granularity", [rows(), groups(2), users("who", rows=2), windows("t", width=2)])
def test_a_change_one_cost_says_nothing_about_rows_that_come_and_go(granularity):
    account = RegionAccount(DOMAIN, Promise(granularity, Pure(epsilon=1)))
    with pytest.raises(NotProven) as refusal:
        account.admits(Region.everything(DOMAIN), Pure(epsilon="0.1"), stated_for=replace())
    assert refusal.value.code == "granularity.no-guarantee"


def test_a_user_cost_is_two_row_costs_for_a_row_and_one_for_the_user():
    """Theory A9a: removing a user and adding her again altered are two steps."""
    owner = users("who", rows=5)
    row = RegionAccount(DOMAIN, Promise(rows(), Pure(epsilon=9)))
    row.charge(Region.everything(DOMAIN), Pure(epsilon=1), stated_for=owner)
    assert row.worst()[0] == Pure(epsilon=2)
    person = RegionAccount(DOMAIN, Promise(owner, Pure(epsilon=9)))
    person.charge(Region.everything(DOMAIN), Pure(epsilon=1), stated_for=owner)
    assert person.worst()[0] == Pure(epsilon=1)


def test_owners_are_parallel_along_a_column_that_is_constant_for_them():
    owner = users("who", rows=5)
    account = RegionAccount(DOMAIN, Promise(owner, Pure(epsilon=9)))
    for name in "ab":
        account.charge(Region.box(DOMAIN, c=name), Pure(epsilon=1), unit=Pure(epsilon=1))
    assert account.worst()[0] == Pure(epsilon=1)
    account.charge(Region.box(DOMAIN, t=0), Pure(epsilon=1), unit=Pure(epsilon=1))
    account.charge(Region.box(DOMAIN, t=1), Pure(epsilon=1), unit=Pure(epsilon=1))
    assert account.worst()[0] == Pure(epsilon=3)


def test_an_owner_with_a_row_in_each_of_two_regions_is_exposed_by_both():
    """One row in a region at most, two rows in all: the two regions add up although no value is in both."""
    account = RegionAccount(DOMAIN, Promise(users("who", rows=2, in_region=1), Pure(epsilon=9)))
    for step in (0, 1):
        account.charge(Region.box(DOMAIN, t=step, c="a"), Pure(epsilon=1))
    assert account.worst()[0] == Pure(epsilon=2)


def test_user_days_are_parallel_over_days():
    account = RegionAccount(DOMAIN, Promise(users("who", rows=2, per="t"), Pure(epsilon=9)))
    for step in range(3):
        account.charge(Region.box(DOMAIN, t=step), Pure(epsilon=1))
    assert account.worst()[0] == Pure(epsilon=2)


def test_rows_is_the_relation_that_costs_are_stated_for_by_default():
    account = RegionAccount(DOMAIN, Promise(rows(), Pure(epsilon=9)))
    account.charge(Region.everything(DOMAIN), Pure(epsilon=1), stated_for=Rows())
    assert account.worst()[0] == Pure(epsilon=1)


# --- streams and updates (theory E19) -----------------------------------------------------------------------


def halves():
    return [Region.box(DOMAIN, c=name) for name in "ab"]


def test_fresh_releases_are_parallel_while_data_arrives_and_stateful_ones_add_their_deltas():
    cost = Approximate(epsilon=1, delta="0.01")
    fresh = RegionAccount(DOMAIN, Promise(rows(), Approximate(epsilon=9, delta="0.1")), updates=True)
    stateful = RegionAccount(DOMAIN, Promise(rows(), Approximate(epsilon=9, delta="0.1")), updates=True)
    for where in halves():
        fresh.charge(where, cost)
        stateful.charge(where, cost, stateful=True)
    assert fresh.worst()[0] == cost
    assert stateful.worst()[0] == Approximate(epsilon=1, delta="0.02")


def test_overlapping_stateful_mechanisms_are_booked_on_everybody():
    account = RegionAccount(DOMAIN, Promise(rows(), Approximate(epsilon=9, delta="0.1")), updates=True)
    cost = Approximate(epsilon=1, delta="0.01")
    account.charge(halves()[0], cost, stateful=True)
    account.charge(halves()[0], cost, stateful=True)
    assert account.spent(halves()[1]) == Approximate(epsilon=1, delta="0.02")
    assert account.worst()[0] == Approximate(epsilon=2, delta="0.02")


def test_routed_zcdp_is_never_parallel_while_data_arrives():
    """A hundred mechanisms that announce whether they are weak: each 0.371-zCDP, routed 1.721, booked 37.1."""
    domain = Domain({"part": integers(0, 99, missing=0)})
    account = RegionAccount(domain, Promise(rows(), ZCDP(rho=50)), updates=True)
    for part in range(100):
        account.charge(Region.box(domain, part=part), ZCDP(rho="0.371"), stateful=True)
    assert account.worst()[0].rho == Fraction("37.1")


def test_stateful_pure_mechanisms_stay_parallel_while_data_arrives():
    account = RegionAccount(DOMAIN, Promise(rows(), Pure(epsilon=9)), updates=True)
    for where in halves():
        account.charge(where, Pure(epsilon=1), stateful=True)
    assert account.worst()[0] == Pure(epsilon=1)


def test_stateful_approximate_zcdp_is_refused_while_data_arrives():
    account = RegionAccount(DOMAIN, Promise(rows(), ZCDP(rho=9, delta="0.1")), updates=True)
    with pytest.raises(NotProven) as refusal:
        account.charge(halves()[0], ZCDP(rho=1, delta="0.01"), stateful=True)
    assert refusal.value.code == "region.stateful-update"


def test_a_stateful_count_under_change_one_is_not_free_while_data_arrives():
    account = RegionAccount(DOMAIN, Promise(replace(), ZCDP(rho=9)), updates=True)
    account.charge(Region.everything(DOMAIN), ZCDP(rho=1), ZCDP(rho=0), stateful=True)
    assert account.worst()[0].rho >= 1
