"""The path of one question through the book."""

from __future__ import annotations

import copy
import pickle

import pytest

from partita.errors import BudgetExceeded, InvalidInput, LedgerFault
from partita.ledger.book.entries import Kind
from partita.ledger.states import Answered, Reservation
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import DOMAIN, ask, charge, opened


@pytest.fixture
def ledger():
    with opened() as found:
        yield found


def kinds(ledger):
    return [entry.kind for entry in ledger.entries()]


def test_a_question_is_reserved_before_and_committed_after(ledger):
    reservation = ledger.reserve(charge("n"))
    assert isinstance(reservation, Reservation)
    assert not reservation.resumed
    assert kinds(ledger) == [Kind.BIRTH, Kind.RESERVE]
    assert ledger.spent() == (Pure(epsilon="0.1"),)
    answered = ledger.commit(reservation, b"17")
    assert answered == Answered(3, 2, b"17", fresh=True)
    assert kinds(ledger) == [Kind.BIRTH, Kind.RESERVE, Kind.COMMIT]


def test_an_answered_question_is_free_for_everybody(ledger):
    ask(ledger, charge("n"), b"17")
    assert ledger.reserve(charge("n", analyst="bob")) == Answered(3, 2, b"17")
    assert ledger.stored(charge("n").question) == Answered(3, 2, b"17")
    assert ledger.stored(charge("m").question) is None
    assert ledger.spent() == (Pure(epsilon="0.1"),)


def test_an_answered_question_is_free_even_when_the_budget_is_gone(ledger):
    ask(ledger, charge("n", 1), b"17")
    with pytest.raises(BudgetExceeded):
        ledger.reserve(charge("m", "1e-9"))
    assert ask(ledger, charge("n", 1)) == b"17"


def test_a_refused_question_leaves_no_trace(ledger):
    ask(ledger, charge("n", "0.95"))
    with pytest.raises(BudgetExceeded, match=r"costs ε = 0.1, and ε = 0.05 is left"):
        ledger.reserve(charge("m"))
    assert kinds(ledger) == [Kind.BIRTH, Kind.RESERVE, Kind.COMMIT]
    ask(ledger, charge("m", "0.05"))
    assert ledger.remaining("visits") == (Pure(epsilon=0),)


def test_ten_tenths_fit_and_an_eleventh_does_not(ledger):
    for number in range(10):
        ask(ledger, charge(number))
    with pytest.raises(BudgetExceeded):
        ledger.reserve(charge(10))


def test_an_unfinished_question_is_resumed_and_not_charged_again(ledger):
    first = ledger.reserve(charge("n", 1))
    again = ledger.reserve(charge("n", 1))
    assert (again.seq, again.resumed) == (first.seq, True)
    assert ledger.commit(again, b"17").content == b"17"


def test_of_two_runs_of_one_reservation_only_the_first_answer_ever_leaves(ledger):
    first = ledger.reserve(charge("n"))
    second = ledger.reserve(charge("n"))
    assert ledger.commit(second, b"second").content == b"second"
    late = ledger.commit(first, b"first")
    assert late == Answered(3, 2, b"second", fresh=False)
    assert len(kinds(ledger)) == 3


def test_the_same_question_at_another_price_is_another_charge_while_unfinished(ledger):
    ledger.reserve(charge("n", "0.1"))
    other = ledger.reserve(charge("n", "0.2"))
    assert not other.resumed
    assert ledger.spent() == (Pure(epsilon="0.3"),)


def test_an_abandoned_question_stays_charged_and_a_new_attempt_is_charged_anew(ledger):
    ledger.abandon(ledger.reserve(charge("n")))
    assert ledger.spent() == (Pure(epsilon="0.1"),)
    again = ledger.reserve(charge("n"))
    assert not again.resumed
    assert ledger.spent() == (Pure(epsilon="0.2"),)


def test_abandoning_twice_or_after_the_answer_changes_nothing(ledger):
    reservation = ledger.reserve(charge("n"))
    ledger.abandon(reservation)
    ledger.abandon(reservation)
    answered = ledger.reserve(charge("m"))
    ledger.commit(answered, b"17")
    ledger.abandon(answered)
    assert ledger.stored(charge("m").question).content == b"17"
    assert kinds(ledger)[1:] == [Kind.RESERVE, Kind.ABANDON, Kind.RESERVE, Kind.COMMIT]


def test_an_abandoned_reservation_cannot_be_committed(ledger):
    reservation = ledger.reserve(charge("n"))
    ledger.abandon(reservation)
    with pytest.raises(InvalidInput, match="failed and was given up") as caught:
        ledger.commit(reservation, b"17")
    assert caught.value.code == "ledger.abandoned"


