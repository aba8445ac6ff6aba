"""partita serve: one curator for a team, over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.screen import version
from partita.errors import server as refuse


def serve(
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    host: Annotated[str | None, typer.Option(help="The address to listen on; overrides [server].")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes a free one; overrides [server].")] = None,
    postgres: Annotated[
        str | None, typer.Option(help="HOST:PORT where clients of PostgreSQL are answered; overrides [server].")
    ] = None,
) -> None:
    """Serve the curator that a file declares, with accounts, an HTTP interface and pages, until it is stopped."""
    try:
        from partita.server.run import serve as run
    except ImportError:
        raise refuse.no_server() from None
    said = {"host": host, "port": port, "postgres": postgres}
    given = {name: value for name, value in said.items() if value is not None}
    run(
        config,
        environment=os.environ,
        version=version(),
        told=lambda line: typer.echo(line),
        overrides=given,
    )
