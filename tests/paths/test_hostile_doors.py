"""What a hostile account tries at every door: prices above its ceiling, longer lives for tokens, lines left open."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.paths.wiring import Wired

LIMITS = """approve_above = { rho = "1" }
accounts = { model = { ceiling = { rho = "0.1" } } }
"""


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wired]:
    """A server with both doors, a ceiling for one account and approvals for all."""
    made = Wired(tmp_path_factory.mktemp("doors") / "house", LIMITS)
    yield made
    made.close()


def test_a_key_is_no_way_around_a_ceiling(doors):
    """With a key, what would follow from earlier answers is asked anew: it is not free, and its price counts."""
    exact = {"question": "SELECT age, COUNT(*) AS n FROM visits GROUP BY age", "rho": "1"}
    whole = {"question": "SELECT COUNT(*) AS n FROM visits WHERE age > 118", "rho": "0.2"}
    house = doors.house
    assert house.send("carol", "POST", "/v1/ask", exact).status_code == 200
    assert house.send("model", "POST", "/v1/ask", whole).json()["free"]
    found = house.send("model", "POST", "/v1/ask", {**whole, "key": "mine"})
    assert found.json()["error"]["code"] == "models.above-ceiling", found.text[:300]
    with doors.as_("model") as one, pytest.raises(psycopg.Error) as caught:
        one.execute(f"/* partita: rho=0.2, key=mine */ {whole['question']}")
    assert caught.value.diag.source_function == "models.above-ceiling"
    again = {**exact, "question": "SELECT COUNT(*) AS n FROM visits WHERE age > 117", "rho": "0.05"}
    assert house.send("model", "POST", "/v1/ask", {**again, "key": "yours"}).json()["free"] is False
    assert house.send("model", "POST", "/v1/ask", {**again, "key": "yours"}).json()["free"]


def test_levels_that_were_released_pay_for_no_release_under_a_key(doors):
    """Asked with a key, ROLLUP is one release of its groups, whatever its levels were paid with before."""
    rolled = {"question": "SELECT age, sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (age, sex)", "rho": "0.3"}
    house = doors.house
    assert house.send("carol", "POST", "/v1/ask", rolled).status_code == 200
    assert house.send("model", "POST", "/v1/ask", rolled).json()["free"]
    many = {"questions": [rolled["question"]], "rho": "0.3"}
    found = house.send("model", "POST", "/v1/ask-many", many)
    assert found.json()["answers"][0]["free"], found.text[:300]
    found = house.send("model", "POST", "/v1/ask", {**rolled, "key": "again"})
    assert found.json()["error"]["code"] == "models.above-ceiling", found.text[:300]


def test_an_exchanged_token_ends_no_later_than_the_old_one(doors):
    house = doors.house
    made = house.send("carol", "POST", "/v1/tokens", {"account": "brief", "role": "analyst", "days": 2}).json()
    for days in ({}, {"days": 3000}):
        newer = house.send(made["text"], "POST", f"/v1/tokens/{made['number']}/rotate", days).json()
        assert newer["expires"] <= made["expires"], newer
        made = {**newer, "expires": newer["expires"]}
    sooner = house.send(made["text"], "POST", f"/v1/tokens/{made['number']}/rotate", {"days": 1}).json()
    assert sooner["expires"] < made["expires"]
    longer = house.send("carol", "POST", f"/v1/tokens/{sooner['number']}/rotate", {"days": 90}).json()
    assert longer["expires"] > made["expires"]


def test_a_revoked_token_reads_nothing_more_on_an_open_line(doors):
    house = doors.house
    made = house.send("carol", "POST", "/v1/tokens", {"account": "gone", "role": "analyst"}).json()
    house.tokens["gone"] = made["text"]
    tried = ("SELECT * FROM partita.answers", "SELECT 1", "SHOW ALL", "EXPLAIN SELECT COUNT(*) FROM visits")
    lines = [doors.as_("gone") for _ in tried]
    assert [one.execute("SELECT 1").fetchone() for one in lines] == [(1,)] * len(tried)
    house.send("carol", "DELETE", f"/v1/tokens/{made['number']}")
    for one, statement in zip(lines, tried, strict=True):
        with pytest.raises(psycopg.OperationalError) as caught:
            one.execute(statement)
        assert caught.value.sqlstate == "28P01", statement
        assert one.closed
