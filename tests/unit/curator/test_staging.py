"""Questions inside conditions: released first, written in, and charged like any others."""

from __future__ import annotations

from dataclasses import replace

import pytest

import partita as pt
from partita import effort
from partita.composition.calibration.pricing import Price
from partita.errors import QueryRefused
from partita.query.sql.releases.stages import Staged
from tests.unit.curator.hospital import hospital, visits

ABOVE = "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age) FROM visits)"
BUSIEST = "SELECT region FROM visits GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2"


def exact() -> pt.Curator:
    return hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=10**9))])


def test_without_noise_it_says_what_plain_sql_says() -> None:
    ages = [row["age"] for row in visits()]
    mean = sum(ages) / len(ages)
    curator = exact()
    assert curator.ask(ABOVE, rho=10**6).rows() == [{"n": sum(age > mean for age in ages)}]
    twice = "SELECT COUNT(*) AS n FROM visits WHERE age < 2 * (SELECT AVG(age) FROM visits WHERE sex = 'F') - 30"
    women = [row["age"] for row in visits() if row["sex"] == "F"]
    bound = 2 * sum(women) / len(women) - 30
    assert curator.ask(twice, rho=10**6).rows() == [{"n": sum(age < bound for age in ages)}]


def test_a_list_of_keys_is_written_in_after_in() -> None:
    rows = [row for row in visits() if row["region"] != "south"] + visits(7)
    curator = hospital(rows=rows, promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=10**9))])
    asked = f"SELECT region, COUNT(*) AS n FROM visits WHERE region NOT IN ({BUSIEST}) GROUP BY region"
    found = {row["region"] for row in curator.ask(asked, rho=10**6).rows()}
    assert "south" in found
    assert len({"north", "east", "west"} & found) == 1
    none = "SELECT region FROM visits GROUP BY region HAVING COUNT(*) > 9999"
    assert curator.ask(f"SELECT COUNT(*) AS n FROM visits WHERE region IN ({none})", rho=10**6).rows() == [{"n": 0}]


def test_each_release_is_charged_to_its_own_region_and_together_they_cost_the_price() -> None:
    curator = hospital()
    asked = "SELECT COUNT(*) AS n FROM visits WHERE sex = 'F' AND age > (SELECT AVG(age) FROM visits WHERE sex = 'M')"
    answer = curator.ask(asked, rho="0.1")
    half = pt.ZCDP(rho="0.05").rho
    assert len(answer.receipts) == 2
    for sex in "FM":
        left = curator.remaining(f"sex = '{sex}' AND age = 120")[0].vector()[0]
        assert pt.ZCDP(rho="0.5").rho - left <= half
    assert curator.spent()[0].vector()[0] == half
    assert "written in" in answer.explain()


def test_the_same_words_again_are_free_and_say_the_same() -> None:
    curator = hospital()
    first = curator.ask(ABOVE, rho="0.1")
    spent = curator.spent()
    again = curator.ask(ABOVE, rho="0.1")
    assert again.free
    assert again.rows() == first.rows()
    assert curator.spent() == spent
    assert spent[0].vector()[0] <= pt.ZCDP(rho="0.1").rho


def test_the_shares_of_a_price_add_up_to_no_more_than_the_price() -> None:
    for promise, price in (
        (pt.Promise(pt.rows(), pt.Pure(epsilon=3)), {"epsilon": 1}),
        (pt.Promise(pt.rows(), pt.Approximate(epsilon=3, delta="1e-6")), {"epsilon": 1, "delta": "1e-7"}),
        (pt.Promise(pt.rows(), pt.GDP(mu=3)), {"mu": 1}),
        (pt.Promise(pt.users("patient", rows=4), pt.ZCDP(rho=1)), {"rho": "0.1"}),
    ):
        curator = hospital(promises=[promise])
        whole = Price.of(**price).within(promise.budget)
        curator.ask(ABOVE, **price)
        assert all(one <= most for one, most in zip(curator.spent()[0].vector(), whole.vector(), strict=True))


def test_what_cannot_be_paid_to_its_end_is_refused_before_the_first_release() -> None:
    curator = hospital()
    curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.45")
    spent = curator.spent()
    with pytest.raises(pt.BudgetExceeded):
        curator.ask(ABOVE, rho="0.08")
    assert curator.spent() == spent


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT COUNT(*) AS n FROM visits AS v WHERE age > (SELECT AVG(age) FROM visits AS w WHERE w.sex = v.sex)",
        "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT age FROM visits)",
        "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age), COUNT(*) FROM visits)",
        "SELECT COUNT(*) AS n FROM visits WHERE age IN (SELECT age FROM visits)",
        "SELECT COUNT(*) AS n FROM visits WHERE sex > (SELECT SQRT(cost) FROM visits)",
        "SELECT COUNT(*) AS n FROM visits WHERE "
        + " AND ".join(f"age > (SELECT AVG(age) FROM visits WHERE age > {age})" for age in range(6)),
    ],
)
def test_others_are_refused_and_nothing_is_charged(asked: str) -> None:
    curator = hospital()
    with pytest.raises(QueryRefused):
        curator.ask(asked, rho="0.1")
    assert curator.spent()[0] == curator.spent()[0].zero()


def test_a_quote_spends_nothing_and_an_accuracy_is_refused() -> None:
    curator = hospital()
    assert curator.quote(ABOVE, rho="0.1").cost.vector()[0] <= pt.ZCDP(rho="0.1").rho
    with pytest.raises(QueryRefused):
        curator.ask(ABOVE, within=10)
    with pytest.raises(QueryRefused):
        curator.batch([ABOVE], rho="0.1")
    assert curator.spent()[0] == curator.spent()[0].zero()


def test_what_is_read_a_second_time_is_counted_as_the_first_reading_is(monkeypatch: pytest.MonkeyPatch) -> None:
    curator, counted = exact(), []
    asked = curator._catalogue.asked(ABOVE)
    assert isinstance(asked, Staged)
    plain = asked.second
    asked = replace(asked, second=lambda tree: (counted.append(effort._IN_FORCE.get()), plain(tree))[1])
    asked.filled([[40]])
    assert [one is not None and one.left < one.limit for one in counted] == [True]
