from __future__ import annotations

import pytest

from partita.errors import InvalidInput, PartitaError
from partita.errors import audit as words

SAID: list[tuple[PartitaError, str, str]] = [
    (
        words.not_callable(7),
        "audit.not-callable",
        (
            "release = 7 cannot be called. Give a function of the data that returns one output; with batch=True, a "
            "function of the data and a count that returns so many. Nothing was run."
        ),
    ),
    (
        words.wrong_length(5, 1),
        "audit.wrong-length",
        (
            "With batch=True, release(data, 5) must return 5 outputs along its first axis, and it returned 1. "
            "Return one output for each run, or leave batch out."
        ),
    ),
    (
        words.unreadable("bytearray"),
        "audit.unreadable-output",
        (
            "An output of type bytearray is neither a number, nor a sequence of numbers, nor hashable, so that runs "
            "cannot be compared. Let release return what an attacker would look at, such as a tuple or a text."
        ),
    ),
    (
        words.not_a_claim("one"),
        "audit.not-a-claim",
        "claim = 'one' is no privacy claim. Give the ε that is claimed, or a loss such as pt.GDP(mu=1).",
    ),
    (
        words.more_than_all("hits", 11, 10),
        "audit.more-than-all",
        "hits = 11 is more than the 10 there were. Give counts that can have happened.",
    ),
    (
        words.wrong_scores(10, (3, 2)),
        "audit.wrong-scores",
        (
            "train(included) must return one number for each of the 10 canaries, and it returned an array of shape "
            "(3, 2). Return a score that is higher for canaries that look as if they were in."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), SAID, ids=[code for _, code, _ in SAID])
def test_the_words(error, code, message):
    assert isinstance(error, InvalidInput)
    assert (error.code, error.message) == (code, message)
