"""Many questions in one call are charged and answered as they would be one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.curator.path import many
from partita.errors import BadCall, BudgetExceeded, LedgerFault, QueryRefused
from tests.unit.curator.hospital import hospital

PROMISE = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
AGES = st.lists(st.tuples(st.integers(28, 34), st.integers(0, 4)), max_size=9)


def texts(asked):
    return [f"SELECT COUNT(*) AS n FROM visits WHERE age BETWEEN {low} AND {low + wide}" for low, wide in asked]


@settings(max_examples=15)
@given(asked=AGES, together=st.sampled_from([1, 2, 256]), price=st.sampled_from(["0.25", "0.4"]))
def test_they_cost_what_they_cost_one_by_one(asked, together, price):
    questions = texts(asked)
    with (
        hospital(promises=PROMISE) as alone,
        hospital(promises=PROMISE) as curator,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(many, "TOGETHER", together)
        answered = 0
        try:
            for question in questions:
                alone.ask(question, epsilon=price, reuse=False)
                answered += 1
            refused = False
        except BudgetExceeded:
            refused = True
        try:
            found = curator.ask_many(questions, epsilon=price, reuse=False)
            assert len(found) == len(questions)
            assert not refused
        except BudgetExceeded:
            assert refused
        assert curator.spent() == alone.spent()
        assert len(curator.ledger.newest(20)) == len(alone.ledger.newest(20))
        for question in questions[:answered]:
            assert curator.ask(question, epsilon=price, reuse=False).free
        assert curator.verify().sound


def test_each_is_decided_after_those_before_it():
    with hospital(promises=PROMISE) as curator:
        with pytest.raises(BudgetExceeded):
            curator.ask_many(texts([(30, 4), (31, 4), (32, 4)]), epsilon="0.5", reuse=False)
        assert len(curator.ledger.newest(9)) == 2
        assert curator.spent()[0] == pt.Pure(epsilon=1)


def test_the_same_question_twice_is_one_answer():
    with hospital(promises=PROMISE) as curator:
        first, second = curator.ask_many(texts([(30, 0), (30, 0)]), epsilon="0.5")
        assert first.rows() == second.rows()
        assert curator.spent()[0] == pt.Pure(epsilon="0.5")


def test_what_follows_from_earlier_answers_is_free():
    with hospital(promises=PROMISE) as curator:
        whole = curator.ask("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", epsilon="0.5")
        (told, paid) = curator.ask_many([texts([(30, 0)])[0], "SELECT SUM(age) AS s FROM visits"], epsilon="0.25")
        assert told.free
        assert told.rows()[0]["n"] == next(row["n"] for row in whole.rows() if row["age"] == 30)
        assert not paid.free
        assert curator.spent()[0] == pt.Pure(epsilon="0.75")


def test_a_question_that_cannot_be_read_is_refused_before_any_is_charged():
    with hospital(promises=PROMISE) as curator:
        with pytest.raises(QueryRefused):
            curator.ask_many([*texts([(30, 0)]), "SELECT nothing FROM visits"], epsilon="0.5")
        assert curator.spent()[0] == pt.Pure(epsilon=0)


def test_a_text_is_no_list_and_no_questions_are_no_answers():
    with hospital(promises=PROMISE) as curator:
        with pytest.raises(BadCall, match="a list of questions"):
            curator.ask_many("SELECT COUNT(*) AS n FROM visits", epsilon="0.5")
        assert curator.ask_many([], epsilon="0.5") == []


def test_a_session_asks_in_its_own_name_and_within_its_own_limit():
    with hospital(promises=PROMISE) as curator:
        ada = curator.session(analyst="ada", budget=pt.Pure(epsilon="0.5"))
        with pytest.raises(BudgetExceeded):
            ada.ask_many(texts([(30, 3), (31, 3), (32, 3)]), epsilon="0.25")
        assert curator.spent("ada")[0] == pt.Pure(epsilon="0.5")
        assert len(curator.ledger.newest(9)) == 2


def test_shrunk_questions_are_shrunk_one_after_the_other():
    with hospital(promises=PROMISE) as curator:
        curator.ask(texts([(30, 0)])[0], epsilon=1)
        first, second = curator.ask_many(texts([(30, 1), (30, 2)]), epsilon=1, shrink=True, reuse=False)
        assert first.asked_about is not None
        assert second.asked_about is not None
        assert curator.spent()[0] == pt.Pure(epsilon=1)


def test_a_transaction_that_fails_ends_the_book_and_lets_nothing_out(tmp_path):
    """What was booked ahead is not in the file: this process must not go on from it."""
    with hospital(promises=PROMISE, ledger=tmp_path / "book") as curator:
        inner = curator.ledger._reserved

        def fail(charge, *given):
            if "32" in charge.asked:
                raise RuntimeError("the disk is gone")
            return inner(charge, *given)

        curator.ledger._reserved = fail
        with pytest.raises(RuntimeError):
            curator.ask_many(texts([(30, 0), (31, 0), (32, 0)]), epsilon="0.5")
        del curator.ledger._reserved
        with pytest.raises(LedgerFault, match="again"):
            curator.ask(texts([(33, 0)])[0], epsilon="0.5")
    with hospital(promises=PROMISE, ledger=tmp_path / "book") as again:
        assert again.spent()[0] == pt.Pure(epsilon=Fraction(0))
        assert again.verify().sound
