"""Random questions and random rows, hostile ones included, for the tests of queries and engines."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from functools import lru_cache
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import strategies as st
from sqlglot import exp

from partita.engine.duckdb import DuckDB
from partita.errors import Caution, InvalidInput
from partita.query.tables.schema import Table
from partita.region.columns import booleans, categories, dates, decimals, identifier, integers, text_keys, timestamps

COLUMNS = {
    "who": identifier(),
    "a": integers(-3, 5),
    "b": integers(0, 4, missing=2),
    "c": decimals(-1, "1.5", step="0.25"),
    "d": categories("x", "y", "z"),
    "e": categories("p", "q", other="q", missing="p"),
    "f": dates("2024-01-30", "2024-03-02"),
    "g": booleans(),
    # A night in which an hour is left out.
    "h": timestamps("2024-03-30 22:00", "2024-03-31 05:00", step="30min", zone="Europe/Berlin"),
    "t": text_keys(),
}


def table(rows: Any = ()) -> Table:
    return Table("things", rows if not isinstance(rows, tuple) else list(rows), COLUMNS)


NUMERIC = ("a", "b", "c")
KEYS = (
    "a", "b", "d", "e", "g", "BUCKET(a, 2)", "BUCKET(c, 0.5)", "DATE_TRUNC('month', f)", "f",
    "EXTRACT(dow FROM f)", "UPPER(d)", "a % 2", "CASE WHEN a > 2 THEN 'high' WHEN b > 1 OR d = 'x' THEN 'low' END",
    "DATE_TRUNC('hour', h)", "HOUR(h)", "TIME_BUCKET(INTERVAL 2 HOUR, h)", "CAST(h AS DATE)",
    "a > 1 AND d <> 'x'", "CASE d WHEN 'x' THEN 1 ELSE 2 END",
)  # fmt: skip
NUMBERS = ("-2", "0", "1", "2", "3", "0.5", "-0.25", "1.75")


@lru_cache(maxsize=None, typed=True)
def among(*values: Any) -> st.SearchStrategy[Any]:
    """One of the values, by one strategy for all examples: Hypothesis looks each new one over before it draws."""
    return st.sampled_from(values)


COMPARED = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])


def _asked(comparison: str) -> str:
    """What compares with the word NULL may be true of no row, and is refused where it is a condition by itself."""
    return f"({comparison}) IS NOT FALSE" if "NULL" in comparison else comparison


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    """A condition as text."""
    kinds = ["plain", "plain", "plain", "null", "in", "between", "text", "date", "flag"]
    if depth:
        kinds += ["not", "and", "or", "versus", "is"]
    match draw(among(*kinds)):
        case "plain":
            return f"{draw(among(*NUMERIC))} {draw(COMPARED)} {draw(among(*NUMBERS))}"
        case "null":
            word = draw(among("IS NULL", "IS NOT NULL"))
            return f"{draw(among(*NUMERIC, 'd', 'e', 'f', 'g', 'h'))} {word}"
        case "in":
            listed = draw(st.lists(among(*NUMBERS, "NULL"), min_size=1, max_size=3))
            return _asked(f"{draw(among(*NUMERIC))} IN ({', '.join(listed)})")
        case "between":
            low = draw(st.integers(-3, 3))
            return f"{draw(among(*NUMERIC))} BETWEEN {low} AND {low + draw(st.integers(0, 3))}"
        case "text":
            if draw(st.booleans()):
                return f"e = '{draw(among('p', 'q'))}'"
            listed = draw(st.lists(among("'x'", "'y'", "'z'", "'OTHER'"), min_size=1, max_size=3))
            return f"d {draw(among('IN', 'NOT IN'))} ({', '.join(listed)})"
        case "date":
            if draw(st.booleans()):
                return f"h {draw(COMPARED)} '2024-03-31 0{draw(st.integers(0, 4))}:{draw(among('00', '20'))}'"
            return f"f {draw(COMPARED)} DATE '2024-02-{draw(st.integers(1, 29)):02d}'"
        case "flag":
            return draw(
                among("g", "NOT g", "g = FALSE", "TRUE", "1 = 0", "a % 2 = 0", "LOWER(d) = 'x'",
                                 "EXTRACT(month FROM f) IN (1, 3)", "d ILIKE 'X'", "HOUR(h) < 2", "h >= f",
                                 "CAST(h AS DATE) = '2024-03-31'")
            )  # fmt: skip
        case "not":
            return f"NOT ({draw(conditions(depth - 1))})"
        case "versus":
            return _asked(f"{draw(expressions(depth - 1))} {draw(COMPARED)} {draw(expressions(depth - 1))}")
        case "is":
            return f"({draw(conditions(depth - 1))}) IS {draw(among('TRUE', 'FALSE', 'NOT TRUE'))}"
        case word:
            return f"({draw(conditions(depth - 1))}) {word.upper()} ({draw(conditions(depth - 1))})"


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """A bounded expression as text."""
    kinds = ["column", "column", "column", "number"]
    if depth:
        kinds += ["+", "-", "*", "negative", "case", "clamp", "coalesce", "divided", "over", "extreme"]
    match draw(among(*kinds)):
        case "column":
            return draw(among(*NUMERIC))
        case "number":
            return draw(among(*NUMBERS, "NULL"))
        case "negative":
            return f"-({draw(expressions(depth - 1))})"
        case "divided":
            return f"({draw(expressions(depth - 1))}) / {draw(among('2', '4', '0.5', '-8'))}"
        case "over":
            return f"({draw(expressions(0))}) / ({draw(expressions(0).filter(lambda divisor: divisor != '0'))})"
        case "extreme":
            word = draw(among("LEAST", "GREATEST", "NULLIF"))
            return f"{word}({draw(expressions(0))}, {draw(expressions(0))})"
        case "case":
            text = f"CASE WHEN {draw(conditions(depth - 1))} THEN {draw(expressions(depth - 1))}"
            if draw(st.booleans()):
                text += f" WHEN {draw(conditions(0))} THEN {draw(expressions(0))}"
            return text + (f" ELSE {draw(expressions(depth - 1))} END" if draw(st.booleans()) else " END")
        case "clamp":
            low = draw(st.integers(-3, 3))
            return f"CLAMP({draw(expressions(depth - 1))}, {low}, {low + draw(st.integers(0, 3))})"
        case "coalesce":
            return f"COALESCE({draw(expressions(depth - 1))}, {draw(among(*NUMBERS))})"
        case sign:
            return f"({draw(expressions(depth - 1))} {sign} {draw(expressions(depth - 1))})"


@st.composite
def aggregates(draw: st.DrawFn) -> str:
    match draw(among("rows", "count", "present", "sum", "avg", "filtered", "spread", "pair", "different")):
        case "rows":
            return "COUNT(*)"
        case "count":
            return f"COUNT({draw(expressions(1))})"
        case "present":
            return f"COUNT({draw(among('d', 'e', 'f', 'g', 'h'))})"
        case "different":
            text = f"COUNT(DISTINCT {draw(among('a', 'c', 'd', 'e', 'f', 'g', 'h', 't'))})"
            return text + (f" FILTER (WHERE {draw(conditions(1))})" if draw(st.booleans()) else "")
        case "sum":
            return f"SUM({draw(expressions())})"
        case "spread":
            return f"VAR_POP({draw(expressions(1))})"
        case "pair":
            name = draw(among("COVAR_POP", "CORR"))
            return f"{name}({draw(expressions(1))}, {draw(expressions(1))})"
        case "filtered":
            return f"SUM({draw(expressions(1))}) FILTER (WHERE {draw(conditions(1))})"
        case _:
            return f"AVG({draw(expressions())})"


_AGGREGATES = st.lists(aggregates(), min_size=1, max_size=3)
_KEYS = st.lists(st.sampled_from(KEYS), max_size=2, unique=True)


@st.composite
def questions(draw: st.DrawFn) -> str:
    """A whole question as text."""
    listed = draw(_AGGREGATES)
    keys = draw(_KEYS)
    chosen = [f"{key} AS k{place}" for place, key in enumerate(keys)]
    chosen += [f"{aggregate} AS v{place}" for place, aggregate in enumerate(listed)]
    text = f"SELECT {', '.join(chosen)} FROM things"
    if draw(st.booleans()):
        text += f" WHERE {draw(conditions())}"
    return text + (f" GROUP BY {', '.join(keys)}" if keys else "")


# Where claims are tight: values far from zero beside NULL, rows of the region that a test leaves out, narrowed columns.
TIGHT = (
    "SELECT COUNT(*) AS v FROM things WHERE a > b",
    "SELECT SUM(a + 10) AS v FROM things",
    "SELECT SUM(b + 10) AS v FROM things WHERE a > b",
    "SELECT SUM(a + 10) AS v FROM things WHERE a > 2 OR a IS NULL",
    "SELECT SUM(a - 20) AS v, COUNT(*) AS w FROM things WHERE a <= 2",
    "SELECT SUM(a * a) AS v, AVG(a * a) AS w FROM things",
    "SELECT AVG(a + 10) AS v, COUNT(*) AS w FROM things GROUP BY d",
    "SELECT COUNT(a) AS v, COUNT(*) AS w FROM things WHERE c < a",
    "SELECT SUM(CASE WHEN a > 3 THEN 40 ELSE 30 END) AS v FROM things",
    "SELECT SUM(COALESCE(a, -30)) AS v FROM things WHERE b < 3",
    "SELECT VAR_POP(a) AS v, AVG(a) AS w FROM things",
    "SELECT VAR_POP(b) AS v FROM things WHERE a > b",
    "SELECT VAR_POP(c) AS v, COUNT(*) AS w FROM things GROUP BY d",
    "SELECT COVAR_POP(a, b) AS v, CORR(b, c) AS w FROM things",
    "SELECT COVAR_POP(a, a) AS v, COUNT(*) AS w FROM things GROUP BY g",
)


def tight_or_any() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(TIGHT), questions())


HOSTILE = st.sampled_from(
    [None, float("nan"), float("inf"), -float("inf"), 2**63, -(2**63) - 1, 10**30, "", "abc", "1e999", "-0", "nan",
     "NULL",
     "2.5", " 3 ", "0x10", "x", "OTHER", "x ", "X", "2024-02-30", "2024-02-10", "0000-01-01", "true", "NO", "\x00",
     "é", True]
)  # fmt: skip


# Naive on purpose, where there is no zone.
NIGHTS = (
    "2024-03-31", "2024-03-31 01:59:59", "2024-03-31T01:00:00Z", "2024-03-31 02:30", "2024-03-31 05:29:59.9",
    "2024-03-30 22:00+02:00", "2024-03-31 00:59:59.9999999Z", "2024-03-31 24:00", "2024-03-30T20:00:00.5-0130",
    dt.datetime(2024, 3, 31, 1, tzinfo=dt.UTC), dt.datetime(2024, 3, 31, 2, 15), dt.date(2024, 3, 31),  # noqa: DTZ001
    dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))), "9999-12-31T23:59-23:59", None,
)  # fmt: skip


_OVER = st.one_of(st.integers(-5, 7), st.none())
_NIGHT = st.sampled_from(NIGHTS)
_ANYTHING_IN = st.lists(among("a", "b", "c", "d", "e", "f", "g", "h", "t"), max_size=2)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """One stored row; any column may hold anything."""
    row: dict[str, Any] = {
        "who": draw(among(1, 1, 2, 2, 3, None)),
        "a": draw(_OVER),
        "b": draw(st.integers(-1, 6)),
        "c": draw(among(-1, -0.25, 0, 0.1, 0.25, 1.49, 1.5, 9, None)),
        "d": draw(among("x", "y", "z", "w")),
        "e": draw(among("p", "q", "r")),
        "f": draw(among("2024-01-30", "2024-02-01", "2024-02-29", "2024-03-02", "2030-01-01")),
        "g": draw(among(True, False)),
        "h": draw(_NIGHT),
        "t": draw(among("s", "u")),
    }
    for name in draw(_ANYTHING_IN):
        row[name] = draw(HOSTILE)
    return row


# Naive on purpose: a stored moment without a zone.
DAYS = (dt.datetime(2024, 1, 25), dt.datetime(2024, 3, 5))  # noqa: DTZ001
NIGHT = (dt.datetime(2024, 3, 30, 19), dt.datetime(2024, 3, 31, 6))  # noqa: DTZ001
_FAR = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1969, 12, 31, 23, 59, 59, 5)]  # noqa: DTZ001
_TEXTS = st.one_of(
    st.none(),
    st.sampled_from(
        ["x", "y", "z", "w", "OTHER", "p", "q", "1", "-2", "2.5", " 3 ", "1e1", "1e999", "-1e999", "nan", "inf", "0x1",
         "1_0",
         "+4", ".5", "5.", "e", "", " ", "true", "FALSE", "t", "Yes", "2024-02-10", "2024-02-30", "2024-2-1",
         "0000-01-01",
         "9999-12-31", "2024-02-10 10:00", "2024-02-10T10:00:00.5", "'", "''", '"', "\\", "é", "x\n", "\t1"]
    ),
)  # fmt: skip
_FLOATS = st.one_of(
    st.none(),
    st.sampled_from(
        [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 0.125, -0.125, 1e308, -1e308, 5e-324, 1.4999999999]
    ),
    st.floats(-4, 8),
)


def _second(moment: dt.datetime) -> dt.datetime:
    return moment.replace(microsecond=0)


_STORED: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "int8": (pa.int8(), st.one_of(st.none(), st.integers(-128, 127))),
    "int64": (pa.int64(), st.one_of(st.none(), st.sampled_from([2**63 - 1, -(2**63)]), st.integers(-6, 8))),
    "uint64": (pa.uint64(), st.one_of(st.none(), st.sampled_from([2**64 - 1]), st.integers(0, 8))),
    "double": (pa.float64(), _FLOATS),
    "float": (
        pa.float32(),
        st.one_of(st.none(), st.sampled_from([float("nan"), float("inf"), 0.5]), st.integers(-4, 4)),
    ),
    "decimal": (
        pa.decimal128(20, 3),
        st.one_of(st.none(), st.decimals(-5, 5, places=3), st.sampled_from([Decimal("99999999999999999.999")])),
    ),
    "text": (pa.string(), _TEXTS),
    "names": (pa.dictionary(pa.int8(), pa.string()), _TEXTS),
    "bool": (pa.bool_(), st.one_of(st.none(), st.booleans())),
    "date": (
        pa.date32(),
        st.one_of(
            st.none(), st.dates(dt.date(2024, 1, 25), dt.date(2024, 3, 5)), st.sampled_from([dt.date(9999, 12, 31)])
        ),
    ),
    "moment": (
        pa.timestamp("us"),
        st.one_of(st.none(), st.datetimes(*DAYS)),
    ),
    "zoned": (
        pa.timestamp("us", "UTC"),
        st.one_of(
            st.none(),
            st.datetimes(*DAYS, timezones=st.just(dt.UTC)),
        ),
    ),
    "night": (pa.timestamp("us"), st.one_of(st.none(), st.datetimes(*NIGHT), st.sampled_from(_FAR))),
    "night in ns": (pa.timestamp("ns"), st.one_of(st.none(), st.datetimes(*NIGHT))),
    "night in s": (pa.timestamp("s"), st.one_of(st.none(), st.datetimes(*NIGHT).map(_second), st.just(_FAR[1]))),
    "night in ms": (pa.timestamp("ms"), st.one_of(st.none(), st.datetimes(*NIGHT).map(_second))),
    "zoned night": (
        pa.timestamp("us", "UTC"),
        st.one_of(st.none(), st.datetimes(*NIGHT, timezones=st.just(dt.UTC)), st.sampled_from(_FAR[1:])),
    ),
    "night as text": (pa.string(), st.sampled_from([night for night in NIGHTS if not isinstance(night, dt.date)])),
    "bytes": (pa.binary(), st.one_of(st.none(), st.binary(max_size=3))),
    "list": (pa.list_(pa.int64()), st.one_of(st.none(), st.lists(st.integers(0, 3), max_size=2))),
}
_LIKELY = {"a": ["int64", "int8"], "b": ["int64", "uint64"], "c": ["double", "decimal"], "d": ["text", "names"],
           "e": ["text"], "f": ["date", "moment", "zoned"], "g": ["bool"],
           "h": ["night", "night in ns", "night in s", "night in ms", "zoned night", "night as text"]}  # fmt: skip


# What names may not be stored as.
_NO_TEXT = {
    "moment",
    "zoned",
    "bytes",
    "list",
    *(kind for kind in _STORED if kind.endswith(("night", "ns", "ms", " s"))),
}


@lru_cache
def _others(name: str) -> list[str]:
    """Every type that a column may be stored in, of those in which anything that was declared can be."""
    with duckdb.connect() as connection:
        kinds = {}
        for kind, (type_, _) in _STORED.items():
            connection.register("one", pa.table({"x": pa.array([], type_)}))
            kinds[kind] = connection.execute("DESCRIBE one").fetchall()[0][1]
    fit = {kind for kind, stored in kinds.items() if COLUMNS[name].sanitise(exp.column("x"), stored).find(exp.Column)}
    return sorted(fit - (_NO_TEXT if name in ("d", "e") else set()))


@st.composite
def stored_tables(draw: st.DrawFn, most: int = 12) -> pa.Table:
    """An Arrow table whose columns may have any type, whatever was declared."""
    # Mostly enough rows for caps to bind: drawn from all sizes alike, most of few tables are tiny.
    count = draw(st.sampled_from((most, most, 2 * most // 3, most // 2, min(2, most), 0)))
    arrays = {
        "who": pa.array(draw(st.lists(st.sampled_from([1, 2, 3, None]), min_size=count, max_size=count)), pa.int64())
    }
    for name, likely in _LIKELY.items():
        others = _others(name)
        kind = draw(st.sampled_from(likely) if draw(st.integers(0, 2)) else st.sampled_from(others))
        type_, values = _STORED[kind]
        if name in ("d", "e") and kind == "double":
            values = values.filter(lambda number: number is None or abs(number) != 1e308)
        listed = draw(st.lists(values, min_size=count, max_size=count))
        if kind == "names":
            arrays[name] = pa.array(listed, pa.string()).dictionary_encode()
        else:
            arrays[name] = pa.array(listed, type_)
    arrays["t"] = pa.array(draw(st.lists(_TEXTS, min_size=count, max_size=count)), pa.string())
    return pa.table(arrays)


def in_place(table: Table, *expected: str) -> DuckDB | None:
    """An engine that reads a file where it is; None where a type of the file holds nothing of what is declared.

    Such a file is refused when it is opened, whatever its rows are. Others may be ``expected``: a missing value makes
    floats of whole numbers that pandas has as names, and large ones have no one text.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* is stored as TIMESTAMP.* and declared as dates", Caution)
        try:
            return DuckDB([table], threads=1, copied_below=0)
        except InvalidInput as problem:
            if problem.code not in ("query.unfit-type", *expected):
                raise
            return None
