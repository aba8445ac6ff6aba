"""partita report: one page and one document on everything that was released from a ledger."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from partita.cli.screen import AsJson, busy, show, show_json, version
from partita.errors import cli as refuse
from partita.errors.wording import counted


def report(
    book: Annotated[str, typer.Argument(help="The ledger's file, or its address.")],
    out: Annotated[Path, typer.Option(help="The page to write; the document goes beside it, as .json.")] = Path(
        "report.html"
    ),
    about: Annotated[
        Path | None, typer.Option(help="A TOML file with what only the custodian knows: name, intended_use, people...")
    ] = None,
    newest: Annotated[int, typer.Option(help="How many releases to list; of a longer book the newest.")] = 500,
    as_json: AsJson = False,
) -> None:
    """Write a self-contained page, and the same as JSON: the guarantee, why it holds, everything released.

    In the order of NIST SP 800-226, with the fields of the public registry of deployments. With --json the document is
    printed and nothing is written.
    """
    from partita.explain.report.report import report as make
    from partita.ledger.opening import open_ledger

    words = {} if about is None else _about(about)
    with busy("Reporting"), open_ledger(book) as opened:
        made = make(opened, about=words, version=version(), most=newest)
    document = made.document()
    if as_json:
        show_json(document)
        return
    beside = out.with_suffix(".json")
    _write(out, made.html())
    _write(beside, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    what = f"{counted(made.charges, 'release')}, {counted(len(made.promises), 'promise')}"
    show(f"Wrote {out} and {beside}: {what}.")
    missing = made.about.missing()
    if missing:
        show(f"Not filled in: {', '.join(missing)}. Give them with --about FILE.")


def _about(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as problem:
        raise refuse.not_toml(str(path), str(problem)) from None
    except OSError as problem:
        raise refuse.cannot_read(str(path), problem.strerror or "it is not a file") from None
    except UnicodeDecodeError:
        raise refuse.cannot_read(str(path), "it is not a text file in UTF-8") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise refuse.cannot_write(str(path), problem.strerror or "the system refused") from None
