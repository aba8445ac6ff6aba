from __future__ import annotations

import pytest

from partita.errors import InvalidInput, PartitaError
from partita.errors import attacks as words

SAID: list[tuple[PartitaError, str, str]] = [
    (
        words.unknown_attack("magic", ("differencing", "averaging")),
        "attacks.unknown-attack",
        "There is no attack called 'magic'. Choose among: differencing, averaging. Nothing was attacked.",
    ),
    (
        words.unknown_method("magic", ("least squares", "exhaustive")),
        "attacks.unknown-method",
        "method = 'magic' is not known. Choose among: least squares, exhaustive. Nothing was attacked.",
    ),
    (
        words.too_many_to_try(20, 12),
        "attacks.too-many-to-try",
        (
            "20 people have 2^20 tables, and the exhaustive attack tries all: give at most 12 people, or "
            "method='least squares'. Nothing was attacked."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), SAID, ids=[code for _, code, _ in SAID])
def test_the_words(error, code, message):
    assert isinstance(error, InvalidInput)
    assert (error.code, error.message) == (code, message)
