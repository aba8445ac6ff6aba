"""Refuses expressions whose exact value could leave the engine's integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement

from partita.errors.query import language as refuse
from partita.query.exact.workings import compared, gathered, typed, whole
from partita.query.language.aggregates import Aggregate, Correlation, Covariance, Variance, arguments
from partita.query.language.conditions import Condition, versuses
from partita.query.language.expressions import WIDEST_VALUE, Expression, Number, Times, bounds
from partita.query.language.plan import Plan
from partita.query.language.text import readable, shown_aggregate, truth
from partita.region.domain import Domain


def check_widths(plan: Plan) -> Plan:
    """The same plan, if there is a type for every operation that an engine will do; otherwise a refusal.

    The operations are those that the engine is given, and what is added up must fit 62 bits (check_widths.proof.md).
    """
    for aggregate in plan.aggregates:
        for of in _added(aggregate):
            _fits(of, plan.domain, partial(shown_aggregate, aggregate, readable))
    _check(plan.where)
    if plan.per_user is not None:
        _check(plan.met)
        for column in plan.per_user.columns:
            if column.of is not None:
                _fits(column.of, plan.table.domain, partial(str, column.name))
            typed(gathered(column, plan.table.domain), partial(str, column.name))
    return plan


def _added(aggregate: Aggregate) -> tuple[Expression, ...]:
    """Everything that is added up, or that bounds what is: squares and products count in half units of each factor."""
    parts = arguments(aggregate)
    if not isinstance(aggregate, Variance | Covariance | Correlation):
        return parts
    pairs = combinations_with_replacement(parts, 2)
    return (*parts, *(Times((Number(Fraction(16)), one, other)) for one, other in pairs))


def _fits(of: Expression, domain: Domain, name: Callable[[], str]) -> None:
    found = bounds(of, domain)
    # Twice, because a centred sum counts in half units.
    if 2 * (abs(found.low) + abs(found.high)) > WIDEST_VALUE:
        raise refuse.too_wide(name())
    typed(whole(of, domain), name)


def _check(condition: Condition) -> None:
    domain = condition.region.domain
    for test in condition.tests:
        for versus in versuses(test):
            for side in compared(versus.left, versus.right, domain):
                typed(side, partial(truth, versus, domain))
