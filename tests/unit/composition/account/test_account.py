from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from partita.composition.account import Accounts, Limits, RegionAccount, SlotAccount
from partita.composition.account.booking import Release
from partita.composition.account.general import composed, largest, through
from partita.composition.account.loads.units import LARGEST, ROOM, Units
from partita.composition.account.maps import load_map
from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded, InvalidInput, NotProven
from partita.granularity import groups, nodes, replace, rows, users, windows
from partita.region import Domain, Region, categories, dates, identifier, integers, text_keys
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

DOMAIN = Domain(
    {
        "who": identifier(),
        "age": integers(0, 120),
        "sex": categories("F", "M"),
        "day": dates("2025-01-01", "2025-12-31"),
    }
)
OLD = Region.where("age >= 65", DOMAIN)
YOUNG = Region.where("age < 30", DOMAIN)


def account(budget=None, granularity=None, **options):
    return RegionAccount(DOMAIN, Promise(granularity or rows(), budget or ZCDP(rho="0.5")), **options)


def test_disjoint_questions_cost_the_most_and_overlapping_ones_the_sum():
    ledger = account()
    ledger.charge(OLD, ZCDP(rho="0.2"))
    ledger.charge(YOUNG, ZCDP(rho="0.3"))
    assert ledger.worst()[0] == ZCDP(rho="0.3")
    ledger.charge(Region.where("sex = 'F'", DOMAIN), ZCDP(rho="0.1"))
    loss, witness = ledger.worst()
    assert loss == ZCDP(rho="0.4")
    assert witness in YOUNG
    assert witness["sex"] == "F"


def test_a_refusal_says_what_is_spent_what_was_asked_and_what_would_fit():
    ledger = account()
    ledger.charge(OLD, ZCDP(rho="0.4"))
    with pytest.raises(BudgetExceeded) as refusal:
        ledger.charge(OLD, ZCDP(rho="0.2"))
    assert str(refusal.value) == (
        "The promise of ρ = 0.5 for one row, added or removed cannot pay ρ = 0.2 on [age >= 65]: ρ = 0.4 has been "
        "spent there. Nothing was read and nothing was charged. The largest cost that still fits there is ρ = 0.1; "
        "a part of the region may have more left."
    )
    assert ledger.remaining(OLD) == ZCDP(rho="0.1")
    assert ledger.remaining(YOUNG) == ZCDP(rho="0.5")


def test_tenths_and_thirds_of_a_budget_fill_it_exactly():
    for parts in (3, 7, 10, 16):
        ledger = account(Pure(epsilon=1))
        for _ in range(parts):
            ledger.charge(OLD, Pure(epsilon=Fraction(1, parts)))
        assert ledger.remaining(OLD).is_zero()
        assert not ledger.admits(OLD, Pure(epsilon=Fraction(1, 10**14)))


@pytest.mark.parametrize("budget", [Fraction(1, 3), Fraction(10**9), Fraction(1, 10**30), Fraction(123456789, 1000)])
def test_units_round_costs_up_and_the_budget_down(budget):
    units = Units.of([budget])
    assert units.exact(units.budget)[0] <= budget
    assert units.budget[0] <= LARGEST
    for cost in (budget / 7, budget / 11, budget / 1000003):
        amount = units.up([cost])
        assert units.exact(amount)[0] >= cost
        assert units.exact([amount[0] - 1])[0] < cost
    assert units.up([budget * 100])[0] >= 100 * units.budget[0]
    assert units.up([budget * 10**9])[0] == ROOM


