"""Ledgers written by earlier versions: they open, audit clean, mean the same, and never get cheaper.

The files in ledger-1 were written once and are never written again; a new format adds a folder beside it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from partita.ledger.book.store import State
from partita.ledger.opening import open_ledger
from partita.ledger.receipts.receipts import Receipt
from partita.ledger.reports.report import check_export, export
from partita.theory.documents import from_document

FOLDERS = sorted(Path(__file__).parent.glob("ledger-*"))


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def golden(request):
    return request.param


@pytest.fixture
def expected(golden):
    return json.loads((golden / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def ledger(golden, tmp_path):
    """A copy, since opening a file may write beside it."""
    for name in ("visits.ledger", "visits.ledger.anchor", "visits.ledger.key"):
        shutil.copy(golden / name, tmp_path / name)
    with open_ledger(tmp_path / "visits.ledger") as found:
        yield found


def test_there_is_a_ledger_of_every_format():
    assert [folder.name for folder in FOLDERS] == ["ledger-1", "ledger-2"]


def test_it_opens_and_is_sound(ledger, expected):
    found = ledger.verify()
    assert found.problems == ()
    assert [found.mark.seq, found.mark.hash.hex()] == expected["mark"]


def test_it_never_gets_cheaper(ledger, expected):
    for analyst, written in ((None, expected["spent"]), ("bob", expected["bob"])):
        for now, document in zip(ledger.spent(analyst), written, strict=True):
            if document is None:
                assert now is None
                continue
            then = from_document(document).vector()
            assert all(mine >= before for mine, before in zip(now.vector(), then, strict=True))


def test_its_answers_are_there(ledger, expected):
    for question, answer in expected["answers"].items():
        assert json.loads(ledger.stored(question).content) == [[answer]]
    assert ledger.states() == {State.ANSWERED: 7, State.UNFINISHED: 1, State.ABANDONED: 1}
    assert ledger.truncation_key().hex() == expected["truncation_key"]


def test_its_export_is_the_same_line_for_line(ledger, golden):
    written = (golden / "export.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    assert list(export(ledger, answers=True)) == written
    assert check_export(written) == ledger.mark()


def test_its_receipt_still_holds(ledger, golden):
    receipt = Receipt.from_json((golden / "receipt.json").read_text(encoding="utf-8"))
    receipt.check(ledger.birth.public_key)
    assert ledger.receipt(ledger.stored(receipt.question)) == receipt


def test_it_can_be_gone_on_with(ledger):
    from dataclasses import replace

    from partita.ledger.charge import Charge, Reader
    from partita.ledger.states import Reservation

    spent = ledger.spent()
    entry = next(entry for entry in ledger.entries() if entry.charge is not None)
    priced = Reader(ledger.terms.tables)(entry.charge)
    made = Charge(
        table=priced.table, region=priced.region, costs=priced.costs, mechanism={}, question="0" * 64, analyst="cleo"
    )
    state = ledger.reserve(made)
    assert isinstance(state, Reservation)
    ledger.commit(state, b"[]")
    assert ledger.spent() != spent
    assert ledger.reserve(replace(made, analyst="ada")).content == b"[]"
    assert ledger.verify().problems == ()
