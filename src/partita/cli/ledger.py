"""partita ledger: look at the book, audit it, export it, and take receipts from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import table
from partita.errors import cli as refuse
from partita.theory.documents import to_document

Book = Annotated[Path, typer.Argument(help="The ledger's file.")]

app = typer.Typer(help="The book of everything ever released.", no_args_is_help=True, rich_markup_mode=None)


@app.command("show")
def show_book(
    book: Book, newest: Annotated[int, typer.Option(help="How many questions to list.")] = 20, as_json: AsJson = False
) -> None:
    """Show the promises, what is spent and what is left, and the newest questions."""
    from partita.ledger.opening import open_ledger
    from partita.ledger.report import summary

    with open_ledger(book) as opened:
        found = summary(opened, newest)
    if as_json:
        show_json(
            {
                "ledger": found.name,
                "born": found.born,
                "entries": found.mark.seq,
                "balances": [
                    {
                        "unit": str(one.promise.granularity),
                        "budget": to_document(one.promise.budget),
                        "spent": to_document(one.spent),
                        "left": to_document(one.left),
                    }
                    for one in found.balances
                ],
                "questions": [
                    {"seq": one.seq, "at": one.at, "analyst": one.analyst, "asked": one.asked, "state": one.state.value}
                    for one in found.newest
                ],
            }
        )
        return
    promises = table(
        f"Promises of {book}", [("protected", "left"), ("budget", "left"), ("spent", "left"), ("left", "left")]
    )
    for one in found.balances:
        promises.add_row(str(one.promise.granularity), str(one.promise.budget), str(one.spent), str(one.left))
    questions = table(
        "Newest questions", [("", "right"), ("analyst", "left"), ("question", "left"), ("cost", "left"), ("", "left")]
    )
    for asked in found.newest:
        costs = "; ".join(str(cost.one) for cost in asked.costs)
        questions.add_row(str(asked.seq), asked.analyst or "-", " ".join(asked.asked.split()), costs, asked.state.value)
    show(promises, questions)


@app.command("verify")
def verify_book(book: Book, as_json: AsJson = False) -> None:
    """Audit the whole book from its first line: chain, states, answers and every balance anew."""
    from partita.ledger.opening import open_ledger

    with open_ledger(book) as opened:
        found = opened.verify()
    if as_json:
        show_json(
            {"sound": found.sound, "entries": found.entries, "charges": found.charges, "problems": [*found.problems]}
        )
    else:
        show(
            f"{found.entries} entries, {found.charges} charges, "
            f"{found.answered} answers, {found.unfinished} unfinished."
        )
        show("The book is sound." if found.sound else "\n".join(("The book is NOT sound:", *found.problems)))
    if not found.sound:
        raise typer.Exit(1)


@app.command("export")
def export_book(
    book: Book, answers: Annotated[bool, typer.Option("--answers", help="The stored answers too.")] = False
) -> None:
    """Print the whole book as JSON lines that can be checked without it."""
    from partita.ledger.opening import open_ledger
    from partita.ledger.report import export

    with open_ledger(book) as opened:
        for line in export(opened, answers=answers):
            typer.echo(line, nl=False)


@app.command("receipt")
def receipt(
    book: Book,
    entry: Annotated[int, typer.Argument(help="The number of the question or of its answer.")],
    out: Annotated[Path | None, typer.Option(help="Write it to a file.")] = None,
) -> None:
    """Print the signed receipt of one answer: what another organisation needs to compose with it."""
    from partita.ledger.entries import Kind
    from partita.ledger.opening import open_ledger
    from partita.ledger.states import Answered

    with open_ledger(book) as opened:
        # The number of the question serves as well as that of its answer.
        answers = (one for one in opened.entries(entry - 1) if one.kind is Kind.COMMIT and entry in (one.seq, one.of))
        found = next(answers, None) if entry >= 1 else None
        if found is None or found.of is None:
            raise refuse.not_an_answer(str(book), entry)
        text = opened.receipt(Answered(found.seq, found.of, b"")).to_json()
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    except OSError as problem:
        raise refuse.cannot_write(str(out), problem.strerror or "the system refused") from None
    show(f"Wrote the receipt to {out}.")
