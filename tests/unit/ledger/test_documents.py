"""Plain data with a durable kind: what was written can be read for ever."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, LedgerFault, NotProven
from partita.granularity import groups, metric, replace, rows, users, windows
from partita.granularity.documents import unit_document, unit_from
from partita.ledger.birth import Terms
from partita.ledger.canonical import canonical
from partita.ledger.charge import Priced, Reader, region_document, region_from
from partita.region import Domain, Region, categories, dates, decimals, identifier, integers
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import DOMAIN, charge

UNITS = [
    (rows(), {"kind": "rows"}),
    (replace(), {"kind": "replace"}),
    (groups(3), {"kind": "groups", "size": 3, "of": {"kind": "rows"}}),
    (
        users("patient", rows=5, per="day", in_region=2, altered=True),
        {"kind": "users", "column": "patient", "rows": 5, "per": "day", "in_region": 2, "altered": True},
    ),
    (metric("income", unit="0.5"), {"kind": "metric", "column": "income", "unit": "1/2"}),
]


@pytest.mark.parametrize(("unit", "document"), UNITS)
def test_a_unit_is_written_in_these_words_for_ever(unit, document):
    assert unit_document(unit) == document
    assert unit_from(document) == unit


def test_windows_are_written_too():
    unit = windows("day", width=7)
    assert unit_from(unit_document(unit)) == unit


def test_a_document_from_before_a_field_existed_takes_its_default():
    assert unit_from({"kind": "users", "column": "patient", "rows": 5}) == users("patient", rows=5)


@pytest.mark.parametrize("document", [{"kind": "households"}, {}, {"kind": "rows", "new": 1}, {"kind": "users"}])
def test_a_unit_that_is_not_understood_is_refused_and_never_guessed(document):
    with pytest.raises(LedgerFault, match="written by another version"):
        unit_from(document)


@pytest.mark.parametrize(
    "loss",
    [
        Pure(epsilon="1/3"),
        Approximate(epsilon=1, delta="1e-9"),
        ZCDP(rho="1/7", delta="1e-9"),
        GDP(mu="0.3"),
        Renyi(order=8, tau="0.5"),
    ],
)
def test_a_cost_is_read_as_it_was_written(loss):
    for cost in (Cost(loss), Cost(loss, loss.zero()), Cost(loss, None, loss)):
        assert Cost.from_document(cost.document()) == cost


@pytest.mark.parametrize(
    "where", ["TRUE", "FALSE", "age < 18", "age < 18 OR age BETWEEN 40 AND 49", "age IN (1, 3, 5)"]
)
def test_a_region_is_read_as_it_was_written(where):
    region = Region.where(where, DOMAIN)
    assert region_from(region_document(region), DOMAIN) == region


def test_terms_are_read_as_they_were_written():
    domain = Domain(
        {
            "patient": identifier(),
            "age": integers(0, 120),
            "sex": categories("F", "M"),
            "cost": decimals(0, 100, step="0.01"),
            "day": dates("2025-01-01", "2025-12-31"),
        }
    )
    promises = [
        Promise(rows(), ZCDP(rho="0.5", delta="1e-6")),
        Promise(users("patient", rows=3), Pure(epsilon=Fraction(1, 3))),
    ]
    terms = Terms(promises, {"visits": domain, "wards": DOMAIN})
    assert Terms.from_document(terms.document()) == terms
    assert Terms.from_document(terms.document()).digest() == terms.digest()
    assert terms != Terms(promises, {"visits": domain})


def test_terms_without_a_promise_or_a_table_are_refused():
    with pytest.raises(InvalidInput, match="at least one promise"):
        Terms([], {"visits": DOMAIN})
    with pytest.raises(InvalidInput, match="at least one table"):
        Terms([Promise(rows(), Pure(epsilon=1))], {})


def test_what_the_accounts_need_of_a_charge_is_written_in_these_words_for_ever():
    made = charge("n", "1/3", where="age < 18")
    assert made.priced() == (
        '{"analyst":"ada","costs":[{"both":null,"one":{"epsilon":"1/3","kind":"pure"},"unit":null}],'
        '"region":[[[[0,18]]]],"table":"visits"}'
    )
    assert Reader({"visits": DOMAIN})(made.priced()) == Priced.of(made)


@pytest.mark.parametrize("document", [float("nan"), {1, 2}, object(), b"bytes"])
def test_what_has_no_place_in_a_document_is_refused(document):
    with pytest.raises(InvalidInput, match="cannot be written as plain JSON"):
        canonical(document)


def test_a_promise_whose_unit_has_rows_in_several_tables_is_refused():
    owned = Domain({"patient": identifier(), "age": integers(0, 120)})
    promise = Promise(users("patient", rows=3), Pure(epsilon=1))
    assert Terms([promise], {"visits": owned, "wards": DOMAIN})
    with pytest.raises(NotProven, match="spans 2 tables, and what one owner loses in each adds up"):
        Terms([promise], {"visits": owned, "stays": owned})
    with pytest.raises(NotProven, match="spans 2 tables"):
        Terms([Promise(groups(2, of=users("patient", rows=3)), Pure(epsilon=1))], {"visits": owned, "stays": owned})
    assert Terms([Promise(groups(2), Pure(epsilon=1))], {"visits": owned, "stays": owned})


def costing(cost):
    return dataclasses.replace(charge(1), costs=(Cost(cost),))


HUGE = [ZCDP(rho=Fraction(1, 10**200)), GDP.from_squared(Fraction(1, 3 * 10**160)), Pure(epsilon=Fraction(10**90))]


@pytest.mark.parametrize("cost", HUGE)
def test_costs_of_any_size_are_read_as_they_were_written(cost):
    assert Reader({"visits": DOMAIN})(costing(cost).priced()) == Priced.of(costing(cost))


@pytest.mark.parametrize("digits", [3000, 5000])
def test_a_cost_that_nobody_could_read_is_refused_before_it_is_written(digits):
    with pytest.raises(InvalidInput, match="more digits than a ledger keeps"):
        costing(ZCDP(rho=Fraction(10**digits + 1, 10**digits + 7)))
