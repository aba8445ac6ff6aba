"""Whatever counts spending or keeps private state is in one process only: a fork or a copy makes no second one."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

import partita as pt
from partita.errors import LedgerFault, PartitaError
from partita.live import Live
from tests.laws.live_family import FACTORIES, ONE, PART, TABLE, live_classes, name

REFUSED = {"live.forked", "ledger.forked"}
MOST = pt.Pure(epsilon="0.6")
LONGEST = 60  # seconds after which a child that waits for a lock is killed


def child(does: Callable[[], int]) -> int:
    """The exit code of a forked process that does something; one that hangs is killed, and its code is negative."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads: that is meant
        process = os.fork()
    if process == 0:
        code = 99
        try:
            signal.alarm(LONGEST)
            code = does()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def refused(does: Callable[[], object]) -> bool:
    try:
        does()
    except PartitaError as problem:
        return problem.code in REFUSED
    return False


def properties(one: Live) -> list[str]:
    return [found for found in dir(type(one)) if isinstance(getattr(type(one), found, None), property)]


def test_every_live_class_is_held_to_the_law():
    assert {name(one) for one in live_classes()} == set(FACTORIES)


@pytest.mark.parametrize("made", FACTORIES.values(), ids=list(FACTORIES))
def test_after_a_fork_the_child_is_refused_and_the_parent_goes_on(made):
    """Also while another thread is at work on it: its lock will never be free in the child."""
    one, use = made()
    use(one)
    busy, done = threading.Event(), threading.Event()

    def work() -> None:
        with one._lock:
            busy.set()
            done.wait()

    thread = threading.Thread(target=work)
    thread.start()
    busy.wait()

    def tried() -> int:
        if not refused(lambda: use(one)):
            return 1
        if not all(refused(lambda found=found: getattr(one, found)) for found in properties(one)):
            return 2
        if not set(vars(one)) <= {"_gone", "close"}:
            return 3
        return 0 if _never_copied(one) else 4

    try:
        code = child(tried)
    finally:
        done.set()
        thread.join()
    assert code == 0
    use(one)


@pytest.mark.parametrize("made", FACTORIES.values(), ids=list(FACTORIES))
def test_none_is_ever_copied_or_pickled(made):
    one, use = made()
    assert _never_copied(one)
    use(one)


def _never_copied(one: Live) -> bool:
    ways: list[Callable[[Live], object]] = [copy.copy, copy.deepcopy]
    ways += [
        lambda it, protocol=protocol: pickle.dumps(it, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ]
    return all(_refuses(way, one) for way in ways)


def _refuses(way: Callable[[Live], object], one: Live) -> bool:
    try:
        way(one)
    except PartitaError:
        return True
    return False


def test_a_child_makes_its_own_and_its_child_may_not_use_those():
    first = pt.Filter(ONE)

    def grown() -> int:
        mine = pt.Filter(ONE)
        mine.admit(PART)
        if not refused(lambda: first.admit(PART)):
            return 1
        inner = child(lambda: 0 if refused(lambda: mine.admit(PART)) and refused(lambda: first.admit(PART)) else 1)
        mine.admit(PART)
        return inner

    assert child(grown) == 0
    first.admit(PART)


def test_a_child_opens_a_ledger_that_its_parent_has_closed_and_both_spend_from_one_budget(tmp_path):
    def opened() -> pt.Curator:
        return pt.Curator(tables=[TABLE], promises=[pt.Promise(pt.rows(), ONE)], ledger=tmp_path / "t.ledger")

    with opened() as mine:
        mine.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.25")

    def grown() -> int:
        with opened() as own:
            own.ask("SELECT SUM(x) AS n FROM t", epsilon="0.25")
        return 0

    def denied() -> int:
        with pytest.raises(LedgerFault, match="was open when this process was forked"):
            opened()
        return 0

    assert child(grown) == 0
    with opened() as mine:
        assert mine.spent() == (pt.Pure(epsilon="0.5"),)
        assert child(denied) == 0
        mine.ask("SELECT SUM(x * x) AS n FROM t", epsilon="0.25")


def test_leaving_the_block_of_a_curator_is_quiet_in_a_child():
    with pt.Curator(tables=[TABLE], promises=[pt.Promise(pt.rows(), ONE)]) as kept:

        def left() -> int:
            with kept:
                pass
            return 0

        assert child(left) == 0
        kept.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.25")


ENDS = """
import os, sys
import partita as pt
table = pt.Table("t", source=[{"x": 1}], columns={"x": pt.integers(0, 9)})
kept = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
kept.ask("SELECT SUM(x * x) AS n FROM t", epsilon="0.1")
child = os.fork()
if child == 0:
    sys.exit(7)  # not os._exit: everything is let go of on the way out
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
kept.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")
kept.close()
"""


def test_the_end_of_a_child_does_not_touch_what_its_parent_holds():
    found = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=True)
    assert found.stdout == "7\n"


def test_a_fork_beside_a_thread_that_evaluates_does_not_stop_the_child():
    from partita.theory.numerics import LOCK

    busy, done = threading.Event(), threading.Event()

    def work() -> None:
        with LOCK:
            busy.set()
            done.wait(0.05)  # long enough for the fork to come in between

    thread = threading.Thread(target=work)
    thread.start()
    busy.wait()
    code = child(lambda: 0 if LOCK.acquire(blocking=False) else 1)
    thread.join()
    assert code == 0


def test_two_threads_never_both_take_what_is_left_for_one(monkeypatch):
    account = pt.RegionAccount(TABLE.domain, pt.Promise(pt.rows(), ONE))
    everything, decide = pt.Region.everything(TABLE.domain), type(account._engine).decide
    both, won = threading.Barrier(2), []

    def slowly(*charge: object) -> object:
        answer = decide(*charge)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.2)  # until the other has decided too, which it may not before this one has booked
        return answer

    monkeypatch.setattr(type(account._engine), "decide", slowly)
    work = [threading.Thread(target=lambda: won.append(account.admit(everything, MOST))) for _ in range(2)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert sorted(won) == [False, True]
