"""A ledger on a real PostgreSQL server: killed curators, lost connections, other machines, older copies."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import threading
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

import partita as pt
from partita.errors import InvalidInput, LedgerFault
from partita.ledger.book.points import Point
from partita.ledger.opening import open_ledger
from partita.ledger.states import Answered
from partita.theory.measures.pure import Pure
from tests.attacks.test_crash import AFTER_THE_COMMIT, BEFORE_THE_CHARGE
from tests.laws import served
from tests.unit.ledger.forge import Forge
from tests.unit.ledger.plain import ask, charge, opened


@pytest.fixture(scope="module")
def forge():
    found = Forge()
    yield found
    found.close()


@pytest.fixture
def place(tmp_path):
    return served.ledger(tmp_path)


def schema(place):
    return re.search("book[0-9]+", place)[0]


def another_machine(place, folder):
    """The same book for a machine that has a copy of the key and no anchor yet."""
    address, first = place.split(" ")
    folder.mkdir()
    for key in Path(first).glob("*.key"):
        shutil.copy(key, folder)
    return f"{address} {folder}"


@pytest.mark.parametrize("point", list(Point))
def test_a_kill_releases_nothing_uncharged_and_a_retry_charges_nothing_twice(forge, place, point):
    opened(place).close()
    assert forge.run(["ask", place, point, "first", "k"]) == [(-signal.SIGKILL, "")]
    with opened(place) as ledger:
        assert ledger.spent() == (Pure(epsilon=0 if point in BEFORE_THE_CHARGE else "0.1"),)
    left = "first" if point in AFTER_THE_COMMIT else "second"
    assert forge.run(["ask", place, "nowhere", "second", "k"]) == [(0, left)]
    with opened(place) as ledger:
        found = ledger.verify()
        assert (found.problems, found.charges, found.answered, found.unfinished) == ((), 1, 1, 0)


@pytest.mark.parametrize("point", list(Point))
def test_a_connection_that_ends_at_any_point_charges_once(place, point):
    def end(passed):
        if passed == point and ends.pop():
            served.owner().execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'partita ledger'"
            )

    ends, faults = [False, False, False, True], []
    with opened(place, faults=end) as ledger:
        for _ in range(3):
            try:
                state = ledger.reserve(charge("n"))
                if not isinstance(state, Answered):
                    ledger.pass_by(Point.READ)
                    ledger.pass_by(Point.NOISED)
                    state = ledger.commit(state, b"17")
                break
            except LedgerFault as fault:
                faults.append(fault.code)
        assert state.content == b"17"
        assert set(faults) <= {"ledger.connection-lost"}
        assert ledger.spent() == (Pure(epsilon="0.1"),)
        assert ledger.verify().problems == ()


class Dropping:
    """Between a curator and the server: takes away the word that a transaction is committed, and the connection."""

    def __init__(self, folder):
        self._server = f"{folder}/.s.PGSQL.5432"
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._threads, self._ends = [], [self._listening]
        self.port = self._listening.getsockname()[1]
        self.drop, self._cut = False, None
        self._run(self._serve)

    def _run(self, what, *given):
        self._threads.append(threading.Thread(target=what, args=given, daemon=True))
        self._threads[-1].start()

    def _serve(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._ends += [client, server]
            self._run(self._pass, client, server, True)
            self._run(self._pass, server, client, False)

    def _pass(self, one, other, asks):
        try:
            while content := one.recv(1 << 16):
                if asks and self.drop and b"COMMIT\0" in content:
                    self.drop, self._cut = False, other
                elif self._cut is one:
                    break
                other.sendall(content)
        except OSError:
            pass
        finally:
            for end in (one, other):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def close(self):
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(10)
        for end in self._ends:
            end.close()


@pytest.mark.parametrize("lost", ["reserve", "commit"])
def test_a_connection_lost_right_after_a_commit_leaves_what_the_same_question_goes_on_with(tmp_path, place, lost):
    address, folder = place.split(" ")
    between = Dropping(re.search("host=([^&]+)", address)[1])
    proxied = re.sub("host=[^&]+", "", address).replace("@/", f"@127.0.0.1:{between.port}/").replace("?&", "?")
    try:
        with opened(f"{proxied}&sslmode=disable {folder}") as ledger:
            between.drop = lost == "reserve"
            if between.drop:
                with pytest.raises(LedgerFault) as caught:
                    ledger.reserve(charge("n"))
                assert caught.value.code == "ledger.connection-lost"
            state = ledger.reserve(charge("n"))
            between.drop = lost == "commit"
            if between.drop:
                with pytest.raises(LedgerFault) as caught:
                    ledger.commit(state, b"17")
                assert caught.value.code == "ledger.connection-lost"
                state = ledger.reserve(charge("n"))
            if not isinstance(state, Answered):
                state = ledger.commit(state, b"17")
            assert state.content == b"17"
            assert ledger.spent() == (Pure(epsilon="0.1"),)
            assert ledger.verify().problems == ()
    finally:
        between.close()


def test_of_eight_curators_on_two_machines_that_buy_a_twentieth_twenty_win(forge, tmp_path, place):
    opened(place).close()
    other = another_machine(place, tmp_path / "other")
    jobs = [["buy", place if buyer % 2 else other, str(buyer), "6", "1/20"] for buyer in range(8)]
    results = forge.run(*jobs)
    assert [status for status, _ in results] == [0] * 8
    assert sum(int(won) for _, won in results) == 20
    with opened(place) as ledger:
        assert ledger.spent() == (Pure(epsilon=1),)
        assert ledger.verify().problems == ()


def test_a_server_brought_back_from_an_older_copy_is_noticed_on_every_machine(tmp_path, place):
    with opened(place) as ledger:
        ask(ledger, charge("a"))
    other = another_machine(place, tmp_path / "other")
    with opened(other) as ledger:
        ask(ledger, charge("b"))
    opened(place).close()
    for table in ("entry", "answer"):
        served.owner().execute(f"DELETE FROM {schema(place)}.partita_{table} WHERE seq > 3")
    with pytest.raises(LedgerFault) as caught:
        opened(other)
    assert caught.value.code == "ledger.rolled-back"


def test_an_altered_line_breaks_the_chain(place):
    with opened(place) as ledger:
        ask(ledger, charge("a"))
    served.owner().execute(
        f"UPDATE {schema(place)}.partita_entry SET note = replace(note, '2026', '2027') WHERE seq = 2"
    )
    with pytest.raises(LedgerFault) as caught:
        opened(place)
    assert caught.value.code in {"ledger.rewritten", "ledger.broken-chain"}


def test_what_cannot_be_used_is_refused_before_anything_is_charged(tmp_path, place):
    address, _ = place.split(" ")
    for given, code in [
        ("postgresql://nobody@127.0.0.1:1/none", "ledger.unreachable"),
        ("postgresql://a:secret@[", "ledger.bad-address"),
        (address.replace(schema(place), "absent"), "ledger.no-schema"),
    ]:
        with pytest.raises((LedgerFault, InvalidInput)) as caught:
            open_ledger(given)
        assert caught.value.code == code
        assert "secret" not in str(caught.value)
    with pytest.raises(LedgerFault) as caught:
        opened(place, None)
    assert caught.value.code == "ledger.missing"
    served.owner().execute(f"CREATE TABLE {schema(place)}.partita_book (one integer)")
    with pytest.raises(LedgerFault) as caught:
        opened(place)
    assert caught.value.code in {"ledger.corrupt", "ledger.not-a-ledger"}


def test_one_writer_at_a_time(place):
    with opened(place, timeout=0.2) as ledger, psycopg.connect(place.split(" ")[0]) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (ledger._store._lock(),))
        with pytest.raises(LedgerFault) as caught:
            ledger.reserve(charge("n"))
        assert caught.value.code == "ledger.locked"
        other.execute("SELECT pg_advisory_unlock_all()")
        assert ask(ledger, charge("n")) == b"42"


def test_a_curator_keeps_its_ledger_on_a_server_by_its_settings(tmp_path, place):
    (tmp_path / "visits.csv").write_text("age\n" + "40\n" * 50)
    address = place.split(" ")[0]
    (tmp_path / "partita.toml").write_text(f"""
ledger = "{address}"
[tables.visits]
source = "visits.csv"
[tables.visits.columns]
age = {{ integers = [0, 99], missing = 0 }}
[[promises]]
protect = "rows"
rho = "1"
""")
    with pt.open(tmp_path / "partita.toml") as curator:
        first = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    with pt.open(tmp_path / "partita.toml") as curator:
        again = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
        assert (again.free, again.rows()) == (True, first.rows())
        assert curator.verify().sound
        with pytest.raises(InvalidInput) as caught:
            curator.ingest({"visits": [{"age": 3}]})
        assert caught.value.code == "ledger.local-only"
    assert {path.suffix for path in tmp_path.glob("*.ledger.*")} == {".anchor", ".key"}
