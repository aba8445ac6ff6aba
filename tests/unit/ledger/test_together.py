"""Two hospitals and more: what their releases cost a person together."""

from __future__ import annotations

from fractions import Fraction

import pytest

from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, NotProven
from partita.granularity import groups, metric, replace, rows, users, windows
from partita.ledger.birth import Terms
from partita.ledger.keys import SigningKey
from partita.ledger.receipts.together import Rule, compose
from partita.region import Domain, identifier, integers
from partita.sampling.bits import TestBits
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import charge, opened

DOMAIN = Domain({"patient": identifier(), "age": integers(0, 99, missing=0)})


def hospital(number, promises, *releases, budget_factor=100):
    """The receipts of one ledger: releases are lists of costs, one for each promise, with a condition."""
    from dataclasses import replace as with_

    from partita.region import Region

    terms = Terms(promises, {"visits": DOMAIN})
    receipts = []
    with opened(":memory:", terms, signer=SigningKey.fresh(TestBits(number))) as ledger:
        for place, (where, *costs) in enumerate(releases):
            made = with_(charge((number, place)), region=Region.where(where, DOMAIN), costs=tuple(costs))
            receipts.append(ledger.receipt(ledger.commit(ledger.reserve(made), b"%d" % number)))
    return receipts


def row_hospital(number, *epsilons):
    promise = Promise(rows(), Pure(epsilon=10))
    return hospital(number, [promise], *(("TRUE", Cost(Pure(epsilon=epsilon))) for epsilon in epsilons))


def bounded_hospital(number, loss, budget):
    return hospital(number, [Promise(replace(), budget)], ("TRUE", Cost(loss, loss)))


def test_people_who_may_be_in_both_hospitals_lose_the_sum():
    found = compose(row_hospital(1, "0.3", "0.2") + row_hospital(2, "0.4"))
    assert (found.loss, found.rule, found.certified) == (Pure(epsilon="0.9"), Rule.SUM, Pure(epsilon=20))
    assert [(part.releases, part.loss) for part in found.parts] == [(2, Pure(epsilon="0.5")), (1, Pure(epsilon="0.4"))]
    assert found.unit == "one row, added or removed"


def test_people_who_are_in_one_hospital_only_lose_the_maximum():
    found = compose(row_hospital(1, "0.3", "0.2") + row_hospital(2, "0.4"), disjoint=True)
    assert (found.loss, found.rule, found.certified) == (Pure(epsilon="0.5"), Rule.MAXIMUM, Pure(epsilon=10))


def test_one_hospital_alone_loses_what_its_ledger_says():
    found = compose(row_hospital(1, "0.3", "0.2"), disjoint=True)
    assert (found.loss, found.rule) == (Pure(epsilon="0.5"), Rule.ALONE)


def test_within_one_hospital_the_regions_count():
    promise = Promise(rows(), Pure(epsilon=1))
    receipts = hospital(1, [promise], ("age < 40", Cost(Pure(epsilon="0.3"))), ("age >= 60", Cost(Pure(epsilon="0.2"))))
    assert compose(receipts).loss == Pure(epsilon="0.3")


@pytest.mark.parametrize(
    ("losses", "budget", "total"),
    [
        ([Pure(epsilon=e) for e in ("0.5", "0.7", "0.2")], Pure(epsilon=9), Pure(epsilon="1.2")),
        (
            [Approximate(epsilon=e, delta=d) for e, d in (("0.5", "1e-6"), ("0.7", "2e-6"), ("0.2", "5e-6"))],
            Approximate(epsilon=9, delta="1e-3"),
            Approximate(epsilon="1.2", delta="7e-6"),
        ),
        ([GDP(mu=m) for m in ("0.5", "0.7", "0.2")], GDP(mu=9), GDP.from_squared("0.74")),
        ([ZCDP(rho=r) for r in ("0.5", "0.7", "0.2")], ZCDP(rho=9), ZCDP(rho="1.2")),
    ],
)
def test_a_changed_record_may_move_between_two_hospitals(losses, budget, total):
    """Theory E6 and the vectors E.bounded_parallel: the two largest."""
    receipts = [receipt for number, loss in enumerate(losses) for receipt in bounded_hospital(number, loss, budget)]
    found = compose(receipts, disjoint=True)
    assert (found.loss, found.rule, found.certified) == (total, Rule.TWO_LARGEST, None)
    assert compose(receipts[:1]).loss == losses[0]


