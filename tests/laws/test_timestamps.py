"""A column of times means one thing: in Python, in the engine's SQL, and to the zones of the world."""

from __future__ import annotations

import datetime as dt
from contextlib import closing
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from partita.engine.duckdb import DuckDB
from partita.engine.statements.stored import Stored
from partita.errors import InvalidInput
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.query.tables.schema import Table
from partita.region.columns import Timestamps, dates, described, timestamps
from partita.region.dialects.duckdb import DUCKDB
from partita.region.zones import offsets
from tests.sizes import tried

SPRING = timestamps("2024-03-30", "2024-04-01", step="15min", zone="Europe/Berlin")
COLUMNS = {
    "seconds": timestamps("2023-12-31", "2024-12-31 23:59:59"),
    "spring": SPRING,
    "autumn": timestamps("2024-10-26", "2024-10-28", step="1min", zone="America/New_York", missing="2024-10-27"),
    "early": timestamps("1850-01-01", "1970-01-02", step="1h", zone="Asia/Kolkata"),
    "fine": timestamps("1969-12-31 23:59:59", "1970-01-01 00:00:01", step="10us"),
    "all": timestamps("0001-01-01", "9999-12-31", step="1d"),
    "years": timestamps("1995-01-01", "2035-01-01", step="1h", zone="Pacific/Auckland"),
}
# As the engine writes and reads them; the last ones have no number of their own.
MOMENTS = (
    "2024-03-31 00:59:59.999999", "2024-03-31 01:00:00", "2024-03-31 02:30:00", "2024-10-27 01:30:00",
    "1969-12-31 23:59:59.999995", "1970-01-01 00:00:00", "1900-02-28 12:00:00", "2024-02-29 23:59:59",
    "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999",
)  # fmt: skip
ENDLESS = ("infinity", "-infinity", "290000-01-01", "290000-01-01 (BC)")
TEXTS = (
    "2024-03-31", "2024-03-31T01:00:00Z", "2024-03-31 01:00+01:00", "2024-03-31 03:00:00.9999999", "2024-02-30 10:00",
    "2024-03-31 24:00", "2024-03-31 10:60", "2024-03-31 1:00", "2024-03-31T10:00:00.5-0530", "2024-03-31 10:00 +05",
    "0000-02-29", "0000-01-01 00:00:00-23:59", "9999-12-31T23:59:59+00:00", "2024-03-31 10:00+25:00", " 2024-03-31",
    "2024-03-31\n", "soon", "", "infinity", "2024-03-31 10:00:00.", "2024-03-31Z", "2024-10-27 05:30Z",
    "1970-01-01T00:00:00.00001",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    # No statement may depend on it.
    connection.execute("SET TimeZone = 'Asia/Kathmandu'")
    return connection


def in_sql(engine: Any, column: Timestamps, values: list[str | None], kind: str) -> list[tuple[int | None, bool]]:
    """What the projection makes of stored values, and whether it says that each was stored so."""
    stored = Stored(Table("t", [], {"x": column}), "t", {"x": kind}, {"x": "x"})
    within = DUCKDB.mapped(column.is_within(exp.column("x", quoted=True), kind))
    source = f"(SELECT place, CAST(y AS {kind}) AS x FROM (SELECT unnest(?) AS y, generate_subscripts(?, 1) AS place))"
    found = engine.execute(
        f"SELECT {stored.sanitised['x']}, {within} FROM {source} AS t ORDER BY place", [values, values]
    ).fetchall()
    return [(column.null if value is None else value - column.low, stored_so) for value, stored_so in found]


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(
    "kind",
    ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "TIMESTAMPTZ_NS", "DATE"],
)
def test_a_stored_time_becomes_the_same_in_python_and_in_sql(engine, name, kind):
    column, texts = COLUMNS[name], [*MOMENTS]
    if kind.endswith("_NS"):
        texts = [text for text in texts if text[:2] not in ("00", "99")]
    if kind in ("TIMESTAMP_S", "TIMESTAMP_MS"):
        texts = [text[:19] for text in texts]
    values: list[Any] = [dt.datetime.fromisoformat(text) for text in texts]
    if kind == "DATE":
        values = [value.date() for value in values]
    if kind.startswith("TIMESTAMPTZ"):
        values, texts = [value.replace(tzinfo=dt.UTC) for value in values], [f"{text}+00" for text in texts]
    values.append(None)
    expected = [(column.code(value), column.within(value)) for value in values]
    assert in_sql(engine, column, [*texts, None], kind) == expected


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_NS", "TIMESTAMPTZ", "TIMESTAMPTZ_NS", "DATE"])
def test_a_time_without_a_number_of_its_own_is_at_an_end(engine, kind):
    texts = [*(ENDLESS[:2] if kind.endswith("_NS") else ENDLESS)]
    for column in COLUMNS.values():
        late = column.high - column.low
        expected = [(0 if text.startswith("-") or "BC" in text else late, False) for text in texts]
        assert in_sql(engine, column, texts, kind) == expected


