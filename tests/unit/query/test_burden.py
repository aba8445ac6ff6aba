"""What is booked where one row may let another of its owner in or out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import partita as pt
from partita.curator.path import costs_of
from partita.query.burden import Moving, burden
from partita.query.pricing import Price
from partita.query.quote import quote
from partita.query.sql import read
from partita.query.truncation import truncation
from partita.theory.measures.base import Measure
from tests.unit.query import strategies

TABLE = strategies.table()
OWNERS = pt.users("who", rows=2)


def cost(moving: Moving) -> Measure:
    return pt.ZCDP(rho={Moving.ROW: 1, Moving.SWAP: 3, Moving.ROW_TWICE: 4, Moving.SWAP_TWICE: 12}[moving])


def test_two_values_pay_for_two_rows_and_everybody_for_what_everybody_is_in() -> None:
    assert burden(pt.rows(), cost, whole=False)[0] == pt.ZCDP(rho=3)
    assert burden(pt.rows(), cost, whole=True)[0] == pt.ZCDP(rho=3)
    assert burden(pt.replace(), cost, whole=False) == (pt.ZCDP(rho=4), pt.ZCDP(rho=12))
    assert burden(pt.groups(2, pt.replace()), cost, whole=True) == (pt.ZCDP(rho=12), pt.ZCDP(rho=12))


def test_a_row_is_paid_for_by_half_of_what_its_value_carries() -> None:
    even = lambda moving: pt.ZCDP(rho=4 if "TWICE" in moving.name else 1)  # noqa: E731
    assert burden(pt.rows(), even, whole=False)[0] == pt.ZCDP(rho=2)
    assert burden(pt.rows(), even, whole=True)[0] == pt.ZCDP(rho=1)


def booked(question: str, unit: Any, beside: bool, **price: Any) -> Any:
    units = (unit, OWNERS) if beside else (unit,)
    promises = [pt.Promise(one, pt.Approximate(epsilon=100, delta="0.01")) for one in units]
    cut = truncation(TABLE, units, "key")
    made = quote(read(question, [TABLE]), promises, Price.of(**price), noise="gaussian", truncation=cut)
    return costs_of(made)[0], made


@pytest.mark.parametrize("unit", [pt.rows(), pt.replace()])
def test_the_delta_of_the_row_that_goes_is_booked_as_well(unit: Any) -> None:
    """The old row in one region and the one that takes its place in another: two releases, each with its δ."""
    delta = Fraction(1, 10**6)
    alone, _ = booked("SELECT COUNT(*) AS n FROM things WHERE a > 2", unit, False, epsilon=1, delta=delta)
    beside, made = booked("SELECT COUNT(*) AS n FROM things WHERE a > 2", unit, True, epsilon=1, delta=delta)
    assert alone.one.delta == delta
    assert beside.one.delta == 2 * delta
    (part,) = made.offer.parts
    from partita.query import pricing
    from partita.query.stability import distance

    true = pricing.total_cost(
        [(part.mechanism, distance(part.movements[0].row, part.mechanism.norm))],
        pt.Approximate(epsilon=1, delta=delta),
        delta,
    )
    assert beside.one.epsilon >= 2 * true.epsilon
    everybody, _ = booked("SELECT COUNT(*) AS n FROM things", pt.rows(), True, epsilon=1, delta=delta)
    assert everybody.one.delta == delta


def test_a_count_of_everybody_costs_a_row_beside_owners_what_it_costs_without_them() -> None:
    question = "SELECT COUNT(*) AS n FROM things"
    (alone, first), (beside, second) = (
        booked(question, pt.rows(), each, epsilon=1, delta="1e-6") for each in (False, True)
    )
    assert first.offer.parts[0].mechanism == second.offer.parts[0].mechanism
    assert alone.one == beside.one
