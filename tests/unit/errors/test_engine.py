"""The exact words of every refusal about engines."""

from __future__ import annotations

import pytest

from partita.errors import engine as refuse

WORDS = [
    (
        refuse.fault(),
        "engine.fault",
        (
            "The question could not be computed. It stays charged, because rows may have been read; asking again "
            "costs nothing more with the same key. The operator's log says what happened."
        ),
    ),
    (
        refuse.not_attached("visits"),
        "engine.not-attached",
        "The engine was not opened with the table 'visits'. Open it with all tables.",
    ),
    (
        refuse.bad_threads(0),
        "engine.bad-threads",
        "threads = 0 is not a number of threads. Give a whole number, 1 or more.",
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
