"""One evaluator: in the real engine, the SQL of a region and of a column agree with membership and code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from partita.limits import Limits, using
from partita.region import Domain, Region, booleans, categories, dates, decimals, integers
from partita.region.columns import Bounded, Operator
from partita.region.dialects.duckdb import DUCKDB
from partita.region.predicate import And, Between, Compare, In, IsNull, IsTrue, Known, Not, Or, Unknown

FLOATS = [
    *(None, math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.5, 2.5, -0.5, 0.005, 0.015, 0.025, 12.345, 99.995),
    *(1e300, -1e300, 5e-324, 119.5, 120.49999, 120.5, 1e17, 0.29, 0.49999999999999994, 7.0000001),
]
TEXTS = [
    *(None, "", " ", "12", " 12 ", "+3", "-3", "12.5", ".5", "5.", "1e2", "1e400", "-1e400", "nan", "inf", "0x10"),
    *(
        "1_000",
        "twelve",
        "12abc",
        "2025-02-28",
        "2025-02-30",
        "2025-03-01T10:00",
        "2025-03-01 10:00:00.5",
        "0000-01-01",
    ),
    *("2025-3-1", "9999-12-31", "F", "f", "OTHER", "M", "true", "T", "yes", "no", "0", "1", "Ja", "12\n", "12"),
]
INTEGERS = [None, 0, 1, -1, 5, 7, 12, 119, 120, 121, 2**31 - 1, -(2**31), 2**62, -(2**62)]
HUGE = [None, 0, 7, 2**100, -(2**100)]
DECIMALS = [None, Decimal("0.00"), Decimal("0.01"), Decimal("12.35"), Decimal("-5.55"), Decimal("999999.99")]
DAYS = [None, date(2025, 1, 1), date(2024, 12, 31), date(2025, 6, 15), date(2026, 1, 1), date(1, 1, 1)]
TIMES = [None, datetime(2025, 1, 1, 23, 59), datetime(2025, 12, 31, 0, 0), datetime(1999, 1, 1)]  # noqa: DTZ001
ZONED = [
    None,
    datetime(2025, 1, 1, 23, 30, tzinfo=timezone(timedelta(hours=-3))),
    datetime(2025, 6, 1, 0, 30, tzinfo=timezone(timedelta(hours=5))),
    datetime(2025, 6, 1, 12, 0, tzinfo=UTC),
]
STORED = {
    "DOUBLE": FLOATS,
    "VARCHAR": TEXTS,
    "BIGINT": INTEGERS,
    "HUGEINT": HUGE,
    "DECIMAL(12,2)": DECIMALS,
    "DATE": DAYS,
    "TIMESTAMP": TIMES,
    "TIMESTAMP WITH TIME ZONE": ZONED,
    "BOOLEAN": [None, True, False],
}
COLUMNS = {
    "integers": integers(0, 120),
    "integers around zero": integers(-7, 7, missing=0),
    "decimals": decimals(0, 100, step="0.01"),
    "steps of five": decimals(-20, 120, step=5),
    "steps of five halves": decimals(-10, 10, step="2.5", missing=5),
    "categories": categories("F", "M", "12", "true"),
    "categories with missing": categories("F", "OTHER", missing="F"),
    "dates": dates("2025-01-01", "2025-12-31"),
    "dates with missing": dates("2025-01-01", "2025-12-31", missing="2025-07-01"),
    "booleans": booleans(),
    "booleans with missing": booleans(missing=True),
}


ENGINES: dict[str, duckdb.DuckDBPyConnection] = {}


def engine(zone: str) -> duckdb.DuckDBPyConnection:
    """One engine for all examples: to start one takes longer than to ask it. Each example makes its tables anew."""
    if zone not in ENGINES:
        ENGINES[zone] = duckdb.connect()
        ENGINES[zone].execute(f"SET TimeZone = '{zone}'")
    return ENGINES[zone]


@pytest.fixture(scope="module", autouse=True)
def engines_are_closed() -> Iterator[None]:
    yield
    while ENGINES:
        ENGINES.popitem()[1].close()


def in_a_table(zone: str, kind: str, values: list[object]) -> duckdb.DuckDBPyConnection:
    connection = engine(zone)
    connection.execute(f"CREATE OR REPLACE TABLE t (i INTEGER, v {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [[i, v] for i, v in enumerate(values)])
    return connection


def sanitised_code(column: Bounded, value: object) -> int:
    """The code of an already sanitised value as the engine returned it."""
    if value is None:
        assert column.null is not None
        return column.null
    if column.kind == "decimals":
        return int(str(value)) - column.low  # type: ignore[attr-defined]
    return column.code(value)


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", COLUMNS)
def test_the_engine_sanitises_every_stored_value_as_code_says(name, stored):
    column = COLUMNS[name]
    connection = in_a_table("America/Caracas", stored, STORED[stored])
    sql = DUCKDB.mapped(column.sanitise(exp.column("v"), stored))
    found = connection.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()
    assert [sanitised_code(column, row[0]) for row in found] == [column.code(v) for v in STORED[stored]]


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", COLUMNS)
def test_the_engine_tells_declared_values_from_others_as_within_says(name, stored):
    """What is stood in for, clamped or unlisted has a code like any other, and only ``within`` knows it."""
    column = COLUMNS[name]
    connection = in_a_table("America/Caracas", stored, STORED[stored])
    sql = DUCKDB.mapped(column.is_within(exp.column("v"), stored))
    found = connection.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()
    assert [row[0] for row in found] == [column.within(v) for v in STORED[stored]]


WITHIN = {
    "integers": ([0, 120, "12", 119.6, True], [-1, 121, 120.4, -0.1, math.nan, None, "twelve", math.inf, "1e400"]),
    "steps of five halves": ([-10, 2.4, Decimal(10)], [-11, 10.1, None, Decimal("NaN")]),
    "categories with missing": (["F", "OTHER"], ["M", "f", None, math.nan, 7]),
    "categories": (["F", 12, True], ["OTHER", False, None]),
    "dates with missing": (
        ["2025-01-01", "2025-12-31T23:59", date(2025, 7, 1), datetime(2025, 3, 1, 9, 30)],  # noqa: DTZ001
        ["2024-12-31", "2026-01-01", "2025-02-30", "soon", None, date(2024, 12, 31), 20250301],
    ),
    "booleans with missing": ([True, 0, "Yes", 2.5], ["maybe", None, math.nan]),
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_value_is_within_a_column_if_it_is_declared(name):
    inside, outside = WITHIN[name]
    assert [value for value in (*inside, *outside) if COLUMNS[name].within(value)] == inside


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.one_of(st.none(), st.floats(), st.floats(-30, 130)), min_size=1, max_size=60))
def test_random_floats_are_sanitised_as_code_says(values):
    connection = in_a_table("UTC", "DOUBLE", values)
    for name in ("integers", "decimals", "steps of five", "steps of five halves"):
        column = COLUMNS[name]
        sql = DUCKDB.mapped(column.sanitise(exp.column("v"), "DOUBLE"))
        found = connection.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()
        assert [sanitised_code(column, row[0]) for row in found] == [column.code(v) for v in values]


DOMAIN = Domain(
    {
        "age": integers(0, 20),
        "sex": categories("F", "M"),
        "cost": decimals(0, 2, step="0.25", missing=0),
        "day": dates("2025-01-30", "2025-02-03"),
        "smokes": booleans(),
    }
)
STORED_TYPES = {"age": "DOUBLE", "sex": "VARCHAR", "cost": "VARCHAR", "day": "DATE", "smokes": "BOOLEAN"}
operators = st.sampled_from(list(Operator))
equality = st.sampled_from([Operator.EQUAL, Operator.DIFFERENT])
ages = st.one_of(st.integers(-2, 23), st.sampled_from([4.5, "7", None]))
days = st.sampled_from(["2025-01-29", "2025-01-31", "2025-02-03", date(2025, 2, 1), None])
sexes = st.sampled_from(["F", "M", "OTHER", None])
costs = st.sampled_from(["0.25", "0.3", 1, "1.75", -1, 5])
leaves = st.one_of(
    st.builds(Compare, st.just("age"), operators, ages),
    st.builds(Compare, st.just("cost"), operators, costs),
    st.builds(Compare, st.just("day"), operators, days),
    st.builds(Compare, st.just("sex"), equality, sexes),
    st.builds(Compare, st.just("smokes"), equality, st.booleans()),
    st.builds(In, st.just("sex"), st.lists(sexes, min_size=1, max_size=3).map(tuple)),
    st.builds(In, st.just("age"), st.lists(ages, min_size=1, max_size=4).map(tuple)),
    st.tuples(st.integers(-2, 10), st.integers(10, 23)).map(lambda ends: Between("age", *ends)),
    st.builds(IsNull, st.sampled_from(["age", "sex", "day", "smokes", "cost"])),
    st.builds(Known, st.sampled_from([True, False, None])),
)
predicates = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(IsTrue, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=8,
)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.one_of(st.none(), st.just(math.nan), st.just(math.inf), st.floats(-3, 24)),
            "sex": st.sampled_from([None, "F", "M", "X", ""]),
            "cost": st.sampled_from([None, "", "0.25", "0.3", "1.1", "7", "-1", "many"]),
            "day": st.one_of(st.none(), st.dates(date(2025, 1, 25), date(2025, 2, 8))),
            "smokes": st.sampled_from([None, True, False]),
        }
    ),
    min_size=1,
    max_size=12,
)


def stored(data: list[dict[str, object]]) -> duckdb.DuckDBPyConnection:
    """The rows in the engine, behind the sanitising projection."""
    connection = engine("UTC")
    declared = ", ".join(f"{name} {kind}" for name, kind in STORED_TYPES.items())
    connection.execute(f"CREATE OR REPLACE TABLE raw (i INTEGER, {declared})")
    connection.executemany(
        "INSERT INTO raw VALUES (?, ?, ?, ?, ?, ?)",
        [[i, *(row[name] for name in STORED_TYPES)] for i, row in enumerate(data)],
    )
    projected = ", ".join(
        DUCKDB.mapped(DOMAIN.columns[name].sanitise(exp.column(name), kind).as_(name))
        for name, kind in STORED_TYPES.items()
    )
    connection.execute(f"CREATE OR REPLACE VIEW clean AS SELECT i, {projected} FROM raw")
    return connection


def literal(column: str, value: object) -> str:
    """A literal of the oracle's SQL, on sanitised values (a decimal counts its units)."""
    if value is None:
        return "NULL"
    if column == "cost":
        return str(Decimal(str(value)) / Decimal("0.25"))
    return f"'{value}'" if isinstance(value, str | date) else str(value)


