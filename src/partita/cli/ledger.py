"""partita ledger: look at the book, audit it, export it, and take receipts from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, busy, show, show_json
from partita.cli.tables import quoted, table
from partita.errors import cli as refuse
from partita.errors.wording import counted
from partita.theory.documents import to_document

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from partita.composition.account.maps import LoadMap

Book = Annotated[str, typer.Argument(help="The ledger's file, or its address.")]
Named = Annotated[str | None, typer.Option("--table", help="Which table; not needed if there is one.")]
Which = Annotated[int, typer.Option("--promise", help="Which promise, counted from 0.")]

app = typer.Typer(help="The book of everything ever released.", no_args_is_help=True, rich_markup_mode=None)


@app.command("show", short_help="Promises, what is spent and left, the newest questions.")
def show_book(
    book: Book, newest: Annotated[int, typer.Option(help="How many questions to list.")] = 20, as_json: AsJson = False
) -> None:
    """Show the promises, what is spent and what is left, and the newest questions."""
    from partita.curator.path.alarms import alarmed
    from partita.ledger.opening import open_ledger
    from partita.ledger.reports.report import summary

    with open_ledger(book) as opened:
        found, alarms = summary(opened, newest), alarmed(opened.name)
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
                        "over_time": one.promise.over_time.strip(),
                        "changes": [*one.changes],
                        "in_force": to_document(one.lowered or one.promise.budget),
                    }
                    for one in found.balances
                ],
                "questions": [
                    {
                        "seq": one.seq,
                        "at": one.at,
                        "analyst": one.analyst,
                        "asked": one.asked,
                        "charged": [to_document(cost) for cost in one.charged],
                        "state": one.state.value,
                    }
                    for one in found.newest
                ],
                "alarms": sorted(alarms),
            }
        )
        return
    promises = table(
        f"Promises of {found.name}", [("protected", "left"), ("budget", "left"), ("spent", "left"), ("left", "left")]
    )
    for one in found.balances:
        unit = quoted(str(one.promise.granularity))
        promises.add_row(unit, f"{one.promise.budget}{one.promise.over_time}", str(one.spent), str(one.left))
    questions = table(
        "Newest questions", [("", "right"), ("analyst", "left"), ("question", "left"), ("cost", "left"), ("", "left")]
    )
    for asked in found.newest:
        costs = "; ".join(map(str, asked.charged))
        words = quoted(asked.analyst or "-"), quoted(" ".join(asked.asked.split()))
        questions.add_row(str(asked.seq), *words, costs, asked.state.value)
    show(promises, *(quoted(f"Budget: {change}.") for one in found.balances for change in one.changes), questions)
    if alarms:
        listed = ", ".join(map(str, sorted(alarms)))
        show(
            f"ALARM, for the custodian alone: the answers to {listed} are noise on no rows, because something failed "
            f"after their charge. The operator's log says what."
        )


To = Annotated[str, typer.Option("--to", help="The budget: the first part of it, in the measure of the promise.")]
Delta = Annotated[str | None, typer.Option(help="The δ of the budget, if that changes too.")]
Who = Annotated[str, typer.Option(help="Who decided it.")]
Why = Annotated[str, typer.Option(help="Why.")]


@app.command("raise", short_help="Raise a budget, up to the ceiling it was born with.")
def raise_budget(
    book: Book, to: To, who: Who, why: Why, delta: Delta = None, promise: Which = 0, as_json: AsJson = False
) -> None:
    """Raise a budget from here on, at most to the ceiling that its promise was born with; never because of the data."""
    _changed(book, "raise", to, delta, who, why, promise, as_json=as_json)


@app.command("lower", short_help="Lower a budget.")
def lower_budget(
    book: Book, to: To, who: Who, why: Why, delta: Delta = None, promise: Which = 0, as_json: AsJson = False
) -> None:
    """Lower a budget from here on; the largest that ever was in force stays what is certified."""
    _changed(book, "lower", to, delta, who, why, promise, as_json=as_json)


def _changed(
    book: str, cause: str, to: str, delta: str | None, who: str, why: str, promise: int, *, as_json: bool
) -> None:
    from partita.composition.plans.promise import parts_of
    from partita.ledger.opening import open_ledger
    from partita.ledger.schedules import Cause

    with open_ledger(book) as opened:
        was = opened.budgets.now[opened.promise_at(promise)].budget
        given: object = to if delta is None else {parts_of(was)[0]: to, "delta": delta}
        now = opened.change_budget(promise, Cause(cause), given, who=who, why=why)
    if as_json:
        show_json({"promise": promise, "was": to_document(was), "to": to_document(now), "who": who, "why": why})
    else:
        show(quoted(f"The budget was {was} and is {now} from now on."))


@app.command("move", short_help="Move the book to another place.")
def move_book(
    book: Book,
    to: Annotated[str, typer.Argument(help="The new file, or the new address.")],
    as_json: AsJson = False,
) -> None:
    """Move the book from a file to a PostgreSQL server, or back: entries and hashes stay, the old place is closed.

    A move that was cut short is finished by the same command.
    """
    from partita.ledger.moving import move_ledger

    with busy("Moving"):
        found = move_ledger(book, to)
    if as_json:
        show_json({"ledger": found.name, "entries": found.entries})
    else:
        show(
            quoted(
                f"The ledger is at {found.name} from now on, with {found.entries:,} entries. Say so in partita.toml."
            )
        )


@app.command("verify", short_help="Audit the whole book from its first line.")
def verify_book(book: Book, as_json: AsJson = False) -> None:
    """Audit the whole book from its first line: chain, states, answers and every balance anew.

    Charges that an earlier version booked too low are listed one by one, with what they cost at most.
    """
    from partita.ledger.opening import open_ledger

    with busy("Auditing"), open_ledger(book) as opened:
        found = opened.verify()
    if as_json:
        show_json(
            {
                "sound": found.sound,
                "entries": found.entries,
                "charges": found.charges,
                "problems": [*found.problems],
                "booked_too_low": found.past.document(),
            }
        )
    else:
        show(quoted(str(found)))
    if not found.sound:
        raise typer.Exit(1)


@app.command("export", short_help="The whole book as JSON lines.")
def export_book(
    book: Book,
    answers: Annotated[bool, typer.Option("--answers", help="The stored answers too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the whole book as JSON lines that can be checked without it; with --json as one JSON list."""
    from partita.ledger.opening import open_ledger
    from partita.ledger.reports.report import export

    with open_ledger(book) as opened:
        lines = export(opened, answers=answers)
        if not as_json:
            for line in lines:
                typer.echo(line, nl=False)
            return
        typer.echo("[" + ",\n".join(line.rstrip("\n") for line in lines) + "]")


