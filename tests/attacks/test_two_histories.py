"""One book, one history: however often and wherever it is opened, no charge is lost and none is spent twice."""

from __future__ import annotations

import builtins
import io
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import partita as pt
from partita.cli import main
from partita.errors import BudgetExceeded, LedgerFault
from partita.ledger.book.anchor import Anchor, FileAnchor, Mark
from partita.ledger.book.points import Point
from partita.ledger.keys import SigningKey
from partita.theory.measures.pure import Pure
from tests.unit.ledger.forge import Forge
from tests.unit.ledger.plain import ask, charge, opened


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Forge]:
    """Other processes."""
    forge = Forge()
    yield forge
    forge.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.ledger"


def bought(elsewhere: Forge, path: Path, count: int, price: str = "1/10") -> int:
    """How many of so many charges another process could pay, which opens the book and closes it."""
    ((status, won),) = elsewhere.run(["buy", str(path), f"at {price}", str(count), price])
    assert status == 0
    return int(won)


def forked(act: Callable[[], object]) -> int:
    """The exit code of a forked child that does something."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(LedgerFault) as caught:
        act()
    return caught.value.code


# --- locks ---------------------------------------------------------------------------------------------------


def test_a_book_opened_twice_here_and_closed_elsewhere_keeps_its_log_and_every_charge(path, elsewhere):
    with opened(path) as first, opened(path) as second:
        ask(first, charge("a"))
        log = os.stat(f"{path}-wal").st_ino
        assert bought(elsewhere, path, 0) == 0
        assert os.stat(f"{path}-wal").st_ino == log
        ask(first, charge("b"))
        assert bought(elsewhere, path, 4) == 4
        ask(second, charge("c"))
        assert first.spent() == second.spent() == (Pure(epsilon="0.7"),)
        assert bought(elsewhere, path, 3, "1/5") == 1
        with pytest.raises(BudgetExceeded):
            ask(first, charge("d", "0.2"))
    with opened(path) as again:
        assert again.spent() == (Pure(epsilon="0.9"),)
        assert again.verify().problems == ()


def test_the_file_of_a_book_is_opened_by_nothing_but_sqlite(path, monkeypatch):
    """Closing any descriptor of it would drop all locks of the process."""
    seen: list[str] = []

    def watched(real):
        def wrapper(file, *args, **options):
            seen.append(os.path.abspath(file) if isinstance(file, str | os.PathLike) else "")
            return real(file, *args, **options)

        return wrapper

    for module, name in ((builtins, "open"), (io, "open"), (os, "open")):
        monkeypatch.setattr(module, name, watched(getattr(module, name)))
    table = pt.Table("visits", [{"age": 3}], {"age": pt.integers(0, 99, missing=0)})
    with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=path) as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.1").receipt.seq == 3
        assert curator.verify().sound
        for command in (["ledger", "show"], ["ledger", "verify"], ["report", "--out", str(path.parent / "r.html")]):
            assert main([*command, str(path)]) == 0
    assert f"{path}.anchor" in seen  # the watch works
    assert not {str(path), f"{path}-shm"} & set(seen)


def test_a_log_that_was_deleted_under_a_process_takes_no_charges(path, elsewhere):
    """A copy made inside the process drops SQLite's lock, and whoever closes the book next deletes the log."""
    ledger = opened(path)
    ask(ledger, charge("a"))
    reservation = ledger.reserve(charge("b"))
    shutil.copy(path, path.with_suffix(".copied"))
    assert bought(elsewhere, path, 0) == 0
    assert not os.path.exists(f"{path}-wal")
    assert refused(lambda: ledger.reserve(charge("c"))) == "ledger.log-replaced"
    assert bought(elsewhere, path, 1) == 1
    assert refused(lambda: ledger.commit(reservation, b"42")) == "ledger.log-replaced"
    assert refused(ledger._store.flush) == "ledger.log-replaced"
    # A second connection of this process would use what is left of the old log.
    assert refused(lambda: opened(path)) == "ledger.log-replaced"
    ledger.close()
    with opened(path) as again:
        assert again.spent() == (Pure(epsilon="0.3"),)
        assert again.verify().problems == ()


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_either_file_of_the_log_is_looked_at(path, end):
    with opened(path) as ledger:
        ask(ledger, charge("a"))
        os.rename(f"{path}{end}", f"{path}{end}.away")
        assert refused(lambda: ledger.reserve(charge("b"))) == "ledger.log-replaced"
        shutil.copy(f"{path}{end}.away", f"{path}{end}")
        assert refused(lambda: ledger.reserve(charge("b"))) == "ledger.log-replaced"
        assert end == "-shm" or refused(ledger._store.flush) == "ledger.log-replaced"
        os.rename(f"{path}{end}.away", f"{path}{end}")
        assert ledger.reserve(charge("b"))


