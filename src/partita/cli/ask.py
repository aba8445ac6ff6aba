"""partita ask and partita quote: questions to the curator that partita.toml declares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, busy, show, show_csv, show_json
from partita.cli.tables import table
from partita.errors.wording import printable
from partita.theory.documents import to_document

if TYPE_CHECKING:
    from rich.table import Table

    from partita.curator.answers.answer import Answer
    from partita.exact import Number
    from partita.region.region import Region

Question = Annotated[str, typer.Argument(help='SQL, for example "SELECT COUNT(*) AS n FROM visits WHERE age >= 65".')]
Epsilon = Annotated[str | None, typer.Option(help="The price as ε.")]
Rho = Annotated[str | None, typer.Option(help="The price as ρ.")]
Mu = Annotated[str | None, typer.Option(help="The price as μ.")]
Delta = Annotated[str | None, typer.Option(help="The δ of the price, for a budget in (ε, δ).")]
Settings = Annotated[Path, typer.Option("--config", help="The custodian's file.")]
Analyst = Annotated[str, typer.Option(help="Who asks; their own limit holds too.")]
Shrink = Annotated[
    bool, typer.Option("--shrink", help="If not everybody can pay, ask about those who can; the answer says who.")
]
Confidence = Annotated[str, typer.Option(help="The confidence of the error bars.")]
Within = Annotated[
    str | None,
    typer.Option(help="Instead of a price: the longest error bar, such as 50, 5% or, for quantiles, '20 rows'."),
]
Floor = Annotated[str | None, typer.Option(help="With a percentage: it holds for groups of at least so many rows.")]
Rows = Annotated[int | None, typer.Option(help="With --within, for means: the size of group it holds for.")]
RowsPerUser = Annotated[int | None, typer.Option(help="At most so many rows of one owner are used.")]
GroupsPerUser = Annotated[int | None, typer.Option(help="An owner is counted in at most so many groups.")]
RowsPerGroup = Annotated[int | None, typer.Option(help="At most so many rows of one owner are used in a group.")]
Patience = Annotated[int, typer.Option(help="So many times the usual work before a question is refused that may fit.")]
Together = Annotated[bool, typer.Option("--simultaneous", help="With --within: for all groups at once.")]


def ask(
    question: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    mu: Mu = None,
    delta: Delta = None,
    within: Within = None,
    floor: Floor = None,
    rows: Rows = None,
    simultaneous: Together = False,
    rows_per_user: RowsPerUser = None,
    groups_per_user: GroupsPerUser = None,
    rows_per_group: RowsPerGroup = None,
    config: Settings = Path("partita.toml"),
    analyst: Analyst = "",
    key: Annotated[str | None, typer.Option(help="A mark for this attempt: a retry is not a second question.")] = None,
    confidence: Confidence = "0.95",
    explain: Annotated[bool, typer.Option("--explain", help="Say what the answer means and costs.")] = False,
    shrink: Shrink = False,
    patience: Patience = 1,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: every noisy column with its error bars.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a question at a price; it is charged before anything is read, and repeating it is free."""
    from rich.text import Text

    from partita.curator.settings import open_settings

    with busy("Opening"):
        curator = open_settings(config)
    with curator:
        with busy("Asking"):
            answer = curator.ask(
                question,
                epsilon=epsilon,
                rho=rho,
                mu=mu,
                delta=delta,
                within=within,
                confidence=confidence if within is not None else None,
                floor=floor,
                rows=rows,
                simultaneous=simultaneous,
                rows_per_user=rows_per_user,
                groups_per_user=groups_per_user,
                rows_per_group=rows_per_group,
                key=key,
                analyst=analyst,
                shrink=shrink,
                patience=patience,
            )
        errors = answer.error(confidence)
        if as_json:
            receipts = [receipt.document() for receipt in answer.receipts]
            show_json(
                {
                    "rows": answer.rows(),
                    "error": {
                        "confidence": confidence,
                        "half_widths": errors,
                        "rows_between": answer.rank_error(confidence),
                    },
                    "free": answer.free,
                    "batch": answer.batch,
                    **_about(answer.asked_about, answer.region),
                    "costs": [to_document(cost) for cost in answer.costs],
                    "remaining": [to_document(left) for left in answer.remaining],
                    "receipt": receipts[0] if len(receipts) == 1 else None,
                    "receipts": receipts,
                    **({"explanation": answer.explain(confidence=confidence)} if explain else {}),
                }
            )
            return
        if as_csv:
            show_csv(answer.table(confidence))
            return
        show(shown(answer, confidence))
        show(Text(answer.explain(confidence=confidence) if explain else bill(answer, confidence)))


