from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pandas
import pytest

import partita as pt
from partita.theory.measures.renyi import ORDERS
from tests.unit.curator.hospital import columns, hospital, visits

BY_REGION = "SELECT region, COUNT(*) AS n, AVG(cost) AS cost FROM visits GROUP BY region"


def test_an_answer_is_near_the_truth_and_says_how_near() -> None:
    answer = hospital().ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 50", rho="0.1")
    truth = sum(row["age"] >= 50 for row in visits())
    (row,) = answer.rows()
    (half,) = answer.error(confidence=0.999999)["n"]
    assert abs(row["n"] - truth) <= half
    assert answer.cost.fits(pt.ZCDP(rho="0.1"))


def test_an_answer_is_a_table_in_every_library() -> None:
    answer = hospital().ask(BY_REGION, rho="0.01")
    as_rows = answer.rows()
    assert [row["region"] for row in as_rows][:4] == ["north", "south", "east", "west"]
    assert answer.to_pandas()["n"].tolist() == [row["n"] for row in as_rows]
    assert answer.to_polars()["n"].to_list() == [row["n"] for row in as_rows]
    assert answer.to_arrow()["n"].to_pylist() == [row["n"] for row in as_rows]
    assert "region" in str(answer)


def test_a_quote_spends_nothing_and_keeps_its_word() -> None:
    curator = hospital()
    offer = curator.quote("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", epsilon="0.1")
    assert curator.spent()[0].is_zero()
    assert offer.fits
    assert not offer.free
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", epsilon="0.1")
    assert answer.cost == offer.cost
    assert answer.error()["n"][0] == pytest.approx(offer.error()["n"])
    (left,), (foretold,) = answer.remaining, offer.left()
    # Charges are rounded up to the account's unit, so what is left is never more than foretold, and hardly less.
    assert left.fits(foretold)
    assert foretold.rho - left.rho < Fraction(1, 10**12)
    assert curator.quote("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", epsilon="0.1").free


def test_the_same_question_in_other_words_is_free_and_the_same() -> None:
    curator = hospital()
    first = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65 AND sex = 'F'", rho="0.01")
    again = curator.ask(
        "select count(*) as m from visits where sex IN ('F') and NOT age < 65 and age is not null", rho="0.01"
    )
    assert (first.free, again.free) == (False, True)
    assert again.cost.is_zero()
    assert again.rows()[0]["m"] == first.rows()[0]["n"]


def test_questions_about_different_people_cost_the_maximum() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    for region in ("north", "south", "east", "west"):
        curator.ask(f"SELECT COUNT(*) FROM visits WHERE region = '{region}'", epsilon="0.5")
    assert curator.spent() == (pt.Pure(epsilon="0.5"),)
    curator.ask("SELECT COUNT(*) FROM visits", epsilon="0.5")
    assert curator.spent() == (pt.Pure(epsilon=1),)
    with pytest.raises(pt.BudgetExceeded):
        curator.ask("SELECT COUNT(*) FROM visits WHERE age = 3", epsilon="0.001")


def test_under_change_one_it_is_the_two_largest() -> None:
    curator = hospital(promises=[pt.Promise(pt.replace(), pt.Pure(epsilon=1))])
    for region in ("north", "south", "east"):
        curator.ask(f"SELECT COUNT(*) FROM visits WHERE region = '{region}'", epsilon="0.5")
    assert curator.spent() == (pt.Pure(epsilon=1),)


def test_a_refusal_reads_nothing_charges_nothing_and_leaves_the_curator_usable() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon="0.1"))])
    with pytest.raises(pt.BudgetExceeded, match=r"0\.2"):
        curator.ask("SELECT COUNT(*) FROM visits", epsilon="0.2")
    assert curator.spent()[0].is_zero()
    assert curator.ask("SELECT COUNT(*) FROM visits", epsilon="0.1").cost == pt.Pure(epsilon="0.1")


def test_two_promises_both_hold() -> None:
    promises = [pt.Promise(pt.rows(), pt.ZCDP(rho="0.5")), pt.Promise(pt.users("patient", rows=4), pt.ZCDP(rho="0.5"))]
    curator = hospital(promises=promises)
    curator.ask("SELECT COUNT(*) FROM visits", rho="0.02")
    rows_spent, users_spent = curator.spent()
    assert users_spent.rho > rows_spent.rho
    refusals = []
    for age in range(50):
        try:
            curator.ask(f"SELECT COUNT(*) FROM visits WHERE age > {age}", rho="0.02")
        except pt.BudgetExceeded as refusal:
            refusals.append(refusal.message)
    assert refusals
    assert all("patient" in message for message in refusals)
    assert curator.spent()[1].fits(promises[1].budget)