def oracle(predicate: object) -> str:
    """The predicate written out in SQL, for the engine to evaluate in its own three-valued logic."""
    match predicate:
        case Compare(column, operator, value):
            return f"({column} {operator.value} {literal(column, value)})"
        case In(column, members):
            return f"({column} IN ({', '.join(literal(column, member) for member in members)}))"
        case Between(column, low, high):
            return f"({column} BETWEEN {literal(column, low)} AND {literal(column, high)})"
        case IsNull(column):
            return f"({column} IS NULL)"
        case Known(truth):
            return "CAST(NULL AS BOOLEAN)" if truth is None else str(truth)
        case Not(part):
            return f"(NOT {oracle(part)})"
        case IsTrue(part):
            return f"({oracle(part)} IS TRUE)"
        case And(parts):
            return "(" + " AND ".join(oracle(part) for part in parts) + ")"
        case Or(parts):
            return "(" + " OR ".join(oracle(part) for part in parts) + ")"
    raise AssertionError(predicate)


@settings(max_examples=150, deadline=None)
@given(predicate=predicates, data=rows)
def test_the_engine_keeps_exactly_the_rows_that_the_region_holds(predicate, data):
    region = predicate.region(DOMAIN)
    connection = stored(data)
    held = [i for i, row in enumerate(data) if row in region]
    kept = connection.execute(f"SELECT i FROM clean WHERE {region.to_sql()} ORDER BY i").fetchall()
    assert [row[0] for row in kept] == held
    meant = connection.execute(f"SELECT i FROM clean WHERE {oracle(predicate)} ORDER BY i").fetchall()
    assert [row[0] for row in meant] == held


