"""Rows that a fixed truncation keeps are copied once, when a curator opens, and questions read nothing else."""

from __future__ import annotations

import threading
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import partita as pt
from partita.engine import duckdb as module
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import InvalidInput, PartitaError
from partita.query.exact.program import Owners, Program, Rows, cells
from partita.query.language.conditions import everywhere
from partita.query.tables.truncation import Truncation

COLUMNS = {"who": pt.identifier(), "a": pt.integers(0, 9), "b": pt.integers(0, 1_000_000)}
PROMISE = pt.Promise(pt.users("who", rows=2), pt.Pure(epsilon=100))
CAP = Truncation("who", 2, "key")


def stored(rows: int) -> pa.Table:
    draws = np.random.default_rng(0)
    return pa.table(
        {
            "who": draws.integers(0, rows // 5, rows),
            "a": draws.integers(0, 10, rows),
            "b": draws.integers(0, 1_000_000, rows),
        }
    )


def counted(table: pt.Table, cap: Truncation | None = CAP) -> Program:
    where = everywhere(table.domain)
    return Program(table, where, cells((), where), (Rows(), Owners()), cap)


@pytest.fixture
def said(monkeypatch):
    """Every statement of a question, as the engine gets it."""
    found = []

    class Told:
        def __init__(self, cursor):
            self._cursor = cursor

        def __getattr__(self, name):
            def run(text):
                found.append(text)
                return getattr(self._cursor, name)(text)

            return run

    plain = DuckDB._cursor
    monkeypatch.setattr(DuckDB, "_cursor", lambda engine: Told(plain(engine)))
    return found


@pytest.mark.parametrize("caps", [{}, {"rows_per_user": 1}])
def test_no_question_orders_the_rows_of_owners_again(caps, said):
    table = pt.Table("things", stored(100), COLUMNS)
    with pt.Curator(tables=[table], promises=[PROMISE]) as curator:
        curator.ask("SELECT a, COUNT(*) AS n, SUM(b) AS t FROM things WHERE b > 10 GROUP BY a", epsilon=1, **caps)
    assert said
    assert not [text for text in said if "MD5" in text]
    assert all('"cut 0' in text for text in said)


def test_a_file_may_go_once_its_rows_are_kept(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(stored(100), path)
    table = pt.Table("things", path, COLUMNS)
    engine = DuckDB([table], copied_below=0)
    with pt.Curator(tables=[table], promises=[PROMISE], backend=engine) as curator:
        path.unlink()
        answer = curator.ask("SELECT COUNT(*) AS n FROM things", epsilon=50)
        assert abs(answer.rows()[0]["n"] - 40) < 5


def test_no_ledger_is_made_for_a_source_that_cannot_be_read(tmp_path):
    with pytest.raises(PartitaError):
        pt.Curator(
            tables=[pt.Table("things", tmp_path / "absent.parquet", COLUMNS)],
            promises=[PROMISE],
            ledger=tmp_path / "ledger",
        )
    assert not list(tmp_path.iterdir())


def test_rows_that_cannot_be_kept_are_an_unreadable_source(monkeypatch):
    engine = DuckDB([pt.Table("things", stored(100), COLUMNS)])
    monkeypatch.setattr(module, "cut_statement", lambda stored, cap: "SELECT nothing_at_all")
    with pytest.raises(InvalidInput) as refusal:
        engine.cut({"things": CAP})
    assert refusal.value.code == "query.unreadable-source"
    assert refusal.value.__context__ is None
    assert engine._of(counted(engine.tables["things"])).cut is None


def test_curators_of_one_engine_that_open_at_once_keep_the_rows_once_for_each_ledger():
    table = pt.Table("things", stored(1_000), COLUMNS)
    engine = DuckDB([table])
    caps = [CAP, CAP, replace(CAP, key="other"), replace(CAP, key="other")]
    threads = [threading.Thread(target=engine.cut, args=({"things": cap},)) for cap in caps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engine._cut) == 2
    reference = Reference([table])
    for cap in caps:
        assert engine.run(counted(table, cap)).tolist() == reference.run(counted(table, cap)).tolist()
    engine.close()


def test_kept_rows_may_be_more_than_memory_holds(tmp_path, monkeypatch):
    rows = 1_500_000
    path = tmp_path / "rows.parquet"
    parquet.write_table(stored(rows), path)
    table = pt.Table("things", path, COLUMNS)
    plain = duckdb.connect

    def small(place, config):
        return plain(place, config={**config, "memory_limit": "48MB"})

    monkeypatch.setattr(duckdb, "connect", small)
    engine = DuckDB([table], threads=1, copied_below=0)
    engine.cut({"things": Truncation("who", 100, "key")})
    spilled = "SELECT SUM(temporary_storage_bytes) FROM duckdb_memory()"
    assert engine._connection.execute(spilled).fetchall()[0][0] > 0
    assert engine.run(counted(table, Truncation("who", 100, "key")))[0, 0] == rows
    engine.close()
