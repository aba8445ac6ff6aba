"""DuckDB's dialect: it casts by trial itself, has integers of 128 bits, and folds comparisons by what files tell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar, Final, assert_never, final

from partita.region.columns.stored import Family, family
from partita.region.dialects.base import Dialect
from partita.region.dialects.words import Word, spoken

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns.base import Column

_FLOATING = frozenset({"FLOAT", "DOUBLE"})


@final
class DuckDBDialect(Dialect):
    """The embedded default."""

    kind: ClassVar[str] = "duckdb"
    wide: ClassVar[str] = "HUGEINT"
    signed: ClassVar[frozenset[str]] = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
    few: ClassVar[frozenset[str]] = frozenset({"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT"})

    def mapped(self, tree: exp.Expr, column: Column | None = None) -> str:
        return tree.transform(_said).transform(_steadied).sql(dialect=self.kind)

    def value(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        if stored_type in _FLOATING:
            # The statistics of parquet files leave NaN out, and DuckDB folds comparisons and even isnan() by them:
            # what becomes of a NaN would depend on the other rows of its block. TRY hides the column from them.
            return exp.Anonymous(this="TRY", expressions=[stored])
        return stored

    def known(self, value: str) -> str:
        # Pages of parquet files tell what they hold, and DuckDB takes a page of texts without a dictionary for NULL
        # altogether where it is asked for NULL: one row decides about the others. And where the statistics of a table
        # say that every text of it is missing, functions are bound to NULL, and SPLIT_PART fails. TRY hides the column.
        return f"TRY({value})"

    def clamped(self, value: str, stored_type: str) -> str:
        return f"{'CAST' if stored_type in self.signed else 'TRY_CAST'}({value} AS BIGINT)"

    def over(self, left: str, right: str, *, wide: bool) -> str:
        return f"({left} // {right})"

    def listed(self, values: Sequence[int], place: str) -> str:
        return f"LIST_EXTRACT(CAST('[{','.join(map(str, values))}]' AS BIGINT[]), {place})"

    def days(self, column: str, since: date) -> str:
        return f"({column} - CAST('{since.isoformat()}' AS DATE))"

    def day(self, count: str, since: date) -> str:
        return f"(CAST('{since.isoformat()}' AS DATE) + CAST({count} AS INTEGER))"

    def beginning(self, column: str, unit: str) -> str:
        return f"CAST(DATE_TRUNC('{unit}', {column}) AS DATE)"

    def grouped(self, keys: Sequence[str], *, every: bool = False) -> str:
        return "GROUP BY ALL" if every else f"GROUP BY {', '.join(keys)}"

    def text(self, value: str) -> str:
        return f"CAST({value} AS VARCHAR)"

    def written(self, value: str, *, null: bool) -> str:
        return self.text(value) if null else value

    def hashed(self, separator: str, key: str, texts: Sequence[str]) -> str:
        return f"MD5(CONCAT_WS({', '.join([self.literal(separator), self.literal(key), *texts])}))"

    def bytes(self, text: str) -> str:
        return f"STRLEN({text})"

    def halves(self, separator: str, key: str, texts: Sequence[str], under: str) -> tuple[str, tuple[str, str]]:
        joined = ", ".join([self.literal(separator), self.literal(key), *texts])
        return f"MD5_NUMBER(CONCAT_WS({joined}))", (f"{under} >> 64", f"{under} & {2**64 - 1}::UHUGEINT")

    def place(self, value: str, labels: Sequence[str]) -> str:
        return f"ENUM_CODE({value})"

    def narrowest(self, low: int, high: int) -> str:
        for bits, kind in ((7, "TINYINT"), (15, "SMALLINT"), (31, "INTEGER")):
            if -(2**bits) <= low and high < 2**bits:
                return kind
        return "BIGINT"

    def labelled(self, value: str, labels: Sequence[str]) -> str:
        return f"CAST({value} AS ENUM({', '.join(map(self.literal, labels))}))"


DUCKDB: Final = DuckDBDialect()


def _said(node: exp.Expr) -> exp.Expr:
    """A word in plain nodes."""
    from sqlglot import exp

    found = spoken(node)
    if found is None:
        return node
    which, parts = found
    # What is put in the place of a node is not gone through again.
    first, *rest = (part.transform(_said) for part in parts)

    def called(name: str, *parts: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this=name, expressions=list(parts))

    match which:
        case Word.DOUBLE:
            return exp.cast(first, "DOUBLE")
        case Word.ONE_OR_ZERO:
            return exp.cast(first, "BIGINT")
        case Word.PIECE:
            return called("REGEXP_EXTRACT", first, *rest)
        case Word.TRIMMED:
            return called("TRIM", first, *rest)
        case Word.SHORTENED:
            return called("RTRIM", first, *rest)
        case Word.REPLACED:
            return called("REPLACE", first, *rest)
        case Word.CONTAINS:
            return called("CONTAINS", first, *rest)
        case Word.BEGINS:
            return called("STARTS_WITH", first, *rest)
        case Word.PLACE:
            return called("STRPOS", first, *rest)
        case Word.PADDED:
            return called("LPAD", first, exp.Literal.number(2), exp.Literal.string("0"))
        case Word.MICROSECONDS:
            zoned = family(rest[0].name) is Family.ZONED
            return called("EPOCH_US", first if zoned else _tried(first, "TIMESTAMP"))
        case Word.NANOSECONDS:
            return called("EPOCH_NS", first)
        case Word.WRITTEN_MICROSECONDS:
            return called("EPOCH_US", _tried(first, "TIMESTAMP"))
        case Word.EPOCH:
            # As it is written, where its name is not known: TIMESTAMPTZ_NS.
            kind = exp.DataType.build(first.name, dialect="duckdb", udt=True)
            return exp.cast(exp.Literal.string("1970-01-01"), kind)
        case Word.STEP:
            return _step(first, *rest)
        case _:
            assert_never(which)


def _step(moment: exp.Expr, starts: exp.Expr, amounts: exp.Expr) -> exp.Expr:
    """By the place of a number in a sorted list: it is doubled, and the others are odd, so that it is none of them."""
    from sqlglot import exp

    doubled = exp.Mul(this=exp.paren(moment.copy()), expression=exp.Literal.number(2))
    odd = [exp.cast(exp.Literal.number(2 * int(start.this.sql()) - 1), "BIGINT") for start in starts.expressions]
    beside = exp.Anonymous(this="LIST_APPEND", expressions=[exp.Array(expressions=odd), doubled])
    ordered = exp.Anonymous(this="LIST_SORT", expressions=[beside])
    place = exp.Anonymous(this="LIST_POSITION", expressions=[ordered, doubled.copy()])
    return exp.Anonymous(this="LIST_EXTRACT", expressions=[amounts, place])


def _tried(value: exp.Expr, kind: str) -> exp.Expr:
    from sqlglot import exp

    return exp.TryCast(this=value, to=exp.DataType.build(kind))


def _steadied(node: exp.Expr) -> exp.Expr:
    """Stored values are cast by trial, so that none that slips through can fail: times have no text and no day."""
    from sqlglot import exp

    if not isinstance(node, exp.Cast) or isinstance(node, exp.TryCast) or isinstance(node.this, exp.Literal | exp.Null):
        return node
    if isinstance(node.this, exp.Floor) or node.is_type("date", "varchar"):
        return exp.TryCast(this=node.this, to=node.to)
    return node
