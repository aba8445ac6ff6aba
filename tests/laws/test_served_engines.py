"""The same laws for engines that are servers: on hostile values of every type they store, what the reference gives."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.catalogues import described
from partita.engine.opening import BACKENDS
from partita.engine.postgres import Postgres
from partita.engine.reference import Reference
from partita.engine.statements.stored import Stored
from partita.errors import Caution, PartitaError
from partita.query.exact.extract import Extract
from partita.query.exact.program import Owners, Program, Rows, Total, Values, cells
from partita.query.language.expressions import Value
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.columns import Bounded, Categories, Open
from partita.region.columns.stepped import Stepped
from partita.region.columns.stored import floating, steady, text_of
from partita.region.dialects.postgres import POSTGRES
from tests.laws import hostile, served
from tests.laws.test_engines import CAPS, FEW_GROUPS, GROUPS, narrow_enough, planned, programs, several
from tests.sizes import tried
from tests.unit.query import strategies


def test_every_engine_of_the_family_is_held_to_the_laws():
    """``test_engines.py`` tries DuckDB, this one the servers, ``test_spark.py`` Spark: a new engine has to choose."""
    assert set(BACKENDS) == {"duckdb", "reference", "postgres", "spark"}


def opened(columns: list[tuple[str, str]], rows: list[tuple[Any, ...]], declared: Any = None) -> tuple[Postgres, Table]:
    table = Table("things", served.put(columns, rows), declared or strategies.COLUMNS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* is stored as TIMESTAMP.* and declared as dates", Caution)
        return Postgres([table], database=served.address()), table


DECLARED: dict[str, Any] = {
    "few": pt.integers(-5, 5),
    "many": pt.integers(-(2**49), 2**49, missing=0),
    "cents": pt.decimals(-10, 10, step="0.01"),
    "finer": pt.decimals(-1, 9, step="0.0025", missing=0),
    "thirds": pt.decimals(0, 1000, step="1/3"),
    "below": pt.decimals(-3000, 0, step="0.75", missing=0),
    "fives": pt.decimals(-20, 120, step=5),
    "coarse": pt.decimals(0, "1.022e12", step="1.022"),
    "euros": pt.decimals(0, 100, step="0.01", decimal=",", thousands=".", unit=["€"], null=["-"]),
    "name": pt.categories("1", "0.5", "x", "true", "2"),
    "word": pt.categories("x", "é", null=[" ", "w"], missing="x"),
    "yes": pt.booleans(),
    "ja": pt.booleans(true=["Yes"], false=["FALSE"], missing=True),
    "day": pt.dates("0001-01-01", "9999-12-31"),
    "today": pt.dates("2024-02-01", "2024-03-01", missing="2024-02-02"),
    "written": pt.dates("2024-01-01", "2025-12-31", format=["%d.%m.%Y", "%d %b %y"], null=["?"]),
    "hour": pt.timestamps("2024-01-01", "2024-12-31", step="1h", zone="Europe/Berlin"),
    "ever": pt.timestamps("0001-01-01", "9999-12-31", step="1d", missing="2000-01-01"),
    "second": pt.timestamps("1967-01-01", "1971-01-01", step="1s", zone="America/New_York"),
    "text": pt.text_keys(),
    "who": pt.identifier(),
}


@pytest.mark.parametrize("kind", served.PAIRS)
def test_every_stored_value_becomes_what_code_says_and_none_fails(kind):
    """Value by value, in every kind of column: what a server cannot cast without an error is looked at before."""
    pairs = [(None, None), *served.PAIRS[kind]]
    source = served.put([("i", "integer"), ("v", kind)], [(at, one) for at, (one, _) in enumerate(pairs)], "sole")
    engine = Postgres([], database=served.address())
    try:
        with engine._transaction() as cursor:
            type_ = described(cursor, Table("sole", source, DECLARED), engine._server).types["v"]
            for name, declared in DECLARED.items():
                if isinstance(declared, Categories | Open) and (floating(type_) or not steady(type_)):
                    continue
                stored = Stored(Table("t", [], {name: declared}), source, {name: type_}, {name: "v"}, POSTGRES)
                within = stored.within(name) if isinstance(declared, Bounded) else "TRUE"
                lines = cursor.execute(f"SELECT {stored.sanitised[name]}, {within} FROM {source} ORDER BY i").fetchall()
                for (given_, plain), (found, inside) in zip(pairs, lines, strict=True):
                    if not isinstance(declared, Bounded):
                        # No other engine stores such numbers and days, and in Python they are written otherwise.
                        far = isinstance(plain, np.datetime64) or (
                            isinstance(plain, Decimal) and plain.is_finite() and abs(plain.adjusted()) >= 100
                        )
                        assert far or (found if found is None else str(found)) == text_of(plain), (name, given_)
                        continue
                    assert code(declared, found) == declared.code(plain), (name, given_)
                    assert inside == declared.within(plain), (name, given_)
    finally:
        engine.close()


def code(declared: Bounded, found: Any) -> int:
    """The code of a sanitised value."""
    if found is None:
        assert declared.null is not None
        return declared.null
    return found - declared.low if isinstance(declared, Stepped) else declared.code(found)


@pytest.mark.soak
@settings(max_examples=tried(15, soaking=4000))
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
@settings(max_examples=tried(10, soaking=2000))
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
