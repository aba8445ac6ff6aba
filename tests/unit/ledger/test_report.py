"""The book for readers."""

from __future__ import annotations

import base64
import json

import pytest

from partita.errors import LedgerFault
from partita.ledger.book.store import State
from partita.ledger.reports.report import check_export, export, summary
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import ask, charge, opened


@pytest.fixture
def ledger():
    with opened(checkpoint_every=4) as found:
        found.open_account("ada", [Pure(epsilon="0.5")])
        ask(found, charge(1, where="age < 18"), b"17")
        found.abandon(found.reserve(charge(2)))
        found.reserve(charge(3, analyst="bob"))
        yield found


def test_a_summary_tells_what_is_spent_and_by_whom(ledger):
    found = summary(ledger, newest=2)
    (balance,) = found.balances
    assert (balance.spent, balance.left) == (Pure(epsilon="0.3"), Pure(epsilon="0.7"))
    assert found.accounts == {"ada": ((Pure(epsilon="0.5"), Pure(epsilon="0.2")),)}
    assert found.states == {State.ANSWERED: 1, State.UNFINISHED: 1, State.ABANDONED: 1}
    assert [(item.asked, item.analyst, item.state) for item in found.newest] == [
        ("question 3", "bob", State.UNFINISHED),
        ("question 2", "ada", State.ABANDONED),
    ]
    assert summary(ledger).newest[-1].region == "age <= 17"
    assert found.born == "2026-01-02T03:04:05.000000+00:00"


def test_an_export_can_be_checked_line_by_line(ledger):
    lines = list(export(ledger))
    assert check_export(lines) == ledger.mark()
    assert ledger.truncation_key().hex() not in "".join(lines)
    assert "answer" not in json.loads(lines[3])


def test_an_export_may_carry_the_answers(ledger):
    lines = [json.loads(text) for text in export(ledger, answers=True)]
    (answered,) = [item for item in lines if item["entry"]["kind"] == "commit"]
    assert base64.b64decode(answered["answer"]) == b"17"
    assert check_export(export(ledger, answers=True)) == ledger.mark()


@pytest.mark.parametrize("change", [lambda lines: lines[1:], lambda lines: lines[:2] + lines[3:]])
def test_an_export_with_a_line_missing_is_refused(ledger, change):
    with pytest.raises(LedgerFault, match="does not follow from the entry before it"):
        check_export(change(list(export(ledger))))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"entry":{},"hash":""}', '{"entry":3,"hash":"00"}'])
def test_what_is_no_export_is_refused(text):
    with pytest.raises(LedgerFault):
        check_export([text])


def test_an_altered_line_of_an_export_is_refused(ledger):
    lines = list(export(ledger))
    lines[2] = lines[2].replace("1/10", "1/99")
    with pytest.raises(LedgerFault, match="Entry 3 of the ledger export does not follow"):
        check_export(lines)


def test_a_question_is_shown_with_what_one_protected_unit_was_charged():
    import partita as pt
    from tests.unit.curator.hospital import hospital

    curator = hospital(promises=[pt.Promise(pt.users("patient", rows=10), pt.Pure(epsilon=1))])
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 30", epsilon="0.3")
    (asked,) = summary(curator.ledger).newest
    assert asked.charged == answer.costs == (pt.Pure(epsilon="0.3"),)