@app.command("receipt", short_help="The signed receipt of one answer.")
def receipt(
    book: Book,
    entry: Annotated[int, typer.Argument(help="The number of the question or of its answer.")],
    out: Annotated[Path | None, typer.Option(help="Write it to a file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the signed receipt of one answer: what another organisation needs to compose with it."""
    from partita.ledger.book.entries import Kind
    from partita.ledger.opening import open_ledger
    from partita.ledger.states import Answered

    with open_ledger(book) as opened:
        # The number of the question serves as well as that of its answer.
        answers = (one for one in opened.entries(entry - 1) if one.kind is Kind.COMMIT and entry in (one.seq, one.of))
        found = next(answers, None) if entry >= 1 else None
        if found is None or found.of is None:
            raise refuse.not_an_answer(opened.name, entry)
        text = opened.receipt(Answered(found.seq, found.of, b"")).to_json()
    _hand_over(text, out, "receipt", as_json=as_json)


@app.command("certificate", short_help="A signed certificate of one promise.")
def certificate_of_book(
    book: Book,
    table_name: Named = None,
    promise: Which = 0,
    out: Annotated[Path | None, typer.Option(help="Write it to a file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a signed certificate of a promise: all charges in order, the heaviest loss, and who bears it."""
    from partita.ledger.opening import open_ledger
    from partita.ledger.reports.certificates import certificate, to_json

    with open_ledger(book) as opened:
        text = to_json(certificate(opened, table=table_name, promise=promise))
    _hand_over(text, out, "certificate", as_json=as_json)


@app.command("check", short_help="Recompute a certificate; no ledger is needed.")
def check_file(
    file: Annotated[Path, typer.Argument(help="A certificate; - is standard input.")],
    public_key: Annotated[str | None, typer.Option(help="The key that must have signed it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute a certificate from its list of charges alone; the exit code is 1 if it does not hold."""
    from partita.cli.files import read_json
    from partita.ledger.reports.certificates import check_certificate

    found = check_certificate(read_json(str(file)), public_key)
    if as_json:
        show_json(
            {
                "holds": found.holds,
                "charges": found.charges,
                "protected": str(found.promise.granularity),
                "budget": to_document(found.promise.budget),
                "claimed": to_document(found.claimed),
                "complaints": [*found.complaints],
            }
        )
    else:
        lost = f"nobody lost more than {found.claimed} of {found.promise.budget}"
        show(quoted(f"{counted(found.charges, 'charge')}: {lost}, where one unit is {found.promise.granularity}."))
        held = "The certificate holds." if found.holds else "\n".join(("It does NOT hold:", *found.complaints))
        show(quoted(held))
    if not found.holds:
        raise typer.Exit(1)


@app.command("map", short_help="Who has been asked about how much.")
def map_of_book(
    book: Book,
    out: Annotated[Path | None, typer.Argument(help="The picture, a PNG or SVG file.")] = None,
    x: Annotated[str, typer.Option(help="The column along the picture.")] = "",
    y: Annotated[str, typer.Option(help="The column up the picture.")] = "",
    table_name: Named = None,
    promise: Which = 0,
    analyst: Annotated[str | None, typer.Option(help="The limit of one analyst in place of the promise.")] = None,
    left: Annotated[bool, typer.Option("--left", help="What is left in place of what is spent.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show who has been asked about how much: the share of a promise spent on each combination of two columns."""
    from partita.ledger.opening import open_ledger

    with open_ledger(book) as opened:
        found = opened.load_map(x, y, table=table_name, promise=promise, analyst=analyst)
    if out is not None:
        from partita.canvas import save
        from partita.explain.region_map import draw_map

        save(draw_map(found, left=left), out)
    if as_json:
        shares = found.left if left else found.spent
        show_json(
            {
                "x": {"column": found.column_x, "values": [_plain(value) for value in found.x]},
                "y": {"column": found.column_y, "values": [_plain(value) for value in found.y]},
                "left" if left else "spent": shares.tolist(),
                "picture": None if out is None else str(out),
            }
        )
        return
    if out is not None:
        show(f"Wrote the picture to {out}.")
        return
    show(_heaviest(found))


def _heaviest(found: LoadMap, most: int = 20) -> RichTable:
    """The combinations that were asked about most."""
    made = table(
        "Asked about most", [(found.column_x, "left"), (found.column_y, "left"), ("spent", "right"), ("left", "right")]
    )
    spent = found.spent
    places = sorted(
        ((at, up) for at in range(spent.shape[0]) for up in range(spent.shape[1]) if spent[at, up] > 0),
        key=lambda place: -spent[place],
    )
    for at, up in places[:most]:
        share = spent[at, up]
        made.add_row(_named(found.x[at]), _named(found.y[up]), f"{share:.1%}", f"{1 - share:.1%}")
    return made


def _named(value: object) -> str:
    return "NULL" if value is None else str(value)


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _hand_over(text: str, out: Path | None, what: str, *, as_json: bool) -> None:
    """Print a document, or write it to a file and say so."""
    if out is None:
        typer.echo(text.rstrip("\n"))
        return
    try:
        out.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    except OSError as problem:
        raise refuse.cannot_write(str(out), problem.strerror or "the system refused") from None
    if as_json:
        show_json({"written": str(out)})
    else:
        show(f"Wrote the {what} to {out}.")
