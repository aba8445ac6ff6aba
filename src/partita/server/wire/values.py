"""Values as they travel: types by their numbers, as text and in binary, both ways."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final, final

from partita.errors import wire as refuse
from partita.query.answer.kinds import Kind
from partita.server.wire.messages import decoded

BOOL: Final = 16
INT8: Final = 20
INT4: Final = 23
TEXT: Final = 25
FLOAT8: Final = 701
UNKNOWN: Final = 705
DATE: Final = 1082
TIMESTAMP: Final = 1114
NUMERIC: Final = 1700
_ARRAYS: Final = {1000: BOOL, 1005: 21, 1007: INT4, 1016: INT8, 1009: TEXT, 1015: TEXT, 1002: TEXT, 1003: 19, 1028: 26}
LISTS: Final = frozenset(_ARRAYS)
_ARRAYS_OF: Final = {BOOL: 1000, INT8: 1016, INT4: 1007, TEXT: 1009}
SIZES: Final = {BOOL: 1, INT8: 8, INT4: 4, 21: 2, 26: 4, FLOAT8: 8, 700: 4, DATE: 4, TIMESTAMP: 8}
OF_KIND: Final[Mapping[Kind, int]] = {
    Kind.WHOLE: INT8,
    Kind.NUMBER: FLOAT8,
    Kind.DECIMAL: NUMERIC,
    Kind.DAY: DATE,
    Kind.MOMENT: TIMESTAMP,
    Kind.TRUTH: BOOL,
    Kind.TEXT: TEXT,
}
_WHOLE: Final = {INT8: "!q", INT4: "!i", 21: "!h", 26: "!I"}
_TEXTS: Final = frozenset({TEXT, 18, 19, 1042, 1043, UNKNOWN, 114, 2950, 0})
_EPOCH: Final = date(2000, 1, 1)
_START: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - moments of declared columns have no zone
_LIMITS: Final = {INT8: 2**63, INT4: 2**31, 21: 2**15}
NAMES: Final = {
    "bool": BOOL, "boolean": BOOL, "int": INT4, "int2": 21, "int4": INT4, "int8": INT8, "integer": INT4,
    "smallint": 21, "bigint": INT8, "numeric": NUMERIC, "decimal": NUMERIC, "real": 700, "float4": 700,
    "float8": FLOAT8, "double": FLOAT8, "text": TEXT, "varchar": TEXT, "char": TEXT, "name": TEXT, "date": DATE,
    "timestamp": TIMESTAMP, "oid": 26, "regclass": TEXT,
}  # fmt: skip
"""Types by the names that casts have."""


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A column of what is sent: its name, and its type by number."""

    name: str
    kind: int

    @property
    def told(self) -> tuple[str, int, int]:
        """As a description says it."""
        return self.name, self.kind, SIZES.get(self.kind, -1)


# --- out ------------------------------------------------------------------------------------------------------------


def written(value: Any, kind: int, form: int) -> bytes | None:
    """A value of a column as it is sent: 0 is text, 1 is binary.

    >>> written(True, BOOL, 0), written(3, INT8, 1), written(0.5, FLOAT8, 0), written(None, TEXT, 0)
    (b't', b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03', b'0.5', None)
    """
    if value is None:
        return None
    held = _held(value, kind)
    return _binary(held, kind) if form else said(held).encode("utf-8", "replace")


def _held(value: Any, kind: int) -> Any:
    """A value in the type that was promised for its column."""
    if kind in _ARRAYS:
        return [None if one is None else _held(one, _ARRAYS[kind]) for one in value]
    if kind == FLOAT8 or kind == 700:
        return float(value)
    if kind in _WHOLE:
        whole, limit = int(value), _LIMITS.get(kind, 2**32)
        return max(-limit, min(limit - 1, whole))
    if kind == NUMERIC:
        if isinstance(value, Fraction):
            return Decimal(value.numerator) / Decimal(value.denominator)
        return value if isinstance(value, Decimal) else Decimal(str(value))
    if kind == BOOL:
        return bool(value)
    if kind == DATE and isinstance(value, datetime):
        return value.date()
    if kind == TIMESTAMP:
        if not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)  # noqa: DTZ001
        return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    return value


