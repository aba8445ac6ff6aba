"""The families of stored SQL types that a sanitising expression must tell apart."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Enum, unique
from typing import TYPE_CHECKING, final

import numpy as np

from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

# Up to here a double holds every whole number, so that its text is that of the number.
EXACT = 2**53
# More digits than any stored decimal has; a longer number in a list of rows is left as it is written.
_DIGITS = 100


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
_CODED = ("ENUM", "UUID")
_TEXTS = ("VARCHAR", "TEXT", "STRING", "CHAR", "CHARACTER", "BPCHAR", *_CODED)
_FAMILIES = {
    **dict.fromkeys(_INTEGERS, Family.INTEGER),
    **dict.fromkeys(_FLOATS, Family.FLOAT),
    **dict.fromkeys(_TEXTS, Family.TEXT),
    **dict.fromkeys(("BOOLEAN", "BOOL", "LOGICAL"), Family.BOOLEAN),
    "DATE": Family.DATE,
}


# What pandas writes where there is no value, told by name: it need not be installed.
_MARKS = frozenset({"NAType", "NaTType"})


def family(stored_type: str) -> Family:
    """The family of a type as the engine names it.

    >>> family("DECIMAL(18,2)"), family("timestamp with time zone")
    (<Family.FLOAT: 'float'>, <Family.ZONED: 'timestamp with time zone'>)
    >>> {family(one).value for one in ("TIMESTAMP[]", "TIMESTAMP WITH TIME ZONE[2]", "DECIMAL(9,2)[3]", "INTEGER[][]")}
    {'other'}
    """
    name = stored_type.strip().upper()
    if name.endswith("]"):
        return Family.OTHER  # a list of them, of any length or of a fixed one
    if name.startswith(("TIMESTAMP", "DATETIME")):
        return Family.ZONED if name.startswith("TIMESTAMPTZ") or "WITH TIME ZONE" in name else Family.TIMESTAMP
    words = name.split("(", 1)[0].split()
    if not words:
        return Family.OTHER
    return _FAMILIES.get(words[0], Family.OTHER)


def absent(value: object) -> bool:
    """Whether a stored value is none at all: NULL, a number that is not a number, or pandas' marks of what is missing.

    >>> absent(None), absent(float("nan")), absent(0)
    (True, True, False)
    """
    if value is None or isinstance(value, str | int):
        return value is None
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    # In a column of one type these are NULL; one row of another type makes them objects.
    return type(value).__name__ in _MARKS


# Where one value has one text, whatever the other rows hold. Times, intervals, bytes and lists have as many as tools.
_STEADY = frozenset({Family.TEXT, Family.INTEGER, Family.FLOAT, Family.BOOLEAN, Family.DATE})


def steady(stored_type: str) -> bool:
    """Whether values of a type have texts that depend on nothing but the value.

    >>> steady("BIGINT"), steady("DECIMAL(18,2)"), steady("TIMESTAMP"), steady("DOUBLE[]")
    (True, True, False, False)
    """
    return family(stored_type) in _STEADY or "NULL" in stored_type.upper()


def floating(stored_type: str) -> bool:
    """Whether a type holds binary floating-point numbers, which may be no number at all."""
    return family(stored_type) is Family.FLOAT and not any(word in stored_type.upper() for word in ("DEC", "NUM"))


def plain(stored_type: str) -> bool:
    """Whether values of a type are texts already, as they are compared: an ENUM compares by its list, a UUID by bits.

    >>> plain("VARCHAR"), plain("UUID"), plain("ENUM('a', 'b')"), plain("BIGINT")
    (True, False, False, False)
    """
    return family(stored_type) is Family.TEXT and not stored_type.strip().upper().startswith(_CODED)


def text_of(value: object) -> str | None:
    """The text of a stored value as ``as_text`` makes it; None for what is missing.

    A number has the same text whatever numeric type it is stored in: one row without a number makes floats of a
    frame's column of integers, one with more digits makes longer decimals, and must not change what the others say.

    >>> text_of(7), text_of(7.0), text_of(7.5), text_of(Decimal("7.50")), text_of(True), text_of(float("nan"))
    ('7', '7', '7.5', '7.5', 'true', None)
    """
    if absent(value):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if abs(number) < EXACT and number.is_integer() else str(number)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < _DIGITS:
        text = f"{value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    try:
        return str(value)
    except ValueError:
        # Python writes no decimal of more than some thousand digits; such a number still has a text of its own.
        return hex(value) if isinstance(value, int) else None


def as_text(stored: exp.Expr, stored_type: str) -> exp.Expr:
    """The SQL that gives a stored value as text, whatever its type; NULL for what is no number."""
    from sqlglot import exp

    if plain(stored_type):
        return stored
    text = exp.cast(stored, "VARCHAR")
    if family(stored_type) is Family.FLOAT and not floating(stored_type):
        # No zeros at the end: how many there are is told by the longest decimal of the column.
        bare = word(Word.SHORTENED, text.copy(), "0")
        point = word(Word.CONTAINS, text.copy(), ".")
        return exp.Case().when(point, word(Word.SHORTENED, bare, ".")).else_(text)
    if not floating(stored_type):
        return text
    # A short float is written as the double that it becomes as soon as another row of its column is longer.
    number = word(Word.DOUBLE, stored.copy(), stored_type)
    text = exp.cast(number.copy(), "VARCHAR")
    whole = exp.and_(
        exp.EQ(this=number, expression=exp.Floor(this=number.copy())),
        exp.LT(this=exp.Abs(this=number.copy()), expression=exp.cast(exp.Literal.number(f"{EXACT}.0"), "DOUBLE")),
    )
    integer = exp.TryCast(this=number.copy(), to=exp.DataType.build("BIGINT"))
    nothing = exp.EQ(this=number.copy(), expression=exp.cast(exp.Literal.string("NaN"), "DOUBLE"))
    return (
        exp.Case().when(nothing, exp.cast(exp.null(), "VARCHAR")).when(whole, exp.cast(integer, "VARCHAR")).else_(text)
    )
