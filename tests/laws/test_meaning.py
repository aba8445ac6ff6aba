"""What a question means is what the engine's own SQL says of the same sanitised rows, NULL and OTHER included."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import duckdb
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from partita.engine.plain.meaning import evaluate, meets
from partita.engine.reference import _place as place
from partita.errors import PartitaError
from partita.limits import using
from partita.query.language import formulas
from partita.query.language import keys as keys_of
from partita.query.language.aggregates import Sum
from partita.query.language.plan import ValueColumn
from partita.query.sql.parse import read
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.columns import booleans, categories, dates, decimals, integers
from tests.laws.limiting import NAMES, limited

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
    "a > 1", "-1 >= a", "a = 1.5", "c < 0.3", "(NOT a IN (1, NULL)) IS NULL", "(a IN (1, NULL)) IS TRUE",
    "a NOT IN (2, 3)", "b BETWEEN 1 AND 2",
    "a NOT BETWEEN 0 AND 2", "(a % 2 BETWEEN 0 AND NULL) IS NULL", "(ABS(a) BETWEEN NULL AND 1) IS NULL", "g",
    "NOT NOT g",
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
    "a NOT IN (SELECT v FROM numbers WHERE v > 9)", "a / (b + 1) > 1", "NOT a / NULLIF(b, 0) > 1",
    "a / NULLIF(b, 0) BETWEEN -1 AND 1", "a / (c + 0.25) <= b",
    "1 < (a + 1) / NULLIF(b - 1, 0)", "GREATEST(a, b) = LEAST(b, c + 1)", "SQRT(b + c * c) < 1.2",
    "CASE WHEN a IN (SELECT v FROM numbers) THEN 1 ELSE 0 END IN (1, 5)", "(a, b) IN ((1, 2), (2, 0))",
    "LEFT(d, 1) = e", "(a > b)::INT = g::INT", "d <> e", "e = UPPER(e)", "NOT (LOWER(LEFT(d, 1)) <> e)",
    "g = (b > 1)", "e IN (LEFT(d, 1), 'p')",
    "COALESCE(f, DATE '2024-02-10') > DATE '2024-02-05'", "GREATEST(f, DATE '2024-02-10') = f",
)  # fmt: skip
EXPRESSIONS = (
    "CAST(a / 2 AS INTEGER)", "CAST(a * 0.5 AS INTEGER)", "CAST(c AS BIGINT)", "CAST(c / 1 AS INT)", "c // 2",
    "TRY_CAST(a * 60 AS TINYINT)", "CAST(a / 2 + 0.5 AS INTEGER)", "CAST(ROUND(a / 2) AS INTEGER)",
    "CAST(CASE WHEN a > 1 THEN a * 0.5 ELSE a / 2 END AS INTEGER)", "CAST(COALESCE(c, 5e-1) AS INTEGER)",
    "CAST(CAST(c AS DOUBLE) AS INTEGER)", "CAST(5 / 2 AS INTEGER) + a", "ROUND(a / 2)", "ROUND(a * 5, -1)",
    "a", "c", "-a", "a + b * c", "a - 0.25", "a / 4", "a // 2", "a // -2", "a % 2", "a % -3", "ABS(c)", "FLOOR(c)",
    "CEIL(c)", "ROUND(c)", "TRUNC(c)", "SIGN(a)", "GREATEST(a, 1)", "LEAST(c, 0, NULL)", "POWER(a, 3)", "c ** 2",
    "COALESCE(a, -9)", "NULLIF(a, 1)", "LENGTH(d)", "EXTRACT(doy FROM f)", "WEEK(f)", "ISODOW(f)", "QUARTER(f)",
    "f - DATE '2024-02-10'", "DATE_DIFF('week', DATE '2024-02-03', f)",
    "DATE_DIFF('month', DATE '2024-01-31', f)", "CAST(g AS INT)", "CAST(a AS DOUBLE) / 2",
    "DAY(LAST_DAY(f))", "ABS(a - c)", "FLOOR(a * c)", "CEIL(a - c * b)", "ABS(FLOOR(a + c) - b)",
    "CASE d WHEN 'x' THEN a ELSE c END", "a / (b + 1)", "(a + c) / (b - 0.5)", "c / NULLIF(a, 0)",
    "(a - c) / NULLIF(a + c * 2, 0)",
    "LEAST(a, b, c)", "GREATEST(a - b, c)", "LEAST(a, NULL, c)", "ROUND(a * c / 3, 1)", "ROUND(a / (b + 1), 2)",
    "TRUNC(a * c - b * 0.3)", "SIGN(a - b)", "(a * b) % 3", "(a - b) // 2", "CAST((a + b) / 2 AS INTEGER)",
    "CAST(a * c AS INTEGER)", "CAST(a * b AS DOUBLE) / 2", "NULLIF(a, b)", "POWER(a - b, 2)", "POWER(b + 1, -1)",
    "SQRT(b + c * c)", "LN(b + 1)", "LN(2 + c + a * a)", "LOG10(b + 0.5)", "LOG2(b + 1)", "EXP(a - b)",
"SQRT(b) + ABS(a - c) / 4",
    "a * 7 - (a * 7) % 5", "(a > b)::INT", "CAST(NOT (a = 1 OR c > 0) AS INTEGER)",
    "TRY_CAST(REPLACE(d, 'x', '7') AS INTEGER)",
    "LEAST(f, DATE '2024-02-10') - DATE '2024-02-01'",
    "CASE WHEN a > 0 THEN f WHEN a = 0 THEN NULL ELSE DATE '2024-02-03' END - DATE '2024-02-01'",
)  # fmt: skip
KEYS = (
    "CAST(a AS VARCHAR)", "CAST(a / 2 AS INTEGER)",
    "d", "UPPER(d)", "LTRIM(d)", "RTRIM(d)", "TRIM(d)", "LEFT(d, 1)", "LEFT(d, -1)", "RIGHT(d, -1)", "d NOT ILIKE 'x%'",
    "a // 2", "FLOOR(a / 2) * 2", "DATE_TRUNC('week', f)", "DATE_TRUNC('quarter', f)", "MONTHNAME(f)", "LAST_DAY(f)",
    "STRFTIME(f, '%d %b %a')", "f + INTERVAL 1 WEEK", "CASE WHEN d NOT LIKE 'x' THEN 1 ELSE 0 END", "NOT g",
    "CASE WHEN a > 1 OR d = 'x' THEN 'u' WHEN g THEN 'v' END", "COALESCE(d, 'none')", "a % 2 = 0",
    "REPLACE(d, 'x', '')", "CASE WHEN a / (b + 1) > 1 THEN 'u' WHEN a > c THEN 'v' END", "a > b", "GREATEST(a, b)",
    "ROUND(a * c)", "3 * FLOOR((a - b) / 2) + 1", "STRFTIME(f, '%W %U')", "a - a % 3", "ROUND(a * b * 7, -1)",
    "CAST(DATE_TRUNC('month', f) AS DATE)",
    "CAST(DATE_TRUNC('week', f) AS DATE)", "-2 * (a + b)", "(a - b) // 2 * 2", "(a + b) - (a + b) % 3",
    "DATE_TRUNC('week', COALESCE(f, DATE '2024-02-10'))", "CAST(DATE_TRUNC('quarter', f + INTERVAL 1 WEEK) AS DATE)",
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
    same_values(plain, expression)


def same_values(plain: duckdb.DuckDBPyConnection, expression: str) -> None:
    (aggregate,) = read(f"SELECT SUM({expression}) AS n FROM things", [THINGS], PUBLIC).aggregates
    assert isinstance(aggregate, Sum)
    found = [shown(evaluate(aggregate.of, codes, DOMAIN)) for codes in CODES]
    meant = [shown(row[0]) for row in plain.execute(f"SELECT {expression} FROM things ORDER BY id").fetchall()]
    # Quotients, roots and logarithms have eight digits of their largest value.
    most = max((abs(value) for value in meant if value is not None), default=0)
    assert [value is None for value in found] == [value is None for value in meant]
    assert all(one == other or abs(one - other) <= most * 1e-7 for one, other in zip(found, meant, strict=True))


def arithmetic(column: str) -> st.SearchStrategy[str]:
    """Arithmetic on one column and constants of every kind of number."""
    signs = st.sampled_from(["+", "-", "*", "//", "%", "/"])
    found = st.recursive(
        st.sampled_from([column, column, "2", "-3", "0.5", "2.5", "5e-1"]),
        lambda inner: st.one_of(
            st.tuples(inner, signs, inner).map(lambda parts: "({} {} {})".format(*parts)),
            st.tuples(st.sampled_from(["ABS", "ROUND", "FLOOR"]), inner).map(lambda parts: "{}({})".format(*parts)),
            st.tuples(inner, st.sampled_from(["DOUBLE", "INTEGER"])).map(lambda two: f"CAST({two[0]} AS {two[1]})"),
            st.tuples(st.sampled_from(["COALESCE", "GREATEST"]), inner, inner).map(
                lambda three: "{}({}, {})".format(*three)
            ),
            st.tuples(inner, inner).map(lambda two: f"CASE WHEN {column} > 0 THEN {two[0]} ELSE {two[1]} END"),
        ),
        max_leaves=4,
    )
    return found.filter(lambda text: column in text.replace("CASE", "").replace("CAST", ""))


@settings(max_examples=150)
@given(number=st.sampled_from(["a", "c"]).flatmap(arithmetic), kind=st.sampled_from(["INTEGER", "VARCHAR"]))
def test_a_cast_of_any_arithmetic_is_the_cast_of_the_engine(plain, number, kind):
    """Halves are rounded by the type of what is cast, and numbers are written by their type."""
    try:
        same_groups(plain, f"CAST({number} AS {kind})")
    except PartitaError as problem:
        # What is not understood is refused: numbers that are not whole as text.
        event(problem.code)
    except duckdb.Error:
        # A division by zero, or a number too large.
        event("the engine has no value")


@pytest.mark.parametrize("key", KEYS)
def test_a_key_puts_each_row_into_the_group_that_it_says(plain, key):
    same_groups(plain, key)


def same_groups(plain: duckdb.DuckDBPyConnection, key: str) -> None:
    plan = read(f"SELECT {key} AS k, COUNT(*) AS n FROM things GROUP BY {key}", [THINGS], PUBLIC)
    (made,) = plan.keys
    found = [shown(keys_of.label(made, DOMAIN, place(made, DOMAIN, codes))) for codes in CODES]
    meant = plain.execute(f"SELECT {key} FROM things ORDER BY id").fetchall()
    assert found == [shown(row[0]) for row in meant]


FORMULAS = (
    "ROUND(n / 2)", "CAST(n / 2 AS INTEGER)", "CAST(n * 0.5 AS INTEGER)", "ROUND(n * 5, -1)", "ROUND(n / 8, 2)",
    "CAST(ROUND(n / 2) AS BIGINT)", "FLOOR(n / 2)", "CEIL(n / 2)", "CAST(n AS INTEGER)", "ROUND(n / 2, 1)",
    "CAST(CASE WHEN n > 2 THEN n * 0.5 ELSE n / 2 END AS INTEGER)",
)  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_of_released_numbers_has_the_value_that_it_says(plain, formula):
    asked = re.sub(r"\bn\b", "COUNT(*)", formula)
    (column,) = read(f"SELECT {asked} AS x FROM things", [THINGS]).shown
    assert isinstance(column, ValueColumn)
    for number in range(-11, 12):
        (meant,) = plain.execute(f"SELECT {formula} FROM (SELECT {number}::BIGINT AS n)").fetchall()[0]
        found = formulas.evaluate(column.formula, lambda leaf, number=number: number)
        assert found == float(meant), number
        assert isinstance(found, int) is isinstance(meant, int) or not formula.startswith("CAST"), number


@pytest.mark.parametrize("most", ["0", "1", "2", "mixed"])
def test_what_is_read_in_another_way_means_the_same(plain, most):
    """Where limits bind, a question is read as tests of every row, or by another rule, or not at all."""
    rng, understood = Random(most), 0
    for same, texts in ((same_rows, CONDITIONS), (same_values, EXPRESSIONS), (same_groups, KEYS)):
        for text in texts:
            with using(limited(most, rng)):
                try:
                    same(plain, text)
                except PartitaError:
                    continue
                understood += 1
    assert understood > 30


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


@settings(max_examples=80)
@given(condition=TOGETHER, most=st.sampled_from(NAMES), mixing=st.integers(0, 2**32))
def test_conditions_put_together_keep_the_rows_that_they_say(plain, condition, most, mixing):
    with using(limited(most, Random(mixing))):
        try:
            same_rows(plain, condition)
        except PartitaError:
            assert most != "default"


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
        ("SELECT SUM(c) AS s FROM main.things WHERE main.things.a > 1", "SELECT SUM(c) AS s FROM things WHERE a > 1"),
        ("SELECT SUM(c) AS s FROM db.main.things AS q WHERE q.a > 1", "SELECT SUM(c) AS s FROM things WHERE a > 1"),
        (
            "SELECT SUM(c) AS s FROM things, facts WHERE things.d = facts.d AND w > 1 AND a > 0",
            "SELECT SUM(c) AS s FROM things JOIN facts ON things.d = facts.d WHERE w > 1 AND a > 0",
        ),
        (
            "SELECT s AS k, COUNT(*) AS n FROM things t, main.facts f WHERE f.d = t.e GROUP BY 1",
            "SELECT s AS k, COUNT(*) AS n FROM things t JOIN facts f ON f.d = t.e GROUP BY s",
        ),
        (
            "SELECT COUNT(*) AS n FROM things JOIN numbers ON a = v WHERE y = 'x'",
            "SELECT COUNT(*) AS n FROM things JOIN numbers ON things.a = numbers.v WHERE y = 'x'",
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
        ("SELECT COUNT(*) AS n FROM other.things", "query.unknown-table"),
        ("SELECT COUNT(*) AS n FROM things JOIN other.facts USING (d)", "public.unknown-join"),
        ("SELECT COUNT(*) AS n FROM things, facts WHERE a > 1", "public.join-condition"),
        ("SELECT COUNT(*) AS n FROM things JOIN facts ON d = e", "public.join-condition"),
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
