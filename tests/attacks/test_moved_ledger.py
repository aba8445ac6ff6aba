"""A ledger that moves between a file and a server: cut short anywhere, copied before, open elsewhere meanwhile."""

from __future__ import annotations

import shutil
import signal
from itertools import pairwise
from pathlib import Path

import pytest

from partita.errors import InvalidInput, LedgerFault
from partita.ledger.book.anchor import FileAnchor
from partita.ledger.moving import Step, move_ledger
from partita.theory.measures.pure import Pure
from tests.laws import served
from tests.unit.ledger.forge import Forge
from tests.unit.ledger.plain import TERMS, ask, charge, opened, place


@pytest.fixture(scope="module")
def forge():
    found = Forge()
    yield found
    found.close()


@pytest.fixture
def ways(tmp_path):
    """Places for two ways, there and back."""
    folder = tmp_path / "machine"
    folder.mkdir()
    return [str(tmp_path / "old.ledger"), served.ledger(folder), str(tmp_path / "new.ledger")]


def told(path):
    """The hash of every entry, and its answer."""
    with opened(path) as ledger, ledger._book.reading() as store:
        return [(entry.hash, answer) for entry, answer in store.everything()], store.tallies(), store.secret()


def filled(path):
    with opened(path, checkpoint_every=3) as ledger:
        for number in range(3):
            ask(ledger, charge(number))
        ledger.reserve(charge("unfinished", key="k"))
    return told(path)


def refused(path, *codes):
    with pytest.raises(LedgerFault) as caught:
        opened(path).close()
    assert caught.value.code in codes, caught.value


def test_everything_is_as_it_was_there_and_back_and_both_old_places_are_closed(ways):
    before = filled(ways[0])
    for old, new in pairwise(ways):
        move_ledger(place(old), place(new))
        assert told(new) == before
        refused(old, "ledger.moved")
        with pytest.raises(LedgerFault, match=r"is closed here for ever"):
            move_ledger(place(old), place(ways[0] + ".other"))
        # The same call again finds that all is done.
        assert move_ledger(place(old), place(new)).entries == len(before[0])
    with opened(ways[2]) as ledger:
        assert ledger.verify().problems == ()
        assert ledger.spent() == (Pure(epsilon="0.4"),)
        ask(ledger, charge("unfinished", key="k"))
        assert ledger.spent() == (Pure(epsilon="0.4"),)
        assert ledger.verify().unfinished == 0


@pytest.mark.parametrize("back", [False, True], ids=["to a server", "to a file"])
@pytest.mark.parametrize("step", list(Step))
def test_a_move_that_is_killed_is_never_at_two_places_and_the_same_call_finishes_it(forge, ways, step, back):
    before = filled(ways[0])
    if back:
        move_ledger(place(ways[0]), place(ways[1]))
    old, new = ways[1:] if back else ways[:2]
    assert forge.run(["move", old, new, step]) == [(-signal.SIGKILL, "")]
    if step in (Step.LOCKED, Step.COPIED, Step.CLOSING):
        # Not closed yet: it goes on, and the copy that was begun is worth nothing.
        if step is not Step.LOCKED and not back:
            refused(new, "ledger.arriving")
        with opened(old) as ledger:
            ask(ledger, charge("meanwhile"))
        before = told(old)
    else:
        refused(old, "ledger.moved")
        if step is not Step.ARRIVED and not back:
            refused(new, "ledger.arriving")
    assert not back or step is Step.ARRIVED or not Path(new).exists()
    if step is Step.ARRIVED:
        with opened(new) as ledger:
            ask(ledger, charge("gone on"))
        before = told(new)
    assert forge.run(["move", old, new, "nowhere"])[0][0] == 0
    assert told(new) == before
    refused(old, "ledger.moved")


def test_an_older_copy_of_the_old_file_is_refused_and_so_is_a_process_that_had_it_open(ways):
    filled(ways[0])
    copies = [f"{ways[0]}{end}" for end in ("", "-wal", "-shm")]
    for name in copies:
        if Path(name).exists():
            shutil.copy(name, f"{name}.copy")
    with opened(ways[0]) as ledger:
        move_ledger(place(ways[0]), place(ways[1]))
        with pytest.raises(LedgerFault) as caught:
            ledger.reserve(charge("late"))
        assert caught.value.code == "ledger.not-here"
    Path(ways[0]).unlink()
    refused(ways[0], "ledger.gone")
    for name in copies:
        if Path(f"{name}.copy").exists():
            shutil.move(f"{name}.copy", name)
    refused(ways[0], "ledger.rolled-back")


def test_a_process_that_had_the_server_open_is_told(ways):
    filled(ways[1])
    with opened(ways[1]) as ledger:
        move_ledger(place(ways[1]), place(ways[2]))
        with pytest.raises(LedgerFault) as caught:
            ledger.reserve(charge("late"))
        assert caught.value.code == "ledger.not-here"


def test_a_book_comes_back_to_its_first_name_once_the_closed_file_is_taken_away(ways):
    filled(ways[0])
    move_ledger(place(ways[0]), place(ways[1]))
    with opened(ways[1]) as ledger:
        ask(ledger, charge("there"))
    with pytest.raises(LedgerFault) as caught:
        move_ledger(place(ways[1]), place(ways[0]))
    assert caught.value.code == "ledger.not-empty"
    Path(ways[0]).unlink()
    before = told(ways[1])
    move_ledger(place(ways[1]), place(ways[0]))
    assert told(ways[0]) == before


def test_nothing_is_written_over_another_book_its_anchor_or_its_key(ways, tmp_path):
    filled(ways[0])
    opened(ways[2]).close()
    for new, code in ((ways[2], "ledger.not-empty"), (ways[0], "ledger.nowhere-to-move"), (":memory:", None)):
        with pytest.raises((LedgerFault, InvalidInput)) as caught:
            move_ledger(place(ways[0]), place(new))
        assert caught.value.code == (code or "ledger.nowhere-to-move")
    Path(ways[2]).unlink()
    with pytest.raises(LedgerFault) as caught:
        move_ledger(place(ways[0]), place(ways[2]))
    assert caught.value.code in ("ledger.another-key", "ledger.anchor-stands")
    Path(f"{ways[2]}.key").unlink(missing_ok=True)
    assert FileAnchor(f"{ways[2]}.anchor").read() is not None
    with pytest.raises(LedgerFault) as caught:
        move_ledger(place(ways[0]), place(ways[2]))
    assert caught.value.code == "ledger.anchor-stands"
    with opened(ways[0]) as ledger:
        assert ledger.terms == TERMS


def test_an_altered_entry_is_not_moved(ways):
    import sqlite3

    filled(ways[0])
    connection = sqlite3.connect(ways[0])
    connection.execute("UPDATE entry SET note = '{}' WHERE seq = 2")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerFault) as caught:
        move_ledger(place(ways[0]), place(ways[1]))
    assert caught.value.code == "ledger.broken-on-the-way"
