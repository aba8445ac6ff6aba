"""Bars of text are as long as what they stand for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.cli.tables import bar


@given(value=st.floats(-10, 100), width=st.integers(1, 60))
def test_a_bar_never_exceeds_its_width(value, width):
    assert len(bar(value, 100, width)) <= width


def test_the_largest_value_fills_the_bar_and_nothing_draws_nothing():
    assert bar(7, 7, 5) == "█████"
    assert bar(0, 7, 5) == ""
    assert bar(3, 0) == ""
