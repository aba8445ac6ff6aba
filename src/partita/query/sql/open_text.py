"""Reads conditions on open text: comparisons, LIKE and IN of a few functions that no text fails."""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors.query import language as refuse
from partita.errors.query import tables as refuse_text
from partita.query.functions.patterns import REGULAR, regular_of
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Case, Expression, Number
from partita.query.language.keys import Opened
from partita.query.language.text import in_quotes
from partita.query.language.worded import Worded
from partita.region.columns import TextKeys
from partita.region.region import Region
from partita.region.regular import Irregular

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

# Beyond these a pattern could make an engine try very many ways for one text.
MOST_GAPS: Final = 16
_TRIED: Final = 32
_LONGEST: Final = 1_000
_FURTHEST: Final = 10**6
# A number that a text says is one of so many at most.
MOST_MEASURED: Final = 512
_SAME: Final[dict[type[exp.Expr], str]] = {exp.EQ: "=", exp.NEQ: "<>"}
_ORDER: Final[dict[type[exp.Expr], str]] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_CALLED: Final[dict[type[exp.Expr], str]] = {exp.Lower: "LOWER", exp.Upper: "UPPER"}


@final
class _Kind(Enum):
    TEXT = "text"
    NUMBER = "number"


@final
class _Part(NamedTuple):
    sql: str
    kind: _Kind


@final
class _Unread(Exception):
    """Something that is not asked of open text."""


def mentions(reader: Reader, node: exp.Expr) -> str | None:
    """The first column of open texts that a node mentions, if there is one."""
    if not any(isinstance(column, TextKeys) for column in reader.table.columns.values()):
        return None
    named = (reader.opened(one) for one in node.find_all(exp.Column) if reader.own(one))
    return next((name for name in named if name is not None), None)


def worded(reader: Reader, node: exp.Expr) -> Worded | None:
    """The condition on open text that a node is; None if it mentions none, and refused if it asks anything else."""
    column = mentions(reader, node)
    if column is None:
        return None
    if not reader.texts or reader.attributes(node):
        raise reader.refused(node, refuse.open_column(column))
    if any(reader.opened(one) != column or not reader.own(one) for one in node.find_all(exp.Column)):
        raise reader.refused(node, refuse_text.open_condition(column))
    try:
        return Worded(column, _truth(node, column))
    except _Unread:
        raise reader.refused(node, refuse_text.open_condition(column)) from None


def measured(reader: Reader, node: exp.Expr, low: Fraction, high: Fraction) -> Expression | None:
    """LENGTH or STRPOS of open text between two ends, as a choice between comparisons: which half, and so on."""
    node, column = node.unnest(), mentions(reader, node)
    if column is None or not isinstance(node, exp.Length | exp.StrPosition):
        return None
    first, last = max(math.ceil(low), 0), math.floor(high)
    if not 0 <= last - first < MOST_MEASURED:
        raise reader.refused(node, refuse_text.open_number(column, MOST_MEASURED))

    def met(sign: str, end: int | None = None) -> Condition:
        test = sign if end is None else f"{sign} {end}"
        return Condition(Region.everything(reader.table.domain), (Worded(column, f"{shown} {test}"),))

    def among(least: int, most: int) -> Expression:
        if least == most:
            return Number(Fraction(least))
        middle = (least + most + 1) // 2
        return Case(((met(">=", middle), among(middle, most)),), among(least, middle - 1))

    if not isinstance(worded(reader, exp.Is(this=node.copy(), expression=exp.Null())), Worded):
        return None
    shown = _value(node, column).sql
    spend(8 * (last - first), Work.WORDS)
    return Case(((met("IS NULL"), Number(None)),), among(first, last))


def key(reader: Reader, node: exp.Expr) -> Opened | None:
    """An open key that a function of one open text is; None where it is a condition or something else."""
    column = mentions(reader, node)
    if column is None or not reader.texts or reader.attributes(node):
        return None
    if any(reader.opened(one) != column or not reader.own(one) for one in node.find_all(exp.Column)):
        return None
    try:
        return Opened(column, _text(node, column))
    except _Unread:
        return None


def _truth(node: exp.Expr, column: str) -> str:
    if _plain(node, "negate") and node.args.get("negate"):
        bare = node.copy()
        bare.set("negate", False)
        return f"NOT ({_truth(bare, column)})"
    match node:
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            first, second = _value(node.this, column), _value(node.expression, column)
            signs = _SAME if first.kind is _Kind.TEXT else _SAME | _ORDER
            if first.kind is not second.kind or type(node) not in signs:
                raise _Unread
            return f"{first.sql} {signs[type(node)]} {second.sql}"
        case exp.In() if node.expressions:
            parts = [_value(one, column) for one in (node.this, *node.expressions)]
            if len({part.kind for part in parts}) > 1:
                raise _Unread
            return f"{parts[0].sql} IN ({', '.join(part.sql for part in parts[1:])})"
        case exp.Between() if not node.args.get("symmetric"):
            ends = [_value(one, column) for one in (node.this, node.args["low"], node.args["high"])]
            if any(end.kind is not _Kind.NUMBER for end in ends):
                raise _Unread
            return "{} BETWEEN {} AND {}".format(*(end.sql for end in ends))
        case exp.Is() if isinstance(node.expression, exp.Null):
            return f"{_value(node.this, column).sql} IS NULL"
        case exp.Like():
            return f"{_text(node.this, column)} LIKE {_pattern(node.expression)}"
        case exp.ILike():
            return f"LOWER({_text(node.this, column)}) LIKE LOWER({_pattern(node.expression)})"
        case exp.StartsWith():
            start = _string(node.expression)
            return f"LEFT({_text(node.this, column)}, {len(start)}) = {_quoted(start)}"
        case exp.EndsWith():
            end = _string(node.expression)
            return f"RIGHT({_text(node.this, column)}, {len(end)}) = {_quoted(end)}"
        case _ if isinstance(node, REGULAR):
            return _regular(node, column)
        case exp.Contains():
            within = _string(node.expression)
            if set(within) & set("%_"):
                raise _Unread
            return f"{_text(node.this, column)} LIKE {_quoted(f'%{within}%')}"
        case _:
            raise _Unread