def test_counts_that_cost_nothing_inside_still_cost_who_moves():
    """Under change-one a count of the whole table is free, and it shows who moved to the other hospital (theory E5)."""
    cost = Cost(Pure(epsilon="0.5"), Pure(epsilon=0))
    promise = Promise(replace(), Pure(epsilon=1))
    first, second = hospital(1, [promise], ("TRUE", cost)), hospital(2, [promise], ("TRUE", cost))
    assert compose(first).loss == Pure(epsilon=0)
    assert compose(first + second, disjoint=True).loss == Pure(epsilon=1)
    assert compose(first + second).loss == Pure(epsilon=1)


def test_mixed_relations_are_converted_before_they_are_added():
    """The vectors E.mixed_granularity: change-one from both, and nothing at all for add/remove."""
    receipts = row_hospital(1, "0.3") + bounded_hospital(2, Pure(epsilon="0.5"), Pure(epsilon=9))
    assert compose(receipts, unit=replace()).loss == Pure(epsilon="1.1")
    with pytest.raises(NotProven, match="says nothing about"):
        compose(receipts, unit=rows())
    with pytest.raises(NotProven, match="protect different units"):
        compose(receipts)


def test_a_record_that_moves_costs_each_hospital_one_step_of_add_and_remove():
    receipts = row_hospital(1, "0.3") + row_hospital(2, "0.5")
    assert compose(receipts, unit=replace(), disjoint=True).loss == Pure(epsilon=1)  # altered inside the second
    assert compose(receipts, unit=replace()).loss == Pure(epsilon="1.6")


def test_owners_are_people_whatever_their_column_is_called():
    first = hospital(1, [Promise(users("patient", rows=1), Pure(epsilon=1))], ("TRUE", Cost(Pure(epsilon="0.1"))))
    second = hospital(2, [Promise(users("patient", rows=1), Pure(epsilon=1))], ("TRUE", Cost(Pure(epsilon="0.2"))))
    assert compose(first + second).loss == Pure(epsilon="0.3")
    assert compose(first + second, disjoint=True).loss == Pure(epsilon="0.2")


def test_a_hospital_that_keeps_all_rows_protects_owners_of_so_many_rows_and_no_others():
    owners = hospital(2, [Promise(users("patient", rows=5), Pure(epsilon=10))], ("TRUE", Cost(Pure(epsilon="0.1"))))
    unit = users("patient", rows=3)
    for receipts in (row_hospital(1, "0.1"), row_hospital(1, "0.1") + owners):
        assert compose(receipts, unit=unit).unit == "one patient with at most 3 rows, added or removed"
    assert compose(owners, unit=unit).unit == "one owner with all rows, added or removed"


def test_a_group_may_be_spread_over_hospitals_so_disjointness_does_not_help_it():
    receipts = [
        receipt
        for number in (1, 2)
        for receipt in hospital(number, [Promise(groups(2), Pure(epsilon=1))], ("TRUE", Cost(Pure(epsilon="0.1"))))
    ]
    assert compose(receipts, disjoint=True).rule is Rule.SUM


def test_a_unit_of_which_nothing_is_known_when_it_moves_is_refused():
    receipts = [
        receipt
        for number in (1, 2)
        for receipt in hospital(
            number, [Promise(metric("age", unit=10), Pure(epsilon=1))], ("TRUE", Cost(Pure(epsilon="0.1")))
        )
    ]
    with pytest.raises(NotProven, match="the loss could be infinite"):
        compose(receipts)


