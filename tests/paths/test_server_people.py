"""Who may do what: roles, tokens, approvals, and what an analyst sees of others."""

from __future__ import annotations

import json

import pytest

import partita as pt
from partita.ledger.opening import open_ledger

ASKED = {"question": "SELECT COUNT(*) AS n FROM visits WHERE age = 77 -- bob's words", "rho": "0.001"}

# Every route that some role may not use, and who may.
ROUTES = {
    ("POST", "/v1/ask"): {"carol", "ada"},
    ("POST", "/v1/tokens"): {"carol"},
    ("PUT", "/v1/limits/newcomer"): {"carol"},
    ("GET", "/v1/verify"): {"carol", "audrey"},
    ("GET", "/metrics"): {"carol", "audrey"},
    ("POST", "/v1/approvals/0000"): {"carol"},
}
BODIES = {
    "/v1/ask": {**ASKED, "question": "SELECT COUNT(*) AS n FROM visits WHERE age = 76"},
    "/v1/tokens": {"account": "newcomer", "role": "analyst"},
    "/v1/limits/newcomer": {"limits": [{"kind": "zcdp", "rho": "1"}, None]},
    "/v1/approvals/0000": {"approve": True},
}


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_role_covers_what_it_covers(house, method, path):
    for name in ("carol", "ada", "audrey"):
        status = house.send(name, method, path, BODIES.get(path)).status_code
        assert (status != 403) is (name in ROUTES[method, path]), (name, status)


def test_an_analyst_sees_nothing_of_others_but_joint_balances(house):
    with house.as_("bob") as bob, house.as_("ada") as ada, house.as_("audrey") as audrey:
        theirs = bob.ask(**ASKED)
        seq = theirs.receipt.seq
        for path in (f"answers/{seq}", f"receipts/{seq}"):
            found = house.send("ada", "GET", f"/v1/{path}")
            assert (found.status_code, found.json()["error"]["code"]) == (404, "server.no-answer")
        # The same words for a number that nobody has.
        missing = house.send("ada", "GET", "/v1/receipts/999999").json()["error"]["message"]
        assert missing.replace("999999", str(seq)) == found.json()["error"]["message"]
        again = ada.ask(**ASKED)  # the same question is free to all
        assert again.free
        assert again.rows() == theirs.rows()
        assert again.receipt.asked == ""
        again.check()
        both = pt.together([again.receipt, theirs.receipt], unit=pt.rows())
        assert both.loss == pt.together([theirs.receipt], unit=pt.rows()).loss
        seen = json.dumps([ada.ledger(count=500), ada.ledger(text="bob"), ada.ledger(analyst="bob")])
        assert "bob" not in seen
        assert bob.ledger(text="BOB'S WORDS")["charges"][0]["analyst"] == "bob"
        assert ada.spent() == bob.spent()
        ada.ask("SELECT COUNT(*) AS n FROM visits WHERE age = 75", rho="0.001")
        everything = audrey.ledger(count=500)
        assert {"ada", "bob"} <= {one["analyst"] for one in everything["charges"]}
        first = audrey.ledger(count=1)
        assert audrey.ledger(count=1, before=first["next"])["charges"][0] == everything["charges"][1]
        assert house.send("ada", "GET", "/v1/tokens").text.count("carol") == 0


def test_a_token_is_shown_once_exchanged_and_revoked_at_once(house):
    made = house.send("carol", "POST", "/v1/tokens", {"account": "zoe", "role": "analyst", "days": 2}).json()
    assert made["text"] not in house.send("carol", "GET", "/v1/tokens").text
    assert house.send(made["text"], "GET", "/v1/me").json()["account"] == "zoe"
    other = house.send("carol", "POST", "/v1/tokens", {"account": "zoe", "role": "auditor"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "server.other-role")
    newer = house.send(made["text"], "POST", f"/v1/tokens/{made['number']}/rotate", {}).json()
    assert house.send(made["text"], "GET", "/v1/me").status_code == 401
    assert house.send("ada", "DELETE", f"/v1/tokens/{newer['number']}").status_code == 404
    assert house.send(newer["text"], "GET", "/v1/me").status_code == 200
    assert house.send("carol", "DELETE", f"/v1/tokens/{newer['number']}").status_code == 200
    assert house.send(newer["text"], "GET", "/v1/me").status_code == 401


def test_every_token_that_lets_nobody_in_is_refused_in_the_same_words(house):
    made = house.send("carol", "POST", "/v1/tokens", {"account": "gone", "role": "analyst"}).json()
    house.send("carol", "DELETE", f"/v1/tokens/{made['number']}")
    tried = ["x", "x y", "partita-" + "A" * 43, made["text"], made["text"] + "x", "é" * 20, "a" * 5000]
    found = [house.send(None, "GET", "/v1/me", headers={"Authorization": f"Bearer {one}".encode()}) for one in tried]
    found += [
        house.send(None, "GET", "/v1/me"),
        house.send(None, "GET", "/v1/me", headers={"Authorization": "Basic x"}),
    ]
    assert {(one.status_code, one.text) for one in found} == {(401, found[0].text)}


def test_a_price_above_the_limit_waits_and_nothing_is_reserved_until_it_is_approved(house):
    question = "SELECT COUNT(*) AS n FROM visits WHERE age > 64"
    with house.as_("ada") as ada:
        before = ada.spent()
        with pytest.raises(pt.BudgetExceeded) as waiting:
            ada.ask(question, rho="1.5")
        assert waiting.value.code == "server.waiting"
        assert ada.spent() == before
        (request,) = house.send("ada", "GET", "/v1/approvals").json()["waiting"]
        assert house.send("bob", "GET", "/v1/approvals").json()["waiting"] == []
        assert house.send("ada", "POST", f"/v1/approvals/{request['request']}", {"approve": True}).status_code == 403
        house.send("carol", "POST", f"/v1/approvals/{request['request']}", {"approve": False})
        with pytest.raises(pt.BudgetExceeded):
            ada.ask(question, rho="1.5")
        house.send("carol", "POST", f"/v1/approvals/{request['request']}", {"approve": True})
        with house.as_("bob") as bob, pytest.raises(pt.BudgetExceeded):
            bob.ask(question, rho="1.5")
        assert not ada.ask(question, rho="1.5").free
        with house.as_("bob") as bob:
            assert bob.ask(question, rho="1.5").free


def test_every_act_stands_in_the_chain_and_the_book_is_sound(house):
    with house.as_("audrey") as audrey:
        assert audrey.verify()["sound"]
    with open_ledger(house.place / "visits.ledger") as ledger:
        acts = [act.what["act"] for act in ledger.acts()]
        assert {"token"} <= set(acts)
        text = json.dumps([act.what for act in ledger.acts()])
        assert not any(token in text for token in house.tokens.values())
