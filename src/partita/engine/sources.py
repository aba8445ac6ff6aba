"""Files as an engine reads them: parquet and CSV, with types that no row decides."""

from __future__ import annotations

import warnings
from pathlib import Path

from sqlglot import exp

from partita.engine import delimited
from partita.engine.stored import Stored, text
from partita.errors.query import tables as refuse_query
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Dates
from partita.region.columns.stored import Family, family


def read(table: Table, path: Path) -> str:
    """How a file is read.

    A CSV file gives every value as text, so that no row decides about a type. A file that is not well-formed is refused
    when it is opened: read loosely, one open quotation mark would swallow every row behind it.
    """
    if path.suffix.lower() == ".parquet":
        return f"read_parquet({text(str(path))}, hive_partitioning = false)"
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
        f"ignore_errors = false, auto_detect = false, hive_partitioning = false, columns = {{{columns}}})"
    )


def check_types(stored: Stored) -> None:
    """Refuse a type in which nothing of the declared kind is stored; warn of one whose times of day are dropped.

    Only types are looked at, as the file declares them.
    """
    for column, declared in stored.table.columns.items():
        kind = stored.types[column]
        if "NULL" in kind.upper() or not isinstance(declared, Bounded):
            continue
        if declared.sanitise(exp.column("stored"), kind).find(exp.Column) is None:
            raise refuse_query.unfit_type(stored.table.name, column, declared.kind, kind)
        if isinstance(declared, Dates) and family(kind) in (Family.TIMESTAMP, Family.ZONED):
            warnings.warn(refuse_query.times_as_days(stored.table.name, column, kind), stacklevel=2)
