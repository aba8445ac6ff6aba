"""Books written by version 0.1, before what they booked was found to be too little: they open, and say what they lost.

The files in before-0.2 were written once, by the code as it was, and are never written again.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
from pathlib import Path

import pytest

import partita as pt
from partita.cli import main
from partita.errors import LedgerFault
from partita.ledger.opening import open_ledger

FOLDER = Path(__file__).parent / "before-0.2"
BOOKS = sorted(book.name for book in FOLDER.iterdir())
DAYS = pt.Table(
    "visits",
    [{"who": 1, "day": dt.date(2025, 1, 2), "x": 3}],
    {"who": pt.identifier(), "day": pt.dates("2025-01-01", "2025-01-31"), "x": pt.integers(0, 9)},
)


@pytest.fixture
def book(tmp_path):
    """Makes a copy of a book, since opening a file may write beside it."""

    def copied(name: str) -> Path:
        for file in (FOLDER / name).glob("book.ledger*"):
            shutil.copy(file, tmp_path / file.name)
        return tmp_path / "book.ledger"

    return copied


def expected(name: str) -> dict:
    return json.loads((FOLDER / name / "expected.json").read_text(encoding="utf-8"))


def test_there_is_a_book_of_every_kind():
    assert BOOKS == ["open-keys", "open-keys-twice", "user-days", "widened"]


@pytest.mark.parametrize("name", BOOKS)
def test_it_opens_at_the_entry_where_it_ended(name, book):
    with open_ledger(book(name)) as ledger:
        mark = ledger.mark()
        assert [mark.seq, mark.hash.hex()] == expected(name)["mark"]
        assert ledger.birth.format == 1


def test_user_days_are_not_gone_on_with_by_another_choice_of_rows(book):
    promise = pt.Promise(pt.users("who", rows=2, per="day"), pt.ZCDP(rho=1))
    curator = pt.Curator(tables=[DAYS], promises=[promise], ledger=book("user-days"))
    asked, answer, _ = expected("user-days")["answers"][1]
    assert curator.ask(asked, rho="0.2").rows() == answer
    with pytest.raises(LedgerFault) as refused:
        curator.ask("SELECT SUM(x) AS s FROM visits", rho="0.001")
    assert refused.value.code == "ledger.clamped-parts"


@pytest.mark.parametrize(
    "promise", [pt.users("who", rows=2, per="day"), pt.groups(2, pt.users("who", rows=2, per="day"))]
)
def test_user_days_born_now_are_served(promise, tmp_path):
    for _ in range(2):
        curator = pt.Curator(
            tables=[DAYS], promises=[pt.Promise(promise, pt.ZCDP(rho=1))], ledger=tmp_path / "days.ledger"
        )
        assert curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1").rows()
        assert curator.ask("SELECT SUM(x) AS s FROM visits", rho="0.1").rows()


RAGGED = "(x % 2 = 0 OR x = 7) AND y % 2 = 0"
BY_TERM = "SELECT term, COUNT(*) AS n FROM searches WHERE age = 30 GROUP BY term"
CHANGED = "the value of one row, with the number of rows public"
DAY = "one who during one day with at most 2 rows, added or removed"
BOX = "a ragged region was booked as the box around it, inside which a change seemed to cost nothing"
KEYS = "a change between records of equal declared values and other open keys was left out"
SHARED = "values outside the declared range shared a part of their owner with others"
LOW = {
    "widened": [
        (2, f"SELECT COUNT(*) AS n FROM grid WHERE {RAGGED}", CHANGED, "ρ = 0", "ρ = 100", BOX),
        (4, f"SELECT SUM(z) AS s FROM grid WHERE {RAGGED}", CHANGED, "ρ = 0.000421725", "ρ = 2", BOX),
    ],
    "open-keys": [(2, BY_TERM, CHANGED, "(ε = 0.5, δ = 4.16e-07)", "(ε = 1, δ = 9.82e-07)", KEYS)],
    "open-keys-twice": [
        (2, BY_TERM, CHANGED, "(ε = 0.5, δ = 4.03e-08)", "(ε = 1, δ = 9.53e-08)", KEYS),
        (4, f"{BY_TERM} ORDER BY n LIMIT 2", CHANGED, "(ε = 0.495, δ = 4.03e-08)", "(ε = 0.99, δ = 9.49e-08)", KEYS),
    ],
    "user-days": [
        (2, "SELECT x, COUNT(*) AS n FROM visits GROUP BY x", DAY, "ρ = 0.3", "ρ = 1.2", SHARED),
        (4, "SELECT COUNT(*) AS n FROM visits WHERE x < 5", DAY, "ρ = 0.2", "ρ = 0.8", SHARED),
    ],
}
WORDS = {
    name: [
        f"entry {seq} ({asked}), [{unit}]: booked {booked}, cost at most {cost}: {why}"
        for seq, asked, unit, booked, cost, why in charges
    ]
    for name, charges in LOW.items()
}
# How many times its budget every promise has come to. The first is kept: the other charge is on other ages.
COME_TO = {"open-keys": 1.0, "open-keys-twice": 1.99, "user-days": 2.0, "widened": 1020.1}


@pytest.mark.parametrize("name", BOOKS)
def test_an_audit_says_which_charges_were_booked_too_low_and_what_the_promise_has_come_to(name, book):
    with open_ledger(book(name)) as ledger:
        found = ledger.verify()
    assert [str(charge) for charge in found.past.charges] == WORDS[name]
    assert found.past.count == len(WORDS[name])
    (standing,) = found.past.standings
    budget = standing.promise.budget.vector()
    shares = [float(most / of) for most, of in zip(standing.most.vector(), budget, strict=True) if of]
    assert max(shares) == pytest.approx(COME_TO[name], rel=1e-4)
    kept = COME_TO[name] <= 1
    assert (standing.holds, found.sound) == (kept, kept)
    assert any("cannot be shown to be kept" in problem for problem in found.problems) is not kept


@pytest.mark.parametrize("name", BOOKS)
def test_the_command_says_so(name, book, capsys):
    path, kept = book(name), COME_TO[name] <= 1
    code = 0 if kept else 1
    assert main(["ledger", "verify", str(path)]) == code
    flat = " ".join(capsys.readouterr().out.split())
    assert f"Booked too low by a version before 0.2: {len(WORDS[name])} of the charges" in flat
    assert all(words in flat for words in WORDS[name])
    assert ("the promise is kept all the same" if kept else "the promise can NOT be shown to be kept") in flat
    assert main(["ledger", "verify", str(path), "--json"]) == code
    document = json.loads(capsys.readouterr().out)["booked_too_low"]
    assert document["count"] == len(WORDS[name])
    assert [charge["entry"] for charge in document["charges"]] == [2, 4][: len(WORDS[name])]
    assert {charge["fault"] for charge in document["charges"]} == {
        "clamped" if name == "user-days" else name.removesuffix("-twice")
    }
    assert document["promises"][0]["holds"] is kept


@pytest.mark.parametrize("unit", [pt.replace(), pt.users("who", rows=1, per="day")])
def test_a_book_born_now_has_no_such_past(unit, tmp_path):
    curator = pt.Curator(tables=[DAYS], promises=[pt.Promise(unit, pt.Pure(epsilon=5))], ledger=tmp_path / "new.ledger")
    curator.ask("SELECT day, SUM(x) AS n FROM visits WHERE x < 4 GROUP BY day", epsilon=1)
    found = curator.verify()
    assert (found.problems, found.past.count) == ((), 0)


def test_charges_that_were_booked_rightly_are_not_accused(book):
    """The count of x < 40 is no ragged region, and a count by declared values reads no open key."""
    for name, seq in (("widened", 6), ("open-keys", 4)):
        with open_ledger(book(name)) as ledger:
            assert seq not in {charge.seq for charge in ledger.verify().past.charges}