def test_an_empty_region_costs_nothing_and_a_zero_cost_is_free():
    ledger = account()
    nothing = Region.where("age > 200", DOMAIN)
    assert str(nothing) == "nothing"
    ledger.charge(nothing, ZCDP(rho=9))
    ledger.charge(OLD, ZCDP(rho=0))
    assert ledger.worst()[0].is_zero()
    assert ledger.remaining(nothing) == ZCDP(rho="0.5")


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda a: a.charge(OLD, Pure(epsilon=1)), "theory.unlike-losses"),
        (lambda a: a.charge(OLD, ZCDP(rho="0.1"), Pure(epsilon=1)), "theory.unlike-losses"),
        (lambda a: a.charge(OLD, ZCDP(rho="0.1"), unit=Pure(epsilon=1)), "theory.unlike-losses"),
        (lambda a: a.charge("age >= 65", ZCDP(rho="0.1")), "region.not-a-region"),
        (lambda a: a.charge(Region.everything(Domain({"a": integers(0, 1)})), ZCDP(rho=1)), "region.other-domain"),
        (lambda a: a.charge(OLD, ZCDP(rho="0.1"), stability=0), "number.too-small"),
        (lambda a: a.load_map("age", "age"), "region.not-pictured"),
        (lambda a: a.load_map("age", "who"), "region.owner-column"),
        (lambda a: a.spent(None), "region.not-a-region"),
    ],
)
def test_what_makes_no_sense_is_refused_and_charges_nothing(act, code):
    ledger = account()
    with pytest.raises(InvalidInput) as refusal:
        act(ledger)
    assert refusal.value.code == code
    assert ledger.worst()[0].is_zero()


def test_a_renyi_account_needs_the_same_orders_and_a_known_replacement_cost():
    budget = Renyi(orders=[2, 8], taus=[1, 2])
    ledger = account(budget)
    ledger.charge(OLD, Renyi(orders=[2, 8], taus=["0.5", "0.5"]))
    with pytest.raises(InvalidInput):
        ledger.charge(OLD, Renyi(orders=[2, 16], taus=["0.5", "0.5"]))
    changed = account(budget, replace())
    with pytest.raises(NotProven):
        changed.charge(OLD, Renyi(orders=[2, 8], taus=["0.1", "0.1"]))
    changed.charge(OLD, Renyi(orders=[2, 8], taus=["0.1", "0.1"]), Renyi(orders=[2, 8], taus=["0.2", "0.2"]))
    assert changed.worst()[0] == Renyi(orders=[2, 8], taus=["0.2", "0.2"])
    assert changed.remaining(OLD).is_zero()


def test_rho_with_delta_inside_a_region_is_refused_unless_its_replacement_cost_is_known():
    """Theory E11: (4ρ, 2δ) is not a theorem."""
    ledger = account(ZCDP(rho=1, delta="0.1"), replace())
    with pytest.raises(NotProven):
        ledger.charge(OLD, ZCDP(rho="0.1", delta="0.01"))
    ledger.charge(OLD, ZCDP(rho="0.1", delta="0.01"), ZCDP(rho="0.3", delta="0.02"))
    assert ledger.worst()[0] == ZCDP(rho="0.3", delta="0.02")


def test_the_cheaper_of_a_known_and_a_generic_replacement_cost_is_taken():
    ledger = account(Pure(epsilon=9), replace())
    ledger.charge(OLD, Pure(epsilon=1), Pure(epsilon=5))
    assert ledger.worst()[0] == Pure(epsilon=2)


def test_nodes_without_a_proven_projection_have_no_account():
    with pytest.raises(NotProven):
        account(Pure(epsilon=1), nodes()).charge(OLD, Pure(epsilon="0.1"))
    ledger = account(Pure(epsilon=9), nodes(stability=4))
    ledger.charge(OLD, Pure(epsilon=1))
    assert ledger.worst()[0] == Pure(epsilon=4)


def test_budgets_for_time_blocks_come_out_of_regions_on_a_date_column():
    ledger = account(Pure(epsilon="0.1"), users("who", rows=1, per="day"))
    for month in range(1, 13):
        ledger.charge(Region.where(f"month(day) = {month}", DOMAIN), Pure(epsilon="0.1"))
    assert ledger.worst()[0] == Pure(epsilon="0.1")
    assert not ledger.admits(Region.where("day = '2025-06-01'", DOMAIN), Pure(epsilon="0.001"))


