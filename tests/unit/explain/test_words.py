"""An explanation says what the numbers say, to whom it concerns, and what is not promised."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InvalidInput
from partita.explain.numbers import at_most, factor
from partita.explain.words import Reader, explain
from partita.granularity import replace, rows, users
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

LOSSES = [Pure(epsilon="0.5"), Approximate(epsilon=1, delta="1e-6"), ZCDP(rho="0.1"), GDP(mu=1), Pure(epsilon=0)]


@given(epsilon=st.fractions(0, 20, max_denominator=50))
def test_the_words_carry_the_numbers_of_this_guarantee(epsilon):
    said = str(explain(Pure(epsilon=epsilon)))
    assert f"at most {factor(explain(Pure(epsilon=epsilon)).facts.multiplier)} times as likely" in said
    assert f"at most {at_most(min(1.0, math.exp(epsilon) * 0.01))} with it" in said or epsilon > 4


def test_the_person_reads_the_whole_story():
    section = explain(Pure(epsilon="0.5")).sections[0]
    assert section.sentences == (
        "Whatever comes of these releases, it becomes at most 1.65 times as likely because your record is in the data.",
        (
            "What would happen to you with probability 1% without your record happens with probability at most 1.65% "
            "with it."
        ),
        (
            "Whether your record is there: whoever knows all the others moves from 1% sure to between 0.608% and "
            "1.64%; from 10% sure to between 6.31% and 15.5%; from 50% sure to between 37.7% and 62.3%."
        ),
        (
            "What your record says: whoever knows all the others moves from 1% sure to between 0.37% and 2.68%; "
            "from 10% sure to between 3.92% and 23.2%; from 50% sure to between 26.8% and 73.2%."
        ),
        (
            "A family of four together is protected less than each of them: what happens with probability 1% without "
            "them happens with probability at most 7.39% with them (ε = 2 in place of ε = 0.5)."
        ),
    )


def test_where_values_change_the_words_do_not_speak_of_taking_part():
    said = str(explain(Pure(epsilon=1), unit=replace()).sections[0])
    assert "because your record says what it says" in said
    assert "is in the data" not in said
    assert "is there" not in said
    assert "because your record is in the data" in str(explain(Pure(epsilon=1), unit=rows()).sections[0])


def test_the_unit_of_protection_is_named():
    said = str(explain(Pure(epsilon=1), unit=users("patient", rows=3)))
    assert "one patient with at most 3 rows, added or removed" in said


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_what_is_not_promised_is_always_said(loss):
    last = explain(loss).sections[-1]
    assert last.title == "What is not promised"
    assert "learns that also if you never took part" in last.sentences[0]
    assert any("δ" in sentence for sentence in last.sentences) == (explain(loss).facts.delta > 0)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_an_explanation_is_also_plain_data(loss):
    document = json.loads(json.dumps(explain(loss).document()))
    assert document["guarantee"] == str(loss)
    assert document["numbers"]["epsilon"] == explain(loss).facts.epsilon
    assert len(document["sections"]) == 4


def test_each_reader_may_be_served_alone():
    titles = [section.title for section in explain(Pure(epsilon=1), readers=["analyst"]).sections]
    assert titles == ["For the analyst", "What is not promised"]
    assert [str(reader) for reader in Reader] == ["person", "analyst", "officer"]
    with pytest.raises(InvalidInput) as refusal:
        explain(Pure(epsilon=1), readers=["boss"])
    assert refusal.value.code == "explain.unknown-reader"


@pytest.mark.parametrize(
    ("delta", "people", "words"),
    [
        ("1e-9", 1000, "δ = 1e-9 is at most 1e-5, a hundredth of one over the 1,000 people."),
        ("1e-4", 1000, "Warning: δ = 0.0001 is above 1e-5, a hundredth of one over the 1,000 people."),
        ("0.01", 1000, "Warning: δ = 0.01 is no promise to 1,000 people"),
        ("1e-5", None, "Warning: δ = 1e-5 is above 1e-6."),
    ],
)
def test_a_delta_is_judged_by_the_number_of_people(delta, people, words):
    assert words in str(explain(Approximate(epsilon=1, delta=delta), people=people))


def test_a_large_epsilon_is_called_large():
    assert "Warning: ε = 8 is above 5" in str(explain(Pure(epsilon=8)))
    assert "Warning" not in str(explain(Pure(epsilon=1)))


def test_correlated_records_are_bounded_for_pure_losses_only():
    words = "also of how people depend on each other"
    assert words in str(explain(Pure(epsilon=1)))
    assert words not in str(explain(Approximate(epsilon=1, delta="1e-6")))
