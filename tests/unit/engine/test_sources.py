"""Rows from every kind of source are the same rows, and a source that would let one row decide is refused."""

from __future__ import annotations

import gzip
import json

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.query.tables.schema import Table, from_toml

COLUMNS = {"age": pt.integers(0, 120), "sex": pt.categories("F", "M"), "cost": pt.decimals(0, 100, step="0.5")}
ROWS = [
    {"age": 40, "sex": "F", "cost": 1.5},
    {"age": 41, "sex": "M", "cost": 2.0},
    {"age": None, "sex": "X", "cost": 99},
]
ARROW = pa.table({"age": [40, 41, None], "sex": ["F", "M", "X"], "cost": [1.5, 2.0, 99.0]})
CODES = [[40, 0, 3], [41, 1, 4], [121, 2, 198]]
TEXT = 'age;sex;note;cost\n40;F;x;1,5\n41; M;"a \n""b;";2\nNA;X;;99\n'


def codes(source, columns=COLUMNS, **engine):
    """The rows that both engines read."""
    table = Table("t", source, columns)
    extract = Extract(table, everywhere(table.domain), table.domain.axes)
    found = DuckDB([table], **engine)
    try:
        rows = sorted(found.run(extract).tolist())
    finally:
        found.close()
    assert rows == sorted(Reference([table]).run(extract).tolist())
    return rows


def files(folder):
    """The same rows, stored in every way."""
    written = pt.csv(folder / "t.csv", delimiter=";", decimal=",", null="NA", trim=True, line_breaks=True)
    (folder / "t.csv").write_text(TEXT)
    yield written
    (folder / "u.csv.gz").write_bytes(gzip.compress(b"age,sex,cost\n40,F,1.5\n41,M,2\n,X,99\n"))
    yield str(folder / "u.csv.gz")
    lines = "\n".join(map(json.dumps, ROWS))
    (folder / "t.jsonl").write_text(lines + "\n")
    (folder / "t.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
    yield folder / "t.jsonl"
    yield folder / "t.ndjson.gz"
    (folder / "parts").mkdir()
    parquet.write_table(ARROW.slice(0, 1), folder / "parts" / "a.parquet")
    parquet.write_table(ARROW.slice(1), folder / "parts" / "b.parquet")
    yield folder / "parts"
    yield str(folder / "parts" / "*.parquet")
    with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
        connection.register("arrow", ARROW)
        connection.execute('CREATE TABLE "Visits" AS SELECT * FROM arrow')
    yield pt.duckdb(folder / "clinic.duckdb", table="visits")
    yield ARROW.to_reader()
    with duckdb.connect(":memory:") as connection:
        yield connection.from_arrow(ARROW)


def test_every_source_gives_the_same_rows(tmp_path):
    for source in files(tmp_path):
        assert codes(source) == CODES, source


def test_large_files_of_a_folder_are_read_where_they_are(tmp_path):
    *_, folder = (source for source in files(tmp_path) if str(source).endswith("parts"))
    assert codes(folder, copied_below=0) == CODES


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a,b\nx,"1\ny,2\n', "an open mark"),
        ('a,b\nx,"1\ny",2,3\n', "more values than names"),
        ('a,b\n"x\ny"\nz,3\n', "fewer values than names"),
        ('a,b\nx,1"\n', "a mark inside"),
        ("a,b\nx,1\r\n", "another end"),
        ("a,A\nx,1\n", "two columns of one name"),
        (b"a,b\nx,\xff\n", "no such text"),
    ],
)
def test_a_file_that_is_not_written_as_declared_is_refused_when_it_is_opened(tmp_path, text, why):
    (tmp_path / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    table = Table("t", pt.csv(tmp_path / "t.csv", line_breaks=True), {"a": pt.text_keys()})
    for engine in (DuckDB, Reference):
        with pytest.raises(PartitaError, match="not well-formed"):
            engine([table])


def test_a_text_of_another_encoding_is_read_in_it(tmp_path):
    (tmp_path / "t.csv").write_bytes("größe,sex\n40,F\n".encode("cp1252"))
    assert codes(pt.csv(tmp_path / "t.csv", encoding="cp1252"), {"größe": pt.integers(0, 99)}) == [[40]]


def test_a_file_without_names_gets_them(tmp_path):
    (tmp_path / "t.csv").write_text("40,F\n41,M\n")
    assert codes(pt.csv(tmp_path / "t.csv", names=["age", "sex"]), {"age": pt.integers(0, 99)}) == [[40], [41]]


def test_files_of_one_table_have_one_schema(tmp_path):
    parquet.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"age": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(PartitaError, match="differently, as BIGINT and as VARCHAR"):
        DuckDB([Table("t", tmp_path, {"age": pt.integers(0, 9)})])


@pytest.mark.parametrize("source", ["nothing", "nothing/*.parquet", "*.csv"])
def test_a_folder_without_files_is_named(tmp_path, source):
    (tmp_path / "nothing").mkdir()
    (tmp_path / "a.csv").write_text("age\n1\n")
    with pytest.raises(PartitaError, match="no parquet file is found"):
        DuckDB([Table("t", tmp_path / source, {"age": pt.integers(0, 9)})])


def test_a_table_that_a_file_does_not_have_is_named(tmp_path):
    source = next(source for source in files(tmp_path) if "duckdb" in str(source))
    with pytest.raises(PartitaError, match="It has Visits"):
        DuckDB([Table("t", pt.duckdb(source.path, table="orders"), COLUMNS)])


def test_sources_that_share_files_share_rows(tmp_path):
    list(files(tmp_path))
    whole, part = tmp_path / "parts", tmp_path / "parts" / "a.parquet"
    shared = [(whole, part), (str(whole / "*.parquet"), whole), (pt.csv(tmp_path / "t.csv"), tmp_path / "t.csv")]
    for first, second in shared:
        assert Table("a", first, COLUMNS).same_rows(Table("b", second, COLUMNS))
    assert not Table("a", part, COLUMNS).same_rows(Table("b", whole / "b.parquet", COLUMNS))
    one, other = (pt.duckdb(tmp_path / "clinic.duckdb", table=name) for name in ("visits", "orders"))
    assert not Table("a", one, COLUMNS).same_rows(Table("b", other, COLUMNS))


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ";"},
        {"decimal": ","},
        {"null": ["NA"]},
        {"trim": True},
        {"line_breaks": True},
        {"encoding": "cp1252"},
    ],
)
def test_a_declaration_that_reads_otherwise_is_another(options):
    plain, other = (Table("t", pt.csv("t.csv", **given), COLUMNS) for given in ({}, options))
    assert plain.digest != other.digest
    toml = from_toml("t", {"source": "t.csv", "reading": options, "columns": _written()})
    assert toml.digest == other.digest


