"""Several processes behind one address: whoever is spoken to, it is one server with one ledger."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from partita.curator.settings import declared_terms, read_settings
from partita.ledger.book.points import Point
from partita.ledger.opening import open_ledger
from tests.paths.serving import Server, folder, tokens
from tests.paths.wiring import Wired

QUESTION = "SELECT COUNT(*) AS n FROM visits WHERE age = {}"
# The worker that comes first to the point that a file names dies there, and takes the file with it.
CUTTING = """
import os, signal, sys
import partita.ledger.ledger as ledger
place = os.path.join(os.environ["CUTS"], "cut-")
def cut(point):
    try:
        os.unlink(place + point.value)
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
ledger.Ledger._faults = property(lambda self: cut, lambda self, given: None)
from partita.cli import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wired]:
    """Two workers, with a price above which a question waits."""
    server = 'workers = 2\nrequests_per_minute = 1000000\napprove_above = { rho = "1" }'
    made = Wired(tmp_path_factory.mktemp("two") / "house", server)
    yield made
    made.close()


def served(two: Wired) -> list[int]:
    """Which worker took each request, in order."""
    lines = [json.loads(line) for line in two.house.server.log]
    return [line["worker"] for line in lines if line["event"] == "request"]


def by_both(two: Wired, ask) -> list[httpx.Response]:
    """What is answered by each of the two workers, over connections of their own."""
    found: dict[int, httpx.Response] = {}
    for _ in range(200):
        before = len(served(two))
        with httpx.Client(base_url=two.house.url, timeout=120, headers={"Connection": "close"}) as http:
            answer = ask(http)
        while len(served(two)) == before:
            threading.Event().wait(0.01)
        found[served(two)[-1]] = answer
        if len(found) == 2:
            return list(found.values())
    raise AssertionError("one worker never answered")


def bearer(two: Wired, name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {two.house.tokens[name]}"}


def test_what_one_worker_was_told_the_other_knows(two):
    ada, carol = bearer(two, "ada"), bearer(two, "carol")
    # Plans.
    body = {"questions": [QUESTION.format(1), QUESTION.format(2)], "rho": "0.02"}
    plan = two.house.send("ada", "POST", "/v1/plans", body).json()
    answers = by_both(two, lambda http: http.get(f"/v1/plans/{plan['plan']}/answers", headers=ada))
    assert {one.status_code for one in answers} == {200}
    assert len({json.dumps([line["rows"] for line in one.json()["answers"]]) for one in answers}) == 1
    assert two.house.send("bob", "GET", f"/v1/plans/{plan['plan']}/answers").status_code == 404
    # Approvals.
    dear = {"question": QUESTION.format(3), "rho": "1.5"}
    assert two.house.send("ada", "POST", "/v1/ask", dear).status_code == 202
    waiting = by_both(two, lambda http: http.get("/v1/approvals", headers=carol))
    assert {len(one.json()["waiting"]) for one in waiting} == {1}
    number = waiting[0].json()["waiting"][0]["request"]
    assert two.house.send("carol", "POST", f"/v1/approvals/{number}", {"approve": True}).status_code == 200
    asked = by_both(two, lambda http: http.post("/v1/ask", headers=ada, json=dear))
    assert len({json.dumps(one.json()["rows"]) for one in asked}) == 1
    # Practice: one twin for both, until it begins anew for both.
    tried = {"question": QUESTION.format(4), "rho": "0.02"}
    found = by_both(two, lambda http: http.post("/v1/practice/ask", headers=ada, json=tried))
    assert len({json.dumps(one.json()["rows"]) for one in found}) == 1
    assert two.house.send("ada", "POST", "/v1/practice/reset").status_code == 200
    spent = by_both(two, lambda http: http.get("/v1/practice/balances", headers=ada))
    assert {one.json()["spent"][0]["rho"] for one in spent} == {"0"}
    # Visits, and their end.
    with httpx.Client(base_url=two.house.url) as http:
        entered = http.post("/sign-in", data={"token": two.house.tokens["ada"]})
        visit = {"Cookie": "; ".join(f"{name}={value}" for name, value in http.cookies.items())}
    assert entered.status_code == 303
    seen = by_both(two, lambda http: http.get("/", headers=visit))
    assert {one.status_code for one in seen} == {200}
    form = seen[0].text.partition('name="form" value="')[2].partition('"')[0]
    with httpx.Client(base_url=two.house.url, headers=visit) as http:
        assert http.post("/sign-out", data={"form": form}).status_code == 303
    gone = by_both(two, lambda http: http.get("/", headers={**visit, "Accept": "text/html"}))
    assert {one.headers.get("location") for one in gone} == {"/sign-in"}


def test_a_cancellation_reaches_the_worker_that_it_is_for(two):
    lines = [two.as_("ada") for _ in range(8)]
    assert {one.info.backend_pid % 2 for one in lines} <= {0, 1}
    for one in lines:
        one.cancel_safe(timeout=30)  # nothing is under way: it is taken, and does no harm
        assert one.execute("SELECT 1").fetchone() == (1,)
        one.close()


def test_a_killed_worker_is_replaced_and_nothing_is_charged_twice_or_lost(two):
    server = two.house.server.process
    children = [int(one) for one in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]
    assert len(children) == 2
    answers: dict[int, list] = {}

    def ask(place: int) -> None:
        for _ in range(50):
            try:
                found = two.house.send("bob", "POST", "/v1/ask", {"question": QUESTION.format(place), "rho": "0.001"})
            except httpx.TransportError:
                continue
            assert found.status_code == 200, found.text
            answers.setdefault(place, []).append(found.json()["rows"])
            return

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, place) for place in range(10, 40)]
        os.kill(children[0], signal.SIGKILL)
        [one.result() for one in asked]
    for place in range(10, 40):
        ask(place)
    assert {len(found) for found in answers.values()} == {2}
    assert all(first == again for first, again in answers.values())
    assert any(json.loads(line)["event"] == "worker" for line in two.house.server.log)
    settings = read_settings(two.house.place / "partita.toml")
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        audit = ledger.verify()
        charged = [entry for entry, _ in ledger.charges(500, before=None, analyst="bob", text=None)[0]]
    assert audit.sound
    assert len(charged) == 30


