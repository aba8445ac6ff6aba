"""One value, one text: names, keys and identifiers read the same whatever type the other rows give their column."""

from __future__ import annotations

import datetime as dt
import struct
import uuid
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.engine.sources.frames import coded, plain_text
from partita.engine.statements.statement import rows_statement
from partita.errors import InvalidInput
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.region.columns.dates import _day
from partita.region.columns.stored import text_of

# Rows that stay, and rows that come beside them: each changes what a frame or a table holds its column as.
STAYING = [1, 2, 100, -3]
COMING = [None, 2.5, float("nan"), float("inf"), 2**53 - 1, Decimal("2.25"), "x", True]


def texts(source, declared):
    engine = DuckDB([pt.Table("t", source=source, columns={"k": declared})])
    found = [row[0] for row in engine._connection.execute('SELECT k FROM "table 0"').fetchall()]
    engine.close()
    return found


def sources(values):
    yield "list", [{"k": value} for value in values]
    yield "pandas", pd.DataFrame({"k": values})
    for name, make in (("arrow", lambda: pa.table({"k": values})), ("polars", lambda: pl.DataFrame({"k": values}))):
        try:
            yield name, make()
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            continue  # these two hold no column of such values


@pytest.mark.parametrize("declared", [pt.text_keys(), pt.categories("1", "2", "100", "-3")])
@pytest.mark.parametrize("coming", COMING, ids=repr)
def test_a_row_that_comes_leaves_the_texts_of_the_others(coming, declared):
    for name, source in sources([*STAYING, coming]):
        assert texts(source, declared)[:4] == ["1", "2", "100", "-3"], name


def test_decimals_have_no_zeros_at_the_end():
    for coming in ("2.25", "7", "1000.125"):
        stored = [Decimal("1.5"), Decimal(20), Decimal("-0.0"), Decimal(coming)]
        for name, source in sources(stored):
            assert texts(source, pt.text_keys())[:3] == ["1.5", "20", "0"], name


def test_both_engines_have_the_same_owners():
    columns = {"who": pt.identifier(), "a": pt.integers(0, 9)}
    rows = pa.table({"who": [1.0, float("nan"), None, 2.5, 1.0], "a": [1, 2, 3, 4, 5]})
    asked = "SELECT COUNT(DISTINCT who) AS n FROM t"
    promise = pt.Promise(pt.users("who", rows=2), pt.Pure(epsilon=10**9))
    for backend in (DuckDB, Reference):
        table = pt.Table("t", source=rows, columns=columns)
        curator = pt.Curator(tables=[table], promises=[promise], backend=backend([table]))
        assert curator.ask(asked, epsilon=10**6).rows() == [{"n": 2}]


