"""What is booked where one row may let another of its owner in or out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.curator.path.placed import costs_of
from partita.query.exact.burden import Moving, burden
from partita.query.noise.quote import quote
from partita.query.quantiles.costs import Cases, _sums, loads, moves
from partita.query.quantiles.costs import cost as chosen_cost
from partita.query.sql.parse import read
from partita.query.tables.truncation import truncation
from partita.theory.distance import Distance
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


def test_a_cost_that_is_not_convex_is_asked_for_what_two_unlike_lists_move() -> None:
    """The exponential mechanism's ρ at distances 3 and 6: half of c(6) and of c(12) does not pay for c(9)."""
    far = {
        Moving.ROW: 3,
        Moving.SWAP: 6,
        Moving.ROW_TWICE: 6,
        Moving.ROW_AND_SWAP: 9,
        Moving.SWAP_TWICE: 12,
    }
    noise = pt.Exponential(epsilon=1)
    costs = {moving: noise.cost(Distance.linf(distance), pt.ZCDP) for moving, distance in far.items()}
    mixed = costs[Moving.ROW_AND_SWAP].rho
    short_one, short_both = burden(pt.replace(), costs.__getitem__, whole=False)
    assert short_one.rho + short_both.rho < 2 * mixed
    one, both = burden(pt.replace(), costs.__getitem__, whole=False, convex=False)
    assert one.rho + both.rho == 2 * mixed
    assert one.rho <= both.rho


@pytest.mark.parametrize(
    "weight", [Fraction(1, 3), Fraction(1), Fraction(3), Fraction(9, 2), Fraction(8), Fraction(20)]
)
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("keyed", [None, False, True])
def test_two_lists_of_rows_pay_for_a_chosen_quantile_however_they_are_met(weight: Any, share: Any, keyed: Any) -> None:
    moved = moves((share,), pt.replace(), groups=3, truncation=truncation(TABLE, (OWNERS,), "key"), keyed=keyed)
    assert moved.swap is not None
    noise, budget = pt.Exponential(epsilon=weight), pt.ZCDP(rho=1)
    one, both = (loss.rho for loss in loads(noise, moved, pt.replace(), budget, whole=False))
    for first, carried in ((moved.row, one), (moved.swap, both)):
        assert chosen_cost(noise, first, budget).rho <= carried / 2
        for other, beside in ((moved.row, one), (moved.swap, both)):
            for case in {case for mine in first.ways for theirs in other.ways for case in _sums(mine, theirs)}:
                assert chosen_cost(noise, Cases((case,)), budget).rho <= (carried + beside) / 2


@pytest.mark.parametrize("measure", [pt.Pure, pt.ZCDP, pt.GDP, pt.Renyi])
def test_the_cost_of_laplace_noise_is_convex_in_the_distance(measure: Any) -> None:
    """Which is what two lists of rows rest on where noise is added; Gaussian noise is a square of the distance."""
    noise, steps = pt.Laplace(scale=1), [Fraction(at, 8) for at in range(1, 400)]
    found = [noise.cost(Distance.l1(far), measure).vector() for far in steps]
    for before, here, after in zip(found, found[1:], found[2:], strict=False):
        for low, middle, high in zip(before, here, after, strict=True):
            assert 2 * middle <= (low + high) * (1 + Fraction(1, 10**12))


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
    assert alone.row.delta == delta
    assert beside.row.delta == 2 * delta
    (part,) = made.offer.parts
    from partita.composition.calibration import pricing
    from partita.query.exact.sensitivity import distance

    true = pricing.total_cost(
        [(part.mechanism, distance(part.movements[0].row, part.mechanism.norm))],
        pt.Approximate(epsilon=1, delta=delta),
        delta,
    )
    assert beside.row.epsilon >= 2 * true.epsilon
    everybody, _ = booked("SELECT COUNT(*) AS n FROM things", pt.rows(), True, epsilon=1, delta=delta)
    assert everybody.row.delta == delta


def test_a_count_of_everybody_costs_a_row_beside_owners_what_it_costs_without_them() -> None:
    question = "SELECT COUNT(*) AS n FROM things"
    (alone, first), (beside, second) = (
        booked(question, pt.rows(), each, epsilon=1, delta="1e-6") for each in (False, True)
    )
    assert first.offer.parts[0].mechanism == second.offer.parts[0].mechanism
    assert alone.row == beside.row


def test_a_curve_of_a_single_order_is_no_power_of_a_distance():
    """Only powers are known to be worth their halves; of others a row is booked what its change costs."""
    costs = {Moving.ROW: 1, Moving.ROW_TWICE: 4, Moving.SWAP: 3, Moving.SWAP_TWICE: 12, Moving.ROW_AND_SWAP: 7}
    for loss in (lambda part: pt.Renyi(order=2, tau=part), lambda part: pt.ZCDP(rho=part, delta="1e-9")):
        found = burden(pt.replace(), lambda moving, loss=loss: loss(costs[moving]), whole=False)
        assert found[0] == found[1]
        assert found[1].vector()[0] == 12
    assert burden(pt.replace(), lambda moving: pt.GDP(mu=costs[moving]), whole=False)[0] != pt.GDP(mu=12)