@settings(max_examples=150, deadline=None)
@given(predicate=predicates, data=rows, most=st.sampled_from([0, 1, 2, 2048]))
def test_what_is_not_understood_never_makes_a_region_smaller_than_the_rows_read(predicate, data, most):
    """Some leaves are hidden behind an expression; the region of the rest must hold every row that is read."""
    hidden = Or((And((predicate, Unknown("age * age > 9"))), Not(Unknown("age * age > 25"))))
    sql = f"({oracle(predicate)} AND age * age > 9) OR NOT (age * age > 25)"
    connection = stored(data)
    read = {row[0] for row in connection.execute(f"SELECT i FROM clean WHERE {sql}").fetchall()}
    with using(Limits(boxes=most)):
        region = hidden.region(DOMAIN)
        parsed = Region.where(sql.replace("cost ", "cost + 0 "), DOMAIN)
    held = {i for i, row in enumerate(data) if row in region}
    assert read <= held
    assert read <= {i for i, row in enumerate(data) if row in parsed}


def test_numpy_scalars_are_read_like_plain_numbers():
    age = integers(0, 120)
    assert age.code(np.int32(7)) == age.code(np.float32(7)) == age.code(7)
    assert age.code(np.float64("nan")) == age.null
    assert booleans().code(np.bool_(True)) == 1
