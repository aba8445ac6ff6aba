"""The audit believes nothing but the lines."""

from __future__ import annotations

import sqlite3

import pytest

from partita.ledger.book.entries import GENESIS, chained, line
from partita.limits import Limits, using
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import PlainPayer, ask, charge, opened


@pytest.fixture
def path(tmp_path):
    """A book with checkpoints, an account, an unfinished and an abandoned question."""
    path = tmp_path / "visits.ledger"
    with opened(path, checkpoint_every=4) as ledger:
        for number in range(4):
            ask(ledger, charge(number, key=str(number)))
        ledger.open_account("bob", [Pure(epsilon="0.3")])
        ask(ledger, charge("b", analyst="bob"))
        ledger.abandon(ledger.reserve(charge("abandoned")))
        ledger.reserve(charge("unfinished"))
    return path


def rechained(path, statement=None):
    """Alter the file and forge the chain from there on: what only an audit of the meaning can notice."""
    connection = sqlite3.connect(path)
    if statement:
        connection.execute(statement)
    before = GENESIS
    rows = connection.execute(
        "SELECT seq, kind, of, lower(hex(question)), key, charge, note FROM entry ORDER BY seq"
    ).fetchall()
    for seq, kind, of, question, key, priced, note in rows:
        before = chained(before, line(seq, kind, of, question or None, key, priced, note))
        connection.execute("UPDATE entry SET hash = ? WHERE seq = ?", (before, seq))
    connection.commit()
    connection.close()


def problems(path, statement):
    with opened(path) as ledger:
        rechained(path, statement)
        return "; ".join(ledger.verify().problems)


def test_a_sound_book_is_found_sound(path):
    with opened(path) as ledger:
        found = ledger.verify()
        assert found.sound
        assert found.spent == ledger.spent() == (Pure(epsilon="0.7"),)
        assert (found.charges, found.answered, found.unfinished, found.abandoned) == (7, 5, 1, 1)
        assert found.mark == ledger.mark()
        assert found.entries == len(list(ledger.entries()))


def test_forging_nothing_changes_nothing(path):
    assert problems(path, None) == ""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE entry SET charge = replace(charge, '1/10', '1/99') WHERE seq = 2", "does not match the charges"),
        (
            "UPDATE entry SET charge = replace(charge, '1/10', '9') WHERE kind = 'reserve'",
            "is exceeded: ε = 63 of ε = 1",
        ),
        ("UPDATE entry SET charge = replace(charge, '1/10', '9') WHERE charge LIKE '%bob%'", "account of 'bob' for"),
        ("UPDATE entry SET of = 2 WHERE seq = 14", "not an open reservation"),
        ("UPDATE entry SET charge = '{}' WHERE seq = 2", "holds a charge that cannot be read: '{}'"),
        ("UPDATE entry SET charge = replace(charge, 'null}],', 'null},{}],') WHERE seq = 2", "cannot be read"),
        ("UPDATE entry SET charge = replace(charge, 'visits', 'other') WHERE seq = 2", "cannot be read"),
        ("UPDATE entry SET charge = NULL WHERE seq = 2", "entry 2 reserves nothing"),
        ("DELETE FROM entry WHERE seq = 5", "entries 5 to 5 are missing"),
        ("UPDATE entry SET kind = 'birth' WHERE seq = 4", "entry 4 is a second birth"),
        ("DELETE FROM answer WHERE seq = 3", "the answer of entry 3"),
        ("UPDATE tally SET content = x'00'", "the tally stored with entry 6 is not that"),
        ("DELETE FROM tally", "the tally stored with entry 6 is not that"),
        ("UPDATE entry SET note = '{}' WHERE kind = 'checkpoint'", "checkpoint at entry 6 does not match"),
        ("UPDATE entry SET note = '{}' WHERE kind = 'account'", "without limits"),
        ("DELETE FROM secret", "the truncation key"),
        ("UPDATE entry SET note = '{}' WHERE seq = 3", "the anchor has seen another entry"),
        ("DELETE FROM entry WHERE seq = 1", "there is no birth"),
    ],
)
def test_a_forged_book_is_found_out(path, statement, found):
    with sqlite3.connect(path) as connection:
        connection.execute("DROP INDEX closing")
    assert found in problems(path, statement)


def test_an_index_that_forgets_an_answer_is_found_out(path):
    """A lookup that misses a commit would let a second answer out; the audit compares every index with its table."""
    honest = "CREATE UNIQUE INDEX closing ON entry (of) WHERE of IS NOT NULL"
    for definition, place in ((honest, 2000), (honest.replace("IS NOT NULL", "> 1000"), 2), (honest, 2)):
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'closing'", (definition,))
        connection.close()
        with sqlite3.connect(path) as again:
            again.execute(f"UPDATE entry SET of = {place} WHERE seq = 3 AND of <> {place}")
        again.close()
    with opened(path) as ledger:
        assert "the file itself: row" in "; ".join(ledger.verify().problems)


def test_an_account_that_forgets_is_found_out(path):
    """A fresh account that counts only half is caught by the count that shares no code with it."""

    class Forgetful(PlainPayer):
        def load(self, charges):
            super().load([(region, cost, count // 2) for region, cost, count in charges])

    with opened(path, make=Forgetful) as ledger:
        assert "the promise for [one row, added or removed] is understated" in "; ".join(ledger.verify().problems)


def test_too_many_cells_to_count_are_said_to_be_unproven():
    class Vague(PlainPayer):
        def bracket(self):
            return self.loss.zero(), self.loss.times(10)

    with using(Limits(recount_cells=1)), opened(make=Vague) as ledger:
        for number in range(3):
            ask(ledger, charge(number, where=f"age < {number + 5}"))
        found = ledger.verify()
        assert found.sound
        assert found.unproven == ("the promise for [one row, added or removed]: at most ε = 3 of ε = 1 could be shown",)
