"""The ledger's balances equal the plainest count of them: every record value and every pair, one by one."""

from __future__ import annotations

import hashlib
import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded
from partita.granularity import groups, replace, rows, users, windows
from partita.ledger.audit.recount import recount
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge
from partita.ledger.payer import RegionPayer
from partita.limits import Limits, using
from partita.region import Domain, Region, identifier, integers
from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.laws.limiting import anyhow
from tests.sizes import tried
from tests.unit.ledger.plain import ask, opened

DOMAIN = Domain({"who": identifier(), "a": integers(0, 3, missing=0), "b": integers(0, 2, missing=0)})
VALUES = list(itertools.product(range(4), range(3)))
PROMISES = [
    Promise(rows(), Pure(epsilon=1)),
    Promise(replace(), ZCDP(rho=2)),
    Promise(users("who", rows=2), Pure(epsilon=2)),
    Promise(groups(3), ZCDP(rho=9)),
]
TERMS = Terms(PROMISES, {"visits": DOMAIN})


@st.composite
def releases(draw):
    low, high = sorted(draw(st.tuples(st.integers(0, 3), st.integers(0, 3))))
    where = f"a BETWEEN {low} AND {high}" + draw(st.sampled_from(["", " AND b = 1", " AND b <> 1", " OR b = 2"]))
    one = draw(st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 7), Fraction(1, 3)]))
    return where, one, draw(st.sampled_from([None, Fraction(0), one])), draw(st.booleans())


def charge(place, release):
    where, one, both, declared = release
    return Charge(
        table="visits",
        region=Region.where(where, DOMAIN),
        costs=(
            Cost(Pure(epsilon=one)),
            Cost(ZCDP(rho=one), None if both is None else ZCDP(rho=both), declared=declared),
            Cost(Pure(epsilon=one)),
            Cost(ZCDP(rho=one)),
        ),
        mechanism={},
        question=hashlib.sha256(str(place).encode()).hexdigest(),
        analyst="ada",
    )


def counted(booked):
    """What anybody loses under each promise, value by value and pair by pair (theory E10, E11, E14)."""
    held = [(set(_codes(Region.where(where, DOMAIN))), *costs) for where, *costs in booked]
    load = {v: sum((one for inside, one, *_ in held if v in inside), Fraction(0)) for v in VALUES}
    heaviest = max(load.values())
    pairs = max(sum((_pair(v, w, *part) for part in held), Fraction(0)) for v, w in itertools.product(VALUES, VALUES))
    return [heaviest, pairs, 2 * heaviest, 9 * heaviest]


def _codes(region):
    return [codes for codes in VALUES if region.holds(codes)]


def _pair(v, w, inside, one, both, declared):
    if v == w and declared:
        return Fraction(0)  # records of equal declared values are alike to it; to others they may differ (E11a)
    match (v in inside) + (w in inside):
        case 0:
            return Fraction(0)
        case 1:
            return one
        case _:
            return 4 * one if both is None else min(both, 4 * one)


def close(found, truth):
    """Not below the truth, and above it only by the rounding of each charge to the account's unit."""
    return truth <= found <= truth + Fraction(1, 10**12)


@pytest.mark.slow
@pytest.mark.soak
@settings(max_examples=tried(25, soaking=2000))
@given(asked=st.lists(releases(), max_size=12), limits=anyhow)
def test_every_balance_is_the_plain_count_and_stays_so_after_opening_again(asked, limits, tmp_path_factory):
    """Where limits bind it is no less than the count, and what is admitted fits all the same."""
    with using(limits):
        balanced(asked, tmp_path_factory.mktemp("ledger") / "visits.ledger", exact=limits == Limits())


def balanced(asked, path, *, exact):
    booked = []
    with opened(path, TERMS, make=RegionPayer, checkpoint_every=5) as ledger:
        for place, release in enumerate(asked):
            after = counted([*booked, release])
            fits = all(loss <= promise.budget.vector()[0] for loss, promise in zip(after, PROMISES, strict=True))
            try:
                ask(ledger, charge(place, release))
            except BudgetExceeded:
                assert not fits or not exact
            else:
                assert fits
                booked.append(release)
        spent = [loss.vector()[0] for loss in ledger.spent()]
        assert all(close(found, truth) or not exact for found, truth in zip(spent, counted(booked), strict=True))
        found = ledger.verify()
        assert found.problems == ()
        assert found.unproven == () or not exact
    with opened(path, TERMS, make=RegionPayer) as again:
        opened_again = [loss.vector()[0] for loss in again.spent()]
        assert opened_again == spent or not exact
        assert all(found >= truth for found, truth in zip((*spent, *opened_again), counted(booked) * 2, strict=True))


