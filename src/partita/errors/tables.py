"""What is said of tables that cannot be declared or read as they are."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput
from partita.errors.wording import shown, some


def bad_table_name(name: object) -> InvalidInput:
    """A table whose name could not be written in a question."""
    return InvalidInput(
        "query.bad-table-name",
        f"{shown(name)} is not a name for a table. Use letters, digits and _, beginning with a letter.",
    )


def two_owners(table: str, columns: tuple[str, ...]) -> InvalidInput:
    """A row can belong to one person only."""
    return InvalidInput(
        "query.two-owners",
        f"Table {table} declares {' and '.join(columns)} as identifier(). A row belongs to one owner: keep one of "
        f"them, and declare the others as text_keys().",
    )


def unknown_owner(table: str, owner: str, columns: tuple[str, ...]) -> InvalidInput:
    """The owner must be the column declared as identifier()."""
    known = f"only {columns[0]} is" if columns else "no column is"
    return InvalidInput(
        "query.unknown-owner",
        f"Table {table}: owner = {shown(owner)}, but {known} declared as identifier(). "
        f"Declare the column that says whom a row belongs to as identifier().",
    )


def no_source(table: str) -> InvalidInput:
    """The custodian's file must say where the rows are."""
    return InvalidInput(
        "query.no-source",
        f'[tables.{table}] has no source. Write source = "{table}.parquet", a CSV file, or the backend\'s table name.',
    )


def no_declared_columns(table: str) -> InvalidInput:
    """The custodian's file must say what the columns may hold."""
    return InvalidInput(
        "query.no-declared-columns",
        f"[tables.{table}.columns] is missing or empty. Declare what each column may hold, for example "
        f"age = {{ integers = [0, 120] }}.",
    )


def unknown_setting(place: str, name: str, known: tuple[str, ...]) -> InvalidInput:
    """A setting that does not exist is more often a slip than a wish."""
    return InvalidInput("query.unknown-setting", f"[{place}] has no setting {name!r}. It may have {', '.join(known)}.")


def bad_declaration(place: str, value: object) -> InvalidInput:
    """A column in the custodian's file that cannot be read."""
    return InvalidInput(
        "query.bad-declaration",
        f"{place} = {shown(value)} does not declare a column. Write for example {{ integers = [0, 120] }}, "
        f'{{ decimals = [0, 20000], step = "0.01" }}, {{ categories = ["F", "M"] }}, "booleans" or "identifier".',
    )


def unknown_declaration(place: str, kind: str, known: tuple[str, ...]) -> InvalidInput:
    """A kind of column that does not exist."""
    return InvalidInput(
        "query.unknown-declaration", f"{place}: there are no columns of kind {kind!r}. Use {some(known)}."
    )


def unknown_source(table: str, value: object) -> InvalidInput:
    """Rows that cannot be read from what was given."""
    return InvalidInput(
        "query.unknown-source",
        f"Table {table}: rows cannot be read from {shown(value)}. Give the path of a .parquet or .csv file, a pandas, "
        f"polars or Arrow table, a list of rows, or the name of a table in the backend.",
    )


def unreadable_source(table: str) -> InvalidInput:
    """A file that is damaged, or not what its name says."""
    return InvalidInput(
        "query.unreadable-source",
        f"Table {table}: its rows cannot be read: the file is damaged, or is not well-formed (a quotation mark inside "
        f"a value that does not stand in quotation marks from end to end, a line break inside a value, lines that end "
        f"differently, two columns of one name, a type that is not supported). Nothing was charged. Save it anew, best "
        f"as parquet; what the database said is in the operator's log.",
    )


def no_one_text(table: str, column: str, stored_type: str) -> InvalidInput:
    """Names, keys and identifiers are compared as texts, and values of this type have several."""
    return InvalidInput(
        "query.no-one-text",
        f"Table {table}: the column {column} is stored as {stored_type}, and is declared as names, keys or an "
        f"identifier, which are compared as texts. How such a value is written depends on the tool that wrote it, and "
        f"on the other rows. Nothing was charged. Store it as text, whole numbers or days.",
    )


def absent_source(table: str, path: object) -> InvalidInput:
    """A file that is not there."""
    return InvalidInput("query.absent-source", f"Table {table}: there is no file {shown(str(path))}. Check the path.")


def absent_column(table: str, column: str, stored: Iterable[str]) -> InvalidInput:
    """A declared column that the rows do not have."""
    return InvalidInput(
        "query.absent-column",
        f"Table {table} declares the column {column!r}, which its source does not have. It has {some(stored)}.",
    )


def no_owner(table: str, unit: str) -> InvalidInput:
    """A promise on users needs a table that says whose rows they are."""
    return InvalidInput(
        "query.no-owner",
        f"The promise protects {unit}, and table {table} does not name that owner. "
        f"Declare the column as identifier() in columns=.",
    )


def unlike_caps(table: str) -> InvalidInput:
    """Two truncations at once would undo each other's guarantee."""
    return InvalidInput(
        "query.unlike-caps",
        f"Two promises on users of table {table} divide its owners differently. One fixed truncation can serve one "
        f"division: keep one of them, or use the same column and the same per= in both.",
    )
