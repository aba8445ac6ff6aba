"""People: the tables in which persons have rows, each with its owner, its cap and the keys that lead to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import final

from partita.errors.query import people as refuse
from partita.granularity import Persons
from partita.query.tables.schema import Table
from partita.query.tables.truncation import KEY_DIGITS, Truncation
from partita.region.columns import Identifier, Key, identifier

Unique = tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Keeping:
    """Which rows of one table are kept: at most ``cap`` of an owner, one for each value of every ``unique`` key.

    ``table`` has the owner's column, also where the stored rows do not: then ``chain`` is the key that leads to a
    row of ``parent``, whose owner is theirs. With ``per`` the cap is for each window, and rows in none are left out.
    """

    table: Table
    cap: int
    chain: str | None = None
    parent: str | None = None
    unique: Unique = ()
    per: str | None = None


@final
@dataclass(frozen=True, init=False, eq=False)
class People:
    """Persons, and the declared tables that hold their rows (theory I1, I2).

    Rows of an owner are kept once, when an engine opens: the first in the keyed order, at most so many in each table.
    A table that another one leads to keeps one row for each key of an owner, so that a key finds at most one row.

    >>> from partita.granularity import persons
    >>> from partita.region.columns import decimals, key
    >>> orders = Table("orders", [], {"order": key(), "customer": identifier()})
    >>> lines = Table("lines", [], {"order": key(), "price": decimals(0, 1000, step="0.01")})
    >>> through = {"lines": ("order", "orders")}
    >>> people = People(persons("customer", rows={"orders": 20, "lines": 100}, through=through), [orders, lines])
    >>> people["lines"].table.owner, people["orders"].unique
    ('customer', ('order',))
    """

    persons: Persons
    keepings: Mapping[str, Keeping]
    derived: Mapping[str, object]
    origin: People

    def __init__(self, persons: Persons, tables: Iterable[Table]) -> None:
        if not isinstance(persons, Persons):
            raise refuse.not_persons(persons)
        if "." in persons.column or persons.column.lower().startswith("exists "):
            raise refuse.odd_owner(persons.column)
        declared = {table.name: table for table in tables}
        for name in persons.tables:
            if name not in declared:
                raise refuse.unknown_table(name, tuple(declared))
        for name in declared:
            if name not in persons.tables:
                raise refuse.unprotected_table(name, persons.column)
        folded = [name.lower() for name in declared]
        for name in declared:
            if folded.count(name.lower()) > 1:
                raise refuse.one_name(name)
        unique: dict[str, dict[str, None]] = {name: {} for name in declared}
        chains: dict[str, str] = {}
        for name, (key, parent) in persons.through:
            chains[name] = _key(declared[name], key, name)
            unique[parent][_key(declared[parent], key, name)] = None
        keepings = {}
        for name in _parents_first(persons):
            table, link = _owned(declared[name], persons), persons.chain(name)
            keepings[name] = Keeping(
                table, persons.cap(name), chains.get(name), None if link is None else link[1], tuple(unique[name])
            )
        keepings = _in_windows(persons, keepings)
        object.__setattr__(self, "persons", persons)
        object.__setattr__(self, "keepings", MappingProxyType(keepings))
        object.__setattr__(self, "derived", MappingProxyType({}))
        object.__setattr__(self, "origin", self)

    def beside(self, name: str, keeping: Keeping, meaning: object) -> People:
        """The same people with one more table: rows computed from an owner's own, at most so many of them."""
        made = object.__new__(People)
        object.__setattr__(made, "persons", self.persons)
        object.__setattr__(made, "keepings", MappingProxyType({**self.keepings, name: keeping}))
        object.__setattr__(made, "derived", MappingProxyType({**self.derived, name: meaning}))
        object.__setattr__(made, "origin", self.origin)
        return made

    def __getitem__(self, name: str) -> Keeping:
        return self.keepings[name]

    @property
    def owner(self) -> str:
        """The column that names persons."""
        return self.persons.column

    @property
    def tables(self) -> dict[str, Table]:
        """The tables as questions know them, each with the owner's column; those that others lead to come first."""
        return {name: keeping.table for name, keeping in self.keepings.items()}

    @property
    def batch(self) -> int | None:
        """The last batch of rows that is read; None where sources are read as they are."""
        return next(iter(self.keepings.values())).table.batch

    def meant(self, table: str, column: str) -> tuple[str, str] | None:
        """What a key stands for: the table and key that a chain leads to. Rows with one such key have one owner.

        None for a key that is in no chain: rows that share it may belong to anybody.
        """
        keeping = self.keepings[table]
        if column == keeping.chain and keeping.parent is not None:
            spelled = {name.lower(): name for name in self.keepings[keeping.parent].table.columns}
            return keeping.parent, spelled[column.lower()]
        return (table, column) if column in keeping.unique else None

    def windows(self, table: str) -> int:
        """In how many windows one owner may have rows of a table; 1 where persons are protected as a whole."""
        keeping = self.keepings[table]
        if keeping.per is None:
            return 1
        domain = keeping.table.domain
        return domain.bounded[domain.axis(keeping.per)].values[-1][1]

    def altogether(self, table: str) -> int:
        """The most rows of one owner that are ever kept in a table, in all windows."""
        return self.keepings[table].cap * self.windows(table)

    def truncation(self, table: str, key: str) -> Truncation:
        """Which rows of an owner a table keeps, by the key of the ledger."""
        keeping = self.keepings[table]
        assert keeping.table.owner is not None
        return Truncation(keeping.table.owner, keeping.cap, key[:KEY_DIGITS], keeping.per)


