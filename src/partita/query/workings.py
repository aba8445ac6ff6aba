"""Workings: the operations by which an engine computes expressions, comparisons, buckets and aggregates of owners."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import lcm
from typing import assert_never

from partita.query import keys as keys_of
from partita.query import operations as make
from partita.query.conditions import Condition, versuses
from partita.query.expressions import Case, Clamp, Expression, First, Number, Plus, Times, Value, numeric, shared
from partita.query.gathering import FINER, Gathered, Gathers
from partita.query.keys import Bucket
from partita.query.operations import MOST_ROWS, Computed, Load, Sign, Width
from partita.query.program import Present, Program, Total, Values
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
    sides = [_worked(side, domain) for side in (left, right)]
    bottom = lcm(*(unit.denominator for _, unit in sides))
    first, second = (make.scaled(side, int(unit * bottom)) for side, unit in sides)
    width = max(first.width, second.width)
    return make.cast(first, width), make.cast(second, width)


def needed(condition: Condition) -> Width:
    """The widest type that a condition's comparisons need."""
    domain = condition.region.domain
    found = [
        compared(versus.left, versus.right, domain)[0].width for test in condition.tests for versus in versuses(test)
    ]
    return max(found, default=Width.NARROW)


def bucket(key: Bucket, domain: Domain) -> Computed:
    """The place of a row's bucket, or NULL."""
    column = numeric(key.column, domain)
    # A bucket wider than the column splits it at zero and nowhere else; one just as wide does the same.
    step = min(keys_of.units(key, domain), max(-column.low, column.high + 1, 1))
    # Moved above zero, so that every dialect's integer division rounds down.
    first = make.constant(-(column.low // step) * step)
    above = make.applied(Sign.PLUS, _loaded(key.column, domain), first)
    return make.applied(Sign.OVER, above, make.constant(step))


def gathered(column: Gathered, domain: Domain) -> Computed:
    """One owner's aggregate in whole units, kept within its bounds, ending in 64 bits."""
    found = _folded(column, domain)
    low, high = column.bounds.low, column.bounds.high
    # Both ends, in reach or not: what comes back must lie between them however many rows there were.
    width = max(found.width, Width.of(low, high))
    kept: Computed = make.Kept(low, high, width, make.cast(found, width), low, high)
    return make.cast(kept, Width.NARROW)


def too_wide(program: Program) -> bool:
    """Whether some number of a program has no type: nothing of the kind may be charged for."""
    domain = program.table.domain
    widths = [needed(program.where)]
    if program.gathering is not None:
        widths += [gathered(column, domain).width for column in program.gathering.columns]
        widths.append(needed(program.gathering.where))
        domain = program.gathering.table.domain
    widths += [
        whole(tally.of, domain).width for tally in program.tallies if isinstance(tally, Present | Total | Values)
    ]
    widths += [bucket(key, domain).width for key in program.cells.keys if isinstance(key, Bucket)]
    return Width.NONE in widths


def _folded(column: Gathered, domain: Domain) -> Computed:
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
            return _loaded(name, domain), Fraction(1) if isinstance(declared, Dates) else numeric(name, domain).step
        case Number(None):
            return make.constant(None), Fraction(1)
        case Number(value):
            assert value is not None
            return make.constant(value.numerator), Fraction(1, value.denominator)
        case Plus(parts):
            terms, unit = _aligned(parts, domain)
            return reduce(lambda one, other: make.applied(Sign.PLUS, one, other), terms), unit
        case Times(parts):
            pieces = [_worked(part, domain) for part in parts]
            product = reduce(lambda one, other: make.applied(Sign.TIMES, one, other), (piece for piece, _ in pieces))
            return product, reduce(lambda one, other: one * other, (unit for _, unit in pieces))
        case Clamp(part, low, high):
            inner, own = _worked(part, domain)
            unit = shared(own, low, high)
            return make.kept(make.scaled(inner, int(own / unit)), int(low / unit), int(high / unit)), unit
        case First(parts):
            terms, unit = _aligned(parts, domain)
            return make.first_of(terms), unit
        case Case(branches, otherwise):
            terms, unit = _aligned((*(value for _, value in branches), otherwise), domain)
            tests = [test for test, _ in branches]
            return make.chosen(tests, terms, width=max(map(needed, tests), default=Width.NARROW)), unit
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
        return Load(0, declared.values[0][1] - 1, Width.NARROW, name, declared.low)
    column = numeric(name, domain)
    return Load(column.low, column.high, Width.of(column.low, column.high), name)
