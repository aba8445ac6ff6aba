"""Joined tables: rows of one person from several tables that meet on their owner, as one table with a proven cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from functools import cached_property
from math import prod
from typing import final

from partita.query.language.conditions import Condition
from partita.query.language.derived import Derived
from partita.query.language.fans import Fan
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import KEY_DIGITS, Truncation
from partita.region.columns import Bounded, Column, TextKeys, booleans, identifier, text_keys


@final
@unique
class Kind(Enum):
    """How a table is joined to those before it; a right join is a left join from the other side."""

    INNER = "JOIN"
    LEFT = "LEFT JOIN"
    FULL = "FULL JOIN"


@final
@dataclass(frozen=True, slots=True, order=True)
class Link:
    """An equality with an earlier occurrence: of the owners, or of two keys."""

    other: str
    mine: str | None = None
    theirs: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Occurrence:
    """A table of the join, under the name that its columns are known by.

    ``links`` are equalities beside that of the owners, which always holds; ``on`` is a further condition of the join,
    over the columns joined so far.
    """

    name: str
    table: str
    kind: Kind = Kind.INNER
    links: tuple[Link, ...] = ()
    on: Condition | None = None


@final
@dataclass(frozen=True, slots=True)
class Existence:
    """A column that says whether the owner has a kept row of a table that meets a condition of its own: EXISTS, IN."""

    name: str
    table: str
    links: tuple[Link, ...]
    where: Condition


@final
@dataclass(frozen=True, eq=False)
class Joined:
    """Kept rows of several tables that meet on their owner, whatever else they meet on (theory I3, joined.proof.md).

    ``present`` are columns without public values, keys and owners, of which the joined table says whether they hold
    one: true, or NULL. Where windows of persons are protected one by one, all rows of a tuple lie in one window unless
    ``apart`` says that rows of several windows meet (theory I11).
    ``fans`` are public tables with several rows for a key, met when all others have been joined.

    >>> from partita.granularity import persons
    >>> from partita.region.columns import categories, integers
    >>> customers = Table("customers", [], {"customer": identifier(), "segment": categories("a", "b", missing="a")})
    >>> orders = Table("orders", [], {"customer": identifier(), "price": integers(0, 9, missing=0)})
    >>> people = People(persons("customer", table="customers", rows={"orders": 20}), [customers, orders])
    >>> first = Occurrence("customers", "customers")
    >>> second = Occurrence("orders", "orders", Kind.LEFT, (Link("customers"),))
    >>> joined = Joined(people, (first, second))
    >>> joined.most, joined.by_rows, joined.touched, tuple(joined.table.columns)
    (20, None, ('customers',), ('customer', 'customers.segment', 'orders.price'))
    """

    people: People
    occurrences: tuple[Occurrence, ...]
    existences: tuple[Existence, ...] = ()
    present: tuple[tuple[str, str], ...] = field(default=())
    fans: tuple[Fan, ...] = ()
    apart: bool = False

    # --- as a table --------------------------------------------------------------------------------------------

    @cached_property
    def table(self) -> Table:
        """The joined rows as a table: columns ``table.column`` and the owner's."""
        columns: dict[str, Column] = {self.people.owner: identifier()}
        for joined, (occurrence, name) in self.columns.items():
            declared = self.people[occurrence.table].table.columns[name]
            if isinstance(declared, TextKeys):
                columns[joined] = text_keys()
            elif not isinstance(declared, Bounded):
                columns[joined] = booleans()
            else:
                nullable, own = occurrence.name in self.nullable, occurrence.name == self.own
                columns[joined] = _varying(declared, nullable=nullable, constant=own)
        columns.update({existence.name: booleans(missing=False) for existence in self.existences})
        for fan in self.fans:
            columns.update({fan.joined(column): declared for column, declared in fan.columns})
        name = "_and_".join([*(one.name for one in self.occurrences), *(fan.name for fan in self.fans)])
        return Table(name, self, columns).sealed(self.people.batch)

    @cached_property
    def columns(self) -> Mapping[str, tuple[Occurrence, str]]:
        """Which column of which occurrence each joined column is; the owner's and existence columns are none."""
        found: dict[str, tuple[Occurrence, str]] = {}
        for occurrence in self.occurrences:
            for name, declared in self.people[occurrence.table].table.columns.items():
                if self.window_of(occurrence.name, name):
                    continue
                open_ = not isinstance(declared, Bounded | TextKeys)
                if not open_ or (occurrence.name, name) in self.present:
                    found[f"{occurrence.name}.{name}"] = occurrence, name
        return found

    @property
    def read(self) -> tuple[str, ...]:
        """Every table of which rows are looked at."""
        found: dict[str, None] = {}
        for name in self.named:
            derived = self.derived(name)
            found.update(dict.fromkeys((name,) if derived is None else read_of(derived.base)))
        return tuple(found)

    @property
    def named(self) -> tuple[str, ...]:
        """Every table that is joined or asked about, those that are derived by their own names."""
        inside = [existence.table for existence in self.existences]
        return tuple(dict.fromkeys([*(one.table for one in self.occurrences), *inside]))

    @property
    def brackets(self) -> tuple[Derived, ...]:
        """The tables that are derived from others."""
        return tuple(found for name in self.named if (found := self.derived(name)) is not None)

    def derived(self, name: str) -> Derived | None:
        """What a table is computed from, if it is none of those that hold stored rows."""
        found = self.people.derived.get(name)
        return found if isinstance(found, Derived) else None

    def occurrence(self, name: str) -> Occurrence:
        """The occurrence of this name."""
        return next(one for one in self.occurrences if one.name == name)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """The occurrences that have no row in some joined rows: right of a left join, and both sides of a full one."""
        found: set[str] = set()
        for place, occurrence in enumerate(self.occurrences):
            if place and occurrence.kind is not Kind.INNER:
                found.add(occurrence.name)
            if place and occurrence.kind is Kind.FULL:
                found.update(earlier.name for earlier in self.occurrences[:place])
        return frozenset(found)

    # --- windows -------------------------------------------------------------------------------------------------

    @property
    def window(self) -> str | None:
        """The joined column that holds the one window of a tuple; None where windows are none, or are several."""
        first = self.occurrences[0]
        per = self.people[first.table].per
        return None if per is None or self.apart else f"{first.name}.{per}"

    def window_of(self, occurrence: str, column: str) -> bool:
        """Whether a column always holds the window of its tuple, which the first occurrence tells."""
        one = self.occurrence(occurrence)
        others = one.name != self.occurrences[0].name and one.name not in self.nullable
        return self.window is not None and others and column == self.people[one.table].per

    @property
    def unit(self) -> int:
        """The most joined rows that come or go with one protected unit: a person, or one window of one (I4, I11)."""
        if not self.apart:
            return self.most
        windows, less = (prod(self.people.windows(one.table) - few for one in self.occurrences) for few in (0, 1))
        caps = prod(self.people[one.table].cap for one in self.occurrences) * prod(fan.most for fan in self.fans)
        return (windows - less) * caps

    @property
    def altogether(self) -> int:
        """The most joined rows of one owner in all windows."""
        return self.most if self.window is None else self.most * self.people.windows(self.occurrences[0].table)

    # --- what a promise needs to know ---------------------------------------------------------------------------

    @cached_property
    def most(self) -> int:
        """The most joined rows of one owner (theory I4, joined.proof.md)."""
        first = self.occurrences[0]
        whole, factors = 1, {first.name: self.people[first.table].cap}
        for occurrence in self.occurrences[1:]:
            cap, before = self.people[occurrence.table].cap, whole * prod(factors.values())
            each = 1 if self._found(occurrence) else cap
            if occurrence.kind is Kind.FULL:
                # Each row of the left at most so often, and the rows of the right that meet none.
                whole, factors = before + cap if each == 1 else max(before * cap, before + cap), {}
                continue
            inner = {**factors, occurrence.name: each}
            if each == cap:
                # A row of this table leads to at most one row of those whose unique key it holds.
                inner |= {link.other: 1 for link in occurrence.links if self._leads(link)}
            if occurrence.kind is Kind.INNER:
                factors = inner
            elif (matched := whole * prod(inner.values())) + before < before * each:
                whole, factors = matched + before, {}
            else:
                factors[occurrence.name] = each
        several = prod(self.people.windows(one.table) for one in self.occurrences) if self.apart else 1
        return several * whole * prod(factors.values()) * prod(fan.most for fan in self.fans)

    def moved(self, table: str) -> int | None:
        """The most joined rows that come or go with one row of a table that lets at most one other in or out (I9).

        None where that is not bounded by counting: full joins, and EXISTS or IN over rows of the table.
        """
        mine = [one for one in self.occurrences if one.table == table]
        beside = [one for one in self.occurrences if one.table != table]
        if any(table in read_of(one.base) for one in self.brackets) or any(
            one.table == table for one in self.existences
        ):
            return None
        if not mine:
            return 0
        if any(one.kind is Kind.FULL for one in self.occurrences):
            return None
        caps = {one.table: self.people[one.table].cap for one in self.occurrences}
        if self.apart:
            caps = {name: self.people.altogether(name) for name in caps}
        cap = caps[table]
        each: int = cap ** len(mine) - (cap - 1) ** len(mine)
        found: set[str] = set()
        if len(mine) == 1 and all(one.kind is Kind.INNER for one in self.occurrences):
            # Rows that a key leads to are functions of the rows that hold it.
            found = {one.name for one in beside if self._found(one)}
            found |= {link.other for link in mine[0].links if self._leads(link)}
        others = prod(1 if one.name in found else caps[one.table] for one in beside)
        return 2 * each * others * prod(fan.most for fan in self.fans)

    def _found(self, occurrence: Occurrence) -> bool:
        """Whether a joined row meets at most one row of this occurrence, found by a key that is unique for an owner."""
        return any(link.mine in self.people[occurrence.table].unique for link in occurrence.links)

    def _leads(self, link: Link) -> bool:
        return link.theirs in self.people[self.occurrence(link.other).table].unique

    @cached_property
    def touched(self) -> tuple[str, ...]:
        """The occurrences of which every joined row holds a kept row."""
        return tuple(one.name for one in self.occurrences if one.name not in self.nullable)

    @cached_property
    def own(self) -> str | None:
        """The occurrence whose columns are the person's own values in every joined row: all NULL if there are none.

        Not one that is absent for another reason: a further condition or key of its join, a row that it is linked to
        being absent itself, or a full join behind it (joined.proof.md).
        """
        for place, one in enumerate(self.occurrences):
            if one.table != self.people.persons.table:
                continue
            steady = [Link(link.other) == link and link.other not in self.nullable for link in one.links]
            left = one.kind is Kind.LEFT and one.on is None and all(steady)
            behind = any(later.kind is Kind.FULL for later in self.occurrences[place + 1 :])
            if not behind and (not place or one.kind is Kind.INNER or left):
                return one.name
        return None

    @cached_property
    def by_rows(self) -> str | None:
        """The table over whose kept rows sums of joined rows are sums, of functions of the person's row and the row."""
        person = self.people.persons.table
        own = [one for one in self.occurrences if one.table != person]
        beside = [one for one in self.occurrences if one.table == person]
        if any(existence.table != person for existence in self.existences) or len(own) > 1 or len(beside) > 1:
            return None
        if self.brackets or self.fans:
            return None
        (base,) = own or beside
        return base.table if base.name in self.touched else None

    def truncation(self, key: str) -> Truncation:
        """The cap of the joined rows of one owner; they are kept already."""
        return Truncation(self.people.owner, self.most, key[:KEY_DIGITS], self.window, kept=True)

    # --- as text -------------------------------------------------------------------------------------------------

    def canonical(self) -> str:
        """The join in its one normal form."""
        from partita.query.language.text import shown_condition

        listed = [
            f"{one.kind.value} {one.table} AS {one.name} {sorted(one.links, key=repr)} "
            f"{'' if one.on is None else shown_condition(one.on)}"
            for one in self.occurrences
        ]
        listed += [
            f"{one.name} IN {one.table} {sorted(one.links, key=repr)} {shown_condition(one.where)}"
            for one in self.existences
        ]
        listed += [fan.canonical() for fan in self.fans]
        listed += ["across windows"] if self.apart else []
        derived = [one.canonical() for one in self.brackets]
        return f"joined by {self.people.owner}: {'; '.join([*listed, *derived])}"


def _varying(column: Bounded, *, nullable: bool, constant: bool) -> Bounded:
    """The column as it stands in joined rows: constant if it is the person's own, nullable where a row may be absent.

    The codes stay what they are; the NULL atom, if it is new, comes last.
    """
    changes: dict[str, object] = {"constant": constant}
    if nullable:
        changes["missing"] = None
    made: Bounded = replace(column, **changes)  # type: ignore[type-var]
    return made


def joined_of(table: Table) -> Joined | None:
    """The join that a table stands for, if it is one."""
    return table.source if isinstance(table.source, Joined) else None


def identity(table: Table) -> tuple[str, str]:
    """The same for two tables that hold the same rows with the same columns; two readings of one join are such."""
    joined = joined_of(table)
    return table.version, "" if joined is None else joined.canonical()


def read_of(table: Table) -> tuple[str, ...]:
    """The tables of which rows are looked at for a table, joined or not."""
    joined = joined_of(table)
    return (table.name,) if joined is None else joined.read


__all__ = ["Existence", "Joined", "Kind", "Link", "Occurrence", "identity", "joined_of", "read_of"]
