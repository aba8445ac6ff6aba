"""Rows for Spark: hostile values of every type it stores, beside what they are in plain Python."""

from __future__ import annotations

import datetime as dt
import math
import os
import tempfile
from collections.abc import Iterable
from decimal import Context, Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from partita.engine.sessions import Cluster
from tests.laws import served

_NAMES = count()
# So many microseconds are the last moment that 64 bits hold, and as many days the last day of 32 bits.
_LAST, _LAST_DAY = 2**63 - 1, 2**31 - 1


@cache
def session() -> Any:
    """One session of the tests' process, on a context that goes with it; what runs once is hardly compiled."""
    quick = '--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" pyspark-shell'
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", quick)
    return Cluster.of("local[2]").opened()


@cache
def folder() -> Path:
    """Where the files of the tests are."""
    return Path(tempfile.mkdtemp(prefix="partita-spark-"))


def put(rows: pa.Table) -> str:
    """A file of these rows that no other test reads."""
    where = folder() / f"rows{next(_NAMES)}.parquet"
    parquet.write_table(rows, where, use_dictionary=False)
    return str(where)


def _moments(zone: str | None) -> tuple[pa.DataType, list[tuple[Any, Any]]]:
    pairs: list[tuple[Any, Any]] = [
        (number, np.datetime64(number, "us")) for number in (_LAST, _LAST - 1, -_LAST, 10**18, -(10**18))
    ]
    for text, value in served._TIMES:
        if value is None:
            moment = dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)
            number = (moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
            pairs.append((number, moment if zone else moment.replace(tzinfo=None)))
    return pa.timestamp("us", zone), pairs


def _days() -> list[tuple[Any, Any]]:
    far = (_LAST_DAY, -_LAST_DAY, 10**8, -(10**7), 2932897, -719163)
    found: list[tuple[Any, Any]] = [(number, np.datetime64(number, "D")) for number in far]
    days = [value for _, value in served._DAYS if isinstance(value, dt.date)]
    return [*found, *((day.toordinal() - dt.date(1970, 1, 1).toordinal(), day) for day in days)]


def _decimal(digits: int, scale: int, texts: Iterable[str]) -> tuple[pa.DataType, list[tuple[Any, Any]]]:
    numbers = [Decimal(text).quantize(Decimal(1).scaleb(-scale), context=Context(prec=60)) for text in texts]
    return pa.decimal128(digits, scale), [(number, number) for number in numbers]


def _whole(bits: int) -> list[tuple[Any, Any]]:
    ends = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return [(number, number) for number in (-6, -3, -1, 0, 1, 2, 3, 5, 7, 8, *ends)]


_MORE = [
    *("1d", "2F", "0x1p3", "NaN", "Infinity", "3\r", "\x0b3", "\u20073", "3\u2028", "1\x00", "${env:HOME}", "a'b\\'c"),
    *("2024-02-10\n", "2024-02-10Z", "epoch", "now", "T", "y", "\x1e", "\x1f", "\U0010ffff", "1e+5", "-0", "-0.0"),
    # Patterns go back and forth here, and none of them may run out of stack.
    "1" * 5000, "1.234" + ".567" * 20_000, "9" * 400 + "e-399", "1,5" + " " * 3000, "0." + "0" * 400 + "1",
    "0." + "0" * 400 + "1e401",
]  # fmt: skip
_SHORT = [one for one in served._FLOATS if not (0 < abs(one) < 1e-30 or 1e38 < abs(one) < math.inf)]
PAIRS: dict[str, tuple[pa.DataType, list[tuple[Any, Any]]]] = {
    "tinyint": (pa.int8(), _whole(8)),
    "smallint": (pa.int16(), _whole(16)),
    "int": (pa.int32(), _whole(32)),
    "bigint": (pa.int64(), _whole(64)),
    "unsigned": (pa.uint64(), [(number, number) for number in (0, 1, 3, 2**63, 2**64 - 1)]),
    "float": (pa.float32(), [(one, float(np.float32(one))) for one in _SHORT]),
    "double": (pa.float64(), [(one, one) for one in (*served._FLOATS, 2.0**63, -(2.0**63), math.pi)]),
    "decimal(9,3)": _decimal(9, 3, ("0", "-0.125", "0.125", "1.375", "-3", "2", "99999.5")),
    "decimal(38,0)": _decimal(38, 0, ("0", "-3", "2", "9" * 38, "-" + "9" * 38)),
    "decimal(38,30)": _decimal(38, 30, ("0", "-3", "2", "7.499999999999999999999999999999", "0.125", "99999999")),
    "decimal(20,6)": _decimal(20, 6, ("0", "0.000001", "-0.000001", "1.5", "100", "-3", "99999999999999.999999")),
    "string": (pa.string(), [(text, text) for text in (*served._TEXTS, *_MORE)]),
    "boolean": (pa.bool_(), [(True, True), (False, False)]),
    "date": (pa.date32(), _days()),
    "timestamp": _moments("UTC"),
    "timestamp_ntz": _moments(None),
}


def column(kind: str, values: Iterable[Any]) -> pa.Array:
    """A column of one of these types; days and times are told by their numbers."""
    type_, _ = PAIRS[kind]
    if pa.types.is_date(type_):
        return pa.array(values, pa.int32()).cast(type_)
    return pa.array(values, pa.int64()).cast(type_) if pa.types.is_timestamp(type_) else pa.array(values, type_)