@pytest.mark.slow
def test_a_worker_killed_at_any_point_under_load_loses_and_doubles_nothing(tmp_path):
    place = folder(tmp_path / "house", server="workers = 2\nrequests_per_minute = 1000000")
    token = tokens(place, {"carol": "custodian", "ada": "analyst"})["ada"]
    server = Server(place, {"CUTS": str(tmp_path)}, CUTTING)
    answers: dict[int, list] = {}

    def ask(number: int) -> None:
        body = {"question": QUESTION.format(number), "rho": "0.001"}
        for _ in range(100):
            try:
                found = httpx.post(
                    f"{server.url}/v1/ask", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=120
                )
            except httpx.TransportError:
                continue
            assert found.status_code == 200, found.text
            answers.setdefault(number, []).append(found.json()["rows"])
            return

    try:
        for turn, point in enumerate(Point):
            (tmp_path / f"cut-{point.value}").touch()
            with ThreadPoolExecutor(6) as pool:
                [one.result() for one in [pool.submit(ask, 6 * turn + number) for number in range(6)]]
        cuts = {one.name for one in tmp_path.glob("cut-*")}
        for number in list(answers):
            ask(number)
    finally:
        code, said = server.stop()
    assert (code, said) == (0, "Closed. Every charge has its answer.\n")
    assert cuts == set(), "no worker came to these points"
    assert {len(found) for found in answers.values()} == {2}
    assert all(first == again for first, again in answers.values())
    settings = read_settings(place / "partita.toml")
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        assert ledger.verify().sound
        charged = ledger.charges(500, before=None, analyst="ada", text=None)[0]
    assert len(charged) == len(answers) == 6 * len(Point)


def test_it_ends_as_a_whole(tmp_path):
    made = Wired(tmp_path / "house", "workers = 2")
    process = made.house.server.process
    children = [int(one) for one in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    made.house._http.close()
    code, said = made.house.server.stop()
    assert (code, said) == (0, "Closed. Every charge has its answer.\n")
    assert not any(Path(f"/proc/{one}").exists() for one in children)


def test_workers_outlive_nobody(tmp_path):
    made = Wired(tmp_path / "house", "workers = 2")
    process = made.house.server.process
    children = [int(one) for one in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.wait(60)
    deadline = time.monotonic() + 60
    while any(_lives(one) for one in children) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    assert not any(_lives(one) for one in children)
    with pytest.raises(psycopg.OperationalError):
        made.as_("ada", connect_timeout=3)
    made.house.close()


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
