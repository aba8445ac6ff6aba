"""Spark's dialect: with its error mode off every cast is by trial, and sums are made of parts that cannot overflow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never, final

from partita.region.columns.stored import Family, family
from partita.region.dialects.base import Dialect
from partita.region.dialects.words import Word, spoken

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns.base import Column

_NUMBER = r"^ *[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)? *$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_WHOLE = r"^[0-9]{1,18}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?$"
# So many signs of a text are read, as PostgreSQL's dialect does.
_LONGEST = 2**20
# The year 20000 in days: beyond every declared time, and its microseconds are far from the ends of 64 bits.
_FAR = 6_585_443
_DAY_LONG = 86_400_000_000
# The parts of numbers that are summed: so many bits each, so that 2^40 of them fit 64 bits (widths.MOST_ROWS).
_PART = 22
# Both parts of a wide number that is divided.
_HALF = "CAST(1000000000000000000 AS DECIMAL(38,0))"


@final
class SparkDialect(Dialect):
    """Version 4 and later, with the settings that ``engine.spark`` makes for its session.

    Statements quote names and texts as the standard does, and ``spelled`` writes them as Spark reads them.
    """

    kind: ClassVar[str] = "spark"
    wide: ClassVar[str] = "DECIMAL(38,0)"
    signed: ClassVar[frozenset[str]] = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
    few: ClassVar[frozenset[str]] = frozenset({"TINYINT", "SMALLINT", "INTEGER"})

    def sql(self, tree: exp.Expr) -> str:
        return tree.sql(dialect=_standard())

    def mapped(self, tree: exp.Expr, column: Column | None = None) -> str:
        return self.sql(tree.transform(_said))

    def value(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        if family(stored_type) is Family.TEXT:
            return _raw(f"LEFT({self.stored(self.sql(stored), stored_type)}, {_LONGEST})")
        return stored

    def stored(self, name: str, stored_type: str) -> str:
        # Whatever collation a column has, and whatever bytes: those that are no text are one sign, row by row.
        return f"MAKE_VALID_UTF8(CAST({name} AS STRING))" if family(stored_type) is Family.TEXT else name

    def over(self, left: str, right: str, *, wide: bool) -> str:
        return _divided(left, right) if wide else f"({left} DIV {right})"

    def total(self, value: str, low: int, high: int) -> str:
        parts = 1
        while not -(2 ** (_PART * parts)) <= low <= high <= 2 ** (_PART * parts):
            parts += 1
        if parts == 1:
            return f"SUM({value})"
        # What is left below each multiple of 2^22 is not negative; a shift to the right rounds down.
        rest = [f"SHIFTRIGHT({value}, {_PART * place})" for place in range(parts)]
        below = [f"({one} & CAST({2**_PART - 1} AS BIGINT))" if at else one for at, one in enumerate(rest[:-1])]
        below[0] = f"({value} & CAST({2**_PART - 1} AS BIGINT))"
        terms = [
            f"(CAST(SUM({one}) AS {self.wide}) * CAST({2 ** (_PART * place)} AS {self.wide}))"
            for place, one in enumerate([*below, rest[-1]])
        ]
        return f"({' + '.join(terms)})"

    def listed(self, values: Sequence[int], place: str) -> str:
        numbers = ", ".join(f"CAST({value} AS BIGINT)" for value in values)
        return f"GET(ARRAY({numbers}), CAST({place} AS INT) - 1)"

    def days(self, column: str, since: date) -> str:
        return f"CAST(DATEDIFF({column}, CAST('{since.isoformat()}' AS DATE)) AS BIGINT)"

    def day(self, count: str, since: date) -> str:
        return f"DATE_ADD(CAST('{since.isoformat()}' AS DATE), CAST({count} AS INT))"

    def beginning(self, column: str, unit: str) -> str:
        return f"TRUNC({column}, '{unit}')"

    def grouped(self, keys: Sequence[str], *, every: bool = False) -> str:
        return f"GROUP BY {', '.join(str(place + 1) for place in range(len(keys)))}"

    def text(self, value: str) -> str:
        return f"CAST({value} AS STRING)"

    def hashed(self, separator: str, key: str, texts: Sequence[str]) -> str:
        joined = f"CONCAT_WS({', '.join([self.literal(separator), self.literal(key), *texts])})"
        return f"MD5(CAST({joined} AS BINARY))"

    def halves(self, separator: str, key: str, texts: Sequence[str], under: str) -> tuple[str, tuple[str, str]]:
        def number(first: int) -> str:
            digits = ", ".join(f"SUBSTRING({under}, {2 * at + 1}, 2)" for at in reversed(range(first, first + 8)))
            return f"CONV(CONCAT({digits}), 16, 10)"

        return self.hashed(separator, key, texts), (number(8), number(0))

    def narrowest(self, low: int, high: int) -> str:
        for bits, kind in ((7, "TINYINT"), (15, "SMALLINT"), (31, "INT")):
            if -(2**bits) <= low and high < 2**bits:
                return kind
        return "BIGINT"


SPARK: Final = SparkDialect()


def spelled(sql: str) -> str:
    """A statement that quotes as the standard does, with names and texts as Spark's parser reads them.

    >>> spelled("SELECT \\"a b\\" FROM t WHERE c = 'it''s \\\\ so'")
    "SELECT `a b` FROM t WHERE c = 'it\\\\'s \\\\\\\\ so'"
    """
    return _QUOTED.sub(_respelled, sql)


_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")


def _respelled(found: re.Match[str]) -> str:
    text, name = found[1], found[2]
    if text is None:
        return "`" + name.replace('""', '"').replace("`", "``") + "`"
    return "'" + text.replace("''", "'").replace("\\", "\\\\").replace("'", "\\'") + "'"


@cache
def _standard() -> Any:
    """sqlglot's Spark, which quotes names and texts as the standard does."""
    from sqlglot.dialects.spark import Spark

    @final
    class Standard(Spark):
        """Read by ``spelled`` alone."""

        @final
        class Tokenizer(Spark.Tokenizer):
            """Quotation marks are doubled inside themselves, and nothing else means anything."""

            QUOTES: ClassVar[Any] = ["'"]
            IDENTIFIERS: ClassVar[Any] = ['"']
            STRING_ESCAPES: ClassVar[Any] = ["'"]

        @final
        class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
            """Texts are written as they are."""

            def escape_str(self, text: str, *_args: Any, **_options: Any) -> str:
                return text.replace("'", "''")

    return Standard


