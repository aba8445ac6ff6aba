"""Frames and lists of rows as Arrow tables, without letting any value decide about a type or fail."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from partita.engine.sources import delimited
from partita.engine.sources.connections import fetched
from partita.engine.statements.stored import telling
from partita.errors.query import sources as refuse_source
from partita.errors.query import tables as refuse
from partita.query.language.text import in_quotes
from partita.query.tables.schema import Table
from partita.query.tables.sources import LINES, Connected, Database, Delimited, bare, csv
from partita.region.columns import Bounded, Categories, Column, Dates
from partita.region.columns.stepped import Stepped
from partita.region.columns.stored import text_of

_SURROGATES = re.compile("[\ud800-\udfff]")


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """Rows that live in memory as an Arrow table with the declared columns.

    ``handed`` are the columns of numbers that were mapped into their domain here, in whole units; ``told`` all mapped
    ones beside which a column tells whether their values were stored so. ``guessed`` says that its types follow from
    all values together, so that one row more makes others of them.
    """

    rows: Any
    handed: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    guessed: bool = False


def arrow(table: Table) -> Frame:
    """The rows of a table that lives in memory."""
    source: Any = table.source
    if isinstance(source, str | Path):
        if not Path(source).is_file():
            raise refuse.absent_source(table.name, source)
        if bare(source).suffix.lower() in LINES:
            return _from_rows(table, lines_of(table, Path(source)))
        source = csv(source)
    module = type(source).__module__
    if module.startswith("polars") and type(source).__name__ in ("DataFrame", "LazyFrame"):
        collected = source.collect() if hasattr(source, "collect") else source
        return _understood(table, _chosen(table, collected.to_arrow()))
    if module.startswith("pandas") and hasattr(source, "columns"):
        return _from_pandas(table, source)
    if module.startswith("pyarrow") and hasattr(source, "column_names"):
        return _understood(table, _chosen(table, source))
    if isinstance(source, list | tuple):
        return _from_rows(table, list(source))
    if isinstance(source, Delimited):
        return _framed(table, texts_of(table, source), [])
    if isinstance(source, Database):
        return _understood(table, of_database(table, source))
    if isinstance(source, Connected):
        found = fetched(table, source)
        return _from_columns(table, found) if isinstance(found, dict) else _understood(table, found)
    if hasattr(source, "__arrow_c_stream__") and type(source).__name__ != "Series":  # one column is no table
        return _understood(table, _chosen(table, streamed(source)))
    raise refuse.unknown_source(table.name, type(source).__name__)


def texts_of(table: Table, source: Delimited) -> dict[str, Any]:
    """The texts of a delimited file, column by column."""
    if not Path(source.path).is_file():
        raise refuse.absent_source(table.name, source.path)
    names, found = delimited.columns(source, list(table.columns))
    for column in table.columns:
        if column not in found:
            raise refuse.absent_column(table.name, column, names)
    return found


_STREAMED: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def streamed(source: Any) -> Any:
    """What an Arrow stream holds. A stream gives its rows once: who asks again gets what was read before."""
    import pyarrow as pa

    if not isinstance(source, pa.RecordBatchReader):
        return pa.RecordBatchReader.from_stream(source).read_all()
    if source not in _STREAMED:
        _STREAMED[source] = source.read_all()
    return _STREAMED[source]


def of_database(table: Table, source: Database) -> Any:
    """The declared columns of a table in a DuckDB file, which is opened for reading and closed again."""
    import duckdb

    if not Path(source.path).is_file():
        raise refuse.absent_source(table.name, source.path)
    with duckdb.connect(source.path, read_only=True, config={"enable_external_access": "false"}) as connection:
        known = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY 1").fetchall()
        if source.table.lower() not in {name.lower() for (name,) in known}:
            raise refuse_source.no_such_table(table.name, source.table, source.path, [name for (name,) in known])
        relation = in_quotes(source.table)
        described = [str(row[0]) for row in connection.execute(f"DESCRIBE {relation}").fetchall()]
        folded = {name.lower(): name for name in described}
        for column in table.columns:
            if column.lower() not in folded:
                raise refuse.absent_column(table.name, column, described)
        listed = ", ".join(in_quotes(folded[column.lower()]) for column in table.columns)
        return connection.sql(f"SELECT {listed} FROM {relation}").to_arrow_table()


def lines_of(table: Table, path: Path) -> list[Any]:
    """The rows of a file of JSON objects, one in each line."""
    stored = path.read_bytes()
    text = (gzip.decompress(stored) if path.suffix.lower() == ".gz" else stored).decode("utf-8-sig")
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise refuse.unreadable_source(table.name)
    return rows


def coded(values: Any, column: Bounded) -> NDArray[np.int64]:
    """Sanitised values of one column, as an engine hands them over, turned into their codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, Stepped):
        gone = -1 if column.null is None else column.null
        units = pc.subtract(values.cast(pa.int64()), column.low)
        return np.asarray(pc.fill_null(units, gone), dtype=np.int64)
    # Chunk by chunk, and never written out: the texts of all rows together may be longer than an array can hold.
    parts = [np.empty(0, dtype=np.int64)]
    for chunk in values.chunks:
        listed = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        known = np.array([*map(column.code, listed.dictionary.to_pylist()), column.code(None)], dtype=np.int64)
        places = pc.fill_null(listed.indices.cast(pa.int64()), len(known) - 1)
        parts.append(known[np.asarray(places, dtype=np.int64)])
    return np.concatenate(parts)


