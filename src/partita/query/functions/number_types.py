"""Which kind of number a part of SQL gives, whole, decimal or floating: casts and divisions depend on it."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, unique
from typing import Final, final

from sqlglot import exp


@final
@unique
class NumberType(IntEnum):
    """The kinds of numbers in SQL, each wider than the one before: where two meet, the wider one is meant."""

    WHOLE = 0
    DECIMAL = 1
    FLOATING = 2


# What a column of evaluated values is, as a node of the tree remembers it.
REMEMBERED: Final = "number type"
MOST_DIGITS: Final = 38
_WHOLE: Final = ("int", "bigint", "smallint", "tinyint", "hugeint", "uint", "ubigint", "usmallint", "utinyint")
_FLOATING: Final = ("double", "float")
# These give a number of the kind that they are given.
_KEPT: Final = (
    exp.Paren, exp.Neg, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Nullif, exp.Sum, exp.Min, exp.Max,
    exp.Quantile, exp.PercentileDisc, exp.Filter, exp.AnyValue,
)  # fmt: skip
_WIDER: Final = (exp.Add, exp.Sub, exp.Mul, exp.Mod)
# These give a floating number whatever they are given.
_MEASURED: Final = (
    exp.Div, exp.Pow, exp.Sqrt, exp.Ln, exp.Log, exp.Exp, exp.Avg, exp.Median, exp.PercentileCont, exp.Variance,
    exp.VariancePop, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Corr, exp.CovarPop, exp.CovarSamp, exp.SafeDivide,
)  # fmt: skip


def remembered(column: exp.Column) -> NumberType:
    """What the node of a column remembers; a whole number if nothing."""
    return NumberType(column.meta.get(REMEMBERED, NumberType.WHOLE))


def number_type(node: exp.Expr, column: Callable[[exp.Column], NumberType] = remembered) -> NumberType:
    """The kind of number that an expression gives, by the rules of DuckDB; WHOLE for what is no number.

    >>> from sqlglot import parse_one
    >>> [number_type(parse_one(text, dialect="duckdb")).name for text in ("5 // 2", "5 * 0.5", "5 / 2", "1e3")]
    ['WHOLE', 'DECIMAL', 'FLOATING', 'FLOATING']
    """
    match node:
        case exp.Column():
            return column(node)
        case exp.Literal():
            return _written(node)
        case exp.Cast() | exp.TryCast():
            if node.is_type(*_WHOLE):
                return NumberType.WHOLE
            return NumberType.FLOATING if node.is_type(*_FLOATING) else NumberType.DECIMAL
        case exp.IntDiv():
            # Only whole numbers are divided so; anything else is divided as by /.
            whole = _widest([node.this, node.expression], column) is NumberType.WHOLE
            return NumberType.WHOLE if whole else NumberType.FLOATING
        case exp.Case():
            whens = [branch.args["true"] for branch in node.args["ifs"]]
            return _widest([*whens, node.args.get("default")], column)
        case exp.If():
            return _widest([node.args["true"], node.args.get("false")], column)
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            return _widest([node.this, *node.expressions], column)
        case exp.Anonymous() if node.name.lower() in {"clamp", "bucket"}:
            return _widest(node.expressions, column)
        case _:
            pass
    if isinstance(node, _MEASURED):
        return NumberType.FLOATING
    if isinstance(node, _WIDER):
        return _widest([node.this, node.expression], column)
    return number_type(node.this, column) if isinstance(node, _KEPT) else NumberType.WHOLE


def _widest(parts: list[exp.Expr | None], column: Callable[[exp.Column], NumberType]) -> NumberType:
    return max((number_type(part, column) for part in parts if part is not None), default=NumberType.WHOLE)


def _written(node: exp.Literal) -> NumberType:
    if node.is_string:
        return NumberType.WHOLE
    text = node.name.lower()
    if "e" in text or sum(map(str.isdigit, text)) > MOST_DIGITS:
        return NumberType.FLOATING
    return NumberType.DECIMAL if "." in text else NumberType.WHOLE
