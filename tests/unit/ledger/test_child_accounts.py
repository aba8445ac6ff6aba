"""Analysts with limits of their own, under the promise that all share."""

from __future__ import annotations

import pytest

from partita.errors import BudgetExceeded, InvalidInput
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import ask, charge, opened


@pytest.fixture
def ledger():
    with opened() as found:
        found.open_account("ada", [Pure(epsilon="0.3")])
        yield found


def test_both_limits_hold(ledger):
    ask(ledger, charge(1, "0.2"))
    with pytest.raises(BudgetExceeded, match=r"The account of 'ada' cannot pay .* costs ε = 0.2, and ε = 0.1 is left"):
        ledger.reserve(charge(2, "0.2"))
    ask(ledger, charge(2, "0.75", analyst="bob"))
    with pytest.raises(BudgetExceeded, match=r"The promise for \[one row, added or removed\] cannot pay"):
        ledger.reserve(charge(3, "0.1"))
    assert ledger.spent("ada") == (Pure(epsilon="0.2"),)
    assert ledger.spent() == (Pure(epsilon="0.95"),)


def test_what_is_left_is_the_less_of_both(ledger):
    assert ledger.remaining("visits", analyst="ada") == (Pure(epsilon="0.3"),)
    assert ledger.remaining("visits", analyst="bob") == (Pure(epsilon=1),)
    ask(ledger, charge(1, "0.9", analyst="bob"))
    assert ledger.remaining("visits", analyst="ada") == (Pure(epsilon="0.1"),)


def test_a_stored_answer_costs_an_analyst_nothing(ledger):
    ask(ledger, charge(1, "0.9", analyst="bob"), b"17")
    assert ask(ledger, charge(1, "0.9", analyst="ada")) == b"17"
    assert ledger.spent("ada") == (Pure(epsilon=0),)


def test_opening_an_account_again_changes_nothing_and_other_limits_are_refused(ledger):
    ledger.open_account("ada", [Pure(epsilon="0.3")])
    with pytest.raises(InvalidInput, match=r"opened with the limit ε = 0.3, not ε = 0.4"):
        ledger.open_account("ada", [Pure(epsilon="0.4")])
    assert ledger.accounts() == {"ada": (Pure(epsilon="0.3"),)}


def test_a_limit_must_be_in_the_measure_of_the_promise(ledger):
    with pytest.raises(InvalidInput, match="cannot be added or compared"):
        ledger.open_account("bob", [ZCDP(rho=1)])
    with pytest.raises(InvalidInput, match="0 amounts were given for 1 promises"):
        ledger.open_account("bob", [])
    with pytest.raises(InvalidInput, match="needs the name"):
        ledger.open_account("", [None])
    with pytest.raises(InvalidInput, match="'bob' has no account"):
        ledger.spent("bob")


def test_a_promise_may_be_left_without_a_limit(ledger):
    ledger.open_account("bob", [None])
    ask(ledger, charge(1, 1, analyst="bob"))
    assert ledger.spent("bob") == (None,)


def test_accounts_are_there_again_with_what_they_spent(tmp_path):
    path = tmp_path / "visits.ledger"
    with opened(path, checkpoint_every=4) as ledger:
        ask(ledger, charge(0, "0.1"))  # before the account was opened: it does not count
        ledger.open_account("ada", [Pure(epsilon="0.3")])
        for number in range(1, 4):
            ask(ledger, charge(number, "0.1"))
        ledger.open_account("bob", [Pure(epsilon="0.5")])
        ask(ledger, charge(5, "0.2", analyst="bob"))
        assert ledger.verify().problems == ()
    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.6"),)
        assert ledger.spent("ada") == (Pure(epsilon="0.3"),)
        assert ledger.spent("bob") == (Pure(epsilon="0.2"),)
        with pytest.raises(BudgetExceeded, match="account of 'ada'"):
            ledger.reserve(charge(9, "0.01"))