def _chosen(table: Table, stored: Any) -> Any:
    folded = {name.lower(): name for name in stored.column_names}
    for column in table.columns:
        if column.lower() not in folded:
            raise refuse.absent_column(table.name, column, stored.column_names)
    return stored.select([folded[column.lower()] for column in table.columns])


def _understood(table: Table, stored: Any) -> Frame:
    """The same rows without types that the engine does not know: long decimals are mapped here, short floats widened.

    One row of many digits makes long decimals of a whole column, so these must become what short ones do.
    """
    import pyarrow as pa

    arrays: dict[str, Any] = {}
    plain: list[str] = []
    for column, name in zip(table.columns, stored.column_names, strict=True):
        values = stored.column(name)
        if _unlike(values.type):
            plain.append(column)
            arrays |= _plain(table, column, values.to_pylist())
        else:
            arrays[column] = values.cast(pa.float32()) if pa.types.is_float16(values.type) else values
    return _framed(table, arrays, plain)


def _unlike(kind: Any) -> bool:
    """Whether the engine would read values of a type as something else: as what an extension is stored in, say.

    pandas' periods are such: whole numbers in a column of their own, and periods in a column of objects.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_decimal256(kind) or isinstance(kind, pa.BaseExtensionType)


def _from_pandas(table: Table, frame: Any) -> Frame:
    import pyarrow as pa

    folded = {str(name).lower(): name for name in frame.columns}
    arrays: dict[str, Any] = {}
    plain: list[str] = []
    for column in table.columns:
        if column.lower() not in folded:
            raise refuse.absent_column(table.name, column, map(str, frame.columns))
        series = frame[folded[column.lower()]]
        values = None if series.dtype == object else pa.Array.from_pandas(series)
        if values is None or _unlike(values.type):
            plain.append(column)
            arrays |= _plain(table, column, series.tolist())
        else:
            arrays[column] = values
    return replace(_framed(table, arrays, plain), guessed=True)


def _from_rows(table: Table, rows: list[Any]) -> Frame:
    """Rows as mappings."""

    for row in rows:
        if not isinstance(row, Mapping):
            raise refuse.unknown_source(table.name, f"list of {type(row).__name__}")
    folded = [{str(name).lower(): value for name, value in row.items()} for row in rows]
    return _from_columns(table, {column: [row.get(column.lower()) for row in folded] for column in table.columns})


def _from_columns(table: Table, values: Mapping[str, list[Any]]) -> Frame:
    """Values of Python's, column by column."""
    arrays: dict[str, Any] = {}
    for column in table.columns:
        arrays |= _plain(table, column, values[column])
    return _framed(table, arrays, list(table.columns))


def _framed(table: Table, arrays: dict[str, Any], plain: list[str]) -> Frame:
    import pyarrow as pa

    mapped = frozenset(column for column in plain if isinstance(table.columns[column], Bounded))
    handed = frozenset(column for column in mapped if isinstance(table.columns[column], Stepped))
    return Frame(pa.table(arrays), handed, frozenset() if table.owner is None else mapped)


def _plain(table: Table, name: str, values: list[Any]) -> dict[str, Any]:
    """Python's own values, which may disagree about their types: mapped into the domain here.

    Numbers are handed over in whole units. As text they would be read anew, and a third of a unit, or a whole number
    of seventeen digits, has no text that every reader takes for the same number.
    """
    import pyarrow as pa

    column = table.columns[name]
    if not isinstance(column, Bounded):
        return {name: strings([kept_text(column, value) for value in values])}
    beside = {}
    if table.owner is not None:
        beside[telling(table, name)] = pa.array(np.array([column.within(value) for value in values], dtype=bool))
    codes = [column.code(value) for value in values]
    if isinstance(column, Stepped):
        gone = np.array([code == column.null for code in codes], dtype=bool)
        units = np.array([0 if code == column.null else column.low + code for code in codes], dtype=np.int64)
        return {name: pa.array(units, mask=gone), **beside}
    found = [column.value(code) for code in codes]
    if column.reading is not None and not isinstance(column, Categories):
        # As text they would be read anew, by a format in which they are not written.
        kind = pa.date32() if isinstance(column, Dates) else pa.bool_()
        return {name: pa.array(found, type=kind, from_pandas=False), **beside}
    return {name: strings([plain_text(value) for value in found]), **beside}


def strings(texts: list[str | None]) -> Any:
    """Texts as an Arrow array, put together from its buffers: pa.array would import all of pandas to look at a list.

    >>> strings(["a", None, "bc"]).to_pylist()
    ['a', None, 'bc']
    """
    import numpy as np
    import pyarrow as pa

    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    present = np.packbits(np.array([text is not None for text in texts], dtype=bool), bitorder="little")
    buffers = [pa.py_buffer(part) for part in (present.tobytes(), ends.tobytes(), b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def kept_text(column: Column, value: Any) -> str | None:
    """A value of an open column as the text it is kept as; a word for nothing is none."""
    text = plain_text(value)
    return text if text is None or column.reading is None or not isinstance(value, str) else column.reading.text(text)


def plain_text(value: Any) -> str | None:
    """A value of Python's as the text it is kept as; None for what is missing.

    Half a surrogate pair has no UTF-8, and any other text that stood for it might be somebody else's: it is refused.

    >>> plain_text(True), plain_text(7), plain_text(7.0), plain_text(float("nan"))
    ('true', '7', '7', None)
    """
    text = text_of(value)
    if text is not None and _SURROGATES.search(text):
        raise refuse.no_utf8()
    return text
