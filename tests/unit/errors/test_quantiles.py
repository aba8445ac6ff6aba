"""The exact words of every refusal about quantiles."""

from __future__ import annotations

import pytest

from partita.errors import quantiles as refuse

WORDS = [
    (
        refuse.bad_share(),
        "quantiles.bad-share",
        (
            "A quantile needs a constant share between 0 and 1 with at most six digits. Nothing was read and nothing "
            "was charged. Write QUANTILE(x, 0.9) for the value that nine tenths of the rows lie below."
        ),
    ),
    (
        refuse.too_many_values(2**51 + 1, 2**50),
        "quantiles.too-many-values",
        (
            "A quantile is chosen among all possible values, and 2,251,799,813,685,249 are more than the "
            "1,125,899,906,842,624 that one choice can be made among. Nothing was read and nothing was charged. "
            "Declare a coarser step, or write CLAMP(x, low, high)."
        ),
    ),
    (
        refuse.several_shares(),
        "quantiles.several-shares",
        (
            "A list of shares would put several quantiles into one column. Nothing was read and nothing was charged. "
            "Write one for each: QUANTILE(x, 0.25) AS low, QUANTILE(x, 0.75) AS high. They share one price."
        ),
    ),
]


@pytest.mark.parametrize(("problem", "code", "words"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_what_to_do(problem, code, words):
    assert problem.code == code
    assert problem.message == words
