"""Whatever reads or changes the loads of an account does so alone: even asking whether something fits refines grids."""

from __future__ import annotations

import inspect
from threading import Thread

import pytest

from partita.composition.account import Accounts, RegionAccount, SlotAccount
from partita.composition.plans.promise import Promise
from partita.granularity import replace
from partita.ledger.ledger import Ledger
from partita.ledger.payer import RegionPayer
from partita.region import Domain, Region, integers
from partita.theory.measures.pure import Pure

DOMAIN = Domain({"a": integers(0, 999)})


@pytest.mark.parametrize("kind", [Accounts, RegionAccount, SlotAccount])
def test_every_public_method_of_an_account_holds_its_lock(kind):
    methods = {name: made for name, made in vars(kind).items() if inspect.isfunction(made) and not name.startswith("_")}
    assert len(methods) >= 3
    assert [name for name, made in methods.items() if not hasattr(made, "__wrapped__")] == []


def test_a_payer_decides_and_books_through_its_account():
    assert "engine" not in inspect.getsource(RegionPayer)


LIVE = ("Payer", "Balances", "Account", "Book", "Replay")


def test_a_ledger_hands_out_no_account():
    """Whoever had one could book in it, or ask while another books: readers get losses, maps and certificates."""
    methods = {
        name: str(inspect.signature(made.fget if isinstance(made, property) else made).return_annotation)
        for name, made in vars(Ledger).items()
        if not name.startswith("_") and (inspect.isfunction(made) or isinstance(made, property))
    }
    assert len(methods) >= 20
    assert {name: given for name, given in methods.items() if any(word in given for word in LIVE)} == {}
    assert "inspect._empty" not in " ".join(methods.values())


def test_a_question_waits_for_whoever_holds_the_account():
    account = RegionAccount(DOMAIN, Promise(replace(), Pure(epsilon=1)))
    answers: list[bool] = []
    asking = Thread(target=lambda: answers.append(account.admits(Region.everything(DOMAIN), Pure(epsilon=1))))
    with account._lock:
        asking.start()
        asking.join(timeout=0.2)
        assert answers == []
    asking.join()
    assert len(answers) == 1
