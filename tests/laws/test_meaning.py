"""What a question means is what the engine's own SQL says of the same sanitised rows, NULL and OTHER included."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine.reference import evaluate, meets
from partita.errors import PartitaError
from partita.query import keys as keys_of
from partita.query.aggregates import Sum
from partita.query.public import PublicTable
from partita.query.schema import Table
from partita.query.sql import read
from partita.region.columns import booleans, categories, dates, decimals, integers

COLUMNS = {
    "a": integers(-3, 4),
    "b": integers(0, 2, missing=0),
    "c": decimals(-1, "1.5", step="0.5"),
    "d": categories("x", " y ", "Zé"),
    "e": categories("p", "q", other="q", missing="p"),
    "f": dates("2024-01-30", "2024-03-02"),
    "g": booleans(),
}
THINGS = Table("things", [], COLUMNS)
DOMAIN = THINGS.domain
FACTS = [{"d": "x", "w": 3, "s": "A"}, {"d": " y ", "w": -2, "s": "B"}, {"d": "OTHER", "w": None, "s": None}]
NUMBERS = [{"v": -1, "y": "x"}, {"v": 2, "y": None}, {"v": None, "y": "q"}]
PUBLIC = {"facts": PublicTable("facts", FACTS, key="d"), "numbers": PublicTable("numbers", NUMBERS, key="v")}

CONDITIONS = (
    "a > 1", "-1 >= a", "a = 1.5", "c < 0.3", "NOT a IN (1, NULL)", "a NOT IN (2, 3)", "b BETWEEN 1 AND 2",
    "a NOT BETWEEN 0 AND 2", "a % 2 BETWEEN 0 AND NULL", "NOT (ABS(a) BETWEEN NULL AND 1)", "g", "NOT NOT g",
    "g IS NOT TRUE", "(a > 1) IS NULL", "a IS DISTINCT FROM 1", "a IS NOT DISTINCT FROM b", "NULL IS DISTINCT FROM a",
    "(b IS NOT DISTINCT FROM NULL) IS DISTINCT FROM (f + 1 <> '2024-02-29')", "(a > 1) IS NOT DISTINCT FROM (a < 3)",
    "a IN (SELECT v FROM numbers WHERE y IS NOT DISTINCT FROM NULL)", "a % 2 IS DISTINCT FROM NULL",
    "d IS NOT DISTINCT FROM 'x'", "d <> 'x'", "d LIKE 'x%'", "d NOT LIKE '_'", "d ILIKE 'ZÉ'", "d NOT ILIKE 'zé'",
    "UPPER(d) NOT LIKE 'X'", "TRIM(d) NOT LIKE '%y%'", "e NOT ILIKE 'P'", "STRFTIME(f, '%Y-%m') NOT LIKE '%-02'",
    "LTRIM(d) = 'y '", "RTRIM(d) = ' y'", "TRIM(LEADING FROM d) = 'y '", "TRIM(d) IN ('y', 'x')", "LEFT(d, -1) = ''",
    "RIGHT(d, -1) = 'THER'", "LEFT(d, 2) = ' y'", "RIGHT(d, 1) = 'R'", "SUBSTR(d, 2, 1) = 'y'", "d || '!' = 'x!'",
    "REPLACE(d, 'x', 'y') = 'y'", "CONTAINS(d, 'y')", "STARTS_WITH(d, 'x')", "LENGTH(d) > 1",
    "COALESCE(d, 'no') = 'no'",
    "NULLIF(f, '2024-02-29') IS NULL", "f NOT IN ('2024-02-29', '2024-01-31')", "f > '2030-01-01'",
    "NOT f = DATE '2024-02-29'", "f + INTERVAL 1 MONTH > DATE '2024-03-10'", "LAST_DAY(f) = f",
    "f - 1 IN ('2024-02-28')",
    "DATE_TRUNC('month', f) = MAKE_DATE(2024, 2, 1)", "EXTRACT(dow FROM f) IN (0, 6)", "MONTH(f) <> 2",
    "f BETWEEN DATE '2024-01-31' AND DATE '2024-01-31' + INTERVAL 1 MONTH", "a // 2 = -1", "a // -2 = 0", "a % 2 = -1",
    "CASE WHEN a > 1 THEN a < 4 ELSE a > -2 END", "IF(a > 1, a < 3, a < 0)",
    "CASE a WHEN 1 THEN TRUE WHEN 2 THEN FALSE END",
    "GREATEST(a, 1) = 1", "LEAST(a, NULL) < 0", "POWER(a, 2) > 4", "a * b > c", "ABS(a) > b", "COALESCE(a > 1, TRUE)",
    "a IN (SELECT v FROM numbers)", "a NOT IN (SELECT v FROM numbers)", "a NOT IN (SELECT v FROM numbers WHERE v > 0)",
    "a IN (SELECT v FROM numbers WHERE y NOT LIKE 'q%')", "d NOT IN (SELECT d FROM facts AS q WHERE q.w > 0)",
    "a NOT IN (SELECT v FROM numbers WHERE v > 9)",
    "CASE WHEN a IN (SELECT v FROM numbers) THEN 1 ELSE 0 END IN (1, 5)", "(a, b) IN ((1, 2), (2, 0))",
)  # fmt: skip
EXPRESSIONS = (
    "a", "c", "-a", "a + b * c", "a - 0.25", "a / 4", "a // 2", "a // -2", "a % 2", "a % -3", "ABS(c)", "FLOOR(c)",
    "CEIL(c)", "ROUND(c)", "TRUNC(c)", "SIGN(a)", "GREATEST(a, 1)", "LEAST(c, 0, NULL)", "POWER(a, 3)", "c ** 2",
    "COALESCE(a, -9)", "NULLIF(a, 1)", "LENGTH(d)", "EXTRACT(doy FROM f)", "WEEK(f)", "ISODOW(f)", "QUARTER(f)",
    "f - DATE '2024-02-10'", "DATE_DIFF('month', DATE '2024-01-31', f)", "CAST(g AS INT)", "CAST(a AS DOUBLE) / 2",
    "DAY(LAST_DAY(f))", "CASE d WHEN 'x' THEN a ELSE c END",
)  # fmt: skip
KEYS = (
    "d", "UPPER(d)", "LTRIM(d)", "RTRIM(d)", "TRIM(d)", "LEFT(d, 1)", "LEFT(d, -1)", "RIGHT(d, -1)", "d NOT ILIKE 'x%'",
    "a // 2", "FLOOR(a / 2) * 2", "DATE_TRUNC('week', f)", "DATE_TRUNC('quarter', f)", "MONTHNAME(f)", "LAST_DAY(f)",
    "STRFTIME(f, '%d %b %a')", "f + INTERVAL 1 WEEK", "CASE WHEN d NOT LIKE 'x' THEN 1 ELSE 0 END", "NOT g",
    "CASE WHEN a > 1 OR d = 'x' THEN 'u' WHEN g THEN 'v' END", "COALESCE(d, 'none')", "a % 2 = 0",
    "REPLACE(d, 'x', '')",
)  # fmt: skip


def _codes() -> list[tuple[int, ...]]:
    """Some rows of the domain, the last code of each column (NULL where it has one) more often than others."""
    draw, found = Random(7), set()
    while len(found) < 400:
        found.add(tuple(draw.randrange(size) if draw.random() < 0.8 else size - 1 for size in DOMAIN.shape))
    return sorted(found)


CODES = _codes()


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE things (id INT, a INT, b INT, c DECIMAL(9, 2), d VARCHAR, e VARCHAR, f DATE, g BOOLEAN)"
    )
    rows = [[place, *DOMAIN.record(codes).values()] for place, codes in enumerate(CODES)]
    connection.executemany("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("CREATE TABLE facts (d VARCHAR, w INT, s VARCHAR)")
    connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", [list(row.values()) for row in FACTS])
    connection.execute("CREATE TABLE numbers (v INT, y VARCHAR)")
    connection.executemany("INSERT INTO numbers VALUES (?, ?)", [list(row.values()) for row in NUMBERS])
    return connection


def shown(value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case datetime():
            return value.date()
        case date():
            return value
        case int() | float() | Decimal() | Fraction():
            return round(float(value), 9)
    raise AssertionError(value)


def same_rows(plain: duckdb.DuckDBPyConnection, condition: str) -> None:
    where = read(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", [THINGS], PUBLIC).where
    meant = plain.execute(f"SELECT id FROM things WHERE {condition} ORDER BY id").fetchall()
    assert [place for place, codes in enumerate(CODES) if meets(where, codes)] == [row[0] for row in meant], condition


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_keeps_the_rows_that_it_says(plain, condition):
    same_rows(plain, condition)
    if "(a, b)" not in condition:
        same_rows(plain, f"NOT ({condition})")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_has_the_value_that_it_says(plain, expression):
    (aggregate,) = read(f"SELECT SUM({expression}) AS n FROM things", [THINGS], PUBLIC).aggregates
    assert isinstance(aggregate, Sum)
    found = [shown(evaluate(aggregate.of, codes, DOMAIN)) for codes in CODES]
    meant = plain.execute(f"SELECT {expression} FROM things ORDER BY id").fetchall()
    assert found == [shown(row[0]) for row in meant]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_puts_each_row_into_the_group_that_it_says(plain, key):
    plan = read(f"SELECT {key} AS k, COUNT(*) AS n FROM things GROUP BY {key}", [THINGS], PUBLIC)
    (made,) = plan.keys
    found = [shown(keys_of.label(made, DOMAIN, keys_of.group(made, DOMAIN, codes))) for codes in CODES]
    meant = plain.execute(f"SELECT {key} FROM things ORDER BY id").fetchall()
    assert found == [shown(row[0]) for row in meant]


SINGLE = [one for one in CONDITIONS if "(a, b)" not in one]
TOGETHER = st.recursive(
    st.sampled_from(SINGLE),
    lambda inner: st.one_of(
        inner.map("NOT ({})".format),
        st.tuples(inner, st.sampled_from(["IS TRUE", "IS NOT TRUE", "IS FALSE"])).map(
            lambda two: f"({two[0]}) {two[1]}"
        ),
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda parts: "({}) {} ({})".format(*parts)),
    ),
    max_leaves=4,
)


@settings(max_examples=60)
@given(condition=TOGETHER)
def test_conditions_put_together_keep_the_rows_that_they_say(plain, condition):
    same_rows(plain, condition)


@pytest.mark.parametrize(
    "condition",
    [
        "CASE WHEN a % 2 THEN TRUE ELSE FALSE END",
        "(a % 2) IS TRUE",
        "a IN (SELECT v FROM numbers WHERE numbers.y = things.d)",
        "b IN (SELECT things.b FROM numbers)",
        "a IN (SELECT v FROM numbers UNION ALL SELECT 3)",
        "SUBSTR(d, 1, -1) = 'x'",
        "POWER(POWER(POWER(POWER(POWER(POWER(POWER(POWER(a, 8), 8), 8), 8), 8), 8), 8), 8) > 5",
    ],
)
def test_what_would_be_taken_for_something_else_is_refused(condition):
    with pytest.raises(PartitaError):
        read(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", [THINGS], PUBLIC)


@pytest.mark.parametrize(
    ("question", "same"),
    [
        (
            "SELECT SUM(a) AS s FROM (SELECT * FROM (SELECT b AS a FROM things) AS q) AS r",
            "SELECT SUM(b) AS s FROM things",
        ),
        (
            "SELECT SUM(a) AS s FROM (SELECT q.* FROM (SELECT b AS a, a AS b FROM things) AS q WHERE b > 1) AS r",
            "SELECT SUM(b) AS s FROM things WHERE a > 1",
        ),
        (
            "WITH p AS (SELECT b AS z, d FROM things), q AS (SELECT * FROM p WHERE z > 1) SELECT SUM(z) AS s FROM q",
            "SELECT SUM(b) AS s FROM things WHERE b > 1",
        ),
        (
            "SELECT SUM(z) AS s FROM (SELECT * FROM (SELECT *, a + b AS z FROM things) AS q) AS r WHERE a > 0",
            "SELECT SUM(a + b) AS s FROM things WHERE a > 0",
        ),
        (
            "SELECT SUM(q.c) AS s FROM (SELECT e AS d, c FROM things) AS q JOIN facts USING (d)",
            "SELECT SUM(c) AS s FROM things JOIN facts ON things.e = facts.d",
        ),
        (
            "SELECT SUM(q.c) AS s FROM (SELECT d, c FROM things) AS q JOIN facts USING (d)",
            "SELECT SUM(c) AS s FROM things JOIN facts ON things.d = facts.d",
        ),
        (
            "SELECT SUM(c) AS s FROM (SELECT * FROM (SELECT d, c FROM things) AS q JOIN facts USING (d)) AS r",
            "SELECT SUM(c) AS s FROM things JOIN facts ON things.d = facts.d",
        ),
    ],
)
def test_columns_that_brackets_rename_are_those_columns_outside(question, same):
    assert read(question, [THINGS], PUBLIC).sql() == read(same, [THINGS], PUBLIC).sql()


DOUBLED = ", ".join(f"c{place} AS (SELECT x + x AS x FROM c{place - 1})" for place in range(1, 60))


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT SUM(a) AS s FROM things AS q(b, a)", "shape.columns-unclear"),
        ("SELECT SUM(w) AS s FROM things JOIN facts AS q(w, d) ON things.d = q.d", "shape.columns-unclear"),
        ("SELECT SUM(a) AS s FROM (SELECT * REPLACE (b AS a) FROM things) AS q", "shape.columns-unclear"),
        ("SELECT SUM(a) AS s FROM (SELECT * EXCLUDE (a) FROM things) AS q", "shape.columns-unclear"),
        ("SELECT SUM(a) AS s FROM (SELECT * FROM things) AS q(b, a)", "shape.columns-unclear"),
        (
            "SELECT SUM(a) AS s FROM (SELECT a, b FROM things WHERE g UNION ALL SELECT a, b FROM things) AS q(b, a)",
            "shape.columns-unclear",
        ),
        (
            "SELECT SUM(a) AS s FROM (SELECT * FROM (SELECT b AS a, d FROM things) AS q JOIN facts USING (d)) AS r",
            "shape.columns-unclear",
        ),
        ("SELECT SUM(a) AS s FROM (SELECT * FROM (SELECT b FROM things) AS q) AS r", "query.unknown-column"),
        ("SELECT SUM(c) AS s FROM (SELECT c FROM things) AS q JOIN facts USING (d)", "query.unknown-column"),
        (
            "WITH facts AS (SELECT d FROM things) SELECT COUNT(*) AS n FROM things WHERE d IN (SELECT d FROM facts)",
            "shape.name-taken",
        ),
        (f"WITH c0 AS (SELECT a AS x FROM things), {DOUBLED} SELECT SUM(x) AS s FROM c59", "query.too-much-work"),
    ],
)
def test_columns_that_are_not_worked_out_are_refused(question, code):
    with pytest.raises(PartitaError) as refusal:
        read(question, [THINGS], PUBLIC)
    assert refusal.value.code == code
