from __future__ import annotations

import pytest

import partita as pt
from partita.granularity import convert, steps


def message(call: object) -> str:
    with pytest.raises(pt.PartitaError) as refusal:
        call()  # type: ignore[operator]
    return refusal.value.message


def test_a_direction_without_a_guarantee_says_so() -> None:
    assert message(lambda: convert(pt.Pure(epsilon=1), pt.replace(), pt.rows())) == (
        "A guarantee for [the value of one row, with the number of rows public] says nothing about [one row, added or "
        "removed]: no number of steps of the first makes one step of the second, so the loss could be infinite. "
        "Nothing was converted. Ask for a mechanism whose guarantee is stated for [one row, added or removed]."
    )


def test_something_else_is_not_a_granularity() -> None:
    assert message(lambda: steps("rows", pt.rows())) == (  # type: ignore[arg-type]
        "source = 'rows' does not say who is protected. Give pt.rows(), pt.replace(), pt.groups(k), "
        "pt.users(column, rows=m), pt.windows(column, width=w) or pt.metric(column, unit=u)."
    )


def test_users_windows_and_metrics_need_their_column() -> None:
    assert message(lambda: pt.users("", rows=3)) == (
        "users(column='') does not name the column that says whose row it is. Write pt.users(\"patient\", rows=10)."
    )
    assert message(lambda: pt.windows(3, width=7)) == (  # type: ignore[arg-type]
        'windows(column=3) does not name the column of time steps. Write pt.windows("day", width=7).'
    )
    assert message(lambda: pt.metric(None, unit=1)) == (  # type: ignore[arg-type]
        'metric(column=None) does not name a column. Write pt.metric("income", unit=1000).'
    )


def test_switches_and_parts_are_checked() -> None:
    assert message(lambda: pt.users("u", rows=3, altered="no")) == (  # type: ignore[arg-type]
        "altered = 'no' is neither True nor False. Give one of them."
    )
    assert message(lambda: pt.windows("day", width=3, changed="no")) == (  # type: ignore[arg-type]
        "changed = 'no' is neither True nor False. Give one of them."
    )
    assert message(lambda: pt.users("u", rows=3, per=5)) == (  # type: ignore[arg-type]
        'users(per=5) does not name the column that divides an owner. Write per="day".'
    )
    assert "of = 'rows' does not say who is protected" in message(lambda: pt.groups(2, of="rows"))  # type: ignore[arg-type]
