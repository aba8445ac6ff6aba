"""What a server is sent by those who mean it no good: refused in one shape, before any read, at no charge."""

from __future__ import annotations

import json
import signal
import socket
import time
from urllib.parse import quote, urlsplit

import pytest

import partita as pt
from tests.paths.serving import Server, folder, tokens

COUNT = "SELECT COUNT(*) AS n FROM visits"
DEEP = "[" * 100_000

PRICES = [
    {"rho": 0.1}, {"rho": "NaN"}, {"rho": "-1"}, {"rho": "inf"}, {"rho": "1e999999999"}, {"rho": "9" * 300},
    {"roh": "1"}, {"rho": "0"}, {"rho": None}, {}, {"rho": "0.1", "epsilon": "0.1"}, {"rho": "0x1"}, {"rho": ["0.1"]},
    {"rho": "٣"},
    {"within": "NaN"}, {"within": {"n": "-1"}}, {"within": "5", "rows": -1}, {"rho": "0.1", "rows_per_user": 10**30},
    {"rho": "0.1", "bars": []}, {"rho": "0.1", "bars": ["2"]}, {"rho": "0.1", "key": "k" * 300},
    {"rho": "0.1", "batch": -1},
]  # fmt: skip
QUESTIONS = [
    "", "   ", ";", "DROP TABLE visits", "SELECT * FROM visits", "SELECT 1", "x" * 200_000, "\x00", "\u202eSELECT",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')", "SELECT COUNT(*) FROM visits; SELECT 1", 7, None, [COUNT],
    "SELECT COUNT(*) AS n FROM visits WHERE " + "(" * 5000 + "1=1" + ")" * 5000, "SELECT COUNT(*) FROM sqlite_master",
]  # fmt: skip


def refused(found, *statuses):
    document = found.json()
    assert set(document) == {"error"}, found.text[:300]
    assert set(document["error"]) == {"code", "kind", "message"}
    assert found.status_code in statuses, (found.status_code, found.text[:300])
    assert found.headers["content-type"] == "application/json"
    return document["error"]


def test_bad_prices_and_questions_are_refused_at_no_charge(house):
    with house.as_("ada") as ada:
        before, last = ada.spent(), ada.ledger(count=1)
        for price in PRICES:
            refused(house.send("ada", "POST", "/v1/ask", {"question": COUNT, **price}), 400, 402, 422)
        for question in QUESTIONS:
            refused(house.send("ada", "POST", "/v1/ask", {"question": question, "rho": "0.1"}), 400, 422)
        assert (ada.spent(), ada.ledger(count=1)) == (before, last)


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b"{", "application/json", 400, "server.not-json"),
        (DEEP.encode(), "application/json", 400, "server.not-json"),
        (b'{"question": "\xff"}', "application/json", 400, "server.not-json"),
        (b"[]", "application/json", 400, "server.bad-request"),
        (b"x" * 2_000_000, "application/json", 413, "server.too-large"),
        (json.dumps({"question": COUNT, "rho": "1"}).encode(), "text/plain", 415, "server.wrong-type"),
        (b"<x/>", "multipart/form-data", 415, "server.wrong-type"),
    ],
    ids=["broken", "deep", "not-text", "list", "large", "plain", "form"],
)
def test_bodies_that_cannot_be_read(house, body, kind, status, code):
    found = house.send("ada", "POST", "/v1/ask", content=body, headers={"Content-Type": kind})
    assert refused(found, status)["code"] == code


def test_addresses_hosts_and_methods(house):
    for path in (
        "/v1/../v1/ask",
        "/v2",
        "/v1/ask/",
        "//v1/ask",
        "/v1/%2e%2e/etc/passwd",
        "/v1/answers/x",
        "/v1/answers/-1",
    ):
        refused(house.send("ada", "GET", path), 400, 401, 404, 405)
    refused(house.send("ada", "PATCH", "/v1/ask", {}), 405)
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example"):
        assert refused(house.send("ada", "GET", "/v1/me", headers={"Host": host}), 421)["code"] == "server.bad-host"
    refused(house.send("ada", "GET", f"/v1/answers/{10**40}"), 400, 404)
    refused(house.send("ada", "GET", "/v1/ledger?count=100000"), 400)


