"""Different values: no neighbour moves their number further than is claimed, and what cannot be declared is charged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.reference import record, tallied
from partita.granularity import Granularity, replace, rows, users
from partita.query.exact.measurements import Differing, Lengths, entries
from partita.query.exact.program import Program, cells
from partita.query.exact.sensitivity import movement
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import truncation
from partita.region.columns import categories, identifier, integers, text_keys
from tests.sizes import tried

COLUMNS = {"who": identifier(), "k": categories("x", "y"), "b": integers(0, 3), "t": text_keys()}
TABLE = Table("things", [], COLUMNS)
QUESTIONS = (
    "SELECT COUNT(DISTINCT b) AS n FROM things",
    "SELECT COUNT(DISTINCT t) AS n FROM things WHERE b < 3",
    "SELECT k, COUNT(DISTINCT b) FILTER (WHERE b <> 1) AS n FROM things GROUP BY k",
    "SELECT k, COUNT(DISTINCT CASE WHEN b > 0 THEN t END) AS n FROM things GROUP BY k",
)
ROW = st.fixed_dictionaries(
    {
        "k": st.sampled_from(["x", "y", "z", None]),
        "b": st.sampled_from([0, 1, 2, 3, 99, None, float("nan")]),
        "t": st.sampled_from(["one", "two", "three", "", None]),
    }
)
Stored = list[dict[str, Any]]


def owned(found: Stored, who: int) -> Stored:
    return [{**row, "who": who} for row in found]


def check(question: str, granularity: Granularity, before: Stored, after: Stored, kept: int | None = None) -> None:
    plan = read(question, [TABLE])
    (aggregate,) = plan.aggregates
    measurement = Differing(aggregate.column, aggregate.among)  # type: ignore[union-attr]
    (entry,) = entries(measurement)
    cap = None if kept is None else truncation(TABLE, [granularity], "key")
    program = Program(TABLE, plan.where, cells(plan.keys, plan.where), tuple(entry), cap)
    apart = [abs(int(number)) for number in (tallied(program, before) - tallied(program, after)).flat]
    moved = Lengths(sum(apart), sum(number**2 for number in apart), max(apart))
    move = movement(
        measurement, granularity, groups=program.cells.count, partial=bool(plan.where.tests), truncation=cap
    )
    claimed = move.unit
    if granularity == replace():
        inside = [plan.where.region.holds(record(TABLE, found[-1]).codes) for found in (before, after)]
        claimed = (Lengths(0, 0, 0), move.row, move.substitution)[sum(inside)]
    assert moved.l1 <= claimed.l1
    assert moved.l2_squared <= claimed.l2_squared
    assert moved.linf <= claimed.linf


@pytest.mark.soak
@settings(max_examples=tried(120, soaking=6000))
@given(st.sampled_from(QUESTIONS), st.lists(ROW, max_size=4), ROW, ROW)
def test_a_row_that_comes_or_changes_moves_them_by_one_in_each_group(question, table, old, new):
    others = owned(table, 9)
    check(question, rows(), others, [*others, *owned([new], 1)])
    check(question, replace(), [*others, *owned([old], 1)], [*others, *owned([new], 1)])


@pytest.mark.soak
@settings(max_examples=tried(120, soaking=6000))
@given(st.sampled_from(QUESTIONS), st.lists(ROW, max_size=3), *[st.lists(ROW, max_size=5)] * 2)
def test_an_owner_moves_them_by_no_more_than_there_are_rows(question, table, mine, others):
    rest = owned(table, 9)
    check(question, users("who", rows=3), rest, rest + owned(mine, 1), kept=3)
    check(question, users("who", rows=2, altered=True), rest + owned(mine, 1), rest + owned(others, 1), kept=2)


def test_texts_are_charged_to_the_region_of_the_other_conditions():
    stored = [{"who": at, "k": "xy"[at % 2], "b": at % 4, "t": "abc"[at % 3]} for at in range(50)]
    curator = pt.Curator(
        tables=[pt.Table("things", stored, COLUMNS)],
        promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))],
        ledger=":memory:",
    )
    asked = "SELECT COUNT(DISTINCT t) AS n FROM things WHERE b = {}"
    for value in range(4):
        curator.ask(asked.format(value), rho=1)
    with pytest.raises(pt.PartitaError, match="cannot pay"):
        curator.ask(asked.format("1 OR b = 2"), rho="0.5")
