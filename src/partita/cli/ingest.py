"""partita ingest and partita forget: rows that come, and people who are erased, for the custodian."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.ask import Settings
from partita.cli.screen import AsJson, busy, show, show_json
from partita.errors import cli as refuse
from partita.errors.wording import printable

Given = Annotated[list[str], typer.Argument(help="TABLE=FILE, as often as there are tables with rows in this batch.")]


def ingest(
    given: Given,
    batch: Annotated[
        str | None, typer.Option(help="A name for the batch, such as 2026-11-18; names have an order.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Seal rows although the very same were sealed before.")
    ] = False,
    config: Settings = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Seal new rows as one batch in the vault beside the ledger; questions read them from then on."""
    from partita.curator.settings import open_settings

    files: dict[str, object] = {}
    for one in given:
        table, sign, file = one.partition("=")
        if not sign or not table or not file:
            raise refuse.not_a_table_and_file(one)
        if table in files:
            raise refuse.table_twice(table)
        files[table] = file
    with busy("Opening"):
        curator = open_settings(config)
    with curator:
        with busy("Sealing"):
            sealed = curator.ingest(files, batch=batch, again=again)
        if as_json:
            show_json({"batch": sealed.batch, "name": sealed.name, "tables": list(sealed.tables)})
        else:
            show(printable(str(sealed)))


def forget(
    column: Annotated[str, typer.Argument(help="The column that names owners, such as customer.")],
    owner: Annotated[str, typer.Argument(help="Who is to be forgotten.")],
    config: Settings = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Erase all rows of one owner from the vault; whether there were any is not said."""
    from partita.curator.settings import open_settings

    with busy("Opening"):
        curator = open_settings(config)
    with curator:
        with busy("Erasing"):
            curator.forget(column, owner)
        if as_json:
            show_json({"forgotten": True})
        else:
            show("No row of this owner is in the vault. Erase them from your own files too.")
