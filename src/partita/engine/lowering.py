"""Expressions and conditions as SQL over sanitised columns: each operation in its own brackets and its own type."""

from __future__ import annotations

from collections.abc import Sequence
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
    Width,
)
from partita.query.exact.workings import compared, whole
from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import Expression
from partita.query.language.text import in_quotes as name
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate


def integer(expression: Expression, domain: Domain, dialect: str = "duckdb") -> str:
    """SQL for the expression counted in its own units: a 64-bit integer, or NULL."""
    return rendered(whole(expression, domain), dialect)


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
        case _:
            reach = predicate.reach(domain)
            assert reach.exact
            return (reach.true if wanted else reach.false).to_sql(dialect)


def rendered(operation: Computed, dialect: str = "duckdb") -> str:
    """SQL for an operation in the type that was chosen for it; nothing is left to the engine's own inference."""
    assert operation.width is not Width.NONE
    match operation:
        case Load(column=column, since=since):
            return name(column) if since is None else f"({name(column)} - CAST('{since.isoformat()}' AS DATE))"
        case Constant(value=value):
            return _whole(value, operation.width, dialect)
        case Cast(part=part):
            return f"CAST({rendered(part, dialect)} AS {_type(operation.width, dialect)})"
        case Applied(sign=sign, left=left, right=right):
            return f"({rendered(left, dialect)} {sign.value} {rendered(right, dialect)})"
        case Kept(part=part):
            inner = rendered(part, dialect)
            low, high = (_whole(end, operation.width, dialect) for end in (operation.low, operation.high))
            return f"CASE WHEN {inner} < {low} THEN {low} WHEN {inner} > {high} THEN {high} ELSE {inner} END"
        case Outermost(function=function, parts=parts):
            return f"{function}({', '.join(rendered(part, dialect) for part in parts)})"
        case Looked(place=place, values=values):
            return _listed(values, rendered(place, dialect), dialect)
        case FirstOf(parts=parts):
            return f"COALESCE({', '.join(rendered(part, dialect) for part in parts)})"
        case Chosen(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {holds(test, dialect)} THEN {rendered(value, dialect)}" for test, value in branches)
            return f"CASE {whens} ELSE {rendered(otherwise, dialect)} END"
        case Folded(function=function, part=part):
            return f"{function}({'*' if part is None else rendered(part, dialect)})"
        case _:
            assert_never(operation)


def _listed(values: Sequence[int], place: str, dialect: str) -> str:
    """The number at a place of a list; engines count places from 1."""
    counted, numbers = f"({place} + {_whole(1, Width.NARROW, dialect)})", ",".join(map(str, values))
    if dialect == "duckdb":
        return f"LIST_EXTRACT(CAST('[{numbers}]' AS BIGINT[]), {counted})"
    if dialect == "postgres":
        return f"(CAST('{{{numbers}}}' AS BIGINT[]))[CAST({counted} AS INT)]"
    typed = ", ".join(_whole(value, Width.NARROW, dialect) for value in values)
    return f"ELEMENT_AT(ARRAY({typed}), CAST({counted} AS INT))"


def _whole(value: int | None, width: Width, dialect: str) -> str:
    return f"CAST({'NULL' if value is None else value} AS {_type(width, dialect)})"


def _type(width: Width, dialect: str) -> str:
    if width is Width.NARROW:
        return "BIGINT"
    return "HUGEINT" if dialect == "duckdb" else "DECIMAL(38, 0)"
