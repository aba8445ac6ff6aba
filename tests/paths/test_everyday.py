"""Questions as people first write them mean what they mean to plain DuckDB, and are answered so at a great price."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import partita as pt

DRAWN = Random(17)
REGIONS = ("north", "south", "east", "west")
NOTES = ("ok then", "bad one", "http://shop.example/cart?id=7", "Ward 7B", "see #12, #13")


def _visit(place: int) -> dict[str, Any]:
    moment = dt.datetime(2025, 1, 1) + dt.timedelta(seconds=DRAWN.randrange(365 * 86_400))  # noqa: DTZ001
    return {
        "patient": place // 2,
        "age": DRAWN.randrange(101),
        "sex": "FM"[DRAWN.random() < 0.4],
        "region": DRAWN.choices(REGIONS, (4, 3, 2, 1))[0],
        "cost": Decimal(round(DRAWN.gammavariate(2, 50_000)) + 1) / 100,
        "day": moment.date(),
        "seen": moment,
        "note": DRAWN.choice(NOTES),
    }


VISITS = pa.Table.from_pylist([_visit(place) for place in range(2_000)])
COLUMNS = {
    "patient": pt.identifier(),
    "age": pt.integers(0, 120),
    "sex": pt.categories("F", "M"),
    "region": pt.categories(*REGIONS),
    "cost": pt.decimals("0.01", 20_000, step="0.01"),
    "day": pt.dates("2025-01-01", "2025-12-31"),
    "seen": pt.timestamps("2025-01-01", "2026-01-01", step="1s"),
    "note": pt.text_keys(),
}

SHAPES = (
    "SELECT SKEWNESS(age) AS s, SKEWNESS(cost) AS t, KURTOSIS(age) AS k, KURTOSIS_POP(age) AS p FROM visits",
    "SELECT sex, KURTOSIS(cost) FILTER (WHERE age > 20) AS k FROM visits WHERE sex IS NOT NULL GROUP BY sex",
    "SELECT GEOMEAN(age + 1) AS g, GEOMETRIC_MEAN(cost) AS m, SEM(cost) AS e, FAVG(age) AS f FROM visits",
    "SELECT BOOL_AND(age > 3) AS a, BOOL_OR(age > 99) AS b, BOOL_AND(age >= 0) AS c FROM visits",
    "SELECT MODE(region) AS r FROM visits",
    "SELECT sex, MODE(region) AS r, ENTROPY(region) AS e, AVG(cost) AS c FROM visits GROUP BY sex",
    "SELECT MODE(region) FILTER (WHERE age > 50) AS r, MODE(DATE_TRUNC('month', day)) AS m FROM visits",
    "SELECT sex, ROUND(ENTROPY(region), 2) AS e FROM visits GROUP BY sex HAVING COUNT(*) > 20 ORDER BY sex DESC",
    "SELECT QUANTILE_CONT(cost, [0.25, 0.5, 0.75]) AS q FROM visits",
    "SELECT sex, QUANTILE_CONT(age, [0.25, 0.5]) FILTER (WHERE age > 9) AS q FROM visits GROUP BY sex ORDER BY sex",
    "SELECT QUANTILE_CONT(n, [0.5, 1]) AS q FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY 1) WHERE n > 9",
)  # fmt: skip


WORDS = (
    "SELECT COUNT(*) AS n FROM visits WHERE REGEXP_MATCHES(region, '^(n|s).*th$') OR region ~ 'ea'",
    "SELECT COUNT(*) FILTER (WHERE note ~ '^http') AS a, COUNT(*) FILTER (STRPOS(note, '#') > 0) AS b FROM visits",
    "SELECT REPLACE(region, 'th', '') AS r, COUNT(*) AS n FROM visits WHERE REPLACE(note, 'ok', 'k') <> 'k' GROUP BY 1",
    "SELECT DAYNAME(seen) AS d, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT STRFTIME(seen, '%Y-%m') AS d, COUNT(*) AS n FROM visits GROUP BY 1 HAVING COUNT(*) > 0",
    "SELECT STRFTIME(seen, '%H:00') AS d, MONTHNAME(seen) AS m, COUNT(*) AS n FROM visits GROUP BY 1, 2 HAVING n > 0",
    "SELECT HOUR(seen AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') AS h, AVG(cost) AS c FROM visits GROUP BY h",
)  # fmt: skip


@pytest.fixture(scope="module")
def curator() -> pt.Curator:
    table = pt.Table("visits", source=VISITS, columns=COLUMNS)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho="1e12", delta="1e-3"))
    return pt.Curator(tables=[table], promises=[promise], ledger=":memory:")


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("visits", VISITS)
    return connection


def near(one: Any, other: Any) -> bool:
    """Equal but for the noise that a great price leaves; a time at midnight is its day."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, int | float | Decimal) and not isinstance(one, bool) and other is not None:
        return math.isclose(one, other, rel_tol=0.01, abs_tol=0.01)
    if isinstance(other, dt.datetime) and not isinstance(one, dt.datetime):
        other = other.date()
    return bool(one == other)


def answered_alike(curator: pt.Curator, plain: duckdb.DuckDBPyConnection, question: str) -> None:
    answer = curator.ask(question, rho="1e9")
    meant = plain.execute(question)
    names = [column[0] for column in meant.description]
    assert list(answer.rows()[0]) == names, question
    lines = [[row[name] for name in names] for row in answer.rows()]
    # Declared values that no row has come back with zero, and plain SQL knows nothing of them.
    lines = [line for line in lines if "OTHER" not in line and not (line[0] is None and len(line) > 1)]
    expected = [list(line) for line in meant.fetchall()]
    if "ORDER BY" not in question:
        lines, expected = sorted(lines, key=str), sorted(expected, key=str)
    assert len(lines) == len(expected), (question, lines, expected)
    for line, other in zip(lines, expected, strict=True):
        assert all(map(near, line, other)), (question, line, other)


@pytest.mark.parametrize("question", SHAPES)
def test_the_shape_of_numbers_is_what_plain_sql_says(curator, plain, question):
    answered_alike(curator, plain, question)


@pytest.mark.parametrize("question", WORDS)
def test_texts_and_times_are_what_plain_sql_says(curator, plain, question):
    answered_alike(curator, plain, question)


def test_owners_of_gathered_rows_are_counted(plain):
    """Each owner has one of these rows, so that their number is that of the rows."""
    table = pt.Table("visits", source=VISITS, columns=COLUMNS)
    promise = pt.Promise(pt.users("patient", rows=2), pt.ZCDP(rho="1e12"))
    asked = (
        "SELECT COUNT(DISTINCT patient) AS q FROM (SELECT patient, SUM(age) AS s FROM visits GROUP BY 1) WHERE s > 90"
    )
    answered_alike(pt.Curator(tables=[table], promises=[promise], ledger=":memory:"), plain, asked)
