from __future__ import annotations

import dataclasses
import json
from datetime import UTC, date, datetime

import pytest

import partita as pt
from partita.cli import main
from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, LedgerFault
from partita.granularity import replace, rows
from partita.ledger.audit.verify import verify
from partita.ledger.birth import Terms, promise_document, promise_from
from partita.ledger.book.anchor import NoAnchor
from partita.ledger.book.entries import Kind, entry_after
from partita.ledger.book.sqlite import SQLiteStore
from partita.ledger.book.store import Stage
from partita.ledger.canonical import canonical
from partita.ledger.payer import RegionPayer
from partita.ledger.reports.report import summary
from partita.ledger.schedules import Cause, change_details
from partita.region import Domain, categories, integers
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import DOMAIN, TERMS, ask, charge, opened

YEARLY = Promise(rows(), Pure(epsilon="0.5"), schedule={"2026-06-01": "0.7", "2027-01-01": "1"}, ceiling=2)
THEN = Terms([YEARLY], {"visits": DOMAIN})


def on(day):
    return lambda: datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


def book(path, day="2026-01-02", terms=THEN):
    return opened(path, terms, make=RegionPayer, clock=on(day))


def test_a_promise_says_its_budgets_and_is_read_back_as_it_was():
    assert str(YEARLY) == (
        "at most ε = 0.5 (ε = 0.7 from 2026-06-01 on; ε = 1 from 2027-01-01 on; never raised above ε = 2) "
        "for one row, added or removed"
    )
    assert promise_from(json.loads(canonical(promise_document(YEARLY)))) == YEARLY
    assert "schedule" not in promise_document(Promise(rows(), Pure(epsilon=1)))


def test_a_number_is_the_first_part_of_a_budget():
    for budget, then in (
        (ZCDP(rho="0.5", delta="1e-6"), ZCDP(rho=1, delta="1e-6")),
        (Approximate(epsilon="0.5", delta="1e-6"), Approximate(epsilon=1, delta="1e-6")),
        (GDP(mu="0.5"), GDP(mu=1)),
    ):
        promise = Promise(rows(), budget, schedule={date(2027, 1, 1): 1}, ceiling=then)
        assert promise.steps == (("2027-01-01", then),)
    whole = Promise(rows(), ZCDP(rho=1, delta="1e-6"), schedule={"2027-01-01": {"rho": 2, "delta": "1e-5"}})
    assert whole.steps == (("2027-01-01", ZCDP(rho=2, delta="1e-5")),)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"schedule": {"2027-01-01": "0.4"}}, "budget.decreasing"),
        ({"schedule": {"2027-01-01": 2, "2028-01-01": 1}}, "budget.decreasing"),
        ({"schedule": {"next year": 2}}, "budget.bad-schedule"),
        ({"schedule": {"2027-02-30": 2}}, "budget.bad-schedule"),
        ({"schedule": 7}, "budget.bad-schedule"),
        ({"schedule": {"2027-01-01": 2, date(2027, 1, 1): 3}}, "budget.bad-schedule"),
        ({"schedule": {"2027-01-01": ZCDP(rho=2)}}, "budget.other-measure"),
        ({"schedule": {"2027-01-01": "much"}}, "budget.other-measure"),
        ({"schedule": {"2027-01-01": 2}, "ceiling": 1}, "budget.low-ceiling"),
        ({"ceiling": "0.1"}, "budget.low-ceiling"),
        ({"ceiling": ZCDP(rho=2)}, "budget.other-measure"),
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused(given, code):
    with pytest.raises(InvalidInput) as caught:
        Promise(rows(), Pure(epsilon="0.5"), **given)
    assert caught.value.code == code


def test_a_step_of_the_schedule_is_an_entry_of_the_book(path):
    with book(path) as ledger:
        ask(ledger, charge(1, "0.5"))
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0"]
    with book(path, "2026-05-31") as ledger:
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0"]
    with book(path, "2027-03-01") as ledger:
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0.5"]
        (entry,) = (one for one in ledger.entries() if one.kind is Kind.BUDGET)
        assert entry.details()["on"] == "2027-01-01"
        assert ledger.verify().problems == ()
    with book(path, "2026-01-01") as ledger:
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0.5"]
        assert ledger.declared == THEN
        (balance,) = summary(ledger).balances
        assert balance.changes == ("ε = 1 since 2027-01-01, as declared at birth; ε = 0.5 before",)
        assert str(balance.promise) == "at most ε = 1 (never raised above ε = 2) for one row, added or removed"


