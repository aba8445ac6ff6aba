"""Reads functions of bounded expressions of several columns: quotients, roundings, extremes, roots, logarithms."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors.query import language as refuse
from partita.query.functions.number_types import NumberType, number_type
from partita.query.language import curves
from partita.query.language import row_functions as made
from partita.query.language.conditions import size
from partita.query.language.expressions import (
    WIDEST_VALUE,
    Case,
    Clamp,
    Curved,
    Expression,
    Extreme,
    Number,
    Plus,
    Quotient,
    Ratio,
    Times,
    bounds,
)
from partita.region.columns import Operator
from partita.region.domain import Domain
from partita.region.predicate import Predicate

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

_CURVES: Final[dict[type[exp.Expr], str]] = {exp.Sqrt: "sqrt", exp.Ln: "ln", exp.Exp: "exp"}
_LOGARITHMS: Final[dict[Fraction | None, str]] = {Fraction(10): "log10", Fraction(2): "log2"}
# Whole numbers below this size, and not below its negative, are those of the type.
_WHOLE: Final = {"tinyint": 2**7, "smallint": 2**15, "int": 2**31, "bigint": 2**63, "hugeint": 2**127}
# What is true, false or NULL.
TRUTHS: Final = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.And,
    exp.Or,
    exp.Not,
    exp.In,
    exp.Between,
    exp.Is,
    exp.Like,
    exp.ILike,
    exp.StartsWith,
    exp.Contains,
)
MOST_DIGITS: Final = 18
_STEPS_A_PART: Final = 150


def function_of(reader: Reader, node: exp.Expr) -> Expression | None:
    """A function of bounded expressions, or None if the node is something else.

    Some repeat their argument, so that each of a few inside each other repeats all that the inner ones do.
    """
    found = _function_of(reader, node)
    if found is not None:
        spend(_STEPS_A_PART * size(found), Work.WORDS)
    return found


def _function_of(reader: Reader, node: exp.Expr) -> Expression | None:
    domain = reader.table.domain
    match node:
        case exp.Div():
            return quotient(reader, node)
        case exp.Greatest() | exp.Least():
            parts = tuple(reader.expression(part) for part in (node.this, *node.expressions))
            return Extreme(parts, isinstance(node, exp.Greatest))
        case exp.Nullif():
            return made.without(reader.expression(node.this), reader.expression(node.expression), domain)
        case exp.Abs():
            return made.absolute(reader.expression(node.this), domain)
        case exp.Floor() if node.args.get("decimals") is None:
            return Quotient(reader.expression(node.this), Fraction(1))
        case exp.Ceil() if node.args.get("decimals") is None:
            return made.minus(Quotient(made.minus(reader.expression(node.this)), Fraction(1)))
        case exp.Round():
            return _rounded(reader, node)
        case exp.Trunc() if node.args.get("decimals") is None:
            return made.rounded(reader.expression(node.this), Fraction(1), domain, half=False)
        case exp.Sign():
            return made.sign(reader.expression(node.this), domain)
        case exp.Mod() if (width := reader.constant(node.expression)) is not None:
            return made.modulo(reader.expression(node.this), width, domain)
        case exp.Sub() if (inner := node.expression.unnest()) and isinstance(inner, exp.Mod):
            return _without_rest(reader, node.this.unnest(), inner)
        case exp.IntDiv() if (width := reader.constant(node.expression)) is not None:
            return _whole_quotient(reader, node, width)
        case exp.WidthBucket():
            return _bucket(reader, node)
        case exp.Cast() | exp.TryCast():
            return _cast(reader, node)
        case exp.Pow():
            exponent = reader.constant(node.expression)
            return None if exponent is None else made.power(reader.expression(node.this), exponent, domain)
        case _:
            return _curved(reader, node)


def quotient(reader: Reader, node: exp.Div, **fine: Fraction) -> Expression | None:
    """x / y by an expression that has columns."""
    if reader.constant(node.expression) is not None:
        return None
    part, divisor = reader.expression(node.this), reader.expression(node.expression)
    if isinstance(divisor, Number):
        return made.NOTHING if not divisor.value else None
    return made.divided(part, divisor, reader.table.domain, **fine)


def kept(reader: Reader, node: exp.Expr, low: Fraction, high: Fraction) -> Expression | None:
    """What is clamped between two ends, if these say how fine it should be."""
    inner = node.unnest()
    return quotient(reader, inner, most=max(abs(low), abs(high))) if isinstance(inner, exp.Div) else None


def compared(reader: Reader, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate | None:
    """A quotient compared with something, without rounding it."""
    for one, sign, other in ((left, operator, right), (right, operator.mirrored(), left)):
        inner = one.unnest()
        if isinstance(inner, exp.Div) and reader.constant(inner.expression) is None and other.find(exp.Div) is None:
            part, divisor = reader.expression(inner.this), reader.expression(inner.expression)
            if not isinstance(divisor, Number):
                return made.quotient_compared(part, divisor, sign, reader.expression(other), reader.table.domain)
    return None


def written(reader: Reader, node: exp.Anonymous) -> Expression | None:
    """What plans are written with: RATIO(x, y, step) and CURVE('ln', x, low, high, unit, step)."""
    name, parts = node.name.lower(), node.expressions
    if name == "ratio" and len(parts) == 3 and (step := _constant(reader, parts[2])) is not None and step > 0:
        return Ratio(reader.expression(parts[0]), reader.expression(parts[1]), step)
    if name != "curve" or len(parts) != 6 or parts[0].name not in curves.NAMES:
        return None
    ends = [_constant(reader, part) for part in parts[2:]]
    low, high, unit, step = ends
    if low is None or high is None or not unit or not step or unit < 0 or step < 0 or low > high:
        return None
    if (
        high > made.MOST_ARGUMENT
        or low < -made.MOST_ARGUMENT
        or unit < 1 / made.MOST_ARGUMENT
        or step < 1 / made.MOST_ARGUMENT
        or (high - low) / unit > WIDEST_VALUE
    ):
        return None
    if high > curves.MOST_EXPONENT if parts[0].name == "exp" else low < 0 or (parts[0].name != "sqrt" and low == 0):
        return None
    return Curved(parts[0].name, reader.expression(parts[1]), low, high, unit, step)


def _constant(reader: Reader, node: exp.Expr) -> Fraction | None:
    inner = node.unnest()
    if isinstance(inner, exp.Div):
        above, below = reader.constant(inner.this), reader.constant(inner.expression)
        return None if above is None or not below else above / below
    return reader.constant(inner)


def _rounded(reader: Reader, node: exp.Round) -> Expression | None:
    digits = node.args.get("decimals")
    count = Fraction(0) if digits is None else reader.constant(digits)
    if count is None or count.denominator != 1 or abs(count) > MOST_DIGITS or node.args.get("truncate") is not None:
        return None
    step, inner = Fraction(10) ** -int(count), node.this.unnest()
    part = quotient(reader, inner, step=step) if isinstance(inner, exp.Div) else _curved(reader, inner, step)
    return made.rounded(part or reader.expression(node.this), step, reader.table.domain)


def _without_rest(reader: Reader, whole: exp.Expr, rest: exp.Mod) -> Expression | None:
    """x - x % w: the multiple of w that x reaches, towards zero."""
    width = reader.constant(rest.expression)
    if not width or rest.this.unnest() != whole:
        return None
    return made.rounded(reader.expression(whole), abs(width), reader.table.domain, half=False)


def _bucket(reader: Reader, node: exp.WidthBucket) -> Expression | None:
    """WIDTH_BUCKET(x, low, high, n): 0 below, n + 1 from the upper end on, and n buckets of equal width between."""
    ends = [node.args.get(name) for name in ("min_value", "max_value", "num_buckets")]
    low, high, count = (None if end is None else reader.constant(end) for end in ends)
    if low is None or high is None or count is None or low >= high or count < 1 or count.denominator != 1:
        return None
    part = reader.expression(node.this)
    # A clamped quotient: one bucket below the first, and one after the last.
    place = Quotient(Plus((part, Number(-low))), (high - low) / count)
    return Plus((Clamp(place, Fraction(-1), count), Number(Fraction(1))))


def _whole_quotient(reader: Reader, node: exp.IntDiv, width: Fraction) -> Expression | None:
    if number_type(node, reader.number_type) is not NumberType.WHOLE:
        return None
    if not width:
        return made.NOTHING
    shrunk = Times((Number(1 / width), reader.expression(node.this)))
    return made.rounded(shrunk, Fraction(1), reader.table.domain, half=False)


def _cast(reader: Reader, node: exp.Cast | exp.TryCast) -> Expression | None:
    """A number as a number of another type; how halves are rounded depends on the type that it had."""
    domain, digits = reader.table.domain, node.to.expressions
    if isinstance(node.this.unnest(), TRUTHS):
        return _counted(reader, node.this.unnest()) if node.is_type(*_WHOLE, "double", "float") else None
    if node.is_type("double", "float") or (node.is_type("decimal") and not digits):
        return reader.expression(node.this)
    if node.is_type("decimal") and len(digits) == 2 and digits[1].name.isdecimal():
        most = Fraction(10) ** (int(digits[0].name) - int(digits[1].name))
        return _held(
            made.rounded(reader.expression(node.this), Fraction(10) ** -int(digits[1].name), domain), domain, most
        )
    if not node.is_type(*_WHOLE):
        return None
    part = reader.expression(node.this)
    floating = number_type(node.this, reader.number_type) is NumberType.FLOATING
    found = made.evenly(part, domain) if floating else made.rounded(part, Fraction(1), domain)
    return _held(found, domain, Fraction(next(most for name, most in _WHOLE.items() if node.is_type(name))))


def _counted(reader: Reader, node: exp.Expr) -> Expression:
    """A truth as a number: 1 where it is true and 0 where it is not."""
    true, false = reader.condition(node), reader.condition(exp.Not(this=exp.Paren(this=node.copy())))
    return Case(((true, Number(Fraction(1))), (false, Number(Fraction(0)))), Number(None))


def _held(found: Expression, domain: Domain, most: Fraction) -> Expression | None:
    """The number, if the type holds all that it can be: SQL fails, or says NULL, for what it does not hold."""
    span = bounds(found, domain)
    return found if -most <= span.low and span.high < most else None


def _narrower(word: str) -> str:
    return f"Write {word}(CLAMP(x, low, high)), of EXP up to {curves.MOST_EXPONENT}."


def _curved(reader: Reader, node: exp.Expr, step: Fraction | None = None) -> Expression | None:
    name, inner = _CURVES.get(type(node)), node.this
    if isinstance(node, exp.Log):
        base = Fraction(10) if node.expression is None else reader.constant(node.this)
        name, inner = _LOGARITHMS.get(base), node.expression or node.this
    if name is None:
        return None
    spend(4_000, Work.VALUES)
    found = made.curved(name, reader.expression(inner), reader.table.domain, step=step)
    if found is None:
        word = name.upper()
        raise reader.refused(node, refuse.function_not_answered(f"{word} of so large a range", _narrower(word)))
    return found
