"""Workings: the operations by which an engine computes expressions, comparisons, buckets and aggregates of owners."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm, prod
from typing import assert_never

from partita.errors.query import language as refuse
from partita.query.exact import operations as make
from partita.query.exact.operations import MOST_DEEP, MOST_OPERATIONS, MOST_ROWS, Computed, Load, Sign, Width
from partita.query.exact.program import Different, Present, Program, Total, Values
from partita.query.language import keys as keys_of
from partita.query.language.conditions import Condition, versuses
from partita.query.language.curves import curve
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
    counted,
    numeric,
    shared,
)
from partita.query.language.keys import Bucket, Valued
from partita.query.language.per_user import FINER, Gathers, PerUserColumn
from partita.region.columns import Dates
from partita.region.domain import Domain


def whole(expression: Expression, domain: Domain) -> Computed:
    """The operations for an expression counted in its own units, ending in 64 bits.

    >>> from partita.region.columns import integers
    >>> domain = Domain({"age": integers(0, 120)})
    >>> whole(Times((Number(Fraction(1, 10**30)), Value("age"))), domain).width
    <Width.NARROW: 1>
    """
    found, _ = _worked(expression, domain)
    return make.cast(found, Width.NARROW)


def compared(left: Expression, right: Expression, domain: Domain) -> tuple[Computed, Computed]:
    """The operations for two expressions in one unit and one type, so that they can be compared as integers."""
    both = [_worked(side, domain) for side in (left, right)]
    bottom = lcm(*(unit.denominator for _, unit in both))
    first, second = (make.scaled(side, int(unit * bottom)) for side, unit in both)
    width = max(first.width, second.width)
    return make.cast(first, width), make.cast(second, width)


def sides(condition: Condition) -> list[Computed]:
    """Everything that a condition compares."""
    domain = condition.region.domain
    return [
        side
        for test in condition.tests
        for versus in versuses(test)
        for side in compared(versus.left, versus.right, domain)
    ]


def bucket(key: Bucket, domain: Domain) -> Computed:
    """The place of a row's bucket, or NULL."""
    column = numeric(key.column, domain)
    # A bucket wider than the column splits it at zero and nowhere else; one just as wide does the same.
    step = min(keys_of.units(key, domain), max(-column.low, column.high + 1, 1))
    # Moved above zero, so that every dialect's integer division rounds down.
    first = make.constant(-(column.low // step) * step)
    above = make.applied(Sign.PLUS, _loaded(key.column, domain), first)
    return make.applied(Sign.OVER, above, make.constant(step))


def valued(key: Valued, domain: Domain) -> Computed:
    """The place of a row's value among those of the key, or NULL."""
    return make.applied(Sign.PLUS, whole(key.of, domain), make.constant(-key.within.low))


def gathered(column: PerUserColumn, domain: Domain) -> Computed:
    """One owner's aggregate in whole units, kept within its bounds, ending in 64 bits."""
    # Both ends, in reach or not: what comes back must lie between them however many rows there were.
    return make.cast(make.within(_folded(column, domain), column.bounds.low, column.bounds.high), Width.NARROW)


def computed(program: Program) -> list[Computed]:
    """Everything that an engine computes for a program."""
    domain = program.table.domain
    found = sides(program.where)
    filters = [tally.among for tally in program.tallies if isinstance(tally, Different) and tally.among is not None]
    found += [side for among in filters for side in sides(among)]
    if program.per_user is not None:
        found += [gathered(column, domain) for column in program.per_user.columns]
        found += sides(program.per_user.where)
        domain = program.per_user.table.domain
    found += [whole(tally.of, domain) for tally in program.tallies if isinstance(tally, Present | Total | Values)]
    found += [bucket(key, domain) for key in program.cells.keys if isinstance(key, Bucket)]
    found += [valued(key, domain) for key in program.cells.keys if isinstance(key, Valued)]
    return found


def typed(operation: Computed, name: Callable[[], str]) -> None:
    """Refuse what has no type; ``name`` says what it is."""
    if operation.long:
        raise refuse.too_many_operations(name(), MOST_OPERATIONS, MOST_DEEP)
    if operation.width is Width.NONE:
        raise refuse.too_wide(name())


def _folded(column: PerUserColumn, domain: Domain) -> Computed:
    if column.of is None:
        return make.counted(None)
    of = whole(column.of, domain)
    match column.gathers:
        case Gathers.ROWS | Gathers.PRESENT:
            return make.counted(of)
        case Gathers.TOTAL:
            return make.totalled(of)
        case Gathers.LEAST | Gathers.GREATEST:
            return make.extreme(column.gathers.value, of)
        case Gathers.MEAN:
            return _mean(of)
        case _:
            assert_never(column.gathers)


def _mean(of: Computed) -> Computed:
    """The mean to a hundredth: moved above zero, so that integer division rounds down, and half is added."""
    count = make.counted(of)
    base = make.scaled(count, -of.low) if of.low else make.constant(0)
    above = make.applied(Sign.PLUS, make.totalled(of), base)
    halves = make.applied(Sign.PLUS, make.scaled(above, 2 * FINER), count)
    # An owner without a value has a sum of NULL; a division by no rows must not be tried all the same.
    mean = make.applied(Sign.OVER, halves, make.scaled(make.kept(count, 1, MOST_ROWS), 2))
    return make.applied(Sign.PLUS, mean, make.constant(FINER * of.low))


def _worked(expression: Expression, domain: Domain) -> tuple[Computed, Fraction]:
    """The operations for an expression, and the unit in which they count: the one of its bounds."""
    match expression:
        case Value(name):
            declared = domain.bounded[domain.axis(name)]
            return _loaded(name, domain), Fraction(1) if isinstance(declared, Dates) else counted(name, domain).step
        case Number(None):
            return make.constant(None), Fraction(1)
        case Number(value):
            assert value is not None
            return make.constant(value.numerator), Fraction(1, value.denominator)
        case Plus(parts):
            terms, unit = _aligned(parts, domain)
            return make.folded(Sign.PLUS, terms), unit
        case Times(parts):
            pieces = [_worked(part, domain) for part in parts]
            return make.folded(Sign.TIMES, [piece for piece, _ in pieces]), prod(
                (unit for _, unit in pieces), start=Fraction(1)
            )
        case Clamp(part, low, high):
            inner, own = _worked(part, domain)
            unit = shared(own, low, high)
            return make.kept(make.scaled(inner, int(own / unit)), int(low / unit), int(high / unit)), unit
        case Quotient(part, width):
            inner, own = _worked(part, domain)
            ratio = own / width
            return make.quotient(make.scaled(inner, ratio.numerator), ratio.denominator), Fraction(1)
        case Remainder(part, width):
            inner, own = _worked(part, domain)
            unit = shared(own, width)
            return make.remainder(make.scaled(inner, int(own / unit)), int(width / unit)), unit
        case Months(part):
            inner, own = _worked(part, domain)
            return make.months(make.quotient(make.scaled(inner, own.numerator), own.denominator)), Fraction(1)
        case Extreme(parts, greatest):
            terms, unit = _aligned(parts, domain)
            return make.outermost("GREATEST" if greatest else "LEAST", terms), unit
        case Ratio(part, divisor, step):
            (over, mine), (under, other) = _worked(part, domain), _worked(divisor, domain)
            # The divisor is at least one of its units; then both are brought to whole numbers of one size.
            under = under if under.low >= 1 else make.kept(under, 1, max(under.high, 1))
            share = mine / (other * step)
            return make.ratio(make.scaled(over, share.numerator), make.scaled(under, share.denominator)), step
        case Curved(name, part, low, high, unit, step):
            above, own = _worked(Plus((part, Number(-low))), domain)
            ratio = own / unit
            place = make.quotient(make.scaled(above, ratio.numerator), ratio.denominator)
            return make.curved(place, curve(name, low, high, unit, step)), step
        case First(parts):
            terms, unit = _aligned(parts, domain)
            return make.first_of(terms), unit
        case Case(branches, otherwise):
            terms, unit = _aligned((*(value for _, value in branches), otherwise), domain)
            tests = [test for test, _ in branches]
            return make.chosen(tests, terms, [side for test in tests for side in sides(test)]), unit
        case _:
            assert_never(expression)


def _aligned(parts: tuple[Expression, ...], domain: Domain) -> tuple[list[Computed], Fraction]:
    """The parts in the largest unit of which all of theirs are whole multiples."""
    pieces = [_worked(part, domain) for part in parts]
    unit = shared(pieces[0][1], *(own for _, own in pieces[1:]))
    return [make.scaled(piece, int(own / unit)) for piece, own in pieces], unit


def _loaded(name: str, domain: Domain) -> Computed:
    declared = domain.bounded[domain.axis(name)]
    if isinstance(declared, Dates):
        return Load(0, declared.values[0][1] - 1, Width.NARROW, 2, 2, name, declared.low)
    column = counted(name, domain)
    return Load(column.low, column.high, Width.of(column.low, column.high), 1, 1, name)