def said(value: Any) -> str:
    """A value as text, as PostgreSQL says it."""
    match value:
        case bool():
            return "t" if value else "f"
        case float():
            if value != value:
                return "NaN"
            if value in (float("inf"), float("-inf")):
                return "Infinity" if value > 0 else "-Infinity"
            return repr(value).removesuffix(".0")
        case Decimal():
            return f"{value:f}"
        case datetime():
            return value.isoformat(sep=" ")
        case list() | tuple():
            return "{" + ",".join("NULL" if one is None else _element(said(one)) for one in value) + "}"
        case _:
            return str(value)


def _element(text: str) -> str:
    plain = text and text.lower() != "null" and not any(one in '{},"\\ ' or one.isspace() for one in text)
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _binary(value: Any, kind: int) -> bytes:
    match kind:
        case _ if kind in _WHOLE:
            return struct.pack(_WHOLE[kind], value)
        case 701:
            return struct.pack("!d", value)
        case 700:
            return struct.pack("!f", value)
        case 16:
            return b"\1" if value else b"\0"
        case 1082:
            return struct.pack("!i", (value - _EPOCH).days)
        case 1114:
            return struct.pack("!q", (value - _START) // timedelta(microseconds=1))
        case 1700:
            return _numeric(value)
        case _ if kind in _ARRAYS:
            return _array(value, _ARRAYS[kind])
        case _:
            return said(value).encode("utf-8", "replace")


def _array(values: Sequence[Any], kind: int) -> bytes:
    if not values:
        return struct.pack("!iii", 0, 0, kind)
    parts = [struct.pack("!iiiii", 1, int(None in values), kind, len(values), 1)]
    for value in values:
        held = None if value is None else _binary(value, kind)
        parts.append(b"\xff\xff\xff\xff" if held is None else struct.pack("!i", len(held)) + held)
    return b"".join(parts)


def _numeric(value: Decimal) -> bytes:
    """A decimal number: groups of four digits, the place of the first, the sign, and digits behind the point."""
    if not value.is_finite():
        return struct.pack("!hhHh", 0, 0, 0xC000, 0)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    whole = int("".join(map(str, digits))) * 10 ** max(0, exponent)
    whole *= 10 ** (-scale % 4)
    behind = (scale + 3) // 4
    groups: list[int] = []
    while whole:
        whole, group = divmod(whole, 10_000)
        groups.append(group)
    weight = len(groups) - behind - 1
    groups.reverse()
    while groups and not groups[-1]:
        groups.pop()
    return struct.pack("!hhHh", len(groups), weight if groups else 0, 0x4000 if sign else 0, scale) + b"".join(
        struct.pack("!h", group) for group in groups
    )


# --- in -------------------------------------------------------------------------------------------------------------


def read(raw: bytes | None, kind: int, form: int, number: int) -> Any:
    """The value of a parameter, or a refusal that says which.

    >>> read(b"42", INT8, 0, 1), read(b"\\x00\\x00\\x00*", INT4, 1, 1), read(b"2025-01-31", DATE, 0, 1)
    (42, 42, datetime.date(2025, 1, 31))
    """
    if raw is None:
        return None
    if kind in _ARRAYS:
        return _read_array(raw, _ARRAYS[kind], form, number)
    try:
        return _read_binary(raw, kind, number) if form else _read_text(decoded(raw), kind)
    except (ValueError, struct.error, InvalidOperation, OverflowError, KeyError):
        raise refuse.bad_value(number, _WANTED.get(kind, "a value of its type")) from None


def _read_text(text: str, kind: int) -> Any:
    if "\0" in text:
        raise ValueError
    if kind in _TEXTS:
        return text
    return _READERS[kind](text.strip())


def _finite(text: str) -> Decimal:
    found = Decimal(text)
    if not found.is_finite() or abs(found.adjusted()) > 400:
        raise ValueError
    return found


def _whole(text: str) -> int:
    if len(text) > 20:
        raise ValueError
    return int(text)


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


_TRUTHS: Final = {
    "t": True, "true": True, "1": True, "on": True, "yes": True,
    "f": False, "false": False, "0": False, "off": False, "no": False,
}  # fmt: skip
_READERS: Final[Mapping[int, Callable[[str], Any]]] = {
    **dict.fromkeys(_WHOLE, _whole),
    **dict.fromkeys((NUMERIC, FLOAT8, 700), _finite),
    BOOL: lambda text: _TRUTHS[text.lower()],
    DATE: date.fromisoformat,
    TIMESTAMP: _moment,
    1184: _moment,
}
_WANTED: Final = {
    **dict.fromkeys(_WHOLE, "a whole number"),
    **dict.fromkeys((NUMERIC, FLOAT8, 700), "a number"),
    BOOL: "true or false",
    DATE: "a date such as 2025-01-31",
    TIMESTAMP: "a timestamp such as 2025-01-31 12:00:00",
    1184: "a timestamp such as 2025-01-31 12:00:00",
}
TAKEN: Final = frozenset(_READERS) | _TEXTS | frozenset(_ARRAYS)


def _read_binary(raw: bytes, kind: int, number: int) -> Any:
    if kind in _WHOLE:
        return struct.unpack(_WHOLE[kind], raw)[0]
    match kind:
        case 701 | 700:
            found = struct.unpack("!d" if kind == FLOAT8 else "!f", raw)[0]
            return _finite(repr(found))
        case 16:
            return {b"\0": False, b"\1": True}[raw]
        case 1082:
            return _EPOCH + timedelta(days=struct.unpack("!i", raw)[0])
        case 1114 | 1184:
            return _START + timedelta(microseconds=struct.unpack("!q", raw)[0])
        case 1700:
            return _read_numeric(raw)
        case _ if kind in _TEXTS:
            return _read_text(decoded(raw), TEXT)
        case _:
            raise refuse.unknown_type(number, kind)


def _read_numeric(raw: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack("!HhHH", raw[:8])
    groups = struct.unpack(f"!{count}h", raw[8:])
    if sign not in (0, 0x4000) or scale > 400 or abs(weight) > 100 or any(not 0 <= one < 10_000 for one in groups):
        raise ValueError
    whole = 0
    for group in groups:
        whole = whole * 10_000 + group
    found = Decimal(-whole if sign else whole).scaleb(4 * (weight - count + 1))
    return +found


def _read_array(raw: bytes, kind: int, form: int, number: int) -> list[Any]:
    if not form:
        return [None if one is None else read(one.encode(), kind, 0, number) for one in _elements(raw, number)]
    try:
        dimensions, _, of = struct.unpack("!iii", raw[:12])
        if not dimensions:
            return []
        (count,) = struct.unpack("!i", raw[12:16])
        found, at = [], 20
        if dimensions != 1 or not 0 <= count <= len(raw):
            raise ValueError
        for _ in range(count):
            (length,) = struct.unpack("!i", raw[at : at + 4])
            at += 4
            found.append(read(None if length < 0 else raw[at : at + length], of, 1, number))
            at += max(0, length)
    except (ValueError, struct.error):
        raise refuse.bad_value(number, "a list of one dimension") from None
    return found


def _elements(raw: bytes, number: int) -> list[str | None]:
    """The elements of a list that was written as {a,"b c",NULL}."""
    text = decoded(raw).strip()
    if not (text.startswith("{") and text.endswith("}")) or "{" in text[1:]:
        raise refuse.bad_value(number, "a list of one dimension")
    found: list[str | None] = []
    part, quoted, inside, signs = "", False, False, iter(text[1:-1])
    for sign in signs:
        if sign == "\\":
            part += next(signs, "")
        elif sign == '"':
            inside, quoted = not inside, True
        elif sign == "," and not inside:
            found.append(part if quoted or part.strip().lower() != "null" else None)
            part, quoted = "", False
        else:
            part += sign
    if part or quoted or found:
        found.append(part if quoted or part.strip().lower() != "null" else None)
    return found


def literal(value: Any) -> str:
    """A value as SQL says it.

    >>> literal("it's"), literal(-3), literal(date(2025, 1, 31)), literal([1, None])
    ("'it''s'", '(-3)', "DATE '2025-01-31'", 'ARRAY[1, NULL]')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | Decimal():
            shown = f"{value:f}" if isinstance(value, Decimal) else str(value)
            return f"({shown})" if value < 0 else shown
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case list():
            return f"ARRAY[{', '.join(map(literal, value))}]"
        case _:
            return "'" + str(value).replace("'", "''") + "'"


def array_of(kind: int) -> int:
    """The type of lists of a type.

    >>> array_of(INT8), array_of(DATE)
    (1016, 1009)
    """
    return _ARRAYS_OF.get(kind, _ARRAYS_OF[TEXT])