def _raw(text: str) -> exp.Expr:
    """SQL that is finished."""
    from sqlglot import exp

    return exp.Var(this=text)


def _sql(node: exp.Expr) -> str:
    """SQL of a part, its words said."""
    return SPARK.sql(node.transform(_said))


def _said(node: exp.Expr) -> exp.Expr:
    """A node as Spark has it; what is put in its place is finished, its parts included."""
    from sqlglot import exp

    found = spoken(node)
    if found is not None:
        return _raw(_word(*found))
    match node:
        case exp.TryCast():
            return _raw(_tried(_sql(node.this), node.to))
        case exp.IntDiv():
            return _raw(f"({_sql(node.this)} DIV {_sql(node.expression)})")
        case exp.Div():
            # sqlglot would guard the divisor, which is a constant, and cast what is a double already.
            return _raw(f"({_sql(node.this)} / {_sql(node.expression)})")
        case exp.Mod():
            return _raw(f"({_sql(node.this)} % {_sql(node.expression)})")
        case exp.RegexpLike():
            return _raw(_matches(_sql(node.this), node.expression.name))
        case exp.AtTimeZone():
            return _raw(_sql(node.this))  # the session's zone is UTC
        case exp.Cast() if node.is_type("date", "double", "bigint", "varchar"):
            kind = next(name for name in ("date", "double", "bigint", "varchar") if node.is_type(name)).upper()
            return _raw(f"CAST({_sql(node.this)} AS {'STRING' if kind == 'VARCHAR' else kind})")
        case exp.Substring():
            return _raw(f"SUBSTRING({_sql(node.this)}, {_sql(node.args['start'])}, {_sql(node.args['length'])})")
        case exp.Floor():
            return _raw(f"FLOOR({_sql(node.this)})")
        case exp.Lower():
            return _raw(f"LOWER({_sql(node.this)})")
        case _:
            return node


def _pattern(pattern: str) -> str:
    """A pattern as a text: its last sign is the end of the whole text, and not of its last line."""
    backslashes = len(pattern[:-1]) - len(pattern[:-1].rstrip("\\"))
    ended = pattern.endswith("$") and backslashes % 2 == 0
    return SPARK.literal(pattern[:-1] + "\\z" if ended else pattern)


def _matches(text: str, pattern: str) -> str:
    return f"RLIKE({text}, {_pattern(pattern)})"


