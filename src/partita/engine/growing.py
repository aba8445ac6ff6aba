"""A growing database: kept rows of all batches in memory, a batch that waits beside them, and erasure of an owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, final

from partita.engine.log import log
from partita.engine.statements.growth import (
    Place,
    arrivals,
    fresh,
    hashed_owner,
    new_links,
    returning,
    told_apart,
    tombstones,
)
from partita.engine.statements.joining import (
    TWO_OWNERS,
    keys_numbered,
    numbered,
    numbered_columns,
    owners_numbered,
)
from partita.engine.statements.stored import Stored, text
from partita.errors import PartitaError
from partita.errors.query import tables as refuse
from partita.query.language.text import in_quotes as name
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation

Contents = dict[str, Any]
"""Arrow tables by name: ``rows``, ``gone`` and ``links`` of every table, as ``orders.rows``."""


class Holder(Protocol):
    """What holds the rows that questions read."""

    def given(self, table: str) -> Stored:
        """The rows of a table as they were opened: the kept ones where owners have caps."""
        ...

    def leading(self, table: str) -> str | None:
        """To whom the keys of a table lead, where it has been opened for people."""
        ...

    def take(self, table: Table, relation: str, cap: Truncation | None, numbers: Mapping[str, str]) -> None:
        """Read this relation from now on."""
        ...

    def changed(self, table: str) -> None:
        """Rows have come or gone: forget what was computed of them."""
        ...


Attach = Callable[[Sequence[Table]], tuple[Any, Mapping[str, Stored], Callable[[], None]]]
"""Opens rows that have just come, apart from all others: a connection, the relations in it, and how to close it."""


@final
class Growing:
    """The rows of a database that grows by batches: what was kept stays, and what arrives fills the places left.

    Nothing that waits is seen by a question; ``settle`` adds it in one step, when it is sealed (theory I10).
    """

    def __init__(
        self,
        holder: Holder,
        connection: Any,
        attach: Attach,
        tables: Mapping[str, Table],
        people: People | None,
        truncations: Mapping[str, Truncation | None],
        secret: str,
    ) -> None:
        self._holder, self._connection, self._attach, self._secret = holder, connection, attach, secret
        self._tables, self._waiting, self._numbered = dict(tables), False, people is not None
        self.places: dict[str, Place] = {}
        for at, (table, cap) in enumerate(truncations.items()):
            place = Place(tables[table] if people is None else people.tables[table], cap, at)
            if people is not None:
                keeping, person = people[table], people.persons.table == table
                place = replace(place, unique=keeping.unique, chain=keeping.chain, parent=keeping.parent, person=person)
            self.places[table] = place

    # --- what is held ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Go on from the rows that were opened: they are the first batch, as every question so far has read them."""
        with self._step("The first batch cannot be made."):
            self._begin_numbers()
            for table, place in self.places.items():
                given = self._holder.given(table)
                listed = [f"{given.sanitised[column]} AS {name(column)}" for column in place.table.columns]
                if place.cap is not None:
                    at = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(place.parts)})"
                    listed.append(place.place if given.cut is not None else f"{at} AS {place.place}")
                self._make(place)
                self._hold(place, f"SELECT {', '.join(listed)} FROM {given.relation}")
                leading = self._holder.leading(table)
                if leading is not None:
                    self._run(f"INSERT INTO {place.links} SELECT key, owner FROM {leading}")
                self._holder.take(place.table, place.held, place.cap, self._numbers(place))

    def load(self, contents: Mapping[str, Any]) -> None:
        """Hold what a vault holds, and nothing else.

        Columns that rows were sealed without are as if nothing were stored in them (theory I12).
        """
        with self._step("The vault cannot be read."):
            self._begin_numbers()
            for table, place in self.places.items():
                self._make(place)
                rows, gone = contents.get(f"{table}.rows"), contents.get(f"{table}.gone")
                self._hold_rows(place, self._filled(table, rows, place.columns()))
                if place.cap is not None:
                    self._fill(place.gone, place.tombs(), self._filled(table, gone, place.tombs()))
                if place.chain is not None:
                    self._fill(place.links, _LINKS, contents.get(f"{table}.links"))
                self._holder.take(place.table, place.held, place.cap, self._numbers(place))

    def contents(self, tables: Sequence[str] | None = None) -> Contents:
        """Everything that is held of some tables, or of all."""
        found: Contents = {}
        for table, place in self.places.items():
            if tables is None or table in tables:
                found[f"{table}.rows"] = self._held(place)
                if place.cap is not None:
                    found[f"{table}.gone"] = self._read(place.gone)
                if place.chain is not None:
                    found[f"{table}.links"] = self._read(place.links)
        return found

    def parts(self) -> list[str]:
        """The names of everything that is held."""
        return [f"{table}.{part}" for table, place in self.places.items() for part, _, _ in self._relations(place)]

    # --- a batch -----------------------------------------------------------------------------------------------

    def arrive(self, batch: Mapping[str, object]) -> tuple[Contents, str]:
        """What a batch adds to each table, waiting to be settled, and a text that is the same for the same rows.

        The text is empty for a batch without rows.
        """
        self.drop()
        tables = [Table(table, source, self._tables[table].domain) for table, source in batch.items()]
        connection, opened, close = self._attach(tables)
        told: list[str] = []
        try:
            with self._step("A batch cannot be sealed."):
                self._waiting = True
                every: dict[str, Stored] = {}
                for table, place in self.places.items():
                    leading = None if place.parent is None else self._leading(place, every.get(place.parent))
                    if table not in opened:
                        continue
                    rows = self._registered(table, connection, opened[table])
                    alone, bare = not self._numbered, self._bare()
                    every[table] = fresh(rows, place, leading, alone=alone and {place.held, place.gone} <= bare)
                    ((count, hashed),) = self._run(told_apart(rows)).fetchall()
                    told += [f"{table}: {count} rows, {hashed}"] if count else []
                    wanted = arrivals(every[table], place, self.places.values(), self._secret, bare)
                    self._run(f"CREATE TABLE {place.arrived} AS {wanted}")
                self._return(set(opened))
                return self._waiting_contents(), "; ".join(told)
        finally:
            close()
            for table in opened:
                self._connection.unregister(f"batch {table}")
        raise AssertionError

    def _bare(self) -> frozenset[str]:
        """The relations that hold no row: a first batch is weighed against nothing."""
        known = [one for place in self.places.values() for one in (place.held, *([place.gone] if place.cap else []))]
        return frozenset(one for one in known if not self._run(f"SELECT 1 FROM {one} LIMIT 1").fetchall())

    def _registered(self, table: str, connection: Any, stored: Stored) -> Stored:
        """The rows of one table of a batch, sanitised, brought to where the others are."""
        rows = connection.sql(f"SELECT {stored.copied()} FROM {stored.relation}").to_arrow_table()
        self._connection.register(f"batch {table}", rows)
        axes = frozenset(() if stored.table.owner is None else stored.table.domain.axes)
        names = {column: column for column in stored.table.columns}
        return Stored(stored.table, name(f"batch {table}"), stored.types, names, clean=True, told=axes)

    def _leading(self, place: Place, parent: Stored | None) -> str:
        """To whom keys lead, those of this batch included."""
        assert place.chain is not None
        if parent is None:
            return place.links
        self._run(f"CREATE TABLE {place.linked} AS {new_links(parent, place.chain, place)}")
        if self._run(f"SELECT 1 FROM {place.linked} WHERE several LIMIT 1").fetchall() or self._torn(place, parent):
            log.error(TWO_OWNERS, place.parent)
        return f"(SELECT key, owner FROM {place.links} UNION ALL SELECT key, owner FROM {place.linked})"

    def _torn(self, place: Place, parent: Stored) -> bool:
        """Whether a key of this batch led to somebody else before."""
        assert parent.table.owner is not None
        assert place.chain is not None
        spelled = {column.lower(): column for column in parent.table.columns}[place.chain.lower()]
        found = self._run(
            f"SELECT 1 FROM {parent.relation} JOIN {place.links} AS old_ ON {name(spelled)} = old_.key "
            f"WHERE {name(parent.table.owner)} <> old_.owner LIMIT 1"
        )
        return bool(found.fetchall())

    def _return(self, came: set[str]) -> None:
        """Give forgotten people who come back the values that they had."""
        person = next((place for place in self.places.values() if place.person), None)
        there = [place for table, place in self.places.items() if table in came]
        if person is None or not there:
            return
        if person.table.name not in came:
            listed = ", ".join(person.columns())
            self._run(f"CREATE TABLE {person.arrived} AS SELECT {listed} FROM {person.held} LIMIT 0")
        self._insert(person.arrived, person.columns(), returning(person, there, self._secret))

    def _waiting_contents(self) -> Contents:
        found: Contents = {}
        for table, place in self.places.items():
            if self._exists(place.arrived):
                found[f"{table}.rows"] = self._read(place.arrived)
            if self._exists(place.linked):
                found[f"{table}.links"] = self._arrow(f"SELECT key, owner FROM {place.linked}")
        return found

    def settle(self) -> None:
        """Add what waits to what is held, all of it or nothing; no question may run meanwhile."""
        with self._step("A sealed batch cannot be added."), self._together():
            for table, place in self.places.items():
                if self._exists(place.arrived) and not self._numbered and place.held in self._bare():
                    self._run(f"DROP TABLE {place.held}")
                    self._run(f"ALTER TABLE {place.arrived} RENAME TO {place.held}")
                    self._holder.changed(table)
                elif self._exists(place.arrived):
                    self._hold(place, f"SELECT {', '.join(place.columns())} FROM {place.arrived}")
                    self._holder.changed(table)
                if self._exists(place.linked):
                    self._run(f"INSERT INTO {place.links} SELECT key, owner FROM {place.linked}")
        self.drop()

    def drop(self) -> None:
        """Let go of a batch that waits."""
        if self._waiting:
            for place in self.places.values():
                self._run(f"DROP TABLE IF EXISTS {place.arrived}")
                self._run(f"DROP TABLE IF EXISTS {place.linked}")
            self._waiting = False

    # --- erasure -----------------------------------------------------------------------------------------------

    def without(self, owner: str, tables: Sequence[str]) -> Contents:
        """What would be held without an owner: nothing changes yet."""
        ((hashed,),) = self._run(f"SELECT {hashed_owner(text(owner), self._secret)}").fetchall()
        found: Contents = {}
        for table in tables:
            place = self.places[table]
            apart = f"IS DISTINCT FROM {text(owner)}"
            found[f"{table}.rows"] = self._held(place, f"{place.owner} {apart}")
            if place.cap is not None:
                others = f'SELECT * FROM {place.gone} WHERE "forgotten owner" <> {text(hashed)}'
                listed = ", ".join(place.tombs())
                left = f"SELECT {listed} FROM ({tombstones(place, owner, hashed)}) AS left_"
                found[f"{table}.gone"] = self._arrow(f"{others} UNION ALL {left}")
            if place.chain is not None:
                found[f"{table}.links"] = self._read(place.links, f"owner {apart}")
        return found

    def exchange(self, contents: Mapping[str, Any]) -> None:
        """Hold these rows in place of what is held of the parts that are named; no question may run meanwhile."""
        with self._step("Rows cannot be exchanged."), self._together():
            for table, place in self.places.items():
                for part, relation, columns in self._relations(place):
                    if f"{table}.{part}" in contents:
                        self._run(f"DELETE FROM {relation}")
                        given = self._filled(table, contents[f"{table}.{part}"], columns)
                        if part == "rows":
                            self._hold_rows(place, given)
                        else:
                            self._fill(relation, columns, given)
                self._holder.changed(table)
            self._forget_numbers()

    # --- inside ------------------------------------------------------------------------------------------------

    def _relations(self, place: Place) -> Iterator[tuple[str, str, dict[str, str]]]:
        yield "rows", place.held, place.columns()
        if place.cap is not None:
            yield "gone", place.gone, place.tombs()
        if place.chain is not None:
            yield "links", place.links, _LINKS

    def _make(self, place: Place) -> None:
        for part, relation, columns in self._relations(place):
            every = columns | {name(one): "BIGINT" for one in self._numbers(place).values() if part == "rows"}
            listed = ", ".join(f"{column} {kind}" for column, kind in every.items())
            self._run(f"CREATE OR REPLACE TABLE {relation} ({listed})")

    def _held(self, place: Place, where: str = "TRUE") -> Any:
        """The rows of a table as they are sealed: without the numbers, which are of this process alone."""
        return self._arrow(f"SELECT {', '.join(place.columns())} FROM {place.held} WHERE {where}")

    def _hold_rows(self, place: Place, rows: Any) -> None:
        if rows is None:
            return
        self._connection.register("filling", rows)
        try:
            self._hold(place, f"SELECT {', '.join(place.columns())} FROM filling")
        finally:
            self._connection.unregister("filling")

    # Numbers stand for the owners and keys of people's rows in joins. They are made as rows are held, and never sealed.

    def _numbers(self, place: Place) -> dict[str, str]:
        return numbered_columns(place.table) if self._numbered else {}

    def _begin_numbers(self) -> None:
        if self._numbered:
            self._run(f"CREATE OR REPLACE TABLE {_OWNERS} (word VARCHAR, number BIGINT)")
            self._run(f"CREATE OR REPLACE TABLE {_KEYS} (owner BIGINT, word VARCHAR, number BIGINT)")

    def _hold(self, place: Place, rows: str) -> None:
        """Add rows to those that are held, with their numbers."""
        columns, numbers = place.columns(), self._numbers(place)
        if not numbers:
            self._insert(place.held, columns, rows)
            return
        self._run(f"CREATE OR REPLACE TEMP TABLE {_COMING} AS {rows}")
        coming = Stored(place.table, _COMING, {}, {})
        for known, same, found in (
            (_OWNERS, "old_.word = new_.word", owners_numbered([coming])),
            (_KEYS, "old_.owner = new_.owner AND old_.word = new_.word", keys_numbered([coming], _OWNERS)),
        ):
            last = f"(SELECT COALESCE(MAX(number), 0) FROM {known})"
            fresh_ = f"SELECT * REPLACE (number + {last} AS number) FROM ({found}) AS new_"
            self._run(f"INSERT INTO {known} {fresh_} WHERE NOT EXISTS (SELECT 1 FROM {known} AS old_ WHERE {same})")
        every = ", ".join([*columns, *map(name, numbers.values())])
        rows = numbered(place.table, _COMING, _OWNERS, _KEYS)
        self._run(f"INSERT INTO {place.held} ({every}) SELECT {every} FROM ({rows}) AS rows_")
        self._run(f"DROP TABLE {_COMING}")

    def _forget_numbers(self) -> None:
        """Who is erased leaves no text behind."""
        if self._numbered:
            held = " UNION ALL ".join(f"SELECT {place.owner} FROM {place.held}" for place in self.places.values())
            self._run(f"DELETE FROM {_OWNERS} WHERE word NOT IN ({held})")
            self._run(f"DELETE FROM {_KEYS} WHERE owner NOT IN (SELECT number FROM {_OWNERS})")

    def _fill(self, relation: str, columns: Mapping[str, str], rows: Any) -> None:
        if rows is None:
            return
        self._connection.register("filling", rows)
        try:
            self._insert(relation, columns, f"SELECT {', '.join(columns)} FROM filling")
        finally:
            self._connection.unregister("filling")

    def _insert(self, relation: str, columns: Mapping[str, str], rows: str) -> None:
        """Add rows, each value in the type of its column."""
        self._run(f"INSERT INTO {relation} ({', '.join(columns)}) {rows}")

    def _filled(self, table: str, rows: Any, columns: Mapping[str, str]) -> Any:
        """Rows with every column: one that they were sealed without is what becomes of a row that stores nothing."""
        held = () if rows is None else {name(one) for one in rows.column_names}
        lacking = [] if rows is None else [one for one in columns if one not in held]
        if not lacking:
            return rows
        declared = self._tables[table].domain
        connection, opened, close = self._attach([Table(table, [dict.fromkeys(declared.columns)], declared)])
        try:
            stored = opened[table]
            blank = connection.sql(f"SELECT {stored.copied()} FROM {stored.relation}").to_arrow_table()
        finally:
            close()
        self._connection.register("sealed rows", rows)
        self._connection.register("blank row", blank)
        try:
            values = ", ".join(f"blank_.{one}" for one in lacking)
            return self._arrow(f'SELECT rows_.*, {values} FROM "sealed rows" AS rows_, "blank row" AS blank_')
        finally:
            self._connection.unregister("sealed rows")
            self._connection.unregister("blank row")

    def _read(self, relation: str, where: str = "TRUE") -> Any:
        return self._arrow(f"SELECT * FROM {relation} WHERE {where}")

    def _exists(self, relation: str) -> bool:
        known = "SELECT 1 FROM duckdb_tables() WHERE table_name = ?"
        return bool(self._connection.execute(known, [relation.strip('"')]).fetchall())

    def _arrow(self, statement: str) -> Any:
        return self._connection.sql(statement).to_arrow_table()

    def _run(self, statement: str) -> Any:
        return self._connection.execute(statement)

    @contextmanager
    def _together(self) -> Iterator[None]:
        self._run("BEGIN")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK")
            raise
        self._run("COMMIT")

    @contextmanager
    def _step(self, alarm: str) -> Iterator[None]:
        """What happens to rows is told to the operator alone."""
        try:
            yield
        except PartitaError:
            raise
        except Exception:
            log.exception(alarm)
        else:
            return
        raise refuse.not_sealed()


_LINKS = {'"key"': "VARCHAR", '"owner"': "VARCHAR"}
_OWNERS, _KEYS, _COMING = '"owners numbered"', '"keys numbered"', '"rows coming"'

__all__ = ["Contents", "Growing", "Holder"]
