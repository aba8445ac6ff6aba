"""Refuses conditions that are true of no row because they compare something with the word NULL."""

from __future__ import annotations

from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from partita.errors.query import nulls as refuse
from partita.errors.query.underlined import at
from partita.query.sql.places import words

_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike)
_LONGEST: Final = 60
_FILTERS: Final = (exp.Where, exp.Having, exp.Qualify)


def checked(text: str, tree: exp.Expr) -> exp.Expr:
    """The statement; refused if it reads, or keeps, no row at all: its answer would be noise alone, and paid for.

    Only NULL as a word counts: one that comes from data, or from CASE, is what SQL makes of it.
    """
    if "null" in text.lower():
        for clause in tree.find_all(*_FILTERS):
            met(text, clause.this)
    return tree


def met(text: str, condition: exp.Expr) -> None:
    """Refuse a condition that NULL as a word makes true of no row."""
    if "null" in text.lower() and (found := _never(condition, truth=True)) is not None:
        place = words(text, found)
        problem = refuse.compared_with_null(_short(found))
        raise problem if place is None else at(problem, place)


def _never(node: exp.Expr, *, truth: bool) -> exp.Expr | None:
    """The part because of which a condition is never true, or never false; None where it may be."""
    match node:
        case exp.Paren():
            return _never(node.this, truth=truth)
        case exp.Not():
            return _never(node.this, truth=not truth)
        case exp.And() | exp.Or():
            parts = (_never(part, truth=truth) for part in node.flatten())
            if isinstance(node, exp.And) == truth:
                return next((part for part in parts if part is not None), None)
            every = list(parts)
            return None if None in every else every[0]
        case exp.Between():
            return node if _null(node.this) or _some([node.args["low"], node.args["high"]], every=not truth) else None
        case exp.In() if node.expressions:
            # What is none of 1 and NULL is not known: NULL might be anything.
            return node if _null(node.this) or _some(node.expressions, every=truth) else None
        case _:
            compared = isinstance(node, _COMPARED) and (_null(node.this) or _null(node.expression))
            return node if compared else None


def _some(nodes: list[exp.Expr], *, every: bool) -> bool:
    return (all if every else any)(map(_null, nodes))


def _null(node: exp.Expr) -> bool:
    """Whether it is NULL as a word, in brackets or as one of some type."""
    node = node.unnest()
    while isinstance(node, exp.Cast):
        node = node.this.unnest()
    return isinstance(node, exp.Null)


def _short(node: exp.Expr) -> str:
    try:
        text = node.sql(dialect="duckdb")
    except SqlglotError:
        return "a comparison with NULL"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
