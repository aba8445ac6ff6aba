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
    assert BOOKS == ["open-keys", "user-days", "widened"]


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
