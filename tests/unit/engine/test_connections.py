"""Rows of a connected database are the rows of a list, whatever the driver makes of a column's other values."""

from __future__ import annotations

import sqlite3

import adbc_driver_duckdb.dbapi as adbc_duckdb
import adbc_driver_postgresql.dbapi as adbc_postgresql
import duckdb
import pyarrow as pa
import pytest
import sqlalchemy
from adbc_driver_sqlite import dbapi as adbc

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.engine.sources.examine import Look
from partita.errors import PartitaError
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.query.tables.schema import Table, from_toml
from tests.laws import served

COLUMNS = {"age": pt.integers(0, 120), "cost": pt.decimals(0, 100, step="0.00001"), "sex": pt.categories("F", "M")}
ROWS = [(40, 0.123456789, "F"), (41, 33.33333, "M"), (None, None, None), (7, 1 / 3, "ä'; DROP"), (2**40, 1e300, "F")]
# What SQLite keeps beside them: texts among numbers, numbers among texts, bytes.
ODD = [("not a number", "12,5", 5), (b"\x00\xff", 2, b"F"), (7.0, "33.33333", "M")]
QUERY = "SELECT cost, age, sex FROM visits WHERE note <> ':x' AND '10:30' LIKE '%:%'"


def codes(source, columns=COLUMNS):
    """The rows that both engines read, in the order in which they are stored."""
    table = Table("t", source, columns)
    extract = Extract(table, everywhere(table.domain), table.domain.axes)
    found = DuckDB([table])
    try:
        rows = sorted(found.run(extract).tolist())
    finally:
        found.close()
    assert rows == sorted(Reference([table]).run(extract).tolist())
    return rows


