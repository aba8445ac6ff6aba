"""The exact words of every refusal about open keys and caps."""

from __future__ import annotations

import pytest

from partita.errors import selection as refuse

WORDS = [
    (
        refuse.no_delta("μ"),
        "selection.no-delta",
        (
            "Keys of a text_keys() column can only be named with a δ, and this promise in μ has none to give, or the "
            "question was given none. Nothing was read and nothing was charged. Make the promise in ε and δ or in ρ "
            'and δ, and ask with delta=, for example delta="1e-8"; or declare the keys as categories(...).'
        ),
    ),
    (
        refuse.caps_need_owners("no promise is on owners"),
        "selection.caps-need-owners",
        (
            "rows_per_user= and groups_per_user= bound what one owner adds to an answer, and no promise is on owners. "
            "Nothing was read and nothing was charged. Leave them out, or make all promises on users: "
            "pt.users(column, rows=...)."
        ),
    ),
    (
        refuse.bad_cap("rows_per_user", 0),
        "selection.bad-cap",
        (
            "rows_per_user = 0 is not a cap. Nothing was read and nothing was charged. Give a whole number of at "
            "least 1."
        ),
    ),
    (
        refuse.price_of_caps(),
        "selection.price-of-caps",
        (
            "Caps are suggested from noisy counts, which cost something. Nothing was read and nothing was charged. "
            "Give one price, epsilon= or rho=: it is divided among the counts."
        ),
    ),
]


@pytest.mark.parametrize(("problem", "code", "words"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_what_to_do(problem, code, words):
    assert problem.code == code
    assert problem.message == words