def test_nothing_hostile_reaches_a_header_a_log_or_a_page_unescaped(house):
    names = ["<script>alert(1)</script>", "\u202ebob", "a\r\nSet-Cookie: x=1", "'; DROP TABLE entry; --", "x" * 150]
    for name in names:
        found = house.send("carol", "POST", "/v1/tokens", {"account": name, "role": "analyst"})
        assert refused(found, 400)["code"] == "server.bad-account"
        assert refused(house.send("carol", "PUT", f"/v1/limits/{quote(name)}", {"limits": [None]}), 400, 404)
        assert house.send("ada", "GET", "/v1/ledger", params={"text": name, "analyst": name}).json()["charges"] == []
    found = house.send("ada", "POST", "/v1/ask", {"question": COUNT, "rho": "0.001"}, headers={"Accept": "text/csv"})
    assert "set-cookie" not in found.headers
    log = "".join(house.server.log)
    assert "SELECT" not in log
    assert "partita-" not in log
    assert all(json.loads(line) for line in house.server.log)


def test_a_slow_body_and_too_many_requests(tmp_path):
    place = folder(tmp_path, server="body_seconds = 1\nrequests_per_minute = 30\npractice = false")
    token = tokens(place, {"carol": "custodian"})["carol"]
    server = Server(place)
    try:
        port = urlsplit(server.url).port
        with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
            head = (
                "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n"
            )
            slow.sendall(f"{head}\r\n{{".encode())
            assert b"408" in slow.recv(200)
        for opening in (b"", b"GET /health HTTP/1.1\r\nHost: local"):  # whoever says nothing, or not all of it
            with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
                silent.sendall(opening)
                assert silent.recv(200) == b""
        with pt.connect(server.url, token=token) as carol:
            with pytest.raises(pt.InvalidInput) as off:
                carol.practice().spent()
            assert off.value.code == "server.not-found"
            with pytest.raises(pt.ServiceFault) as refusal:
                [carol.me() for _ in range(60)]
            assert refusal.value.code == "server.too-many"
    finally:
        code, said = server.stop()
    assert (code, said) == (0, "Closed. Every charge has its answer.\n")


KILLING = """
import os, signal, sys
import partita.ledger.ledger as ledger
def cut(self, point):
    if point.value == os.environ["CUT"]:
        os.kill(os.getpid(), signal.SIGKILL)
ledger.Ledger.pass_by = cut
from partita.cli import main
sys.exit(main())
"""


@pytest.mark.slow
def test_a_server_killed_between_charge_and_answer_charges_once(tmp_path):
    place = folder(tmp_path)
    token = tokens(place, {"carol": "custodian"})["carol"]
    wanted = {"rho": "0.25", "key": "once"}
    server = Server(place, {"CUT": "read"}, KILLING)
    with pt.connect(server.url, token=token) as carol, pytest.raises(pt.ServiceFault) as lost:
        carol.ask(COUNT, **wanted)
    assert lost.value.code == "client.unreachable"
    assert server.stop(signal.SIGKILL)[0] == -signal.SIGKILL
    server, beside = Server(place), Server(place)
    try:
        with pt.connect(server.url, token=token) as carol, pt.connect(beside.url, token=token) as other:
            spent = carol.spent()
            answer = carol.ask(COUNT, **wanted)
            assert carol.spent() == spent
            assert 0 < answer.costs[0].rho <= spent[0].rho  # what was charged before the end, and not again
            assert carol.verify()["charges"] == 1
            # Two servers on one ledger: one account, one answer, and a token ends for both.
            assert other.ask(COUNT, rho="0.25").rows() == answer.rows()
            other.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 9", rho="0.25")
            assert carol.spent() == other.spent()
            other._wire.delete(f"/v1/tokens/{other.me()['token']}")
            with pytest.raises(pt.AccessRefused):
                carol.me()
    finally:
        server.stop()
        beside.stop()


def test_a_lost_connection_runs_to_its_commit(house):
    body = json.dumps({"question": "SELECT COUNT(*) AS n FROM visits WHERE age = 55", "rho": "0.002"})
    head = (
        f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {house.tokens['ada']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", urlsplit(house.url).port), timeout=30) as gone:
        gone.sendall((head + body).encode())
    with house.as_("ada") as ada:
        for _ in range(600):
            found = ada.ledger(count=1, text="age = 55")["charges"]
            if found and found[0]["state"] == "answered":
                break
            time.sleep(0.05)
        assert found[0]["state"] == "answered"
        assert ada.ask("SELECT COUNT(*) AS n FROM visits WHERE age = 55", rho="0.002").free
