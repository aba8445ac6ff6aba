"""The wide domain of people across tables, and where in it a release is booked (theory I5, I6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

from partita.composition.account.booking import Booking, Release, booked
from partita.errors import region as refuse
from partita.granularity import Persons
from partita.region.box import Box
from partita.region.codes import Codes
from partita.region.columns import Bounded
from partita.region.domain import Domain
from partita.region.region import Region
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class PersonSpace:
    """What a person may be: their own values, and beside them the values of one row of each table (theory I6).

    A point of the wide domain is (a, v_1, ..., v_s): the person's values and a record value of every table with a cap.
    Loads on it add up to J(a) + sum of m_t L_t(a, v_t), whose maximum over the v is T(a). The columns of the person
    table are constant about a person, and NULL, all of them, for somebody who has no row there.

    >>> from partita.granularity import persons
    >>> from partita.region import categories, integers
    >>> orders, customers = Domain({"price": integers(0, 9)}), Domain({"segment": categories("a", "b")})
    >>> everybody = persons("customer", table="customers", rows={"orders": 3})
    >>> people = PersonSpace(everybody, {"orders": orders, "customers": customers})
    >>> people.domain.axes
    ('customers.segment', 'orders.price')
    >>> str(people.lifted("orders", Region.where("price > 5", orders)))
    '"orders.price" >= 6'
    """

    persons: Persons
    tables: Mapping[str, Domain]

    def __post_init__(self) -> None:
        for name in self.persons.tables:
            if name not in self.tables:
                raise refuse.unknown_column(name, tuple(self.tables))

    @cached_property
    def domain(self) -> Domain:
        """The wide domain: columns are called ``table.column``."""
        windows: dict[str, Bounded] = {}
        if self.persons.per is not None:
            # Of all rows of the protected window it is one and the same value, whatever their table.
            columns = self.tables[self.persons.tables[0]].columns
            column = next(one for name, one in columns.items() if name.lower() == self.persons.per.lower())
            windows[self.persons.per] = replace(column, constant=True)  # type: ignore[type-var, assignment]
        return Domain(
            windows
            | {
                f"{table}.{name}": self._within(table, column)
                for table in self.persons.tables
                for name, column in self.tables[table].columns.items()
                if isinstance(column, Bounded) and f"{table}.{name}" == self.named(table, name)
            }
            or {self.persons.column: _nobody()}
        )

    def named(self, table: str, column: str) -> str:
        """What a column of a table is called in the wide domain: windows of time are the same for all tables."""
        per = self.persons.per
        return per if per is not None and column.lower() == per.lower() else f"{table}.{column}"

    def _within(self, table: str, column: Bounded) -> Bounded:
        own = table == self.persons.table
        # Somebody without a row in the person table has NULL in each of its columns.
        missing = None if own else column.missing
        return replace(column, missing=missing, constant=own)  # type: ignore[type-var]

    def lifted(self, table: str, region: Region, columns: Mapping[str, tuple[str, str]] | None = None) -> Region:
        """A region of a table, or of rows joined from several, as the people who may have a row in it.

        ``columns`` says of each joined column which table and column it is; only what is about the table and about the
        person themselves can narrow the region, everything else is let go (theory I5, by touch).
        """
        known = {name: (table, name) for name in region.domain.axes} if columns is None else columns
        kept = {place: known[name] for place, name in enumerate(region.domain.axes) if name in known}
        per = self.persons.per
        kept = {
            place: at
            for place, at in kept.items()
            if at[0] in (table, self.persons.table) or (per is not None and self.named(*at) == per)
        }
        wide = self.domain
        # What says of a key or an owner whether it is there has no axis, and narrows nothing.
        places = {place: wide.axis(name) for place, at in kept.items() if (name := self.named(*at)) in wide.axes}
        full, own = wide.everything, region.domain.everything

        def made(box: Box) -> Box:
            found: list[Codes] = list(full)
            for place, axis in places.items():
                if box[place] != own[place]:
                    found[axis] = box[place]
            return tuple(found)

        return Region.of(wide, [made(box) for box in region.boxes])

    def placed(self, table: str, release: Release, *, in_region: int | None = None) -> Booking:
        """Where a release on rows of a table is booked, and how much: by rows, by touch, or whole, whichever is less.

        The region is lifted already. The `owner` of its cost is the loss of a whole person, all their rows entering or
        leaving; if it is not told, the release is a sum over rows, and the loss of so many rows as the table's cap is
        taken. (people.proof.md)
        """
        users = replace(self.persons.in_table(table), in_region=in_region)
        return booked(users, release)

    def loss(self, booking: Booking, like: Measure) -> Measure:
        """What a person with a value in the booked region is charged."""
        return like.like(booking.one)


def _nobody() -> Bounded:
    """A domain needs a column; where no table declares one, people have this value."""
    from partita.region.columns import categories

    return categories("person", other="person", missing="person")