def test_times_of_pandas_beyond_the_calendar_are_at_an_end():
    """They are times of Python by their class, without a number of a day: a table that held one did not open."""
    late, early = (pd.Timestamp(np.datetime64(day, "s")) for day in ("20000-01-01", "-20000-01-01"))
    days = dates("2000-01-01", "2001-12-31", missing="2000-06-01")
    for column in (*COLUMNS.values(), days):
        last = column.code(np.datetime64("20000-01-01"))
        for value, code in ((late, last), (early, 0), (late.tz_localize("UTC"), last), (early.tz_localize("UTC"), 0)):
            assert column.code(value) == code
            assert not column.within(value)
    rows = [{"x": late}, {"x": early}, {"x": pd.Timestamp("2000-01-03")}, {"x": None}]
    for source in (rows, pd.DataFrame(rows, dtype=object)):
        table = Table("t", source, {"x": days})
        with closing(DuckDB([table])) as opened:
            found = opened.run(Extract(table, everywhere(table.domain), ("x",)))[:, 0].tolist()
        assert sorted(found) == sorted(days.code(row["x"]) for row in rows)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_written_time_becomes_the_same_in_python_and_in_sql(engine, name):
    column = COLUMNS[name]
    expected = [(text, column.code(text), column.within(text)) for text in TEXTS]
    found = in_sql(engine, column, [*TEXTS], "VARCHAR")
    assert [(text, *one) for text, one in zip(TEXTS, found, strict=True)] == expected


@pytest.mark.soak
@settings(max_examples=tried(60, soaking=6000))
@given(st.sampled_from(sorted(COLUMNS)), st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2030, 1, 1)))  # noqa: DTZ001
def test_a_moment_is_what_a_clock_in_the_zone_shows(name, moment):
    """The table of offsets against the zones of Python, and a code against the clock, rounded down."""
    column, aware = COLUMNS[name], moment.replace(tzinfo=dt.UTC)
    shown = aware.astimezone(ZoneInfo(column.zone)).replace(tzinfo=None)
    assert column.code(aware) == column.code(shown)
    if column.within(aware):
        value = column.value(column.code(aware))
        assert dt.timedelta(0) <= shown - value < dt.timedelta(microseconds=column.tick)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Africa/Casablanca", "Australia/Lord_Howe"])
def test_hours_and_days_of_a_zone_are_those_of_the_engine(engine, zone):
    """Every half hour of a year in which clocks change: DATE_TRUNC of the local time, by the engine's own calendar."""
    column = timestamps("2023-12-30", "2025-01-03", step="30min", zone=zone)
    found = engine.execute(
        f"SELECT epoch_us(m), m AT TIME ZONE '{zone}' FROM generate_series(TIMESTAMPTZ '2024-01-01 00:00+00', "
        "TIMESTAMPTZ '2024-12-31 23:30+00', INTERVAL 30 MINUTE) AS s(m)"
    ).fetchall()
    table = offsets(zone, column.low * column.tick, column.high * column.tick)
    epoch = dt.datetime(1970, 1, 1)  # noqa: DTZ001
    assert [epoch + dt.timedelta(microseconds=table.local(moment)) for moment, _ in found] == [row[1] for row in found]
    assert len(table.starts) >= 2