def test_two_processes_agree_on_the_step_and_write_it_once(path):
    with book(path, "2026-07-01") as first, book(path, "2026-07-01") as second:
        ask(first, charge(1, "0.6"))
        ask(second, charge(2, "0.1"))
        assert [entry.kind for entry in first.entries()].count(Kind.BUDGET) == 1


def test_a_receipt_names_the_budget_that_was_in_force(path):
    with book(path) as ledger:
        state = ledger.reserve(charge(1, "0.1"))
        old = ledger.commit(state, b"1")
        ledger.change_budget(0, Cause.RAISE, 2, who="the board", why="more")
        new = ledger.commit(ledger.reserve(charge(2, "0.1")), b"2")
        assert ledger.receipt(old).claims[0].promise == YEARLY
        assert ledger.receipt(new).claims[0].promise == Promise(rows(), Pure(epsilon=2), ceiling=2)
        for one in (old, new):
            ledger.receipt(one).check(ledger.birth.public_key)


@pytest.mark.parametrize(
    ("cause", "to", "code"),
    [
        (Cause.RAISE, 3, "budget.above-ceiling"),
        (Cause.RAISE, "0.5", "budget.not-raised"),
        (Cause.RAISE, "0.4", "budget.not-raised"),
        (Cause.RAISE, "much", "budget.other-measure"),
        (Cause.LOWER, "0.5", "budget.not-lowered"),
        (Cause.LOWER, 0, "budget.not-lowered"),
        (Cause.LOWER, ZCDP(rho="0.1"), "budget.other-measure"),
    ],
)
def test_a_change_that_is_none_or_too_much_is_refused_and_nothing_is_written(path, cause, to, code):
    with book(path) as ledger:
        before = ledger.mark()
        with pytest.raises(InvalidInput) as caught:
            ledger.change_budget(0, cause, to, who="ada", why="a test")
        assert caught.value.code == code
        with pytest.raises(InvalidInput):
            ledger.change_budget(1, cause, to, who="ada", why="a test")
        assert ledger.mark() == before


def test_without_a_ceiling_nothing_is_raised_and_without_a_reason_nothing_changes(path):
    with book(path, terms=TERMS) as ledger:
        with pytest.raises(InvalidInput, match="no ceiling was declared"):
            ledger.change_budget(0, Cause.RAISE, 2, who="ada", why="a test")
        for who, why in (("", "x"), ("ada", " ")):
            with pytest.raises(InvalidInput, match="both stand in the ledger"):
                ledger.change_budget(0, Cause.LOWER, "0.1", who=who, why=why)


@pytest.mark.parametrize(
    "details",
    [
        change_details(0, Cause.RAISE, Pure(epsilon=3), who="eve", why="x"),
        change_details(0, Cause.SCHEDULE, Pure(epsilon=1), on="2026-06-01"),
        change_details(0, Cause.SCHEDULE, Pure(epsilon=1), on="2027-01-01"),
        change_details(5, Cause.LOWER, Pure(epsilon="0.1"), who="eve", why="x"),
        {"promise": 0, "cause": "theft", "to": {"kind": "pure", "epsilon": "1"}},
    ],
)
def test_a_forged_change_is_found(path, details):
    book(path).close()
    store = SQLiteStore(str(path))
    with store.writing(Stage.RESERVE):
        store.append(entry_after(store.last(), Kind.BUDGET, canonical({"at": "2026-02-01", **details})))
    found = verify(store, RegionPayer, NoAnchor()).problems
    store.close()
    assert "changes a budget" in " ".join(found)
    if details.get("on") != "2027-01-01":
        with pytest.raises(LedgerFault, match="declares nothing that can be read"):
            book(path)


def test_an_audit_finds_a_charge_above_the_budget_of_its_day(path, monkeypatch):
    with book(path) as ledger:
        monkeypatch.setattr(
            "partita.ledger.payer.RegionPayer.ticket", lambda self, region, cost: (self._priced(region, cost), None)
        )
        monkeypatch.setattr("partita.ledger.payer.RegionPayer.book", lambda self, ticket: None)
        ask(ledger, charge(1, "0.9"))
        ledger.change_budget(0, Cause.RAISE, 2, who="ada", why="a test")
        assert "was exceeded while its budget was ε = 0.5" in " ".join(ledger.verify().problems)