def test_all_promises_must_hold_and_a_refusal_by_one_charges_none():
    promises = [
        Promise(rows(), ZCDP(rho="0.5")),
        Promise(users("who", rows=3), Pure(epsilon=3)),
        Promise(windows("day", width=7), Pure(epsilon=2)),
    ]
    ledger = Accounts(DOMAIN, promises)
    costs = [ZCDP(rho="0.1"), Pure(epsilon="0.9"), Pure(epsilon="0.1")]
    ledger.charge(OLD, costs)
    before = [loss for loss, _ in ledger.worst()]
    assert not ledger.admits(OLD, costs)
    with pytest.raises(BudgetExceeded, match="one who with at most 3 rows"):
        ledger.charge(OLD, costs)
    assert [loss for loss, _ in ledger.worst()] == before
    assert ledger.admits(YOUNG, costs)
    with pytest.raises(InvalidInput) as refusal:
        ledger.charge(OLD, costs[:2])
    assert refusal.value.code == "region.wrong-costs"


def test_a_bound_that_cannot_be_shown_says_so_and_gives_its_bracket():
    domain = Domain({f"c{j}": integers(0, 49, missing=0) for j in range(5)})
    ledger = RegionAccount(
        domain, Promise(rows(), Pure(epsilon=1)), limits=Limits(numbers=4, frozen_numbers=4, steps=1)
    )
    generator = np.random.default_rng(3)
    refusals = []
    for _ in range(150):
        ends = np.sort(generator.integers(0, 50, (5, 2)), axis=1)
        region = Region.box(domain, **{f"c{j}": (int(low), int(high)) for j, (low, high) in enumerate(ends)})
        try:
            ledger.charge(region, Pure(epsilon="0.05"))
        except BudgetExceeded as refusal:
            refusals.append(refusal.code)
    lower, upper = ledger.bracket()
    assert "region.not-shown-to-fit" in refusals
    assert not ledger.exact
    assert lower.fits(upper)
    assert upper.fits(Pure(epsilon=1))


# --- slots --------------------------------------------------------------------------------------------------


def test_a_slot_serves_disjoint_regions_once_each():
    slots = SlotAccount(DOMAIN, rows(), {"a": 1, "b": 2})
    slots.take(OLD, "a")
    slots.take(YOUNG, "a")
    with pytest.raises(BudgetExceeded) as refusal:
        slots.take(OLD, "a")
    assert refusal.value.code == "region.no-slot-left"
    slots.take(OLD, "b")
    slots.take(OLD, "b")
    assert slots.used(OLD, "b") == 2
    assert slots.used(YOUNG, "b") == 0


def test_under_change_one_a_slot_is_used_by_either_value_of_a_pair():
    """Theory D9: one slot on two disjoint values would claim what is false."""
    slots = SlotAccount(DOMAIN, replace(), {"a": 1})
    slots.take(OLD, "a")
    assert not slots.admits(YOUNG, "a")
    with pytest.raises(NotProven) as refusal:
        SlotAccount(DOMAIN, replace(), {"a": 1}).take(OLD, "a", dominates_replacement=False)
    assert refusal.value.code == "region.slot-without-replacement"


def test_groups_and_owners_use_a_slot_for_each_of_their_rows():
    assert not SlotAccount(DOMAIN, groups(2), {"a": 1}).admits(OLD, "a", dominates_unit=True)
    slots = SlotAccount(DOMAIN, users("who", rows=3), {"a": 6})
    slots.take(OLD, "a", dominates_unit=True)
    slots.take(OLD, "a", dominates_unit=True)
    assert not slots.admits(OLD, "a", dominates_unit=True)
    assert SlotAccount(DOMAIN, nodes(stability=2), {"a": 2}).admits(OLD, "a", dominates_unit=True)
    assert not SlotAccount(DOMAIN, users("who", rows=3, altered=True), {"a": 5}).admits(OLD, "a", dominates_unit=True)


def test_a_slot_for_one_row_is_not_used_for_an_owner_of_several():
    for who in (groups(2), users("who", rows=3)):
        with pytest.raises(NotProven) as refusal:
            SlotAccount(DOMAIN, who, {"a": 100}).take(OLD, "a")
        assert refusal.value.code == "region.slot-without-unit"


def test_slots_that_make_no_sense_are_refused():
    for make in (
        lambda: SlotAccount(DOMAIN, rows(), {}),
        lambda: SlotAccount(DOMAIN, windows("day", width=2), {"a": 1}),
        lambda: SlotAccount(DOMAIN, nodes(), {"a": 1}),
    ):
        with pytest.raises(NotProven):
            make()
    slots = SlotAccount(DOMAIN, rows(), {"a": 1})
    with pytest.raises(InvalidInput):
        slots.take(OLD, "b")
    with pytest.raises(InvalidInput):
        slots.take(Region.everything(Domain({"x": integers(0, 1)})), "a")