def test_a_session_has_its_own_limit_under_the_joint_one() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    ada = curator.session(analyst="ada", budget=pt.Pure(epsilon="0.3"))
    bob = curator.session(analyst="bob", budget=pt.Pure(epsilon="0.9"))
    ada.ask("SELECT COUNT(*) FROM visits", epsilon="0.3")
    with pytest.raises(pt.BudgetExceeded):
        ada.ask("SELECT SUM(age) FROM visits", epsilon="0.1")
    bob.ask("SELECT SUM(age) FROM visits", epsilon="0.7")
    with pytest.raises(pt.BudgetExceeded):
        bob.ask("SELECT AVG(age) FROM visits", epsilon="0.1")
    assert ada.spent() == (pt.Pure(epsilon="0.3"),)
    assert curator.spent() == (pt.Pure(epsilon=1),)


def test_a_built_question_is_the_same_question() -> None:
    curator = hospital()
    first = curator.ask("SELECT sex, COUNT(*) AS n FROM visits WHERE age > 40 GROUP BY sex", rho="0.01")
    built = curator.table("visits").where("age > 40").group_by("sex").agg(n=pt.count())
    again = curator.ask(built, rho="0.01")
    assert again.free
    assert again.rows() == first.rows()


def test_a_ledger_in_a_file_remembers(tmp_path: Path) -> None:
    path = tmp_path / "visits.ledger"
    with hospital(ledger=path) as curator:
        first = curator.ask(BY_REGION, rho="0.01")
        spent = curator.spent()
    with hospital(ledger=path, seed=99) as again:
        assert again.spent() == spent
        repeated = again.ask(BY_REGION, rho="0.01")
        assert repeated.free
        assert repeated.rows() == first.rows()
        assert again.verify().sound if hasattr(again.verify(), "sound") else again.verify()


def test_every_answer_carries_a_receipt_that_verifies() -> None:
    answer = hospital().ask(BY_REGION, rho="0.01")
    copy = pt.Receipt.from_json(answer.receipt.to_json())
    copy.check()
    assert copy == answer.receipt


def test_an_answer_explains_itself() -> None:
    words = hospital().ask("SELECT COUNT(*) AS n FROM visits WHERE sex = 'F'", rho="0.01").explain()
    for part in ("Asked:", "Noise:", "± ", "Charged: ρ = 0.01", "Left:", "wrongly accuses 1%", "from 50% sure"):
        assert part in words, part


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (
            pt.rows(),
            {"Whether one row is in the data": (0.3775, 0.6225), "What the data say of one row": (0.268, 0.732)},
        ),
        (pt.replace(), {"What the data say of one row": (0.377, 0.623)}),
    ],
)
def test_a_belief_is_said_to_be_about_presence_or_about_content(unit, said) -> None:
    """Where rows come and go, another content is two steps away: odds move by e^(2ε) (theory B22, B23)."""
    table = pt.Table("t", [{"x": 1}], {"x": pt.integers(0, 9)})
    curator = pt.Curator(tables=[table], promises=[pt.Promise(unit, pt.Pure(epsilon=1))])
    words = curator.ask("SELECT x, COUNT(*) AS n FROM t GROUP BY x", epsilon="0.5").explain()
    found = re.findall(r"(Whether.*?|What.*?): .* 50% sure to between ([\d.]+)% and ([\d.]+)%", words)
    assert {name: pytest.approx((float(low) / 100, float(high) / 100), abs=1e-3) for name, low, high in found} == said


def test_the_guarantee_is_the_budget_not_what_is_spent() -> None:
    curator = hospital()
    (certificate,) = curator.guarantee()
    assert certificate.budget == pt.ZCDP(rho="0.5", delta="1e-6")
    assert certificate.spent.is_zero()
    assert "person in the data" in str(certificate.explain("person"))


def test_the_reference_engine_answers_alike() -> None:
    question = "SELECT region, COUNT(*) AS n, SUM(cost) AS c FROM visits WHERE age BETWEEN 20 AND 60 GROUP BY region"
    assert (
        hospital().ask(question, rho="0.1").rows()
        == hospital(backend="reference", rows=visits()).ask(question, rho="0.1").rows()
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tables": []}, "at least one table"),
        ({"tables": ["visits"]}, "not a table"),
        ({"promises": []}, "at least one promise"),
        ({"promises": [pt.ZCDP(rho=1)]}, "not a promise"),
        ({"backend": "oracle"}, "not known"),
    ],
)
def test_a_curator_that_cannot_be_is_refused(arguments: dict[str, object], words: str) -> None:
    table = pt.Table("visits", source=pandas.DataFrame(visits()), columns=columns())
    settings = {"tables": [table], "promises": [pt.Promise(pt.rows(), pt.Pure(epsilon=1))], **arguments}
    with pytest.raises(pt.InvalidInput, match=words):
        pt.Curator(**settings)  # type: ignore[arg-type]


