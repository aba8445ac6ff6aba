"""Numbers in words are short, and rounded against ourselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.explain.numbers import at_least, at_most, factor, one_in, percent

SHARES = st.floats(1e-8, 1)


def read(text: str) -> float:
    return float(text.removesuffix("%").replace(",", "")) / 100


@given(share=SHARES)
def test_a_bound_is_never_said_to_be_better_than_it_is(share):
    assert read(at_least(share)) <= share * (1 + 1e-11)
    assert read(at_most(share)) >= share * (1 - 1e-11)
    assert read(at_most(share)) <= share * 1.0101
    assert read(at_least(share)) >= share * 0.9899


@given(number=st.floats(1, 1e11))
def test_a_factor_is_rounded_up(number):
    assert number * (1 - 1e-11) <= float(factor(number).replace(",", "")) <= number * 1.0101


@given(share=st.floats(1e-15, 0.5))
def test_odds_never_look_longer_than_they_are(share):
    said = float(one_in(share).removeprefix("one in ").replace(",", ""))
    assert said <= (1 + 1e-11) / share
    assert said >= 0.9 / share


def test_extremes_have_words():
    assert at_most(1) == "100%"
    assert at_least(0) == "0%"
    assert percent(1e-13) == "1.0e-11%"
    assert factor(float("inf")) == "any number"
    assert one_in(1e-30) == "one in 10^30"
    assert one_in(0.75) == "75%"
