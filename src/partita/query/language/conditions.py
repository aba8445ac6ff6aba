"""Conditions on one row: the region they can hold in, and what must be tested beyond the region."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never, final

from partita.limits import current
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
    columns,
)
from partita.region.columns import Operator
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate, Side
from partita.region.region import Region


@final
@dataclass(frozen=True, slots=True)
class Versus(Predicate):
    """Two bounded expressions compared; NULL if one is. It can be true anywhere, so it narrows no region."""

    left: Expression
    operator: Operator
    right: Expression

    def columns(self) -> frozenset[str]:
        return columns(self.left) | columns(self.right)

    def side(self, domain: Domain, *, truth: bool) -> Side:
        return Side(Region.everything(domain), exact=False)


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """True of exactly the rows in the region for which every test is true.

    The region is what a question with this condition is charged to; the same object makes the SQL (theory E9, E18).
    """

    region: Region
    tests: tuple[Predicate, ...] = ()

    def columns(self) -> frozenset[str]:
        """The columns that decide it."""
        return frozenset(self.region.constrained()).union(*(test.columns() for test in self.tests))

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.region & other.region, (*self.tests, *other.tests))


def everywhere(domain: Domain) -> Condition:
    """The condition that every row meets."""
    return Condition(Region.everything(domain))


def condition(predicate: Predicate, domain: Domain) -> Condition:
    """Splits a predicate into its exact region and the tests that no region can express.

    >>> from fractions import Fraction
    >>> from partita.query.language.expressions import Number, Value
    >>> from partita.region.columns import integers
    >>> from partita.region.predicate import Compare
    >>> domain = Domain({"age": integers(0, 120), "visits": integers(0, 9)})
    >>> test = Versus(Value("age"), Operator.ABOVE, Value("visits"))
    >>> found = condition(And((Compare("age", Operator.ABOVE, 5), test)), domain)
    >>> found.region.to_sql(), found.tests == (test,)
    ('age >= 6', True)
    """
    parts = tuple(_conjuncts(predicate))
    region, ragged = Region.everything(domain), False
    sides = [(part.side(domain, truth=True), part) for part in parts]
    tests = [part for side, part in sides if not side.exact]
    # Those of few boxes first, because they leave the least to do for the others.
    for side, _ in sorted(sides, key=lambda pair: len(pair[0].region.boxes)):
        region = region & side.region
        if len(region.boxes) > current().boxes:
            region, ragged = region.hull(), True
    # Too ragged for a list of boxes: the region is a box around it, so everything must be tested.
    return Condition(region, parts if ragged else tuple(tests))


def versus(left: Expression, operator: Operator, right: Expression) -> Predicate:
    """Two expressions compared; two constants are compared at once."""
    if isinstance(left, Number) and isinstance(right, Number):
        if left.value is None or right.value is None:
            return Known(None)
        first, second = left.value, right.value
        holds = {
            Operator.EQUAL: first == second,
            Operator.DIFFERENT: first != second,
            Operator.BELOW: first < second,
            Operator.AT_MOST: first <= second,
            Operator.ABOVE: first > second,
            Operator.AT_LEAST: first >= second,
        }
        return Known(holds[operator])
    return Versus(left, operator, right)


def versuses(predicate: Predicate) -> Iterable[Versus]:
    """Every comparison of expressions inside a predicate."""
    match predicate:
        case Versus():
            yield predicate
        case And(parts) | Or(parts):
            for part in parts:
                yield from versuses(part)
        case Not(part) | IsTrue(part):
            yield from versuses(part)
        case Known() | _:
            return


def size(expression: Expression) -> int:
    """How many parts an expression is written with, those of its conditions included.

    A part that is repeated is one object: it is looked at once, however often it is counted.

    >>> from fractions import Fraction
    >>> from partita.query.language.expressions import Value
    >>> size(Times((Value("a"), Plus((Value("b"), Number(Fraction(1)))))))
    5
    """
    known: dict[int, int] = {}

    def counted(part: Expression) -> int:
        if id(part) not in known:
            known[id(part)] = 1 + inside(part)
        return known[id(part)]

    def inside(part: Expression) -> int:
        match part:
            case Value() | Number():
                return 0
            case Plus(parts) | Times(parts) | First(parts) | Extreme(parts):
                return sum(map(counted, parts))
            case Clamp(inner) | Quotient(inner) | Remainder(inner) | Months(inner) | Curved(_, inner):
                return counted(inner)
            case Ratio(inner, divisor):
                return counted(inner) + counted(divisor)
            case Case(branches, otherwise):
                tests = (test for one, _ in branches for predicate in one.tests for test in versuses(predicate))
                tested = sum(counted(test.left) + counted(test.right) for test in tests)
                return tested + counted(otherwise) + sum(counted(value) for _, value in branches)
            case _:
                assert_never(part)

    return counted(expression)


def _conjuncts(predicate: Predicate) -> Iterable[Predicate]:
    if isinstance(predicate, And):
        for part in predicate.parts:
            yield from _conjuncts(part)
    else:
        yield predicate
