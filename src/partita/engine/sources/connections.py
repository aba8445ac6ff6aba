"""Rows of a database that somebody is connected to: the value of one row never decides how another is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from partita.engine.log import log
from partita.errors import PartitaError
from partita.errors.query import sources as refuse_source
from partita.errors.query import tables as refuse
from partita.query.language.text import in_quotes
from partita.query.tables.schema import Table
from partita.query.tables.sources import Connected

# How many rows the driver of SQLite reads before it decides on types: all, so that it never meets another type later.
_ALL_AT_ONCE = {"adbc.sqlite.query.batch_rows": str(10**9)}
# A colon that SQLAlchemy would take for the beginning of a parameter.
_COLON = re.compile(r"(?<!:):(?=\w)")
_VALUES: dict[str, Callable[[str], Any]] = {"integer": int, "real": float, "blob": bytes.fromhex, "text": str}


def fetched(table: Table, source: Connected) -> Any:
    """The declared columns, in their order: values of Python's for each, or an Arrow table as the database typed it."""
    try:
        return _read(table, source)
    except PartitaError:
        raise
    except Exception:
        log.exception("The database of the table %s does not answer.", table.name)
    raise refuse_source.unanswered(table.name)


def _read(table: Table, source: Connected) -> Any:
    connection: Any = source.connection
    if isinstance(connection, str):
        engine = _engine(table, connection)
        try:
            return _by_sqlalchemy(table, source, engine)
        finally:
            engine.dispose()
    if type(connection).__module__.startswith("sqlalchemy."):
        return _by_sqlalchemy(table, source, connection)
    if hasattr(connection, "adbc_get_info"):
        return _by_adbc(table, source)
    with closing(connection.cursor()) as cursor:
        relation = _relation(source)
        cursor.execute(f"SELECT * FROM {relation} WHERE 1 = 0")
        found = _found(table, [str(column[0]) for column in cursor.description])
        cursor.execute(f"SELECT {', '.join(map(in_quotes, found))} FROM {relation}")
        return _turned(table, cursor.fetchall())


def _engine(table: Table, address: str) -> Any:
    try:
        import sqlalchemy
    except ImportError:
        raise refuse_source.no_sqlalchemy() from None
    url = sqlalchemy.make_url(address)
    file = url.database if url.get_backend_name() == "sqlite" else None
    # A file that is not there would be made, with nothing in it.
    if file not in (None, "", ":memory:") and not str(file).startswith("file:") and not Path(str(file)).is_file():
        raise refuse.absent_source(table.name, str(file))
    return sqlalchemy.create_engine(url)


def _by_sqlalchemy(table: Table, source: Connected, given: Any) -> dict[str, list[Any]]:
    import sqlalchemy as sql

    with _opened(given) as connection:
        if source.query is not None:
            result = connection.execute(sql.text(_COLON.sub(r"\:", source.query)))
            names = [str(name) for name in result.keys()]  # noqa: SIM118 - a result, not a mapping
            places = [names.index(name) for name in _found(table, names)]
            return _turned(table, [[row[place] for place in places] for row in result])
        schema, _, name = str(source.table).rpartition(".")
        inspector = sql.inspect(connection)
        known = [*inspector.get_table_names(schema or None), *inspector.get_view_names(schema or None)]
        if name not in known:
            raise refuse_source.no_such_table(table.name, str(source.table), None, known)
        described = [str(column["name"]) for column in inspector.get_columns(name, schema or None)]
        # As they are stored: what SQLAlchemy would make of a type is not known here.
        wanted: list[Any] = [sql.column(column) for column in _found(table, described)]
        statement = sql.select(*wanted).select_from(sql.table(name, schema=schema or None))
        return _turned(table, list(connection.execute(statement)))


@contextmanager
def _opened(given: Any) -> Any:
    """A connection of SQLAlchemy: one of an engine is closed again, another is left as it was."""
    if hasattr(given, "connect") and not hasattr(given, "execute"):
        with given.connect() as connection:
            yield connection
    else:
        yield given


def _by_adbc(table: Table, source: Connected) -> Any:
    connection: Any = source.connection
    relation = _relation(source)
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"SELECT * FROM {relation} WHERE 1 = 0")
        found = _found(table, [str(column[0]) for column in cursor.description])
        cursor.fetchall()
    if str(connection.adbc_get_info().get("vendor_name")).lower() != "sqlite":
        with closing(connection.cursor()) as cursor:
            cursor.execute(f"SELECT {', '.join(map(in_quotes, found))} FROM {relation}")
            return cursor.fetch_arrow_table().rename_columns(list(table.columns))
    # SQLite has a type for each value, and its driver one for each column: one text among numbers would leave the
    # others six digits. So every value is asked for as a text, with its own type beside it.
    asked = ", ".join(part for name in found for part in _one_by_one(in_quotes(name)))
    with closing(connection.cursor(adbc_stmt_kwargs=_ALL_AT_ONCE)) as cursor:
        cursor.execute(f"SELECT {asked} FROM {relation}")
        stored = cursor.fetch_arrow_table()
    values: dict[str, list[Any]] = {}
    for place, column in enumerate(table.columns):
        kinds, texts = (stored.column(2 * place + one).to_pylist() for one in (0, 1))
        values[column] = [
            None if text is None else _VALUES[kind](text) for kind, text in zip(kinds, texts, strict=True)
        ]
    return values


def _one_by_one(name: str) -> tuple[str, str]:
    kind = f"typeof({name})"
    exact = f"CASE {kind} WHEN 'real' THEN printf('%!.17g', {name}) WHEN 'blob' THEN hex({name})"
    return kind, f"{exact} ELSE CAST({name} AS TEXT) END"


def _relation(source: Connected) -> str:
    if source.query is not None:
        return f"({source.query.strip().rstrip(';')}) AS asked_"
    return ".".join(map(in_quotes, str(source.table).split(".")))


def _found(table: Table, names: Sequence[str]) -> list[str]:
    """The names of the declared columns as the database writes them."""
    folded = {name.lower(): name for name in names}
    for column in table.columns:
        if column.lower() not in folded:
            raise refuse.absent_column(table.name, column, names)
    return [folded[column.lower()] for column in table.columns]


def _turned(table: Table, rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Rows as columns."""
    listed = list(rows)
    return {column: [row[place] for row in listed] for place, column in enumerate(table.columns)}
