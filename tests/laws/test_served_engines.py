"""The same laws for engines that are servers: on hostile values of every type they store, what the reference gives."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine.opening import BACKENDS
from partita.engine.postgres import Postgres
from partita.engine.reference import Reference
from partita.errors import Caution, PartitaError
from partita.query.exact.extract import Extract
from partita.query.exact.program import Owners, Program, Rows, Total, Values, cells
from partita.query.language.expressions import Value
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from tests.laws import hostile, served
from tests.laws.test_engines import CAPS, FEW_GROUPS, GROUPS, narrow_enough, planned, programs, several
from tests.sizes import tried
from tests.unit.query import strategies


def test_every_engine_of_the_family_is_held_to_the_laws():
    """``test_engines.py`` tries DuckDB, and this one the servers: a new engine has to choose."""
    assert set(BACKENDS) == {"duckdb", "reference", "postgres"}


def opened(columns: list[tuple[str, str]], rows: list[tuple[Any, ...]], declared: Any = None) -> tuple[Postgres, Table]:
    table = Table("things", served.put(columns, rows), declared or strategies.COLUMNS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* is stored as TIMESTAMP.* and declared as dates", Caution)
        return Postgres([table], database=served.address()), table


@pytest.mark.soak
@settings(max_examples=tried(25, soaking=4000))
@given(several(st.tuples(strategies.questions(), CAPS)), served.stored())
def test_a_server_agrees_with_the_reference(asked, rows):
    caps, (columns, given_, plain) = dict(asked), rows
    engine, table = opened(columns, given_)
    reference = Reference([strategies.table(plain)])
    try:
        for question, plan in narrow_enough(caps, table):
            program = programs(plan, caps[question])
            expected = reference.compute(program).tolist()
            assert engine._read(program).tolist() == expected, question
            assert engine.without_rows(program).tolist() == reference.blank(program).tolist()
    finally:
        engine.close()


@pytest.mark.soak
@settings(max_examples=tried(15, soaking=2000))
@given(
    st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True),
    served.stored(),
    st.tuples(CAPS, FEW_GROUPS),
)
def test_owners_values_and_rows_are_those_of_the_reference(keys, rows, caps):
    """With the caps of owners: the text that is hashed is the same everywhere, byte by byte (theory E14)."""
    columns, given_, plain = rows
    engine, table = opened(columns, given_)
    reference = Reference([strategies.table(plain)])
    plan = planned(f"SELECT COUNT(*) AS n FROM things GROUP BY {', '.join(keys)}", table)
    tallies = (Rows(), Owners(), Values(Value("b")), Total(Value("a")), Values(Value("c")))
    made = Program(table, plan.where, cells(plan.keys, plan.where), tallies, None, plan.opened)
    try:
        for cap in caps:
            program = replace(made, truncation=cap)
            assert engine._read(program).tolist() == reference.compute(program).tolist()
            every = Extract(table, plan.where, table.domain.axes, None if cap is None else cap.fixed)
            assert engine._read(every).tolist() == reference.run(every).tolist()
    finally:
        engine.close()


@pytest.fixture(scope="module")
def laboratory():
    tables = [Table(name, served.copied(hostile.stored(name), name), hostile.COLUMNS) for name in hostile.ROWS]
    engine = Postgres(tables, database=served.address())
    yield engine, Reference([Table(name, hostile.stored(name), hostile.COLUMNS) for name in hostile.ROWS])
    engine.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
def test_hostile_statements_never_fault_and_agree_with_the_reference(seed, laboratory):
    engine, reference = laboratory
    supply, outcomes, each = hostile.Statements(1000 + seed), Counter[str](), tried(30, soaking=20_000)
    for place in range(each):
        name, question = supply.one()
        cap = Truncation("who", 2, "k") if place % 5 == 0 else None
        found = hostile.Laboratory.programs(_Tables(engine), name, question, cap)
        if isinstance(found, PartitaError):
            outcomes["refused"] += 1
            continue
        outcomes["answered"] += 1
        assert engine._read(found).tolist() == reference.compute(found).tolist(), question
    assert outcomes["answered"] > each // 5


class _Tables:
    def __init__(self, engine: Postgres) -> None:
        self.tables = engine.tables
