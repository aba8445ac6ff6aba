"""PostgreSQL: one read-only snapshot a question, in which types are looked at again; only aggregates leave it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, ClassVar, final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from partita.engine.catalogues import Relation, described
from partita.engine.log import log
from partita.engine.servers import Server
from partita.engine.sources import types as sources
from partita.engine.statements.statement import rows_statement
from partita.engine.statements.stored import Stored
from partita.engine.tallying import Tallying
from partita.errors import Caution, PartitaError
from partita.errors import engine as refuse
from partita.errors.query import tables as refuse_query
from partita.query.exact.extract import Extract
from partita.query.exact.program import Program
from partita.query.language.text import in_quotes as name
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.region.columns import Categories, Open
from partita.region.columns.stepped import Stepped
from partita.region.columns.stored import floating, steady
from partita.region.dialects.postgres import POSTGRES

_OLDEST = 140_000
# Everything that a statement's meaning could depend on; nothing outside of pg_catalog is found without its schema.
_SETTINGS = (
    "search_path = pg_catalog, pg_temp",
    "DateStyle = 'ISO, YMD'",
    "TimeZone = 'UTC'",
    "client_encoding = 'UTF8'",
    "standard_conforming_strings = on",
    "extra_float_digits = 1",
    "transform_null_equals = off",
    # A policy that would hide rows, and may fail on one, is an error of the question, whatever the rows are.
    "row_security = off",
    "client_min_messages = error",
    # No end that is set for the role or the server: whether a question reaches it depends on rows.
    "lock_timeout = 0",
    "idle_in_transaction_session_timeout = 0",
)
# The oldest version that ends whole transactions by a clock.
_WHOLE = 170_000


@final
class Postgres(Tallying):
    """Tables of a PostgreSQL server, version 14 and later, read as they are at each question.

    Every statement is total on every value that the server stores (``region/dialects/postgres.proof.md``). A role that
    may SELECT from the declared tables is enough; a superuser is refused unless it is allowed by name.
    """

    kind: ClassVar[str] = "postgres"
    addressed: ClassVar[bool] = True

    def __init__(
        self, tables: Iterable[Table], people: People | None = None, key: str = "", *, database: object = None
    ) -> None:
        self._server = Server.of(database)
        self._relations: dict[str, Relation] = {}
        self._stored: dict[str, Stored] = {}
        self._bare: dict[str, Stored] = {}
        self._local = threading.local()
        self._opened: list[Any] = []
        self._opening = threading.Lock()
        self._ended = finalize(self, _close, self._opened, os.getpid())
        try:
            with self._transaction() as cursor:
                self._check_server(cursor)
            super().__init__(tables, people, key)
        except BaseException:
            self.close()
            raise

    def attach(self, table: Table) -> None:
        try:
            with self._transaction() as cursor:
                relation = described(cursor, table, self._server)
            found = self._found(table, relation)
            sources.check_types(found)
            empty = f"(SELECT * FROM {found.relation} LIMIT 0) AS {name('without rows')}"
            self._relations[table.name], self._stored[table.name] = relation, found
            self._bare[table.name] = replace(found, relation=empty)
        except (PartitaError, Caution):
            raise
        except Exception:
            log.exception("The rows of %s cannot be read.", table.name)
        else:
            return
        raise refuse_query.unreadable_source(table.name)

    def _found(self, table: Table, relation: Relation) -> Stored:
        """The declared columns as the relation has them."""
        folded = {column.lower(): column for column in relation.types}
        names: dict[str, str] = {}
        for column, declared in table.columns.items():
            stored = column if column in relation.types else folded.get(column.lower())
            if stored is None:
                raise refuse_query.absent_column(table.name, column, relation.types)
            kind = relation.types[stored]
            # Tables change while they are asked about, so that no look at the rows tells whether floats have one text.
            if isinstance(declared, Categories | Open) and (floating(kind) or not steady(kind)):
                raise refuse_query.no_one_text(table.name, column, kind)
            names[column] = stored
        types = {column: relation.types[stored] for column, stored in names.items()}
        return Stored(table, relation.name, types, names, POSTGRES)

    # --- reading ---------------------------------------------------------------------------------------------------

    def _read(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        with self._snapshot(program.table):
            return super()._read(program)

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The very same statements over none of the rows."""
        self._local.bare = True
        try:
            return self._read(program)
        finally:
            self._local.bare = False

    def extract(self, extract: Extract) -> NDArray[np.int64]:
        """Counted by what they hold: rows that are alike travel once."""
        domain = extract.table.domain
        columns = [domain.bounded[domain.axis(column)] for column in extract.columns]
        listed = f"SELECT *, COUNT(*) FROM ({rows_statement(extract, self._of(extract))}) AS listed_"
        lines = self._lines(f"{listed} {POSTGRES.grouped([''] * len(columns))}" if columns else listed)
        codes = np.empty((len(lines), len(columns)), dtype=np.int64)
        for place, column in enumerate(columns):
            for at, line in enumerate(lines):
                value = line[place]
                stepped = isinstance(column, Stepped) and value is not None
                codes[at, place] = int(value) - column.low if stepped else column.code(value)  # type: ignore[attr-defined]
        return np.repeat(codes, np.fromiter((line[-1] for line in lines), np.int64, len(lines)), axis=0)

    def _of(self, program: Program | Extract) -> Stored:
        held = self._bare if getattr(self._local, "bare", False) else self._stored
        return held[program.table.name]

    def _lines(self, sql: str) -> list[tuple[Any, ...]]:
        return list(self._local.cursor.execute(sql).fetchall())

    def _counted(self, sql: str, keys: int) -> tuple[list[list[Any]], NDArray[np.int64], NDArray[np.int64]]:
        lines = self._lines(sql)
        values, counts = (
            np.fromiter((int(line[at]) for line in lines), np.int64, len(lines)) for at in (keys, keys + 1)
        )
        return [[line[at] for line in lines] for at in range(keys)], values, counts

    @contextmanager
    def _snapshot(self, table: Table) -> Iterator[None]:
        """One moment of a table, of the same types as when it was opened."""
        with self._transaction() as cursor:
            known = self._relations[table.name]
            if known.lockable:
                # Held to the end of the transaction: what is found of the types now is so when rows are read.
                cursor.execute(f"LOCK TABLE {known.name} IN ACCESS SHARE MODE")
            if described(cursor, self.tables[table.name], self._server) != known:
                raise refuse.changed_types(table.name)
            self._local.cursor = cursor
            try:
                yield
            finally:
                self._local.cursor = None

    # --- the server ------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            connection = self._local.connection = self._server.connected()
            with self._opening:
                self._opened.append(connection)
        settings = [*_SETTINGS, f"statement_timeout = {1000 * (self._server.timeout or 0)}"]
        if connection.info.server_version >= _WHOLE:
            settings.append("transaction_timeout = 0")
        try:
            with connection.cursor() as cursor:
                begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", *(f"SET LOCAL {one}" for one in settings)]
                cursor.execute("; ".join(begin))
                yield cursor
                cursor.execute("COMMIT")
        except BaseException:
            # Whatever is left of it ends with its connection.
            connection.close()
            raise

    def _check_server(self, cursor: Any) -> None:
        """What is refused whatever the tables are."""
        asked = "current_setting('server_version_num'), current_setting('server_encoding'), rolname, rolsuper"
        ((version, encoding, role, superuser),) = cursor.execute(
            f"SELECT {asked} FROM pg_roles WHERE rolname = current_user"
        ).fetchall()
        if int(version) < _OLDEST:
            raise refuse.old_server(int(version) // 10_000)
        if encoding != "UTF8":
            raise refuse.other_encoding(encoding)
        if superuser and not self._server.superuser:
            raise refuse.superuser(role)

    def close(self) -> None:
        self._ended()


def _close(connections: list[Any], owner: int) -> None:
    """End all connections; a forked child leaves them to the process that made them."""
    if os.getpid() == owner:
        for connection in connections:
            with suppress(Exception):
                connection.close()
        connections.clear()
