"""Functions of bounded expressions, made of the closed language: quotients, roundings, roots and logarithms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, Literal

from partita.query.language.conditions import condition, versus
from partita.query.language.curves import MOST_EXPONENT, lattice
from partita.query.language.expressions import (
    WIDEST_VALUE,
    Bounds,
    Case,
    Clamp,
    Curved,
    Expression,
    Number,
    Plus,
    Quotient,
    Ratio,
    Remainder,
    Times,
    Value,
    bounds,
)
from partita.region.columns import Operator
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.predicate import And, Compare, Or, Predicate

ZERO: Final = Number(Fraction(0))
NOTHING: Final = Number(None)
MOST_POWER: Final = 8
MOST_BITS: Final = 1024
MOST_ARGUMENT: Final = Fraction(10**30)


def minus(part: Expression) -> Expression:
    """The part with the other sign."""
    return Times((Number(Fraction(-1)), part))


def against(part: Expression, operator: Operator, constant: Fraction, domain: Domain) -> Predicate:
    """The part compared with a constant; of a column this is a region."""
    if isinstance(part, Value) and not part.timed:
        column = domain.bounded[domain.axis(part.column)]
        if isinstance(column, Stepped):
            return Compare(part.column, operator, constant)
    return versus(part, operator, Number(constant))


def chosen(*branches: tuple[Predicate, Expression], otherwise: Expression, domain: Domain) -> Expression:
    """CASE WHEN ... THEN ... ELSE ... END."""
    made = tuple((condition(test, domain), value) for test, value in branches)
    return Case(made, otherwise) if made else otherwise


def absolute(part: Expression, domain: Domain) -> Expression:
    """ABS(x)."""
    within = bounds(part, domain)
    if within.low >= 0:
        return part
    if within.high <= 0:
        return minus(part)
    below = against(part, Operator.BELOW, Fraction(0), domain)
    most = max(-within.lowest, within.highest)
    return Clamp(chosen((below, minus(part)), otherwise=part, domain=domain), Fraction(0), most)


def divided(
    part: Expression, divisor: Expression, domain: Domain, *, step: Fraction | None = None, most: Fraction | None = None
) -> Expression:
    """x / y as a whole number of steps, to the nearest, halves away from zero; NULL where y is 0.

    Without a step it has eight digits of the largest value that x / y can have, or of ``most`` if that is less.
    """
    over, under = bounds(part, domain), bounds(divisor, domain)
    if under.low == under.high == 0:
        return NOTHING
    largest = max(-over.lowest, over.highest, Fraction(0)) / _least(under)
    if step is None:
        step = lattice(largest if most is None else min(largest, most))
    found = Ratio(absolute(part, domain), absolute(divisor, domain), step)
    branches: list[tuple[Predicate, Expression]] = []
    if under.low <= 0 <= under.high:
        branches.append((against(divisor, Operator.EQUAL, Fraction(0), domain), NOTHING))
    opposite = _opposite(part, over, divisor, under, domain)
    if opposite is True:
        return chosen(*branches, otherwise=minus(found), domain=domain)
    if opposite is not None:
        branches.append((opposite, minus(found)))
    return chosen(*branches, otherwise=found, domain=domain)


def _least(under: Bounds) -> Fraction:
    """The divisor that is nearest to zero, and not zero."""
    if under.low > 0:
        return under.lowest
    return -under.highest if under.high < 0 else under.unit


def _opposite(
    part: Expression, over: Bounds, divisor: Expression, under: Bounds, domain: Domain
) -> Predicate | Literal[True] | None:
    """Where the two have different signs: everywhere (True), nowhere (None), or where a condition holds."""
    below = [against(one, Operator.BELOW, Fraction(0), domain) for one in (part, divisor)]
    above = [against(one, Operator.ABOVE, Fraction(0), domain) for one in (part, divisor)]
    if under.low >= 0:
        return None if over.low >= 0 else True if over.high <= 0 else below[0]
    if under.high <= 0:
        return True if over.low >= 0 else None if over.high <= 0 else above[0]
    if over.low >= 0:
        return below[1]
    if over.high <= 0:
        return above[1]
    return Or((And((below[0], above[1])), And((above[0], below[1]))))


def quotient_compared(
    part: Expression, divisor: Expression, operator: Operator, other: Expression, domain: Domain
) -> Predicate:
    """x / y compared with z, exactly: both sides times y, and turned round where y is below zero; NULL where y is 0."""
    under = bounds(divisor, domain)
    branches: list[tuple[Predicate, Expression]] = []
    if under.low <= 0 <= under.high:
        branches.append((against(divisor, Operator.EQUAL, Fraction(0), domain), NOTHING))
    if under.low < 0:
        branches.append((against(divisor, Operator.BELOW, Fraction(0), domain), minus(part)))
    mine = chosen(*branches, otherwise=part, domain=domain)
    return versus(mine, operator, Times((other, absolute(divisor, domain))))


def rounded(part: Expression, step: Fraction, domain: Domain, *, half: bool = True) -> Expression:
    """The nearest multiple of the step, halves away from zero; without ``half``, the nearest towards zero."""
    within = bounds(part, domain)
    if (within.unit / step).denominator == 1:
        return part
    added = Number(step / 2 if half else Fraction(0))

    def away(side: Expression) -> Expression:
        return Quotient(Plus((side, added)), step)

    steps = away(part)
    if within.low < 0:
        below = against(part, Operator.BELOW, Fraction(0), domain)
        steps = chosen((below, minus(away(minus(part)))), otherwise=steps, domain=domain)
    return Times((Number(step), steps))


def evenly(part: Expression, domain: Domain) -> Expression:
    """The nearest whole number, halves to the even one, as floating numbers are cast."""
    if bounds(part, domain).unit.denominator == 1:
        return part
    moved = Plus((part, Number(Fraction(1, 2))))
    up = Quotient(moved, Fraction(1))
    tie = versus(Remainder(moved, Fraction(1)), Operator.EQUAL, ZERO)
    odd = versus(Remainder(up, Fraction(2)), Operator.EQUAL, Number(Fraction(1)))
    return chosen((And((tie, odd)), Plus((up, Number(Fraction(-1))))), otherwise=up, domain=domain)


def sign(part: Expression, domain: Domain) -> Expression:
    """SIGN(x)."""
    tests = ((Operator.BELOW, -1), (Operator.ABOVE, 1), (Operator.EQUAL, 0))
    branches = [(against(part, operator, Fraction(0), domain), Number(Fraction(one))) for operator, one in tests]
    return chosen(*branches, otherwise=NOTHING, domain=domain)


def modulo(part: Expression, width: Fraction, domain: Domain) -> Expression:
    """What is left of a division by a constant, with the sign of what is divided; NULL by 0."""
    if not width:
        return NOTHING
    left = Remainder(part, abs(width))
    if bounds(part, domain).low >= 0:
        return left
    below = against(part, Operator.BELOW, Fraction(0), domain)
    return chosen((below, minus(Remainder(minus(part), abs(width)))), otherwise=left, domain=domain)


def without(part: Expression, other: Expression, domain: Domain) -> Expression:
    """NULLIF(x, y)."""
    equal = (
        against(part, Operator.EQUAL, other.value, domain)
        if isinstance(other, Number) and other.value is not None
        else versus(part, Operator.EQUAL, other)
    )
    return chosen((equal, NOTHING), otherwise=part, domain=domain)


def power(part: Expression, exponent: Fraction, domain: Domain) -> Expression | None:
    """x to a whole power, to a half, or to one of these below zero."""
    if exponent < 0:
        below = power(part, -exponent, domain)
        return None if below is None else divided(Number(Fraction(1)), below, domain)
    if exponent == Fraction(1, 2):
        return curved("sqrt", part, domain)
    if exponent.denominator != 1 or exponent > MOST_POWER:
        return None
    within = bounds(part, domain)
    if exponent * max(abs(within.low), abs(within.high), within.unit.denominator).bit_length() > MOST_BITS:
        return None
    if exponent == 0:
        return Plus((Times((ZERO, part)), Number(Fraction(1))))
    return part if exponent == 1 else Times((part,) * int(exponent))


def curved(name: str, part: Expression, domain: Domain, *, step: Fraction | None = None) -> Expression | None:
    """A root, a logarithm or an exponential; NULL where it has no value; None if it would be too large."""
    within = bounds(part, domain)
    low, high = within.lowest, within.highest
    least = {"exp": low, "sqrt": max(low, Fraction(0))}.get(name, max(low, within.unit))
    if high < least:
        return NOTHING
    if high > (MOST_EXPONENT if name == "exp" else MOST_ARGUMENT) or low < -MOST_ARGUMENT:
        return None
    if within.high - within.low > WIDEST_VALUE or within.unit < 1 / MOST_ARGUMENT:
        return None
    ends = [_value(name, end) for end in (least, high)]
    fine = lattice(max(map(abs, ends)))
    made = Curved(name, part, least, high, within.unit, fine if step is None else max(step, fine))
    if low >= least:
        return made
    outside = against(part, Operator.BELOW, least, domain)
    return chosen((outside, NOTHING), otherwise=made, domain=domain)


def _value(name: str, argument: Fraction) -> Fraction:
    number = float(argument)
    function = {"exp": math.exp, "sqrt": math.sqrt, "ln": math.log, "log10": math.log10, "log2": math.log2}[name]
    return Fraction(function(number))
