"""The custodian's own look at a source: what is read as declared and what is not. It is for the custodian alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, final

import duckdb

from partita.engine.sources.connections import fetched
from partita.engine.sources.delimited import Malformed, columns
from partita.engine.sources.files import files_of, parquet
from partita.engine.sources.frames import lines_of, of_database, strings, texts_of
from partita.engine.sources.reading_suggestions import suggested
from partita.engine.statements.stored import Stored
from partita.errors import PartitaError
from partita.errors.query import tables as refuse
from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import Table
from partita.query.tables.sources import DELIMITERS, LINES, Connected, Database, Delimited, bare, csv
from partita.region.columns import Bounded, Categories
from partita.region.columns.stored import Family, family, text_of
from partita.region.dialects.duckdb import DUCKDB

_SHOWN = 3
_TRIED = 200


@final
@dataclass(frozen=True)
class Found:
    """How one column's stored values are read; examples are values of protected rows."""

    column: str
    kind: str
    empty: int
    unreadable: int
    outside: int
    examples: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    respelt: tuple[str, ...] = ()
    """Categories that are declared in other letters."""
    advice: dict[str, object] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class Owners:
    """How many rows people have, and how many rows a cap leaves out."""

    owners: int
    most: int
    ownerless: int
    cap: int | None
    left_out: int


@final
@dataclass(frozen=True)
class Examined:
    """What was seen of one table: why it cannot be read as declared, or how its columns are."""

    table: str
    rows: int = 0
    problem: str | None = None
    advice: dict[str, object] = field(default_factory=dict)
    columns: tuple[Found, ...] = ()
    owners: Owners | None = None


@final
@dataclass(frozen=True)
class Chain:
    """How rows of one table find those of another by a key."""

    child: str
    parent: str
    key: str
    rows: int
    without_key: int
    lost: int
    repeated: int


