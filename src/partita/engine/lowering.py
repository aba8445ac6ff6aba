"""Expressions and conditions as SQL over sanitised columns, in whole numbers of their units."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import assert_never

from partita.query.conditions import Condition, Versus
from partita.query.expressions import (
    Bounds,
    Case,
    Clamp,
    Expression,
    First,
    Number,
    Plus,
    Times,
    Value,
    bounds,
    widest,
)
from partita.region.columns import Dates
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate

NARROW = 2**62


def integer(expression: Expression, domain: Domain, dialect: str = "duckdb") -> str:
    """SQL for the expression counted in its own units: a 64-bit integer, or NULL.

    Where 64 bits are not enough on the way, the columns are widened first; the result always fits again
    (rewrite.check_widths).
    """
    if widest(expression, domain) <= NARROW:
        return _lowered(expression, domain, dialect, wide=False)
    return f"CAST({_lowered(expression, domain, dialect, wide=True)} AS BIGINT)"


def name(column: str) -> str:
    """A column's name in quotes."""
    return '"' + column.replace('"', '""') + '"'


def holds(condition: Condition, dialect: str = "duckdb") -> str:
    """SQL that is true exactly of the rows that meet the condition."""
    region, domain = condition.region, condition.region.domain
    parts = [] if region.whole else [f"({region.to_sql(dialect)})"]
    parts += [f"({truth(test, domain, dialect)})" for test in condition.tests]
    return " AND ".join(parts) or "TRUE"


def truth(predicate: Predicate, domain: Domain, dialect: str = "duckdb", *, wanted: bool = True) -> str:
    """SQL that is true exactly where the predicate is true (or false), in three-valued logic."""
    match predicate:
        case Versus(left, operator, right):
            sign = operator if wanted else operator.negated()
            first, second = _together(left, right, domain, dialect)
            return f"{first} {sign.value} {second}"
        case Not(part):
            return truth(part, domain, dialect, wanted=not wanted)
        case And(parts) | Or(parts):
            word = " AND " if isinstance(predicate, And) is wanted else " OR "
            return word.join(f"({truth(part, domain, dialect, wanted=wanted)})" for part in parts)
        case IsTrue(part):
            inner = truth(part, domain, dialect)
            return inner if wanted else f"NOT COALESCE({inner}, FALSE)"
        case Known(value):
            return "TRUE" if value is wanted else "FALSE"
        case _:
            reach = predicate.reach(domain)
            assert reach.exact
            return (reach.true if wanted else reach.false).to_sql(dialect)


def _together(left: Expression, right: Expression, domain: Domain, dialect: str) -> tuple[str, str]:
    """Two expressions in one unit, so that they can be compared as integers."""
    sides = [(side, bounds(side, domain)) for side in (left, right)]
    bottom = lcm(*(found.unit.denominator for _, found in sides))
    scales = [int(found.unit * bottom) for _, found in sides]
    wide = any(
        max(widest(side, domain), scale * max(abs(found.low), abs(found.high))) > NARROW
        for (side, found), scale in zip(sides, scales, strict=True)
    )
    first, second = (
        _times(_lowered(side, domain, dialect, wide=wide), scale, wide=wide)
        for (side, _), scale in zip(sides, scales, strict=True)
    )
    return first, second


def _lowered(expression: Expression, domain: Domain, dialect: str, *, wide: bool) -> str:
    own = bounds(expression, domain)

    def fitted(part: Expression) -> str:
        return _in_unit(part, own, domain, dialect, wide=wide)

    match expression:
        case Value(column):
            declared = domain.bounded[domain.axis(column)]
            text = name(column)
            if isinstance(declared, Dates):
                text = f"({text} - CAST('{declared.low.isoformat()}' AS DATE))"
            return f"CAST({text} AS {_wide(dialect)})" if wide else text
        case Number(None):
            return f"CAST(NULL AS {_wide(dialect) if wide else 'BIGINT'})"
        case Number(value):
            assert value is not None
            return _whole(int(value / own.unit), wide=wide, dialect=dialect)
        case Plus(parts):
            return f"({' + '.join(map(fitted, parts))})"
        case Times(parts):
            return f"({' * '.join(_lowered(part, domain, dialect, wide=wide) for part in parts)})"
        case Clamp(part, low, high):
            inner = fitted(part)
            ends = [_whole(int(end / own.unit), wide=wide, dialect=dialect) for end in (low, high)]
            return (
                f"CASE WHEN {inner} < {ends[0]} THEN {ends[0]} WHEN {inner} > {ends[1]} THEN {ends[1]} ELSE {inner} END"
            )
        case First(parts):
            return f"COALESCE({', '.join(map(fitted, parts))})"
        case Case(branches, otherwise):
            whens = " ".join(f"WHEN {holds(test, dialect)} THEN {fitted(value)}" for test, value in branches)
            return f"CASE {whens} ELSE {fitted(otherwise)} END"
        case _:
            assert_never(expression)


def _in_unit(part: Expression, around: Bounds, domain: Domain, dialect: str, *, wide: bool) -> str:
    """A part brought to the finer unit of the expression around it."""
    factor = bounds(part, domain).unit / around.unit
    if isinstance(part, Number):
        value = Fraction(0) if part.value is None else part.value
        if part.value is not None and (value / around.unit).denominator == 1:
            return _whole(int(value / around.unit), wide=wide, dialect=dialect)
    return _times(_lowered(part, domain, dialect, wide=wide), int(factor), wide=wide)


def _times(text: str, factor: int, *, wide: bool) -> str:
    return text if factor == 1 else f"({text} * {_whole(factor, wide=wide, dialect='duckdb')})"


def _whole(value: int, *, wide: bool, dialect: str) -> str:
    return f"CAST({value} AS {_wide(dialect) if wide else 'BIGINT'})"


def _wide(dialect: str) -> str:
    return "HUGEINT" if dialect == "duckdb" else "DECIMAL(38, 0)"