def _word(which: Word, parts: list[exp.Expr]) -> str:
    first, *rest = (_sql(part) for part in parts)
    match which:
        case Word.DOUBLE:
            return f"CAST({first} AS DOUBLE)"
        case Word.ONE_OR_ZERO:
            return f"CAST({first} AS BIGINT)"
        case Word.PIECE:
            return f"REGEXP_EXTRACT({first}, {_pattern(parts[1].name)}, {rest[1]})"
        case Word.TRIMMED:
            return f"TRIM(BOTH {rest[0]} FROM {first})"
        case Word.SHORTENED:
            return f"TRIM(TRAILING {rest[0]} FROM {first})"
        case Word.REPLACED:
            return f"REPLACE({first}, {rest[0]}, {rest[1]})"
        case Word.CONTAINS:
            return f"CONTAINS({first}, {rest[0]})"
        case Word.BEGINS:
            return f"STARTSWITH({first}, {rest[0]})"
        case Word.PLACE:
            return f"INSTR({first}, {rest[0]})"
        case Word.PADDED:
            return f"LPAD({first}, 2, '0')"
        case Word.MICROSECONDS:
            return _microseconds(first, parts[1].name)
        case Word.WRITTEN_MICROSECONDS:
            return _written_microseconds(first)
        case Word.EPOCH:
            return f"CAST('1970-01-01 00:00:00' AS {_time(parts[0].name)})"
        case Word.STEP:
            starts, amounts = (
                ", ".join(f"CAST({_sql(one)} AS BIGINT)" for one in part.expressions) for part in parts[1:]
            )
            # The moment is computed once, and not for each number that it is compared with.
            place = f"SIZE(FILTER(ARRAY({starts}), one_ -> one_ <= when_))"
            step = f"when_ -> CASE WHEN when_ IS NOT NULL THEN GET(ARRAY({amounts}), {place}) END"
            return f"GET(TRANSFORM(ARRAY({first}), {step}), 0)"
        case Word.NANOSECONDS:
            raise AssertionError  # no type has any
        case _:
            assert_never(which)


def _time(stored_type: str) -> str:
    return "TIMESTAMP" if family(stored_type) is Family.ZONED else "TIMESTAMP_NTZ"


def _tried(text: str, to: exp.DataType) -> str:
    if to.is_type("double"):
        # Spark reads more as a number than is one: 1d, 0x1p3, NaN, and whatever blanks are around it.
        return f"(CASE WHEN {_matches(text, _NUMBER)} THEN CAST({text} AS DOUBLE) END)"
    if to.is_type("date"):
        return f"(CASE WHEN {_matches(text, _DAY)} THEN CAST({text} AS DATE) END)"
    assert to.is_type("bigint"), to
    return f"(CASE WHEN {_matches(text, _WHOLE)} THEN CAST({text} AS BIGINT) END)"


def _microseconds(time: str, stored_type: str) -> str:
    """Far times are the year 20000, before or after 1970: nothing that is declared is near it."""
    if family(stored_type) is Family.DATE:
        return f"(CAST({_near(f'UNIX_DATE({time})', _FAR)} AS BIGINT) * {_DAY_LONG})"
    zoned = time if family(stored_type) is Family.ZONED else f"CAST({time} AS TIMESTAMP)"
    return _near(f"UNIX_MICROS({zoned})", _FAR * _DAY_LONG)


def _near(number: str, far: int) -> str:
    # LEAST and GREATEST leave NULL out.
    return f"(CASE WHEN {number} IS NOT NULL THEN LEAST(GREATEST({number}, {-far}), {far}) END)"


def _written_microseconds(text: str) -> str:
    def number(digits: str) -> str:
        return f"COALESCE(CAST({digits} AS BIGINT), 0)"

    day = f"CAST(UNIX_DATE(CAST(SUBSTRING({text}, 1, 10) AS DATE)) AS BIGINT) * {_DAY_LONG}"
    hour, minute, second = (number(f"SUBSTRING({text}, {at}, 2)") for at in (12, 15, 18))
    # Six digits behind the point, which are none where there is no point.
    rest = number(f"RPAD(SUBSTRING({text}, 21, 6), 6, '0')")
    return (
        f"(CASE WHEN {_matches(text, _MOMENT)} THEN {day} + {hour} * 3600000000 + {minute} * 60000000 "
        f"+ {second} * 1000000 + {rest} END)"
    )


def _divided(left: str, right: str) -> str:
    """Wide numbers divided towards zero.

    Spark's own quotient of decimals has six digits behind the point, which it rounds, and 32 before it. So only
    multiples are divided, and long numbers in two steps. Each part is written once, however deep it is.
    """
    half, wide = _HALF, "DECIMAL(38,0)"

    def exactly(top: str, bottom: str) -> str:
        return f"CAST(({top} - CAST({top} % {bottom} AS {wide})) / {bottom} AS {wide})"

    upper = exactly("n_.top", half)
    rest = f"CAST((CAST({upper} % n_.bottom AS {wide}) * {half} + CAST(n_.top % {half} AS {wide})) AS {wide})"
    found = f"({exactly(upper, 'n_.bottom')} * {half} + {exactly(rest, 'n_.bottom')})"
    made = f"ARRAY(NAMED_STRUCT('top', {left}, 'bottom', {right}))"
    return f"CAST(GET(TRANSFORM({made}, n_ -> {found}), 0) AS {wide})"
