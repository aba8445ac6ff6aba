"""Tokens are given out once, follow what other processes decide, and end when they should, whatever the clock does."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

import partita as pt
from partita.ledger.birth import Terms
from partita.ledger.opening import open_ledger
from partita.server.accounts.register import Register, Role
from partita.server.accounts.scram import ROUNDS, salt

TERMS = Terms((pt.Promise(pt.rows(), pt.ZCDP(rho="1")),), {"t": pt.Domain({"x": pt.integers(0, 3)})})


@pytest.fixture
def ledger(tmp_path):
    with open_ledger(tmp_path / "t.ledger", TERMS) as found:
        yield found


def test_a_token_is_known_by_its_digest_alone(ledger):
    register = Register(ledger)
    text, token = register.give("ada", "analyst", by="carol")
    found = register.caller(text)
    assert (found.account, found.role, found.token) == ("ada", Role.ANALYST, token.number)
    assert text not in str([act.what for act in ledger.acts()])
    assert register.caller(token.digest) is None
    assert register.caller("") is None


def test_another_process_sees_what_is_decided_at_once(ledger):
    register, other = Register(ledger), Register(ledger)
    text, token = register.give("ada", "analyst", by="carol")
    assert other.caller(text) is not None
    newer, _ = other.rotate(token.number, by="carol")
    assert register.caller(text) is None
    assert register.caller(newer) is not None
    with pytest.raises(pt.InvalidInput):
        register.revoke(token.number, by="carol")


def test_a_clock_that_goes_back_makes_no_token_valid_again(ledger):
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    register = Register(ledger, lambda: now[0])
    text, _ = register.give("ada", "analyst", days=2, by="carol")
    assert register.caller(text) is not None
    now[0] += timedelta(days=2)
    assert register.caller(text) is None
    now[0] -= timedelta(days=2)
    assert register.caller(text) is None


def test_what_cannot_be_is_refused_and_nothing_is_written(ledger):
    register = Register(ledger)
    register.give("ada", "analyst", by="carol")
    before = ledger.mark()
    for account, role, days in (
        ("ada", "auditor", None),
        ("a b", "analyst", None),
        ("x", "king", None),
        ("x", "analyst", 0),
    ):
        with pytest.raises(pt.InvalidInput):
            register.give(account, role, days=days, by="carol")
    assert ledger.mark() == before


def test_accounts_outlive_a_declaration_that_was_never_charged(tmp_path):
    place = tmp_path / "t.ledger"
    with open_ledger(place, TERMS) as ledger:
        text, _ = Register(ledger).give("carol", "custodian", by="tests")
    other = Terms((pt.Promise(pt.rows(), pt.ZCDP(rho="2")),), TERMS.tables)
    with open_ledger(place, other) as ledger:
        assert ledger.verify().sound
        assert Register(ledger).caller(text) is not None


def test_a_proof_lets_in_its_account_alone_and_only_while_the_token_is_valid(ledger):
    register = Register(ledger)
    text, token = register.give("ada", "analyst", by="carol")
    register.give("bob", "analyst", by="carol")

    def proof(account: str, secret: str) -> bytes:
        salted = hashlib.pbkdf2_hmac("sha256", secret.encode(), salt(account), ROUNDS)
        client = hmac.digest(salted, b"Client Key", "sha256")
        signature = hmac.digest(hashlib.sha256(client).digest(), b"said", "sha256")
        return bytes(one ^ other for one, other in zip(client, signature, strict=True))

    found = Register(ledger).proven("ada", b"said", proof("ada", text))
    assert found is not None
    assert found[0].account == "ada"
    for account, secret in (("bob", text), ("ada", "partita-wrong"), ("nobody", text)):
        assert register.proven(account, b"said", proof(account, secret)) is None
    assert register.proven("bob", b"said", proof("ada", text)) is None
    assert register.proven("ada", b"other", proof("ada", text)) is None
    assert register.proven("ada", b"said", b"") is None
    register.revoke(token.number, by="carol")
    assert register.proven("ada", b"said", proof("ada", text)) is None
