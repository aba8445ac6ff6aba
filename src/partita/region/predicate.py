"""Predicates: the small closed language of conditions on one record, read in SQL's three-valued logic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from partita.errors import region as refuse
from partita.limits import current
from partita.region import box as boxes_of
from partita.region.box import Box
from partita.region.codes import NOTHING, Codes, difference, intersection, joined, of, span, union
from partita.region.columns import Operator
from partita.region.domain import Domain
from partita.region.region import Region


@final
@dataclass(frozen=True, slots=True)
class Reach:
    """Where a predicate can be true and where it can be false; NULL everywhere else.

    Both are supersets of the truth, and equal to it if ``exact``: a predicate that is not understood can be
    true anywhere and false anywhere, so negating it narrows nothing either.
    """

    true: Region
    false: Region
    exact: bool


@final
@dataclass(frozen=True, slots=True)
class Side:
    """Where a predicate can have one of the two truths: a superset, and equal to it if ``exact``."""

    region: Region
    exact: bool


class Predicate(ABC):
    """A condition on one record's values."""

    __slots__ = ()

    @abstractmethod
    def side(self, domain: Domain, *, truth: bool) -> Side:
        """Where it can be true, or where it can be false; one without the other, because both are seldom needed."""

    @abstractmethod
    def columns(self) -> frozenset[str]:
        """The columns it mentions."""

    @final
    def reach(self, domain: Domain) -> Reach:
        """Where it can be true, and where it can be false."""
        true, false = self.side(domain, truth=True), self.side(domain, truth=False)
        return Reach(true.region, false.region, true.exact and false.exact)

    def region(self, domain: Domain) -> Region:
        """The records for which it can be true: the region a question with this condition depends on."""
        return self.side(domain, truth=True).region

    def exact(self, domain: Domain) -> bool:
        """Whether the region holds exactly the records for which the condition is true."""
        return self.reach(domain).exact

    def __and__(self, other: Predicate) -> And:
        return And((self, other))

    def __or__(self, other: Predicate) -> Or:
        return Or((self, other))

    def __invert__(self) -> Not:
        return Not(self)


class OfColumn(Predicate):
    """A condition on a single column, decided code by code."""

    __slots__ = ()

    column: str

    @abstractmethod
    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        """The codes for which it is true, and those for which it is false."""

    def columns(self) -> frozenset[str]:
        return frozenset((self.column,))

    def side(self, domain: Domain, *, truth: bool) -> Side:
        axis = domain.axis(self.column)
        true, false = self.split(domain, axis)
        return Side(_slab(domain, axis, true if truth else false), exact=True)


@final
@dataclass(frozen=True, slots=True)
class Compare(OfColumn):
    """A column against a literal; NULL literals make it NULL everywhere.

    >>> from partita.region.columns import integers
    >>> domain = Domain({"age": integers(0, 120)})
    >>> (~Compare("age", Operator.ABOVE, 5)).region(domain).to_sql()
    'age <= 5'
    """

    column: str
    operator: Operator
    value: object

    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        if self.value is None:
            return NOTHING, NOTHING
        column = domain.bounded[axis]
        true = column.compare(self.operator, self.value, self.column)
        return true, difference(column.values, true)


@final
@dataclass(frozen=True, slots=True)
class In(OfColumn):
    """A column in a list of literals; a NULL in the list makes what is not found NULL, not false."""

    column: str
    members: tuple[object, ...]

    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        if not self.members:
            raise refuse.empty_list(self.column)
        column = domain.bounded[axis]
        known = [member for member in self.members if member is not None]
        true = joined(interval for member in known for interval in column.compare(Operator.EQUAL, member, self.column))
        false = difference(column.values, true) if len(known) == len(self.members) else NOTHING
        return true, false


@final
@dataclass(frozen=True, slots=True)
class Between(OfColumn):
    """A column from one literal to another, both included; ends the wrong way round are refused."""

    column: str
    low: object
    high: object

    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        column = domain.bounded[axis]
        ends = (Operator.AT_LEAST, self.low), (Operator.AT_MOST, self.high)
        tests = [None if end is None else column.compare(operator, end, self.column) for operator, end in ends]
        if tests[0] is not None and tests[1] is not None and self._inverted(tests[0], tests[1]):
            raise refuse.empty_interval(self.column, self.low, self.high)
        true, false = column.values, NOTHING
        for test in tests:
            true = NOTHING if test is None else intersection(true, test)
            false = false if test is None else union(false, difference(column.values, test))
        return true, false

    def _inverted(self, above: Codes, below: Codes) -> bool:
        """No value is in both, and every code is in one: the ends crossed inside the column."""
        if intersection(above, below):
            return False
        try:
            return bool(self.low > self.high)  # type: ignore[operator]
        except TypeError:
            return str(self.low) > str(self.high)


@final
@dataclass(frozen=True, slots=True)
class IsNull(OfColumn):
    """A column holding its NULL atom; never itself NULL."""

    column: str

    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        column = domain.bounded[axis]
        return difference(column.everything, column.values), column.values


