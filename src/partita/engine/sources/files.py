"""Files as DuckDB reads them: which ones a source names, and the relation that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from partita.engine.log import log
from partita.engine.sources import delimited
from partita.engine.statements.stored import text
from partita.errors.query import sources as refuse_source
from partita.errors.query import tables as refuse
from partita.query.tables.schema import Table
from partita.query.tables.sources import PATTERN, csv, paths


def files_of(table: Table, source: str | Path) -> tuple[Path, ...]:
    """The files of a source, each by its own name."""
    # Made absolute: a name that begins with ~ is somebody's home to the engine.
    found = tuple(path.absolute() for path in paths(source))
    several = found != (Path(source).absolute(),)
    if several and (not found or any(path.suffix.lower() != ".parquet" for path in found)):
        raise refuse_source.no_files(table.name, source)
    for path in found:
        if not path.is_file():
            raise refuse.absent_source(table.name, source)
        if PATTERN & set(str(path)):
            raise refuse.pattern(table.name, path)
    return found


def parquet(files: Sequence[Path]) -> str:
    """Parquet files as one relation."""
    listed = ", ".join(text(str(path)) for path in files)
    return f"read_parquet({listed if len(files) == 1 else f'[{listed}]'}, hive_partitioning = false)"


def relation_of(table: Table, files: Sequence[Path]) -> str:
    """How a file is read.

    A CSV file gives every value as text, so that no row decides about a type. A file that is not well-formed is refused
    when it is opened: read loosely, one open quotation mark would swallow every row behind it.
    """
    path = files[0]
    if path.suffix.lower() == ".parquet":
        return parquet(files)
    if path.suffix.lower() not in {".csv", ".tsv"}:
        raise refuse.unknown_source(table.name, str(path))
    header = delimited.header(path)
    if header is None:
        try:
            for _ in delimited.records(csv(path)):
                pass
        except (delimited.Malformed, UnicodeError) as failure:
            log.error("The rows of %s cannot be read: %s", table.name, failure)
        raise refuse.unreadable_source(table.name)
    if not header:
        raise refuse.absent_column(table.name, next(iter(table.columns)), ())
    columns = ", ".join(f"{text(column)}: 'VARCHAR'" for column in header)
    return (
        f"read_csv({text(str(path))}, all_varchar = true, header = true, delim = {text(delimited.delimiter(path))}, "
        f"quote = '\"', escape = '\"', null_padding = true, parallel = false, strict_mode = true, "
        f"ignore_errors = false, auto_detect = false, hive_partitioning = false, columns = {{{columns}}})"
    )