def test_an_audit_finds_a_charge_above_a_lowered_budget(path, monkeypatch):
    with book(path) as ledger:
        ask(ledger, charge(1, "0.4"))
        ledger.change_budget(0, Cause.LOWER, "0.2", who="ada", why="a test")
        assert ledger.verify().problems == ()
        monkeypatch.setattr("partita.ledger.admission.Balances._lowered", None, raising=False)
        ledger._book.replay.balances._lowered = None
        ask(ledger, charge(2, "0.1"))
        assert "was charged while lowered to ε = 0.2" in " ".join(ledger.verify().problems)


def test_a_declaration_with_another_schedule_is_another_promise(path):
    with book(path) as ledger:
        ask(ledger, charge(1, "0.1"))
    with pytest.raises(LedgerFault, match="2027-01-01 on") as caught:
        book(path, terms=Terms([Promise(rows(), Pure(epsilon="0.5"))], {"visits": DOMAIN}))
    assert caught.value.code == "ledger.other-promises"


FILE = """
ledger = "v.ledger"
[[promises]]
protect = "rows"
rho = "0.5"
delta = "1e-6"
schedule = { "2020-01-01" = "0.7", "2999-01-01" = { rho = "1", delta = "1e-5" } }
ceiling = { rho = "2", delta = "1e-5" }
[tables.visits]
source = "v.csv"
columns = { age = { integers = [0, 99] } }
"""


def test_the_file_and_the_command_line_know_budgets_over_time(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text("age\n44\n", encoding="utf-8")
    (tmp_path / "partita.toml").write_text(FILE, encoding="utf-8")
    with pt.open("partita.toml") as curator:
        assert [str(x) for x in curator.remaining()] == ["(ρ = 0.7, δ = 1e-06)"]
        assert "2999-01-01" in str(curator.guarantee()[0])
        curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.6")
    said = ["--who", "the board", "--why", "a survey"]
    assert main(["ledger", "raise", "v.ledger", "--to", "1.5", "--delta", "1e-5", *said]) == 0
    assert "(ρ = 1.5, δ = 1e-05) from now on" in " ".join(capsys.readouterr().out.split())
    assert main(["ledger", "raise", "v.ledger", "--to", "2.5", *said]) == 2
    assert "the ceiling declared" in capsys.readouterr().err
    assert main(["ledger", "lower", "v.ledger", "--to", "0.9", "--json", *said]) == 0
    assert json.loads(capsys.readouterr().out)["to"]["rho"] == "9/10"
    assert main(["ledger", "show", "v.ledger"]) == 0
    assert "by the board: a survey" in " ".join(capsys.readouterr().out.split())
    with pt.open("partita.toml") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 3", rho="0.3")
        with pytest.raises(pt.BudgetExceeded):
            curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 4", rho="0.1")
        assert curator.verify().sound
        assert "raised from" in str(curator.guarantee()[0])


def test_a_raise_after_a_lowering_holds_until_a_later_day_of_the_schedule(path):
    with book(path, "2026-07-01") as ledger:
        ledger.change_budget(0, Cause.LOWER, "0.1", who="ada", why="a complaint")
    with book(path, "2026-08-01") as ledger:
        ledger.change_budget(0, Cause.RAISE, "0.2", who="ada", why="settled")
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0.2"]
    with book(path, "2026-12-31") as ledger:
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 0.2"]
    with book(path, "2027-01-01") as ledger:
        assert [str(x) for x in ledger.remaining("visits")] == ["ε = 1"]
        assert ledger.verify().problems == ()


def test_an_audit_counts_a_period_as_it_was_declared_then(path):
    """A value that was charged at its edge alone is many values once a column is added: pairs among them cost more."""
    narrow = Domain({"age": integers(0, 99, missing=0)})
    wide = Domain({"age": integers(0, 99, missing=0), "sex": categories("F", "M")})
    promise = Promise(replace(), Pure(epsilon=1), schedule={"2026-06-01": 9})
    before, after = (Terms([promise], {"visits": domain}) for domain in (narrow, wide))
    with book(path, terms=before) as ledger:
        ask(ledger, dataclasses.replace(charge(1, 1, where="age = 5"), costs=(Cost(Pure(epsilon=1), declared=True),)))
    with opened(path, after, make=RegionPayer, clock=on("2026-07-01"), migrate=True) as ledger:
        assert [str(x) for x in ledger.spent()] == ["ε = 2"]
        assert ledger.verify().problems == ()
