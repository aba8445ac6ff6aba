"""Expressions and conditions as SQL over sanitised columns: each operation in its own brackets and its own type."""

from __future__ import annotations

from typing import assert_never

from partita.query.exact.operations import (
    Applied,
    Cast,
    Chosen,
    Computed,
    Constant,
    FirstOf,
    Folded,
    Kept,
    Load,
    Looked,
    Outermost,
    Sign,
    Width,
)
from partita.query.exact.workings import compared, whole
from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import Expression
from partita.query.language.text import in_quotes as name
from partita.query.language.worded import Worded
from partita.region.dialects.base import Dialect
from partita.region.dialects.duckdb import DUCKDB
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate


def integer(expression: Expression, domain: Domain, dialect: Dialect = DUCKDB) -> str:
    """SQL for the expression counted in its own units: a 64-bit integer, or NULL."""
    return rendered(whole(expression, domain), dialect)


def holds(condition: Condition, dialect: Dialect = DUCKDB) -> str:
    """SQL that is true exactly of the rows that meet the condition."""
    region, domain = condition.region, condition.region.domain
    parts = [] if region.whole else [f"({dialect.sql(region.condition())})"]
    parts += [f"({truth(test, domain, dialect)})" for test in condition.tests]
    return " AND ".join(parts) or "TRUE"


def truth(predicate: Predicate, domain: Domain, dialect: Dialect = DUCKDB, *, wanted: bool = True) -> str:
    """SQL that is true exactly where the predicate is true (or false), in three-valued logic."""
    match predicate:
        case Versus(left, operator, right):
            sign = operator if wanted else operator.negated()
            first, second = compared(left, right, domain)
            return f"{rendered(first, dialect)} {sign.value} {rendered(second, dialect)}"
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
        case Worded(sql=sql):
            return sql if wanted else f"NOT ({sql})"
        case _:
            reach = predicate.reach(domain)
            assert reach.exact
            return dialect.sql((reach.true if wanted else reach.false).condition())


def rendered(operation: Computed, dialect: Dialect = DUCKDB) -> str:
    """SQL for an operation in the type that was chosen for it; nothing is left to the engine's own inference."""
    assert operation.width is not Width.NONE
    match operation:
        case Load(column=column, since=since):
            return name(column) if since is None else dialect.days(name(column), since)
        case Constant(value=value):
            return _whole(value, operation.width, dialect)
        case Cast(part=part):
            return f"CAST({rendered(part, dialect)} AS {_type(operation.width, dialect)})"
        case Applied(sign=Sign.OVER, left=left, right=right, width=width):
            return dialect.over(rendered(left, dialect), rendered(right, dialect), wide=width is Width.WIDE)
        case Applied(sign=sign, left=left, right=right):
            return f"({rendered(left, dialect)} {sign.value} {rendered(right, dialect)})"
        case Kept(part=part):
            inner = rendered(part, dialect)
            low, high = (_whole(end, operation.width, dialect) for end in (operation.low, operation.high))
            return f"CASE WHEN {inner} < {low} THEN {low} WHEN {inner} > {high} THEN {high} ELSE {inner} END"
        case Outermost(function=function, parts=parts):
            return f"{function}({', '.join(rendered(part, dialect) for part in parts)})"
        case Looked(place=place, values=values):
            return dialect.listed(values, f"({rendered(place, dialect)} + {_whole(1, Width.NARROW, dialect)})")
        case FirstOf(parts=parts):
            return f"COALESCE({', '.join(rendered(part, dialect) for part in parts)})"
        case Chosen(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {holds(test, dialect)} THEN {rendered(value, dialect)}" for test, value in branches)
            return f"CASE {whens} ELSE {rendered(otherwise, dialect)} END"
        case Folded(function=function, part=part):
            return f"{function}({'*' if part is None else rendered(part, dialect)})"
        case _:
            assert_never(operation)


def _whole(value: int | None, width: Width, dialect: Dialect) -> str:
    return f"CAST({'NULL' if value is None else value} AS {_type(width, dialect)})"


def _type(width: Width, dialect: Dialect) -> str:
    return dialect.whole if width is Width.NARROW else dialect.wide
