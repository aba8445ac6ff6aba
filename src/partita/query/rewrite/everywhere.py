"""Applies a change to every expression of a plan, from the inside out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

from partita.query.language.aggregates import Aggregate, arguments, with_arguments
from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import (
    Case,
    Clamp,
    Curved,
    Expression,
    Extreme,
    First,
    Months,
    Number,
    Plus,
    Quotient,
    Ratio,
    Remainder,
    Times,
    Value,
)
from partita.query.language.formulas import Formula
from partita.query.language.formulas import replaced as in_formula
from partita.query.language.plan import Plan
from partita.region.predicate import And, IsTrue, Not, Or, Predicate

Change = Callable[[Expression], Expression]


def in_expressions(plan: Plan, change: Change) -> Plan:
    """The plan with the change made to each expression; the same plan if nothing changed."""
    changed = {aggregate: _aggregate(aggregate, change) for aggregate in plan.aggregates}
    met = in_condition(plan.met, change)
    if met != plan.met:
        kept = None if plan.per_user is None else replace(plan.per_user, where=met)
        plan = replace(plan, per_user=kept, where=met if kept is None else plan.where)
    return replaced(plan, changed)


def replaced(plan: Plan, changed: Mapping[Aggregate, Formula]) -> Plan:
    """The plan with some aggregates replaced by others, or by formulas of others, that mean the same."""
    if all(old == new for old, new in changed.items()):
        return plan

    def renewed(formula: Formula) -> Formula:
        return changed.get(formula, formula)  # type: ignore[arg-type]

    return plan.presenting(lambda formula: in_formula(formula, renewed))


def in_condition(condition: Condition, change: Change) -> Condition:
    """The condition with the change made to each expression in its tests."""
    if not condition.tests:
        return condition
    return Condition(condition.region, tuple(_predicate(test, change) for test in condition.tests))


def inside_out(expression: Expression, change: Change) -> Expression:
    """The expression with the change made to its parts first and then to itself."""
    made: Expression
    match expression:
        case Value() | Number():
            made = expression
        case Plus(parts):
            made = Plus(tuple(inside_out(part, change) for part in parts))
        case Times(parts):
            made = Times(tuple(inside_out(part, change) for part in parts))
        case First(parts):
            made = First(tuple(inside_out(part, change) for part in parts))
        case Clamp(part, low, high):
            made = Clamp(inside_out(part, change), low, high)
        case Quotient(part, width):
            made = Quotient(inside_out(part, change), width)
        case Months(part):
            made = Months(inside_out(part, change))
        case Remainder(part, width):
            made = Remainder(inside_out(part, change), width)
        case Extreme(parts, greatest):
            made = Extreme(tuple(inside_out(part, change) for part in parts), greatest)
        case Ratio(part, divisor, step):
            made = Ratio(inside_out(part, change), inside_out(divisor, change), step)
        case Curved(name, part, low, high, unit, step):
            made = Curved(name, inside_out(part, change), low, high, unit, step)
        case Case(branches, otherwise):
            made = Case(
                tuple((in_condition(test, change), inside_out(value, change)) for test, value in branches),
                inside_out(otherwise, change),
            )
        case _:
            assert_never(expression)
    return change(made)


def _aggregate(aggregate: Aggregate, change: Change) -> Aggregate:
    return with_arguments(aggregate, tuple(inside_out(of, change) for of in arguments(aggregate)))


def _predicate(predicate: Predicate, change: Change) -> Predicate:
    match predicate:
        case Versus(left, operator, right):
            return Versus(inside_out(left, change), operator, inside_out(right, change))
        case Not(part):
            return Not(_predicate(part, change))
        case IsTrue(part):
            return IsTrue(_predicate(part, change))
        case And(parts):
            return And(tuple(_predicate(part, change) for part in parts))
        case Or(parts):
            return Or(tuple(_predicate(part, change) for part in parts))
        case _:
            return predicate
