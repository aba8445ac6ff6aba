"""The exact words of every caution."""

from __future__ import annotations

import pytest

from partita.errors import cautions as warn

WORDS = [
    (
        warn.large_delta("visits", 100, "one row, added or removed", "0.05"),
        "curator.large-delta",
        (
            "δ = 0.05 of the promise for [one row, added or removed] is more than 1/100, and table visits was declared "
            "to hold at least 100 people: publishing one of them outright would keep such a promise. Choose a δ far "
            "below 1/100."
        ),
    ),
    (
        warn.same_contents("visits", "stays"),
        "curator.same-contents",
        (
            "The tables visits and stays hold the same rows in two places. Each has a budget of its own, so that what "
            "is promised for a row holds for each of the copies and not for both together. Declare the rows once."
        ),
    ),
]


@pytest.mark.parametrize(("caution", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_caution_says_exactly_this(caution, code, message):
    assert (caution.code, caution.message, str(caution)) == (code, message, message)
