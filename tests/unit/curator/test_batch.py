"""Questions priced together, and plans charged at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import partita as pt
from partita.errors import BudgetExceeded, InvalidInput
from tests.unit.curator.hospital import columns, hospital, visits

TWELVE = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT region, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY region",
    "SELECT SUM(cost) AS total FROM visits WHERE region = 'north'",
    "SELECT COUNT(*) AS n FROM visits WHERE region = 'north'",
    "SELECT COUNT(*) AS n FROM visits WHERE region = 'south'",
    *(f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}" for age in range(10, 80, 10)),
]
DISJOINT = [f"SELECT COUNT(*) AS n FROM visits WHERE region = '{name}'" for name in ("north", "south", "east", "west")]
APPROXIMATE = pt.Approximate(epsilon=1, delta="1e-6")
BUDGETS: dict[str, tuple[Any, dict[str, Any]]] = {
    "zcdp": (pt.ZCDP(rho="0.1"), {"rho": "0.1"}),
    "pure": (pt.Pure(epsilon="0.5"), {"epsilon": "0.5"}),
    "gdp": (pt.GDP(mu="0.3"), {"mu": "0.3"}),
    "approximate": (pt.Approximate(epsilon="0.5", delta="1e-7"), {"epsilon": "0.5", "delta": "1e-7"}),
}
UNITS = {"rows": pt.rows(), "change-one": pt.replace(), "users": pt.users("patient", rows=4), "pairs": pt.groups(2)}


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_batch_for_the_whole_budget_fits_it_and_leaves_next_to_nothing(budget: str, unit: str) -> None:
    measure, price = BUDGETS[budget]
    curator = hospital(promises=[pt.Promise(UNITS[unit], measure)])
    batch = curator.batch(TWELVE, **price)
    assert batch.fits
    answers = batch.ask()
    assert [len(answer.rows()) for answer in answers] == [1, 6, *[1] * 10]
    (spent,) = curator.spent()
    assert spent.fits(measure)
    assert spent.vector()[0] > measure.vector()[0] * Fraction(85, 100)
    assert curator.verify().sound


@pytest.mark.parametrize("budget", ["zcdp", "pure", "gdp"])
@pytest.mark.parametrize("altered", [False, True], ids=["owners who leave", "owners who are altered"])
def test_counts_of_owners_leave_nothing_of_the_price_unused(budget: str, altered: bool) -> None:
    measure, price = BUDGETS[budget]
    curator = hospital(promises=[pt.Promise(pt.users("patient", rows=16, altered=altered), measure)])
    counted = "COUNT(DISTINCT patient) AS k FROM visits"
    listed = [
        f"SELECT region, {counted} GROUP BY region",
        f"SELECT sex, {counted} GROUP BY sex",
        *([] if altered else TWELVE[:2]),
    ]
    batch = curator.batch(listed, **price)
    batch.ask()
    (spent,) = curator.spent()
    assert spent.fits(measure)
    assert float(batch.cost.vector()[0]) == pytest.approx(float(spent.vector()[0]), rel=1e-3)
    assert spent.vector()[0] > measure.vector()[0] * Fraction(85, 100)


def test_questions_about_different_people_have_the_whole_price_each() -> None:
    curator = hospital()
    alone = curator.quote(DISJOINT[0], rho="0.1")
    batch = curator.batch(DISJOINT, rho="0.1")
    assert batch.cost.fits(pt.ZCDP(rho="0.1"))
    for found in batch.error():
        assert found["n"] == pytest.approx(alone.error()["n"], rel=1e-3)


def test_the_same_question_twice_is_priced_once() -> None:
    curator = hospital()
    twice = curator.batch([TWELVE[0], "SELECT COUNT(*) AS total FROM visits"], rho="0.1")
    assert twice.error()[0]["n"] == twice.error()[1]["total"] == curator.quote(TWELVE[0], rho="0.1").error()["n"]
    first, second = twice.ask()
    assert first.rows()[0]["n"] == second.rows()[0]["total"]
    assert curator.spent()[0].fits(pt.ZCDP(rho="0.1"))


def test_a_heavier_question_is_answered_more_exactly() -> None:
    curator = hospital()
    plain = curator.batch(TWELVE[:2], rho="0.1").error()
    heavy = curator.batch(TWELVE[:2], rho="0.1", weights=[100, 1]).error()
    assert heavy[0]["n"] < plain[0]["n"]
    assert heavy[1]["n"] > plain[1]["n"]


def test_a_batch_is_more_exact_than_equal_shares() -> None:
    curator = hospital()
    batch = curator.batch(TWELVE, rho="0.12")
    equal = [curator.quote(sql, rho="0.01") for sql in TWELVE]
    assert sum(one.figure for one in batch.shares) < 0.9 * sum(one.quote.figure for one in equal)


def test_a_plan_under_epsilon_and_delta_is_far_cheaper_than_its_questions() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), APPROXIMATE)])
    offers = [
        curator.quote(f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}", epsilon="0.1", delta="2e-8")
        for age in range(30)
    ]
    gaussian = [
        curator.quote(
            f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}", epsilon="0.1", delta="2e-8", noise="gaussian"
        )
        for age in range(30)
    ]
    for listed, factor in ((offers, 1), (gaussian, 4)):
        batch = curator.batch(listed)
        assert float(batch.apart[0].epsilon) == pytest.approx(3)
        assert batch.cost.epsilon * factor < 3
    planned = curator.plan(gaussian)
    assert planned.cost.fits(curator.spent()[0])
    assert curator.verify().sound


@pytest.mark.parametrize("altered", [False, True])
def test_open_keys_of_owners_with_several_rows_are_planned_as_they_are_asked(altered: bool) -> None:
    """ρ with a δ has no rule for groups of rows: what is booked, and what is shown, is that of the whole owner."""
    owned = {**columns(), "ward": pt.text_keys()}
    kept = pt.Table("visits", source=[{**row, "ward": f"w{row['age'] % 3}"} for row in visits()], columns=owned)
    asked = [
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "SELECT ward, SUM(age) AS s FROM visits GROUP BY ward",
    ]
    price = {"rho": "0.01", "delta": "1e-7"}

    def made() -> pt.Curator:
        users = pt.users("patient", rows=8, altered=altered)
        return pt.Curator(tables=[kept], promises=[pt.Promise(users, pt.ZCDP(rho=1, delta="1e-4"))])

    one_by_one, planned = made(), made()
    for question in asked:
        one_by_one.ask(question, reuse=False, **price)
    batch = planned.batch([planned.quote(question, **price) for question in asked])
    assert batch.apart[0].vector() == pytest.approx(one_by_one.spent()[0].vector(), rel=1e-9)
    plan = batch.reserve()
    assert plan.cost.vector() == pytest.approx(planned.spent()[0].vector(), rel=1e-9)
    assert plan.cost.fits(planned.spent()[0])
    assert len(plan.answers()) == 2
    assert planned.verify().sound


@pytest.mark.parametrize("altered", [False, True])
def test_what_counts_of_owners_would_cost_apart_is_what_they_are_charged_one_by_one(altered: bool) -> None:
    users = pt.users("patient", rows=4, altered=altered)
    curator = hospital(promises=[pt.Promise(users, pt.Pure(epsilon=9))])
    asked = [f"SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE age > {age}" for age in (20, 40)]
    apart = curator.batch([curator.quote(question, epsilon="0.25") for question in asked]).apart[0]
    for question in asked:
        curator.ask(question, epsilon="0.25", reuse=False)
    assert apart.vector() == pytest.approx(curator.spent()[0].vector(), rel=1e-9)


def test_a_plan_that_needs_no_epsilon_at_its_delta_is_charged_a_little() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1)), pt.Promise(pt.rows(), APPROXIMATE)])
    asked = ["SELECT COUNT(*) AS n FROM visits", "SELECT SUM(age) AS s FROM visits WHERE age > 30"]
    plan = curator.plan(asked, rho="1e-20")
    _, loss = plan.costs
    assert 0 < loss.epsilon < Fraction(1, 10**9)
    assert 0 < loss.delta <= Fraction(1, 10**7)
    assert len(plan.answers()) == 2
    assert loss.fits(curator.spent()[1])
    assert curator.verify().sound


def test_owners_whose_rows_have_no_price_one_by_one_are_planned_as_owners() -> None:
    """At this δ a hundred rows of one owner would have a δ above 1; the owner has the δ of the price."""
    users = pt.users("patient", rows=100)
    curator = hospital(promises=[pt.Promise(users, pt.Approximate(epsilon=9, delta="0.1"))])
    asked = ["SELECT COUNT(*) AS n FROM visits", "SELECT SUM(age) AS s FROM visits"]
    offers = [curator.quote(question, epsilon="0.1", delta="0.01", noise="gaussian") for question in asked]
    batch = curator.batch(offers)
    assert batch.apart == batch.costs
    assert len(batch.reserve().answers()) == 2
    assert batch.cost.fits(curator.spent()[0])


def test_questions_of_a_plan_are_asked_in_any_order_and_stay_charged_if_they_are_not() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), APPROXIMATE)])
    planned = curator.plan(TWELVE, epsilon="0.5", delta="1e-7")
    charged = curator.spent()
    last, first = planned.ask(11), planned.ask(0)
    assert planned.ask(planned.shares[0].quote.plan.sql()).rows() == first.rows()
    assert last.free
    assert last.cost.is_zero()
    assert curator.spent() == charged
    assert abs(first.rows()[0]["n"] - 400) <= first.error("0.999999")["n"][0]
    assert [answer.rows() for answer in planned.answers()][11] == last.rows()
    planned.receipt().check()
    assert first.receipt.claims[0].cost.row.fits(charged[0])


def test_a_plan_that_was_cut_off_takes_up_its_charge_again(tmp_path: Path) -> None:
    promise = pt.Promise(pt.rows(), APPROXIMATE)
    before = hospital(promises=[promise], ledger=tmp_path / "visits.ledger")
    before.plan(TWELVE, epsilon="0.5", delta="1e-7")
    spent = before.spent()
    before.close()
    after = hospital(promises=[promise], ledger=tmp_path / "visits.ledger")
    again = after.plan(list(reversed(TWELVE)), epsilon="0.5", delta="1e-7")
    assert again.free
    assert again.cost.is_zero()
    rows = again.ask(0).rows()
    assert after.spent() == spent
    after.close()
    once_more = hospital(promises=[promise], ledger=tmp_path / "visits.ledger")
    assert once_more.plan(TWELVE, epsilon="0.5", delta="1e-7").ask(11).rows() == rows
    assert once_more.verify().sound


def test_a_plan_that_does_not_fit_is_refused_whole() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.1"))])
    batch = curator.batch(TWELVE, rho="0.2")
    assert not batch.fits
    assert "no longer fit" in batch.explain()
    with pytest.raises(BudgetExceeded):
        batch.reserve()
    assert curator.spent()[0].is_zero()


def test_a_session_makes_batches_and_plans_under_its_own_limit() -> None:
    session = hospital().session(analyst="ada", budget=pt.ZCDP(rho="0.05"))
    assert not session.batch(TWELVE, rho="0.1").fits
    assert session.plan(TWELVE, rho="0.05").ask(0).rows()
    assert session.spent()[0].rho > Fraction(4, 100)


def test_a_question_that_follows_from_another_is_not_released_by_itself() -> None:
    curator = hospital()
    listed = ["SELECT region, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY region"]
    listed += [f"SELECT COUNT(*) AS n FROM visits WHERE region = '{name}'" for name in ("north", "south", "east")]
    batch = curator.batch(listed, rho="0.1", weights=[1, "0.01", "0.01", "0.01"])
    assert len(batch.quotes) == 1
    assert "(made from others)" in batch.explain()
    table, north, *_ = batch.ask()
    assert north.free
    assert north.sources[0].seq == table.receipt.seq
    assert north.rows()[0]["n"] == table.rows()[0]["n"]
    assert north.error()["n"][0] == pytest.approx(batch.error()[1]["n"], abs=1)


def test_the_answers_of_a_batch_are_combined() -> None:
    curator = hospital()
    listed = [
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
        "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex",
        "SELECT COUNT(*) AS n FROM visits WHERE age >= 0",
    ]
    batch = curator.batch(listed, rho="0.01", weights=[1, 1, 100])
    assert len(batch.quotes) == 3
    alone = [one.quote.error()["n"] for one in batch.shares]
    # The two tables have the same total; who has no age is in neither of its own groups.
    assert [found["n"] < own for found, own in zip(batch.error(), alone, strict=True)] == [True, True, False]
    for answer, found in zip(batch.ask(), batch.error(), strict=True):
        assert max(answer.error()["n"]) <= found["n"] + 1


def test_tables_do_not_share_a_price() -> None:
    import pandas

    frames = [pandas.DataFrame(visits(count)) for count in (100, 200)]
    tables = [pt.Table(f"t{i}", source=frame, columns=columns()) for i, frame in enumerate(frames)]
    curator = pt.Curator(tables=tables, promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.1"))])
    batch = curator.batch(["SELECT COUNT(*) AS n FROM t0", "SELECT COUNT(*) AS n FROM t1"], rho="0.1")
    assert [len(answer.rows()) for answer in batch.ask()] == [1, 1]
    assert batch.error()[0] == curator.quote("SELECT COUNT(*) AS n FROM t0", rho="0.1").error()
    with pytest.raises(InvalidInput, match="one plan for each table"):
        batch.reserve()


@pytest.mark.parametrize(
    ("questions", "terms", "code"),
    [
        ([], {"rho": "0.1"}, "accuracy.no-questions"),
        (TWELVE[:1], {}, "query.no-price"),
        (TWELVE[:2], {"rho": "0.1", "weights": [1]}, "accuracy.weights-of-batch"),
        (TWELVE[:1], {"rho": "0.1", "epsilon": "0.1"}, "query.several-prices"),
    ],
    ids=["nothing", "no price", "weights", "two prices"],
)
def test_what_cannot_be_priced_together_is_refused(questions: list[str], terms: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        hospital().batch(questions, **terms)
    assert problem.value.code == code


@pytest.mark.parametrize("budget", [pt.ZCDP(rho=1, delta="1e-5"), pt.Approximate(epsilon=5, delta="1e-5")], ids=str)
def test_questions_that_name_keys_are_priced_one_by_one(budget: Any) -> None:
    table = pt.Table("t", [{"k": "a"}], {"k": pt.text_keys()})
    question, price = "SELECT k, COUNT(*) AS n FROM t GROUP BY k", {"epsilon": "0.5", "delta": "1e-6"}
    with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), budget)]) as curator:
        with pytest.raises(InvalidInput) as problem:
            curator.batch([question], **price)
        assert problem.value.code == "accuracy.shared-naming"
        assert curator.plan([curator.quote(question, **price)]).ask(0).rows()


@pytest.mark.parametrize(
    "unit", [pt.windows("day", width=3), pt.users("patient", rows=4, in_region=2)], ids=["windows", "capped users"]
)
def test_promises_without_a_proof_for_plans_refuse_them(unit: Any) -> None:
    curator = hospital(promises=[pt.Promise(unit, pt.ZCDP(rho=5))])
    offers = [curator.quote(sql, rho="0.01") for sql in TWELVE[:2]]
    with pytest.raises(InvalidInput, match="one by one"):
        curator.plan(offers)


def test_a_question_that_was_not_planned_is_refused() -> None:
    planned = hospital().plan(TWELVE[:2], rho="0.1")
    for question in (2, -1, True, "SELECT 1"):
        with pytest.raises(InvalidInput, match="none of the 2 questions"):
            planned.ask(question)


def test_questions_about_the_same_groups_are_told_by_one_release() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon="0.1"))])
    listed = [
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
        "SELECT region, AVG(cost) AS mean FROM visits GROUP BY region",
        *(
            f"SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE region = '{name}'"
            for name in ("north", "south")
        ),
    ]
    batch = curator.batch(listed, epsilon="0.1")
    assert len(batch.quotes) == 1
    answers = batch.ask()
    assert [len(answer.rows()) for answer in answers] == [6, 6, 1, 1]
    assert answers[2].rows()[0]["mean"] == pytest.approx(answers[1].rows()[0]["mean"])
    assert curator.spent()[0].fits(pt.Pure(epsilon="0.1"))
