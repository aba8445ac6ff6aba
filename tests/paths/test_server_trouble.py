"""Two servers on one ledger, a disk that is full, and a clock that jumps: nothing is lost, charged twice, or let in."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from partita.curator.settings import declared_terms, read_settings
from partita.ledger.opening import open_ledger
from tests.paths.serving import House, Server, folder, tokens

QUESTION = "SELECT COUNT(*) AS n FROM visits WHERE age = {}"

# No file may grow beyond so much: what a full disk is to a ledger.
FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from partita.cli import main
sys.exit(main())
"""
# A clock that goes back by years after so many looks.
JUMPING = """
import sys
from datetime import timedelta
import partita.ledger.book.book as book
import partita.server.service as service
true, looks = book.system_clock, [0]
def clock():
    looks[0] += 1
    return true() - timedelta(days=3650 * (looks[0] > 40)) + timedelta(days=3 * (20 < looks[0] <= 40))
service.Service.__init__.__kwdefaults__["clock"] = clock
from partita.cli import main
sys.exit(main())
"""


def asked(url: str, token: str, place: int) -> httpx.Response:
    body = {"question": QUESTION.format(place), "rho": "0.001"}
    return httpx.post(f"{url}/v1/ask", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=120)


def audited(place, analyst: str):
    """Whether the book is sound, and what an analyst was charged for."""
    settings = read_settings(place / "partita.toml")
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        return ledger.verify().sound, ledger.charges(500, before=None, analyst=analyst, text=None)[0]


@pytest.mark.slow
def test_two_servers_on_one_ledger_are_one(tmp_path):
    house = House(tmp_path / "house")
    other = Server(house.place)
    try:
        token = house.tokens["ada"]
        with ThreadPoolExecutor(8) as pool:
            both = [(house.url, place) for place in range(12)] + [(other.url, place) for place in range(12)]
            found = list(pool.map(lambda pair: asked(pair[0], token, pair[1]), both))
        assert {one.status_code for one in found} == {200}
        rows = [json.dumps(one.json()["rows"]) for one in found]
        assert rows[:12] == rows[12:]
        number = house.send("ada", "GET", "/v1/me").json()["token"]
        assert asked(other.url, token, 1).json()["free"]
        house.send("carol", "DELETE", f"/v1/tokens/{number}")
        assert asked(other.url, token, 1).status_code == 401
    finally:
        house.close()
        other.stop()
    sound, charged = audited(house.place, "ada")
    assert sound
    assert len(charged) == 12


@pytest.mark.slow
def test_on_a_full_disk_nothing_is_answered_that_is_not_in_the_book(tmp_path):
    place = folder(tmp_path / "house")
    token = tokens(place, {"carol": "custodian", "ada": "analyst"})["ada"]
    server = Server(place, program=FULL.format(limit=400_000))
    found = {}
    try:
        for question in range(60):
            answer = asked(server.url, token, question)
            if answer.status_code != 200:
                break
            found[question] = answer.json()["rows"]
        assert answer.status_code == 503, answer.text
        assert set(answer.json()["error"]) == {"code", "kind", "message"}
        assert str(place) not in answer.text
        assert httpx.get(f"{server.url}/health").status_code == 200
    finally:
        server.stop()
    assert found
    again = Server(place)  # the disk has room again
    try:
        for question, rows in found.items():
            told = asked(again.url, token, question).json()
            assert (told["free"], told["rows"]) == (True, rows)
        assert asked(again.url, token, question + 1).status_code == 200
    finally:
        again.stop()
    sound, charged = audited(place, "ada")
    assert sound
    assert len(found) + 1 <= len(charged) <= len(found) + 2


@pytest.mark.slow
def test_a_clock_that_jumps_lets_nobody_in_again(tmp_path):
    place = folder(tmp_path / "house")
    settings = read_settings(place / "partita.toml")
    carol = tokens(place, {"carol": "custodian"})["carol"]
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        from partita.server.accounts.register import Register

        brief = Register(ledger).give("brief", "analyst", days=1, by="tests")[0]
    server = Server(place, program=JUMPING)
    try:
        found = [asked(server.url, brief, 1).status_code for _ in range(60)]
        assert found[0] == 200
        ended = found.index(401)
        # Three days on it has expired, and it stays so when the clock is ten years back.
        assert set(found[ended:]) == {401}
        assert httpx.get(f"{server.url}/v1/me", headers={"Authorization": f"Bearer {carol}"}).status_code == 200
    finally:
        server.stop()
    sound, charged = audited(place, "brief")
    assert sound
    assert len(charged) == 1
