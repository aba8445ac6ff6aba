"""What takes time changes nothing of a connection, and what waited for its turn is dropped when nobody waits for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.server.accounts.register import Caller, Role
from partita.server.approvals import MOST_WAITING, Approvals
from partita.server.wire.asking import Told
from partita.server.wire.conversation import _Begun
from partita.server.wire.performing import Performer
from partita.server.wire.prepared import Prepared, prepared
from partita.server.wire.scanner import sentence
from partita.server.wire.variables import Variables
from partita.theory.measures.zcdp import ZCDP

ADA = Caller("ada", Role.ANALYST, "1")


class Asker:
    """Says with which settings it was asked."""

    def ask(self, text: str, sources: Any, errors: str, bars: Any) -> Told:
        return Told((), [(sources[1].get("rho"), errors)], "", charged=True)


@pytest.fixture
def performer() -> Performer:
    table = pt.Table("t", source=[], columns={"x": pt.integers(0, 3)})
    desk: Any = SimpleNamespace(curator=SimpleNamespace(tables=[table]))
    asker: Any = Asker()
    nothing: Any = None
    return Performer(asker, desk, ADA, nothing, Variables("ada", {}), database="partita", number=1, price={})


def read(performer: Performer, text: str) -> Prepared:
    return prepared(sentence(text), performer.protected, performer.columns)


def test_work_that_goes_on_after_a_cancellation_changes_nothing(performer):
    performer.perform(read(performer, "BEGIN"))
    performer.perform(read(performer, "SET partita.rho = '0.5'"))
    declare = read(performer, "DECLARE c CURSOR FOR SELECT COUNT(*) FROM t")
    work = performer.work(declare)
    # The client gave up, and says other things while the thread is still at work.
    performer.perform(read(performer, "SET partita.rho = '7'"))
    performer.perform(read(performer, "SET partita.errors = 'none'"))
    outcome = work()
    assert outcome.lines == [("0.5", "columns")]
    assert performer.portals == {}
    assert performer.perform(read(performer, "ROLLBACK")).before == ()
    assert performer.worked(declare, outcome).tag == "DECLARE CURSOR"
    assert performer.portals["c"].outcome is outcome
    assert b"gives nothing back" in b"".join(performer.perform(read(performer, "ROLLBACK")).before)


def test_work_that_was_given_up_before_its_turn_is_not_begun():
    done: list[int] = []
    begun = _Begun(lambda: done.append(1))
    begun.drop()
    with pytest.raises(PartitaError):
        begun()
    assert done == []
    _Begun(lambda: done.append(2))()
    assert done == [2]


def test_one_account_does_not_push_out_what_others_wait_for():
    class Register:
        def approved(self, number: str) -> bool:
            return False

    register: Any = Register()
    approvals = Approvals(register, ZCDP(rho="1"))
    for place in range(MOST_WAITING + 5):
        who = Caller("ada" if place < 3 else "bob", Role.ANALYST, "1")
        with pytest.raises(pt.BudgetExceeded):
            approvals.check(who, str(place), (ZCDP(rho=place + 2),), [])
    found = approvals.waiting()
    assert len(found) == MOST_WAITING
    assert [one.asked for one in found[:4]] == ["0", "1", "2", "8"]
    assert {len(one.number) for one in found} == {32}
