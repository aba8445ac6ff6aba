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


def no_such_table(table: str, wanted: str, path: str, known: Iterable[str]) -> InvalidInput:
    """A table that a DuckDB file does not have."""
    return InvalidInput(
        "query.no-such-table",
        f"Table {table}: the file {shown(path)} has no table {shown(wanted)}. It has {some(known)}. Nothing was read.",
    )