@pytest.mark.parametrize(
    "values",
    [
        [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
        [dt.timedelta(1)],
        [dt.time(1)],
        [[1.0]],
        [b"x"],
    ],
    ids=repr,
)
@pytest.mark.parametrize("declared", [pt.text_keys(), pt.identifier(), pt.categories("x")])
def test_what_has_no_one_text_is_refused_when_it_is_opened(values, declared):
    with pytest.raises(InvalidInput, match="compared as texts"):
        texts(pa.table({"k": values}), declared)


def test_whole_numbers_that_a_frame_has_rounded_are_refused_when_it_is_opened():
    assert texts(pd.DataFrame({"k": [2**60 + 1]}), pt.text_keys()) == [str(2**60 + 1)]
    with pytest.raises(InvalidInput, match="compared as texts"):
        texts(pd.DataFrame({"k": [2**60 + 1, None]}), pt.identifier())


def test_short_floats_are_written_as_the_doubles_they_become():
    short = np.array([0.1, 3.0, 1e-7, 1e20], dtype=np.float32)
    doubles = [text_of(float(value)) for value in short]
    for coming in ([], [0.5], ["x"]):
        frame = pd.DataFrame({"k": pd.Series(short).astype(object) if coming == ["x"] else short})
        frame = pd.concat([frame, pd.DataFrame({"k": coming})]) if coming else frame
        # A float beyond 2^53 is refused in a column of floats, and stands in a list as it is.
        staying = frame if coming == ["x"] else frame[~(frame.k == short[3])]
        assert texts(staying, pt.text_keys())[:3] == doubles[:3]


@pytest.mark.parametrize("backend", [DuckDB, Reference])
@pytest.mark.parametrize("declared", [pt.identifier(), pt.text_keys()])
def test_what_has_no_utf8_is_refused_and_any_other_text_is_kept(backend, declared):
    odd = ["\ufffdrzte", "\ufffd", "M?ller", "\\udcfc", "a\x00b"]
    rows = [{"who": text, "x": 0} for text in odd]
    assert [plain_text(row["who"]) for row in rows] == odd
    backend([pt.Table("t", rows, {"who": declared, "x": pt.integers(0, 1, missing=0)})]).close()
    for source in ([*rows, {"who": "M\udcfcller"}], pd.DataFrame({"who": pd.Series(["M\udcfcller", 5], dtype=object)})):
        with pytest.raises(InvalidInput, match="UTF-8"):
            backend([pt.Table("t", source, {"who": declared, "x": pt.integers(0, 1, missing=0)})])


def test_a_text_reads_the_same_in_a_column_of_objects():
    texts_, name = ["\ufffdrzte", "a\x00b", "\\", "é"], pt.categories("\ufffdrzte", "a\x00b", "\\", "é")
    for declared in (name, pt.text_keys()):
        plain, mixed = pd.DataFrame({"k": texts_}), pd.DataFrame({"k": [*texts_, 5]})
        assert texts(plain, declared) == texts(mixed, declared)[:4] == texts_


@pytest.mark.parametrize("copied_below", [0, 1 << 24])
def test_identifiers_of_128_bits_are_compared_as_their_texts(tmp_path, copied_below):
    known, path = uuid.UUID(int=5 << 60), tmp_path / "t.parquet"
    capital = str(uuid.UUID(int=0xABC << 60)).upper()
    connection = duckdb.connect()
    connection.execute(
        f"COPY (SELECT i % 3 AS age, CAST(CASE i % 3 WHEN 0 THEN '{known}' WHEN 1 THEN '{capital}' "
        f"ELSE '{uuid.UUID(int=9)}' END AS UUID) AS site FROM range(30) r(i)) TO '{path}' (FORMAT parquet)"
    )
    columns = {"age": pt.integers(0, 9, missing=0), "site": pt.categories(str(known), capital, "none", missing="none")}
    table = pt.Table("t", path, columns)
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=10**9))
    curator = pt.Curator(tables=[table], promises=[promise], backend=DuckDB([table], copied_below=copied_below))
    found = curator.ask("SELECT site, COUNT(*) AS n FROM t GROUP BY site", epsilon=10**6).rows()
    counts = {row["site"]: row["n"] for row in found}
    assert counts == {str(known): 10, capital: 0, "none": 0, "OTHER": 20}
    for asked, count in (
        (f"site = '{known}'", 10),
        (f"site = '{capital}'", 0),
        ("age < 1 OR (age = 2 AND site <> 'none')", 20),
    ):
        assert curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE {asked}", epsilon=10**6).rows() == [{"n": count}]


@pytest.mark.filterwarnings("ignore:Table t.*Times of day:partita.errors.Caution")
def test_a_time_in_nanoseconds_is_on_its_day(tmp_path):
    days = ("1965-03-01", "1969-12-31", "1970-01-01", "2024-02-29")
    ends = [f"{day} {time}" for day in days for time in ("00:00:00.000000001", "00:00:00", "23:59:59.999999999")]
    times = [np.datetime64(end.replace(" ", "T"), "ns") for end in ends]
    columns = {"d": pt.dates("1900-01-01", "2030-12-31", missing="1900-01-01")}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"d": pa.array(times, pa.timestamp("ns"))}), path)
    zoned = tmp_path / "z.parquet"
    pq.write_table(pa.table({"d": pa.array(times, pa.timestamp("ns")).cast(pa.timestamp("ns", "UTC"))}), zoned)
    stamps = [*map(pd.Timestamp, times)]
    frames = [{"d": times}, {"d": [*stamps, "?"]}, {"d": pd.DatetimeIndex(stamps, tz="UTC")}]
    for source in (*map(pd.DataFrame, frames), path, zoned):
        table = pt.Table("t", source, columns)
        for copied_below in (0, 1 << 24):
            engine = DuckDB([table], copied_below=copied_below)
            found = engine.run(Extract(table, everywhere(table.domain), ("d",)))[:, 0].tolist()
            assert sorted(filter(None, found)) == [columns["d"].code(end[:10]) for end in ends]
            engine.close()


def test_a_grid_whose_floats_would_find_other_units_is_refused():
    with pytest.raises(InvalidInput):
        pt.decimals(0, 1022 * 10**12, step="1.022", missing=0)
    column = pt.decimals(0, 1022 * 10**9, step="1.022", missing=0)
    for unit in range(10**12 - 999, 10**12, 7):
        number = unit * 1022 // 1000
        assert column.code(number) == column.code(float(number))


