"""Where rows are: files and how they are written, folders and patterns of files, tables of a database."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from partita.calls import called
from partita.errors.query import sources as refuse
from partita.region.columns.reading import PLAIN, Reading, reading_of

# Signs with which a path names several files.
PATTERN = frozenset("*?[")
DELIMITERS = (",", ";", "\t", "|", ":", "^", "~")
LINES = (".jsonl", ".ndjson")


@final
@dataclass(frozen=True, slots=True)
class Delimited:
    """A delimited file, and how it is written.

    ``reading`` is how texts of its columns are read where a column does not say so itself.
    """

    path: str
    delimiter: str = ","
    line_breaks: bool = False
    encoding: str = "utf-8"
    names: tuple[str, ...] = ()
    reading: Reading = PLAIN

    def describe(self) -> dict[str, object]:
        """How its bytes become rows, as plain data, without the path."""
        return {
            "delimiter": self.delimiter,
            "line_breaks": self.line_breaks,
            "encoding": self.encoding,
            "names": list(self.names),
        }


@final
@dataclass(frozen=True, slots=True)
class Database:
    """A table of a DuckDB file, or a view of one."""

    path: str
    table: str


@final
@dataclass(frozen=True, slots=True, eq=False)
class Connected:
    """A table or a query of a database that somebody is connected to; its rows are read once, into memory."""

    connection: Any = field(repr=False)
    table: str | None = None
    query: str | None = None

    @property
    def place(self) -> object:
        """What tells one database from another: its address, or else the connection itself."""
        engine = getattr(self.connection, "engine", self.connection)
        url = getattr(engine, "url", self.connection)
        if isinstance(url, str):
            return url
        return str(url) if getattr(url, "database", None) not in (None, "", ":memory:") else id(engine)

    @property
    def asked(self) -> str:
        """The table or the query, as far as two can be told to be the same."""
        return str(self.table or self.query).strip().lower()


@called
def csv(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    null: str | Sequence[str] | None = None,
    trim: bool = False,
    line_breaks: bool = False,
    encoding: str = "utf-8",
    names: Sequence[str] | None = None,
) -> Delimited:
    """A CSV file that is not written plainly, plain or compressed (.gz), as the ``source=`` of a table.

    ``decimal``, ``thousands`` and ``null`` hold for every column that does not say otherwise; ``trim`` drops blanks
    around values. ``line_breaks`` allows values in quotation marks to run over the end of a line; every row must then
    have as many values as the first. ``names`` are for a file without a first line of names.

    >>> csv("visits.csv", delimiter=";", decimal=",").delimiter
    ';'
    """
    try:
        place = os.fspath(path)
    except TypeError:
        raise refuse.bad_csv_option("path", path, "Give the path of a file.") from None
    if delimiter is None:
        delimiter = "\t" if bare(place).suffix.lower() == ".tsv" else ","
    if delimiter not in DELIMITERS:
        raise refuse.bad_csv_option("delimiter", delimiter, f"Give one of {' '.join(map(repr, DELIMITERS))}.")
    for option, value in (("trim", trim), ("line_breaks", line_breaks)):
        if not isinstance(value, bool):
            raise refuse.bad_csv_option(option, value, "Give true or false.")
    try:
        known = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        raise refuse.bad_csv_option("encoding", encoding, 'Give one that Python knows, such as "cp1252".') from None
    given = () if names is None else tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise refuse.bad_csv_option("names", names, "Give a list of names, one for each column of the file.")
    found = reading_of("csv", decimal=decimal, thousands=thousands, null=null) or PLAIN
    reading = Reading(found.null, trim, found.decimal, found.thousands)
    return Delimited(place, delimiter, line_breaks, known, given, reading)


@called
def duckdb(path: str | os.PathLike[str], *, table: str) -> Database:
    """A table of a DuckDB file, as the ``source=`` of a table; it is opened for reading, once.

    >>> duckdb("clinic.duckdb", table="visits").table
    'visits'
    """
    if not isinstance(table, str) or not table:
        raise refuse.bad_csv_option("table", table, "Give the name of a table in the file.")
    return Database(os.fspath(path), table)


@called
def database(connection: object, *, table: str | None = None, query: str | None = None) -> Connected:
    """A table or a query of a database, as the ``source=`` of a table; its rows are read once, into memory.

    ``connection`` is an engine or a connection of SQLAlchemy, the address of a database for SQLAlchemy, or a connection
    of ADBC or of any driver with cursors, such as ``sqlite3``. Only declared columns are asked for.

    >>> import sqlite3
    >>> clinic = sqlite3.connect(":memory:")
    >>> database(clinic, table="visits").table
    'visits'
    """
    if isinstance(connection, str):
        if "://" not in connection:
            raise refuse.bad_connection(connection)
    elif not (type(connection).__module__.startswith("sqlalchemy.") or hasattr(connection, "cursor")):
        raise refuse.bad_connection(type(connection).__name__)
    if (table is None) == (query is None):
        raise refuse.table_or_query(table, query)
    for option, text in (("table", table), ("query", query)):
        if text is not None and not (isinstance(text, str) and text.strip()):
            raise refuse.bad_csv_option(option, text, f"Give the {option} as text.")
    return Connected(connection, table, query)


def bare(source: str | Path) -> Path:
    """A path without the ending of a compressed file."""
    return Path(str(source).removesuffix(".gz"))


def streamed(source: str | Path) -> bool:
    """Whether a file is read row by row by our own reader: compressed ones, and lines of JSON."""
    return bare(source) != Path(source) or Path(source).suffix.lower() in LINES


CSV_OPTIONS = ("delimiter", "decimal", "thousands", "null", "trim", "line_breaks", "encoding", "names")


DATABASE_OPTIONS = ("table", "query")


def read_as(source: str, given: Mapping[str, Any]) -> Delimited | Database | Connected:
    """A source with the options of a custodian's file."""
    if "://" in source:
        return database(source, **given)
    if set(given) == {"table"}:
        return duckdb(source, table=given["table"])
    return csv(source, **given)


def paths(source: object) -> tuple[Path, ...]:
    """The files that a source names, whether they are there or not; a folder names the parquet files in it."""
    if isinstance(source, Delimited | Database):
        return (Path(source.path),)
    if not isinstance(source, str | Path):
        return ()
    path = Path(source)
    if path.is_dir():
        return tuple(sorted(path.rglob("*.parquet")))
    if PATTERN & set(str(path)) and not path.exists():
        base, parts = Path(path.anchor), path.parts[1:] if path.anchor else path.parts
        return tuple(sorted(base.glob(str(Path(*parts)))))
    return (path,)


def same_rows(first: object, second: object) -> bool:
    """Whether two sources have rows in common, as far as their names tell."""
    if first is second:
        return True
    if isinstance(first, Database) and isinstance(second, Database):
        return first.table.lower() == second.table.lower() and _meet(paths(first), paths(second))
    if isinstance(first, Connected) and isinstance(second, Connected):
        return first.place == second.place and first.asked == second.asked
    names = {str(one).lower() for one in (first, second) if isinstance(one, str | Path)}
    # Without an ending it may be the name of a table in the backend.
    alike = len(names) == 1 and type(first) is type(second) and not Path(names.pop()).suffix
    return alike or _meet(paths(first), paths(second))


def _meet(first: Sequence[Path], second: Sequence[Path]) -> bool:
    if {path.resolve() for path in first} & {path.resolve() for path in second}:
        return True
    return bool({*map(_place, first)} & {*map(_place, second)} - {None})


def _place(path: Path) -> tuple[int, int] | None:
    """Where a file is, links followed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
