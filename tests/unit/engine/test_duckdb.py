"""The DuckDB engine: locked down, silent about rows, and exact."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import date

import pandas
import pyarrow as pa
import pytest
from pyarrow import parquet

from partita.engine.duckdb import DuckDB, _sweep
from partita.engine.reference import Reference
from partita.errors import Caution, EngineFault, InvalidInput, PartitaError
from partita.granularity import persons
from partita.query.exact.extract import Extract
from partita.query.exact.program import Present, Program, Rows, Total, cells
from partita.query.language.expressions import Value
from partita.query.language.joined import joined_of
from partita.query.sql.parse import read
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.region.columns import booleans, categories, dates, decimals, identifier, integers, key

COLUMNS = {"age": integers(0, 120), "sex": categories("F", "M")}


def counting(table: Table, where: str = "TRUE") -> Program:
    plan = read(f"SELECT COUNT(*) FROM {table.name} WHERE {where}", [table])
    return Program(table, plan.where, cells(plan.keys, plan.where), (Rows(),))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "it's rows.parquet"
    parquet.write_table(
        pa.table({"AGE": [1, 50, 500, None], "sex": ["F", "M", "X", None], "secret": [1, 2, 3, 4]}), path
    )
    return path


@pytest.mark.parametrize("copied_below", [0, 2**30])
def test_columns_are_found_whatever_their_case(file, copied_below):
    engine = DuckDB([Table("t", file, COLUMNS)], copied_below=copied_below)
    assert engine.run(counting(engine.tables["t"], "age > 40 AND sex <> 'F'")).tolist() == [[2]]


def test_a_mark_before_the_first_column_of_a_csv_file_is_no_part_of_its_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,sex\n30,F\n50,M\n", encoding="utf-8-sig")
    table = Table("t", path, COLUMNS)
    for engine in (DuckDB([table]), Reference([table])):
        assert engine.run(counting(table, "age > 40")).tolist() == [[1]]


def test_a_missing_file_or_column_is_named_when_the_engine_is_opened(file, tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        DuckDB([Table("t", tmp_path / "nothing.parquet", COLUMNS)])
    with pytest.raises(InvalidInput, match="which its source does not have"):
        DuckDB([Table("t", file, {"height": integers(0, 9)})])
    with pytest.raises(InvalidInput, match="cannot be read from"):
        DuckDB([Table("t", object(), COLUMNS)])
    with pytest.raises(InvalidInput, match="threads"):
        DuckDB([Table("t", file, COLUMNS)], threads=0)


def test_the_connection_can_reach_nothing_but_the_declared_files(file, tmp_path):
    other = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"x": [1]}), other)
    engine = DuckDB([Table("t", file, COLUMNS)], copied_below=0)
    for statement in [
        f"SELECT * FROM read_parquet('{other}')",
        "SELECT * FROM read_csv('/etc/hostname')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        "INSTALL httpfs",
        "SET threads = 2",
        "SET enable_external_access = true",
        f"ATTACH '{tmp_path / 'new.db'}'",
    ]:
        with pytest.raises(Exception, match="Error"):
            engine._connection.execute(statement).fetchall()


def test_whatever_fails_says_the_same_and_the_operator_hears_the_rest(file, heard):
    table = Table("t", file, COLUMNS)
    engine = DuckDB([table], copied_below=0)
    file.write_bytes(b"gone wrong")
    with pytest.raises(EngineFault) as first:
        engine.run(counting(table))
    file.unlink()
    with pytest.raises(EngineFault) as second:
        engine.run(counting(table))
    assert first.value.message == second.value.message
    assert first.value.__cause__ is None
    assert len(heard) == 2


def test_what_the_operator_hears_is_not_on_the_screen_of_whoever_asked(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"987654 is no parquet")
    asked = f"""
from partita import PartitaError, Table, integers
from partita.engine.duckdb import DuckDB, _sweep
try:
    DuckDB([Table("t", {str(path)!r}, {{"x": integers(0, 9)}})])
except PartitaError as problem:
    print(problem.code)
