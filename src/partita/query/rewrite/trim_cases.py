"""Drops branches of CASE that can never be taken, and CASE itself where only one value is left."""

from __future__ import annotations

from partita.query.language.expressions import Case, Expression
from partita.query.language.plan import Plan
from partita.query.rewrite.everywhere import in_expressions


def trim_cases(plan: Plan) -> Plan:
    """A branch whose condition holds nowhere goes; after one that holds everywhere nothing is reached."""
    return in_expressions(plan, _trimmed)


def _trimmed(expression: Expression) -> Expression:
    if not isinstance(expression, Case):
        return expression
    kept, otherwise = [], expression.otherwise
    for condition, value in expression.branches:
        if condition.region.empty:
            continue
        if condition.region.whole and not condition.tests:
            otherwise = value
            break
        kept.append((condition, value))
    while kept and kept[-1][1] == otherwise:
        kept.pop()
    return Case(tuple(kept), otherwise) if kept else otherwise
