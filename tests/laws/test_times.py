"""What is asked about dates and times means what the engine's own SQL says of the same rows."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest

from partita.assay.meaning import value
from partita.engine.plain.meaning import evaluate, meets
from partita.engine.reference import _place
from partita.errors import PartitaError, QueryRefused
from partita.query.language import keys as keys_of
from partita.query.language.aggregates import Sum
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.region.columns import dates, integers, timestamps

COLUMNS = {
    "t": timestamps("2023-12-20", "2025-03-10", step="1s"),
    "u": timestamps("2024-02-27 06:00", "2024-03-04", step="15min", missing="2024-02-29"),
    "f": dates("2024-01-30", "2024-03-02"),
    "b": dates("1919-12-30", "2012-03-01"),
    "a": integers(-3, 4),
}
THINGS = Table("things", [], COLUMNS)
DOMAIN = THINGS.domain
BERLIN = "(t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')"
CONDITIONS = (
    "t > '2024-03-04'", "t = '2024-02-29'", "t <= '2024-03-04 10:00'", "t BETWEEN '2024-03-04' AND '2024-03-10'",
    "t < TIMESTAMP '2024-02-29 12:30:15'", "DATE '2024-03-01' <= t", "t IN ('2024-02-29', '2024-03-01 00:00:01')",
    "t NOT BETWEEN DATE '2024-02-01' AND TIMESTAMP '2024-02-29 01:00'", "t IS NULL", "t <> '2024-02-29 00:00:00'",
    "t >= '2024-03-04 10:00:00.5'", "u = '2024-02-29 00:15'", "u > '2024-02-29 00:07'",
    "HOUR(t) BETWEEN 9 AND 17", "EXTRACT(hour FROM t) = 0", "MINUTE(t) < 5", "DAYOFWEEK(t) IN (0, 6)",
    "YEAR(t) = 2024", "MONTH(t) <> 2", "CAST(t AS DATE) = '2024-02-29'",
    "t::DATE BETWEEN '2024-02-28' AND '2024-03-01'",
    "DATE_TRUNC('month', t) = '2024-03-01'", "DATE_TRUNC('week', t) >= DATE '2024-03-04'",
    "DATE_TRUNC('quarter', t) IN ('2024-01-01', '2025-01-01')", "DATE_TRUNC('hour', t) = '2024-02-29 00:00'",
    "YEAR(t) >= 2024 AND MONTH(t) = 2", "t > u", "t - u > INTERVAL 1 DAY", "u - t <= INTERVAL '36 hours'",
    "t + INTERVAL 1 DAY > '2024-03-01'", "t - INTERVAL 90 MINUTE >= u", "DATE_DIFF('day', u, t) > 3",
    "CAST(t AS DATE) > f", "b + INTERVAL 18 YEAR <= f",
    "f BETWEEN b + INTERVAL 18 YEAR AND b + INTERVAL 65 YEAR", "f - INTERVAL 65 YEAR >= b",
    "t + INTERVAL 1 MONTH > '2024-03-29 12:00'",
    "t - INTERVAL 13 MONTH < b + INTERVAL 25 YEAR", "u + INTERVAL 1 QUARTER >= t", "b + INTERVAL 1 YEAR = f",
    "t + INTERVAL 1 MONTH <= u + INTERVAL 4 WEEK", "t >= f", "f = CAST(u AS DATE)", "b + 3 > DATE '2000-01-01'",
    "DATE_DIFF('year', b, f) >= 65", "DATE_SUB('year', b, DATE '2024-02-28') >= 65", "EPOCH(t) > 1709164800",
    "DATE_PART('hour', u) = 6", "WEEK(t) = 9", "t::DATE <> DATE '2024-02-29'", "YEAR(t) < 2024 OR t IS NULL",
    "EXTRACT(year FROM AGE(f, b)) < 40", "DATE_TRUNC('day', t) < '2024-03-01 00:00'", "MONTH(b) = 2 AND DAY(b) = 29",
    "TIME_BUCKET(INTERVAL 15 MINUTE, t) = u", "CAST(t AS TIME) BETWEEN '07:00' AND '09:59:59'",
    "t::TIME > u::TIME", "CAST(t AS TIME) >= TIME '22:00' OR t::TIME < TIME '05:00:01'",
    "COALESCE(u, t, b) < '2024-03-01'", "GREATEST(t, u) - LEAST(t, u) > INTERVAL 1 DAY",
    *(f"{what.format(BERLIN)}" for what in
      ("{} > '2024-03-31 01:00'", "CAST({} AS DATE) = '2024-10-27'", "HOUR({}) = 2", "{} > u",
       "{} - t > INTERVAL 1 HOUR", "DATE_TRUNC('month', {}) = '2024-04-01'")),
)  # fmt: skip
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia")
UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
EXPRESSIONS = (
    *(f"EXTRACT({part} FROM t)" for part in
      ("year", "quarter", "month", "week", "day", "doy", "dow", "isodow", "isoyear", "hour", "minute", "second",
       "decade", "century", "millisecond", "epoch")),
    *(f"EXTRACT({part} FROM b)" for part in ("year", "quarter", "month", "week", "day", "doy", "isoyear", "isodow")),
    *(f"DATE_DIFF('{unit}', u, t)" for unit in UNITS), *(f"DATE_DIFF('{unit}', b, f)" for unit in UNITS[3:]),
    *(f"DATE_SUB('{unit}', u, t)" for unit in UNITS[:5]), *(f"DATE_SUB('{unit}', b, f)" for unit in UNITS[3:]),
    "DATE_SUB('month', f, b)", "DATE_SUB('year', DATE '2000-02-29', b)", "EXTRACT(year FROM AGE(f, b))",
    "EXTRACT(year FROM AGE(DATE '1970-03-01', b))", "EPOCH(t - u)", "EXTRACT(epoch FROM u - t)", "f - b",
    f"EXTRACT(hour FROM {BERLIN})", f"EXTRACT(doy FROM {BERLIN})", f"DATE_DIFF('minute', t, {BERLIN})",
    "b - DATE '2000-01-01'", "DATE '2024-03-01' - f", "DATE_DIFF('day', DATE '2024-01-01', t)", "YEAR(t) - YEAR(b)",
    "CAST(t AS DATE) - f", "HOUR(t) * 60 + MINUTE(t)", "CASE WHEN t > u THEN HOUR(t) ELSE 0 END",
    "DATE_DIFF('year', b, DATE '2024-06-30')", "HOUR(t - INTERVAL 90 MINUTE)", "DAY(f + 30)", "WEEKDAY(u)",
    "DATE_DIFF('month', b, COALESCE(f, DATE '2024-02-10'))", "COALESCE(f, DATE '2024-02-10') - b",
    "DATE_DIFF('hour', LEAST(t, u), GREATEST(t, u))", "YEAR(CASE WHEN t > u THEN t ELSE u END)",
)  # fmt: skip
KEYS = (
    *(f"DATE_TRUNC('{unit}', t)" for unit in UNITS[2:]), "DATE_TRUNC('minute', u)", "DATE_TRUNC('hour', u)",
    "CAST(DATE_TRUNC('month', t) AS DATE)", "CAST(DATE_TRUNC('week', t) AS DATE)",
    "CAST(DATE_TRUNC('year', b) AS DATE)",
    "FLOOR(DATE_DIFF('year', b, f) / 10) * 10", "1900 + 10 * ((YEAR(b) - 1900) // 10)",
    "DATE_TRUNC('month', COALESCE(f, b))", "CAST(DATE_TRUNC('hour', t) AS DATE)",
    "CAST(t AS DATE)", "u::DATE", "HOUR(t)", "EXTRACT(minute FROM t)", "DAYOFWEEK(t)", "WEEK(t)", "MONTH(t)",
    "TIME_BUCKET(INTERVAL '6 hours', t)", "TIME_BUCKET(INTERVAL 45 MINUTE, u)", "TIME_BUCKET(INTERVAL 3 DAY, t)",
    "TIME_BUCKET(INTERVAL 2 MONTH, t)", "TIME_BUCKET(INTERVAL '1 week', t)", "DATE_DIFF('day', u, t)",
    "DATE_DIFF('year', b, f)", "f - b", "YEAR(b)", "u", "DATE_SUB('year', b, f)",
)  # fmt: skip


def _codes() -> list[tuple[int, ...]]:
    """Some rows: ends of days, months and years, leap days, and any others."""
    draw, found = Random(11), set()
    times = [COLUMNS["t"].code(text) for text in
             ("2024-02-29", "2024-02-28 23:59:59", "2024-03-01", "2023-12-31 23:59:59", "2024-01-01", "2024-12-30",
              "2024-12-31 12:00", "2024-03-04 10:00", "2024-03-10", "2024-02-29 12:30:15", None)]  # fmt: skip
    births = [COLUMNS["b"].code(text) for text in ("2000-02-29", "1920-02-29", "1999-12-31", "2000-02-28", None)]
    while len(found) < 500:
        row = [draw.randrange(size) if draw.random() < 0.9 else size - 1 for size in DOMAIN.shape]
        if draw.random() < 0.5:
            row[0] = draw.choice(times)
        if draw.random() < 0.3:
            row[3] = draw.choice(births)
        found.add(tuple(row))
    return sorted(found)


CODES = _codes()


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE things (id INT, t TIMESTAMP, u TIMESTAMP, f DATE, b DATE, a INT)")
    rows = [[place, *DOMAIN.record(codes).values()] for place, codes in enumerate(CODES)]
    connection.executemany("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?)", rows)
    return connection


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_on_times_keeps_the_rows_that_it_says(plain, condition):
    for text in (condition, f"NOT ({condition})"):
        where = read(f"SELECT COUNT(*) AS n FROM things WHERE {text}", [THINGS]).where
        meant = plain.execute(f"SELECT id FROM things WHERE {text} ORDER BY id").fetchall()
        assert [place for place, codes in enumerate(CODES) if meets(where, codes)] == [row[0] for row in meant], text


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_number_made_of_times_is_what_it_says(plain, expression):
    (aggregate,) = read(f"SELECT SUM({expression}) AS n FROM things", [THINGS]).aggregates
    assert isinstance(aggregate, Sum)
    meant = plain.execute(f"SELECT {expression} FROM things ORDER BY id").fetchall()
    found = [evaluate(aggregate.of, codes, DOMAIN) for codes in CODES]
    assert found == [None if row[0] is None else Fraction(row[0]) for row in meant]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_made_of_times_has_the_labels_that_it_says(plain, key):
    (read_key,) = read(f"SELECT {key} AS k, COUNT(*) AS n FROM things GROUP BY {key}", [THINGS]).keys
    meant = plain.execute(f"SELECT {key} FROM things ORDER BY id").fetchall()
    found = [keys_of.label(read_key, DOMAIN, _place(read_key, DOMAIN, codes)) for codes in CODES]
    assert [shown(value) for value in found] == [shown(row[0]) for row in meant]
    if key.startswith(("DATE_TRUNC", "TIME_BUCKET")):
        assert all(value is None or isinstance(value, datetime) for value in found)


def shown(value: Any) -> Any:
    return datetime(value.year, value.month, value.day) if type(value) is date else value  # noqa: DTZ001


def test_what_lies_beyond_the_calendar_is_no_key_and_still_a_number():
    far = "SELECT DATE_TRUNC('day', t + INTERVAL 9000000 DAY) AS k, COUNT(*) AS n FROM things GROUP BY 1"
    with pytest.raises(QueryRefused):
        read(far, [THINGS])
    late = read("SELECT SUM(YEAR(t + INTERVAL 9000000 DAY)) AS n FROM things", [THINGS]).aggregates[0]
    assert isinstance(late, Sum)
    assert evaluate(late.of, CODES[0], DOMAIN) == value(late.of, DOMAIN)(CODES[0])


@pytest.mark.parametrize(
    "condition",
    ["t >= '2024-03-04' AND t < '2024-03-05'", "YEAR(t) = 2024", "CAST(t AS DATE) = '2024-02-29'",
     "DATE_TRUNC('month', t) = '2024-03-01'", "t::DATE BETWEEN '2024-02-28' AND '2024-03-01'"],
)  # fmt: skip
def test_a_window_of_time_is_a_region_and_nothing_else_is_tested(condition):
    where = read(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", [THINGS]).where
    assert not where.tests
    assert not where.region.whole


@pytest.mark.parametrize("declared", ZONES)
@pytest.mark.parametrize("other", ZONES)
def test_clocks_of_another_zone_show_what_the_zone_database_says(declared, other):
    column = timestamps("2009-12-01", "2012-02-01", step="30min", zone=declared)
    table = Table("things", [], {"t": column})
    question = f"SELECT SUM(EPOCH(t AT TIME ZONE '{other}')) AS n FROM things"
    (asked,) = read(question, [table]).aggregates
    assert isinstance(asked, Sum)
    nights = ("2010-03-14", "2010-03-28", "2010-04-04", "2010-10-03", "2010-10-31", "2010-11-07", "2011-12-30")
    near = {column.code(night) + step for night in nights for step in range(-50, 50)}
    for code in sorted(near | set(Random(3).sample(range(column.size - 1), 100))):
        local = column.value(code)
        assert local is not None
        shown = local.replace(tzinfo=ZoneInfo(declared)).astimezone(ZoneInfo(other)).replace(tzinfo=None)
        assert evaluate(asked.of, (code,), table.domain) == (shown - datetime(1970, 1, 1)) // timedelta(seconds=1)  # noqa: DTZ001


@pytest.mark.parametrize(
    "time", ["t AT TIME ZONE 'Mars/Base'", "t AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'UTC'", "f AT TIME ZONE 'UTC'"]
)
def test_zones_that_do_not_exist_or_are_not_clear_are_refused(time):
    with pytest.raises(PartitaError, match="zone"):
        read(f"SELECT COUNT(*) AS n FROM things WHERE {time} > '2024-03-01'", [THINGS])
