"""An analyst with the custodian's backup: old copies of the ledger, answers asked for again, charges taken back."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from partita.errors import InvalidInput, LedgerFault
from partita.ledger.book.anchor import Anchor, Mark
from partita.ledger.states import Answered
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import ask, charge, opened

FILES = ("", "-wal", "-shm")


def copy_ledger(source: Path, target: Path) -> None:
    for end in FILES:
        if os.path.exists(f"{source}{end}"):
            shutil.copy(f"{source}{end}", f"{target}{end}")
        elif os.path.exists(f"{target}{end}"):
            os.unlink(f"{target}{end}")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


@pytest.fixture
def backup(tmp_path, path):
    """A copy from before the last answered question."""
    with opened(path) as ledger:
        ask(ledger, charge("first"))
    copy_ledger(path, tmp_path / "backup")
    with opened(path) as ledger:
        ask(ledger, charge("second"))
    return tmp_path / "backup"


def test_an_older_copy_is_refused(path, backup):
    copy_ledger(backup, path)
    with pytest.raises(LedgerFault, match="ends at entry 3, and its anchor has seen entry 5") as caught:
        opened(path)
    assert caught.value.code == "ledger.rolled-back"


def test_an_older_copy_that_was_written_to_elsewhere_is_refused(tmp_path, path, backup):
    """Spending on a copy until it is as long as the original does not make it the original."""
    shutil.copy(f"{path}.anchor", tmp_path / "kept")
    with sqlite3.connect(backup) as connection:
        (before,) = connection.execute("SELECT max(seq) FROM entry").fetchone()
    os.unlink(f"{path}.anchor")
    with pytest.raises(LedgerFault, match="its anchor is gone"):
        opened(backup)
    Path(f"{backup}.anchor").write_bytes(b"")  # the custodian was talked into an empty anchor
    with pytest.raises(LedgerFault, match="its anchor is gone"):
        opened(backup)
    assert before == 3


def test_a_forged_continuation_is_refused(path, backup):
    """The same length and another history: the hash at the anchor's place differs."""
    from partita.ledger.book.entries import Kind, entry_after
    from partita.ledger.book.sqlite import SQLiteStore
    from partita.ledger.book.store import Stage

    copy_ledger(backup, path)
    store = SQLiteStore(str(path))
    for _ in range(5):
        with store.writing(Stage.RESERVE):
            store.append(entry_after(store.last(), Kind.RESTORE, "{}"))
    store.close()
    with pytest.raises(LedgerFault, match=r"Entry 5 .* is not the entry that was seen there before"):
        opened(path)


def test_losing_the_write_ahead_log_is_noticed(path):
    ledger = opened(path)
    ask(ledger, charge("first"))
    copies = path.with_suffix(".copied")
    shutil.copy(path, copies)  # without the log: as a careless backup would
    shutil.copy(f"{path}.anchor", f"{copies}.anchor")
    ledger.close()
    with pytest.raises(LedgerFault) as caught:
        opened(copies)
    assert caught.value.code in {"ledger.rolled-back", "ledger.corrupt"}


def test_a_rollback_to_an_unfinished_reservation_gives_no_second_noise(tmp_path, path):
    """Taking back only the commit would give fresh noise under the old charge; the anchor has kept the commit."""
    with opened(path) as ledger:
        reservation = ledger.reserve(charge("n"))
    copy_ledger(path, tmp_path / "backup")
    with opened(path) as ledger:
        ledger.commit(reservation, b"first noise")
    copy_ledger(tmp_path / "backup", path)
    with opened(path) as ledger:
        assert ledger.reserve(charge("n")).content == b"first noise"
        assert ledger.commit(reservation, b"second noise").content == b"first noise"
        assert ledger.verify().problems == ()


def test_a_rollback_past_an_answer_too_long_to_be_kept_is_refused(tmp_path, path):
    with opened(path) as ledger:
        reservation = ledger.reserve(charge("n"))
    copy_ledger(path, tmp_path / "backup")
    with opened(path) as ledger:
        ledger.commit(reservation, b"7" * 100_000)
    copy_ledger(tmp_path / "backup", path)
    with pytest.raises(LedgerFault, match="older copy"):
        opened(path)


def test_a_kept_commit_is_given_back_only_to_the_book_it_belongs_to(tmp_path, path, backup):
    """Another reservation under the same number, or a commit that was tampered with, is not the one that was seen."""
    from partita.ledger.book.anchor import FileAnchor
    from partita.ledger.book.entries import packed, unpacked

    copy_ledger(backup, path)
    anchor = FileAnchor(f"{path}.anchor")
    entry, answer = unpacked(anchor.kept())
    assert (entry.seq, answer) == (5, b"42")
    for forged in (packed(entry, b"43"), packed(entry._replace(of=2), b"42"), b"", b"[]\n42", b"?"):
        anchor.advance(Mark(anchor.read().seq + 1, entry.hash), forged)
        with pytest.raises(LedgerFault, match="older copy"):
            opened(path)


def test_a_rollback_under_a_running_process_is_noticed(path, backup):
    with opened(path) as ledger:
        with sqlite3.connect(path) as other:
            other.execute("DELETE FROM entry WHERE seq > 3")
        with pytest.raises(LedgerFault):
            ledger.reserve(charge("third"))


def test_an_external_counter_notices_what_a_copied_folder_hides(tmp_path):
    class Counter(Anchor):
        """A service that only counts up, out of reach of the backup."""

        mark: Mark | None = None

        def read(self):
            return self.mark

        def advance(self, mark):
            if self.mark is None or mark.seq > self.mark.seq:
                self.mark = mark

    counter, folder, copied = Counter(), tmp_path / "folder", tmp_path / "copied"
    folder.mkdir()
    with opened(folder / "visits.ledger", anchor=counter) as ledger:
        ask(ledger, charge("first"))
    shutil.copytree(folder, copied)
    with opened(folder / "visits.ledger", anchor=counter) as ledger:
        ask(ledger, charge("second"))
    shutil.rmtree(folder)
    shutil.copytree(copied, folder)
    with pytest.raises(LedgerFault, match="older copy"):
        opened(folder / "visits.ledger", anchor=counter)


def test_asking_again_gives_the_same_noise(path):
    with opened(path) as ledger:
        first = ask(ledger, charge("n"), b"noise 1")
        for attempt in range(5):
            assert ask(ledger, charge("n", analyst=f"colluder {attempt}"), b"noise 2") == first
        assert ledger.spent() == (Pure(epsilon="0.1"),)


def test_a_key_cannot_carry_a_paid_question_over_to_another(path):
    with opened(path) as ledger:
        ask(ledger, charge("cheap", "0.001", key="k"))
        with pytest.raises(InvalidInput, match="used for another question"):
            ledger.reserve(charge("dear", "0.5", key="k"))


def test_no_sequence_of_calls_gives_anything_back(path):
    with opened(path) as ledger:
        reservation = ledger.reserve(charge("n", "0.4"))
        ledger.abandon(reservation)
        with pytest.raises(InvalidInput):
            ledger.commit(reservation, b"late")
        state = ledger.reserve(charge("n", "0.4"))
        assert not isinstance(state, Answered)
        assert ledger.remaining("visits") == (Pure(epsilon="0.2"),)
    with opened(path) as ledger:
        assert ledger.remaining("visits") == (Pure(epsilon="0.2"),)
