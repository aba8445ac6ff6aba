"""Questions about those who can still pay, and what the curator says of charges and of what is left."""

from __future__ import annotations

from typing import Any

import pytest

import partita as pt
from partita.errors import BudgetExceeded
from partita.region.region import Region
from tests.unit.curator.hospital import hospital, visits

UNITS = {
    "rows": pt.rows(),
    "users": pt.users("patient", rows=4),
    "capped users": pt.users("patient", rows=4, in_region=2),
    "altered users": pt.users("patient", rows=2, altered=True),
    "groups": pt.groups(3),
    "replace": pt.replace(),
    "windows": pt.windows("day", width=7),
}
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits WHERE age >= 65",
    "SELECT sex, COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE region = 'north' GROUP BY sex",
    "SELECT SUM(cost) AS total FROM visits WHERE day BETWEEN '2025-03-01' AND '2025-03-20'",
]


def test_a_question_is_asked_about_those_who_can_still_pay_and_the_answer_says_so() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", epsilon="0.9")
    with pytest.raises(BudgetExceeded):
        curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.5")
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.5", shrink=True)
    said = "Only a part of those asked about can still pay, and this is about them: age IS NULL OR age <= 64. "
    assert said + "Left out: age >= 65." in answer.explain()
    assert said in str(answer)
    young = sum(row["age"] < 65 for row in visits())
    assert abs(answer.rows()[0]["n"] - young) <= answer.error(confidence=0.999999)["n"][0]
    # The condition that was run is the region that was charged, and asking in these words is the same question.
    assert curator.ask(answer.quote.plan, epsilon="0.5").free
    assert curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age < 65 OR age IS NULL", epsilon="0.5").free
    assert answer.receipt.region == answer.region
    assert curator.spent() == (pt.Pure(epsilon="0.9"),)


def test_an_answer_about_everybody_asked_about_says_nothing_of_parts() -> None:
    curator = hospital()
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01", shrink=True)
    assert answer.asked_about is None
    assert "Only a part" not in answer.explain()
    assert curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01", shrink=True).free


def test_nobody_left_to_pay_is_a_refusal() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.9")
    with pytest.raises(BudgetExceeded, match=r"Nobody that this question is about \(age >= 3\) can still pay ε = 0.2"):
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 2", epsilon="0.2", shrink=True)


@pytest.mark.parametrize("name", sorted(UNITS))
def test_shrinking_keeps_every_promise_and_the_limit_of_the_analyst(name: str) -> None:
    promises = [pt.Promise(UNITS[name], pt.Pure(epsilon=1))]
    curator = hospital(promises=promises)
    ada = curator.session(analyst="ada", budget=pt.Pure(epsilon="0.5"))
    answered = 0
    for question in [*QUESTIONS, "SELECT COUNT(*) AS n FROM visits", "SELECT SUM(cost) FROM visits WHERE sex = 'F'"]:
        try:
            offer = ada.quote(question, epsilon="0.2", shrink=True)
        except BudgetExceeded:
            continue
        answer = ada.ask(question, epsilon="0.2", shrink=True)
        assert offer.fits
        assert answer.region == offer.quote.region
        answered += 1
    assert answered >= 2
    assert curator.spent()[0].fits(promises[0].budget)
    assert ada.spent()[0].fits(pt.Pure(epsilon="0.5"))
    assert curator.verify().sound


@pytest.mark.parametrize("name", sorted(UNITS))
def test_costs_spending_and_what_remains_are_all_for_one_protected_unit(name: str) -> None:
    """A quote whose cost is no more than what remains fits; and what remains falls by what is charged, at most."""
    curator = hospital(promises=[pt.Promise(UNITS[name], pt.Pure(epsilon=2))])
    for question in QUESTIONS:
        for price in ("0.05", "0.4", "0.9", "1.6"):
            offer = curator.quote(question, epsilon=price)
            if offer.cost.fits(offer.remaining[0]):
                assert offer.fits
            if not offer.fits:
                with pytest.raises(BudgetExceeded, match=f"it costs {offer.cost}, and {offer.remaining[0]} is left"):
                    curator.ask(question, epsilon=price)
                continue
            before = curator.spent()[0]
            answer = curator.ask(question, epsilon=price)
            assert curator.spent()[0].fits(before + answer.cost)
            assert offer.left()[0].fits(answer.remaining[0])


def test_under_a_promise_on_users_a_gaussian_answer_costs_its_price() -> None:
    budget = pt.Approximate(epsilon=3, delta="1e-5")
    curator = hospital(promises=[pt.Promise(pt.users("patient", rows=4), budget)])
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.5", delta="1e-6", noise="gaussian")
    assert answer.cost.fits(pt.Approximate(epsilon="0.5", delta="1e-6"))
    # What is spent is counted in whole units of the account, rounded up.
    assert answer.cost.fits(curator.spent()[0])
    assert curator.spent()[0].delta < pt.Approximate(epsilon=1, delta="1.000001e-6").delta


def test_a_count_of_everybody_is_free_where_the_number_of_rows_is_public() -> None:
    curator = hospital(promises=[pt.Promise(pt.replace(), pt.Pure(epsilon=1))])
    assert curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.5").cost.is_zero()


def test_the_map_of_loads_is_data_over_two_columns() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65 AND region = 'north'", epsilon="0.25")
    found: Any = curator.load_map("region", "age")
    at = {name: place for place, name in enumerate(found.x)}
    assert found.spent[at["north"], 70] == pytest.approx(0.25)
    assert found.spent[at["south"], 70] == 0
    assert found.left[at["north"], 10] == 1
    with pytest.raises(pt.InvalidInput, match="There is no promise number 1"):
        curator.load_map("region", "age", promise=1)
    with pytest.raises(pt.InvalidInput, match="nowhere"):
        curator.load_map("region", "nowhere")
    with pytest.raises(pt.InvalidInput, match="region"):
        curator.load_map("region", "region")


def test_a_narrowed_plan_is_charged_where_it_is_run() -> None:
    from partita.curator.path.shrink import about

    curator = hospital()
    plan = curator.table("visits").where("age > 10").agg(n=pt.count())
    part = Region.where("age < 50", plan.table.domain)
    assert about(plan, part).where.region == plan.where.region & part
