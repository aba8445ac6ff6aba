"""DuckDB, the embedded default: one generated statement a question, on a connection that is locked down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, final

import duckdb
import numpy as np
from numpy.typing import NDArray

from partita.engine import delimited
from partita.engine.base import Engine
from partita.engine.frames import arrow, coded
from partita.engine.held import MOST_ROWS, Held, counts_rows
from partita.engine.log import log
from partita.engine.lowering import name
from partita.engine.statement import rows_statement, statement, values_statement
from partita.engine.stored import Stored, text
from partita.errors import InvalidInput
from partita.errors import engine as refuse
from partita.errors import tables as refuse_query
from partita.exact import whole
from partita.query.conditions import everywhere
from partita.query.extract import Extract
from partita.query.program import Cells, Histogram, Program, Values, ordered_texts
from partita.query.schema import Table
from partita.region.columns import Categories, Open
from partita.region.columns.stored import EXACT, floating, steady

# A parquet file up to this many bytes is copied into memory once; larger ones are read where they are.
COPIED_BELOW = 16 * 2**20


@final
class DuckDB(Engine):
    """Reads parquet, CSV, Arrow, pandas and polars; sums in 128-bit integers.

    The connection may open the declared files and nothing else, loads no extension, and cannot be reconfigured.
    """

    kind: ClassVar[str] = "duckdb"

    def __init__(
        self, tables: Iterable[Table], *, threads: int | None = None, copied_below: int = COPIED_BELOW
    ) -> None:
        self._copied_below = copied_below
        self._stored: dict[str, Stored] = {}
        self._paths: list[str] = []
        self._held: dict[str, Held | None] = {}
        self._local = threading.local()
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                "python_enable_replacements": "false",
                "preserve_insertion_order": "false",
            },
        )
        self._connection.execute("SET TimeZone = 'UTC'")
        # It takes the constants of sums and products out of their brackets, where no type was chosen for them
        # (rewrite.check_widths). Filters, statistics and common parts are others' work, and nothing gets slower.
        self._connection.execute("SET disabled_optimizers = 'expression_rewriter'")
        self._connection.execute("SET parquet_metadata_cache = true")
        if threads is not None:
            try:
                self._connection.execute(f"SET threads = {whole(threads, 'threads', least=1)}")
            except InvalidInput:
                raise refuse.bad_threads(threads) from None
        super().__init__(tables)
        allowed = ", ".join(map(text, self._paths))
        self._connection.execute(f"SET allowed_paths = [{allowed}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def attach(self, table: Table) -> None:
        try:
            self._attach(table)
        except duckdb.Error:
            log.exception("The rows of %s cannot be read.", table.name)
        else:
            return
        raise refuse_query.unreadable_source(table.name)

    def _attach(self, table: Table) -> None:
        relation, place = f'"table {len(self._stored)}"', "source_"
        source: Any = table.source
        if isinstance(source, str | Path):
            path = Path(source)
            if not path.is_file():
                raise refuse_query.absent_source(table.name, source)
            large = path.suffix.lower() == ".parquet" and path.stat().st_size > self._copied_below
            self._connection.execute(
                f"CREATE VIEW {relation if large else place} AS SELECT * FROM {_file(table, path)}"
            )
            if large:
                self._paths.append(str(path))
                self._stored[table.name] = found = self._found(table, relation)
                # A value that cannot be read at all (text that is not UTF-8, a time beyond the calendar) would fail
                # the questions that meet it, and so tell of its row. It is met here, before there are questions.
                self._connection.execute(
                    f"SELECT BIT_XOR(HASH({', '.join(found.doubtful())})) FROM {relation}"
                ).fetchall()
                return
        # Copied once, already sanitised: no question opens the source again, and rows cannot change under an answer.
        if isinstance(source, str | Path):
            found = self._found(table, place)
        else:
            frame = arrow(table)
            self._connection.register(place, frame.rows)
            found = replace(self._found(table, place), handed=frame.handed, told=frame.told)
        self._connection.execute(f"CREATE TABLE {relation} AS SELECT {found.copied()} FROM {place}")
        if isinstance(source, str | Path):
            self._connection.execute(f"DROP VIEW {place}")
        else:
            self._connection.unregister(place)
        axes = frozenset(() if table.owner is None else table.domain.axes)
        self._stored[table.name] = replace(self._found(table, relation), clean=True, told=axes)

    def _found(self, table: Table, relation: str) -> Stored:
        """The declared columns as the relation has them."""
        described = self._connection.execute(f"DESCRIBE {relation}").fetchall()
        types = {str(row[0]): str(row[1]) for row in described}
        folded = {column.lower(): column for column in types}
        for column in table.columns:
            if column.lower() not in folded:
                raise refuse_query.absent_column(table.name, column, types)
        names = {column: folded[column.lower()] for column in table.columns}
        for column, stored in names.items():
            if isinstance(table.columns[column], Categories | Open) and not self._steady(
                relation, stored, types[stored]
            ):
                raise refuse_query.no_one_text(table.name, column, types[stored])
        return Stored(table, relation, {column: types[stored] for column, stored in names.items()}, names)

    def _steady(self, relation: str, stored: str, stored_type: str) -> bool:
        """Whether each value has one text, whatever other rows hold; told to the custodian, before there are questions.

        Beyond 2^53 a float is some whole number near the one that was meant, and its text is another.
        """
        if not floating(stored_type):
            return steady(stored_type)
        value = f"CAST({name(stored)} AS DOUBLE)"
        beyond = f"SELECT 1 FROM {relation} WHERE ABS({value}) >= {EXACT}.0 AND ISFINITE({value}) LIMIT 1"
        return not self._connection.execute(beyond).fetchall()

    def compute(self, program: Program) -> NDArray[np.object_]:
        if program.opened:
            return self._open(program)
        result = program.empty()
        held = self._in_memory(program.table) if counts_rows(program) else None
        if held is None:
            self._fill(program, result, {})
        else:
            result[:] = held.count(program.where.region)
        return result

    def _in_memory(self, table: Table) -> Held | None:
        """The codes of a table that was copied and is small; made by the first count that can use them."""
        if table.name not in self._held:
            stored, held = self._stored[table.name], None
            if stored.clean and table.domain.axes:
                ((rows,),) = self._cursor().execute(f"SELECT COUNT(*) FROM {stored.relation}").fetchall()
                if rows <= MOST_ROWS:
                    every = self.extract(Extract(table, everywhere(table.domain), table.domain.axes))
                    held = Held(list(every.T), table.domain.shape)
            self._held[table.name] = held
        return self._held[table.name]

    def _open(self, program: Program) -> NDArray[np.object_]:
        """The tallies of the open keys that occur, in an order that is a function of the keys alone."""
        numbers = [tally for tally in program.tallies if not isinstance(tally, Values)]
        together = not program.cells.keys
        counted = (program.people, *numbers) if together else (program.people,)
        people = replace(program, cells=Cells((), ()), tallies=counted)
        made = statement(people, self._stored[program.table.name], part_of=program)
        texts, lines = len(program.opened), self._cursor().execute(made.sql).fetchall()
        lines.sort(key=lambda line: ordered_texts(line[:texts]))
        whole = program.blank([line[:texts] for line in lines])
        for place, line in enumerate(lines):
            whole[place * program.cells.count : (place + 1) * program.cells.count, texts] = int(line[texts])
            if together:
                given = iter(line[texts + 1 :])
                for column, tally in enumerate(program.tallies):
                    if not isinstance(tally, Values):
                        whole[place, texts + 1 + column] = int(next(given) or 0)
        start = {line[:texts]: place * program.cells.count for place, line in enumerate(lines)}
        self._fill(program, whole[:, texts + 1 :], start, counted=together)
        return whole

    def _fill(
        self,
        program: Program,
        result: NDArray[np.object_],
        start: dict[tuple[str | None, ...], int],
        *,
        counted: bool = False,
    ) -> None:
        """The tallies, each in its column; numbers not if they were counted already."""
        numbers = [column for column, tally in enumerate(program.tallies) if not isinstance(tally, Values)]
        if numbers and not counted:
            self._count(program, result, numbers, start)
        for column, tally in enumerate(program.tallies):
            if isinstance(tally, Values):
                self._spread(program, tally, result[:, column], start)

    def _count(
        self,
        program: Program,
        result: NDArray[np.object_],
        numbers: list[int],
        start: dict[tuple[str | None, ...], int],
    ) -> None:
        """The tallies that are numbers, from one statement."""
        made = statement(program, self._stored[program.table.name])
        lines = self._cursor().execute(made.sql).fetchall()
        if not lines:
            return
        texts, groups = len(program.opened), len(program.opened) + len(made.places)
        columns = list(zip(*lines, strict=True))
        listed = [_places(columns[texts + place], read) for place, read in enumerate(made.places)]
        position = program.cells.position
        where = [position[places] for places in zip(*listed, strict=True)] if listed else [position[()]] * len(lines)
        if texts:
            where = [start[line[:texts]] + at for line, at in zip(lines, where, strict=True)]
        for column, values in zip(numbers, columns[groups:], strict=True):
            sums = result[:, column].tolist()
            for at, value in zip(where, values, strict=True):
                if value is not None:
                    sums[at] += int(value)
            result[:, column] = sums

    def _spread(
        self,
        program: Program,
        tally: Values,
        result: NDArray[np.object_],
        start: dict[tuple[str | None, ...], int],
    ) -> None:
        """The histogram of one expression in every group, from a statement of its own."""
        made = values_statement(program, tally.of, self._stored[program.table.name])
        found = self._cursor().sql(made.sql).to_arrow_table()
        groups = np.zeros(found.num_rows, dtype=np.int64)
        texts, keys = len(program.opened), len(made.places)
        if keys:
            listed = [_places(found.column(texts + place).to_pylist(), read) for place, read in enumerate(made.places)]
            position = program.cells.position
            groups = np.fromiter((position[places] for places in zip(*listed, strict=True)), np.int64, len(groups))
        if texts:
            named = zip(*(found.column(place).to_pylist() for place in range(texts)), strict=True)
            groups = groups + np.fromiter((start[key] for key in named), np.int64, len(groups))
        values = found.column(texts + keys).to_numpy().astype(np.int64)
        counts = found.column(texts + keys + 1).to_numpy().astype(np.int64)
        order = np.lexsort((values, groups))
        groups, values, counts = groups[order], values[order], counts[order]
        # Several values of a key may be one group, and each of them has lines of its own.
        new = np.flatnonzero((np.diff(groups, prepend=-1) != 0) | (np.diff(values, prepend=0) != 0))
        groups, values, counts = groups[new], values[new], np.add.reduceat(counts, new) if len(new) else counts
        starts = np.flatnonzero(np.diff(groups, prepend=-1)).tolist()
        for first, last in pairwise([*starts, len(groups)]):
            result[groups[first]] = Histogram(values[first:last], counts[first:last])

    def extract(self, extract: Extract) -> NDArray[np.int64]:
        domain = extract.table.domain
        columns = [domain.bounded[domain.axis(column)] for column in extract.columns]
        found = self._cursor().sql(rows_statement(extract, self._stored[extract.table.name])).to_arrow_table()
        codes = np.empty((found.num_rows, len(columns)), dtype=np.int64)
        for place, column in enumerate(columns):
            codes[:, place] = coded(found.column(place), column)
        return codes

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The very same statements, on an empty table with the types of the stored one."""
        name = program.table.name
        stored = self._stored[name]
        bare = f'{stored.relation.removesuffix(chr(34))} without rows"'
        self._cursor().execute(f"CREATE TABLE IF NOT EXISTS {bare} AS SELECT * FROM {stored.relation} LIMIT 0")
        emptied = DuckDB.__new__(DuckDB)
        vars(emptied).update(vars(self), _stored={name: replace(stored, relation=bare)}, _held={})
        return emptied._read(program)

    def close(self) -> None:
        self._connection.close()

    def _cursor(self) -> Any:
        cursor = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
        return cursor