@pytest.mark.parametrize("where", ["FALSE", "a < 0"])
def test_a_question_about_nobody_costs_nobody_anything(where):
    with opened(":memory:", TERMS, make=RegionPayer) as ledger:
        for place in range(20):
            ask(ledger, charge(place, (where, Fraction(1), None, False)))
        assert all(loss.is_zero() for loss in ledger.spent())


def test_disjoint_groups_cost_the_maximum_and_overlapping_ones_the_sum():
    with opened(":memory:", TERMS, make=RegionPayer) as ledger:
        for place in range(4):
            ask(ledger, charge(place, (f"a = {place}", Fraction(1, 4), Fraction(0), True)))
        assert ledger.spent() == (
            Pure(epsilon="1/4"),
            ZCDP(rho="1/2"),
            Pure(epsilon="1/2"),
            ZCDP(rho="9/4"),
        )


def test_one_promise_that_cannot_pay_stops_the_charge_for_all():
    tight = Terms([Promise(rows(), Pure(epsilon=9)), Promise(replace(), Pure(epsilon="0.1"))], {"visits": DOMAIN})
    with opened(":memory:", tight, make=RegionPayer) as ledger:
        made = charge(1, ("a < 2", Fraction(1, 5), None, True))
        dear = Charge(
            table="visits",
            region=made.region,
            costs=(Cost(Pure(epsilon="0.2")), Cost(Pure(epsilon="0.2"))),
            mechanism={},
            question=made.question,
        )
        with pytest.raises(BudgetExceeded, match="the value of one row"):
            ledger.reserve(dear)
        assert all(loss.is_zero() for loss in ledger.spent())
        assert len(list(ledger.entries())) == 1


@settings(max_examples=150)
@given(booked=st.lists(releases(), max_size=10), limits=anyhow)
def test_the_plainest_count_is_the_truth(booked, limits):
    """The verifier's own count, which decides without any account, against every value and pair one by one."""
    charges = [charge(place, release) for place, release in enumerate(booked)]
    for place, (promise, truth) in enumerate(zip(PROMISES, counted(booked), strict=True)):
        with using(limits):
            found = recount(DOMAIN, promise, [(made.region, made.costs[place], 1) for made in charges])
        share = truth / promise.budget.vector()[0]
        assert found.least <= share + Fraction(1, 10**12)
        if limits != Limits():
            assert found.most is None or found.most >= share - Fraction(1, 10**12)
            assert share > 1 or not found.exceeds
            assert share <= 1 or not found.proven
            continue
        assert found.most is not None
        # Far from the budget a pair is only bounded by twice its heavier value.
        assert found.most >= share - Fraction(1, 10**12)
        assert found.exceeds == (share > 1)
        assert found.proven == (share <= 1)


@settings(max_examples=60)
@given(booked=st.lists(releases(), max_size=10), width=st.integers(1, 4))
def test_the_plainest_count_of_windows_is_the_truth(booked, width):
    promise = Promise(windows("a", width=width), Pure(epsilon=1))
    held = [(Region.where(where, DOMAIN), one) for where, one, *_ in booked]
    # A release that sees several steps of a window is charged so that its steps together bear a group of them.
    steps = []
    for step in range(4):
        loads = [sum((one for region, one in held if region.holds((step, b))), Fraction(0)) for b in range(3)]
        steps.append(max(loads))
    # Times are clamped to the declared steps, and a missing one is step 0.
    spans = [[min(max(step, 0), 3) for step in range(first, first + width)] for first in range(-width, 4)]
    truth = max(sum(max(steps[step], steps[0]) for step in span) for span in spans)
    found = recount(DOMAIN, promise, [(region, Cost(Pure(epsilon=one)), 1) for region, one in held])
    assert abs(found.least - truth) <= Fraction(1, 10**9)


def test_a_sum_beyond_64_bits_is_not_mistaken_for_a_small_one():
    dear = [(Region.where("a < 3 OR b = 1", DOMAIN), Cost(Pure(epsilon=4)), 1)]
    many = [(Region.where(f"a <= {n % 3} OR b = {n % 2}", DOMAIN), Cost(Pure(epsilon=4)), 10**9) for n in range(6)]
    assert recount(DOMAIN, PROMISES[0], dear + many).exceeds
