"""Turns a sum divided by its own count into an average, which knows the range it must stay in."""

from __future__ import annotations

from fractions import Fraction

from partita.query.language.aggregates import Average, Count, CountRows, Sum
from partita.query.language.expressions import Case, Expression, First, Number, Plus, Times, bounds
from partita.query.language.formulas import Apply, Constant, Formula, Operation, replaced
from partita.query.language.plan import Plan
from partita.region.domain import Domain


def averages_from_ratios(plan: Plan) -> Plan:
    """100 * SUM(x) / COUNT(*) is 100 * AVG(x) where x is never NULL; a share of the rows is an average of 0 and 1."""
    domain = plan.domain

    def averaged(formula: Formula) -> Formula:
        match formula:
            case Apply(Operation.DIVIDE, (top, bottom)):
                factor, whole = _factored(top)
                of = _shared(whole, _certain(bottom), domain)
                if of is None:
                    return formula
                mean = Average(of)
                return mean if factor == 1 else Apply(Operation.MULTIPLY, (Constant(factor), mean))
            case _:
                return formula

    changed = plan.presenting(lambda formula: replaced(formula, averaged))
    return plan if changed.shown == plan.shown and changed.lines == plan.lines else changed


def _shared(top: Formula, bottom: Formula, domain: Domain) -> Expression | None:
    """What would have to be averaged, if the top is a sum over the rows that the bottom counts."""
    match top, bottom:
        case Sum(of), CountRows() if not bounds(of, domain).nullable:
            return of
        case Sum(of), Count(counted) if of == counted:
            return of
        case Count(of), CountRows():
            return _present(of)
        case _:
            return None


def _present(of: Expression) -> Expression:
    """One where an expression has a value, zero where it has none."""
    one, zero = Number(Fraction(1)), Number(Fraction(0))
    match of:
        case Case(branches, Number(None)) if all(value == one for _, value in branches):
            return Case(branches, zero)
        case _:
            return First((Plus((Times((zero, of)), one)), zero))


def _factored(formula: Formula) -> tuple[Fraction, Formula]:
    match formula:
        case Apply(Operation.MULTIPLY, (Constant(value), part) | (part, Constant(value))) if isinstance(
            value, Fraction
        ):
            factor, inner = _factored(part)
            return value * factor, inner
        case _:
            return Fraction(1), formula


def _certain(formula: Formula) -> Formula:
    """NULLIF(count, 0) stands for the count: an average of no rows is NULL as well."""
    match formula:
        case Apply(Operation.UNLESS, (inner, Constant(value))) if value == 0:
            return inner
        case _:
            return formula
