"""Spark: rows are copied once, sanitised, to files of the curator's own, and statements run where the files are."""

from __future__ import annotations

import os
import shutil
import threading
import uuid
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar, final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from partita.engine.log import log
from partita.engine.sessions import Cluster
from partita.engine.sources import types as sources
from partita.engine.sources.frames import coded
from partita.engine.statements.fixing import fixed_statement
from partita.engine.statements.statement import cut_statement, rows_statement
from partita.engine.statements.stored import Stored
from partita.engine.tallying import Tallying
from partita.errors import Caution, PartitaError
from partita.errors import engine as refuse
from partita.errors.query import tables as refuse_query
from partita.query.exact.extract import Extract
from partita.query.exact.operations import MOST_ROWS
from partita.query.exact.program import Program
from partita.query.language.text import in_quotes as name
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.columns import Categories, Open
from partita.region.columns.stored import floating, steady
from partita.region.dialects.spark import SPARK, spelled

# What a type of Spark is called in ``region.columns.stored``; every other holds nothing that can be declared.
_TYPES = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}
# A decimal with more digits behind the point is written with an exponent, and so has several texts.
_PLAIN = 6


@final
class Spark(Tallying):
    """Parquet files, tables of a catalogue and data frames of Spark, version 4 and later.

    Each table is read once, when it is opened: its rows are written, sanitised, to a folder that goes when the engine
    is closed. Whatever could fail on a row fails there, before there are questions; questions read sanitised values
    alone, by statements that are total on them (``region/dialects/spark.proof.md``).
    """

    kind: ClassVar[str] = "spark"
    addressed: ClassVar[bool] = True
    alone: ClassVar[bool] = True

    def __init__(
        self, tables: Iterable[Table], people: People | None = None, key: str = "", *, database: object = None
    ) -> None:
        if people is not None:
            raise refuse.keeps_no_rows(self.kind)
        cluster = Cluster.of(database)
        self._session = cluster.opened()
        if cluster.folder is None and not cluster.alone(self._session):
            raise refuse.needs_a_folder()
        self._stored: dict[str, Stored] = {}
        self._cut: dict[tuple[str, Truncation], Stored] = {}
        self._cutting = threading.Lock()
        self._local = threading.local()
        self._views = 0
        own = mkdtemp(prefix="partita-") if cluster.folder is None else f"{cluster.folder}/partita-{uuid.uuid4().hex}"
        self._folder = f"file://{own}" if cluster.folder is None else own
        self._ended = finalize(self, _sweep, self._session, own, cluster.folder is None, os.getpid())
        try:
            super().__init__(tables)
        except BaseException:
            self.close()
            raise

    def attach(self, table: Table) -> None:
        try:
            self._attach(table)
        except (PartitaError, Caution):
            raise
        except Exception:
            log.exception("The rows of %s cannot be read.", table.name)
        else:
            return
        raise refuse_query.unreadable_source(table.name)

    def _attach(self, table: Table) -> None:
        frame, raw = self._taken(table)
        found = self._found(table, frame, self._viewed(frame))
        sources.check_types(found)
        copy = self._written(f"SELECT {found.copied()} FROM {found.relation}")
        self._session.catalog.dropTempView(found.relation.strip('"'))
        if raw is not None:
            self._dropped(raw)
        axes = frozenset(() if table.owner is None else table.domain.axes)
        made = replace(self._found(table, copy, self._viewed(copy)), clean=True, told=axes)
        ((rows,),) = self._lines(f"SELECT COUNT(*) FROM {made.relation}")
        if rows > MOST_ROWS:
            raise refuse.too_many_rows(table.name, MOST_ROWS)
        self._stored[table.name] = made

    def _taken(self, table: Table) -> tuple[Any, str | None]:
        """The rows of a source as a frame of our session, and the folder that they were written to for it."""
        source: Any = table.source
        if isinstance(source, str | Path):
            where = str(source)
            if "/" in where or where.endswith(".parquet"):
                if "://" not in where and not Path(where).exists():
                    raise refuse_query.absent_source(table.name, where)
                return self._session.read.parquet(where), None
            if not self._session.catalog.tableExists(where):
                raise refuse.no_table(table.name, where)
            return self._session.table(where), None
        kind = type(source).__module__
        if not kind.startswith("pyspark.sql.") or ".connect." in kind or not hasattr(source, "sparkSession"):
            raise refuse.no_spark_source(table.name)
        # A frame belongs to another session, with settings of its own: it is computed there, once, and its values
        # written so that no setting decides how.
        listed, back = [], []
        for at, field in enumerate(source.schema.fields):
            if field.name.lower() not in {column.lower() for column in table.columns}:
                continue
            kind, column = field.dataType.simpleString(), "`" + field.name.replace("`", "``") + "`"
            there, here = _CARRIED.get(kind, ("{}", "{}"))
            listed.append(f"{there.format(column)} AS c{at}")
            back.append(f"{here.format(f'c{at}')} AS {column}")
        raw = f"{self._folder}/{uuid.uuid4().hex}"
        source.selectExpr(*(listed or ["1 AS nothing"])).write.parquet(raw)
        return self._session.read.parquet(raw).selectExpr(*back), raw

    def _found(self, table: Table, frame: Any, relation: str) -> Stored:
        """The declared columns as a frame has them."""
        types = {field.name: _typed(field.dataType.simpleString()) for field in frame.schema.fields}
        folded = {column.lower(): column for column in types}
        names: dict[str, str] = {}
        for column, declared in table.columns.items():
            stored = column if column in types else folded.get(column.lower())
            if stored is None:
                raise refuse_query.absent_column(table.name, column, types)
            kind = types[stored]
            if isinstance(declared, Categories | Open) and (floating(kind) or not steady(kind) or _exponent(kind)):
                raise refuse_query.no_one_text(table.name, column, kind)
            names[column] = stored
        return Stored(table, relation, {column: types[stored] for column, stored in names.items()}, names, SPARK)

    # --- what is written and found again -----------------------------------------------------------------------------

    def _written(self, sql: str) -> Any:
        """What a statement gives, written once; it is read from there and never computed again."""
        where = f"{self._folder}/{uuid.uuid4().hex}"
        self._session.sql(spelled(sql)).write.parquet(where)
        return self._session.read.parquet(where)

    def _viewed(self, frame: Any) -> str:
        self._views += 1
        frame.createOrReplaceTempView(f"table_{self._views}")
        return name(f"table_{self._views}")

    def _dropped(self, where: str) -> None:
        _delete(self._session, where)

    def cut(self, truncations: Mapping[str, Truncation | None]) -> None:
        """The kept rows are copied here, so that no question orders the rows of owners again."""
        with self._cutting:
            for table, cap in truncations.items():
                if cap is None or table not in self._stored or (table, cap.fixed) in self._cut:
                    continue
                attached = self._stored[table]
                try:
                    copy = self._written(cut_statement(attached, cap.fixed))
                    made = replace(self._found(attached.table, copy, self._viewed(copy)), clean=True, cut=cap.fixed)
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
            try:
                (numbers,) = self._lines(fixed_statement(self._cut[table, cap.fixed], key))
            except Exception:
                log.exception("The rows of %s cannot be told apart.", table)
            else:
                found[table] = str(tuple(map(int, numbers)))
                continue
            raise refuse_query.unreadable_source(table)
        return found

    # --- reading ---------------------------------------------------------------------------------------------------

    def _reads(self, program: Program | Extract) -> bool:
        if isinstance(program, Program) and program.worded:
            raise refuse.reads_no_words(self.kind)
        return super()._reads(program)

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The very same statements over none of the rows."""
        self._local.bare = True
        try:
            return self._read(program)
        finally:
            self._local.bare = False

    def extract(self, extract: Extract) -> NDArray[np.int64]:
        domain = extract.table.domain
        columns = [domain.bounded[domain.axis(column)] for column in extract.columns]
        found = self._arrow(rows_statement(extract, self._of(extract)))
        codes = np.empty((found.num_rows, len(columns)), dtype=np.int64)
        for place, column in enumerate(columns):
            codes[:, place] = coded(found.column(place), column)
        return codes

    def _of(self, program: Program | Extract) -> Stored:
        table, cap = program.table, program.truncation
        cut = None if cap is None else self._cut.get((table.name, cap.fixed))
        found = self._stored[table.name] if cut is None else cut
        if getattr(self._local, "bare", False):
            return replace(found, relation=f"(SELECT * FROM {found.relation} LIMIT 0) AS bare_")
        return found

    def _lines(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(line) for line in self._session.sql(spelled(sql)).collect()]

    def _counted(self, sql: str, keys: int) -> tuple[list[list[Any]], NDArray[np.int64], NDArray[np.int64]]:
        found = self._arrow(sql)
        values, counts = (np.asarray(found.column(place), dtype=np.int64) for place in (keys, keys + 1))
        return [found.column(place).to_pylist() for place in range(keys)], values, counts

    def _arrow(self, sql: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._session.sql(spelled(sql)).toArrow()

    def close(self) -> None:
        self._ended()


# How values leave another session, and come back in ours: as whole numbers, where settings decide how they are written.
_CARRIED = {
    "timestamp": ("unix_micros({})", "timestamp_micros({})"),
    "date": ("unix_date({})", "date_from_unix_date({})"),
}


def _typed(kind: str) -> str:
    found = kind.lower()
    if found.startswith("decimal("):
        return found.upper()
    if found.startswith("string collate"):
        return "TEXT"
    return _TYPES.get(found, f"other {kind}")


def _exponent(kind: str) -> bool:
    return kind.startswith("DECIMAL(") and int(kind[:-1].split(",")[1]) > _PLAIN


def _delete(session: Any, where: str) -> None:
    virtual = session._jvm
    path = virtual.org.apache.hadoop.fs.Path(where)
    path.getFileSystem(session._jsc.hadoopConfiguration()).delete(path, True)


def _sweep(session: Any, where: str, local: bool, owner: int) -> None:  # noqa: FBT001
    """Remove what was copied; a forked child leaves it to the process that wrote it."""
    if os.getpid() != owner:
        return
    if local:
        shutil.rmtree(where, ignore_errors=True)
        return
    with suppress(Exception):
        _delete(session, where)