@pytest.fixture
def file(tmp_path):
    """A file of SQLite, and the rows in it."""
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE visits (age INTEGER, cost REAL, sex TEXT, note TEXT)")
        # So many rows that a driver which looks at the first thousand has decided before it meets the odd ones.
        rows = [*ROWS, *[(i % 90, i / 16, "FM"[i % 2]) for i in range(1_200)], *ODD]
        made.executemany("INSERT INTO visits VALUES (?, ?, ?, 'a')", rows)
    made.close()
    return path, [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def test_every_kind_of_connection_reads_the_same_rows(file):
    path, rows = file
    expected = codes(rows)
    address = f"sqlite:///{path}"
    engine = sqlalchemy.create_engine(address)
    assert codes(pt.database(address, table="visits")) == expected
    assert codes(pt.database(engine, table="main.visits")) == expected
    with engine.connect() as connection:
        assert codes(pt.database(connection, query=QUERY)) == expected
        assert not connection.closed
    engine.dispose()
    with adbc.connect(str(path)) as connection:
        assert codes(pt.database(connection, table="visits")) == expected
        assert codes(pt.database(connection, query=f"{QUERY};")) == expected
    plain = sqlite3.connect(path)
    assert codes(pt.database(plain, table="visits")) == expected
    plain.close()
    settings = {"columns": {"age": {"integers": [0, 120]}}, "reading": {"table": "visits"}}
    beside = from_toml("t", {"source": "sqlite:///clinic.db", **settings}, path.parent)
    assert codes(beside.source) == expected


def test_one_row_more_does_not_change_what_the_driver_makes_of_the_others(file):
    """The driver types a column after all its values: a text among numbers leaves the others six digits."""
    path, _ = file
    with adbc.connect(str(path)) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT cost FROM visits WHERE age IN (40, 7) OR cost = '12,5'")
            assert "1.234568e-01" in cursor.fetch_arrow_table().column("cost").to_pylist()
        with_odd = codes(pt.database(connection, table="visits"))
        without = codes(pt.database(connection, query="SELECT * FROM visits WHERE typeof(cost) <> 'text'"))
    assert len(with_odd) == len(without) + 1  # 33.33333 in quotes was made a number by its column
    assert {tuple(row) for row in without} <= {tuple(row) for row in with_odd}


def test_a_typed_database_hands_over_arrow(tmp_path):
    """DuckDB through ADBC: types belong to its columns."""
    path = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE visits AS SELECT 40 AS age, 1.5::DECIMAL(9, 2) AS cost, 'F' AS sex, 'x' AS note")
        made.execute("INSERT INTO visits VALUES (NULL, NULL, 'Z', '')")
    expected = codes([{"age": 40, "cost": "1.5", "sex": "F"}, {"age": None, "cost": None, "sex": "Z"}])
    with adbc_duckdb.connect(path) as connection:
        assert codes(pt.database(connection, table="visits")) == expected


def test_a_server_with_types_of_its_own_hands_them_over():
    """PostgreSQL through ADBC: a number of any length is a text there, in every row."""
    source = served.put(
        [("age", "integer"), ("cost", "numeric"), ("sex", "text")], [(40, "1.5", "F"), (9, "1e40", None)]
    )
    expected = codes([{"age": 40, "cost": "1.5", "sex": "F"}, {"age": 9, "cost": 100, "sex": None}])
    with adbc_postgresql.connect(served.address()) as connection:
        assert codes(pt.database(connection, table=source)) == expected
    psycopg = sqlalchemy.create_engine(served.address().replace("postgresql://", "postgresql+psycopg://"))
    assert codes(pt.database(psycopg, table=source)) == expected
    psycopg.dispose()


def test_the_custodians_look_reads_a_connection(file):
    path, _ = file
    look = Look()
    found = look.examine(Table("t", pt.database(f"sqlite:///{path}", table="visits"), COLUMNS))
    look.close()
    assert found.rows == len(ROWS) + 1_200 + len(ODD)
    assert {column.column: column.unreadable for column in found.columns}["age"] == 2


def test_two_sources_of_one_database_are_the_same_rows(file):
    path, _ = file
    engine, again = (sqlalchemy.create_engine(f"sqlite:///{path}") for _ in range(2))
    first = Table("a", pt.database(engine, table="visits"), COLUMNS)
    assert first.same_rows(Table("b", pt.database(again, table="VISITS"), COLUMNS))
    assert not first.same_rows(Table("b", pt.database(again, table="other"), COLUMNS))
    memory = [pt.database(sqlalchemy.create_engine("sqlite://"), table="visits") for _ in range(2)]
    assert not Table("a", memory[0], COLUMNS).same_rows(Table("b", memory[1], COLUMNS))


def test_what_cannot_be_read_is_told(file, tmp_path):
    path, _ = file
    address = f"sqlite:///{path}"
    plain = sqlite3.connect(path)
    with adbc.connect(str(path)) as connected:
        wrong = {
            "query.bad-connection": [
                lambda: pt.database(5, table="visits"),
                lambda: pt.database("clinic.db", table="t"),
            ],
            "query.table-or-query": [
                lambda: pt.database(plain),
                lambda: pt.database(plain, table="visits", query="SELECT 1"),
            ],
            "query.bad-source-option": [lambda: pt.database(plain, table=" "), lambda: pt.database(plain, query=5)],
            "query.no-such-table": [lambda: codes(pt.database(address, table="visit"))],
            "query.absent-source": [lambda: codes(pt.database(f"sqlite:///{tmp_path / 'no.db'}", table="visits"))],
            "query.absent-column": [
                lambda source=source: codes(source, {"height": pt.integers(0, 3)})
                for source in (
                    pt.database(address, table="visits"),
                    pt.database(plain, table="visits"),
                    pt.database(connected, query="SELECT age FROM visits"),
                )
            ],
            "query.database-failed": [
                lambda: codes(pt.database(address, query="SELEC 1")),
                lambda: codes(pt.database(plain, table="visit")),
                lambda: codes(pt.database(connected, query="SELECT * FROM nowhere")),
                lambda: codes(pt.database("nonsense://x", table="visits")),
            ],
        }
        for code, calls in wrong.items():
            for call in calls:
                with pytest.raises(PartitaError) as caught:
                    call()
                assert caught.value.code == code, caught.value.message
                assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert not (tmp_path / "no.db").exists()
    plain.close()


def test_a_question_is_answered_from_a_connection(file):
    path, rows = file
    table = Table("visits", pt.database(f"sqlite:///{path}", table="visits"), COLUMNS)
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=1_000))
    with pt.Curator(tables=[table], promises=[promise], ledger=":memory:") as curator:
        answer = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon=500)
        assert answer.to_arrow().column("n").to_pylist() == [len(rows)]
        assert isinstance(pa.table(answer), pa.Table)
