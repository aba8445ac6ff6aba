"""Plans fixed beforehand: no neighbour loses more through all questions than the plan is charged for.

Every pair of neighbours of a small domain is tried: the exact numbers of all questions are computed on both tables, the
losses of the noise for the differences that were really found are composed, and compared with the charge.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.compose import compose
from partita.engine.reference import tallied
from partita.mechanisms.base import Event
from partita.query.blocks import entries
from partita.query.joint import joint
from partita.query.pricing import Price
from partita.query.quote import Quote, quote
from partita.query.sql import read
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
            end = start + len(entries(part.block))
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
        assert really_lost(quotes, REST, [*REST, value]) <= float(total.row.epsilon) * (1 + 1e-9)


@settings(max_examples=6, deadline=None)
@given(chosen=PLANS)
def test_no_row_that_changes_loses_more_than_the_plan_is_charged_for(chosen: list[tuple[str, Price]]) -> None:
    quotes, total = planned("change-one", chosen)
    for old, new in product(VALUES[::2], VALUES[1::2]):
        lost = really_lost(quotes, [*REST, old], [*REST, new])
        assert lost <= float(max(total.row.epsilon, total.both.epsilon)) * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(chosen=PLANS, unit=st.sampled_from(sorted(UNITS)))
def test_a_plan_is_never_dearer_than_its_questions_one_by_one(chosen: list[tuple[str, Price]], unit: str) -> None:
    quotes, total = planned(unit, chosen)
    heaviest = total.row if total.both is None else max(total.row, total.both, key=lambda loss: loss.epsilon)
    if sum(one.tolls[0].unit.delta for one in quotes) <= DELTA and not any(one.price.delta for one in quotes):
        assert heaviest.epsilon <= total.apart.epsilon
        assert heaviest.delta == 0 or heaviest.epsilon < 0.95 * total.apart.epsilon
    assert heaviest.delta <= max(DELTA, total.apart.delta)


@pytest.mark.parametrize("unit", ["rows", "change-one"])
def test_many_questions_about_everybody_cost_far_less_as_a_plan(unit: str) -> None:
    price = Price.of(epsilon="0.3", delta="1e-8")
    sums = [f"SELECT SUM(CLAMP(a, {i % 3}, 3) * {1 + i // 3}) AS s FROM t" for i in range(40)]
    promise = pt.Promise(UNITS[unit], pt.Approximate(epsilon=100, delta="1e-3"))
    quotes = [quote(read(sql, [TABLE]), [promise], price, noise="gaussian") for sql in sums]
    (total,) = joint(quotes, [promise], [DELTA])
    assert total.row.epsilon < total.apart.epsilon / 4
    assert total.row.delta == DELTA


def test_quantiles_of_a_plan_are_composed_as_losses() -> None:
    promise = pt.Promise(pt.rows(), pt.Approximate(epsilon=100, delta="1e-3"))
    medians = [
        quote(read(f"SELECT QUANTILE(a, 0.{i:02}) AS m FROM t", [TABLE]), [promise], Price.of(epsilon="0.1"))
        for i in range(10, 90)
    ]
    (one,) = joint(medians[:1], [promise], [DELTA])
    assert one.row == medians[0].tolls[0].row
    (many,) = joint(medians, [promise], [DELTA])
    exact = compose([(pt.Pure(epsilon="0.1"), 80)], delta=DELTA).epsilon
    assert exact * 0.99 < many.row.epsilon < many.apart.epsilon
