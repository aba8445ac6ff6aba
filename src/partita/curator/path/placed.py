"""Where a release is charged: to the rows of its table, or to people, in the wide domain of all their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from partita.assay.claim import Claim
from partita.composition.account.booking import Booking, Release, charged, reached
from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.curator.path.event_promise import EventPromise
from partita.errors import NotProven
from partita.granularity import Persons, Rows, Users
from partita.ledger.charge import Charge
from partita.query.language.joined import Joined, joined_of
from partita.query.noise.quote import Promised, Quote
from partita.query.tables.schema import Table
from partita.region.box import Box
from partita.region.codes import intersection
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure

Columns = Mapping[str, tuple[str, str]]


@final
@dataclass(frozen=True, slots=True)
class Placed:
    """A release as the ledger is told of it: whose account, the region in its domain, the cost of each promise."""

    table: str
    region: Region
    costs: tuple[Cost, ...]


@final
@dataclass(frozen=True, slots=True)
class _Way:
    """One way of booking a release on people: as rows of one table, under a mapping of its columns."""

    table: str
    columns: Columns
    release: Release


@final
@dataclass(frozen=True)
class PersonPromise:
    """A promise on people, as a question about one table (or about rows joined from several) sees it.

    To prices they are owners of at most so many rows; what they cost is booked in the wide domain of all tables
    (theory I5, people.proof.md).
    """

    promise: Promise
    space: PersonSpace
    table: Table

    @property
    def persons(self) -> Persons:
        """Who is protected."""
        return self.space.persons

    @property
    def budget(self) -> Measure:
        """The most that may ever be lost."""
        return self.promise.budget

    @property
    def granularity(self) -> Users:
        """The same people as owners of the rows of this table."""
        joined = joined_of(self.table)
        if joined is None:
            return self.persons.in_table(self.table.name)
        return self.persons.in_table(self.table.name, joined.unit, joined.window)

    def _ways(
        self, region: Region, rows: Cost | None, whole: Cost | None, *, by_person: bool = False
    ) -> Iterator[_Way]:
        """Each way in which a release with these costs may be booked: by rows of one table, or as a whole person.

        ``by_person``: on the person's own values alone, whatever their rows are.
        """
        joined, constant = joined_of(self.table), self.space.domain.constant
        sides: list[tuple[str, Columns, bool]] = []
        if joined is None:
            sides.append((self.table.name, {name: (self.table.name, name) for name in region.domain.axes}, True))
        else:
            # Rows that are derived from others say nothing of the values of these.
            stored = [name for name in joined.touched if joined.derived(joined.occurrence(name).table) is None]
            named = [(joined.occurrence(name).table, name) for name in stored]
            sides += [(table, _mapped(joined, name), joined.by_rows == table) for table, name in named]
            # Nothing of a row must lie in the region where every table may be absent: then all are charged whose own
            # values may.
            sides = sides or [(self.persons.tables[0], _mapped(joined, None), False)]
        if joined is not None and joined.apart:
            # Rows of any window may meet rows of any other: every window is charged (theory I11).
            assert whole is not None
            yield _Way(self.persons.tables[0], {}, Release(Region.everything(self.space.domain), whole))
            return
        for table, columns, adds_up in sides:
            lifted = self.space.lifted(table, region, columns)
            if rows is not None and adds_up and not by_person:
                yield _Way(table, columns, Release(lifted, rows))
            if whole is not None:
                if not by_person:
                    yield _Way(table, columns, Release(lifted, whole))
                yield _Way(table, columns, Release(lifted.freed(constant), whole))

    def _best(
        self, region: Region, rows: Cost | None, whole: Cost | None, *, by_person: bool = False
    ) -> tuple[_Way, Booking]:
        """The way with the least load, and of equal ones that with the fewest people; from public things alone."""
        found: list[tuple[_Way, Booking]] = []
        problem: NotProven | None = None
        for way in self._ways(region, rows, whole, by_person=by_person):
            try:
                found.append((way, self.space.placed(way.table, way.release)))
            except NotProven as refused:
                problem = refused
        if not found:
            assert problem is not None
            raise problem
        return min(found, key=lambda pair: (pair[1].one, pair[1].region.size))

    def of(self, quote: Quote) -> Placed:
        """Where a question is charged, and what."""
        costs = [
            None if isinstance(one, PersonPromise) else one.cost(quote, place)
            for place, one in enumerate(quote.promises)
            if isinstance(one, PersonPromise | EventPromise)
        ]
        return self._told(self._asked(quote)[1], costs)

    def _asked(self, quote: Quote) -> tuple[_Way, Booking]:
        by_person = any(isinstance(one, EventPromise) and one.by_person for one in quote.promises)
        place = next(place for place, one in enumerate(quote.promises) if isinstance(one, PersonPromise))
        return self._best(*_costs(quote, place), by_person=by_person)

    def whole(self, region: Region, cost: Cost) -> Booking:
        """Where a cost of whole persons is booked if rows of this region may be read: on the persons' own values."""
        return self._best(region, None, cost, by_person=True)[1]

    def of_charge(self, charge: Charge, promises: Sequence[Promised]) -> Charge:
        """The charge of a computation on rows of this table, placed among people."""
        rows, costs = Cost(self.budget), list[Cost | None]()
        for one, cost in zip(promises, charge.costs, strict=True):
            if isinstance(one, EventPromise):
                costs.append(one.of_cost(cost, charge.region))
            else:
                rows = replace(cost, owner=None, declared=False)
                costs.append(None)
        placed = self._told(self._best(charge.region, rows, None)[1], costs)
        return replace(charge, table=placed.table, region=placed.region, costs=placed.costs)

    def _told(self, booking: Booking, costs: Sequence[Cost | None]) -> Placed:
        mine = Cost(self.budget.like(booking.one))
        told = tuple(mine if cost is None else cost for cost in costs)
        return Placed(self.persons.column, booking.region, told)

    def claims(self, quote: Quote) -> list[Claim]:
        """What is booked, as it is about the rows of this table: for whoever tries it a second way.

        Of so many joined rows an owner may have, fewer rows of the table that is charged are a larger part.
        """
        way, booking = self._asked(quote)
        unit, boxes = self.granularity, self._here(way, booking.region)
        share = Fraction(unit.rows, self.persons.cap(way.table))
        amount = booking.one if self.of_persons(booking.region) else tuple(share * part for part in booking.one)
        zero = tuple(Fraction(0) for _ in amount)
        found = [Claim(unit, type(self.budget), boxes, amount, zero, zero)]
        for place, one in enumerate(quote.promises):
            if isinstance(one, EventPromise) and one.read and isinstance(one.granularity, Rows):
                told = one.cost(quote, place).row.vector()
                zero = tuple(Fraction(0) for _ in told)
                found.append(Claim(one.granularity, type(one.budget), boxes, told, zero, zero))
        return found

    @property
    def unread(self) -> str:
        """The table with the person's own values, where the question does not read it; empty where it does."""
        joined = joined_of(self.table)
        read = (self.table.name,) if joined is None else joined.read
        own = self.persons.table
        return own if own is not None and own not in read else ""

    def left(self, quote: Quote, gone: Region) -> Region:
        """What is left of a question's region without those whom a part of the wide domain may be about.

        Of what it says, only the values of rows that the question reads can be told from the question.
        """
        way = self._asked(quote)[0]
        return quote.region - Region.of(quote.region.domain, self._here(way, gone))

    def claimed(self, region: Region, amount: Measure) -> Claim:
        """A load on persons' own values, as it is about the rows of this table."""
        way = next(self._ways(Region.everything(self.table.domain), None, Cost(amount, owner=amount), by_person=True))
        zero = tuple(Fraction(0) for _ in amount.vector())
        return Claim(self.granularity, type(self.budget), self._here(way, region), amount.vector(), zero, zero)

    def of_persons(self, region: Region) -> bool:
        """Whether a region of the wide domain constrains nothing but persons' own values."""
        wide = self.space.domain
        constant = {wide.axes[axis] for axis in wide.constant}
        return all(name in constant for name in region.constrained())

    def _here(self, way: _Way, region: Region) -> tuple[Box, ...]:
        """The rows of this table that a region of the wide domain may hold."""
        domain, wide = self.table.domain, self.space.domain
        places = {
            place: wide.axis(axis)
            for place, name in enumerate(domain.axes)
            if name in way.columns and (axis := self.space.named(*way.columns[name])) in wide.axes
        }
        everything = domain.everything

        def here(box: Box) -> Box | None:
            found = list(everything)
            for place, axis in places.items():
                found[place] = intersection(box[axis], everything[place])
            return tuple(found) if all(found) else None

        return tuple(box for one in region.boxes if (box := here(one)) is not None)


