"""The words that a refusal is about are underlined in their line."""

from __future__ import annotations

from partita.errors.query import language as query
from partita.errors.query import prices
from partita.errors.query.underlined import Words, at


def test_the_words_in_question_are_underlined_in_their_line():
    words = Words("SELECT COUNT(*)\nFROM nowhere", 21, 28)
    assert at(query.no_aggregate(), words).message.splitlines()[1:] == [
        "(line 2, column 6)",
        "    FROM nowhere",
        "         ^^^^^^^",
    ]


def test_a_refusal_is_underlined_once_and_keeps_its_kind():
    words = Words("SELECT 1", 7, 8)
    once = at(prices.no_price(), words)
    assert at(once, words) is once
    assert type(once) is type(prices.no_price())
    assert at(prices.no_price(), None).message == prices.no_price().message


def test_a_very_long_line_is_cut_around_the_words():
    text = "SELECT " + "a + " * 200 + "b"
    shown = Words(text, len(text) - 1, len(text)).underlined().splitlines()
    assert len(shown[1]) <= 170
    assert shown[1][shown[2].index("^")] == "b"
