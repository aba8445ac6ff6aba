"""The exact words of every refusal about neighbouring relations, as a caller meets them."""

from __future__ import annotations

import pytest

import partita as pt
from partita.granularity import convert, steps

WORDS = [
    (
        lambda: convert(pt.Pure(epsilon=1), pt.replace(), pt.rows()),
        "granularity.no-guarantee",
        (
            "A guarantee for [the value of one row, with the number of rows public] says nothing about [one row, added "
            "or removed]: no number of steps of the first makes one step of the second, so the loss could be infinite. "
            "Nothing was converted. Ask for a mechanism whose guarantee is stated for [one row, added or removed]."
        ),
    ),
    (
        lambda: steps("rows", pt.rows()),
        "granularity.not-a-granularity",
        (
            "source = 'rows' does not say who is protected. Give pt.rows(), pt.replace(), pt.groups(k), "
            "pt.users(column, rows=m), pt.windows(column, width=w) or pt.metric(column, unit=u)."
        ),
    ),
    (
        lambda: pt.groups(2, of="rows"),
        "granularity.not-a-granularity",
        (
            "of = 'rows' does not say who is protected. Give pt.rows(), pt.replace(), pt.groups(k), "
            "pt.users(column, rows=m), pt.windows(column, width=w) or pt.metric(column, unit=u)."
        ),
    ),
    (
        lambda: pt.users("", rows=3),
        "granularity.no-owner-column",
        "users(column='') does not name the column that says whose row it is. Write pt.users(\"patient\", rows=10).",
    ),
    (
        lambda: pt.windows(3, width=7),
        "granularity.no-time-column",
        'windows(column=3) does not name the column of time steps. Write pt.windows("day", width=7).',
    ),
    (
        lambda: pt.metric(None, unit=1),
        "granularity.no-metric-column",
        'metric(column=None) does not name a column. Write pt.metric("income", unit=1000).',
    ),
    (
        lambda: pt.users("u", rows=3, altered="no"),
        "granularity.not-a-switch",
        "altered = 'no' is neither True nor False. Give one of them.",
    ),
    (
        lambda: pt.windows("day", width=3, changed="no"),
        "granularity.not-a-switch",
        "changed = 'no' is neither True nor False. Give one of them.",
    ),
    (
        lambda: pt.users("u", rows=3, per=5),
        "granularity.no-part-column",
        'users(per=5) does not name the column that divides an owner. Write per="day".',
    ),
]


@pytest.mark.parametrize(("call", "code", "message"), WORDS, ids=[f"{at}-{word[1]}" for at, word in enumerate(WORDS)])
def test_a_refusal_says_exactly_this(call, code, message):
    with pytest.raises(pt.PartitaError) as refusal:
        call()
    assert (refusal.value.code, refusal.value.message) == (code, message)
