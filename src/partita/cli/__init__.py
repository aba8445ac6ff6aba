"""The command line: every command in a module of its own, registered here."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from partita.cli import (
    ask,
    attack,
    audit,
    calibrate,
    check,
    compose,
    declared,
    demo,
    dummy,
    explain,
    ingest,
    init,
    ledger,
    mcp,
    migrate,
    report,
    serve,
    shell,
    token,
    tour,
)
from partita.cli.screen import cautions_told, complain, stopped, version
from partita.cli.usage import wrong
from partita.errors import PartitaError

app = typer.Typer(
    name="partita",
    help="A differentially private curator: noisy answers, tight composition, a ledger that keeps the promise.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
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


app.command("demo", short_help="Watch three analysts meet one promise.")(demo.demo)
app.command("tour", short_help="See what a guarantee means, in numbers and pictures.")(tour.tour)
app.command("init", short_help="Write a draft of partita.toml for a file of rows.")(init.init)
app.command("check", short_help="Look at the rows yourself: what is not read as declared.")(check.check)
app.command("tables", short_help="What may be asked about, who is protected, what is left.")(declared.tables)
app.command("dummy", short_help="Made-up rows of the declared tables, to write code against.")(dummy.dummy)
app.command("shell", short_help="Ask one question after another, prices first.")(shell.shell)
app.command("ask", short_help="Ask a question at a price; repeating it is free.")(ask.ask)
app.command("quote", short_help="What a question would cost, and how exact it would be.")(ask.quote)
app.command("ingest", short_help="Seal new rows as one batch; questions read them from then on.")(ingest.ingest)
app.command("forget", short_help="Erase all rows of one owner.")(ingest.forget)
app.add_typer(ledger.app, name="ledger")
app.command("mcp", short_help="A language model as an analyst, by MCP.")(mcp.mcp)
app.command("serve", short_help="One curator for a team, over HTTP.")(serve.serve)
app.add_typer(token.app, name="token")
app.command("migrate", short_help="Go on with the same ledger under a refined declaration.")(migrate.migrate)
app.command("compose", short_help="What the releases of a plan give away together.")(compose.compose)
app.command("calibrate", short_help="The least noise for so many releases under one total.")(calibrate.calibrate)
app.command("explain", short_help="What a guarantee means, in plain words.")(explain.explain)
app.command("audit", short_help="Try to refute what every mechanism claims.")(audit.audit)
app.command("attack", short_help="Run attacks on made-up people.")(attack.attack)
app.command("report", short_help="One page for those who sign.")(report.report)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a refusal is told on standard error, with exit code 2 and no traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with cautions_told():
            ended = app(given, prog_name="partita", standalone_mode=False)
        return ended if isinstance(ended, int) else 0
    except PartitaError as refusal:
        complain(refusal, as_json="--json" in given)
        return 2
    except KeyboardInterrupt:
        stopped()
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except Exception as mistake:
        # Typer brings its own copy of click or uses the installed one, so its classes cannot be named here.
        if "click" not in type(mistake).__module__:
            raise
        return _mistaken(mistake, as_json="--json" in given)


def _mistaken(mistake: Any, *, as_json: bool) -> int:
    """A command line that fits no command."""
    name = type(mistake).__name__
    if name == "Abort":
        stopped()
        return 130
    if name == "NoArgsIsHelpError":
        mistake.show()
        return 2
    complain(wrong(mistake), as_json=as_json)
    return 2