def _value(node: exp.Expr, column: str) -> _Part:
    node = node.unnest()
    match node:
        case exp.Literal() if not node.is_string:
            return _Part(str(_whole(node, 0)), _Kind.NUMBER)
        case exp.Length():
            return _Part(f"LENGTH({_text(node.this, column)})", _Kind.NUMBER)
        case exp.StrPosition() if set(_given(node)) == {"this", "substr"}:
            within = _quoted(_string(node.args["substr"], least=1))
            return _Part(f"STRPOS({_text(node.this, column)}, {within})", _Kind.NUMBER)
        case _:
            return _Part(_text(node, column), _Kind.TEXT)


def _text(node: exp.Expr, column: str) -> str:
    """Text made of a row's text; each function is no longer than what it is given."""
    node = node.unnest()
    match node:
        case exp.Column():
            return in_quotes(column)
        case exp.Literal() if node.is_string:
            return _quoted(_string(node))
        case exp.Lower() | exp.Upper():
            return f"{_CALLED[type(node)]}({_text(node.this, column)})"
        case exp.Trim() if not any(value for key, value in node.args.items() if key != "this"):
            return f"TRIM({_text(node.this, column)})"
        case exp.Left() | exp.Right():
            word = "LEFT" if isinstance(node, exp.Left) else "RIGHT"
            return f"{word}({_text(node.this, column)}, {_whole(node.expression, 0)})"
        case exp.Substring() if node.args.get("start") is not None:
            ends = [str(_whole(node.args["start"], 1))]
            ends += [] if node.args.get("length") is None else [str(_whole(node.args["length"], 0))]
            return f"SUBSTR({', '.join([_text(node.this, column), *ends])})"
        case exp.SplitPart():
            parted = _quoted(_string(node.args["delimiter"], least=1))
            return f"SPLIT_PART({_text(node.this, column)}, {parted}, {_whole(node.args['part_index'], 1)})"
        case exp.Replace() if set(_given(node)) == {"this", "expression", "replacement"}:
            old, new = _string(node.expression, least=1), _string(node.args["replacement"])
            if len(new.encode()) > len(old.encode()):
                raise _Unread  # one inside the other they could make texts of any length
            return f"REPLACE({_text(node.this, column)}, {_quoted(old)}, {_quoted(new)})"
        case exp.Coalesce() if len(node.expressions) == 1:
            return f"COALESCE({_text(node.this, column)}, {_quoted(_string(node.expressions[0]))})"
        case _:
            raise _Unread


def _pattern(node: exp.Expr) -> str:
    """A pattern that an engine matches in a time that grows with the text, and not faster."""
    node = node.unnest()
    if isinstance(node, exp.Lower):
        return f"LOWER({_pattern(node.this)})"
    text = _string(node)
    gaps = text.count("%")
    if "\\" in text or gaps > MOST_GAPS or ("_" in text and gaps and (gaps > 1 or len(text) > _TRIED)):
        raise _Unread
    return _quoted(text)


def _regular(node: exp.Expr, column: str) -> str:
    """A regular expression that is read in one pass over the text, and that no text fails."""
    given = node.args.get("flag")
    flag, pattern = None if given is None else _string(given), _string(node.expression, least=1)
    try:
        found = regular_of(node, pattern, flag)
    except Irregular:
        raise _Unread from None
    called = "REGEXP_FULL_MATCH" if found.whole else "REGEXP_MATCHES"
    folded = flag == "i" or isinstance(node, exp.RegexpILike)
    parts = [_text(node.this, column), _quoted(pattern), *(["'i'"] if folded else [])]
    return f"{called}({', '.join(parts)})"


def _given(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value is not None and value is not False]


def _string(node: exp.Expr, least: int = 0) -> str:
    node = node.unnest()
    if not isinstance(node, exp.Literal) or not node.is_string or not least <= len(node.name) <= _LONGEST:
        raise _Unread
    if "\0" in node.name:
        raise _Unread
    return str(node.name)


def _whole(node: exp.Expr, least: int) -> int:
    node = node.unnest()
    text = node.name if isinstance(node, exp.Literal) and not node.is_string else ""
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= _FURTHEST or len(text) > 7:
        raise _Unread
    return int(text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _plain(node: exp.Expr, name: str) -> bool:
    return isinstance(node, exp.Like | exp.ILike) and name in node.args
