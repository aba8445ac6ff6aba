"""partita dummy: made-up rows of the declared tables, to write code against."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.screen import AsJson, busy, show, show_json
from partita.errors import cli as refuse
from partita.errors.wording import counted

if TYPE_CHECKING:
    from partita.query.tables.schema import Table

_KINDS = ("parquet", "csv")


def dummy(
    out: Annotated[Path, typer.Option(help="The folder for the files.")] = Path("dummy"),
    rows: Annotated[int, typer.Option(help="How many rows of each table.", min=0)] = 1000,
    kind: Annotated[str, typer.Option("--format", help="parquet or csv.")] = "parquet",
    seed: Annotated[str, typer.Option(help="The same seed makes the same rows.")] = "",
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Make up rows of every declared table from its public declaration; no row is read, and nothing is spent."""
    from partita.curator.settings import read_settings

    if kind not in _KINDS:
        raise refuse.unknown_choice("--format", kind, ", ".join(_KINDS))
    files = []
    for table in read_settings(config).tables:
        place = out / f"{table.name}.{kind}"
        try:
            out.mkdir(parents=True, exist_ok=True)
            with busy(f"Making up {table.name}"):
                _parquet(table, place, rows, seed) if kind == "parquet" else _csv(table, place, rows, seed)
        except OSError as problem:
            raise refuse.cannot_write(str(place), problem.strerror or "the system refused") from None
        files.append(place)
    if as_json:
        show_json({"written": [str(file) for file in files], "rows": rows})
        return
    for file in files:
        show(f"Wrote {file}: {counted(rows, 'made-up row')}.")
    show("They come from the declaration alone: no row was read, and they look like nobody.")


def _parquet(table: Table, place: Path, rows: int, seed: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    from partita.query.tables.dummy import made_up
    from partita.region.columns import Booleans, Dates, Decimals, Integers

    kinds: dict[type, Any] = {Integers: pa.int64(), Decimals: pa.float64(), Dates: pa.date32(), Booleans: pa.bool_()}
    made = list(made_up(table, rows, seed))
    arrays = {}
    for name, column in table.columns.items():
        values = [row[name] for row in made]
        if isinstance(column, Decimals):
            values = [None if value is None else float(value) for value in values]
        arrays[name] = pa.array(values, kinds.get(type(column), pa.string()), from_pandas=False)
    parquet.write_table(pa.table(arrays), place)


def _csv(table: Table, place: Path, rows: int, seed: str) -> None:
    from partita.query.tables.dummy import made_up, written
    from partita.query.tables.sources import Delimited

    file = table.source if isinstance(table.source, Delimited) else None
    encoding = "utf-8" if file is None else file.encoding
    with place.open("w", newline="", encoding=encoding) as stream:
        writer = csv.writer(stream, delimiter="," if file is None else file.delimiter, lineterminator="\n")
        writer.writerow(table.columns)
        for row in made_up(table, rows, seed):
            writer.writerow([written(column, row[name]) for name, column in table.columns.items()])
