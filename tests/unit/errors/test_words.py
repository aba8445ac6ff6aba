"""What is said of words that mean nothing in a question."""

from __future__ import annotations

import pytest

from partita.errors import words as refuse

SAID = [
    (
        refuse.question_in_answer(),
        "words.question-in-answer",
        (
            "A question inside another one's answer is not answered. Ask it by itself, and compute with both answers; "
            "the total of all groups is in the same answer with GROUP BY ROLLUP (...). Nothing was read and nothing "
            "was charged."
        ),
    ),
    (
        refuse.by_the_clock("CURRENT_DATE"),
        "words.by-the-clock",
        (
            "CURRENT_DATE changes with the day, so the same words would be another question tomorrow and cost anew. "
            "Write the day itself, for example DATE '2025-06-01' - INTERVAL 30 DAY. Nothing was read and nothing was "
            "charged."
        ),
    ),
    (
        refuse.by_chance("RANDOM()"),
        "words.by-chance",
        (
            "RANDOM() would choose rows by lot. Every question reads all rows, and noise protects them: leave it out. "
            "Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.left_open("?"),
        "words.left-open",
        (
            "? stands for a value that is not here. Write the value itself, text in single quotes. Nothing was read "
            "and nothing was charged."
        ),
    ),
    (
        refuse.uneven_list(2),
        "words.uneven-list",
        (
            "2 columns in brackets are compared with combinations of 2 values each, for example "
            "(age, sex) IN ((30, 'F'), (40, 'M')). Nothing was read and nothing was charged."
        ),
    ),
]


@pytest.mark.parametrize(("problem", "code", "said"), SAID, ids=[code for _, code, _ in SAID])
def test_the_words(problem, code, said):
    assert (problem.code, problem.message) == (code, said)