def _costs(quote: Quote, place: int) -> tuple[Region, Cost | None, Cost]:
    """The region of a question, its cost by rows where it has one, and its cost for a whole person."""
    rows = None if quote.by_owner else quote.stated(place, once=False)
    return quote.region, rows, quote.stated(place, once=True)


def _mapped(joined: Joined, name: str | None) -> Columns:
    """Which table and column the joined columns of one occurrence are, and those that are the person's own values."""
    named = {name, joined.own}
    return {
        column: (occurrence.table, found)
        for column, (occurrence, found) in joined.columns.items()
        if (occurrence.name in named or column == joined.window) and joined.derived(occurrence.table) is None
    }


def on_people(promises: Sequence[Promised]) -> PersonPromise | None:
    """The promise on people among some, if there is one."""
    return next((one for one in promises if isinstance(one, PersonPromise)), None)


def placed(quote: Quote) -> Placed:
    """Where a question is charged: its table and region, or the people whom it is about."""
    people = on_people(quote.promises)
    if people is not None:
        return people.of(quote)
    return Placed(quote.plan.table.name, quote.region, costs_of(quote))


def costs_of(quote: Quote) -> tuple[Cost, ...]:
    """The cost of a quote under each promise, as the ledger keeps it."""
    return tuple(
        quote.stated(place, once=quote.by_owner or reached(promise.granularity, quote.region) is not quote.region)
        for place, promise in enumerate(quote.promises)
    )


def booked_costs(quote: Quote, found: Placed | None = None) -> tuple[Measure, ...]:
    """What the accounts will really book for one protected unit, under each promise.

    For owners that is the loss of all their rows together (theory E14), which may exceed the loss through this answer
    alone; elsewhere the two agree.
    """
    found = placed(quote) if found is None else found
    kept = [one.promise if isinstance(one, PersonPromise | EventPromise) else one for one in quote.promises]
    return tuple(booked_cost(promise, found.region, cost) for promise, cost in zip(kept, found.costs, strict=True))


def booked_cost(promise: Promised, region: Region, cost: Cost) -> Measure:
    """What one account will book for one protected unit."""
    return charged(promise.granularity, promise.budget, Release(region, cost))
