"""partita init: a commented draft of the custodian's file, from column names and types alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.errors import cli as refuse


def init(
    data: Annotated[Path, typer.Argument(help="A parquet or CSV file, also .csv.gz.")],
    out: Annotated[Path, typer.Option(help="Where to write the draft.")] = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Write a draft of partita.toml; no value is read, bounds are yours to fill in from public knowledge."""
    from partita.query.tables.draft import draft, drafted_name

    if out.exists():
        raise refuse.would_overwrite(str(out))
    text = draft(data)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise refuse.cannot_write(str(out), problem.strerror or "the system refused") from None
    if as_json:
        show_json({"written": str(out), "draft": text})
        return
    show(
        f"Wrote {out} from the column names and types of {data}. No value was read.",
        "Go through it: bounds are what is publicly known, never what you find in the data. Then look and ask:",
        "  partita check        (what is not read as declared; for you alone)",
        f'  partita ask "SELECT COUNT(*) AS n FROM {drafted_name(data)}" --epsilon 0.1',
    )
