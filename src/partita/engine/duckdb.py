"""DuckDB, the embedded default: one generated statement a question, on a connection that is locked down."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar, final
from weakref import finalize

import duckdb
import numpy as np
from numpy.typing import NDArray

from partita.engine.growing import Growing
from partita.engine.held import Held, counted
from partita.engine.log import log
from partita.engine.sources import types as sources
from partita.engine.sources.files import files_of, parquet, relation_of
from partita.engine.sources.frames import arrow, coded
from partita.engine.statements.fixing import fixed_statement
from partita.engine.statements.joining import (
    TWO_OWNERS,
    joined_stored,
    kept_statement,
    keys_numbered,
    numbered,
    numbered_columns,
    owned,
    owners_numbered,
    owners_statement,
)
from partita.engine.statements.statement import cut_statement, rows_statement
from partita.engine.statements.stored import Stored, text
from partita.engine.tallying import Tallying
from partita.errors import Caution, InvalidInput, PartitaError
from partita.errors import engine as refuse
from partita.errors.query import sources as refuse_source
from partita.errors.query import tables as refuse_query
from partita.exact import whole
from partita.limits import current
from partita.query.exact.extract import Extract
from partita.query.exact.program import Program
from partita.query.language.conditions import everywhere
from partita.query.language.joined import joined_of
from partita.query.language.text import in_quotes as name
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.sources import streamed
from partita.query.tables.truncation import Truncation
from partita.region.columns import Categories, Open
from partita.region.columns.stored import EXACT, Family, family, floating, steady

# A parquet file up to this many bytes is copied into memory once; larger ones are read where they are.
COPIED_BELOW = 16 * 2**20


@final
class DuckDB(Tallying):
    """Reads parquet, CSV, Arrow, pandas and polars; sums in 128-bit integers.

    The connection may open the declared files and nothing else, loads no extension, and cannot be reconfigured.
    """

    kind: ClassVar[str] = "duckdb"

    def __init__(
        self,
        tables: Iterable[Table],
        people: People | None = None,
        key: str = "",
        *,
        threads: int | None = None,
        copied_below: int = COPIED_BELOW,
    ) -> None:
        self._copied_below = copied_below
        self._stored: dict[str, Stored] = {}
        self._paths: dict[str, tuple[str, ...]] = {}
        self._bare: dict[str, Stored] = {}
        self._held: dict[str, Held | None] = {}
        self._cut: dict[tuple[str, Truncation], Stored] = {}
        self._bare_cut: dict[tuple[str, Truncation], Stored] = {}
        self._leading: dict[str, str] = {}
        self._cutting = threading.Lock()
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
        # Texts of many rows come to more than 2^31 bytes, and one row more must not fail a question.
        self._connection.execute("SET arrow_large_buffer_size = true")
        # What does not fit into memory is written where nobody else reads, and not into the folder of whoever asks.
        spilled = mkdtemp(prefix="partita-")
        self._swept = finalize(self, _sweep, spilled, os.getpid())
        self._connection.execute(f"SET temp_directory = {text(spilled)}")
        if threads is not None:
            try:
                self._connection.execute(f"SET threads = {whole(threads, 'threads', least=1)}")
            except InvalidInput:
                raise refuse.bad_threads(threads) from None
        super().__init__(tables, people, key)
        self._rehearsing = DuckDB.__new__(DuckDB)
        # No counts from memory there: whether they are made so depends on how many rows are stored.
        vars(self._rehearsing).update(
            vars(self), _stored=self._bare, _cut=self._bare_cut, _held=dict.fromkeys(self._bare)
        )
        allowed = ", ".join(text(path) for paths in self._paths.values() for path in paths)
        self._connection.execute(f"SET allowed_paths = [{allowed}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def attach(self, table: Table) -> None:
        try:
            self._attach(table)
            self._empty_twin(self._stored[table.name])
        except (PartitaError, Caution):
            raise
        except Exception:
            log.exception("The rows of %s cannot be read.", table.name)
        else:
            return
        raise refuse_query.unreadable_source(table.name)

    def _attach(self, table: Table) -> None:
        relation, place = f'"table {len(self._stored)}"', "source_"
        source: Any = table.source
        named = isinstance(source, str | Path) and not streamed(source)
        if named:
            files = files_of(table, source)
            columnar = files[0].suffix.lower() == ".parquet"
            large = columnar and sum(path.stat().st_size for path in files) > self._copied_below
            view = relation if large else place
            if len(files) > 1:
                self._alike(table, files)
            self._connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {relation_of(table, files)}")
            found = self._found(table, view)
            sources.check_types(found)
            for path in files if columnar else ():
                if self._misled(path, found):
                    raise refuse_query.old_statistics(table.name, path)
            if large:
                self._paths[table.name], self._stored[table.name] = tuple(map(str, files)), found
                # A value that cannot be read at all (text that is not UTF-8, a time beyond the calendar) would fail
                # the questions that meet it, and so tell of its row. It is met here, before there are questions.
                self._connection.execute(
                    f"SELECT BIT_XOR(HASH({', '.join(found.doubtful())})) FROM {relation}"
                ).fetchall()
                return
        else:
            frame = arrow(table)
            self._connection.register(place, frame.rows)
            found = replace(self._found(table, place), handed=frame.handed, told=frame.told)
            sources.check_types(found, guessed=frame.guessed)
        # Copied once, already sanitised: no question opens the source again, and rows cannot change under an answer.
        self._connection.execute(f"CREATE TABLE {relation} AS SELECT {found.copied()} FROM {place}")
        if named:
            self._connection.execute(f"DROP VIEW {place}")
        else:
            self._connection.unregister(place)
        axes = frozenset(() if table.owner is None else table.domain.axes)
        self._stored[table.name] = replace(self._found(table, relation), clean=True, told=axes)

    def keep(self, people: People, key: str) -> None:
        """Kept rows are copied, and questions read nothing else: what was attached is let go of."""
        every: dict[str, Stored] = {}
        kept: dict[str, Stored] = {}
        attached, self._stored, self._bare, self._paths = self._stored, {}, {}, {}
        for place, (table, keeping) in enumerate(people.keepings.items()):
            try:
                owners = None if keeping.parent is None else f'"owners {place}"'
                if owners is not None and keeping.chain is not None and keeping.parent is not None:
                    leading = owners_statement(every[keeping.parent], keeping.chain)
                    self._connection.execute(f"CREATE TABLE {owners} AS {leading}")
                    if self._connection.execute(f"SELECT 1 FROM {owners} WHERE several LIMIT 1").fetchall():
                        log.error(TWO_OWNERS, keeping.parent)
                    self._leading[table] = owners
                every[table] = owned(attached[table], keeping, owners)
                relation = f'"kept {place}"'
                rows = kept_statement(every[table], keeping, people.truncation(table, key))
                self._connection.execute(f"CREATE TABLE {relation} AS {rows}")
                kept[table] = replace(self._found(keeping.table, relation), clean=True)
            except PartitaError:
                raise
            except Exception:
                log.exception("The rows of %s cannot be kept.", table)
            else:
                continue
            raise refuse_query.unreadable_source(table)
        self._stored = self._joinable(kept)
        for stored in attached.values():
            kind = "TABLE" if stored.clean else "VIEW"
            self._connection.execute(f"DROP {kind} {stored.relation}")
            self._connection.execute(f"DROP TABLE {_twin(stored)}")

    def _joinable(self, kept: Mapping[str, Stored]) -> dict[str, Stored]:
        try:
            return self._numbered(kept)
        except Exception:
            log.exception("The owners and keys of kept rows cannot be numbered.")
        raise refuse_query.unreadable_source(next(iter(kept)))

    def _numbered(self, kept: Mapping[str, Stored]) -> dict[str, Stored]:
        """Kept rows with a number beside each owner and key, in the order of these: compared in place of the texts."""
        owners, keys, found = '"owners numbered"', '"keys numbered"', dict[str, Stored]()
        self._connection.execute(f"CREATE TABLE {owners} AS {owners_numbered(kept.values())}")
        self._connection.execute(f"CREATE TABLE {keys} AS {keys_numbered(kept.values(), owners)}")
        for table, stored in kept.items():
            rows, columns = numbered(stored.table, stored.relation, owners, keys), numbered_columns(stored.table)
            found[table] = replace(stored, relation=f'"numbered {len(found)}"', numbers=columns)
            order = ", ".join(map(name, columns.values()))
            self._connection.execute(f"CREATE TABLE {found[table].relation} AS {rows} ORDER BY {order}")
            self._connection.execute(f"DROP TABLE {stored.relation}")
            self._empty_twin(found[table])
        self._connection.execute(f"DROP TABLE {owners}")
        self._connection.execute(f"DROP TABLE {keys}")
        return found

    def cut(self, truncations: Mapping[str, Truncation | None]) -> None:
        """The kept rows are copied here, so that no question orders the rows of owners again.

        Rows that were attached stay: a question with another truncation, of another ledger, is computed from them.
        """
        with self._cutting:
            for table, cap in truncations.items():
                if cap is None or table not in self._stored or (table, cap.fixed) in self._cut:
                    continue
                relation, attached = f'"cut {len(self._cut)}"', self._stored[table]
                try:
                    self._connection.execute(f"CREATE TABLE {relation} AS {cut_statement(attached, cap.fixed)}")
                    made = replace(self._found(attached.table, relation), clean=True, cut=cap.fixed)
                    self._bare_cut[table, cap.fixed] = self._empty(made)
                    self._cut[table, cap.fixed] = made
                except Exception:
                    log.exception("The rows of %s cannot be kept.", table)
                else:
                    continue
                raise refuse_query.unreadable_source(table)

    def fixed(self, truncations: Mapping[str, Truncation | None], key: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for table, cap in truncations.items():
            if cap is None:
                continue
            kept = self._stored[table] if cap.kept else self._cut[table, cap.fixed]
            try:
                with self._cutting:
                    (numbers,) = self._connection.execute(fixed_statement(kept, key)).fetchall()
            except Exception:
                log.exception("The rows of %s cannot be told apart.", table)
            else:
                found[table] = str(tuple(map(int, numbers)))
                continue
            raise refuse_query.unreadable_source(table)
        return found

    def growing(
        self, tables: Mapping[str, Table], people: People | None, truncations: Mapping[str, Truncation | None], key: str
    ) -> Growing:
        return Growing(self, self._connection, _apart, tables, people, truncations, key)

    def given(self, table: str) -> Stored:
        """The rows that questions read, the kept ones where there are caps."""
        return next((cut for (name, _), cut in self._cut.items() if name == table), self._stored[table])

    def leading(self, table: str) -> str | None:
        """To whom the keys of a table lead."""
        return self._leading.get(table)

    def take(self, table: Table, relation: str, cap: Truncation | None, numbers: Mapping[str, str]) -> None:
        """Read a relation of kept rows from now on, in place of what was opened."""
        fixed = None if cap is None or cap.kept else cap.fixed
        made = replace(self._found(table, relation), clean=True, cut=fixed, numbers=numbers)
        earlier = {one.relation: one for one in (self._stored[table.name], self.given(table.name))}
        self._stored[table.name], self._bare[table.name] = made, self._empty(made)
        for key in [key for key in self._cut if key[0] == table.name]:
            del self._cut[key], self._bare_cut[key]
        if fixed is not None:
            self._cut[table.name, fixed], self._bare_cut[table.name, fixed] = made, self._bare[table.name]
        self.changed(table.name)
        for old in earlier.values():
            self._connection.execute(f"DROP {'TABLE' if old.clean else 'VIEW'} {old.relation}")
            self._connection.execute(f"DROP TABLE {_twin(old)}")

    def changed(self, table: str) -> None:
        """Forget what was computed of rows that are others now."""
        self._held.pop(table, None)

    def _of(self, program: Program | Extract) -> Stored:
        """The rows that a program is about as they are held; a join as a relation of those that it is made of."""
        table, cap = program.table, program.truncation
        joined = joined_of(table)
        if joined is not None:
            return joined_stored(joined, self._stored)
        cut = None if cap is None else self._cut.get((table.name, cap.fixed))
        return self._stored[table.name] if cut is None else cut

    def _empty_twin(self, stored: Stored) -> None:
        """Made before there are threads that could both make it."""
        self._bare[stored.table.name] = self._empty(stored)

    def _empty(self, stored: Stored) -> Stored:
        """An empty table with the types of the stored one."""
        bare = _twin(stored)
        self._connection.execute(f"CREATE TABLE {bare} AS SELECT * FROM {stored.relation} LIMIT 0")
        return replace(stored, relation=bare)

    def _alike(self, table: Table, files: Sequence[Path]) -> None:
        """Refuse files of several schemas: the engine takes the first one's, and would cast the others to it."""
        first: dict[str, str] | None = None
        for path in files:
            described = self._connection.execute(f"DESCRIBE SELECT * FROM {parquet([path])}").fetchall()
            types = {str(row[0]): str(row[1]) for row in described}
            first = types if first is None else first
            if list(types.items()) != list(first.items()):
                column = next(
                    (name for name in (*first, *types) if first.get(name) != types.get(name)), next(iter(first))
                )
                kinds = first.get(column, "nothing"), types.get(column, "nothing")
                raise refuse_source.unlike_files(table.name, column, *kinds)

    def _misled(self, path: Path, stored: Stored) -> bool:
        """Whether a file tells of its texts by the statistics of old writers alone, which order bytes by their sign.

        The format forbids to believe them, and the engine does: one text beyond ASCII hides all others of its block.
        Decimals are kept as bytes too, and what is told of them is right.
        """
        texts = [stored.names[column] for column, kind in stored.types.items() if family(kind) is not Family.FLOAT]
        found = self._connection.execute(
            f"SELECT 1 FROM parquet_metadata({text(str(path))}) WHERE type LIKE '%BYTE_ARRAY' "
            f"AND list_contains([{', '.join(map(text, texts))}], path_in_schema) "
            f"AND stats_min_value IS NULL AND (stats_min IS NOT NULL OR stats_max IS NOT NULL) LIMIT 1"
        )
        return found.fetchone() is not None

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
        counts = not program.opened and counted(program) and joined_of(program.table) is None
        held = self._in_memory(program.table) if counts else None
        if held is None:
            return super().compute(program)
        result = program.empty()
        result[:] = held.count(program.where.region)
        return result

    def _in_memory(self, table: Table) -> Held | None:
        """The codes of a table that was copied and is small; made by the first count that can use them."""
        if table.name not in self._held:
            stored, held = self._stored[table.name], None
            if stored.clean and table.domain.axes:
                ((rows,),) = self._cursor().execute(f"SELECT COUNT(*) FROM {stored.relation}").fetchall()
                if rows <= current().held_rows:
                    every = self.extract(Extract(table, everywhere(table.domain), table.domain.axes))
                    held = Held(list(every.T), table.domain.shape)
            self._held[table.name] = held
        return self._held[table.name]

    def _lines(self, sql: str) -> list[tuple[Any, ...]]:
        return list(self._cursor().execute(sql).fetchall())

    def _counted(self, sql: str, keys: int) -> tuple[list[list[Any]], NDArray[np.int64], NDArray[np.int64]]:
        found = self._cursor().sql(sql).to_arrow_table()
        values, counts = (found.column(place).to_numpy().astype(np.int64) for place in (keys, keys + 1))
        return [found.column(place).to_pylist() for place in range(keys)], values, counts

    def extract(self, extract: Extract) -> NDArray[np.int64]:
        domain = extract.table.domain
        columns = [domain.bounded[domain.axis(column)] for column in extract.columns]
        found = self._cursor().sql(rows_statement(extract, self._of(extract))).to_arrow_table()
        codes = np.empty((found.num_rows, len(columns)), dtype=np.int64)
        for place, column in enumerate(columns):
            codes[:, place] = coded(found.column(place), column)
        return codes

    def likeness(self, program: Program | Extract) -> Hashable | None:
        """Statements over one copied table that differ only in what whole numbers and texts are compared with.

        Each is compared with a constant of its own kind, which always binds: if one such statement works without rows,
        so do all others.
        """
        if not isinstance(program, Program) or joined_of(program.table) is not None:
            return None
        where, stored = program.where, self._of(program)
        if (
            not stored.clean
            or program.per_user is not None
            or not stored.compared.issuperset(where.region.constrained())
        ):
            return None
        everything = where.region.domain.everything
        boxes = tuple(
            tuple(0 if codes is full else len(codes) for codes, full in zip(box, everything, strict=True))
            for box in where.region.boxes
        )
        keys = program.cells.keys, program.tallies, program.opened
        return stored.relation, program.table.version, where.tests, keys, program.truncation, boxes

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The very same statements, on an empty table with the types of the stored one."""
        stored = self._of(program)
        if not stored.clean and not all(os.access(path, os.R_OK) for path in self._paths[stored.table.name]):
            # Nothing in it is looked at, so that no clock tells how large it is.
            raise FileNotFoundError(stored.table.source)
        return self._rehearsing._read(program)

    def close(self) -> None:
        self._connection.close()
        self._swept()

    def _cursor(self) -> Any:
        cursor = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
        return cursor


def _apart(tables: Sequence[Table]) -> tuple[Any, Mapping[str, Stored], Callable[[], None]]:
    """Rows that have just come, opened as all others are, in a database of their own."""
    opened = DuckDB(tables)
    return opened._connection, dict(opened._stored), opened.close


def _twin(stored: Stored) -> str:
    """The name of the empty table beside a stored one."""
    return f'{stored.relation.removesuffix(chr(34))} without rows"'


def _sweep(folder: str, owner: int) -> None:
    """Remove what was written for want of memory; a forked child leaves it to the process that wrote it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