# --- pictures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", [rows(), replace(), windows("day", width=1)])
def test_a_map_shows_the_heaviest_record_of_each_combination(granularity):
    ledger = account(Pure(epsilon=2), granularity)
    ledger.charge(OLD & Region.where("sex = 'F'", DOMAIN), Pure(epsilon=1), Pure(epsilon=0))
    found = load_map(ledger, "sex", "age")
    assert found.x == ("F", "M", "OTHER", None)
    assert len(found.y) == 122
    assert found.spent.shape == (4, 122)
    assert found.spent[0, 70] >= 0.5
    # A pair has another value at its other end, and a window its heaviest value: everybody of that day is part of it.
    assert found.spent[1, 70] == (0 if granularity == rows() else 0.5)
    assert np.allclose(found.left, 1 - found.spent)
    turned = load_map(ledger, "age", "sex")
    assert np.array_equal(turned.spent, found.spent.T)


def test_a_long_column_is_shown_in_bands_as_heavy_as_their_heaviest():
    domain = Domain({"x": integers(0, 99_999, missing=0), "c": categories("a")})
    ledger = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)))
    ledger.charge(Region.box(domain, x=77_777), Pure(epsilon="0.5"))
    found = ledger.load_map("x", "c")
    assert found.spent.shape == (400, 3)
    assert (found.spent > 0).sum() == 3


# --- the theorem itself, on finite classes of databases -----------------------------------------------------


def databases():
    values = range(4)
    return [tuple(sorted(rows_)) for rows_ in ((a, b) for a in values for b in values if a <= b)]


def change_one(first, second):
    kept = list(first)
    for value in second:
        if value in kept:
            kept.remove(value)
    return len(kept) == 1


def test_the_two_largest_corollary_follows_from_distances_through_a_partition():
    """Theory E6: bounded mechanisms that depend on one part each lose at most the two largest together."""
    every = databases()
    costs = [Fraction(5), Fraction(7), Fraction(2), Fraction(1)]

    def bounded(cost):
        def distance(first, second):
            left = list(first)
            for value in second:
                if value in left:
                    left.remove(value)
            return cost * len(left)

        return distance

    parts = [
        through(bounded(cost), lambda rows_, part=part: tuple(v for v in rows_ if v == part), every)
        for part, cost in enumerate(costs)
    ]
    assert largest(composed(parts), change_one, every) == 12
    domain = Domain({"part": integers(0, 3, missing=0)})
    ledger = RegionAccount(domain, Promise(replace(), Pure(epsilon=100)))
    for part, cost in enumerate(costs):
        ledger.charge(Region.box(domain, part=part), Pure(epsilon=cost), stated_for=replace())
    assert ledger.worst()[0].epsilon == 12


def test_own_domain_bounded_mechanisms_have_no_guarantee_at_all():
    """Theory E5: images of different size are not connected."""
    every = databases()

    def own(first, second):
        return Fraction(0) if len(first) == len(second) else None

    def of_part(part):
        return lambda first, second: own(tuple(v for v in first if v == part), tuple(v for v in second if v == part))

    assert largest(composed([of_part(part) for part in range(4)]), change_one, every) is None


def test_approximate_budgets_keep_both_coordinates():
    ledger = account(Approximate(epsilon=1, delta="0.01"))
    ledger.charge(OLD, Approximate(epsilon="0.1", delta="0.009"))
    assert not ledger.admits(OLD, Approximate(epsilon="0.1", delta="0.002"))
    assert ledger.admits(OLD, Approximate(epsilon="0.9", delta="0.001"))
    assert ledger.remaining(OLD) == Approximate(epsilon="0.9", delta="0.001")