def test_unlike_measures_are_converted_where_there_is_a_theorem():
    pure = row_hospital(1, 1)
    zcdp = hospital(2, [Promise(rows(), ZCDP(rho=1))], ("TRUE", Cost(ZCDP(rho="0.1"))))
    found = compose(pure + zcdp)
    assert isinstance(found.loss, ZCDP)
    assert Fraction("0.562") < found.loss.rho < Fraction("0.563")
    with pytest.raises(NotProven):
        compose(pure + zcdp, measure=Pure)
    delta = hospital(3, [Promise(rows(), Approximate(epsilon=1, delta="1e-3"))],
                     ("TRUE", Cost(Approximate(epsilon="0.1", delta="1e-6"))))  # fmt: skip
    assert compose(pure + delta).loss == Approximate(epsilon="1.1", delta="1e-6")


def test_the_same_release_counts_once():
    receipts = row_hospital(1, "0.3")
    assert compose(receipts * 3).loss == Pure(epsilon="0.3")


def test_receipts_that_contradict_each_other_are_refused():
    from dataclasses import replace as with_

    (first,) = row_hospital(1, "0.3")
    key = SigningKey.fresh(TestBits(1))
    with pytest.raises(InvalidInput, match="contradict each other"):
        compose([first, with_(first, asked="something else").signed(key)])
    assert compose([first, with_(first, asked="").signed(key)]).loss == compose([first]).loss
    other = with_(first, seq=9, public_key=SigningKey(bytes(32)).public).signed(SigningKey(bytes(32)))
    with pytest.raises(InvalidInput, match="contradict each other"):
        compose([first, other])


def test_an_altered_receipt_is_not_composed():
    from dataclasses import replace as with_

    (first,) = row_hospital(1, "0.3")
    with pytest.raises(InvalidInput, match="does not fit what it says"):
        compose([with_(first, seq=5)])
    with pytest.raises(InvalidInput, match="no receipt to compose"):
        compose([])


def test_of_several_promises_the_unit_says_which():
    promises = [Promise(rows(), Pure(epsilon=1)), Promise(users("patient", rows=2), Pure(epsilon=2))]
    receipts = hospital(1, promises, ("TRUE", Cost(Pure(epsilon="0.1")), Cost(Pure(epsilon="0.1"))))
    with pytest.raises(InvalidInput, match="Say for which unit"):
        compose(receipts)
    assert compose(receipts, unit=rows()).loss == Pure(epsilon="0.1")


@pytest.mark.parametrize(
    "unit",
    [users("patient", rows=20_000), groups(20_000), groups(20_000, replace()), users("patient", rows=33)],
    ids=str,
)
def test_units_of_many_rows_lose_all_of_it(unit):
    """The cost of a unit of k rows is k² that of a row in ρ, beyond any fixed multiple of the cost of one."""
    rho = Fraction(1, 10**9)
    made = Cost(ZCDP(rho=rho), ZCDP(rho=rho))
    receipts = hospital(1, [Promise(unit, ZCDP(rho=10))], ("TRUE", made), ("age < 18", made), ("age >= 18", made))
    size = 33 if "33" in str(unit) else 20_000
    (part,) = compose(receipts).parts
    assert part.loss.vector()[0] >= 2 * rho * size**2
    assert part.loss.vector()[0] <= 3 * rho * size**2


def test_wide_windows_lose_all_of_it():
    receipts = hospital(
        1, [Promise(windows("age", width=1000), Pure(epsilon=1))], *[("TRUE", Cost(Pure(epsilon="0.0001")))] * 3
    )
    (part,) = compose(receipts).parts
    assert Fraction(3, 10) <= part.loss.vector()[0] <= Fraction(3, 10) + Fraction(1, 10**9)