def test_a_book_reached_by_another_name_has_its_log_where_the_book_is(path, tmp_path):
    opened(path).close()
    link = tmp_path / "link"
    link.symlink_to(path)
    with opened(link, anchor=f"{path}.anchor", signer=SigningKey.read(f"{path}.key")) as ledger:
        first, second = ledger.reserve(charge("a")), ledger.reserve(charge("b"))
        ledger.commit(first, b"1")
        ledger.commit(second, b"2")  # flushes the log
        os.rename(f"{path}-wal", f"{path}-wal.away")
        assert refused(ledger._store.flush) == "ledger.log-replaced"
        os.rename(f"{path}-wal.away", f"{path}-wal")


def test_threads_may_open_and_close_books_at_once(tmp_path):
    start = Barrier(4)
    for number in range(2):
        opened(tmp_path / f"{number}.ledger").close()

    def open_and_close(number):
        start.wait()
        for turn in range(5):
            with opened(tmp_path / f"{number % 2}.ledger") as ledger:
                ledger.reserve(charge((number, turn), "0.01"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(open_and_close, range(4)))
    for number in range(2):
        with opened(tmp_path / f"{number}.ledger") as ledger:
            assert ledger.spent() == (Pure(epsilon="0.1"),)


# --- forks ---------------------------------------------------------------------------------------------------


def test_a_child_may_not_open_what_was_open_when_it_was_forked(path, elsewhere):
    """SQLite would take no lock in the child: once the parent is gone, the log could be deleted under it."""
    ledger = opened(path)
    ask(ledger, charge("a"))
    gate, release = os.pipe()

    def child():
        os.close(release)
        early = refused(lambda: opened(path))
        os.read(gate, 1)  # until the parent has closed the book, and others have opened and closed it
        late = refused(lambda: opened(path))
        grandchild = forked(lambda: refused(lambda: opened(path)) == "ledger.inherited")
        with opened(path.with_suffix(".other")) as other:  # a book of its own is not touched by this
            ask(other, charge("a"))
        return (early, late, grandchild) == ("ledger.inherited", "ledger.inherited", 0)

    def parent():
        os.close(gate)
        ledger.close()
        assert bought(elsewhere, path, 1) == 1
        os.close(release)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        code = 1
        try:
            code = 0 if child() else 2
        finally:
            os._exit(code)
    parent()
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    with opened(path) as again:
        assert again.spent() == (Pure(epsilon="0.2"),)


def test_a_child_opens_what_was_closed_before_the_fork(path):
    with opened(path) as ledger:
        ask(ledger, charge("a"))

    def child():
        with opened(path) as own:
            return ask(own, charge("b"))

    assert forked(child) == 0
    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.2"),)


def test_while_a_handle_closes_others_may_open_the_book_and_no_child_may(path):
    ledger = opened(path)
    with ledger._store._files.closing():
        assert forked(lambda: refused(lambda: opened(path)) == "ledger.inherited") == 0
        ledger._store._connection.close()  # the last one: the log is deleted
        opened(path).close()


# --- the anchor ----------------------------------------------------------------------------------------------


class Counter(Anchor):
    """The simplest anchor: a place and a hash that only go forward."""

    def __init__(self) -> None:
        self.mark: Mark | None = None

    def read(self) -> Mark | None:
        return self.mark

    def advance(self, mark: Mark, entry: bytes = b"") -> None:
        if self.mark is None or mark.seq > self.mark.seq:
            self.mark = mark


@pytest.fixture(params=["file", "counter"])
def split(request, tmp_path):
    """Opens either of two books of one anchor, which were the same until entry 3."""
    anchor = FileAnchor(str(tmp_path / "anchor")) if request.param == "file" else Counter()
    one, two = tmp_path / "one", tmp_path / "two"
    with opened(one, anchor=anchor) as ledger:
        ask(ledger, charge("before", "0.05"))
    for end in ("", ".key"):
        shutil.copy(f"{one}{end}", f"{two}{end}")
    return lambda which, **options: opened({"one": one, "two": two}[which], anchor=anchor, **options)


def test_a_longer_history_than_the_anchored_one_is_refused(split):
    with split("one") as one, split("two") as two:
        paid = two.reserve(charge("b", "0.9"))
        for number in range(4):
            two.reserve(charge(number, "0.01"))
        ask(one, charge("a", "0.9"))
        assert refused(lambda: two.commit(paid, b"42")) == "ledger.rewritten"
        assert refused(lambda: two.reserve(charge("c", "0.001"))) == "ledger.rewritten"
        assert refused(two.spent) == "ledger.rewritten"
        ask(one, charge("c", "0.01"))
        assert one.spent() == (Pure(epsilon="0.96"),)


@pytest.mark.parametrize(
    ("ahead", "code"), [(0, "ledger.rewritten"), (1, "ledger.rewritten"), (2, "ledger.rolled-back")]
)
def test_of_two_histories_that_are_anchored_at_once_one_leaves(split, ahead, code):
    """The other comes between a commit and its anchor: shorter than it, as long, or longer."""
    late = []

    def between(point):
        if point is Point.COMMITTED and not late:
            late.append(one.commit(paid[0], b"first").content)
            for reservation in paid[1:ahead]:
                late.append(one.commit(reservation, b"first").content)

    with split("one") as one, split("two", faults=between) as two:
        extra = two.reserve(charge("x", "0.01")) if ahead == 0 else None
        paid = [one.reserve(charge(number, "0.9" if number == 0 else "0.01")) for number in range(max(1, ahead))]
        mine = two.reserve(charge("b", "0.9"))
        assert refused(lambda: two.commit(mine, b"second")) == code
        assert late
        assert refused(lambda: two.reserve(charge("c", "0.001"))) == code
        assert extra is None or extra.seq == 4
        ask(one, charge("d", "0.01"))


def test_an_anchor_refuses_another_entry_at_the_same_place(tmp_path):
    anchor = FileAnchor(str(tmp_path / "anchor"))
    anchor.advance(Mark(3, bytes(32)))
    anchor.advance(Mark(3, bytes(32)))
    assert refused(lambda: anchor.advance(Mark(3, b"x" * 32))) == "ledger.two-histories"
    assert anchor.read() == Mark(3, bytes(32))


def test_an_anchor_goes_on_from_a_mark_that_the_book_knows(tmp_path):
    for anchor in (FileAnchor(str(tmp_path / "anchor")), Counter()):
        first, second, third = (Mark(seq, bytes([seq] * 32)) for seq in (1, 2, 3))
        assert anchor.succeed(None, first) == first
        assert anchor.succeed(None, second) == first
        assert anchor.succeed(first, third) == third
        assert anchor.succeed(third, second) == third
        assert anchor.succeed(first, second) == third


def test_processes_and_handles_that_anchor_in_turns_do_not_stop_each_other(path, elsewhere):
    with opened(path) as first, opened(path) as second:
        for number in range(4):
            ask((first, second)[number % 2], charge(number, "0.01"))
            assert bought(elsewhere, path, 2, f"1/{100 + number}") == 2
        assert first.spent() == second.spent()
        assert first.verify().problems == ()
