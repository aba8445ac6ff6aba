"""Accuracy first: the quote that comes back is exact enough, and no cheaper one was to be had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.errors import BudgetExceeded, InvalidInput
from partita.query.noise.accuracy import share
from tests.unit.curator.hospital import hospital

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY region"
BUDGETS: dict[str, tuple[Any, dict[str, Any]]] = {
    "zcdp": (pt.ZCDP(rho="0.5"), {}),
    "pure": (pt.Pure(epsilon=3), {}),
    "gdp": (pt.GDP(mu=1), {}),
    "approximate": (pt.Approximate(epsilon=3, delta="1e-6"), {"delta": "1e-7"}),
}


@cache
def untouched() -> pt.Curator:
    """A curator that is asked for quotes alone, which change nothing."""
    return hospital()


@pytest.fixture(scope="module", autouse=True)
def nothing_spent() -> Iterator[None]:
    yield
    assert not untouched().spent()[0].rho
    untouched().close()


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("sql", [COUNT, BY_REGION], ids=["a count", "counts and means"])
def test_the_error_bars_are_within_what_was_asked_for(budget: str, sql: str) -> None:
    measure, extra = BUDGETS[budget]
    curator = hospital(promises=[pt.Promise(pt.rows(), measure)])
    rows = 1000 if "AVG" in sql else None
    offer = curator.quote(sql, within=200, confidence="0.99", rows=rows, **extra)
    found = offer.error(confidence="0.99", rows=rows)
    assert max(found.values()) <= 200
    assert max(found.values()) > 195


@settings(max_examples=8, deadline=None)
@given(
    within=st.integers(2, 10**6),
    confidence=st.sampled_from(["0.5", "0.95", "0.999999"]),
    simultaneous=st.booleans(),
)
def test_no_price_a_percent_lower_would_have_been_enough(within: int, confidence: str, simultaneous: bool) -> None:
    curator = untouched()
    sql = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
    offer = curator.quote(sql, within=within, confidence=confidence, simultaneous=simultaneous)
    assert offer.error(confidence, simultaneous=simultaneous)["n"] <= within
    for noise in ("laplace", "gaussian"):
        lower = curator.quote(sql, rho=offer.quote.tolls[0].unit.vector()[0] * Fraction(99, 100), noise=noise)
        assert lower.error(confidence, simultaneous=simultaneous)["n"] > within


def test_the_cheaper_noise_is_taken() -> None:
    curator = untouched()
    one = curator.quote(COUNT, within=50)
    each = [curator.quote(COUNT, within=50, noise=noise) for noise in ("laplace", "gaussian")]
    assert share(one.quote) == min(share(offer.quote) for offer in each)
    assert "times less than the other noise" in one.quote.explain()


def test_an_answer_asked_for_by_accuracy_is_exact_enough_and_free_the_second_time() -> None:
    curator = hospital()
    first = curator.ask(BY_REGION, within={"n": 30}, confidence="0.9")
    assert max(first.error("0.9")["n"]) <= 30
    again = curator.ask(BY_REGION, within={"n": 30}, confidence="0.9")
    assert again.free
    assert again.rows() == first.rows()


def test_the_bar_of_a_mean_of_a_large_enough_group_is_within_what_was_asked_for() -> None:
    rows = [
        {"patient": "p", "age": 50, "sex": "F", "region": "north", "cost": "19999", "day": "2025-01-01"}
        for _ in range(2000)
    ]
    curator = hospital(rows=rows)
    for number in range(20):
        answer = curator.ask(f"SELECT AVG(cost) AS m FROM visits WHERE age >= {number}", within=300, rows=2000)
        assert answer.error()["m"][0] <= 300


def test_a_percentage_holds_for_groups_of_at_least_the_floor() -> None:
    curator = untouched()
    assert curator.quote(COUNT, within="5%", floor=1000).quote.price == curator.quote(COUNT, within=50).quote.price
    sums = "SELECT SUM(age) AS total FROM visits WHERE age BETWEEN 20 AND 60"
    # Every row adds at least 20, so a thousand of them come to at least 20,000.
    assert curator.quote(sums, within="5%", floor=1000).error()["total"] <= 1000
    with pytest.raises(InvalidInput, match="values near zero"):
        curator.quote("SELECT SUM(age) AS total FROM visits", within="5%", floor=1000)
    offer = curator.quote("SELECT SUM(age) AS total FROM visits", within="5%", floor={"total": 40_000})
    assert 1950 < offer.error()["total"] <= 2000


def test_a_session_asks_by_accuracy_too() -> None:
    session = hospital().session(analyst="ada", budget=pt.ZCDP(rho="0.1"))
    assert session.quote(COUNT, within=50).error()["n"] <= 50
    assert session.ask(COUNT, within=50).error()["n"][0] <= 50


def test_the_promise_of_users_is_priced_for_all_their_rows() -> None:
    users = hospital(promises=[pt.Promise(pt.users("patient", rows=4), pt.ZCDP(rho="0.5"))])
    offer = users.quote(COUNT, within=50)
    assert offer.error()["n"] <= 50
    assert offer.cost.rho > 15 * untouched().quote(COUNT, within=50).cost.rho


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"within": 50, "rho": "0.1"}, "accuracy.price-and-accuracy"),
        ({"rows": 5, "rho": "0.1"}, "accuracy.wish-without-accuracy"),
        ({"within": {}}, "accuracy.no-accuracy"),
        ({"within": {"m": 5}}, "accuracy.no-such-column"),
        ({"within": 0}, "number.not-positive"),
        ({"within": "many"}, "number.not-a-number"),
        ({"within": 50, "confidence": 1}, "number.outside-unit-interval"),
        ({"within": "5%"}, "accuracy.needs-floor"),
        ({"within": "0.3"}, "accuracy.too-exact"),
        ({"within": 50, "noise": "uniform"}, "query.unknown-noise"),
        ({"within": 50, "delta": "1e-6"}, "query.delta-without-use"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_had_is_refused_with_a_reason(terms: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        untouched().quote(COUNT, **terms)
    assert problem.value.code == code


def test_a_mean_needs_the_size_of_its_group() -> None:
    with pytest.raises(InvalidInput, match="rows=1000"):
        untouched().quote(BY_REGION, within=50)


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_refusal_says_which_accuracy_would_fit_and_it_does(budget: str) -> None:
    _, extra = BUDGETS[budget]
    small = {
        "zcdp": pt.ZCDP(rho="0.0005"),
        "pure": pt.Pure(epsilon="0.02"),
        "gdp": pt.GDP(mu="0.03"),
        "approximate": pt.Approximate(epsilon="0.02", delta="1e-6"),
    }
    curator = hospital(promises=[pt.Promise(pt.rows(), small[budget])])
    with pytest.raises(BudgetExceeded, match="fits with longer error bars") as refusal:
        curator.ask(COUNT, within=20, **extra)
    within = re.search(r"within=\{'n': ([0-9.]+)\}", refusal.value.message)
    assert within is not None
    assert float(within[1]) > 20
    assert curator.ask(COUNT, within=within[1], **extra).error()["n"][0] <= float(within[1])


RANKED = "SELECT region, MEDIAN(age) AS half, QUANTILE(age, 0.9) AS high FROM visits GROUP BY region"


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("wish", [{"within": "40 rows"}, {"within": "2%", "floor": 2_000}], ids=["rows", "percent"])
def test_the_accuracy_of_a_quantile_is_in_rows(budget: str, wish: dict[str, Any]) -> None:
    measure, extra = BUDGETS[budget]
    curator = hospital(promises=[pt.Promise(pt.rows(), measure)])
    offer = curator.quote(RANKED, simultaneous=True, **wish, **extra)
    found = offer.quote.rank_error(simultaneous=True)
    assert set(found) == {"half", "high"}
    assert 39 < max(found.values()) <= 40
    assert offer.quote.explain().startswith("The 2 quantiles are chosen")


def test_a_quantile_beside_a_count_has_a_wish_of_its_own() -> None:
    curator = untouched()
    offer = curator.quote("SELECT MEDIAN(age) AS half, COUNT(*) AS n FROM visits", within={"half": "30 rows", "n": 50})
    assert offer.quote.rank_error()["half"] <= 30
    assert offer.error()["n"] <= 50


@pytest.mark.parametrize(
    ("sql", "within", "code"),
    [
        (RANKED, 5, "accuracy.quantile-in-values"),
        (RANKED, "5%", "accuracy.quantile-in-values"),
        (COUNT, "20 rows", "accuracy.rows-of-no-quantile"),
        (RANKED, "-3 rows", "number.not-positive"),
    ],
)
def test_an_accuracy_in_the_wrong_unit_is_refused(sql: str, within: Any, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        untouched().quote(sql, within=within)
    assert caught.value.code == code


def test_a_quantile_that_does_not_fit_is_offered_with_more_rows() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.001"))])
    with pytest.raises(BudgetExceeded) as caught:
        curator.ask("SELECT MEDIAN(age) AS half FROM visits", within="3 rows")
    (rows,) = re.findall(r"within=\{'half': '(\S+) rows'\}", str(caught.value))
    assert curator.ask("SELECT MEDIAN(age) AS half FROM visits", within=f"{rows} rows").rows()


@pytest.mark.parametrize(
    ("unit", "budget"),
    [(pt.rows(), pt.ZCDP(rho=10**6)), (pt.users("patient", rows=4), pt.Pure(epsilon=10**6))],
    ids=["rows in zcdp", "users in pure"],
)
@pytest.mark.parametrize(
    ("aggregate", "terms"),
    [
        ("STDDEV(age)", {"within": 3}),
        ("STDDEV_POP(age)", {"within": "20%", "floor": {"value": 15}}),
        ("VARIANCE(age)", {"within": 100}),
        ("COVAR_SAMP(age, cost)", {"within": 20_000}),
        ("SUM(age) / COUNT(*)", {"within": 5}),
        ("100.0 * SUM(age) / SUM(age + 20)", {"within": 10}),
    ],
    ids=["deviation", "deviation in percent", "variance", "covariance", "mean", "quotient"],
)
def test_bars_of_deviations_and_quotients_are_as_short_as_was_asked_for(
    unit: Any, budget: Any, aggregate: str, terms: dict[str, Any]
) -> None:
    curator = hospital(promises=[pt.Promise(unit, budget)])
    answer = curator.ask(f"SELECT {aggregate} AS value FROM visits", rows=300, confidence="0.99999", **terms)
    longest = 3 if terms["within"] == "20%" else float(terms["within"])
    assert answer.error("0.99999")["value"][0] <= longest


def test_a_floor_makes_a_deviation_cheaper_and_a_larger_one_cheaper_still() -> None:
    curator = hospital()
    sql = "SELECT STDDEV(age) AS s FROM visits"
    prices = [
        curator.quote(sql, within=2, rows=1000, **({"floor": {"s": floor}} if floor else {})).cost.rho
        for floor in (0, 5, 20)
    ]
    assert prices[0] > prices[1] > prices[2]


@pytest.mark.parametrize(
    ("aggregate", "parts"),
    [
        (
            "CORR(age, cost)",
            "SELECT COVAR_POP(age, cost) AS part_1, VAR_POP(age) AS part_2, VAR_POP(cost) AS part_3 FROM visits",
        ),
        ("SUM(cost) / SUM(age)", "SELECT SUM(cost) AS part_1, SUM(age) AS part_2 FROM visits"),
    ],
)
def test_where_a_divisor_may_be_nothing_the_refusal_shows_what_can_be_promised(aggregate: str, parts: str) -> None:
    curator = hospital()
    with pytest.raises(InvalidInput, match=re.escape(parts)) as problem:
        curator.quote(f"SELECT {aggregate} AS r FROM visits", within="0.1", rows=1000)
    assert problem.value.code == "accuracy.error-not-foreseen"
    assert curator.quote(parts, within=10**6, rows=1000).error(rows=1000)
