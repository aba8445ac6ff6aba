from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
import partita.granularity as folder
from partita.granularity import Granularity, convert, steps
from partita.registry import members

sizes = st.integers(1, 9)
FAMILY: dict[str, st.SearchStrategy[Granularity]] = {
    "rows": st.just(pt.rows()),
    "replace": st.just(pt.replace()),
    "groups": st.builds(pt.groups, sizes, st.sampled_from([pt.rows(), pt.replace()])),
    "users": st.builds(lambda m, a: pt.users("u", rows=m, altered=a), sizes, st.booleans()),
    "windows": st.builds(lambda w, c: pt.windows("day", width=w, changed=c), sizes, st.booleans()),
    "metric": st.builds(lambda u: pt.metric("x", unit=u), sizes),
    "persons": st.builds(
        lambda m, a: pt.persons("u", table="p", rows={"t": m, "s": 2}, altered=a), sizes, st.booleans()
    ),
    "events": st.just(pt.events("t")),
    "edges": st.just(pt.edges()),
    "nodes": st.builds(lambda s, listed: pt.nodes(stability=s, listed=listed), sizes, st.booleans()),
}
any_granularity = st.one_of(*FAMILY.values())


def test_every_granularity_is_held_to_these_laws() -> None:
    assert set(members(Granularity, folder)) == set(FAMILY)


@given(any_granularity)
def test_a_relation_is_one_step_of_itself(granularity: Granularity) -> None:
    assert steps(granularity, granularity) == 1
    assert str(granularity)


# Theory A9, line by line: (from, to, steps), None where there is no guarantee.
A9 = [
    (pt.rows(), pt.replace(), 2),
    (pt.replace(), pt.rows(), None),
    (pt.rows(), pt.users("u", rows=4), 4),
    (pt.rows(), pt.users("u", rows=4, altered=True), 8),
    (pt.users("u", rows=4), pt.rows(), 2),
    (pt.users("u", rows=4, altered=True), pt.rows(), 1),
    (pt.rows(), pt.persons("u", table="p", rows={"t": 3, "s": 4}), 8),
    (pt.rows(), pt.persons("u", rows={"t": 3, "s": 4}, altered=True), 14),
    (pt.persons("u", rows={"t": 3}), pt.rows(), 2),
    (pt.persons("u", rows={"t": 3}, altered=True), pt.rows(), 1),
    (pt.persons("u", rows={"t": 3}), pt.persons("u", rows={"t": 3}, altered=True), 2),
    (pt.persons("u", rows={"t": 3}), pt.persons("u", rows={"t": 2}), None),
    (pt.rows(), pt.events("t"), 2),
    (pt.events("t"), pt.rows(), None),
    (pt.persons("u", rows={"t": 3}), pt.events("t"), 2),
    (pt.persons("u", rows={"t": 3}, altered=True), pt.events("t"), 1),
    (pt.events("t"), pt.groups(3, of=pt.events("t")), 3),
    (pt.nodes(), pt.edges(), 2),
    (pt.edges(), pt.nodes(), None),
    (pt.edges(), pt.nodes(stability=6), None),
    (pt.edges(), pt.nodes(stability=6, listed=True), 6),
    (pt.windows("day", width=7, changed=True), pt.rows(), None),
    (pt.windows("day", width=7, changed=True), pt.windows("day", width=7), None),
    (pt.users("u", rows=3), pt.groups(1, of=pt.users("u", rows=4)), None),
    (pt.groups(1, of=pt.users("u", rows=3)), pt.users("u", rows=4), None),
    (pt.users("u", rows=5, in_region=1), pt.users("u", rows=5), None),
    (pt.users("u", rows=5), pt.users("u", rows=5, in_region=1), 1),
    (pt.users("u", rows=3), pt.groups(2, of=pt.users("u", rows=3)), 2),
    (pt.replace(), pt.users("u", rows=4), None),
    (pt.users("u", rows=3), pt.users("u", rows=4), None),
    (pt.users("u", rows=4), pt.users("u", rows=3), 1),
    (pt.users("u", rows=4), pt.users("v", rows=4), None),
    (pt.users("u", rows=4), pt.replace(), 4),
    (pt.windows("day", width=7), pt.windows("day", width=7, changed=True), 2),
    (pt.rows(), pt.groups(5), 5),
    (pt.groups(5), pt.rows(), 1),
    (pt.groups(5), pt.replace(), 1),
    (pt.groups(2), pt.groups(5), 3),
    (pt.rows(), pt.windows("day", width=7), 7),
    (pt.rows(), pt.windows("day", width=7, changed=True), 14),
    (pt.windows("day", width=7), pt.rows(), 1),
    (pt.replace(), pt.metric("x", unit=5), 1),
    (pt.metric("x", unit=5), pt.metric("x", unit=12), 3),
    (pt.metric("x", unit=5), pt.replace(), None),
]


@pytest.mark.parametrize(("source", "target", "expected"), A9, ids=lambda value: str(value))
def test_the_conversion_factors_are_those_of_the_theory(
    source: Granularity, target: Granularity, expected: int | None
) -> None:
    if expected is None:
        with pytest.raises(pt.NotProven, match="says nothing about"):
            steps(source, target)
    else:
        assert steps(source, target) == expected


@given(st.fractions(min_value=Fraction(1, 100), max_value=3, max_denominator=100), sizes)
def test_each_measure_grows_by_its_own_rule(amount: Fraction, m: int) -> None:
    users = pt.users("u", rows=m)
    assert convert(pt.Pure(epsilon=amount), pt.rows(), users) == pt.Pure(epsilon=m * amount)
    assert convert(pt.ZCDP(rho=amount), pt.rows(), users) == pt.ZCDP(rho=m * m * amount)
    assert convert(pt.GDP(mu=amount), pt.rows(), users) == pt.GDP(mu=m * amount)


def test_a_user_guarantee_is_not_an_event_guarantee_at_the_same_price() -> None:
    """Theory A9a: removing the user and adding her again altered takes two steps."""
    moved = convert(pt.Pure(epsilon=1), pt.users("u", rows=9), pt.rows())
    assert moved == pt.Pure(epsilon=2)
