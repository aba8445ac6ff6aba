"""Rows as plain Python values, from every kind of source; used by the reference engine."""

from __future__ import annotations

from collections.abc import Mapping
from csv import DictReader
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from partita.engine.sources import delimited
from partita.engine.sources.connections import fetched
from partita.engine.sources.frames import lines_of, of_database, texts_of
from partita.engine.sources.frames import streamed as arrow_stream
from partita.errors import PartitaError
from partita.errors.query import sources as refuse_source
from partita.errors.query import tables as refuse
from partita.query.tables.schema import Table
from partita.query.tables.sources import LINES, Connected, Database, Delimited, bare, csv, paths, streamed

Row = Mapping[str, Any]


def rows_of(table: Table) -> list[Row]:
    """All rows of a table's source, as mappings from column names to stored values."""
    source: Any = table.source
    if isinstance(source, list | tuple):
        return list(source)
    if isinstance(source, Delimited):
        return _from_columns(table, source)
    if isinstance(source, Database):
        return _listed(of_database(table, source))
    if isinstance(source, Connected):
        values = fetched(table, source)
        if not isinstance(values, dict):
            return _listed(values)
        return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    if isinstance(source, str | Path):
        if bare(source).suffix.lower() in LINES:
            return lines_of(table, Path(source))
        if streamed(source):
            return _from_columns(table, csv(source))
        found = paths(source)
        if not found:
            raise refuse_source.no_files(table.name, source)
        return [row for path in found for row in _from_file(table, path)]
    if type(source).__module__.startswith("polars"):
        collected = source.collect() if hasattr(source, "collect") else source
        return list(collected.to_dicts())
    if type(source).__module__.startswith("pandas"):
        return [dict(zip(source.columns, row, strict=True)) for row in source.itertuples(index=False, name=None)]
    if hasattr(source, "to_pylist"):
        return _listed(source)
    if hasattr(source, "__arrow_c_stream__") and type(source).__name__ != "Series":  # one column is no table
        return _listed(arrow_stream(source))
    raise refuse.unknown_source(table.name, type(source).__name__)


def _listed(table: Any) -> list[Row]:
    """The rows of an Arrow table; times beyond Python's calendar are times at its ends."""
    try:
        return list(table.to_pylist())
    except (OverflowError, ValueError):
        columns = [[_plain(value) for value in column] for column in table.columns]
        return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    import pyarrow as pa

    try:
        return value.as_py()
    except (OverflowError, ValueError):
        end = datetime.max if value.value > 0 else datetime.min  # noqa: DTZ901
        if pa.types.is_date(value.type):
            return end.date()
        return end if value.type.tz is None else end.replace(tzinfo=UTC)


def _from_file(table: Table, path: Path) -> list[Row]:
    if not path.exists():
        raise refuse.absent_source(table.name, path)
    if path.suffix.lower() == ".parquet":
        from pyarrow import parquet

        return _listed(parquet.read_table(path))
    if path.suffix.lower() in {".csv", ".tsv"}:
        if delimited.header(path) is None:
            raise refuse.unreadable_source(table.name)
        try:
            with path.open(newline="", encoding="utf-8-sig") as stream:
                lines = DictReader(stream, delimiter=delimited.delimiter(path))
                return [{name: value or None for name, value in line.items() if name is not None} for line in lines]
        except UnicodeDecodeError:
            raise refuse.unreadable_source(table.name) from None
    raise refuse.unknown_source(table.name, str(path))


def _from_columns(table: Table, source: Delimited) -> list[Row]:
    try:
        found = texts_of(table, source)
    except PartitaError:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the file is not one
        found = None
    if found is None:
        raise refuse.unreadable_source(table.name)
    listed = {name: texts.to_pylist() for name, texts in found.items()}
    return [dict(zip(listed, row, strict=True)) for row in zip(*listed.values(), strict=True)]
