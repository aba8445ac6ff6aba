"""A power cut takes what was not flushed: every state that a disk may be left in, and what the ledger makes of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from partita.ledger.book.anchor import ROOM, FileAnchor
from partita.ledger.book.entries import OVERHEAD
from partita.ledger.book.points import Point
from partita.ledger.states import Answered, Reservation
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import ask, charge, opened

FULL, NORMAL = 2, 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.ledger"


def disk(path: Path, target: Path) -> None:
    """What the disk holds of the ledger now, its log included; the anchor is flushed by itself."""
    target.mkdir()
    for end in ("", "-wal"):
        if os.path.exists(f"{path}{end}"):
            shutil.copy(f"{path}{end}", target / f"book{end}")


def cut(path: Path, source: Path) -> None:
    """Go back to a state of the disk, with the anchor as it is now."""
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
        if (source / f"book{end}").exists():
            shutil.copy(source / f"book{end}", f"{path}{end}")


def flushes(path: Path, answer: bytes = b"17") -> dict[Point, int]:
    """How each transaction of one question is flushed."""
    found: dict[Point, int] = {}
    ledger: Any = None

    def look(point: Point) -> None:
        ((level,),) = ledger._store._rows("PRAGMA synchronous")
        found[point] = level

    ledger = opened(path, faults=lambda point: look(point))
    ask(ledger, charge("n"), answer)
    ledger.close()
    return found


def test_a_charge_is_flushed_with_the_book_and_a_short_answer_with_the_anchor(path: Path) -> None:
    found = flushes(path)
    assert found[Point.RESERVE_WRITTEN] == FULL
    assert found[Point.COMMIT_WRITTEN] == NORMAL
    assert FileAnchor(f"{path}.anchor").kept().endswith(b"\n17")


def test_an_answer_that_the_anchor_has_no_room_for_is_flushed_with_the_book(path: Path) -> None:
    found = flushes(path, b"7" * (ROOM - OVERHEAD + 1))
    assert found[Point.COMMIT_WRITTEN] == FULL


def test_a_power_cut_after_the_answer_left_loses_neither_charge_nor_answer(tmp_path: Path, path: Path) -> None:
    ledger = opened(path)
    ask(ledger, charge("first"))
    state = ledger.reserve(charge("n"))
    assert isinstance(state, Reservation)
    disk(path, tmp_path / "flushed")
    assert ledger.commit(state, b"17").content == b"17"
    ledger.close()
    cut(path, tmp_path / "flushed")
    with opened(path) as again:
        found = again.reserve(charge("n"))
        assert isinstance(found, Answered)
        assert found.content == b"17"
        assert again.spent() == (Pure(epsilon="0.2"),)
        report = again.verify()
        assert (report.problems, report.answered, report.unfinished) == ((), 2, 0)
    with opened(path) as once_more:
        assert ask(once_more, charge("next")) == b"42"


def test_a_power_cut_before_the_anchor_leaves_a_charge_to_be_resumed(tmp_path: Path, path: Path) -> None:
    class Cut(RuntimeError):
        pass

    def stop(point: Point) -> None:
        if point is Point.RESERVED:
            disk(path, tmp_path / "flushed")
        if point is Point.COMMITTED:
            raise Cut

    with opened(path, faults=stop) as ledger, pytest.raises(Cut):
        ask(ledger, charge("n"), b"first")
    cut(path, tmp_path / "flushed")
    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.1"),)
        assert ask(ledger, charge("n"), b"second") == b"second"
        assert ledger.spent() == (Pure(epsilon="0.1"),)
        assert ledger.verify().problems == ()


def test_an_answer_of_a_process_that_died_is_durable_before_it_leaves(tmp_path: Path, path: Path) -> None:
    """Committed by one process that did not live to anchor it, and handed out by another."""

    class Died(RuntimeError):
        pass

    def die(point: Point) -> None:
        if point is Point.RESERVED:
            disk(path, tmp_path / "flushed")
        if point is Point.COMMITTED:
            raise Died

    first = opened(path, faults=die)
    with pytest.raises(Died):
        ask(first, charge("n"), b"17")
    with opened(path) as other:
        assert other.stored(charge("n").question).content == b"17"
    first.close()
    cut(path, tmp_path / "flushed")
    with opened(path) as again:
        assert again.stored(charge("n").question).content == b"17"


def test_a_second_answer_in_a_row_flushes_the_one_before_it(tmp_path: Path, path: Path, monkeypatch: Any) -> None:
    """The anchor gives back one entry: of two commits without a charge between them, the first must be durable."""
    ledger = opened(path)
    one, other = ledger.reserve(charge("one")), ledger.reserve(charge("other"))
    assert isinstance(one, Reservation)
    assert isinstance(other, Reservation)
    flushed = []
    inner = ledger._store.flush
    monkeypatch.setattr(type(ledger._store), "flush", lambda _: (inner(), flushed.append(ledger._book.replay.last.seq)))
    ledger.commit(one, b"1")
    assert flushed == []
    ledger.commit(other, b"2")
    assert flushed == [5]
    ask(ledger, charge("third"))
    assert flushed == [5]
    ledger.close()


def test_a_torn_anchor_falls_back_to_the_mark_before_it(path: Path) -> None:
    with opened(path) as ledger:
        ask(ledger, charge("first"), b"one")
        ask(ledger, charge("second"), b"two")
    anchor = Path(f"{path}.anchor")
    assert FileAnchor(str(anchor)).read().seq == 5
    anchor.write_bytes(anchor.read_bytes().replace(b"\ntwo", b"\ntwx"))
    assert FileAnchor(str(anchor)).read().seq == 3
    with opened(path) as ledger:
        assert ledger.verify().sound
        assert ask(ledger, charge("second"), b"another") == b"two"
    assert FileAnchor(str(anchor)).read().seq == 5


def test_an_anchor_without_room_for_entries_is_read_and_grows(path: Path) -> None:
    from partita.ledger.book.anchor import _slot

    with opened(path) as ledger:
        ask(ledger, charge("first"))
    anchor = Path(f"{path}.anchor")
    mark = FileAnchor(str(anchor)).read()
    anchor.write_bytes(_slot(mark) + b" " * 127 + b"\n")
    with opened(path) as ledger:
        ask(ledger, charge("second"))
        assert FileAnchor(str(anchor)).read().seq == 5
        assert FileAnchor(str(anchor)).kept().endswith(b"\n42")
