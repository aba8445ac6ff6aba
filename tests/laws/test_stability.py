"""Random questions, random tables, random neighbours: no exact result moves further than its plan claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partita.engine.reference import met, record, tallied
from partita.errors import QueryRefused
from partita.granularity import Granularity, groups, replace, rows, users
from partita.query.exact.measurements import Lengths, Measurement, entries
from partita.query.exact.program import Program, cells
from partita.query.exact.sensitivity import movement
from partita.query.language.plan import Plan
from partita.query.noise.quote import narrowed
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read
from partita.query.tables.truncation import Truncation, truncation
from tests.sizes import tried
from tests.unit.query import strategies

TABLE = strategies.table()
Rows = list[dict[str, Any]]


def planned(text: str) -> Plan:
    try:
        return read(text, [TABLE])
    except QueryRefused as refusal:
        assume(refusal.code not in {"query.too-wide", "query.too-many-groups"})
        raise


def moved(plan: Plan, measurement: Measurement, before: Rows, after: Rows, cap: Truncation | None = None) -> Lengths:
    """How far the numbers of a measurement really are apart."""
    listed = entries(measurement)
    tallies = tuple(dict.fromkeys(tally for entry in listed for tally in entry))
    program = Program(TABLE, plan.where, cells(plan.keys, plan.where), tallies, cap)
    change = tallied(program, before) - tallied(program, after)
    weights = np.array([[entry.get(tally, 0) for entry in listed] for tally in tallies], dtype=object)
    apart = [abs(int(number)) for number in change.dot(weights).flat]
    return Lengths(sum(apart), sum(number**2 for number in apart), max(apart, default=0))


def within(small: Lengths, large: Lengths) -> bool:
    return small.l1 <= large.l1 and small.l2_squared <= large.l2_squared and small.linf <= large.linf


def measurements(plan: Plan) -> list[Measurement]:
    return [
        measurement
        for strategy in strategies_of(plan.aggregates, narrowed(plan))
        for measurement in strategy.measurements
    ]


def check(plan: Plan, granularity: Granularity, before: Rows, after: Rows, cap: Truncation | None = None) -> None:
    count = cells(plan.keys, plan.where).count
    for measurement in measurements(plan):
        claimed = movement(
            measurement,
            granularity,
            groups=count,
            partial=bool(plan.where.tests),
            truncation=cap,
            whole=plan.where.region.whole,
        )
        assert within(moved(plan, measurement, before, after, cap), claimed.unit), (measurement, granularity)


TABLES = st.lists(strategies.rows(), max_size=6)
OWN = st.lists(strategies.rows(), max_size=5)


@pytest.mark.soak
@settings(max_examples=tried(150, soaking=8000))
@given(strategies.tight_or_any(), TABLES, strategies.rows())
def test_a_row_that_comes_or_goes_moves_a_result_no_further_than_claimed(question, table, row):
    check(planned(question), rows(), table, [*table, row])


@pytest.mark.soak
@settings(max_examples=tried(150, soaking=8000))
@given(strategies.tight_or_any(), TABLES, strategies.rows(), strategies.rows())
def test_a_row_that_changes_moves_a_result_no_further_than_claimed(question, table, old, new):
    check(planned(question), replace(), [*table, old], [*table, new])


@pytest.mark.soak
@settings(max_examples=tried(150, soaking=8000))
@given(strategies.tight_or_any(), TABLES, strategies.rows(), strategies.rows())
def test_only_what_happens_in_the_region_moves_a_result(question, table, old, new):
    plan = planned(question)
    inside = [plan.where.region.holds(record(TABLE, row).codes) for row in (old, new)]
    count = cells(plan.keys, plan.where).count
    for measurement in measurements(plan):
        found = moved(plan, measurement, [*table, old], [*table, new])
        claimed = movement(measurement, replace(), groups=count, partial=bool(plan.where.tests))
        allowed = (Lengths(0, 0, 0), claimed.row, claimed.substitution)[sum(inside)]
        assert within(found, allowed), (measurement, inside)


@pytest.mark.soak
@settings(max_examples=tried(120, soaking=6000))
@given(strategies.tight_or_any(), TABLES, st.lists(strategies.rows(), min_size=1, max_size=6), st.integers(1, 3),
       st.none() | st.integers(1, 2))  # fmt: skip
def test_an_owner_who_comes_or_goes_moves_a_result_no_further_than_claimed(question, table, own, most, inside):
    granularity = users("who", rows=most, in_region=inside)
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    check(
        planned(question), granularity, others, [*others, *({**row, "who": 1} for row in own)],
        truncation(TABLE, [granularity], "key"),
    )  # fmt: skip


@pytest.mark.soak
@settings(max_examples=tried(80, soaking=4000))
@given(strategies.tight_or_any(), TABLES, OWN, OWN, st.integers(1, 3))
def test_an_owner_altered_in_any_way_moves_a_result_no_further_than_claimed(question, table, old, new, most):
    granularity = users("who", rows=most, altered=True)
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    before, after = ([*others, *({**row, "who": 1} for row in own)] for own in (old, new))
    plan, cap = planned(question), truncation(TABLE, [granularity], "key")
    check(plan, granularity, before, after, cap)
    for measurement in measurements(plan):
        claimed = movement(
            measurement,
            granularity,
            groups=cells(plan.keys, plan.where).count,
            partial=bool(plan.where.tests),
            truncation=cap,
        )
        assert within(moved(plan, measurement, others, after, cap), claimed.owner), measurement


@pytest.mark.soak
@settings(max_examples=tried(80, soaking=4000))
@given(strategies.tight_or_any(), TABLES, st.lists(strategies.rows(), max_size=5), st.integers(1, 2))
def test_one_day_of_an_owner_moves_a_result_no_further_than_claimed(question, table, own, most):
    granularity = users("who", rows=most, per="f")
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    day = [{**row, "who": 1, "f": "2024-02-10"} for row in own]
    check(planned(question), granularity, others, [*others, *day], truncation(TABLE, [granularity], "key"))


@pytest.mark.soak
@settings(max_examples=tried(80, soaking=4000))
@given(strategies.tight_or_any(), TABLES, st.lists(strategies.rows(), min_size=1, max_size=3))
def test_a_group_of_rows_moves_a_result_no_further_than_claimed(question, table, group):
    check(planned(question), groups(len(group)), table, [*table, *group])


@pytest.mark.soak
@settings(max_examples=tried(120, soaking=6000))
@given(strategies.tight_or_any(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_a_row_takes_one_other_along_and_no_more(question, table, old, new, most):
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    plan = planned(question)
    check(plan, rows(), table, [*table, new], cap)
    check(plan, replace(), [*table, old], [*table, new], cap)


@pytest.mark.soak
@settings(max_examples=tried(80, soaking=4000))
@given(strategies.tight_or_any(), TABLES, strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_one_row_of_the_region_is_one_row(question, table, row, most):
    """A row that comes moves a release by one row of its region, or by one that comes and one that goes."""
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    plan = planned(question)
    count = cells(plan.keys, plan.where).count
    before, after = (
        Counter(one.codes for one in met(TABLE, plan.where, cap, listed)) for listed in (table, [*table, row])
    )
    changed = sum(((before - after) + (after - before)).values())
    for measurement in measurements(plan):
        claimed = movement(measurement, rows(), groups=count, partial=bool(plan.where.tests), truncation=cap)
        allowed = (Lengths(0, 0, 0), claimed.row, claimed.swap)[changed]
        assert allowed is not None
        assert within(moved(plan, measurement, table, [*table, row], cap), allowed), (measurement, changed)


@pytest.mark.soak
@settings(max_examples=tried(120, soaking=6000))
@given(strategies.tight_or_any(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_a_change_is_booked_wherever_it_may_reach(question, table, old, new, most):
    """A row that is displaced may lie in a region that neither the old nor the new row touches."""
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    plan = planned(question)
    count = cells(plan.keys, plan.where).count
    for measurement in measurements(plan):
        claimed = movement(measurement, replace(), groups=count, partial=bool(plan.where.tests), truncation=cap)
        assert within(moved(plan, measurement, [*table, old], [*table, new], cap), claimed.substitution)


def test_behind_a_truncation_even_the_count_of_everybody_moves_when_a_row_changes_its_owner():
    cap = truncation(TABLE, [users("who", rows=1)], "key")
    plan = planned("SELECT COUNT(*) AS n FROM things")
    before, after = [{"who": 1, "a": 1}, {"who": 2, "a": 2}], [{"who": 2, "a": 1}, {"who": 2, "a": 2}]
    assert moved(plan, measurements(plan)[0], before, after, cap) == Lengths(1, 1, 1)


@given(TABLES, strategies.rows())
def test_what_is_kept_of_one_owner_does_not_depend_on_another(table, row):
    from partita.engine.reference import truncated
    from partita.engine.sources.frames import plain_text

    cap = Truncation("who", 2, "key")
    kept: Callable[[Sequence[dict[str, Any]]], list[Any]] = lambda listed: [  # noqa: E731
        one.codes
        for one in truncated([record(TABLE, each) for each in listed], cap, TABLE.domain)
        if one.owner != plain_text(row["who"])
    ]
    assert kept(table) == kept([*table, row])


def test_the_law_notices_a_claim_that_is_too_small(monkeypatch):
    """Break the claim on purpose: the law must fail."""
    from partita.query.exact import measurements as module

    monkeypatch.setattr(module, "_range", lambda measurement: (0, 1))
    plan = planned("SELECT SUM(a) AS s FROM things")
    with pytest.raises(AssertionError):
        check(plan, rows(), [], [{"a": 5}])


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("SELECT d, COUNT(*) AS n FROM things GROUP BY d", {"d": "x"}, {"d": "y"}),
        ("SELECT SUM(c) AS s FROM things", {"c": -1}, {"c": 3}),
        ("SELECT d, COUNT(DISTINCT who) AS n FROM things GROUP BY d", {"d": "x"}, {"d": "y"}),
    ],
)
def test_the_law_notices_an_alteration_that_is_taken_for_an_owner_who_comes(monkeypatch, question, before, after):
    from partita.query.exact import sensitivity as stability

    unit = users("who", rows=1, altered=True)
    first, second = [{**before, "who": 1}], [{**after, "who": 1}]
    plan, cap = planned(question), truncation(TABLE, [unit], "key")
    check(plan, unit, first, second, cap)
    monkeypatch.setattr(stability, "one_alteration", stability.one_owner)
    with pytest.raises(AssertionError):
        check(plan, unit, first, second, cap)