def _written():
    return {
        "age": {"integers": [0, 120]},
        "sex": {"categories": ["F", "M"]},
        "cost": {"decimals": [0, 100], "step": "0.5"},
    }


def test_a_column_says_more_than_its_file():
    columns = {"a": pt.decimals(0, 9, step=1, decimal="."), "b": pt.decimals(0, 9, step=1), "c": pt.text_keys()}
    found = Table("t", pt.csv("t.csv", decimal=",", null="NA"), columns).columns
    assert [found[name].reading.decimal for name in "abc"] == [".", ",", ""]
    assert all(found[name].reading.null == ("NA",) for name in "abc")


@pytest.mark.parametrize(
    "make",
    [
        lambda: pt.csv("t.csv", delimiter="ab"),
        lambda: pt.csv("t.csv", encoding="no such"),
        lambda: pt.csv("t.csv", decimal=";"),
        lambda: pt.csv("t.csv", thousands=".", decimal="."),
        lambda: pt.csv("t.csv", trim=1),
        lambda: pt.csv("t.csv", names="abc"),
        lambda: pt.csv(7),
        lambda: pt.csv("t.csv", sep=";"),
        lambda: pt.duckdb("a.duckdb", table=""),
        lambda: pt.integers(0, 9, unit="5"),
        lambda: pt.integers(0, 9, null=3),
        lambda: pt.dates("2025-01-01", "2025-02-01", format="%d.%m"),
        lambda: pt.dates("2025-01-01", "2025-02-01", format="%d.%m.%Q"),
        lambda: pt.booleans(true="ja"),
        lambda: pt.booleans(true="ja", false="JA"),
        lambda: pt.categories("-", "a", null="-"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(make):
    with pytest.raises(PartitaError):
        make()


def test_a_column_with_a_reading_comes_back_from_its_description():
    from partita.region.columns import described

    for column in (
        pt.integers(0, 9, thousands=".", null=["NA"]),
        pt.decimals(0, 9, step="0.5", unit="€"),
        pt.dates("2025-01-01", "2025-02-01", format=["%d.%m.%Y"]),
        pt.booleans(true="ja", false="nein"),
        pt.categories("a", null="-"),
    ):
        assert described(json.loads(json.dumps(column.describe()))) == column
    assert "reading" not in pt.integers(0, 9).describe()


def test_rows_in_memory_are_read_by_the_same_formats():
    columns = {
        "day": pt.dates("2025-01-01", "2025-12-31", format="%d.%m.%Y"),
        "on": pt.booleans(true="ja", false="nein"),
    }
    rows = [{"day": "02.01.2025", "on": "ja"}, {"day": "2025-01-02", "on": "yes"}]
    assert codes(rows, columns) == [[1, 1], [365, 2]]
