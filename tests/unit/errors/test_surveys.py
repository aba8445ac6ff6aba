from __future__ import annotations

import inspect

import pytest

from partita.errors import InvalidInput
from partita.errors import surveys as refuse

CASES = [
    (
        refuse.few_answers(["a"]),
        InvalidInput,
        "surveys.few-answers",
        (
            "answers = ['a'] has fewer than two answers or names one twice. Nobody was asked. List every answer "
            "that people can give, once."
        ),
    ),
    (
        refuse.unknown_answer(),
        InvalidInput,
        "surveys.unknown-answer",
        (
            "An answer is not on the survey's list. Nothing was reported. List every answer that people can give,"
            " or add one for all others."
        ),
    ),
    (
        refuse.unknown_encoding("morse", ("direct", "symmetric")),
        InvalidInput,
        "surveys.unknown-encoding",
        ("encoding = 'morse' is not one of 'direct', 'symmetric'."),
    ),
    (
        refuse.no_delta(),
        InvalidInput,
        "surveys.no-delta",
        (
            "Values that are not listed beforehand can be named only at a price with a δ: whatever is named shows that "
            "somebody has it. Nothing was drawn. Write epsilon= with delta=, or rho= with delta=, say delta='1e-6'; or "
            "count over a public list of values."
        ),
    ),
    (
        refuse.foreign_reports(),
        InvalidInput,
        "surveys.foreign-reports",
        (
            "The reports are not of the kind that this survey collects. Pass what collect returned, of this "
            "survey alone."
        ),
    ),
    (
        refuse.bad_counts("str"),
        InvalidInput,
        "surveys.bad-counts",
        (
            "Exact counts by item are needed, such as {'a': 3} or a list of whole numbers, and str was given. "
            "Nothing was drawn."
        ),
    ),
    (
        refuse.too_many_chosen(3, 2),
        InvalidInput,
        "surveys.too-many-chosen",
        ("k = 3 is more than the number of items (2). Nothing was drawn. Ask for fewer."),
    ),
    (
        refuse.unknown_method("guess", ("peeling", "one-shot")),
        InvalidInput,
        "surveys.unknown-method",
        ("method = 'guess' is not one of 'peeling', 'one-shot'. Nothing was drawn."),
    ),
    (
        refuse.bad_quantile(2),
        InvalidInput,
        "surveys.bad-quantile",
        ("quantile = 2 is not between 0 and 1. Nothing was drawn. The median is 1/2."),
    ),
]


@pytest.mark.parametrize(("error", "kind", "code", "text"), CASES, ids=[case[2] for case in CASES])
def test_the_words_are_exactly_these(error, kind, code, text):
    assert type(error) is kind
    assert error.code == code
    assert str(error) == text


def test_every_message_is_here():
    made = {name for name, thing in vars(refuse).items() if inspect.isfunction(thing)}
    codes = {case[2] for case in CASES}
    assert len(codes) == len(CASES) == len(made)
