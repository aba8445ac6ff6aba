"""What is said of public tables that cannot be used or joined."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput, QueryRefused
from partita.errors.wording import UNTOUCHED, shown, some


def bad_name(name: object) -> InvalidInput:
    """A public table whose name could not be written in a question."""
    return InvalidInput(
        "public.bad-name",
        f"{shown(name)} is not a name for a public table. Use letters, digits and _, beginning with a letter.",
    )


def taken_name(name: str) -> InvalidInput:
    """Two tables with one name."""
    return InvalidInput("public.taken-name", f"Two tables are called {name!r}. Give the public table another name.")


def not_a_public_table(value: object) -> InvalidInput:
    """Something else where a public table is expected."""
    return InvalidInput(
        "public.not-a-public-table",
        f'{shown(value)} is not a public table. Write public=[pt.PublicTable("clinics", "clinics.csv", key="clinic")].',
    )


def too_many_rows(table: str, rows: int, most: int) -> InvalidInput:
    """A lookup table larger than any declared column that it could describe."""
    return InvalidInput(
        "public.too-many-rows",
        f"Public table {table} has {rows} rows; at most {most} are read. Keep the rows whose keys are declared values.",
    )


def no_key(table: str, key: str, columns: Iterable[str]) -> InvalidInput:
    """The key must be one of the columns."""
    return InvalidInput(
        "public.no-key", f"Public table {table} has no column {key!r} for its key. It has {some(columns)}."
    )


def repeated_column(table: str, column: str) -> InvalidInput:
    """Names are told apart whatever their capitals."""
    return InvalidInput("public.repeated-column", f"Public table {table} has two columns called {column!r}.")


def repeated_key(table: str, key: str, value: object) -> InvalidInput:
    """A row of the protected table may meet one row of the public table only."""
    return InvalidInput(
        "public.repeated-key",
        f"Public table {table} has two rows with {key} = {shown(str(value))}. A protected row may meet one of them "
        f"only: keep one row for each key.",
    )


def unknown_source(table: str, value: object) -> InvalidInput:
    """Rows that cannot be read from what was given."""
    return InvalidInput(
        "public.unknown-source",
        f"Public table {table}: rows cannot be read from {shown(value)}. Give the path of a .parquet or .csv file, a "
        f"pandas, polars or Arrow table, or a list of rows.",
    )


def unreadable(table: str, path: str) -> InvalidInput:
    """A file that is absent or damaged."""
    return InvalidInput("public.unreadable", f"Public table {table}: the file {path!r} cannot be read. Check the path.")


def not_a_fact(table: str, column: str, value: object) -> InvalidInput:
    """A value that is neither number, text, truth nor day."""
    return InvalidInput(
        "public.not-a-fact",
        f"Public table {table}, column {column}: {shown(value)} is neither a number, a text, a truth nor a day.",
    )


# --- joins -----------------------------------------------------------------------------------------------------


def private_join(table: str) -> QueryRefused:
    """A join of two protected tables."""
    return QueryRefused(
        "public.private-join",
        f"{table} is protected as well, and one of its rows could then meet many rows of the other. Ask about each "
        f"table by itself, or let the custodian join them and declare the result. Public tables can be joined. "
        f"{UNTOUCHED}",
    )


def unknown_join(name: str, known: Iterable[str]) -> QueryRefused:
    """A table that is not declared public."""
    listed = list(known)
    there = f"Public tables are: {some(listed)}" if listed else "No public table is declared"
    return QueryRefused(
        "public.unknown-join",
        f"There is no public table {name!r} to join. {there}. The custodian declares one with "
        f"public=[PublicTable(...)]. {UNTOUCHED}",
    )


def join_condition(table: str, key: str) -> QueryRefused:
    """A join that is not on the key of the public table."""
    return QueryRefused(
        "public.join-condition",
        f"{table} is joined on its key and on nothing else: each row may meet one row of it. Write "
        f"JOIN {table} ON {table}.{key} = column, with a declared column. {UNTOUCHED}",
    )


def join_kind(kind: str) -> QueryRefused:
    """A join that could add rows."""
    return QueryRefused(
        "public.join-kind",
        f"{kind} could add rows that are in neither table. Write JOIN or LEFT JOIN. {UNTOUCHED}",
    )


def natural_join(table: str, key: str) -> QueryRefused:
    """A join that leaves unsaid which columns are compared."""
    return QueryRefused(
        "public.natural-join",
        f"NATURAL JOIN leaves unsaid which columns are compared. Write JOIN {table} USING ({key}). {UNTOUCHED}",
    )


def better_joined(table: str, key: str) -> QueryRefused:
    """A question about a public table inside a condition."""
    return QueryRefused(
        "public.better-joined",
        f"{table} is public: join it, JOIN {table} ON {table}.{key} = column, and write the condition on its columns "
        f"into WHERE; or list its keys, column IN (SELECT {key} FROM {table} WHERE ...). {UNTOUCHED}",
    )


def too_large_to_join(column: str, size: int, most: int) -> QueryRefused:
    """A column with too many values to look each of them up beforehand."""
    return QueryRefused(
        "public.too-large-to-join",
        f"{column} has {size} possible values, and facts are looked up beforehand for at most {most}. Join on a column "
        f"with fewer values. {UNTOUCHED}",
    )


def ambiguous(name: str, tables: Iterable[str]) -> QueryRefused:
    """A column of two tables."""
    return QueryRefused(
        "public.ambiguous", f"{name} is a column of {' and of '.join(tables)}. Write table.{name}. {UNTOUCHED}"
    )
