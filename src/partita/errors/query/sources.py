"""Words of refusals about where rows are and how files are written."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput
from partita.errors.wording import shown, some


def bad_csv_option(option: str, value: object, advice: str) -> InvalidInput:
    """An option of a source that cannot be meant so."""
    return InvalidInput(
        "query.bad-source-option",
        f"{option} = {shown(value)} does not say how a file is read. {advice} Nothing was read.",
    )


def no_files(table: str, source: object) -> InvalidInput:
    """A folder or a pattern without files."""
    return InvalidInput(
        "query.no-files",
        f"Table {table}: no parquet file is found under {shown(str(source))}. A folder or a pattern such as "
        f"visits/*.parquet names parquet files. Nothing was read.",
    )


def unlike_files(table: str, column: str, first: str, second: str) -> InvalidInput:
    """Files of one table that store a column in different types."""
    return InvalidInput(
        "query.unlike-files",
        f"Table {table}: its files store the column {column} differently, as {first} and as {second}. One file would "
        f"decide how the others are read. Nothing was charged. Write them with one schema.",
    )


def no_such_table(table: str, wanted: str, path: str | None, known: Iterable[str]) -> InvalidInput:
    """A table that a DuckDB file, or a connected database, does not have."""
    place = "the database" if path is None else f"the file {shown(path)}"
    return InvalidInput(
        "query.no-such-table",
        f"Table {table}: {place} has no table {shown(wanted)}. It has {some(known)}. Nothing was read.",
    )


def bad_connection(value: object) -> InvalidInput:
    """Something that is no connection to a database."""
    return InvalidInput(
        "query.bad-connection",
        f"{shown(value)} is no connection to a database. Give an engine or a connection of SQLAlchemy, the address of "
        'a database such as "sqlite:///clinic.db", or a connection of ADBC or of another driver. Nothing was read.',
    )


def table_or_query(table: object, query: object) -> InvalidInput:
    """Neither a table nor a query of a database, or both."""
    given = "Neither is given" if table is None and query is None else "Both are given"
    return InvalidInput(
        "query.table-or-query",
        f'A source in a database is a table or a query. {given}. Give table="visits", or query="SELECT ...". '
        "Nothing was read.",
    )


def no_sqlalchemy() -> InvalidInput:
    """The address of a database needs SQLAlchemy, an extra that is not installed."""
    return InvalidInput(
        "query.no-sqlalchemy",
        "The address of a database needs SQLAlchemy, which is not installed. Install it with: pip install sqlalchemy "
        "(the extra sql). Or give pt.database() a connection of the driver. Nothing was read.",
    )


def unanswered(table: str) -> InvalidInput:
    """A database that did not give rows."""
    return InvalidInput(
        "query.database-failed",
        f"Table {table}: the database did not answer. Nothing was charged. Check the address, the account and "
        "the query by asking it without Partita. What the database said is in the operator's log.",
    )