"""
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("query.unreadable-source\n", "")


def test_a_table_that_was_not_attached_is_refused(file):
    engine = DuckDB([Table("t", file, COLUMNS)])
    with pytest.raises(PartitaError, match="was not opened with the table"):
        engine.run(counting(Table("other", file, COLUMNS)))


def test_sums_beyond_64_bits_are_exact():
    largest = 2**50
    table = Table("t", pa.table({"x": pa.array([largest] * 40000, pa.int64())}), {"x": integers(0, largest)})
    plan = read("SELECT SUM(x * 512) FROM t", [table])
    (total,) = plan.aggregates
    program = Program(table, plan.where, cells((), plan.where), (Total(total.of), Present(total.of)))
    found = DuckDB([table]).run(program)
    assert found.tolist() == [[largest * 512 * 40000, 40000]]
    assert found[0, 0] > 2**64
    assert DuckDB([table]).run(program).tolist() == Reference([table]).run(program).tolist()


def test_products_that_need_more_than_64_bits_on_the_way_do_not_overflow():
    table = Table("t", pa.table({"x": [1.0, -1.0]}), {"x": decimals(-1, 1, step="0.0000001")})
    plan = read("SELECT SUM(3 * x) FROM t WHERE x * x * x < 0.5", [table])
    (total,) = plan.aggregates
    program = Program(table, plan.where, cells((), plan.where), (Total(total.of),))
    assert DuckDB([table]).run(program).tolist() == Reference([table]).run(program).tolist() == [[-3 * 10**7]]


def test_an_empty_table_gives_zeros():
    table = Table("t", pa.table({"age": pa.array([], pa.int64()), "sex": pa.array([], pa.string())}), COLUMNS)
    plan = read("SELECT sex, SUM(age) FROM t GROUP BY sex", [table])
    program = Program(table, plan.where, cells(plan.keys, plan.where), (Rows(), Total(Value("age"))))
    assert DuckDB([table]).run(program).tolist() == [[0, 0]] * 4


def test_a_copied_table_does_not_follow_its_source(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"age": [1], "sex": ["F"]}), path)
    table = Table("t", path, COLUMNS)
    engine = DuckDB([table])
    parquet.write_table(pa.table({"age": [1, 2], "sex": ["F", "F"]}), path)
    assert engine.run(counting(table)).tolist() == [[1]]


def test_several_threads_may_ask_at_once(file):
    table = Table("t", file, COLUMNS)
    engine = DuckDB([table], threads=1)
    found: list[list[list[int]]] = []
    threads = [
        threading.Thread(target=lambda: found.append(engine.run(counting(table, "age >= 1")).tolist()))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[[3]]] * 16


def test_what_does_not_fit_into_memory_is_written_where_nobody_else_reads(file):
    engine = DuckDB([Table("t", file, COLUMNS)])
    (folder,) = engine._connection.execute("SELECT current_setting('temp_directory')").fetchone()
    assert os.stat(folder).st_mode & 0o777 == 0o700
    _sweep(folder, os.getpid() + 1)  # as a forked child would, for which the folder is another's
    assert os.path.isdir(folder)
    engine.close()
    assert not os.path.exists(folder)


@pytest.mark.parametrize("copied_below", [0, 2**30])
@pytest.mark.parametrize("where", ["CLAMP(1, 27, 941) <= CLAMP(0, -9, 1)", "CLAMP(2, 1, 3) > 100 / 10 AND age < 60"])
def test_a_condition_on_no_column_is_met_by_no_row_where_it_is_false(file, where, copied_below):
    table = Table("t", file, COLUMNS)
    engine = DuckDB([table], copied_below=copied_below)
    for text in (where, f"NOT ({where})"):
        program = counting(table, text)
        assert engine.run(program).tolist() == Reference([table]).run(program).tolist()
    engine.close()


@pytest.mark.parametrize("copied_below", [0, 2**20])
def test_rows_of_people_are_kept_alike_from_files_and_from_memory(tmp_path, copied_below):
    owned = pa.table({"u": [1, 1, 2, None, 2], "k": ["7", "8", "9", "7", "9"], "x": [5, 500, None, 1, 2]})
    led = pa.table({"k": [7, 7, 8, 9, 10, None], "y": [1.0, float("nan"), 2.0, 3.0, 4.0, 5.0]})
    columns = {
        "owned": {"u": identifier(), "k": key(), "x": integers(0, 9)},
        "led": {"k": key(), "y": integers(0, 3)},
    }
    results = []
    for place, made in enumerate((owned, led)):
        parquet.write_table(made, tmp_path / f"{place}.parquet")
    for sources in ((owned, led), (tmp_path / "0.parquet", tmp_path / "1.parquet")):
        tables = [Table(name, source, columns[name]) for name, source in zip(columns, sources, strict=True)]
        people = People(persons("u", rows={"owned": 2, "led": 3}, through={"led": ("k", "owned")}), tables)
        plan = read("SELECT COUNT(*) AS n FROM owned LEFT JOIN led USING (k)", [], people=people)
        joined = joined_of(plan.table)
        asked = Extract(plan.table, plan.where, plan.table.domain.axes, joined.truncation("k" * 24))
        for engine in (
            DuckDB(tables, people, "k" * 24, copied_below=copied_below),
            Reference(tables, people, "k" * 24),
        ):
            results.append(engine.run(asked).tolist())
            assert engine.blank(asked).tolist() == []
            alone = Extract(people["led"].table, read("SELECT COUNT(*) AS n FROM led", people.tables).where, ("y",))
            assert len(engine.run(alone)) == 4
            engine.close()
    assert results[0]
    assert all(found == results[0] for found in results)


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (pa.array([[1, 2], None]), integers(0, 9)),
        (pa.array([{"a": 1}, None]), decimals(0, 9, step="0.5")),
        (pa.array([b"1", None]), integers(0, 9)),
        (pa.array([date(2024, 1, 1), None]), integers(0, 9)),
        (pa.array([True, None]), dates("2024-01-01", "2024-12-31")),
        (pa.array([20240101, None]), dates("2024-01-01", "2024-12-31")),
        (pa.array([date(2024, 1, 1), None]), booleans()),
    ],
)
@pytest.mark.parametrize("copied_below", [0, 10**9])
def test_a_type_that_holds_nothing_of_what_is_declared_is_refused_when_it_is_opened(
    values, declared, copied_below, tmp_path
):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"x": values}), path)
    with pytest.raises(InvalidInput) as refusal:
        DuckDB([Table("t", path, {"x": declared})], copied_below=copied_below)
    assert refusal.value.code == "query.unfit-type"


def test_a_type_that_pandas_guessed_from_the_rows_refuses_nothing():
    """One row decides whether a column has values at all, so whether it opens may not depend on its type."""
    missing = Table("t", pandas.DataFrame({"x": [None, None]}, dtype=float), {"x": dates("2024-01-01", "2024-12-31")})
    with pytest.warns(Caution, match="every value counts as a missing one"):
        DuckDB([missing])


def test_times_declared_as_days_are_told_to_the_custodian(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"x": pa.array([19_000], pa.timestamp("s"))}), path)
    with pytest.warns(Caution, match="Times of day are dropped"):
        DuckDB([Table("t", path, {"x": dates("2024-01-01", "2024-12-31")})])
