"""The catalogue: a database of its own about declared tables, without a row of anybody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import duckdb

from partita.errors import wire as refuse
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.server.wire import values
from partita.server.wire.functions import MACROS, RESERVED
from partita.server.wire.relations import (
    CATALOG,
    INFORMATION,
    OWN,
    PUBLIC,
    VIEWS,
    Listed,
    contents,
    listed,
    relations,
    type_names,
)
from partita.server.wire.scanner import Sentence
from partita.server.wire.translation import Names, translated
from partita.server.wire.values import Column

PATIENCE: Final = 10.0
MOST_LINES: Final = 100_000
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "1",
    "memory_limit": "256MB",
    "max_temp_directory_size": "0KB",
    "temp_directory": "",
}
_KINDS: Final = {
    "BOOLEAN": values.BOOL, "TINYINT": 21, "SMALLINT": 21, "INTEGER": values.INT4, "BIGINT": values.INT8,
    "FLOAT": 700, "DOUBLE": values.FLOAT8, "DATE": values.DATE, "TIMESTAMP": values.TIMESTAMP,
    "HUGEINT": values.NUMERIC, "UBIGINT": values.NUMERIC, "UINTEGER": values.INT8, "DECIMAL": values.NUMERIC,
    "VARCHAR": values.TEXT,
}  # fmt: skip

Lines = list[tuple[Any, ...]]
Views = Mapping[str, Callable[[], Sequence[Sequence[Any]]]]
"""What the free views hold, made when one is read."""


@final
@dataclass(frozen=True, slots=True)
class Session:
    """What the catalogue knows of the connection that asks it."""

    account: str
    database: str
    number: int
    settings: Mapping[str, str]
    views: Views


@final
class Catalogue:
    """Answers what clients ask about tables, types and settings; it was never given a row of a protected table."""

    def __init__(self, tables: Sequence[Table], public: Sequence[PublicTable], database: str) -> None:
        self._lock = threading.Lock()
        self._shown: list[Listed] = listed(tables, public)
        self._public = {one.name.lower() for one in public}
        self._connection = duckdb.connect(":memory:", config=_CONFIG)
        run = self._connection.execute
        run("SET TimeZone = 'UTC'")
        run("BEGIN")
        for schema in (CATALOG, INFORMATION, OWN, PUBLIC):
            run(f"CREATE SCHEMA {schema}")
        run("; ".join(one.statement() for one in relations().values()))
        run(f"CREATE TABLE {CATALOG}.type_names (oid BIGINT, name VARCHAR, shown VARCHAR)")
        names = ", ".join(f"({oid}, '{name}', '{shown}')" for oid, name, shown in type_names())
        run(f"INSERT INTO {CATALOG}.type_names VALUES {names}")
        run(f"CREATE TABLE {CATALOG}.keywords (word VARCHAR, catcode VARCHAR, barelabel BOOLEAN, catdesc VARCHAR)")
        words = ", ".join(f"('{word}', 'R', TRUE, 'reserved')" for word in RESERVED)
        run(f"INSERT INTO {CATALOG}.keywords VALUES {words}")
        for schema, name, lines in contents(self._shown, database):
            self._fill(relations()[schema, name].place, lines)
        for name, (_, columns) in VIEWS.items():
            run(f'CREATE TABLE {OWN}."{name}" ({_columns(columns)})')
        for one in public:
            self._publish(one)
        run("; ".join(MACROS))
        run("COMMIT")
        run("SET lock_configuration = true")

    def _fill(self, place: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """Have a relation hold these lines; what they do not say is NULL."""
        import pyarrow as pa

        names = list(lines[0])
        made = pa.table({name: [line[name] for line in lines] for name in names})
        self._connection.register("given", made)
        shown = ", ".join(f'"{name}"' for name in names)
        self._connection.execute(f"INSERT INTO {place} ({shown}) SELECT {shown} FROM given")
        self._connection.unregister("given")

    def _publish(self, one: PublicTable) -> None:
        found = next(shown for shown in self._shown if shown.name == one.name and shown.schema == "public")
        columns = ", ".join(f'"{name}" {_sql(kind)}' for name, kind, _, _ in found.columns)
        place = f'{PUBLIC}."{one.name}"'
        self._connection.execute(f"CREATE TABLE {place} ({columns})")
        marks = ", ".join("?" for _ in found.columns)
        for row in one.rows:
            held = [values.said(value) if value is not None else None for value in row]
            self._connection.execute(f"INSERT INTO {place} VALUES ({marks})", held)

    def described(self, said: Sentence, session: Session) -> tuple[Column, ...]:
        """The columns of a statement."""
        sql, _ = self._translated(said, session)
        return self._run(f"DESCRIBE {sql}", {}, described=True)[0]

    def answered(self, said: Sentence, session: Session) -> tuple[tuple[Column, ...], Lines]:
        """The columns and lines of a statement."""
        sql, views = self._translated(said, session)
        return self._run(sql, {name: session.views[name]() for name in views}, described=False)

    def _translated(self, said: Sentence, session: Session) -> tuple[str, set[str]]:
        names = Names(self._public, {one.name: one.oid for one in self._shown}, session.settings, session.account,
                      session.database, session.number)  # fmt: skip
        return translated(said, names)

    def _run(
        self, sql: str, views: Mapping[str, Sequence[Sequence[Any]]], *, described: bool
    ) -> tuple[tuple[Column, ...], Lines]:
        with self._lock:
            timer = threading.Timer(PATIENCE, self._connection.interrupt)
            timer.daemon = True
            timer.start()
            try:
                statements = self._connection.extract_statements(sql)
                if len(statements) != 1:
                    raise refuse.not_in_catalogue("it is not one statement.")
                for name, lines in views.items():
                    self._connection.execute(f'DELETE FROM {OWN}."{name}"')
                    marks = ", ".join("?" for _ in VIEWS[name][1])
                    for line in lines:
                        self._connection.execute(f'INSERT INTO {OWN}."{name}" VALUES ({marks})', list(line))
                found = self._connection.execute(sql)
                if described:
                    return tuple(Column(str(line[0]), _kind(str(line[1]))) for line in found.fetchall()), []
                columns = tuple(Column(str(one[0]), _kind(str(one[1]))) for one in found.description or ())
                lines_found = found.fetchmany(MOST_LINES + 1)
            except duckdb.InterruptException:
                raise refuse.not_in_catalogue("it takes too long.") from None
            except duckdb.Error as problem:
                raise refuse.not_in_catalogue(_reason(problem)) from None
            finally:
                timer.cancel()
                self._connection.abort()
                for name in views:
                    # They are about one account, and the next statement may be another's.
                    self._connection.execute(f'DELETE FROM {OWN}."{name}"')
        if len(lines_found) > MOST_LINES:
            raise refuse.not_in_catalogue(f"it has more than {MOST_LINES:,} lines.")
        return columns, lines_found

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


def _kind(name: str) -> int:
    if name.endswith("[]"):
        of = _KINDS.get(name[:-2], values.TEXT)
        return values.array_of(values.INT4 if of == 21 else of)
    return _KINDS.get(name.partition("(")[0], values.TEXT)


def _sql(kind: int) -> str:
    names = {
        values.INT8: "BIGINT", values.FLOAT8: "DOUBLE", values.BOOL: "BOOLEAN", values.DATE: "DATE",
        values.TIMESTAMP: "TIMESTAMP", values.NUMERIC: "DECIMAL(38, 10)",
    }  # fmt: skip
    return names.get(kind, "VARCHAR")


def _reason(problem: duckdb.Error) -> str:
    """The first line of what the engine says, as a sentence; there is nothing but names in its database."""
    return f"{str(problem).splitlines()[0].strip().rstrip('.')[:300]}."


def _columns(described: Sequence[tuple[str, int, str]]) -> str:
    return ", ".join(f'"{name}" {_sql(kind)}' for name, kind, _ in described)
