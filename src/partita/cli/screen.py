"""What goes to the screen: tables for people, JSON for programs, refusals on standard error."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from partita.errors import Caution, PartitaError
from partita.errors.wording import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Item = TypeVar("Item")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs in place of tables for people.")]


def version() -> str:
    """The version that is installed."""
    return metadata.version("partita")


def console(*, to_errors: bool = False) -> Console:
    """The screen, or standard error."""
    from rich.console import Console

    return Console(stderr=to_errors, highlight=False, soft_wrap=False)


def show(*parts: RenderableType) -> None:
    """Print for people; a table is never cut."""
    from rich.table import Table

    from partita.cli.fit import fitted

    screen = console()
    for part in parts:
        if isinstance(part, Table) and part.columns:
            made = fitted(part, screen)
            screen.print(made, width=getattr(made, "width", None), crop=False)
        else:
            screen.print(part, overflow="fold")


def watched() -> bool:
    """Whether somebody looks at standard error as it is written; a notebook keeps every step of a bar for ever."""
    return sys.stderr.isatty() and "JPY_PARENT_PID" not in os.environ


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """A bar that moves and counts the seconds while work goes on, on standard error and only on a terminal.

    It knows nothing of how far the work is, which could tell about the rows.
    """
    if not watched():
        yield
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), TimeElapsedColumn()
    with Progress(*columns, console=console(to_errors=True), transient=True) as bar:
        bar.add_task(doing, total=None)
        yield


def followed(items: Iterable[Item], doing: str, total: int, *, quiet: bool) -> list[Item]:
    """The items, with a bar that says how many of them are made, where somebody watches."""
    from rich.progress import track

    screen, hidden = console(to_errors=True), quiet or not watched()
    return list(track(items, doing, total=total, console=screen, transient=True, disable=hidden))


@contextmanager
def cautions_told() -> Iterator[None]:
    """Cautions for the custodian in their own words on standard error; other warnings as ever."""
    with warnings.catch_warnings():
        ordinary = warnings.showwarning

        def told(message: Warning | str, *rest: Any, **more: Any) -> None:
            if isinstance(message, Caution):
                typer.echo(f"Caution: {message}", err=True)
            else:
                ordinary(message, *rest, **more)

        warnings.simplefilter("always", Caution)
        warnings.showwarning = told
        yield


def show_json(document: object) -> None:
    """Print for programs: one JSON document, text as it is."""
    typer.echo(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def show_csv(columns: Mapping[str, Sequence[object]]) -> None:
    """Print for spreadsheets: a heading, and a line for each group; NULL is empty."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _plain(document: object) -> object:
    """What JSON has no word for: a date is its text, an exact number too, and an unbounded one is null."""
    match document:
        case dict():
            return {str(name): _plain(value) for name, value in document.items()}
        case list() | tuple():
            return [_plain(value) for value in document]
        case float():
            return document if math.isfinite(document) else None
        case date() | Decimal() | Fraction():
            return str(document)
        case _:
            return document


def stopped() -> None:
    """Say on standard error that somebody pressed Ctrl-C."""
    said = "Stopped. A question that was under way may have been charged; `partita ledger show` lists it."
    typer.echo(said, err=True)


_KEYWORDS = re.compile(r"""\b(epsilon|rho|mu|delta|within|floor|key)=(?:"([^"]*)"|\{[^}]*: ([^}]*)\}|([\d.e-]*\d))?""")


# An option whose value is written like a keyword.
_OPTION = re.compile(r"--[\w-]+ $")


def as_options(message: str) -> str:
    """A message with the keywords of Python as options of the command line; inside brackets they belong to Python.

    >>> as_options('Give one of epsilon=, rho= or mu=, for example rho="0.01", or ask for ZCDP(rho="1").')
    'Give one of --epsilon, --rho or --mu, for example --rho 0.01, or ask for ZCDP(rho="1").'
    """
    message = re.sub(r"compose\(\.\.\., ([^)]*)\)", r"\1", message)

    def option(found: re.Match[str]) -> str:
        before = message[: found.start()]
        if before.count("(") > before.count(")") or _OPTION.search(before):
            return found[0]
        return " ".join(filter(None, (f"--{found[1]}", *found.groups()[1:])))

    return _KEYWORDS.sub(option, message)


def complain(refusal: PartitaError, *, as_json: bool) -> None:
    """Say on standard error what was refused, with its stable code."""
    if as_json:
        document = {"error": {"code": refusal.code, "message": refusal.message}}
        typer.echo(json.dumps(document, ensure_ascii=False), err=True)
        return
    from rich.text import Text

    kind = Text(f"{refusal.code}  ", style="bold red")
    said = "\n".join(map(printable, as_options(refusal.message).split("\n")))
    console(to_errors=True).print(kind + Text(said, style=""), soft_wrap=not sys.stderr.isatty())
