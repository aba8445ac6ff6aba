"""COUNT(x) of an expression that is never NULL counts rows."""

from __future__ import annotations

from fractions import Fraction

from partita.query.language.aggregates import Aggregate, Count, CountRows
from partita.query.language.expressions import Case, Expression, Number, Plus, Times, Value, bounds
from partita.query.language.plan import Plan
from partita.query.rewrite.everywhere import replaced
from partita.region.domain import Domain


def count_present_rows(plan: Plan) -> Plan:
    """What is counted matters only in that it may be NULL, so COUNT(2 * x) is COUNT(x)."""
    return replaced(plan, {aggregate: counting(aggregate, plan.domain) for aggregate in plan.aggregates})


def counting(aggregate: Aggregate, domain: Domain) -> Aggregate:
    """A count in the form that the rule gives it."""
    if not isinstance(aggregate, Count):
        return aggregate
    of = _bare(aggregate.of)
    return CountRows() if not bounds(of, domain).nullable else Count(of)


def _bare(of: Expression) -> Expression:
    """The simplest expression that is NULL on the same rows."""
    match of:
        case Plus((single, Number(value))) | Times((Number(value), single)) if value is not None:
            return _bare(single)
        case Case(branches, otherwise):
            one = Number(Fraction(1))
            return Case(
                tuple((test, one if _always(value) else value) for test, value in branches),
                one if _always(otherwise) else otherwise,
            )
        case Value() | _:
            return of


def _always(value: Expression) -> bool:
    return isinstance(value, Number) and value.value is not None