@final
@dataclass(frozen=True, slots=True)
class Codewise(OfColumn):
    """A condition on one column that was evaluated for each of its codes beforehand."""

    column: str
    true: frozenset[int]
    false: frozenset[int]

    def split(self, domain: Domain, axis: int) -> tuple[Codes, Codes]:
        inside = span(0, domain.shape[axis])
        return intersection(of(self.true), inside), intersection(of(self.false), inside)


@final
@dataclass(frozen=True, slots=True)
class Known(Predicate):
    """A constant: true, false or NULL."""

    truth: bool | None

    def columns(self) -> frozenset[str]:
        return frozenset()

    def side(self, domain: Domain, *, truth: bool) -> Side:
        return Side(Region.everything(domain) if self.truth is truth else Region.nothing(domain), exact=True)


@final
@dataclass(frozen=True, slots=True)
class Unknown(Predicate):
    """A condition that is not understood: it may be true of every record, and false of every record."""

    text: str
    mentions: frozenset[str] = frozenset()

    def columns(self) -> frozenset[str]:
        return self.mentions

    def side(self, domain: Domain, *, truth: bool) -> Side:
        return Side(Region.everything(domain), exact=False)


@final
@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """True where the part is false; NULL stays NULL."""

    part: Predicate

    def columns(self) -> frozenset[str]:
        return self.part.columns()

    def side(self, domain: Domain, *, truth: bool) -> Side:
        return self.part.side(domain, truth=not truth)


@final
@dataclass(frozen=True, slots=True)
class And(Predicate):
    """True where all parts are true; false where one is false."""

    parts: tuple[Predicate, ...]

    def columns(self) -> frozenset[str]:
        return frozenset().union(*(part.columns() for part in self.parts))

    def side(self, domain: Domain, *, truth: bool) -> Side:
        sides = [part.side(domain, truth=truth) for part in self.parts]
        return _met(domain, sides) if truth else _united(domain, sides)


@final
@dataclass(frozen=True, slots=True)
class Or(Predicate):
    """True where one part is true; false where all are false."""

    parts: tuple[Predicate, ...]

    def columns(self) -> frozenset[str]:
        return frozenset().union(*(part.columns() for part in self.parts))

    def side(self, domain: Domain, *, truth: bool) -> Side:
        sides = [part.side(domain, truth=truth) for part in self.parts]
        return _united(domain, sides) if truth else _met(domain, sides)


@final
@dataclass(frozen=True, slots=True)
class IsTrue(Predicate):
    """True where the part is true, false everywhere else; never NULL."""

    part: Predicate

    def columns(self) -> frozenset[str]:
        return self.part.columns()

    def side(self, domain: Domain, *, truth: bool) -> Side:
        inner = self.part.side(domain, truth=True)
        if truth:
            return inner
        return Side(~inner.region, exact=True) if inner.exact else Side(Region.everything(domain), exact=False)


def holding(column: str, wanted: object) -> Predicate:
    """The condition that a column lies in a range (a pair), among values (a set or list), or is one value.

    >>> holding("age", (18, 64))
    Between(column='age', low=18, high=64)
    """
    if wanted is None:
        return IsNull(column)
    if isinstance(wanted, tuple) and len(wanted) == 2:
        return Between(column, *wanted)
    if isinstance(wanted, list | set | frozenset | tuple):
        return _among(column, wanted)
    return Compare(column, Operator.EQUAL, wanted)


def _among(column: str, wanted: Iterable[object]) -> Predicate:
    listed = list(wanted)
    found = In(column, tuple(value for value in listed if value is not None))
    if None not in listed:
        return found
    return Or((found, IsNull(column))) if found.members else IsNull(column)


def _slab(domain: Domain, axis: int, codes: Codes) -> Region:
    if not codes:
        return Region.nothing(domain)
    full = domain.everything
    return Region(domain, ((*full[:axis], codes, *full[axis + 1 :]),))


def _met(domain: Domain, sides: list[Side]) -> Side:
    """Where all of some sides are; those of few boxes first, because they leave the least to do for the others."""
    found, exact = Region.everything(domain), True
    for side in sorted(sides, key=lambda side: len(side.region.boxes)):
        found, kept = _limited(found & side.region)
        exact = exact and side.exact and kept
    return Side(found, exact)


def _united(domain: Domain, sides: list[Side]) -> Side:
    """Where one of some sides is, all of them put together at once."""
    boxes = boxes_of.merged([box for side in sides for box in side.region.boxes])
    apart: list[Box] = []
    most = current().boxes
    for box in boxes:
        apart = boxes_of.disjoint([box], apart)
        if len(apart) > 2 * most and len(apart := list(boxes_of.merged(apart))) > most:
            return Side(Region(domain, boxes).hull(), exact=False)
    found, kept = _limited(Region(domain, boxes_of.merged(apart)))
    return Side(found, kept and all(side.exact for side in sides))


def _limited(region: Region) -> tuple[Region, bool]:
    """The region, or a box around it when it has become too ragged to carry on with."""
    if len(region.boxes) <= current().boxes:
        return region, True
    return region.hull(), False
