"""Removes a CLAMP that cannot change anything, and narrows one to what its argument can reach."""

from __future__ import annotations

from partita.query.language.expressions import Clamp, Expression, Number, bounds
from partita.query.language.plan import Plan
from partita.query.rewrite.everywhere import in_expressions


def loosen_clamps(plan: Plan) -> Plan:
    """CLAMP(age, -5, 500) of an age from 0 to 120 is the age; CLAMP(age, 18, 500) is CLAMP(age, 18, 120)."""
    domain = plan.domain

    def loosened(expression: Expression) -> Expression:
        if not isinstance(expression, Clamp):
            return expression
        inner = bounds(expression.part, domain)
        low, high = expression.low, expression.high
        if low <= inner.lowest and inner.highest <= high:
            return expression.part
        if inner.lowest <= high and low <= inner.highest:
            return Clamp(expression.part, max(low, inner.lowest), min(high, inner.highest))
        if not inner.nullable:
            return Number(low if inner.highest < low else high)
        return expression

    return in_expressions(plan, loosened)
