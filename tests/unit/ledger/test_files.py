"""Ledgers in files: found again, shared, and refused when they cannot be trusted."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, LedgerFault
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.book import anchor as anchors
from partita.ledger.book.anchor import FileAnchor, Mark
from partita.ledger.book.points import Point
from partita.ledger.book.sqlite import MEMORY
from partita.ledger.opening import restore
from partita.region import Domain, Region, integers
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import DOMAIN, TERMS, PlainPayer, ask, charge, clock, opened

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


@pytest.fixture
def used(path):
    """A ledger with three answered questions, closed."""
    with opened(path) as ledger:
        for number in range(3):
            ask(ledger, charge(number), b"%d" % number)
    return path


def code(caught):
    return caught.value.code


def refused(path, **options):
    with pytest.raises(LedgerFault) as caught:
        opened(path, **options)
    return caught.value.code


def reserve_many(ledger):
    for number in range(1000):
        ledger.reserve(charge(("big", number), "1e-9", key="k" * 190 + str(number)))


def alter(path, statement, *values):
    connection = sqlite3.connect(path)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def test_what_was_booked_is_there_again(used):
    with opened(used, None) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.3"),)
        assert ledger.stored(charge(1).question).content == b"1"
        assert ledger.terms == TERMS
        assert ledger.truncation_key()


def test_only_the_owner_may_read_the_files(used):
    for name in (used, f"{used}.key", f"{used}.anchor"):
        assert stat.S_IMODE(os.stat(name).st_mode) == 0o600


def test_a_missing_ledger_is_only_made_from_terms(path):
    assert refused(path, terms=None) == "ledger.missing"
    assert refused(MEMORY, terms=None) == "ledger.missing"
    assert refused(path.parent / "nowhere" / "l", terms=TERMS) == "ledger.no-folder"
    assert not list(path.parent.iterdir())


def test_two_handles_see_each_other(path):
    with opened(path) as first, opened(path) as second:
        ask(first, charge("a", "0.5"), b"a")
        assert second.reserve(charge("a", "0.5")).content == b"a"
        ask(second, charge("b", "0.5"), b"b")
        assert first.remaining("visits") == (Pure(epsilon=0),)
        assert first.stored(charge("b").question).content == b"b"


def test_making_the_same_ledger_twice_at_once_opens_it_once(path):
    from partita.ledger.book.sqlite import SQLiteStore

    with opened(path) as first:
        born = next(first.entries())
        store = SQLiteStore.create(str(path), born, b"another secret")
        assert store.secret() == first.truncation_key()
        store.close()
    assert sorted(item.name for item in path.parent.iterdir() if "new" in item.name) == []


def test_other_promises_are_refused(used):
    looser = Terms([Promise(rows(), Pure(epsilon=2))], {"visits": DOMAIN})
    with pytest.raises(LedgerFault, match=r"promise 1: the ledger has .*ε = 1.*, declared now is .*ε = 2") as caught:
        opened(used, looser)
    assert code(caught) == "ledger.other-promises"


def test_another_domain_is_refused(used):
    other = Terms(TERMS.promises, {"visits": Domain({"age": integers(0, 90)}), "more": DOMAIN})
    with pytest.raises(LedgerFault, match=r"table more: the ledger has .none., declared now is .columns age") as caught:
        opened(used, other)
    assert code(caught) == "ledger.other-tables"
    assert "visits.age: the ledger has [" in caught.value.message
    assert "a ledger of its own" in caught.value.message


def test_a_ledger_without_a_charge_takes_another_declaration(path):
    wider = Terms([Promise(rows(), Pure(epsilon=2))], {"visits": Domain({"age": integers(0, 120)})})
    with opened(path) as ledger:
        secret = ledger.truncation_key()
        ledger.open_account("ana", [Pure(epsilon="0.5")])
    with opened(path, wider) as ledger:
        assert ledger.terms == wider
        assert ledger.truncation_key() == secret
        assert not ledger.accounts()
        assert ledger.verify().sound
    with opened(path, wider) as ledger:
        domain = wider.tables["visits"]
        ask(ledger, replace(charge(1), region=Region.everything(domain)), b"1")
        assert ledger.verify().sound
    assert refused(path, terms=TERMS) == "ledger.other-promises"


def test_whoever_has_the_old_declaration_open_charges_nothing_under_it(path):
    wider = Terms([Promise(rows(), Pure(epsilon=2))], {"visits": DOMAIN})
    with opened(path) as old, opened(path, wider) as new:
        with pytest.raises(LedgerFault) as caught:
            old.reserve(charge(1))
        assert code(caught) == "ledger.rewritten"
        assert new.verify().sound
        ask(new, charge(1), b"1")


def test_a_copy_older_than_its_anchor_is_not_begun_again(path):
    wider = Terms([Promise(rows(), Pure(epsilon=2))], {"visits": DOMAIN})
    opened(path).close()
    before = path.read_bytes()
    with opened(path) as ledger:
        ask(ledger, charge(1), b"1")
        ask(ledger, charge(2), b"2")
    path.write_bytes(before)
    assert refused(path, terms=wider) == "ledger.rolled-back"


def test_an_open_charge_holds_the_declaration(path):
    wider = Terms([Promise(rows(), Pure(epsilon=2))], {"visits": DOMAIN})
    with opened(path) as ledger:
        ledger.reserve(charge(1))
    assert refused(path, terms=wider) == "ledger.other-promises"


@pytest.mark.parametrize("content", [b"", b"short", b"SQLite format 3\0" + bytes(84)])
def test_a_file_that_is_cut_short_or_no_ledger_is_refused(path, content):
    path.write_bytes(content)
    assert refused(path) in {"ledger.truncated", "ledger.not-a-ledger"}
    assert path.read_bytes() == content


def test_what_is_no_ledger_is_refused_and_left_as_it_is(path):
    path.write_bytes(b"a letter, and no ledger. " * 99)
    assert refused(path) == "ledger.not-a-ledger"
    path.unlink()
    path.mkdir()
    assert refused(path) == "ledger.not-a-ledger"
    path.rmdir()
    alter(path, "CREATE TABLE entry (seq)")
    before = path.read_bytes()
    assert refused(path) == "ledger.not-a-ledger"
    assert path.read_bytes() == before


def test_a_file_of_a_few_bytes_is_cut_short(path):
    path.write_bytes(b"")
    assert refused(path) == "ledger.truncated"


def test_a_later_format_is_refused(used):
    alter(used, "PRAGMA user_version = 3")
    assert refused(used) == "ledger.newer-format"


def test_a_truncated_file_is_refused_and_left_alone(used):
    whole = used.read_bytes()
    for size in (5000, len(whole) // 2, len(whole) - 4096):
        used.write_bytes(whole[:size])
        assert refused(used) in {"ledger.corrupt", "ledger.truncated", "ledger.rolled-back", "ledger.broken-chain"}
        assert len(used.read_bytes()) == size


def test_no_flipped_byte_is_believed(used):
    """Every byte of the file that a text or hash stands in: the ledger is refused, or the audit names it."""
    whole = used.read_bytes()
    wanted = [b'"epsilon":"1/10"', b'"costs"', b"visits", b"question 1", b"laplace"]
    for text in wanted:
        place = whole.index(text, 4096)
        used.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert refused(used) in {"ledger.broken-chain", "ledger.corrupt"}, text
    used.write_bytes(whole)
    opened(used).close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET charge = replace(charge, '1/10', '1/99') WHERE seq = 4",
        "UPDATE entry SET kind = 'commit' WHERE seq = 4",
        "UPDATE entry SET of = 99 WHERE seq = 3",
        "UPDATE entry SET question = randomblob(32) WHERE seq = 4",
        "UPDATE entry SET key = '[]' WHERE seq = 4",
        "UPDATE entry SET note = '{}' WHERE seq = 5",
        "UPDATE entry SET hash = randomblob(32) WHERE seq = 5",
        "DELETE FROM entry WHERE seq = 4",
        "UPDATE entry SET seq = 99 WHERE seq = 7",
    ],
)
def test_an_altered_line_breaks_the_chain(used, statement):
    alter(used, statement)
    assert refused(used) == "ledger.broken-chain"


def test_a_line_of_unknown_kind_is_refused(used):
    alter(used, "UPDATE entry SET kind = 'refund' WHERE seq = 4")
    assert refused(used) == "ledger.corrupt"


def test_a_missing_table_is_refused(used):
    alter(used, "DROP TABLE tally")
    assert refused(used) == "ledger.corrupt"


def test_an_altered_answer_is_not_returned(used):
    alter(used, "UPDATE answer SET content = x'00' WHERE seq = 5")
    with opened(used) as ledger:
        with pytest.raises(LedgerFault, match="not the one that was committed"):
            ledger.stored(charge(1).question)
        assert ledger.stored(charge(2).question).content == b"2"
        assert ledger.verify().problems == ("the answer of entry 5 is not the one that was committed",)


def test_an_exchanged_truncation_key_is_noticed(used):
    alter(used, "UPDATE secret SET content = randomblob(32)")
    with opened(used) as ledger:
        with pytest.raises(LedgerFault, match="which rows of a user are kept"):
            ledger.truncation_key()
        assert ledger.verify().problems == ("the truncation key is not the one of the birth",)


def test_a_file_exchanged_while_open_is_noticed(used):
    with opened(used) as ledger:
        copy = used.with_suffix(".copy")
        shutil.copy(used, copy)
        os.replace(copy, used)
        with pytest.raises(LedgerFault, match="moved or exchanged while it was open"):
            ledger.reserve(charge("n"))
        used.unlink()
        with pytest.raises(LedgerFault, match="moved or exchanged while it was open"):
            ledger.reserve(charge("n"))


def test_a_file_rewritten_in_place_is_noticed(used):
    with opened(used) as ledger:
        alter(used, "DELETE FROM entry WHERE seq > 5")
        with pytest.raises(LedgerFault, match="not the entry that was seen there before"):
            ledger.reserve(charge("n"))


def test_a_locked_ledger_is_a_refusal(used):
    with opened(used, timeout=0.05) as ledger:
        other = sqlite3.connect(used, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerFault, match=r"held by another process for 0.05 seconds. No protected data") as caught:
            ledger.reserve(charge("n"))
        assert code(caught) == "ledger.locked"
        other.execute("ROLLBACK")
        other.close()
        assert ledger.reserve(charge("n"))


def test_a_read_only_ledger_is_a_refusal_before_any_read(used):
    with opened(used) as ledger:
        ledger._store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(LedgerFault, match=r"cannot be written. No protected data was read") as caught:
            ledger.reserve(charge("n"))
        assert code(caught) == "ledger.not-writable"
        assert ledger.stored(charge(1).question).content == b"1"


def test_a_full_disk_is_a_refusal_and_leaves_the_ledger_usable(used):
    with opened(used) as ledger:
        connection = ledger._store._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerFault, match=r"is full. No protected data was read") as caught:
            reserve_many(ledger)
        assert code(caught) == "ledger.full"
        connection.execute("PRAGMA max_page_count = 1000000")
        spent = ledger.spent()
        assert ledger.verify().sound
    with opened(used) as again:
        assert again.spent() == spent
        ask(again, charge("after", "0.1"))


def test_a_disk_that_fills_before_the_answer_withholds_it_and_the_retry_gets_it(used):
    with opened(used) as ledger:
        reservation = ledger.reserve(charge("big"))
        connection = ledger._store._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerFault, match="The charge stands and the answer was withheld"):
            ledger.commit(reservation, b"x" * 100_000)
        connection.execute("PRAGMA max_page_count = 1000000")
        again = ledger.reserve(charge("big"))
        assert (again.seq, again.resumed) == (reservation.seq, True)
        assert ledger.commit(again, b"x").content == b"x"
        assert ledger.spent() == (Pure(epsilon="0.4"),)


SPEND_UNTIL_THE_LIMIT = """
import resource, signal, sys
from partita.errors import LedgerFault
from tests.unit.ledger.plain import charge, opened
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with opened(sys.argv[1]) as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    made = 0
    try:
        while True:
            ledger.reserve(charge(made, "1e-9"))
            made += 1
    except LedgerFault as fault:
        print(made, fault.code)
