"""Every engine gives exactly what the reference gives, on random questions and on rows of any kind."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.engine.held import counts_rows
from partita.engine.reference import Reference
from partita.errors import QueryRefused
from partita.query.blocks import entries
from partita.query.design import designs
from partita.query.expressions import Value
from partita.query.plan import Plan
from partita.query.program import Owners, Program, Rows, Total, Values, cells
from partita.query.quote import narrowed
from partita.query.sql import read
from partita.query.truncation import Truncation
from tests.unit.query import strategies


def programs(plan: Plan, cap: Truncation | None = None) -> Program:
    """All tallies that any design of the plan needs."""
    blocks = [block for design in designs(plan.aggregates, narrowed(plan)) for block in design.blocks]
    tallies = tuple(dict.fromkeys(tally for block in blocks for entry in entries(block) for tally in entry))
    return Program(plan.table, plan.where, cells(plan.keys, plan.where), tallies, cap)


def planned(question, table):
    try:
        return read(question, [table])
    except QueryRefused as refusal:
        assume(refusal.code != "query.too-wide")
        raise


@settings(max_examples=150)
@given(strategies.conditions(), strategies.stored_tables())
def test_a_count_from_codes_in_memory_agrees_with_the_reference(condition, rows):
    """Counts that a region alone decides are made from held codes, not by a statement."""
    table = strategies.table(rows)
    program = programs(planned(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", table))
    assume(counts_rows(program))
    engine = DuckDB([table], threads=1)
    assert engine.run(program).tolist() == Reference([table]).run(program).tolist()
    engine.close()


PLAIN = {"int64", "double", "string", "bool", "date32[day]"}
CAPS = st.none() | st.builds(
    Truncation,
    owner=st.just("who"),
    rows=st.integers(1, 3),
    key=st.sampled_from(["k", "it's"]),
    per=st.sampled_from([None, *"abcdefg"]),
    inside=st.none() | st.integers(1, 2),
)


@settings(max_examples=400)
@given(strategies.questions(), strategies.stored_tables(), CAPS)
def test_duckdb_agrees_with_the_reference(question, rows, cap):
    table = strategies.table(rows)
    program = programs(planned(question, table), cap)
    expected = Reference([table]).run(program).tolist()
    engine = DuckDB([table], threads=1)
    assert engine.run(program).tolist() == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        # The same rows in a file that is read where it is, through the projection, at every question.
        parquet.write_table(rows, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = DuckDB([file], threads=1, copied_below=0)
        assert engine.run(programs(planned(question, file), cap)).tolist() == expected
        engine.close()


@pytest.mark.parametrize("kind", ["parquet", "csv", "pandas", "polars", "rows"])
@given(data=st.data())
@settings(max_examples=25)
def test_every_source_gives_the_same_rows(kind, data, tmp_path_factory):
    rows = data.draw(strategies.stored_tables())
    folder = tmp_path_factory.mktemp("source")
    table = strategies.table(_stored(kind, rows, folder))
    program = programs(planned(data.draw(strategies.questions()), table))
    engine = DuckDB([table], threads=1)
    assert engine.run(program).tolist() == Reference([table]).run(program).tolist()
    engine.close()


def _stored(kind, rows, folder):
    import pyarrow as pa
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
CAPPED = CAPS | st.builds(
    Truncation, owner=st.just("who"), rows=st.integers(1, 5), key=st.just("k"), groups=st.integers(1, 2)
)


@settings(max_examples=80)
@given(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True), strategies.stored_tables(), CAPPED)
def test_owners_and_values_are_counted_by_group_and_not_by_the_values_a_group_is_made_of(keys, rows, cap):
    """Neither adds up over values: an owner with rows on seven days has been there in one week."""
    table = strategies.table(rows)
    plan = planned(f"SELECT COUNT(*) AS n FROM things GROUP BY {', '.join(keys)}", table)
    tallies = (Rows(), Owners(), Values(Value("b")), Total(Value("a")), Values(Value("c")))
    program = Program(table, plan.where, cells(plan.keys, plan.where), tallies, cap, plan.opened)
    expected = Reference([table]).run(program).tolist()
    engine = DuckDB([table], threads=1)
    assert engine.run(program).tolist() == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(rows, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = DuckDB([file], threads=1, copied_below=0)
        assert engine.run(replace(program, table=file)).tolist() == expected
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