def _key(table: Table, key: str, child: str) -> str:
    """The column of this name, as the table spells it, if it is a key."""
    for name, column in table.columns.items():
        if name.lower() == key.lower():
            if not isinstance(column, Key):
                raise refuse.not_a_key(table.name, name, column.kind, child)
            return name
    raise refuse.absent_key(table.name, key, child)


def _owned(table: Table, persons: Persons) -> Table:
    """The table with the column of its owner."""
    chain, named = persons.chain(table.name), {name.lower(): column for name, column in table.columns.items()}
    if chain is not None:
        if table.owner is not None:
            raise refuse.owner_beside_chain(table.name, table.owner, chain[0])
        if persons.column.lower() in named:
            raise refuse.owner_beside_chain(table.name, persons.column, chain[0])
        columns = {**table.columns, persons.column: identifier()}
        return Table(table.name, table.source, columns, people=table.people).sealed(table.batch)
    if table.owner is None:
        column = named.get(persons.column.lower())
        if column is not None and not isinstance(column, Identifier):
            raise refuse.owner_not_identifier(table.name, persons.column, column.kind)
        raise refuse.no_owner(table.name, persons.column)
    if table.owner.lower() != persons.column.lower():
        raise refuse.other_owner(table.name, table.owner, persons.column)
    return table


def _in_windows(persons: Persons, keepings: dict[str, Keeping]) -> dict[str, Keeping]:
    """The keepings with the column of their windows, which every table declares in the same way."""
    per, found, first = persons.per, dict[str, Keeping](), next(iter(keepings))
    if per is None:
        return keepings
    declared: dict[str, object] = {}
    for name, keeping in keepings.items():
        table = keeping.table
        spelled = next((column for column in table.domain.axes if column.lower() == per.lower()), None)
        if spelled is None:
            raise refuse.no_window(name, per)
        declared[name] = table.domain.columns[spelled].describe()
        if declared[name] != declared[first] or table.domain.axis(spelled) in table.domain.constant:
            raise refuse.other_windows(name, first, per)
        found[name] = replace(keeping, per=spelled)
    return found


def _parents_first(persons: Persons) -> list[str]:
    """The tables, each after the one that it is reached through."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        chain = persons.chain(name)
        if chain is not None:
            add(chain[1])
        found[name] = None

    for name in persons.tables:
        add(name)
    return list(found)


__all__ = ["Keeping", "People"]