"""


def test_a_file_system_that_refuses_to_grow_is_a_refusal(path):
    assert resource.RLIMIT_FSIZE
    result = subprocess.run(
        [sys.executable, "-c", SPEND_UNTIL_THE_LIMIT, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    made, fault = result.stdout.split()
    assert int(made) > 0, result.stderr
    assert fault in {"ledger.full", "ledger.storage-failed"}
    with opened(path) as ledger:
        charges = ledger.verify().charges
        assert charges in {int(made), int(made) + 1}  # the last one may have become durable all the same
        assert ledger.spent() == (Pure(epsilon=charges * Pure(epsilon="1e-9").epsilon),)


def test_a_forked_process_may_not_use_its_parents_ledger(used):
    with opened(used) as ledger:
        child = os.fork()
        if child == 0:
            try:
                ledger.reserve(charge("n"))
            except LedgerFault as fault:
                os._exit(7 if fault.code == "ledger.forked" else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# --- the anchor ----------------------------------------------------------------------------------------------


def test_the_anchor_advances_before_an_answer_leaves(path):
    seen = {}

    def watch(point):
        seen[point] = FileAnchor(f"{path}.anchor").read().seq

    with opened(path, faults=watch) as ledger:
        ask(ledger, charge("n"))
    assert (seen[Point.RESERVED], seen[Point.COMMITTED], seen[Point.ANCHORED]) == (1, 1, 3)


def test_an_answer_whose_anchor_failed_leaves_only_once_anchored(path):
    class Broken(RuntimeError):
        pass

    def stop(point):
        if point is Point.COMMITTED:
            raise Broken

    with opened(path, faults=stop) as ledger, pytest.raises(Broken):
        ask(ledger, charge("n"), b"17")
    anchor = FileAnchor(f"{path}.anchor")
    assert anchor.read().seq == 1
    with opened(path) as ledger:
        assert ledger.stored(charge("n").question).content == b"17"
        assert anchor.read().seq == 3


def test_an_anchor_that_cannot_be_written_withholds_the_answer(path):
    with opened(path) as ledger:
        reservation = ledger.reserve(charge("n"))
        anchor = Path(f"{path}.anchor")
        anchor.unlink()
        anchor.mkdir()
        with pytest.raises(LedgerFault, match=r"The anchor .* cannot be used"):
            ledger.commit(reservation, b"17")


def test_a_ledger_whose_anchor_is_gone_is_refused(used):
    os.unlink(f"{used}.anchor")
    assert refused(used) == "ledger.anchor-missing"


def test_a_deleted_ledger_is_not_born_again(used):
    used.unlink()
    assert refused(used) == "ledger.gone"


def test_a_birth_that_was_never_anchored_is_accepted(path):
    opened(path).close()
    os.unlink(f"{path}.anchor")
    opened(path).close()
    assert FileAnchor(f"{path}.anchor").read().seq == 1


def test_an_anchor_survives_a_torn_write(tmp_path):
    path = tmp_path / "anchor"
    anchor = FileAnchor(str(path))
    assert anchor.read() is None
    for seq in range(1, 6):
        anchor.advance(Mark(seq, bytes([seq] * 32)))
        whole = path.read_bytes()
        for slot in (0, 128):
            torn = bytearray(whole)
            torn[slot + 40 : slot + 128] = bytes(88)
            path.write_bytes(bytes(torn))
            if seq > 1:
                assert anchor.read().seq in {seq - 1, seq}
        path.write_bytes(whole)
        assert anchor.read() == Mark(seq, bytes([seq] * 32))


def test_a_damaged_anchor_is_refused(used):
    Path(f"{used}.anchor").write_bytes(b"nonsense")
    assert refused(used) == "ledger.anchor-damaged"


def test_an_anchor_never_goes_back(tmp_path):
    anchor = FileAnchor(str(tmp_path / "anchor"))
    anchor.advance(Mark(9, bytes(32)))
    anchor.advance(Mark(3, bytes(32)))
    assert anchor.read().seq == 9


def test_an_anchor_may_be_kept_elsewhere(path, tmp_path):
    elsewhere = tmp_path / "counter"
    with opened(path, anchor=str(elsewhere)) as ledger:
        ask(ledger, charge("n"))
    assert elsewhere.exists()
    assert not Path(f"{path}.anchor").exists()
    assert refused(path) == "ledger.anchor-missing"


def test_a_custodian_may_go_on_without_the_anchor_and_the_book_says_so(used):
    with pytest.raises(LedgerFault, match="nothing needs to be restored"):
        restore(used, "disk died", make=PlainPayer)
    os.unlink(f"{used}.anchor")
    with pytest.raises(InvalidInput, match="say why"):
        restore(used, " ", make=PlainPayer)
    restore(used, "disk died", clock=clock, make=PlainPayer)
    with opened(used) as ledger:
        (entry,) = ledger.entries(after=7)
        assert entry.details() == {"at": "2026-01-02T03:04:05.000000+00:00", "reason": "disk died"}
        found = ledger.verify()
        assert (found.problems, found.restored) == ((), 1)
        ask(ledger, charge("afterwards"))


# --- checkpoints ---------------------------------------------------------------------------------------------


@pytest.fixture
def checkpointed(path):
    with opened(path, checkpoint_every=4) as ledger:
        for number in range(8):
            ask(ledger, charge(number))
        assert [entry.kind for entry in ledger.entries()].count("checkpoint") == 3
    return path


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tally SET content = CAST(replace(CAST(content AS TEXT), '1/10', '1/99') AS BLOB)",
        """UPDATE tally SET content = CAST('{"accounts":[],"charges":[]}' AS BLOB)""",
        "DELETE FROM tally WHERE seq = (SELECT min(seq) FROM tally)",
        "UPDATE tally SET seq = 2 WHERE seq = (SELECT max(seq) FROM tally)",
        "INSERT INTO tally SELECT max(seq) + 1, content FROM tally",
    ],
)
def test_an_altered_tally_is_refused_before_it_is_used(checkpointed, statement):
    alter(checkpointed, statement)
    assert refused(checkpointed) == "ledger.tally-damaged"


def test_without_its_newest_tally_a_ledger_reads_the_lines_instead(checkpointed):
    alter(checkpointed, "DELETE FROM tally WHERE seq = (SELECT max(seq) FROM tally)")
    with opened(checkpointed) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.8"),)
        assert "the tally stored with entry" in "; ".join(ledger.verify().problems)


def test_opening_does_not_read_what_is_summed_up(checkpointed):
    """A line before the newest checkpoint is not needed to open; the audit reads every one."""
    alter(checkpointed, "UPDATE entry SET note = '{}' WHERE seq = 3")
    with opened(checkpointed) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.8"),)
        assert "entry 3 does not follow" in "; ".join(ledger.verify().problems)


def test_a_mark_is_looked_for_again_where_others_step_on(tmp_path, monkeypatch):
    writer, reader = FileAnchor(str(tmp_path / "a")), FileAnchor(str(tmp_path / "a"))
    writer.advance(Mark(1, bytes(32)), b"one")
    found = anchors._mark

    def overtaken(file, content, slot):
        # Between looking at the marks and at what is kept beside them, both are written anew.
        monkeypatch.setattr(anchors, "_mark", found)
        writer.advance(Mark(2, bytes(32)), b"second")
        writer.advance(Mark(3, bytes(32)), b"third")
        return found(file, content, slot)

    monkeypatch.setattr(anchors, "_mark", overtaken)
    assert reader.read() == Mark(3, bytes(32))
    assert reader.kept() == b"third"
