"""What a person loses through releases on several tables is never more than the account of people says (theory I5-I7).

Small universes are listed whole: every person value, that of somebody without a row of their own included, with every
choice of kept rows up to the caps. The losses of random releases, booked by rows, by touch or whole, are added up for
each view of a person and compared with the load at the person's value; under replacement, for every pair of views.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release
from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.granularity import Persons, persons
from partita.region import Domain, Region, integers
from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

VALUES = 2
"""Codes of each column; the person's own column has NULL as a third."""


@st.composite
def universes(draw):
    """Caps, a person table or none, and releases: a table, a way of booking, the region as points (a, v), the cost."""
    caps = {name: draw(st.integers(1, 3)) for name in ("visits", "labs")[: draw(st.integers(1, 2))]}
    own = draw(st.booleans())
    points = list(product(range(VALUES + 1) if own else (0,), range(VALUES)))
    releases = draw(
        st.lists(
            st.tuples(
                st.sampled_from(sorted(caps)),
                st.sampled_from(["rows", "touch", "whole"]),
                st.sets(st.sampled_from(points), min_size=1),
                st.integers(1, 5).map(lambda part: Fraction(part, 100)),
            ),
            min_size=1,
            max_size=5,
        )
    )
    return caps, own, releases


def space(caps, own, *, altered=False):
    tables = {name: Domain({"v": integers(0, VALUES - 1, missing=0)}) for name in caps}
    if own:
        tables["people"] = Domain({"a": integers(0, VALUES - 1, missing=0)})
    return PersonSpace(persons("who", table="people" if own else None, rows=caps, altered=altered), tables)


def views(caps, own):
    """Everything that a person may be: a value, and kept rows of each table."""
    kept = [
        [rows for count in range(cap + 1) for rows in combinations_with_replacement(range(VALUES), count)]
        for cap in caps.values()
    ]
    for value in range(VALUES + 1) if own else (0,):
        for rows in product(*kept):
            yield value, dict(zip(caps, rows, strict=True))


def lost(view, release, measure):
    """What a release costs the person of a view who comes or goes."""
    (value, kept), (table, way, region, cost) = view, release
    met = sum((value, row) in region for row in kept[table])
    if way == "rows":
        return met * cost if measure is Pure else met**2 * cost
    # By touch and whole: something about the person, as soon as one of the rows is in the region.
    return cost if met else Fraction(0)


def moved(view, other, release, measure):
    """What a release costs at most where a person is altered from one view to another: first out, then in."""
    first, second = (lost(one, release, measure) for one in (view, other))
    if measure is Pure:
        return first + second
    # In ρ the square roots add up; (x + y)² <= 2x² + 2y², met with equality where both are the same.
    return 2 * first + 2 * second if first and second else first + second


def charged(caps, own, releases, measure, *, altered=False):
    people = space(caps, own, altered=altered)
    big = _loss(measure, Fraction(1000))
    account = RegionAccount(people.domain, Promise(people.persons, big))
    wide = people.domain
    for table, way, region, cost in releases:
        # As rows of the table beside the person's own value, which is how a question says it.
        named = {"v": (table, "v"), **({"a": ("people", "a")} if own else {})}
        rows = Domain({name: wide.bounded[wide.axis(".".join(one))] for name, one in named.items()})
        boxes = [
            tuple({"v": ((row, row + 1),), "a": ((value, value + 1),)}[name] for name in rows.axes)
            for value, row in region
        ]
        loss, lifted = _loss(measure, cost), people.lifted(table, Region.of(rows, boxes), named)
        made = people.placed(table, Release(lifted, Cost(loss, owner=None if way == "rows" else loss)))
        account.charge(made.region, people.loss(made, big))
    return people, account


def _loss(measure, amount):
    return Pure(epsilon=amount) if measure is Pure else ZCDP(rho=amount)


def short(caps, own, releases, measure):
    """The views of people who lose more than the load at their own value."""
    people, account = charged(caps, own, releases, measure)
    wide = people.domain
    loads = {}
    for value in range(VALUES + 1) if own else (0,):
        box = list(wide.everything)
        if own:
            box[wide.axis("people.a")] = ((value, value + 1),)
        loads[value] = account.spent(Region(wide, (tuple(box),))).vector()[0]
    worst = account.worst()[0].vector()[0]
    assert worst == max(loads.values())
    return [
        view
        for view in views(caps, own)
        if sum((lost(view, release, measure) for release in releases), Fraction(0)) > loads[view[0]]
    ]


@pytest.mark.parametrize("measure", [Pure, ZCDP])
@settings(max_examples=60)
@given(universe=universes())
def test_nobody_loses_more_than_the_load_at_their_value(measure, universe):
    assert not short(*universe, measure)


@pytest.mark.parametrize("measure", [Pure, ZCDP])
@settings(max_examples=30)
@given(universe=universes())
def test_nobody_who_is_altered_loses_more_than_the_heaviest_load(measure, universe):
    caps, own, releases = universe
    caps = {name: min(cap, 2) for name, cap in caps.items()}
    _, account = charged(caps, own, releases, measure, altered=True)
    worst, every = account.worst()[0].vector()[0], list(views(caps, own))
    for view, other in product(every, every):
        assert sum((moved(view, other, release, measure) for release in releases), Fraction(0)) <= worst


EVERYWHERE = {(value, row) for value in range(VALUES + 1) for row in range(VALUES)}
TENTH = Fraction(1, 10)


def test_the_sum_over_tables_is_attained():
    caps = {"visits": 3, "labs": 2}
    _, account = charged(caps, True, [("visits", "rows", EVERYWHERE, TENTH), ("labs", "rows", EVERYWHERE, TENTH)], Pure)
    assert account.worst()[0].epsilon == Fraction(5, 10)


def test_a_cap_that_is_forgotten_is_found():
    with mock.patch.object(Persons, "cap", return_value=1):
        assert short({"visits": 3}, True, [("visits", "rows", EVERYWHERE, TENTH)], Pure)


def test_a_maximum_over_tables_is_found():
    releases = [("visits", "rows", EVERYWHERE, TENTH), ("labs", "rows", EVERYWHERE, TENTH)]
    caps = {"visits": 2, "labs": 2}
    _, first = charged(caps, True, releases[:1], Pure)
    _, second = charged(caps, True, releases[1:], Pure)
    most = max(one.worst()[0].epsilon for one in (first, second))
    view = (0, {"visits": (0, 0), "labs": (1, 1)})
    assert sum(lost(view, release, Pure) for release in releases) > most


def test_somebody_without_a_row_of_their_own_is_a_person():
    nobody = {(VALUES, row) for row in range(VALUES)}
    _, account = charged({"visits": 2}, True, [("visits", "rows", nobody, TENTH)], Pure)
    assert account.worst()[0].epsilon == 2 * TENTH
    assert account.worst()[1]["people.a"] is None
