"""What conditions and expressions mean for one record, in plain Python: the meaning that every engine is held to."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction
from typing import assert_never

from partita.engine.plain.words import UNTOLD, Told, said
from partita.query.language.conditions import Condition, Versus
from partita.query.language.curves import curve, nearest
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
    bounds,
)
from partita.query.language.worded import Worded
from partita.region.calendar import month_number
from partita.region.columns import Operator, Timestamps
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate


def meets(condition: Condition, codes: tuple[int, ...], told: Told = UNTOLD) -> bool:
    """Whether a record with these codes and open texts meets a condition: in its region, and every test true."""
    domain = condition.region.domain
    return condition.region.holds(codes) and all(truth(test, codes, domain, told) is True for test in condition.tests)


def truth(predicate: Predicate, codes: tuple[int, ...], domain: Domain, told: Told = UNTOLD) -> bool | None:
    """A predicate of one record in three-valued logic."""
    match predicate:
        case Versus(left, operator, right):
            first, second = evaluate(left, codes, domain, told), evaluate(right, codes, domain, told)
            return None if first is None or second is None else _compare(first, operator, second)
        case Not(part):
            inner = truth(part, codes, domain, told)
            return None if inner is None else not inner
        case And(parts):
            found = [truth(part, codes, domain, told) for part in parts]
            return False if False in found else None if None in found else True
        case Or(parts):
            found = [truth(part, codes, domain, told) for part in parts]
            return True if True in found else None if None in found else False
        case IsTrue(part):
            return truth(part, codes, domain, told) is True
        case Known(value):
            return value
        case Worded(sql=sql):
            found_so = said(sql, told)
            assert found_so is None or isinstance(found_so, bool)
            return found_so
        case _:
            reach = predicate.reach(domain)
            assert reach.exact
            return True if reach.true.holds(codes) else False if reach.false.holds(codes) else None


def evaluate(expression: Expression, codes: tuple[int, ...], domain: Domain, told: Told = UNTOLD) -> Fraction | None:
    """The exact value of an expression for one record, or None for NULL."""
    match expression:
        case Value(name):
            axis = domain.axis(name)
            column = domain.bounded[axis]
            value = column.value(codes[axis])
            if isinstance(column, Timestamps):
                return None if value is None else (column.low + codes[axis]) * column.step
            if isinstance(value, date):
                return Fraction(codes[axis])
            return None if value is None else Fraction(value)  # type: ignore[call-overload]
        case Number(constant):
            return constant
        case Plus(parts):
            terms = [evaluate(part, codes, domain, told) for part in parts]
            return None if None in terms else sum((term for term in terms if term is not None), Fraction(0))
        case Times(parts):
            product: Fraction | None = Fraction(1)
            for part in parts:
                factor = evaluate(part, codes, domain, told)
                product = None if product is None or factor is None else product * factor
            return product
        case Clamp(part, low, high):
            inner = evaluate(part, codes, domain, told)
            return None if inner is None else min(max(inner, low), high)
        case Quotient(part, width):
            inner = evaluate(part, codes, domain, told)
            return None if inner is None else Fraction(math.floor(inner / width))
        case Remainder(part, width):
            inner = evaluate(part, codes, domain, told)
            return None if inner is None else inner - width * math.floor(inner / width)
        case Months(part):
            inner = evaluate(part, codes, domain, told)
            return None if inner is None else Fraction(month_number(math.floor(inner)))
        case Extreme(parts, greatest):
            found = [one for part in parts if (one := evaluate(part, codes, domain, told)) is not None]
            return (max if greatest else min)(found, default=None)
        case Ratio(part, divisor, step):
            inner, below = evaluate(part, codes, domain, told), evaluate(divisor, codes, domain, told)
            if inner is None or below is None:
                return None
            below = below if below > 0 else bounds(divisor, domain).unit
            return nearest(max(inner, Fraction(0)) / below, step) * step
        case Curved(name, part, low, high, unit, step):
            inner = evaluate(part, codes, domain, told)
            if inner is None:
                return None
            return curve(name, low, high, unit, step).at(math.floor((inner - low) / unit)) * step
        case First(parts):
            for part in parts:
                inner = evaluate(part, codes, domain, told)
                if inner is not None:
                    return inner
            return None
        case Case(branches, otherwise):
            for condition, value in branches:
                if meets(condition, codes, told):
                    return evaluate(value, codes, domain, told)
            return evaluate(otherwise, codes, domain, told)
        case _:
            assert_never(expression)


def _compare(first: Fraction, operator: Operator, second: Fraction) -> bool:
    match operator:
        case Operator.EQUAL:
            return first == second
        case Operator.DIFFERENT:
            return first != second
        case Operator.BELOW:
            return first < second
        case Operator.AT_MOST:
            return first <= second
        case Operator.ABOVE:
            return first > second
        case Operator.AT_LEAST:
            return first >= second
        case _:
            assert_never(operator)
