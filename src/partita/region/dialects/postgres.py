"""PostgreSQL's dialect: nothing is cast by trial there, so every text and number is looked at before it is cast."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar, Final, assert_never, final

from partita.region.columns.decimals import Decimals
from partita.region.columns.integers import Integers
from partita.region.columns.stored import Family, family
from partita.region.dialects.base import Dialect
from partita.region.dialects.words import Word, spoken

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns.base import Column

_SHORT = r"^ *[+-]?[0-9]{1,15}([.][0-9]{1,15})? *$"
_NUMBER = r"^ *[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)? *$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?$"
# Beyond every declared time, and far from the last that PostgreSQL stores.
_FAR = "20000-01-01"
# So many signs of a text are read: patterns fail on one of 2^28 bytes, and one row would fail the question.
_LONGEST = 2**20
# Every whole number of so many digits is a double.
_EXACT = 15
# So many units of 15 digits fit 64 bits.
_MOST_EACH = 2**12
# A text has fewer than 2^30 signs, so that no digits before or behind a point make up for an exponent of this size.
_HUGE = 10**10


@final
class PostgresDialect(Dialect):
    """Version 14 and later, with the settings that ``engine.postgres`` makes for every transaction."""

    kind: ClassVar[str] = "postgres"
    wide: ClassVar[str] = "NUMERIC"
    signed: ClassVar[frozenset[str]] = frozenset({"SMALLINT", "INTEGER", "BIGINT"})
    few: ClassVar[frozenset[str]] = frozenset({"SMALLINT", "INTEGER"})

    def mapped(self, tree: exp.Expr, column: Column | None = None) -> str:
        written = tree.transform(_said).sql(dialect=self.kind)
        return f'(({written}) COLLATE "C")' if column is not None and column.sanitised_type == "VARCHAR" else written

    def value(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        name = stored.sql(dialect=self.kind)
        if family(stored_type) is Family.TEXT:
            return _raw(f"LEFT({self.stored(name, stored_type)}, {_LONGEST})")
        if _numeric(stored_type):
            # Not a number is no value, as a text too.
            return exp.Nullif(this=_raw(f"CAST({name} AS NUMERIC)"), expression=_raw("CAST('NaN' AS NUMERIC)"))
        return stored

    def whole_units(self, column: Column, name: str, stored_type: str) -> str | None:
        """Of a decimal of few digits that lies on the grid of its column, without a double on the way."""
        if not isinstance(column, Integers | Decimals) or "(" not in stored_type or not _numeric(stored_type):
            return None
        digits, scale = _digits(stored_type)
        each = 1 / (column.step * 10**scale)
        if digits > _EXACT or each.denominator != 1 or each > _MOST_EACH:
            return None
        number = name if scale == 0 else f"{name} * {10**scale}"
        units = f"CAST({number} AS BIGINT)" + ("" if each == 1 else f" * {each}")
        missing = "NULL" if column.missing is None else str(column.missing)
        return (
            f"CASE WHEN {name} IS NULL OR {name} = CAST('NaN' AS NUMERIC) THEN CAST({missing} AS BIGINT) "
            f"ELSE LEAST(GREATEST({units}, {column.low}), {column.high}) END"
        )

    def stored_total(self, column: Column, value: str, stored_type: str) -> str | None:
        """Of a decimal whose last digit is a step of its column: clamped and summed as it is stored."""
        if not isinstance(column, Integers | Decimals) or "(" not in stored_type or not _numeric(stored_type):
            return None
        scale = _digits(stored_type)[1]
        if column.step * 10**scale != 1:
            return None
        low, high, missing = (
            "NULL" if unit is None else f"CAST('{unit}e-{scale}' AS NUMERIC)"
            for unit in (column.low, column.high, column.missing)
        )
        clamped = (
            f"CASE WHEN {value} > {low} AND {value} < {high} THEN {value} WHEN {value} <= {low} THEN {low} "
            f"WHEN {value} <> CAST('NaN' AS NUMERIC) THEN {high} ELSE {missing} END"
        )
        return f"(SUM({clamped}) * {10**scale})"

    def stored(self, name: str, stored_type: str) -> str:
        # Whatever collation a column has: names that differ in a byte are different names.
        return f'(CAST({name} AS TEXT) COLLATE "C")' if family(stored_type) is Family.TEXT else name

    def carried(self, mark: str, column: str, place: int) -> str:
        # Of a longer name only the first 63 bytes count, and those of two columns may be the same.
        return f"{mark} {place}"

    def over(self, left: str, right: str, *, wide: bool) -> str:
        return f"DIV({left}, {right})" if wide else f"({left} / {right})"

    def days(self, column: str, since: date) -> str:
        return f"CAST({column} - CAST('{since.isoformat()}' AS DATE) AS BIGINT)"

    def day(self, count: str, since: date) -> str:
        return f"(CAST('{since.isoformat()}' AS DATE) + CAST({count} AS INTEGER))"

    def beginning(self, column: str, unit: str) -> str:
        return f"CAST(DATE_TRUNC('{unit}', CAST({column} AS TIMESTAMP)) AS DATE)"

    def grouped(self, keys: Sequence[str], *, every: bool = False) -> str:
        return f"GROUP BY {', '.join(str(place + 1) for place in range(len(keys)))}"

    def text(self, value: str) -> str:
        return f'(CAST({value} AS TEXT) COLLATE "C")'

    def hashed(self, separator: str, key: str, texts: Sequence[str]) -> str:
        return f'(MD5(CONCAT_WS({", ".join([self.literal(separator), self.literal(key), *texts])})) COLLATE "C")'

    def narrowest(self, low: int, high: int) -> str:
        for bits, kind in ((15, "SMALLINT"), (31, "INTEGER")):
            if -(2**bits) <= low and high < 2**bits:
                return kind
        return "BIGINT"


POSTGRES: Final = PostgresDialect()


def _numeric(stored_type: str) -> bool:
    return stored_type.upper().startswith("NUMERIC")


def _digits(stored_type: str) -> tuple[int, int]:
    digits, scale = map(int, stored_type[len("NUMERIC(") : -1].split(","))
    return digits, scale


def _raw(text: str) -> exp.Expr:
    """SQL that is finished."""
    from sqlglot import exp

    return exp.Var(this=text)


def _sql(node: exp.Expr) -> str:
    """SQL of a part, its words said."""
    return node.transform(_said).sql(dialect=POSTGRES.kind)


def _said(node: exp.Expr) -> exp.Expr:
    """A node as PostgreSQL has it; what is put in its place is finished, its parts included."""
    from sqlglot import exp

    found = spoken(node)
    if found is not None:
        return _raw(_word(*found))
    match node:
        case exp.TryCast():
            return _raw(_tried(_sql(node.this), node.to))
        case exp.IntDiv():
            return _raw(f"({_sql(node.this)} / {_sql(node.expression)})")
        case exp.Div():
            top, bottom = _sql(node.this), _sql(node.expression)
            # A quotient that is too small for a double is an error there.
            small = "CAST('1e-200' AS DOUBLE PRECISION)"
            return _raw(f"(CASE WHEN ABS({top}) < {small} THEN CAST(0 AS DOUBLE PRECISION) ELSE {top} / {bottom} END)")
        case exp.EQ() | exp.NEQ() | exp.LTE() | exp.GTE() | exp.Is() if (exactly := _exactly(node.this)) is not None:
            return type(node)(this=_raw(exactly), expression=_as_numeric(node.expression))
        case _:
            return node


def _exactly(node: exp.Expr) -> str | None:
    """The stored decimal of which a double is asked for: it is compared as it is, which costs far less.

    That it is no number, which columns ask first, is asked of it as well.
    """
    from sqlglot import exp

    found = spoken(node)
    if found is None or found[0] is not Word.DOUBLE or not _numeric(found[1][1].name):
        return None
    value = found[1][0]
    return _sql(value.this if isinstance(value, exp.Nullif) else value)


def _as_numeric(constant: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    if isinstance(constant, exp.Null):
        return constant
    written = constant.this if isinstance(constant, exp.Cast) else constant
    text = written.name if written.is_string else written.sql(dialect=POSTGRES.kind)
    return _raw(f"CAST('{text}' AS NUMERIC)")


def _word(which: Word, parts: list[exp.Expr]) -> str:
    first, *rest = (_sql(part) for part in parts)
    match which:
        case Word.DOUBLE:
            return _double(first, parts[1].name)
        case Word.ONE_OR_ZERO:
            return f"CAST(CAST({first} AS INTEGER) AS BIGINT)"
        case Word.PIECE:
            return f"(REGEXP_MATCH({first}, {rest[0]}))[{rest[1]}]"
        case Word.TRIMMED:
            return f"BTRIM({first}, {rest[0]})"
        case Word.SHORTENED:
            return f"RTRIM({first}, {rest[0]})"
        case Word.REPLACED:
            return f"REPLACE({first}, {rest[0]}, {rest[1]})"
        case Word.CONTAINS:
            return f"(STRPOS({first}, {rest[0]}) > 0)"
        case Word.BEGINS:
            return f"STARTS_WITH({first}, {rest[0]})"
        case Word.PLACE:
            return f"STRPOS({first}, {rest[0]})"
        case Word.PADDED:
            return f"LPAD({first}, 2, '0')"
        case Word.MICROSECONDS:
            return _microseconds(first, parts[1].name)
        case Word.WRITTEN_MICROSECONDS:
            return _written_microseconds(first)
        case Word.EPOCH:
            zone = "+00" if family(parts[0].name) is Family.ZONED else ""
            return f"CAST('1970-01-01 00:00:00{zone}' AS {parts[0].name})"
        case Word.STEP:
            starts, amounts = (", ".join(map(_sql, part.expressions)) for part in parts[1:])
            return f"(ARRAY[{amounts}])[1 + WIDTH_BUCKET({first}, ARRAY[{starts}])]"
        case Word.NANOSECONDS:
            raise AssertionError  # no type has any
        case _:
            assert_never(which)


def _double(value: str, stored_type: str) -> str:
    cast = f"CAST({value} AS DOUBLE PRECISION)"
    if not _numeric(stored_type):
        return cast
    if "(" in stored_type:
        digits, scale = _digits(stored_type)
        if digits > _EXACT:
            return cast
        # Two whole numbers that doubles hold, and one division: the nearest double, without the way over a text.
        return (
            f"(CAST(CAST({value} * {10**scale} AS BIGINT) AS DOUBLE PRECISION) / CAST({10**scale} AS DOUBLE PRECISION))"
        )
    return (
        f"(CASE WHEN {value} >= 1e308 THEN CAST('Infinity' AS DOUBLE PRECISION) "
        f"WHEN {value} <= -1e308 THEN CAST('-Infinity' AS DOUBLE PRECISION) "
        f"WHEN ABS({value}) < 1e-323 THEN CAST(0 AS DOUBLE PRECISION) ELSE {cast} END)"
    )


def _tried(text: str, to: exp.DataType) -> str:
    if to.is_type("double"):
        return _number(text)
    if to.is_type("date"):
        return _day(text)
    assert to.is_type("bigint"), to
    return f"(CASE WHEN {text} ~ '^[0-9]{{1,18}}$' THEN CAST({text} AS BIGINT) END)"


def _number(text: str) -> str:
    """The number of a text: its order of magnitude is found first, and only what has a double is cast."""
    bare = f"CAST(BTRIM({text}, ' ') AS DOUBLE PRECISION)"
    whole = f"LTRIM(SUBSTRING({text} FROM '^ *[+-]?([0-9]*)'), '0')"
    part = f"COALESCE(SUBSTRING({text} FROM '[.]([0-9]*)'), '')"
    digits = f"LTRIM(COALESCE(SUBSTRING({text} FROM '[eE][+-]?([0-9]+)'), ''), '0')"
    size = f"CASE WHEN LENGTH({digits}) > 10 THEN {_HUGE} WHEN {digits} = '' THEN 0 ELSE CAST({digits} AS BIGINT) END"
    power = f"(CASE WHEN {text} ~ '[eE]-' THEN -1 ELSE 1 END * ({size}))"
    first = f"CASE WHEN {whole} <> '' THEN LENGTH({whole}) - 1 ELSE LENGTH(LTRIM({part}, '0')) - LENGTH({part}) - 1 END"
    order = f"(({first}) + {power})"
    return (
        f"(CASE WHEN {text} ~ '{_SHORT}' THEN {bare} WHEN {text} ~ '{_NUMBER}' THEN "
        f"CASE WHEN {whole} = '' AND LTRIM({part}, '0') = '' THEN CAST(0 AS DOUBLE PRECISION) "
        f"WHEN {order} >= 308 THEN CAST(CASE WHEN {text} ~ '^ *-' THEN '-Infinity' ELSE 'Infinity' END "
        f"AS DOUBLE PRECISION) WHEN {order} < -323 THEN CAST(0 AS DOUBLE PRECISION) ELSE {bare} END END)"
    )


def _day(text: str) -> str:
    """The day of a text: made from its parts, if there is such a day; the year 0 is a leap year, as the year 4 is."""
    year, month, day = (f"CAST(SUBSTRING({text} FROM {at} FOR {size}) AS INTEGER)" for at, size in _PARTS)
    leap = f"(({year} % 4 = 0 AND {year} % 100 <> 0) OR {year} % 400 = 0)"
    last = f"CASE WHEN {month} IN (4, 6, 9, 11) THEN 30 WHEN {month} <> 2 THEN 31 WHEN {leap} THEN 29 ELSE 28 END"
    return (
        f"(CASE WHEN {text} ~ '{_DAY}' THEN CASE WHEN {month} BETWEEN 1 AND 12 AND {day} BETWEEN 1 AND {last} THEN "
        f"CASE WHEN {year} = 0 THEN MAKE_DATE(4, {month}, {day}) - 1461 ELSE MAKE_DATE({year}, {month}, {day}) END "
        f"END END)"
    )


_PARTS: Final = ((1, 4), (6, 2), (9, 2))


def _microseconds(time: str, stored_type: str) -> str:
    if family(stored_type) is Family.DATE:
        days = f"LEAST({time}, CAST('{_FAR}' AS DATE)) - CAST('1970-01-01' AS DATE)"
        return f"(CASE WHEN ISFINITE({time}) THEN CAST({days} AS BIGINT) * 86400000000 END)"
    seconds = f"EXTRACT(EPOCH FROM LEAST({time}, CAST('{_FAR}' AS {stored_type})))"
    return f"(CASE WHEN ISFINITE({time}) THEN CAST({seconds} * 1000000 AS BIGINT) END)"


def _written_microseconds(text: str) -> str:
    def part(pattern: str) -> str:
        return f"SUBSTRING({text} FROM '{pattern}')"

    def number(digits: str) -> str:
        return f"COALESCE(CAST({digits} AS BIGINT), 0)"

    day = f"CAST({_day(f'SUBSTRING({text} FROM 1 FOR 10)')} - CAST('1970-01-01' AS DATE) AS BIGINT) * 86400000000"
    hour, minute, second = (number(part(f"^.{{{at}}}([0-9]{{2}})")) for at in (11, 14, 17))
    rest = number(f"RPAD({part('[.]([0-9]{1,6})$')}, 6, '0')")
    return (
        f"(CASE WHEN {text} ~ '{_MOMENT}' THEN {day} + {hour} * 3600000000 + {minute} * 60000000 "
        f"+ {second} * 1000000 + {rest} END)"
    )
