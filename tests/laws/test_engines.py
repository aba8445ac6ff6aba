"""Every engine gives exactly what the reference gives, on random questions and on rows of any kind."""

from __future__ import annotations

import tempfile
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
from partita.query.plan import Plan
from partita.query.program import Program, cells
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
    per=st.sampled_from([None, "f", "d"]),
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