@final
class Look:
    """A connection of its own, that ends with the look; nothing is kept of what was read."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(
            ":memory:", config={"python_enable_replacements": "false", "temp_directory": ""}
        )
        self._stored: dict[str, Stored] = {}

    def close(self) -> None:
        """Forget everything."""
        self._connection.close()

    def examine(self, table: Table, cap: int | None = None) -> Examined:
        """How a table's rows are read as they are declared."""
        problem: str | None = None
        advice: dict[str, object] = {}
        try:
            self._open(table)
        except (Malformed, UnicodeError, OSError, EOFError) as failure:
            problem, changed = _why(table, failure), _otherwise(table, failure)
            if changed is None:
                return Examined(table.name, problem=problem, advice=_delimiter(table))
            table, advice = changed
            self._open(table)
        except PartitaError as refusal:
            return Examined(table.name, problem=refusal.message, advice=_delimiter(table))
        stored = self._stored[table.name]
        rows = int(self._one(f"SELECT COUNT(*) FROM {stored.relation}")[0])
        found = tuple(self._column(stored, column) for column in table.columns)
        return Examined(table.name, rows, problem, advice, found, self._owners(stored, cap))

    def chain(self, child: str, parent: str, key: str) -> Chain:
        """How many rows of a table find a row of another by a key."""
        lower, upper = self._stored[child], self._stored[parent]
        sought, known = lower.sanitised[_named(lower, key)], upper.sanitised[_named(upper, key)]
        rows, without = self._one(f"SELECT COUNT(*), COUNT(*) - COUNT({sought}) FROM {lower.relation}")
        (lost,) = self._one(
            f"SELECT COUNT(*) FROM (SELECT {sought} AS k FROM {lower.relation}) AS c WHERE k IS NOT NULL "
            f"AND k NOT IN (SELECT {known} FROM {upper.relation} WHERE {known} IS NOT NULL)"
        )
        (repeated,) = self._one(
            f"SELECT COUNT(*) FROM (SELECT {known} AS k FROM {upper.relation} GROUP BY k HAVING COUNT(*) > 1) AS p "
            f"WHERE k IS NOT NULL"
        )
        return Chain(child, parent, key, int(rows), int(without), int(lost), int(repeated))

    def _one(self, statement: str) -> tuple[Any, ...]:
        (line,) = self._connection.execute(statement).fetchall()
        return tuple(line)

    def _open(self, table: Table) -> None:
        relation = name(f"look {len(self._stored)}")
        rows = _rows(table)
        if isinstance(rows, str):
            self._connection.execute(f"CREATE OR REPLACE VIEW {relation} AS SELECT * FROM {rows}")
        else:
            self._connection.register(relation.strip('"'), rows)
        described = self._connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        types = {str(row[0]): str(row[1]) for row in described}
        folded = {column.lower(): column for column in types}
        for column in table.columns:
            if column.lower() not in folded:
                raise refuse.absent_column(table.name, column, types)
        names = {column: folded[column.lower()] for column in table.columns}
        kinds = {column: types[stored] for column, stored in names.items()}
        self._stored[table.name] = Stored(table, relation, kinds, names)

    def _column(self, stored: Stored, column: str) -> Found:
        declared, kind, relation = stored.table.columns[column], stored.types[column], stored.relation
        value = name(stored.names[column])
        gone = f"({self._given(stored, column)}) IS NULL"
        if not isinstance(declared, Bounded):
            (empty,) = self._one(f"SELECT COUNT(*) FILTER (WHERE {gone}) FROM {relation}")
            return Found(column, declared.kind, int(empty), 0, 0)
        blank = replace(declared, missing=None)  # type: ignore[type-var]
        alone = replace(
            stored, table=Table(stored.table.name, [], {column: blank}), names={column: stored.names[column]}
        )
        unread = f"(NOT ({gone}) AND ({alone.sanitised[column]}) IS NULL)"
        outside = f"(NOT ({gone}) AND ({alone.sanitised[column]}) IS NOT NULL AND NOT ({alone.within(column)}))"
        counts = self._one(
            f"SELECT COUNT(*) FILTER (WHERE {gone}), COUNT(*) FILTER (WHERE {unread}), "
            f"COUNT(*) FILTER (WHERE {outside}) FROM {relation}"
        )
        empty, unreadable, beyond = map(int, counts)
        texts = self._texts(relation, value, unread) if unreadable else []
        strange = self._texts(relation, value, outside) if beyond else []
        advice: dict[str, object] = {}
        if family(kind) is Family.TEXT and texts:
            fine = f"NOT {unread} AND NOT ({gone})"
            advice = suggested(declared, texts, self._texts(relation, value, fine))
        if family(kind) is Family.TEXT and isinstance(declared, Categories) and strange:
            advice = suggested(declared, strange)
        # Words for no value are listed among the options; what else is not read comes first.
        none = advice.get("null", ())
        texts.sort(key=lambda text: isinstance(none, list) and text in none)
        respelt: tuple[str, ...] = ()
        if isinstance(declared, Categories):
            known = {label.casefold() for label in declared.names}
            respelt = tuple(sorted(text for text in strange if text.strip().casefold() in known))
        shown = tuple(texts[:_SHOWN]), tuple(strange[:_SHOWN])
        return Found(column, declared.kind, empty, unreadable, beyond, *shown, respelt, advice)

    def _given(self, stored: Stored, column: str) -> str:
        """A stored value without the words that are declared to be none."""
        from sqlglot import exp

        reading, value = stored.table.columns[column].reading, exp.column(stored.names[column], quoted=True)
        if reading is None:
            return DUCKDB.mapped(value)
        return DUCKDB.mapped(reading.stored(value, stored.types[column]))

    def _texts(self, relation: str, value: str, where: str) -> list[str]:
        """The most frequent values where a condition holds."""
        lines = self._connection.execute(
            f"SELECT CAST({value} AS VARCHAR) AS v FROM {relation} WHERE {where} GROUP BY v ORDER BY COUNT(*) DESC, v "
            f"LIMIT {_TRIED}"
        ).fetchall()
        return [str(line[0]) for line in lines]

    def _owners(self, stored: Stored, cap: int | None) -> Owners | None:
        if stored.table.owner is None:
            return None
        owner = stored.sanitised[stored.table.owner]
        limit = 2**62 if cap is None else cap
        counts = self._one(
            f"SELECT COUNT(*), COALESCE(MAX(n), 0), COALESCE(SUM(GREATEST(n - {limit}, 0)), 0) FROM "
            f"(SELECT {owner} AS o, COUNT(*) AS n FROM {stored.relation} GROUP BY o) AS p WHERE o IS NOT NULL"
        )
        gone = f"{stored.dialect.known(owner)} IS NULL"
        (ownerless,) = self._one(f"SELECT COUNT(*) FROM {stored.relation} WHERE {gone}")
        return Owners(int(counts[0]), int(counts[1]), int(ownerless), cap, int(counts[2]))


