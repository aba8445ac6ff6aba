"""Plans fixed beforehand: no neighbour loses more through all questions than the plan is charged for.

Every pair of neighbours of a small domain is tried: the exact numbers of all questions are computed on both tables, the
losses of the noise for the differences that were really found are composed, and compared with the charge.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.account import RegionAccount
from partita.composition.calibration.pricing import Price
from partita.composition.guarantees.compose import compose
from partita.engine.reference import tallied
from partita.mechanisms.base import Event
from partita.query.batch.joint import joint, union
from partita.query.exact.measurements import entries
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.query.tables.truncation import truncation
from partita.theory.distance import Distance, Norm

TABLE = pt.Table(
    "t",
    source=[{"a": 0, "b": 0}],
    columns={"a": pt.integers(0, 3, missing=0), "b": pt.integers(0, 2, missing=0)},
)
VALUES = [{"a": a, "b": b} for a, b in product(range(4), range(3))]
REST = [{"a": 1, "b": 2}, {"a": 3, "b": 0}]
DELTA = Fraction(1, 10**6)
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT a, COUNT(*) AS n FROM t GROUP BY a",
    "SELECT SUM(a) AS s FROM t WHERE b = 1",
    "SELECT COUNT(*) AS n, AVG(a) AS m FROM t WHERE a >= 2",
    "SELECT COUNT(*) AS n FROM t WHERE a < 2",
    "SELECT b, SUM(a) AS s FROM t WHERE a < 3 GROUP BY b",
    "SELECT COUNT(*) AS n FROM t WHERE a + b > 2",
]
UNITS = {"rows": pt.rows(), "change-one": pt.replace()}
PRICES = [
    Price.of(epsilon="0.3"),
    Price.of(epsilon="0.8"),
    Price.of(rho="0.02", delta=DELTA),
    Price.of(mu="0.5", delta=DELTA),
]


def really_lost(quotes: list[Quote], before: list[Any], after: list[Any]) -> float:
    """The ε at δ of all questions for two tables that were really run, by the differences that were found."""
    events = []
    for one in quotes:
        apart = one.exact(tallied(one.program, before)) - one.exact(tallied(one.program, after))
        start = 0
        for part in one.offer.parts:
            end = start + len(entries(part.measurement))
            moved = [abs(int(number)) for number in apart[:, start:end].flat]
            start = end
            if any(moved):
                norm = part.mechanism.norm
                power = sum(moved) if norm is Norm.L1 else sum(number**2 for number in moved)
                events.append(
                    Event(part.mechanism, Distance.l1(power) if norm is Norm.L1 else Distance.l2_squared(power))
                )
    return compose(events, delta=DELTA).epsilon if events else 0.0


def planned(unit: str, chosen: list[tuple[str, Price]]) -> tuple[list[Quote], Any]:
    promise = pt.Promise(UNITS[unit], pt.Approximate(epsilon=100, delta="1e-3"))
    quotes = [quote(read(sql, [TABLE]), [promise], price) for sql, price in chosen]
    return quotes, joint(quotes, [promise], [DELTA])[0]


PLANS = st.lists(st.tuples(st.sampled_from(QUESTIONS), st.sampled_from(PRICES)), min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(chosen=PLANS)
def test_no_row_that_comes_or_goes_loses_more_than_the_plan_is_charged_for(chosen: list[tuple[str, Price]]) -> None:
    quotes, total = planned("rows", chosen)
    for value in VALUES:
        assert really_lost(quotes, REST, [*REST, value]) <= float(total.together.row.epsilon) * (1 + 1e-9)


@settings(max_examples=6, deadline=None)
@given(chosen=PLANS)
def test_no_row_that_changes_loses_more_than_the_plan_is_charged_for(chosen: list[tuple[str, Price]]) -> None:
    quotes, total = planned("change-one", chosen)
    for old, new in product(VALUES[::2], VALUES[1::2]):
        lost = really_lost(quotes, [*REST, old], [*REST, new])
        assert lost <= float(max(total.together.row.epsilon, total.together.substitution.epsilon)) * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(chosen=PLANS, unit=st.sampled_from(sorted(UNITS)))
def test_a_plan_is_never_dearer_than_its_questions_one_by_one(chosen: list[tuple[str, Price]], unit: str) -> None:
    quotes, total = planned(unit, chosen)
    heaviest = max(
        total.together.losses[: 1 if total.together.substitution is None else 2], key=lambda loss: loss.epsilon
    )
    if sum(one.tolls[0].unit.delta for one in quotes) <= DELTA and not any(one.price.delta for one in quotes):
        assert heaviest.epsilon <= total.apart.row.epsilon
        assert heaviest.delta == 0 or heaviest.epsilon < 0.95 * total.apart.row.epsilon
    assert heaviest.delta <= max(DELTA, total.apart.row.delta)


@pytest.mark.parametrize("unit", ["rows", "change-one"])
def test_many_questions_about_everybody_cost_far_less_as_a_plan(unit: str) -> None:
    price = Price.of(epsilon="0.3", delta="1e-8")
    sums = [f"SELECT SUM(CLAMP(a, {i % 3}, 3) * {1 + i // 3}) AS s FROM t" for i in range(40)]
    promise = pt.Promise(UNITS[unit], pt.Approximate(epsilon=100, delta="1e-3"))
    quotes = [quote(read(sql, [TABLE]), [promise], price, noise="gaussian") for sql in sums]
    (total,) = joint(quotes, [promise], [DELTA])
    assert total.together.row.epsilon < total.apart.row.epsilon / 4
    assert total.together.row.delta == DELTA


def test_quantiles_of_a_plan_are_composed_as_losses() -> None:
    promise = pt.Promise(pt.rows(), pt.Approximate(epsilon=100, delta="1e-3"))
    medians = [
        quote(read(f"SELECT QUANTILE(a, 0.{i:02}) AS m FROM t", [TABLE]), [promise], Price.of(epsilon="0.1"))
        for i in range(10, 90)
    ]
    (one,) = joint(medians[:1], [promise], [DELTA])
    assert one.together.row == medians[0].tolls[0].cost.row
    (many,) = joint(medians, [promise], [DELTA])
    exact = compose([(pt.Pure(epsilon="0.1"), 80)], delta=DELTA).epsilon
    assert exact * 0.99 < many.together.row.epsilon < many.apart.row.epsilon


# --- owners -------------------------------------------------------------------------------------------------------

OWNED = pt.Table(
    "t",
    source=[],
    columns={"who": pt.identifier(), "a": pt.integers(0, 2, missing=0), "b": pt.integers(-1, 1, missing=0)},
)
OWNERS = (
    "SELECT COUNT(*) AS n FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE a = 2",
    "SELECT a, COUNT(*) AS n FROM t GROUP BY a",
    "SELECT SUM(b) AS s FROM t WHERE a < 2",
    "SELECT SUM(a) AS s FROM t WHERE b = 1",
    "SELECT COUNT(DISTINCT who) AS n FROM t WHERE a > 0",
)
HELD = [
    tuple({"a": a, "b": b, "who": 1} for a, b in held)
    for size in range(3)
    for held in combinations_with_replacement([(0, -1), (0, 1), (1, 0), (2, 1), (2, -1)], size)
]
ALTERED = pt.users("who", rows=2, altered=True)


def lost_in_rho(quotes: list[Quote], before: Any, after: Any) -> Fraction:
    total = Fraction(0)
    for one in quotes:
        apart = one.exact(tallied(one.program, before)) - one.exact(tallied(one.program, after))
        start = 0
        for part in one.offer.parts:
            end = start + len(entries(part.measurement))
            total += sum(int(far) ** 2 for far in apart[:, start:end].flat) / (2 * part.mechanism.sigma**2)
            start = end
    return total


def altered(chosen: list[str], factor: Fraction = Fraction(1)) -> None:
    promise = pt.Promise(ALTERED, pt.ZCDP(rho=1000))
    cut = truncation(OWNED, [ALTERED], "key")
    quotes = [
        quote(read(sql, [OWNED]), [promise], Price.of(rho="0.1"), noise="gaussian", truncation=cut) for sql in chosen
    ]
    (total,) = joint(quotes, [promise], [Fraction(0)])
    account = RegionAccount(OWNED.domain, promise)
    account.charge(union(quotes), total.together)
    booked = account.bracket()[1].vector()[0] * factor
    for before, after in combinations(HELD, 2):
        assert lost_in_rho(quotes, before, after) <= booked, (chosen, before, after)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(OWNERS), min_size=1, max_size=3, unique=True))
def test_no_altered_owner_loses_more_than_the_plan_is_charged_for(chosen):
    altered(chosen)


@pytest.mark.parametrize("chosen", [OWNERS[2:3], OWNERS[:1], (OWNERS[5], OWNERS[0])])
def test_the_law_notices_a_plan_that_is_charged_too_little(chosen):
    """These are exact: a tenth less is too little."""
    altered(list(chosen))
    with pytest.raises(AssertionError):
        altered(list(chosen), Fraction(9, 10))


@pytest.mark.parametrize("place", [0, 1])
def test_no_row_beside_owners_loses_more_than_the_plan_is_charged_for(place):
    """A row that comes puts another of its owner out, which may be in another question; both are in the charge."""
    units = (pt.rows(), pt.users("who", rows=1)) if place == 0 else (pt.replace(), pt.users("who", rows=1))
    promises = [pt.Promise(unit, pt.Approximate(epsilon=100, delta="1e-3")) for unit in units]
    cut = truncation(OWNED, units, "key")
    asked = ("SELECT COUNT(*) AS n FROM t WHERE a = 2", "SELECT SUM(b) AS s FROM t WHERE a < 2")
    quotes = [
        quote(read(sql, [OWNED]), promises, Price.of(epsilon="0.3", delta="1e-8"), noise="gaussian", truncation=cut)
        for sql in asked * 3
    ]
    total = joint(quotes, promises, [DELTA, DELTA])[0]
    booked = total.together.row if total.together.substitution is None else total.together.substitution
    assert booked.delta <= DELTA
    most = 0.0
    for held, row, other in product(HELD[:6], HELD[1:6], HELD[:6]):
        rest = [*held, *({**one, "who": 2} for one in other)]
        before, after = (rest, [*rest, *row]) if place == 0 else ([*rest, *row], [*rest, {**row[0], "who": 2, "a": 2}])
        most = max(most, really_lost(quotes, before, after))
    assert 0 < most <= float(booked.epsilon) * (1 + 1e-9)