def _places(values: Sequence[Any], read: Callable[[Any], int]) -> list[int]:
    """The places of keys as they come back; each different one is read once."""
    known = {value: read(value) for value in set(values)}
    return [known[value] for value in values]


def _file(table: Table, path: Path) -> str:
    """How a file is read.

    A CSV file gives every value as text, so that no row decides about a type. A file that is not well-formed is refused
    when it is opened: read loosely, one open quotation mark would swallow every row behind it.
    """
    if path.suffix.lower() == ".parquet":
        return f"read_parquet({text(str(path))})"
    if path.suffix.lower() not in {".csv", ".tsv"}:
        raise refuse_query.unknown_source(table.name, str(path))
    header = delimited.header(path)
    if header is None:
        raise refuse_query.unreadable_source(table.name)
    if not header:
        raise refuse_query.absent_column(table.name, next(iter(table.columns)), ())
    columns = ", ".join(f"{text(column)}: 'VARCHAR'" for column in header)
    return (
        f"read_csv({text(str(path))}, all_varchar = true, header = true, delim = {text(delimited.delimiter(path))}, "
        f"quote = '\"', escape = '\"', null_padding = true, parallel = false, strict_mode = true, "
        f"ignore_errors = false, auto_detect = false, columns = {{{columns}}})"
    )