def _named(stored: Stored, key: str) -> str:
    return next((column for column in stored.table.columns if column.lower() == key.lower()), key)


def _rows(table: Table) -> Any:
    """The rows as they are stored: a relation in SQL, or an Arrow table."""
    import pyarrow as pa

    source: Any = table.source
    if isinstance(source, Database):
        return of_database(table, source)
    if isinstance(source, Connected):
        values = fetched(table, source)
        if not isinstance(values, dict):
            return values
        return pa.table({one: strings([text_of(value) for value in values[one]]) for one in table.columns})
    if isinstance(source, str | Path):
        ending = bare(source).suffix.lower()
        if ending in LINES:
            rows: Iterable[dict[str, Any]] = lines_of(table, Path(source))
            folded = [{str(key).lower(): value for key, value in row.items()} for row in rows]
            texts = {one: strings([text_of(row.get(one.lower())) for row in folded]) for one in table.columns}
            return pa.table(texts)
        if ending not in (".csv", ".tsv"):
            return parquet(files_of(table, source))
        source = csv(source)
    if not isinstance(source, Delimited):
        raise refuse.unknown_source(table.name, type(source).__name__)
    return pa.table(texts_of(table, source))


def _encoding(table: Table) -> str:
    return table.source.encoding if isinstance(table.source, Delimited) else "utf-8"


def _file(table: Table) -> Delimited | None:
    if isinstance(table.source, Delimited):
        return table.source
    return csv(table.source) if isinstance(table.source, str | Path) else None


def _why(table: Table, failure: Exception) -> str:
    if isinstance(failure, Malformed):
        return str(failure)
    return f"it is not written in {_encoding(table)}" if isinstance(failure, UnicodeError) else "it is damaged"


def _otherwise(table: Table, failure: Exception) -> tuple[Table, dict[str, object]] | None:
    """The table with options under which its file can be read, and these; None if none help."""
    file = _file(table)
    if file is None or not isinstance(failure, Malformed | UnicodeError):
        return None
    for advice in _ways(file, other_encodings=isinstance(failure, UnicodeError)):
        tried = replace(file, **advice)  # type: ignore[arg-type]
        try:
            columns(tried, ())
        except (Malformed, UnicodeError):
            continue
        return Table(table.name, tried, table.domain, people=table.people), dict(advice)
    return None


def _ways(file: Delimited, *, other_encodings: bool) -> Sequence[dict[str, object]]:
    broken: list[dict[str, object]] = [{}] if file.line_breaks else [{}, {"line_breaks": True}]
    encodings: list[dict[str, object]] = [{}]
    if other_encodings:
        encodings = [{"encoding": "utf-16"}, {"encoding": "cp1252"}]
    return [{**one, **other} for other in encodings for one in broken if one or other]


def _delimiter(table: Table) -> dict[str, object]:
    """The sign under which the first line has the declared names, if it is another."""
    file = _file(table)
    if file is None or file.names or not Path(file.path).is_file():
        return {}
    for sign in DELIMITERS:
        try:
            _, found = columns(replace(file, delimiter=sign, line_breaks=True), list(table.columns))
        except (Malformed, UnicodeError, OSError, EOFError):
            continue
        if len(found) == len(table.columns) and sign != file.delimiter:
            return {"delimiter": sign}
    return {}
