"""Refuses expressions whose exact value could leave the engine's integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm

from partita.errors import query as refuse
from partita.query.aggregates import Aggregate, Correlation, Covariance, Variance, arguments
from partita.query.conditions import Condition, versuses
from partita.query.expressions import (
    WIDEST_STEP,
    WIDEST_VALUE,
    Case,
    Expression,
    Number,
    Times,
    bounds,
    parts_of,
    widest,
)
from partita.query.plan import Plan
from partita.query.text import readable, shown_aggregate, truth
from partita.region.domain import Domain


def check_widths(plan: Plan) -> Plan:
    """The same plan, if everything it computes fits; otherwise a refusal.

    What is added up must fit 62 bits, and what is computed on the way 120 (check_widths.proof.md).
    """
    domain = plan.domain
    for aggregate in plan.aggregates:
        for of in _added(aggregate):
            if not (_fits(of, domain) and _narrow(of, domain)):
                raise refuse.too_wide(shown_aggregate(aggregate, readable))
    _check(plan.where, plan.table.domain)
    if plan.gathering is not None:
        _check(plan.met, domain)
        for column in plan.gathering.columns:
            if column.of is not None and not (
                _fits(column.of, plan.table.domain) and _narrow(column.of, plan.table.domain)
            ):
                raise refuse.too_wide(column.name)
    return plan


def _added(aggregate: Aggregate) -> tuple[Expression, ...]:
    """Everything that is added up, or that bounds what is: squares and products count in half units of each factor."""
    parts = arguments(aggregate)
    if not isinstance(aggregate, Variance | Covariance | Correlation):
        return parts
    pairs = combinations_with_replacement(parts, 2)
    return (*parts, *(Times((Number(Fraction(16)), one, other)) for one, other in pairs))


def _narrow(of: Expression, domain: Domain) -> bool:
    found = bounds(of, domain)
    # Twice, because a centred sum counts in half units.
    return 2 * (abs(found.low) + abs(found.high)) <= WIDEST_VALUE


def _fits(of: Expression, domain: Domain) -> bool:
    if widest(of, domain) > WIDEST_STEP:
        return False
    if isinstance(of, Case):
        for condition, _ in of.branches:
            _check(condition, domain)
    return all(_fits(part, domain) for part in parts_of(of))


def _check(condition: Condition, domain: Domain) -> None:
    for test in condition.tests:
        for versus in versuses(test):
            sides = (bounds(versus.left, domain), bounds(versus.right, domain))
            # Both sides are brought to one unit before they are compared.
            bottom = lcm(*(side.unit.denominator for side in sides))
            reach = max(int(side.unit * bottom) * max(abs(side.low), abs(side.high)) for side in sides)
            if reach > WIDEST_STEP or not (_fits(versus.left, domain) and _fits(versus.right, domain)):
                raise refuse.too_wide(truth(versus, domain))