def test_the_same_rows_under_two_names_are_refused() -> None:
    frame = pandas.DataFrame(visits())
    tables = [pt.Table(name, source=frame, columns=columns()) for name in ("visits", "copies")]
    with pytest.raises(pt.InvalidInput, match="read the same rows"):
        pt.Curator(tables=tables, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])


def test_a_promise_on_users_covers_one_table() -> None:
    tables = [pt.Table(name, source=pandas.DataFrame(visits()), columns=columns()) for name in ("a", "b")]
    with pytest.raises(pt.InvalidInput, match="losses would add up"):
        pt.Curator(tables=tables, promises=[pt.Promise(pt.users("patient", rows=3), pt.Pure(epsilon=1))])


@pytest.mark.parametrize(
    "price",
    [
        {},
        {"epsilon": 1, "rho": 1},
        {"epsilon": 0},
        {"epsilon": float("nan")},
        {"rho": -1},
        {"epsilon": True},
        {"epsilon": "x"},
    ],
)
def test_a_price_that_is_none_is_refused_for_nothing(price: dict[str, object]) -> None:
    curator = hospital()
    with pytest.raises(pt.PartitaError):
        curator.ask("SELECT COUNT(*) FROM visits", **price)  # type: ignore[arg-type]
    assert curator.spent()[0].is_zero()


def test_something_that_is_no_question_is_refused() -> None:
    with pytest.raises(pt.InvalidInput, match="neither"):
        hospital().ask(42, rho="0.01")  # type: ignore[arg-type]


def test_the_custodians_file_declares_all_of_it(tmp_path: Path) -> None:
    pandas.DataFrame(visits()).to_parquet(tmp_path / "visits.parquet")
    (tmp_path / "partita.toml").write_text(
        """
ledger = "visits.ledger"
backend = "duckdb"

[[promises]]
protect = "rows"
rho = "0.5"
delta = "1e-6"

[[promises]]
protect = { users = { column = "patient", rows = 4 } }
epsilon = "8"

[tables.visits]
source = "visits.parquet"

[tables.visits.columns]
patient = "identifier"
age = { integers = [0, 120] }
region = { categories = ["north", "south", "east", "west"] }

[analysts.ada]
rho = "0.1"
"""
    )
    with pt.open(tmp_path / "partita.toml") as curator:
        assert [str(promise.budget) for promise in curator.promises] == ["(ρ = 0.5, δ = 1e-06)", "ε = 8"]
        with pytest.raises(pt.BudgetExceeded):
            curator.session(analyst="ada").ask("SELECT COUNT(*) FROM visits", rho="0.2")
        curator.ask("SELECT COUNT(*) FROM visits", rho=Fraction(1, 100), noise="laplace")
    assert (tmp_path / "visits.ledger").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x =", "TOML"),
        ("colour = 1", "colour is not a setting"),
        ("", "at least one table"),
        ("[tables.t]\nsource='x.csv'\n[tables.t.columns]\na={integers=[0,1]}", "at least one promise"),
        ("[[promises]]\nrho=1\n[tables.t]\nsource='x.csv'\n[tables.t.columns]\na={integers=[0,1]}", "who is protected"),
        (
            "[[promises]]\nprotect='rows'\nrho=-1\n[tables.t]\nsource='x.csv'\n[tables.t.columns]\na={integers=[0,1]}",
            "negative",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "partita.toml").write_text(text)
    with pytest.raises(pt.PartitaError, match=words):
        pt.open(tmp_path / "partita.toml")


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(pt.InvalidInput, match="partita init"):
        pt.open(tmp_path / "nothing.toml")


def test_under_owners_the_cost_that_is_told_is_the_cost_that_is_booked() -> None:
    curator = hospital(promises=[pt.Promise(pt.users("patient", rows=4), pt.ZCDP(rho=5))])
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon=2, noise="laplace")
    (spent,) = curator.spent()
    assert answer.cost.fits(spent)
    assert spent.rho - answer.cost.rho < Fraction(1, 10**12)


@pytest.mark.parametrize(
    "budget", [pt.Renyi(order=8, tau=1), pt.Renyi(orders=ORDERS[:-1], taus=[1] * (len(ORDERS) - 1))]
)
def test_a_promise_on_orders_at_which_nothing_is_priced_is_refused(budget):
    with pytest.raises(pt.InvalidInput, match="on others every question would be refused") as refused:
        hospital(promises=[pt.Promise(pt.rows(), budget)])
    assert refused.value.code == "curator.other-orders"
    kept = hospital(promises=[pt.Promise(pt.rows(), pt.Renyi(taus=[10 * order for order in ORDERS]))])
    assert kept.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.1").rows()