def test_codes_are_found_without_putting_texts_together():
    column = pt.categories("a", "b", missing="b")
    chunks = [pa.array(["a", None, "b"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]
    expected = [column.code(text) for text in ("a", None, "b", "b")]
    assert coded(pa.chunked_array(chunks), column).tolist() == expected
    assert coded(pa.chunked_array([["a", None], ["b", "b"]]), column).tolist() == expected
    assert coded(pa.chunked_array([], pa.string()), column).tolist() == []
    table = pt.Table("t", [{"c": "a"}], {"c": column})
    engine = DuckDB([table])
    assert "ENUM" in rows_statement(Extract(table, everywhere(table.domain), ("c",)), engine._stored["t"])
    assert engine._connection.execute("SELECT current_setting('arrow_large_buffer_size')").fetchone() == (True,)
    engine.close()


MARKS = [pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"), float("nan"), Decimal("nan"), None]


@pytest.mark.parametrize("mark", MARKS, ids=repr)
def test_what_is_missing_is_missing_in_a_column_of_objects_too(mark):
    columns = {
        "who": pt.identifier(),
        "ward": pt.categories("1", "2", missing="2"),
        "d": pt.dates("2024-01-01", "2024-12-31"),
    }
    rows = [{"who": mark, "ward": mark, "d": mark}, {"who": "a", "ward": "?", "d": "?"}]
    for source in (rows, pd.DataFrame({key: pd.Series([row[key] for row in rows], dtype=object) for key in columns})):
        table = pt.Table("t", source, columns)
        for engine in (DuckDB([table]), Reference([table])):
            promise = pt.Promise(pt.users("who", rows=3), pt.Pure(epsilon=10**9))
            curator = pt.Curator(tables=[table], promises=[promise], backend=engine)
            assert curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=10**6).rows() == [{"n": 1}]
            promise = pt.Promise(pt.rows(), pt.Pure(epsilon=10**9))
            curator = pt.Curator(tables=[table], promises=[promise], backend=engine)
            assert curator.ask("SELECT COUNT(*) AS n FROM t WHERE ward = '2'", epsilon=10**6).rows() == [{"n": 1}]


def test_days_beyond_the_calendar_share_a_day_with_no_declared_one():
    column = pt.dates("0001-01-01", "9999-12-31")
    late = dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-5)))
    early = dt.datetime(1, 1, 1, 0, 30, tzinfo=dt.timezone(dt.timedelta(hours=5)))
    for beyond, end in (("0000-01-01", 0), ("0000-12-31", 0), (early, 0), (late, column.code("9999-12-31"))):
        assert column.code(beyond) == end
        assert not column.within(beyond)
    for inside in (
        "0001-01-01",
        "0004-02-29",
        "9999-12-31",
        late - dt.timedelta(hours=5),
        early + dt.timedelta(hours=5),
    ):
        assert column.within(inside)
    with pytest.raises(InvalidInput):
        pt.dates("0000-01-01", "2024-12-31")
    engines = duckdb.connect().execute("SELECT DATE '0001-01-01' - DATE '0000-02-29'").fetchone()
    assert engines == (pt.dates("0001-01-01", "0001-12-31").low.toordinal() - _day("0000-02-29"),)
    assert _day(np.datetime64("1969-12-31T23:59:59.9", "ms")) == dt.date(1969, 12, 31).toordinal()


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25Y", "7h"])
def test_times_of_numpy_do_not_wrap_around(unit):
    column = pt.dates("0001-01-01", "9999-12-31")
    for number in (0, 1, -1, 13, -13, 10**15, -(10**15), 2**63 - 1, -(2**63) + 1, 7905747460161239264):
        value = np.datetime64(number, unit)
        day = _day(value)
        if abs(number) < 20:
            # numpy has no day for the finest units.
            fine, epoch = unit in ("ps", "fs", "as"), dt.date(1970, 1, 1).toordinal()
            assert day == (epoch - (number < 0) if fine else epoch + int(value.astype("datetime64[D]").astype(int)))
        elif unit in ("Y", "M", "W", "D", "h", "m", "25Y", "7h"):
            assert not column.within(value)
            assert column.code(value) == (0 if number < 0 else column.code("9999-12-31"))


@pytest.mark.parametrize("copied_below", [0, 1 << 24])
@pytest.mark.parametrize(
    "name", ["a b", "a\\b", "~x", "{a,b}", "a'b", 'a"b', "$HOME", "a%20b", "x=1/v", "a[1]", "a*", "a?"]
)
def test_a_file_is_read_by_its_own_name(tmp_path, monkeypatch, name, copied_below):
    monkeypatch.chdir(tmp_path)
    for other in ("a1", "a", "ab", "b", "HOME"):
        pq.write_table(pa.table({"x": [1] * 50}), f"{other}.parquet")
    path = tmp_path / f"{name}.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"x": [2] * 3}), path)
    for source in (path, path.relative_to(tmp_path)):
        table = pt.Table("t", source, {"x": pt.integers(0, 9, missing=0)})
        if set(name) & set("[*?"):
            with pytest.raises(InvalidInput, match="Rename"):
                DuckDB([table])
            continue
        engine = DuckDB([table], copied_below=copied_below)
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir("/")
            everybody = Extract(table, everywhere(table.domain), ("x",))
            assert engine.run(everybody)[:, 0].tolist() == [2, 2, 2]
            assert len(engine.without_rows(everybody)) == 0
        engine.close()


