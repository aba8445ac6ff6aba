"""The presentation of a plan as SQL: formulas of aggregates, HAVING, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Final

from partita.exact import number
from partita.query.language.formulas import (
    ARITHMETIC,
    TRUTHS,
    Apply,
    Choice,
    Constant,
    Formula,
    Label,
    Margin,
    Operation,
)
from partita.query.language.plan import Lines
from partita.query.language.text import readable, shown_aggregate, shown_key

_STRENGTH: Final = {
    Operation.OR: 1,
    Operation.AND: 2,
    Operation.NOT: 3,
    Operation.EQUAL: 4,
    Operation.DIFFERENT: 4,
    Operation.BELOW: 4,
    Operation.AT_MOST: 4,
    Operation.ABOVE: 4,
    Operation.AT_LEAST: 4,
    Operation.ABSENT: 4,
    Operation.ADD: 5,
    Operation.SUBTRACT: 5,
    Operation.MULTIPLY: 6,
    Operation.DIVIDE: 6,
}


def shown_formula(formula: Formula) -> str:
    """A formula as SQL.

    >>> from partita.query.language.aggregates import CountRows
    >>> total = Apply(Operation.ADD, (CountRows(), Constant(Fraction(1))))
    >>> shown_formula(Apply(Operation.DIVIDE, (total, Constant(Fraction(2)))))
    '(COUNT(*) + 1) / 2'
    """
    match formula:
        case Constant(value):
            return _constant(value)
        case Label(key):
            return shown_key(key)
        case Margin(key):
            return f"GROUPING({shown_key(key)})"
        case Apply(operation, parts):
            return _applied(operation, parts)
        case Choice(branches, otherwise):
            whens = " ".join(f"WHEN {shown_formula(test)} THEN {shown_formula(value)}" for test, value in branches)
            return f"CASE {whens} ELSE {shown_formula(otherwise)} END"
        case _:
            return shown_aggregate(formula, readable)


def shown_lines(lines: Lines) -> Iterator[str]:
    """HAVING, ORDER BY, LIMIT and OFFSET as SQL."""
    if lines.having is not None:
        yield f"HAVING {shown_formula(lines.having)}"
    if lines.order:
        listed = []
        for order in lines.order:
            text = shown_formula(order.by) + (" DESC" if order.descending else "")
            listed.append(text + (" NULLS FIRST" if order.nulls_first else ""))
        yield f"ORDER BY {', '.join(listed)}"
    if lines.limit is not None:
        yield f"LIMIT {lines.limit}"
    if lines.offset:
        yield f"OFFSET {lines.offset}"


def _constant(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case Fraction():
            return number(value)
        case date():
            return f"DATE '{value.isoformat()}'"
        case _:
            return "'" + str(value).replace("'", "''") + "'"


def _applied(operation: Operation, parts: tuple[Formula, ...]) -> str:
    if operation is Operation.ABSENT:
        return f"{_inner(parts[0], operation)} IS NULL"
    if operation is Operation.WHOLE:
        return f"CAST({shown_formula(parts[0])} AS HUGEINT)"
    if operation is Operation.NOT:
        return f"NOT {_inner(parts[0], operation)}"
    if operation in ARITHMETIC or operation in TRUTHS:
        first, *rest = parts
        later = " ".join(f"{operation.value} {_inner(part, operation, after=True)}" for part in rest)
        return f"{_inner(first, operation)} {later}"
    return f"{operation.value}({', '.join(map(shown_formula, parts))})"


def _inner(formula: Formula, around: Operation, *, after: bool = False) -> str:
    text = shown_formula(formula)
    if not isinstance(formula, Apply) or formula.operation not in _STRENGTH:
        return text
    own, outer = _STRENGTH[formula.operation], _STRENGTH[around]
    unordered = around in (Operation.ADD, Operation.AND, Operation.OR) and formula.operation is around
    loose = own < outer or (own == outer and (outer == 4 or (after and not unordered)))
    return f"({text})" if loose else text