def test_a_finer_step_refines_a_coarser_one():
    fine, coarse = (timestamps("2024-01-01", "2024-02-01", step=step) for step in ("1s", "15min"))
    for code in range(0, fine.size - 1, 997):
        value = fine.value(code)
        assert coarse.code(value) == code // 900


def test_wider_bounds_and_nested_steps_refine_a_column_and_another_zone_does_not():
    year, longer = (timestamps("2024-01-01", f"{end}-12-31", step="1h", zone="Europe/Berlin") for end in (2024, 2026))
    assert not isinstance(longer.onto(year), str)
    assert isinstance(timestamps("2024-01-01", "2026-12-31", step="1h").onto(year), str)
    assert not isinstance(timestamps("2024-01-01", "2026-12-31", step="1min", zone="Europe/Berlin").onto(year), str)
    assert isinstance(timestamps("2024-01-01", "2026-12-31", step="40min", zone="Europe/Berlin").onto(year), str)


def test_words_for_nothing_are_missing(engine):
    column = timestamps("2024-01-01", "2024-01-02", step="1h", null="2024-01-01 05:00")
    assert in_sql(engine, column, ["2024-01-01 05:00"], "VARCHAR") == [(column.null, False)]
    assert column.code("2024-01-01 05:00") == column.null
    assert column.code("2024-01-01 06:00") == 6


def test_an_hour_that_is_left_out_and_one_that_comes_twice():
    autumn = COLUMNS["autumn"]
    twice = [dt.datetime(2024, 11, 3, hour, 30, tzinfo=dt.UTC) for hour in (5, 6)]
    fall = timestamps("2024-11-02", "2024-11-04", step="30min", zone="America/New_York")
    assert fall.code(twice[0]) == fall.code(twice[1]) == fall.code("2024-11-03 01:30")
    assert SPRING.value(SPRING.code("2024-03-31 02:30")) == dt.datetime(2024, 3, 31, 2, 30)  # noqa: DTZ001
    assert autumn.code("soon") == autumn.code("2024-10-27")


@pytest.mark.parametrize("column", COLUMNS.values())
def test_a_column_of_times_comes_back_from_its_description(column):
    assert described(column.describe()) == column


@pytest.mark.parametrize(
    "make",
    [
        lambda: timestamps("2024-01-02", "2024-01-01"),
        lambda: timestamps("2024-01-01", "2024-01-02", step="7s"),
        lambda: timestamps("2024-01-01", "2024-01-02", step="0s"),
        lambda: timestamps("2024-01-01", "2024-01-02", step="2d"),
        lambda: timestamps("2024-01-01", "2024-01-02", step=60),  # type: ignore[arg-type]
        lambda: timestamps("2024-01-01 00:30", "2024-01-02", step="1h"),
        lambda: timestamps("2024-01-01", "2024-01-02", zone="Mars/Olympus"),
        lambda: timestamps("2024-01-01", "2024-01-02", zone="../etc/passwd"),
        lambda: timestamps("2024-01-01", "2024-01-02", zone=3),  # type: ignore[arg-type]
        lambda: timestamps("2024-01-01", "2024-01-02", missing="2025-01-01"),
        lambda: timestamps("2024-01-01Z", "2024-01-02"),
        lambda: timestamps("2024-01-01 00:00Z", "2024-01-02"),
        lambda: timestamps("0001-01-01", "9999-12-31", step="1us"),
        lambda: timestamps("2024-01-01", "2024-01-02", null=3),  # type: ignore[arg-type]
        lambda: timestamps(5, "2024-01-02"),  # type: ignore[arg-type]
    ],
)
def test_a_column_of_times_that_makes_no_sense_is_refused(make):
    with pytest.raises(InvalidInput):
        make()
