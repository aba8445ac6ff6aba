"""What people see follows exactly from the released numbers, whichever strategy was chosen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partita.composition.calibration.pricing import Price
from partita.engine.plain.meaning import evaluate, meets
from partita.engine.reference import _place, record, tallied
from partita.errors import QueryRefused
from partita.granularity import replace, rows, users
from partita.query.answer.intervals import Spread, quotient
from partita.query.answer.results import Result
from partita.query.exact.measurements import entries
from partita.query.exact.program import Program, cells
from partita.query.language.aggregates import (
    Average,
    Correlation,
    Count,
    CountDifferent,
    CountRows,
    Covariance,
    Sum,
    Variance,
    arguments,
)
from partita.query.language.plan import Plan, ValueColumn
from partita.query.noise.quote import narrowed, quote
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read
from partita.query.tables.truncation import truncation
from partita.sampling.bits import TestBits
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.query import strategies
from tests.unit.query.hospital import VISITS

TABLE = strategies.table()


class Promised:
    def __init__(self, granularity: Any, budget: Any) -> None:
        self.granularity, self.budget = granularity, budget


def together(values: list[Fraction], others: list[Fraction]) -> Fraction | None:
    """The mean product less the product of the means."""
    if not values:
        return None
    count = len(values)
    products = sum((one * two for one, two in zip(values, others, strict=True)), Fraction(0))
    return products / count - sum(values, Fraction(0)) * sum(others, Fraction(0)) / count**2


def plainly(plan: Plan, table: list[dict[str, Any]]) -> dict[tuple[int, ...], list[Fraction | None]]:
    """Every aggregate of every group, computed as one would by hand."""
    domain = plan.table.domain
    grouped: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for row in table:
        codes = record(plan.table, row).codes
        if meets(plan.where, codes):
            place = tuple(_place(key, domain, codes) for key in plan.keys)
            grouped.setdefault(place, []).append(codes)
    found = {}
    for place in cells(plan.keys, plan.where).listed:
        group = grouped.get(place, [])
        line: list[Fraction | None] = []
        for aggregate in plan.aggregates:
            if isinstance(aggregate, CountRows):
                line.append(Fraction(len(group)))
                continue
            if isinstance(aggregate, CountDifferent):  # it has a law of its own: test_different
                line.append(None)
                continue
            rows = [[evaluate(of, codes, domain) for of in arguments(aggregate)] for codes in group]
            known = [[value for value in row if value is not None] for row in rows if None not in row]
            values = [row[0] for row in known]
            match aggregate:
                case Count():
                    line.append(Fraction(len(values)))
                case Sum():
                    line.append(sum(values, Fraction(0)))
                case Average():
                    line.append(sum(values, Fraction(0)) / len(values) if values else None)
                case Variance():
                    line.append(together(values, values))
                case Covariance():
                    line.append(together(values, [row[1] for row in known]))
                case Correlation():
                    others = [row[1] for row in known]
                    spreads = together(values, values), together(others, others)
                    both = together(values, others)
                    scale = (spreads[0] or 0) * (spreads[1] or 0)
                    line.append(Fraction(float(both) / float(scale) ** 0.5) if both is not None and scale else None)
        found[place] = line
    return found


@settings(max_examples=250)
@given(strategies.questions(), st.lists(strategies.rows(), max_size=7))
def test_without_noise_every_strategy_gives_the_exact_aggregates(question, table):
    try:
        plan = read(question, [TABLE])
    except QueryRefused:
        assume(False)
    expected = plainly(plan, table)
    for strategy in strategies_of(plan.aggregates, narrowed(plan)):
        listed = [entry for measurement in strategy.measurements for entry in entries(measurement)]
        tallies = tuple(dict.fromkeys(tally for entry in listed for tally in entry))
        program = Program(TABLE, plan.where, cells(plan.keys, plan.where), tallies)
        weights = np.array([[entry.get(tally, 0) for entry in listed] for tally in tallies], dtype=object).reshape(
            len(tallies), len(listed)
        )
        exact = tallied(program, table).dot(weights)
        result = Result(plan, program.cells, exact, strategy.estimators, (Spread(),) * len(listed))
        for place, line in zip(program.cells.listed, result.rows(), strict=True):
            for column in plan.shown:
                if isinstance(column, ValueColumn):
                    truth = expected[place][plan.aggregates.index(column.formula)]
                    if truth is not None:
                        assert line[column.name] == pytest.approx(float(truth), abs=1e-9, rel=1e-6)


def test_every_key_of_the_public_domain_comes_back_with_its_label():
    plan = read("SELECT sex, BUCKET(age, 50) AS b, COUNT(*) AS n FROM visits WHERE age < 90 GROUP BY sex, b", [VISITS])
    offered = quote(plan, [Promised(rows(), Pure(epsilon=1))], Price.of(epsilon=1))
    result = offered.result(offered.release(offered.program.empty(), bits=TestBits(1)))
    assert [(line["b"], line["sex"]) for line in result.rows()] == [
        (0, "F"), (0, "M"), (0, "OTHER"), (0, None), (50, "F"), (50, "M"), (50, "OTHER"), (50, None)
    ]  # fmt: skip
    assert all(isinstance(line["n"], int) for line in result.rows())


def test_a_mean_is_never_nan_and_never_leaves_its_column():
    plan = read("SELECT AVG(age) AS a FROM visits", [VISITS])
    offered = quote(plan, [Promised(rows(), Pure(epsilon=1))], Price.of(epsilon="0.001"))
    told = 0
    for seed in range(200):
        result = offered.result(offered.release(offered.program.empty(), bits=TestBits(seed)))
        (value,) = result.columns["a"]
        ((low, high),) = result.intervals(0.95)["a"]
        assert 0 <= low <= high <= 120
        told += value is not None
        assert value is None or low <= value <= high
    # No rows have no mean: noise alone shows one in a fortieth of all answers, and in 21 of 200 less than once in 10^6.
    assert told <= 20


@pytest.mark.parametrize(
    ("measure", "price"), [(Pure(epsilon=1), Price.of(epsilon=1)), (ZCDP(rho="0.05"), Price.of(rho="0.05"))]
)
def test_groups_without_rows_have_counts_and_sums_but_nothing_that_rows_would_decide(measure, price):
    sql = (
        "SELECT sex, COUNT(*) AS n, SUM(age) AS s, AVG(age) AS a, STDDEV(age) AS d, CORR(age, cost) AS c, "
        "MEDIAN(age) AS m, AVG(age) + 1 AS more FROM visits GROUP BY sex"
    )
    offered = quote(read(sql, [VISITS]), [Promised(rows(), measure)], price)
    full = [{"sex": "F", "age": 30 + place % 9, "cost": place} for place in range(2000)]
    tallies, shown = tallied(offered.program, full), 0
    for seed in range(10):
        result = offered.result(offered.release(tallies, bits=TestBits(seed)))
        first, *others = result.rows()
        assert None not in first.values()
        for line in others:
            assert None not in (line["n"], line["s"])
            missing = {name for name, value in line.items() if value is None} - {"sex"}
            assert missing in (set(), {"a", "d", "c", "m", "more"}) or missing & {"c", "a"}
            shown += "a" not in missing
    assert shown <= 4


# --- error bars --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scales", [(1.0,), (1.0, 1.0), (1.0, 3.0), (1.0, 1.0, 1.0), (5.0, 5.0, 1e-12), (2.0, 2.0, 1.0, 1.0)]
)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_the_bar_of_a_sum_of_laplace_noises_holds_as_often_as_it_says(scales, confidence):
    draws = np.random.default_rng(3)
    count = 400_000
    total = np.zeros(count)
    for scale in scales:
        total += draws.laplace(0, scale, count)
    inside = float(np.mean(np.abs(total) <= Spread(scales=scales).half_width(confidence)))
    # Five and a half standard deviations: a false alarm in less than one run in ten million.
    slack = 5.5 * (confidence * (1 - confidence) / count) ** 0.5
    assert confidence - slack <= inside <= confidence + slack + 0.004


def test_bars_for_many_groups_are_wider_and_hold_at_once():
    alone = Spread(scales=(10.0,))
    assert alone.half_width(0.95, 100) > alone.half_width(0.95)
    assert alone.half_width(0.95, 100) == pytest.approx(-10 * np.log(1 - 0.95**0.01), rel=1e-9)


def test_a_quotient_of_next_to_nothing_may_be_anything():
    assert quotient(3.0, 1.0, 5.0, 5.0, 10.0) == (-10.0, 10.0)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["COUNT(*)", "SUM(a)", "SUM(c)", "AVG(a)", "COUNT(a)", "COUNT(*), SUM(a), AVG(a)"]),
       st.sampled_from(["laplace", "gaussian"]), st.integers(0, 10**6))  # fmt: skip
def test_intervals_hold_the_exact_value_nearly_always(asked, noise, seed):
    table = [{"a": seed % 7, "c": 0.5}] * 40
    names = ", ".join(f"{text} AS v{place}" for place, text in enumerate(asked.split(", ")))
    plan = read(f"SELECT {names} FROM things", [TABLE])
    budget = Pure(epsilon=9) if noise == "laplace" else ZCDP(rho=9)
    offered = quote(plan, [Promised(rows(), budget)], Price.of(epsilon=1), noise=noise)
    result = offered.result(offered.release(tallied(offered.program, table), bits=TestBits(seed)))
    (truth,) = plainly(plan, table).values()
    for column in plan.shown:
        ((low, high),) = result.intervals(1 - 1e-9)[column.name]
        assert low <= float(truth[plan.aggregates.index(column.formula)]) <= high


# --- quotes ------------------------------------------------------------------------------------------------------


def offered(question, *promises, **price):
    noise = price.pop("noise", None)
    caps = truncation(VISITS, [promise.granularity for promise in promises], "key")
    return quote(read(question, [VISITS]), promises, Price.of(**price), noise=noise, truncation=caps)


BOTH = "SELECT COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS a FROM visits"


QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits",
    BOTH,
    BOTH + " GROUP BY sex",
    "SELECT SUM(age) FROM visits",
    "SELECT AVG(age), AVG(cost), COUNT(beds), SUM(beds) FROM visits WHERE age > 5",
]
GRANULARITIES = [rows(), replace(), users("patient", rows=3), users("patient", rows=4, altered=True)]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("granularity", GRANULARITIES, ids=str)
@pytest.mark.parametrize(
    ("budget", "price"),
    [
        (Pure(epsilon=1), {"epsilon": "0.1"}),
        (ZCDP(rho=1), {"rho": "0.01"}),
        (ZCDP(rho=1, delta="1e-6"), {"epsilon": "0.1"}),
        (GDP(mu=1), {"mu": "0.1"}),
        (GDP(mu=1), {"rho": "0.01"}),
        (Approximate(epsilon=1, delta="1e-6"), {"epsilon": "0.1"}),
        (Approximate(epsilon=1, delta="1e-6"), {"epsilon": 1, "delta": "1e-7"}),
    ],
    ids=str,
)
def test_no_quote_costs_more_than_its_price(question, granularity, budget, price):
    found = offered(question, Promised(granularity, budget), **price)
    allowed = Price.of(**price).within(budget)
    assert found.cost.fits(allowed)
    assert found.tolls[0].cost.row.vector() <= found.tolls[0].unit.vector()
    # Not a whole percent of the price is left unused in its first coordinate.
    assert found.cost.vector()[0] >= allowed.vector()[0] * Fraction(99, 100)


def test_a_count_at_epsilon_is_laplace_noise_of_one_over_epsilon():
    found = offered("SELECT COUNT(*) AS n FROM visits", Promised(rows(), Pure(epsilon=1)), epsilon="0.1")
    assert [str(part.parameters()) for part in found.mechanisms] == ["{'scale': '10'}"]
    assert found.error(0.95)["n"] == pytest.approx(29.957 + 0.5, abs=1e-3)


def test_count_sum_and_mean_together_cost_less_error_than_one_by_one():
    """The sum is as exact as if the whole price had been spent on it alone."""
    alone = offered("SELECT SUM(cost) AS s FROM visits", Promised(rows(), Pure(epsilon=1)), epsilon=1)
    together = offered(BOTH, Promised(rows(), Pure(epsilon=1)), epsilon=1)
    assert together.error()["s"] <= alone.error()["s"] * 1.0001
    assert "balanced" in together.explain()


def test_under_rho_gaussian_noise_is_chosen_and_under_epsilon_laplace():
    assert offered(BOTH, Promised(rows(), ZCDP(rho=1)), rho="0.01").mechanisms[0].kind == "gaussian"
    assert offered(BOTH, Promised(rows(), Pure(epsilon=1)), epsilon="0.1").mechanisms[0].kind == "laplace"
    forced = offered(BOTH, Promised(rows(), ZCDP(rho=1)), rho="0.01", noise="laplace")
    assert forced.mechanisms[0].kind == "laplace"
    assert forced.explain().startswith("Laplace noise, because it was asked for")


def test_every_promise_is_priced():
    found = offered(
        "SELECT COUNT(*) AS n FROM visits",
        Promised(users("patient", rows=5), ZCDP(rho=1)),
        Promised(rows(), Pure(epsilon=9)),
        rho="0.02",
        noise="laplace",
    )
    assert [cost.kind for cost in found.costs] == ["zcdp", "pure"]
    assert found.costs[0].fits(ZCDP(rho="0.02"))


def test_under_change_one_the_count_of_everybody_costs_nothing_when_all_are_in_the_region():
    found = offered("SELECT COUNT(*) AS n FROM visits", Promised(replace(), Pure(epsilon=1)), epsilon="0.1")
    assert found.tolls[0].cost.substitution.is_zero()
    assert not found.tolls[0].cost.row.is_zero()


def test_what_no_row_can_change_is_free():
    found = offered("SELECT AVG(3) AS three FROM visits", Promised(rows(), Pure(epsilon=1)), epsilon="0.1")
    assert found.cost.is_zero()
    assert found.result(found.release(found.program.empty())).columns["three"] == [3.0]


def test_a_condition_narrows_what_is_added_up():
    wide = offered("SELECT SUM(age) AS s FROM visits", Promised(rows(), Pure(epsilon=1)), epsilon=1)
    narrow = offered("SELECT SUM(age) AS s FROM visits WHERE age <= 30", Promised(rows(), Pure(epsilon=1)), epsilon=1)
    assert narrow.mechanisms[0].scale * 4 == wide.mechanisms[0].scale


def test_the_same_question_at_the_same_price_is_the_same_release():
    one = offered("SELECT COUNT(*) AS n FROM visits WHERE age > 64", Promised(rows(), Pure(epsilon=1)), epsilon="0.1")
    two = offered("SELECT COUNT(*) FROM visits WHERE age >= 65", Promised(rows(), Pure(epsilon=1)), epsilon=0.1)
    other = offered("SELECT COUNT(*) FROM visits WHERE age >= 65", Promised(rows(), Pure(epsilon=1)), epsilon=0.2)
    assert one.fingerprint == two.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ({}, "query.no-price"),
        ({"epsilon": 1, "rho": 1}, "query.several-prices"),
        ({"epsilon": 0}, "number.not-positive"),
        ({"epsilon": -1}, "number.not-positive"),
        ({"epsilon": float("nan")}, "number.not-finite"),
        ({"epsilon": float("inf")}, "number.not-finite"),
        ({"epsilon": True}, "number.not-a-number"),
        ({"epsilon": "much"}, "number.not-a-number"),
        ({"rho": 1}, "query.price-not-in-measure"),
        ({"epsilon": 1, "delta": "1e-6"}, "query.delta-without-use"),
        ({"epsilon": 1, "noise": "uniform"}, "query.unknown-noise"),
        ({"epsilon": 1, "noise": "gaussian"}, "query.noise-not-in-measure"),
    ],
)
def test_a_price_that_cannot_be_used_is_refused(price, code):
    from partita.errors import PartitaError

    with pytest.raises(PartitaError) as caught:
        offered("SELECT COUNT(*) AS n FROM visits", Promised(rows(), Pure(epsilon=1)), **price)
    assert caught.value.code == code