def test_a_reservation_of_another_book_is_refused(ledger):
    with opened() as other:
        ask(other, charge("something else"))
        foreign = other.reserve(charge("n"))
    ledger.reserve(charge("n"))
    with pytest.raises(InvalidInput, match="holds no reservation"):
        ledger.commit(foreign, b"17")


def test_a_key_finds_its_own_attempt_again(ledger):
    first = ledger.reserve(charge("n", key="k"))
    again = ledger.reserve(charge("n", key="k"))
    assert (again.seq, again.resumed) == (first.seq, True)
    ledger.commit(again, b"17")
    assert ledger.reserve(charge("n", key="k")).content == b"17"
    assert ledger.spent() == (Pure(epsilon="0.1"),)


@pytest.mark.parametrize("other", [charge("m", key="k"), charge("n", "0.2", key="k")])
def test_a_key_of_another_question_or_price_is_refused(ledger, other):
    ledger.reserve(charge("n", key="k"))
    with pytest.raises(InvalidInput, match="The key 'k' was used for another") as caught:
        ledger.reserve(other)
    assert caught.value.code == "ledger.key-reused"
    assert ledger.spent() == (Pure(epsilon="0.1"),)


def test_two_analysts_may_choose_the_same_key(ledger):
    ledger.reserve(charge("n", key="k", analyst="ada"))
    assert not ledger.reserve(charge("m", key="k", analyst="bob")).resumed


def test_an_abandoned_key_stays_abandoned(ledger):
    ledger.abandon(ledger.reserve(charge("n", key="k")))
    with pytest.raises(InvalidInput, match="given up"):
        ledger.reserve(charge("n", key="k"))
    assert ledger.spent() == (Pure(epsilon="0.1"),)


def test_a_table_or_a_measure_that_was_not_promised_is_refused(ledger):
    from dataclasses import replace

    from partita.region import Domain, Region, integers
    from partita.theory.cost import Cost

    with pytest.raises(InvalidInput, match="knows no table 'other'; it knows visits"):
        ledger.reserve(replace(charge("n"), table="other"))
    elsewhere = Region.everything(Domain({"age": integers(0, 98)}))
    with pytest.raises(InvalidInput, match="not over the public domain"):
        ledger.reserve(replace(charge("n"), region=elsewhere))
    with pytest.raises(InvalidInput, match="2 amounts were given for 1 promises"):
        ledger.reserve(replace(charge("n"), costs=(Cost(Pure(epsilon=0)),) * 2))
    with pytest.raises(InvalidInput, match="cannot be added or compared"):
        ledger.reserve(replace(charge("n"), costs=(Cost(ZCDP(rho=0)),)))
    assert kinds(ledger) == [Kind.BIRTH]


@pytest.mark.parametrize(
    "wrong",
    [{"question": "n"}, {"question": "G" * 64}, {"analyst": "a" * 201}, {"key": "k" * 201}, {"costs": ()}],
)
def test_a_malformed_charge_is_refused(wrong):
    from dataclasses import replace

    with pytest.raises(InvalidInput):
        replace(charge("n"), **wrong)


def test_odd_names_are_kept_as_they_are(ledger):
    odd = 'Ünïcødé \n"quoted" \\ \ud800 \'; DROP TABLE entry; --'
    ask(ledger, charge("n", analyst=odd, key=odd), b"17")
    assert ledger.reserve(charge("n", analyst=odd, key=odd)).content == b"17"
    assert ledger.verify().sound


def test_the_truncation_key_is_secret_and_fixed_at_birth(ledger):
    secret = ledger.truncation_key()
    assert len(secret) == 32
    assert all(secret.hex() not in entry.note for entry in ledger.entries())
    assert ledger.truncation_key() == secret


def test_a_ledger_cannot_be_copied_or_sent(ledger):
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(LedgerFault, match="cannot be copied or sent"):
            attempt(ledger)


def test_a_closed_ledger_says_so():
    ledger = opened()
    ledger.close()
    with pytest.raises(LedgerFault, match="is closed"):
        ledger.reserve(charge("n"))


def test_the_region_is_written_as_it_is_charged(ledger):
    import json

    from partita.ledger.charge import region_from
    from partita.region import Region

    ledger.reserve(charge("n", where="age BETWEEN 10 AND 19 OR age > 90"))
    (entry,) = ledger.entries(after=1)
    written = json.loads(entry.charge)
    assert region_from(written["region"], DOMAIN) == Region.where("age BETWEEN 10 AND 19 OR age > 90", DOMAIN)
