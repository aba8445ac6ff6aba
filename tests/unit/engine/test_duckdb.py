"""The DuckDB engine: locked down, silent about rows, and exact."""

from __future__ import annotations

import subprocess
import sys
import threading

import pyarrow as pa
import pytest
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import EngineFault, InvalidInput, PartitaError
from partita.query.expressions import Value
from partita.query.program import Present, Program, Rows, Total, cells
from partita.query.schema import Table
from partita.query.sql import read
from partita.region.columns import categories, decimals, integers

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
from partita.engine.duckdb import DuckDB
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
