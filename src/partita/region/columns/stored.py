"""The families of stored SQL types that a sanitising expression must tell apart."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Enum, unique
from typing import final

import numpy as np


@final
@unique
class Family(Enum):
    """How a stored value arrives."""

    INTEGER = "integer"
    FLOAT = "float"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    ZONED = "timestamp with time zone"
    BOOLEAN = "boolean"
    OTHER = "other"


_INTEGERS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "INT", "BYTE", "SHORT", "LONG", "SERIAL", "BIGSERIAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "INT1", "INT2", "INT4", "INT8", "SIGNED"),
)
_FLOATS = ("FLOAT", "REAL", "DOUBLE", "DECIMAL", "NUMERIC", "FLOAT4", "FLOAT8")
_TEXTS = ("VARCHAR", "TEXT", "STRING", "CHAR", "CHARACTER", "BPCHAR", "ENUM", "UUID")
_FAMILIES = {
    **dict.fromkeys(_INTEGERS, Family.INTEGER),
    **dict.fromkeys(_FLOATS, Family.FLOAT),
    **dict.fromkeys(_TEXTS, Family.TEXT),
    **dict.fromkeys(("BOOLEAN", "BOOL", "LOGICAL"), Family.BOOLEAN),
    "DATE": Family.DATE,
}


def family(stored_type: str) -> Family:
    """The family of a type as the engine names it.

    >>> family("DECIMAL(18,2)"), family("timestamp with time zone")
    (<Family.FLOAT: 'float'>, <Family.ZONED: 'timestamp with time zone'>)
    """
    name = stored_type.strip().upper()
    if name.startswith(("TIMESTAMP", "DATETIME")):
        return Family.ZONED if name.startswith("TIMESTAMPTZ") or "WITH TIME ZONE" in name else Family.TIMESTAMP
    words = name.split("(", 1)[0].split()
    if name.endswith("[]") or not words:
        return Family.OTHER
    return _FAMILIES.get(words[0], Family.OTHER)


def absent(value: object) -> bool:
    """Whether a stored value is none at all: NULL, or a number that is not a number.

    >>> absent(None), absent(float("nan")), absent(0)
    (True, True, False)
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))
