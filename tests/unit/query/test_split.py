"""A split of a budget is within it everywhere, and no other split has a smaller total error."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.query.batch.split import split


def total(errors: list[float], shares: list[float], power: float) -> float:
    return sum(error * share**-power for error, share in zip(errors, shares, strict=True))


@settings(max_examples=40, deadline=None)
@given(
    errors=st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8),
    data=st.data(),
    power=st.sampled_from([1.0, 2.0]),
)
def test_no_other_split_within_the_budget_is_more_exact(errors: list[float], data: st.DataObject, power: float) -> None:
    places = st.frozensets(st.integers(0, len(errors) - 1), min_size=1)
    meetings = data.draw(st.lists(places, min_size=1, max_size=5))
    shares = split(errors, meetings, power)
    assert max(sum(shares[i] for i in meeting) for meeting in meetings) <= 1 + 1e-12
    best = total(errors, shares, power)
    chance = np.random.default_rng(1)
    for _ in range(20):
        other = np.array(shares) * np.exp(chance.normal(0, 0.2, len(shares)))
        covered = set().union(*meetings)
        other[[i not in covered for i in range(len(errors))]] = 1.0
        other /= max(1.0, *(sum(other[i] for i in meeting) for meeting in meetings))
        assert total(errors, list(np.minimum(other, 1.0)), power) >= best * (1 - 1e-4)


def test_questions_that_nobody_is_in_together_have_the_whole_budget_each() -> None:
    assert split([1.0, 5.0], [frozenset({0}), frozenset({1})], 1) == [1.0, 1.0]


def test_those_who_share_divide_by_the_root_of_their_errors() -> None:
    first, second = split([1.0, 9.0], [frozenset({0, 1})], 1)
    assert abs(first - 0.25) < 1e-9
    assert abs(second - 0.75) < 1e-9
