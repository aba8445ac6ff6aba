"""Every engine gives exactly what the reference gives, on random questions and on rows of any kind."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.engine.held import counted
from partita.engine.reference import Reference
from partita.errors import QueryRefused
from partita.query.exact.extract import Extract
from partita.query.exact.measurements import entries
from partita.query.exact.program import Owners, Program, Rows, Total, Values, cells
from partita.query.language.expressions import Value
from partita.query.language.plan import Plan
from partita.query.noise.quote import narrowed
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Caps, Truncation
from partita.region.columns import categories
from tests.sizes import tried
from tests.unit.query import strategies

pytestmark = pytest.mark.filterwarnings("ignore:.* is stored as TIMESTAMP.* and declared as dates")


def programs(plan: Plan, cap: Truncation | None = None) -> Program:
    """All tallies that any strategy of the plan needs."""
    measurements = [
        measurement
        for strategy in strategies_of(plan.aggregates, narrowed(plan))
        for measurement in strategy.measurements
    ]
    tallies = tuple(
        dict.fromkeys(tally for measurement in measurements for entry in entries(measurement) for tally in entry)
    )
    return Program(plan.table, plan.where, cells(plan.keys, plan.where), tallies, cap)


def planned(question, table):
    try:
        return read(question, [table])
    except QueryRefused as refusal:
        assume(refusal.code != "query.too-wide")
        raise


def several(questions):
    """Questions of one table: its rows are taken in once, which is most of the work of an example."""
    return st.lists(questions, min_size=2, max_size=4)


def narrow_enough(questions, table):
    """The questions that are not refused as too wide; every other refusal is a mistake of the test."""
    found = []
    for question in questions:
        try:
            found.append((question, read(question, [table])))
        except QueryRefused as refusal:
            if refusal.code != "query.too-wide":
                raise
    assume(found)
    return found


@pytest.mark.soak
@settings(max_examples=tried(20, soaking=4000))
@given(several(strategies.conditions()), strategies.stored_tables())
def test_a_count_from_codes_in_memory_agrees_with_the_reference(conditions, rows):
    """Counts that a region alone decides are made from held codes, not by a statement."""
    table = strategies.table(rows)
    questions = [f"SELECT COUNT(*) AS n FROM things WHERE {condition}" for condition in conditions]
    found = [programs(plan) for _, plan in narrow_enough(questions, table)]
    held = [program for program in found if counted(program)]
    assume(held)
    engine, reference = DuckDB([table], threads=1), Reference([table])
    for program in held:
        assert engine.run(program).tolist() == reference.run(program).tolist()
    engine.close()


PLAIN = {"int64", "double", "string", "bool", "date32[day]"}
OWNED = {
    "owner": st.just("who"),
    "key": st.sampled_from(["k", "it's"]),
    "per": st.sampled_from([None, None, *"abcdefgh"]),
}
# Caps inside of a region are a kind of their own, and below the cap of all rows: or hardly one of them would bind.
FEW_ROWS = st.builds(Truncation, **OWNED, rows=st.integers(1, 3))
FEW_INSIDE = st.builds(Truncation, **OWNED, rows=st.integers(3, 5), inside=st.integers(1, 2))
CAPS = st.none() | FEW_ROWS | FEW_INSIDE


@pytest.mark.soak
@settings(max_examples=tried(30, soaking=6000))
@given(several(st.tuples(strategies.questions(), CAPS)), strategies.stored_tables())
def test_duckdb_agrees_with_the_reference(asked, rows):
    caps = dict(asked)
    table = strategies.table(rows)
    engine, reference = DuckDB([table], threads=1), Reference([table])
    expected = {}
    for question, plan in narrow_enough(caps, table):
        program = programs(plan, caps[question])
        expected[question] = reference.run(program).tolist()
        assert engine.run(program).tolist() == expected[question]
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        # The same rows in a file that is read where it is, through the projection, at every question.
        parquet.write_table(rows, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = strategies.in_place(file)
        if engine is None:
            return
        for question, counted in expected.items():
            assert engine.run(programs(planned(question, file), caps[question])).tolist() == counted, question
        engine.close()


EVERY_CAP = st.builds(
    Truncation,
    **OWNED,
    rows=st.integers(1, 5),
    inside=st.none() | st.integers(1, 2),
    groups=st.none() | st.integers(1, 2),
)
STEADY = {**strategies.COLUMNS, "d": categories("x", "y", "z", constant=True)}


@pytest.mark.soak
@settings(max_examples=tried(20, soaking=4000))
@given(st.data(), st.booleans(), several(strategies.questions()), strategies.stored_tables())
def test_rows_kept_once_are_those_that_every_question_would_keep(data, constant, questions, rows):
    """The reference truncates at every read; an engine that was told of the truncation has done it, once."""

    def table(source):
        return Table("things", source, STEADY if constant else strategies.COLUMNS)

    held = table(rows)
    cap = data.draw(EVERY_CAP)
    found = [programs(plan, cap) for _, plan in narrow_enough(questions, held)]
    keys = data.draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True))
    plan = planned(f"SELECT COUNT(*) AS n FROM things GROUP BY {', '.join(keys)}", held)
    tallies = (Rows(), Owners(), Values(Value("b")), Total(Value("a")))
    found.append(Program(held, plan.where, cells(plan.keys, plan.where), tallies, cap, plan.opened))
    every = Extract(held, found[0].where, held.domain.axes, cap)
    reference = Reference([held])
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(rows, Path(folder) / "rows.parquet")
        for source in (held, table(Path(folder) / "rows.parquet")):
            engine = strategies.in_place(source)
            if engine is None:
                return
            engine.cut({"things": cap, "absent": cap})
            engine.cut({"things": cap.capped(Caps())})
            assert list(engine._cut) == [("things", cap.fixed)]
            for program in (*found, every):
                assert engine._of(program).cut == cap.fixed
                mine = replace(program, table=source)
                assert engine.run(mine).tolist() == reference.run(program).tolist()
                assert engine.blank(mine).tolist() == reference.blank(program).tolist()
            # Another ledger's truncation, and none at all, are computed from the rows that were attached.
            for other in (replace(cap, key="another"), None):
                program = replace(found[0], truncation=other)
                assert engine.run(replace(program, table=source)).tolist() == reference.run(program).tolist()
            engine.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["parquet", "csv", "pandas", "polars", "rows"])
@given(data=st.data())
@settings(max_examples=tried(10, soaking=1000))
def test_every_source_gives_the_same_rows(kind, data, tmp_path_factory):
    rows = data.draw(strategies.stored_tables())
    folder = tmp_path_factory.mktemp("source")
    table = strategies.table(_stored(kind, rows, folder))
    engine, reference = (
        strategies.in_place(table, *(["query.no-one-text"] if kind == "pandas" else [])),
        Reference([table]),
    )
    assume(engine is not None)
    for _, plan in narrow_enough(data.draw(several(strategies.questions())), table):
        program = programs(plan)
        assert engine.run(program).tolist() == reference.run(program).tolist()
    engine.close()


def _stored(kind, rows, folder):
    from pyarrow import compute, csv

    if kind == "parquet":
        parquet.write_table(rows, folder / "rows.parquet")
        return folder / "rows.parquet"
    plain = pa.table(
        {
            name: column if str(column.type) in PLAIN else pa.nulls(len(rows), pa.string())
            for name, column in zip(rows.column_names, rows.columns, strict=True)
        }
    )
    match kind:
        case "csv":
            # One line, one row: a file in which a text runs over its line is refused (tests/attacks/test_owners.py).
            lines = [
                compute.replace_substring_regex(column, r"[\r\n]", " ") if pa.types.is_string(column.type) else column
                for column in plain.columns
            ]
            csv.write_csv(pa.table(lines, names=plain.column_names), folder / "rows.csv")
            return folder / "rows.csv"
        case "pandas":
            return plain.to_pandas()
        case "polars":
            import polars

            return polars.from_arrow(plain)
        case _:
            return plain.to_pylist()


GROUPS = (*strategies.KEYS, "DATE_TRUNC('week', f)", "EXTRACT(month FROM f)", "t", "LENGTH(d)")
FEW_GROUPS = st.builds(
    Truncation, owner=st.just("who"), rows=st.integers(2, 5), key=st.just("k"), groups=st.none() | st.integers(1, 2),
    each=st.none() | st.integers(1, 2), inside=st.none() | st.just(2),
)  # fmt: skip


@pytest.mark.soak
@settings(max_examples=tried(20, soaking=2000))
@given(
    st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True),
    strategies.stored_tables(),
    st.tuples(CAPS, FEW_GROUPS),
)
def test_owners_and_values_are_counted_by_group_and_not_by_the_values_a_group_is_made_of(keys, rows, caps):
    """Neither adds up over values: an owner with rows on seven days has been there in one week."""
    table = strategies.table(rows)
    plan = planned(f"SELECT COUNT(*) AS n FROM things GROUP BY {', '.join(keys)}", table)
    tallies = (Rows(), Owners(), Values(Value("b")), Total(Value("a")), Values(Value("c")))
    programs = [Program(table, plan.where, cells(plan.keys, plan.where), tallies, cap, plan.opened) for cap in caps]
    reference, engine = Reference([table]), DuckDB([table], threads=1)
    expected = [reference.run(program).tolist() for program in programs]
    assert [engine.run(program).tolist() for program in programs] == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(rows, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = strategies.in_place(file)
        if engine is None:
            return
        assert [engine.run(replace(program, table=file)).tolist() for program in programs] == expected
        engine.close()


@pytest.mark.parametrize(
    "key", ["DATE_TRUNC('month', f)", "EXTRACT(month FROM f)", "CASE d WHEN 'x' THEN 1 ELSE 2 END"]
)
def test_an_owner_of_many_days_is_one_owner_of_a_month(key):
    rows = [{"who": i % 2, "f": f"2024-02-{1 + i % 20:02d}", "b": i % 3, "d": "xyz"[i % 3]} for i in range(60)]
    table = strategies.table(rows)
    plan = planned(f"SELECT COUNT(DISTINCT who) AS n FROM things GROUP BY {key}", table)
    program = Program(table, plan.where, cells(plan.keys, plan.where), (Owners(), Values(Value("b"))))
    engine = DuckDB([table], threads=1)
    found = engine.run(program)
    engine.close()
    assert max(found[:, 0]) == 2
    for histogram in found[:, 1]:
        assert len(set(histogram.values.tolist())) == len(histogram.values)


def test_every_range_of_stored_numbers_is_that_of_the_reference(tmp_path):
    """The ends of ranges, in a file that is read where it is: a condition is then put on what is stored."""
    parquet.write_table(pa.table({"who": list("abcdefghij"), "a": list(range(-4, 6))}), tmp_path / "rows.parquet")
    table = Table("things", tmp_path / "rows.parquet", {name: strategies.COLUMNS[name] for name in ("who", "a")})
    engine, reference = DuckDB([table], threads=1, copied_below=0), Reference([table])
    for low, high in ((-3, 5), (-3, 2), (-2, 5), (-2, 4), (1, 1), (0, 3)):
        for tally in ("COUNT(*)", "SUM(a)"):
            program = programs(planned(f"SELECT {tally} AS n FROM things WHERE a BETWEEN {low} AND {high}", table))
            assert engine.run(program).tolist() == reference.run(program).tolist()
    engine.close()
