"""Spark as an engine: what is refused before anything is read, and what becomes of faults later."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import partita as pt
from partita.engine import spark as module
from partita.engine.sessions import SETTINGS, Cluster
from partita.engine.spark import Spark
from partita.errors import Caution, EngineFault, PartitaError
from partita.query.exact.program import Program, Rows, cells
from partita.query.sql.parse import read
from partita.region.dialects.spark import spelled
from tests.laws import sparked

COLUMNS = {
    "who": pt.identifier(), "age": pt.integers(0, 120), "sex": pt.categories("F", "M"), "note": pt.text_keys(),
    "day": pt.dates("2024-01-01", "2024-12-31"),
}  # fmt: skip
ROWS = pa.table(
    {
        "who": [1, 1, 1, 1, 2, None],
        "AGE": [40, 999, None, 70, -1, 3],
        "sex": ["F", "M", "it's \\ ${x}", None, "F", "F"],
        "note": ["a", "b", None, "a", "\x00", "c"],
        "day": pa.array([0, 19800, None, 2**31 - 1, -(2**31) + 1, 20000], pa.int32()).cast(pa.date32()),
    }
)


@pytest.mark.parametrize("given", [7, "", {"master": 3}, {"folder": ""}, {"cores": 2}])
def test_a_place_that_says_nothing_of_spark_is_refused(given):
    with pytest.raises(PartitaError) as caught:
        Cluster.of(given)
    assert caught.value.code in ("engine.no-cluster", "engine.bad-cluster")


def test_people_across_tables_are_refused_before_anything_starts():
    lines = pt.Table("lines", "lines.parquet", {"who": pt.identifier(), "price": pt.integers(0, 9)})
    with pytest.raises(PartitaError) as caught:
        pt.Curator(
            tables=[pt.Table("visits", "visits.parquet", COLUMNS), lines],
            promises=[pt.Promise(pt.persons("who", rows={"visits": 1, "lines": 2}), pt.ZCDP(rho="1"))],
            ledger=":memory:",
            backend="spark",
        )
    assert caught.value.code == "engine.keeps-no-rows"


def test_what_is_quoted_is_spelled_as_it_is_and_nothing_else_is_touched():
    given = "SELECT \"a`\"\"b\", 'it''s', '\"', '\\n' FROM t WHERE a <> '' AND x = \"'\""
    assert spelled(given) == "SELECT `a``\"b`, 'it\\'s', '\"', '\\\\n' FROM t WHERE a <> '' AND x = `'`"


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    where = tmp_path_factory.mktemp("spark") / "visits.parquet"
    parquet.write_table(ROWS, where)
    return where


def table(source: object) -> pt.Table:
    return pt.Table("visits", source, COLUMNS)


def counted(engine: Spark, where: str = "TRUE") -> int:
    plan = read(f"SELECT COUNT(*) AS n FROM visits WHERE {where}", [engine.tables["visits"]])
    program = Program(engine.tables["visits"], plan.where, cells(plan.keys, plan.where), (Rows(),))
    return int(engine.run(program)[0, 0])


@pytest.mark.slow
def test_a_ledger_with_users_goes_on_when_its_rows_are_read_by_spark(visits, tmp_path):
    """The same rows of each user, stored answers free; a question about texts is refused before it is charged."""
    question, ledger = "SELECT sex, COUNT(*) AS n, SUM(age) AS a FROM visits GROUP BY sex", tmp_path / "visits.ledger"
    promises = [pt.Promise(pt.users("who", rows=2), pt.ZCDP(rho="1"))]
    rows = ROWS.rename_columns([name.lower() for name in ROWS.column_names])
    rows = rows.set_column(4, "day", pa.array([0, 19800, None, 10**6, -(10**6), 20000], pa.int32()).cast(pa.date32()))
    with pt.Curator(tables=[table(rows)], promises=promises, ledger=ledger) as curator:
        first = curator.ask(question, rho="0.1").rows()
    given = {"tables": [table(str(visits))], "promises": promises, "ledger": ledger, "backend": "spark"}
    with pt.Curator(**given, database=sparked.session()) as curator:
        spent = curator.spent()
        assert curator.ask(question, rho="0.1").rows() == first
        for words in ("note LIKE 'a%'", "LOWER(note) = 'a'"):
            with pytest.raises(PartitaError) as caught:
                curator.ask(f"SELECT COUNT(*) AS n FROM visits WHERE {words}", rho="0.1")
            assert caught.value.code == "engine.reads-no-words"
        assert curator.spent() == spent
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 50", rho="0.1")
        assert curator.spent() != spent
    # A row more of a user: other rows may be kept, and the book says that they are not.
    more = pa.concat_tables([ROWS, ROWS])
    parquet.write_table(more, tmp_path / "more.parquet")
    with pytest.raises(PartitaError) as caught:
        pt.Curator(**{**given, "tables": [table(str(tmp_path / "more.parquet"))]}, database=sparked.session())
    assert caught.value.code == "ledger.other-rows"


@pytest.mark.slow
def test_frames_are_computed_once_by_their_own_session_and_faults_are_one(visits, heard, monkeypatch, tmp_path):
    session = sparked.session().newSession()
    # Its own settings would fail every question, read other days, or write names in another way.
    for name, value in {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "Asia/Kathmandu"}.items():
        session.conf.set(name, value)
    frame = session.read.parquet(str(visits)).withColumnRenamed("note", "no`te")
    with pytest.raises(PartitaError) as caught:
        Spark([table(frame)], database=sparked.session())
    assert caught.value.code == "query.absent-column"
    with pytest.raises(PartitaError) as caught:
        Spark([table("nowhere")], database=sparked.session())
    assert caught.value.code == "engine.no-table"
    with pytest.raises(PartitaError) as caught:
        Spark([table(ROWS)], database=sparked.session())
    assert caught.value.code == "engine.no-spark-source"
    # What fails on a row fails when it is opened, and tells the custodian alone.
    failing = session.read.parquet(str(visits)).selectExpr("*", "1 DIV (AGE - 40) AS bad").drop("day")
    with pytest.raises(PartitaError) as caught:
        Spark([table(failing.withColumnRenamed("bad", "day"))], database=sparked.session())
    assert caught.value.code in ("query.unreadable-source", "query.unfit-type")
    engine = Spark([table(session.read.parquet(str(visits)))], database={"session": session, "folder": f"{tmp_path}/k"})
    assert {name: engine._session.conf.get(name) for name in SETTINGS} == SETTINGS
    assert session.conf.get("spark.sql.ansi.enabled") == "true"
    assert counted(engine, "age = 120 OR day = '2024-01-01'") == 3
    plan = engine._session.sql(f"SELECT md5('{'0a1b' * 8}' || x) FROM VALUES ('a') AS t(x)")
    assert "0a1b0a1b" not in plan._jdf.queryExecution().toString()
    monkeypatch.setattr(module, "MOST_ROWS", 1)
    with pytest.raises(PartitaError) as caught:
        Spark([table(str(visits))], database=session)
    assert caught.value.code == "engine.too-many-rows"
    kept = list(Path(tmp_path, "k").iterdir())
    assert len(kept) == 1
    shutil.rmtree(kept[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", Caution)
        with pytest.raises(EngineFault) as fault:
            counted(engine, "age = 7")
    assert fault.value.__context__ is None
    engine.close()


@pytest.mark.slow
def test_one_row_changes_no_other_whatever_folders_are_named_and_the_context_says(tmp_path):
    """Names of folders are texts: a type found in all of them together would make 1 of 01 until somebody stores x."""
    context, inherited = sparked.session()._jsc.sc().conf(), "spark.sql.decimalOperations.allowPrecisionLoss"
    context.set(inherited, "false")
    try:
        columns, found = {"who": pt.identifier(), "code": pt.categories("01", "02")}, []
        for more in ({"01": [1, 2], "02": [3]}, {"x": [9]}):
            for code, who in more.items():
                (tmp_path / "rows" / f"code={code}").mkdir(parents=True)
                parquet.write_table(pa.table({"who": who}), tmp_path / "rows" / f"code={code}" / "rows.parquet")
            engine = Spark([pt.Table("t", str(tmp_path / "rows"), columns)], database=sparked.session())
            found.append(set(engine._lines(f'SELECT "who", "code" FROM {engine._stored["t"].relation}')))
            assert engine._session.conf.get(inherited) == "true"
            engine.close()
    finally:
        context.remove(inherited)
    assert found[0] == {(1, "01"), (2, "01"), (3, "02")}
    assert found[1] == found[0] | {(9, "OTHER")}