def test_what_is_stated_for_an_owner_counts_as_often_as_the_map_before_it_says():
    plain, behind = account(Pure(epsilon=9), users("who", rows=2)), account(Pure(epsilon=9), users("who", rows=2))
    plain.charge(OLD, Pure(epsilon=1), unit=Pure(epsilon=1))
    behind.charge(OLD, Pure(epsilon=1), unit=Pure(epsilon=1), stability=3)
    assert behind.worst()[0].epsilon == 3 * plain.worst()[0].epsilon


def test_slots_count_records_of_equal_values_where_more_is_stored():
    open_text = Domain({"x": integers(5, 5, missing=5), "t": text_keys()})
    slots = SlotAccount(open_text, replace(), {"a": 2})
    everything = Region.everything(open_text)
    slots.take(everything, "a")
    slots.take(everything, "a")
    assert not slots.admits(everything, "a")
    with pytest.raises(BudgetExceeded):
        slots.take(everything, "a")


@pytest.mark.parametrize("seed", range(40))
def test_readings_between_deciding_and_booking_loosen_nothing(seed):
    # So large that cuts of the grid are made on demand, by readings too.
    size, rng = 200_000, random.Random(seed)
    domain = Domain({"x": integers(0, size - 1, missing=0)})
    account = RegionAccount(domain, Promise(replace(), Pure(epsilon=4)))
    ends, booked = sorted(rng.sample(range(1, size - 1), 14)), []

    def between(low, high):
        return Region(domain, ((((low, high),),),))

    for _ in range(40):
        low, high = sorted(rng.sample(ends, 2))
        one = Fraction(rng.randint(1, 4), 2)
        both = rng.choice([Fraction(0), one, one * 2])
        release = Release.of(between(low, high), Pure(epsilon=one), Pure(epsilon=both))
        (load,) = account._bookings(release, stateful=False)
        answer = account.decide(load)
        if answer.fits:
            account.headroom(between(*sorted(rng.sample(range(1, size - 1), 2))))
            account.book(load, answer)
            booked.append((low, high, one, both))
    for first, second in itertools.product([0, *ends], repeat=2):
        inside = [(low <= first < high) + (low <= second < high) for low, high, _, _ in booked]
        assert sum((0, one, both)[count] for count, (_, _, one, both) in zip(inside, booked, strict=True)) <= 4


@pytest.mark.parametrize(
    ("granularity", "cost"),
    [
        (rows(), Cost(Pure(epsilon="0.1"))),
        (replace(), Cost(Pure(epsilon="0.1"), Pure(epsilon="0.15"))),
        (replace(), Cost(Pure(epsilon="0.1"), Pure(epsilon="0.15"), declared=True)),
        (users("who", rows=3), Cost(Pure(epsilon="0.1"), None, Pure(epsilon="0.2"))),
        (users("who", rows=3, altered=True), Cost(Pure(epsilon="0.1"), None, Pure(epsilon="0.2"), Pure(epsilon="0.3"))),
    ],
)
def test_a_whole_cost_is_the_same_as_its_losses_by_name(granularity, cost):
    told = {"unit": cost.owner, "altered": cost.altered, "declared": cost.declared}
    whole, parts = (account(Pure(epsilon=1), granularity) for _ in range(2))
    for release, options in (((OLD, cost), {}), ((OLD, cost.row, cost.substitution), told)):
        for one in (whole, parts):
            assert one.admits(*release, **options)
    assert whole.charged(OLD, cost) == parts.charged(OLD, cost.row, cost.substitution, **told)
    assert whole.claims(OLD, cost) == parts.claims(OLD, cost.row, cost.substitution, **told)
    whole.charge(OLD, cost)
    parts.charge(OLD, cost.row, cost.substitution, **told)
    assert whole.worst() == parts.worst()
    dear = Cost(Pure(epsilon=2))
    assert whole.payable(OLD, dear) == parts.payable(OLD, dear.row)


@pytest.mark.parametrize(
    ("both", "told"), [(Pure(epsilon=1), {}), (None, {"unit": Pure(epsilon=1)}), (None, {"declared": True})]
)
def test_a_whole_cost_stands_alone(both, told):
    ledger = account(Pure(epsilon=1))
    with pytest.raises(InvalidInput, match="give it alone"):
        ledger.charge(OLD, Cost(Pure(epsilon="0.1")), both, **told)
    assert ledger.worst()[0].is_zero()