class Odd(dt.tzinfo):
    """A time zone that knows nothing."""

    def utcoffset(self, when):
        raise ValueError("no")


ODD = {"key": {5: 1}, "row": 7, "zone": {"x": 1, "d": dt.datetime(2024, 1, 1, tzinfo=Odd())}}


@pytest.mark.parametrize("row", ODD.values(), ids=ODD)
@pytest.mark.parametrize("backend", [DuckDB, Reference])
def test_a_row_that_cannot_be_read_is_met_when_the_table_is_opened(backend, row):
    table = pt.Table(
        "t", [{"x": 1}, row], {"x": pt.integers(0, 9, missing=0), "d": pt.dates("2024-01-01", "2024-12-31")}
    )
    try:
        engine = backend([table])
    except InvalidInput:
        return
    assert len(engine.run(Extract(table, everywhere(table.domain), ("x",)))) == 2


def test_bytes_that_are_no_text_are_refused_by_both_engines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"who,x\nM\xfcller,1\nM\xf6ller,2\n")
    table = pt.Table("t", path, {"who": pt.identifier(), "x": pt.integers(0, 9)})
    for backend in (DuckDB, Reference):
        with pytest.raises(InvalidInput):
            backend([table])


@pytest.mark.parametrize("declared", [pt.booleans(missing=False), pt.integers(0, 9), pt.text_keys(), pt.identifier()])
def test_one_long_decimal_leaves_the_others_as_they_are(declared):
    short, long = (
        pa.table({"k": pa.array([Decimal(2), Decimal("0.5"), None, *more])}) for more in ([], [Decimal(10) ** 40])
    )
    assert texts(long, declared)[:3] == texts(short, declared)


@pytest.mark.parametrize("copied_below", [0, 1 << 24])
def test_statistics_of_texts_by_old_writers_are_not_believed(tmp_path, copied_below):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"c": ["aaa"] * 50 + ["zzz"] * 50}), path)
    table = pt.Table("t", path, {"c": pt.categories("aaa", "zzz")})
    DuckDB([table], copied_below=copied_below).close()
    written = path.read_bytes()
    start = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    # The fields 5 and 6 of the statistics become 1 and 2, which only old writers use: at another length of the footer.
    told, ends = b"\x36\x00\x28%s\x11\x11\x00", b"\x03zzz\x18\x03aaa"
    assert written[start:].count(told % ends) == 1
    footer = written[start:-8].replace(told % ends, b"\x18%s\x16\x00\x00" % ends)
    path.write_bytes(written[:start] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    with pytest.raises(InvalidInput, match="old tool"):
        DuckDB([table], copied_below=copied_below)
    # A column that nobody declared tells nothing of the others.
    beside = pa.table({"c": ["aaa"] * 50 + ["zzz"] * 50, "x": [1] * 100})
    pq.write_table(beside, path)
    written = path.read_bytes()
    start = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    footer = written[start:-8].replace(told % ends, b"\x18%s\x16\x00\x00" % ends)
    path.write_bytes(written[:start] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    DuckDB([pt.Table("t", path, {"x": pt.integers(0, 9)})], copied_below=copied_below).close()
    with pytest.raises(InvalidInput, match="old tool"):
        DuckDB([pt.Table("t", path, {"x": pt.integers(0, 9), "c": pt.text_keys()})], copied_below=copied_below)


@pytest.mark.parametrize("made", ["period", "category", "interval", "decimal256", "uuid"])
def test_a_column_of_its_own_type_reads_as_its_values_do(made):
    months = pd.Series(pd.to_datetime(["2020-05-07", "2020-06-01"])).dt.to_period("M")
    series = {
        "period": months,
        "category": months.astype("category"),
        "interval": pd.Series(pd.interval_range(0, 2)),
        "decimal256": pd.Series([Decimal(2), Decimal("0.5")], dtype=pd.ArrowDtype(pa.decimal256(60, 2))),
        "uuid": pd.Series([uuid.UUID(int=1), uuid.UUID(int=2)]),
    }[made]
    typed = pd.DataFrame({"k": series})
    mixed = pd.concat([typed.astype(object), pd.DataFrame({"k": ["?"]})], ignore_index=True)
    for declared in (pt.text_keys(), pt.categories("2020-05", "2020-06", "2", "0.5", str(uuid.UUID(int=1)))):
        try:
            found = texts(typed, declared)
        except InvalidInput:
            continue
        assert found == texts(mixed, declared)[:2]
