"""Rows as plain Python values, from every kind of source; used by the reference engine."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partita.engine import delimited
from partita.errors.query import tables as refuse
from partita.query.tables.schema import Table

Row = Mapping[str, Any]


def rows_of(table: Table) -> list[Row]:
    """All rows of a table's source, as mappings from column names to stored values."""
    source: Any = table.source
    if isinstance(source, list | tuple):
        return list(source)
    if isinstance(source, str | Path):
        return _from_file(table, Path(source))
    if type(source).__module__.startswith("polars"):
        collected = source.collect() if hasattr(source, "collect") else source
        return list(collected.to_dicts())
    if type(source).__module__.startswith("pandas"):
        return [dict(zip(source.columns, row, strict=True)) for row in source.itertuples(index=False, name=None)]
    if hasattr(source, "to_pylist"):
        return list(source.to_pylist())
    raise refuse.unknown_source(table.name, type(source).__name__)


def _from_file(table: Table, path: Path) -> list[Row]:
    if not path.exists():
        raise refuse.absent_source(table.name, path)
    if path.suffix.lower() == ".parquet":
        from pyarrow import parquet

        return list(parquet.read_table(path).to_pylist())
    if path.suffix.lower() in {".csv", ".tsv"}:
        if delimited.header(path) is None:
            raise refuse.unreadable_source(table.name)
        try:
            with path.open(newline="", encoding="utf-8-sig") as stream:
                lines = csv.DictReader(stream, delimiter=delimited.delimiter(path))
                return [{name: value or None for name, value in line.items() if name is not None} for line in lines]
        except UnicodeDecodeError:
            raise refuse.unreadable_source(table.name) from None
    raise refuse.unknown_source(table.name, str(path))