def quote(
    question: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    mu: Mu = None,
    delta: Delta = None,
    within: Within = None,
    floor: Floor = None,
    rows: Rows = None,
    simultaneous: Together = False,
    rows_per_user: RowsPerUser = None,
    groups_per_user: GroupsPerUser = None,
    rows_per_group: RowsPerGroup = None,
    config: Settings = Path("partita.toml"),
    analyst: Analyst = "",
    confidence: Confidence = "0.95",
    shrink: Shrink = False,
    patience: Patience = 1,
    as_json: AsJson = False,
) -> None:
    """Say what a question would cost and how exact it would be; nothing is read and nothing is spent."""
    from rich.text import Text

    from partita.curator.answers.quotation import read_as
    from partita.curator.settings import open_settings

    with busy("Opening"):
        curator = open_settings(config)
    with curator:
        with busy("Pricing"):
            offer = curator.quote(
                question,
                epsilon=epsilon,
                rho=rho,
                mu=mu,
                delta=delta,
                within=within,
                confidence=confidence if within is not None else None,
                floor=floor,
                rows=rows,
                simultaneous=simultaneous,
                rows_per_user=rows_per_user,
                groups_per_user=groups_per_user,
                rows_per_group=rows_per_group,
                analyst=analyst,
                shrink=shrink,
                patience=patience,
            )
        if as_json:
            show_json(
                {
                    "costs": [to_document(cost) for cost in offer.costs],
                    "error": {
                        "confidence": confidence,
                        "half_widths": offer.error(confidence),
                        "rows_between": offer.quote.rank_error(confidence),
                    },
                    "fits": offer.fits,
                    "free": offer.free,
                    **_about(offer.asked_about, offer.quote.region),
                    "remaining": [to_document(left) for left in offer.remaining],
                    "noise": offer.quote.explain(),
                }
            )
            return
        show(Text("\n".join(filter(None, [read_as(offer.quote), offer.explain(confidence=confidence)]))))


def _about(asked: Region | None, part: Region) -> dict[str, object]:
    """Who an answer is about, and who was left out because they can no longer pay."""
    from partita.query.language.text import readable

    left_out = None if asked is None else readable(asked - part)
    return {"about": readable(part), "left_out": left_out}


def shown(answer: Answer, confidence: Number = 0.95) -> Table:
    """An answer as a table: keys to the left, values and their error bars to the right."""
    from rich.markup import escape
    from rich.text import Text

    from partita.explain.grid import grid

    found = grid(answer, confidence)
    headings: list[tuple[str, str]] = []
    for column in found.columns:
        name = escape(printable(column.name))
        headings += [(name, "left")] if column.bar is None else [(name, "right"), ("±", "right")]
    made = table("", headings)
    for line in range(found.lines):
        cells: list[str] = []
        for column in found.columns:
            cells += [column.values[line]] if column.bar is None else [column.values[line], column.bar[line]]
        made.add_row(*map(Text, cells))
    return made


def bill(answer: Answer, confidence: Number = 0.95) -> str:
    """What its error bars mean, what an answer cost, what is left, and how its price was read."""
    from partita.curator.answers.quotation import read_as
    from partita.explain.grid import bars

    charged = "nothing, it was answered before" if answer.free else "; ".join(map(str, answer.costs))
    bill = f"Charged: {charged}. Left for these people: {'; '.join(map(str, answer.remaining))}."
    return "\n".join(filter(None, [bars(answer, confidence), *answer.notes(), read_as(answer.quote), bill]))
