"""The command line: every command in a module of its own, registered here."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from partita.cli import ask, attack, audit, calibrate, compose, demo, explain, init, ledger, report, tour
from partita.cli.screen import complain, version
from partita.errors import PartitaError

app = typer.Typer(
    name="partita",
    help="A differentially private curator: noisy answers, tight composition, a ledger that keeps the promise.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"partita {version()}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool,
        typer.Option("--version", help="Say which version this is, and stop.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Options that come before any command."""


app.command("demo")(demo.demo)
app.command("tour")(tour.tour)
app.command("init")(init.init)
app.command("ask")(ask.ask)
app.command("quote")(ask.quote)
app.add_typer(ledger.app, name="ledger")
app.command("compose")(compose.compose)
app.command("calibrate")(calibrate.calibrate)
app.command("explain")(explain.explain)
app.command("audit")(audit.audit)
app.command("attack")(attack.attack)
app.command("report")(report.report)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a refusal is told on standard error, with exit code 2 and no traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        app(given, prog_name="partita")
    except PartitaError as refusal:
        complain(refusal, as_json="--json" in given)
        return 2
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    return 0
