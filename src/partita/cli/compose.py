"""partita compose: what all releases of a plan, or of several receipts, give away together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.files import read_json
from partita.cli.screen import AsJson, busy, show, show_json
from partita.cli.tables import explained, quoted, table, totalled
from partita.cli.units import Groups, Owner, Relation, Users, unit_fields
from partita.errors import cli as refuse
from partita.explain.totals import by_count, by_method, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.text import Text

    from partita.composition.guarantees.guarantee import Guarantee
    from partita.composition.plans.plan import Part

_PICTURES = ("composition", "tradeoff", "profile")
_RECEIPT = "partita-receipt"


def compose(
    files: Annotated[
        list[str], typer.Argument(help="A plan, or receipts of ledgers, one or a list a file; - is standard input.")
    ],
    delta: Annotated[str | None, typer.Option(help="The total δ; overrides the plan's.")] = None,
    method: Annotated[str | None, typer.Option(help="One theorem in place of the best; overrides the plan's.")] = None,
    relation: Relation = None,
    users: Users = None,
    owner: Owner = None,
    groups: Groups = None,
    plot: Annotated[str | None, typer.Option(help="Draw a picture into this PNG or SVG file.")] = None,
    picture: Annotated[str, typer.Option(help=f"Which one: {', '.join(_PICTURES)}.")] = "composition",
    explain: Annotated[bool, typer.Option("--explain", help="Also say in plain words what it means.")] = False,
    disjoint: Annotated[
        bool, typer.Option("--disjoint", help="Receipts: nobody is in the data of two of the ledgers.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what all releases of a plan fixed beforehand give away together, by every theorem and by the best.

    A plan is JSON: {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 9}]}.
    Receipts of different organisations are composed too: their sum, or with --disjoint their maximum.
    """
    if picture not in _PICTURES:
        raise refuse.unknown_choice("--picture", picture, ", ".join(_PICTURES))
    unit = unit_fields(relation, users, owner, groups)
    documents = [document for path in files for document in _listed(read_json(path))]
    if documents and all(_is_receipt(document) for document in documents):
        _receipts(documents, unit, disjoint=disjoint, as_json=as_json)
        return
    if len(documents) != 1:
        raise refuse.one_plan(len(documents))
    given = {"delta": delta, "method": method, **unit}
    _plan(_overridden(documents[0], given), plot=plot, picture=picture, explain=explain, as_json=as_json)


def _plan(document: object, *, plot: str | None, picture: str, explain: bool, as_json: bool) -> None:
    from partita.composition.exchange.documents import compose_document
    from partita.explain.words import explain as put_in_words

    with busy("Composing"):
        total = compose_document(document)
        others = by_method(total.plan, total.delta, relation=total.relation)
    if plot is not None:
        from partita.canvas import save

        save(_picture(picture, total), plot)
    said = put_in_words(total, unit=total.plan.unit) if explain else None
    if as_json:
        methods = {name: other.to_json() for name, other in others.items()}
        words = {} if said is None else {"explanation": said.document()}
        show_json({**total.to_json(), "methods": methods, **words})
        return
    show(_events(total), totalled(others), *_said(total), *(() if said is None else explained(said)))


def _overridden(document: object, given: Mapping[str, str | None]) -> object:
    if not isinstance(document, Mapping):
        return document
    return {**document, **{name: value for name, value in given.items() if value is not None}}


def _events(total: Guarantee) -> Any:
    made = table("The plan", [("releases", "right"), ("of", "left"), ("neighbours move the result by", "left")])
    for part in total.plan.parts[:20]:
        made.add_row(f"{part.count:,}", quoted(part.name), str(getattr(part, "distance", "")))
    if len(total.plan.parts) > 20:
        made.add_row("...", f"and {len(total.plan.parts) - 20:,} more kinds", "")
    return made


def _said(total: Guarantee) -> list[Text]:
    return [quoted(line) for line in total.explain().splitlines()]


def _picture(picture: str, total: Guarantee) -> Figure:
    from partita.explain.pictures.composition import composition
    from partita.explain.pictures.profile import profile
    from partita.explain.pictures.tradeoff import tradeoff

    if picture == "tradeoff":
        return tradeoff({"the plan": total})
    if picture == "profile":
        return profile({"the plan": total})
    parts = total.plan.parts
    if len(parts) == 1:
        one, counts = [_single(parts[0])], spread(parts[0].count)
        title, axis = f"Releases of {parts[0].name}", "number of releases"
    else:
        one, counts = list(parts), spread(50)
        title, axis = "The whole plan, again and again", "runs of the plan"
    lines = by_count(one, counts, total.delta, relation=total.relation)
    return composition(lines, delta=total.delta, title=title, axis=axis)


def _single(part: Part) -> object:
    """One release of those that a part repeats."""
    from partita.composition.plans.plan import Loose, Paired, Run

    match part:
        case Run():
            return part.mechanism.at(part.distance)
        case Loose():
            return part.measure
        case Paired():
            return part.given
        case _:
            return part


def _listed(document: object) -> list[object]:
    """The receipts that a file lists, as `partita ask --json` does; or the one document that it is."""
    listed = document.get("receipts") if isinstance(document, Mapping) else document
    return listed if isinstance(listed, list) and listed else [document]


def _is_receipt(document: object) -> bool:
    return isinstance(document, Mapping) and document.get("kind") == _RECEIPT


def _receipts(documents: Sequence[object], given: Mapping[str, str], *, disjoint: bool, as_json: bool) -> None:
    from partita.composition.exchange.documents import relation_in
    from partita.granularity import Granularity, replace, rows
    from partita.granularity import Relation as Shape
    from partita.ledger.receipts.receipts import Receipt
    from partita.ledger.receipts.together import compose as together
    from partita.theory.documents import to_document

    wanted = relation_in(given)
    single: dict[object, Granularity] = {Shape.ADD_REMOVE: rows(), Shape.CHANGE_ONE: replace()}
    unit = wanted if isinstance(wanted, Granularity) else single.get(wanted)
    found = together([Receipt.from_document(document) for document in documents], disjoint=disjoint, unit=unit)
    if as_json:
        parts = [{"ledger": p.ledger, "releases": p.releases, "loss": to_document(p.loss)} for p in found.parts]
        show_json(
            {
                "unit": found.unit,
                "rule": found.rule.value,
                "loss": to_document(found.loss),
                "certified": None if found.certified is None else to_document(found.certified),
                "parts": parts,
            }
        )
        return
    made = table("Receipts together", [("ledger", "left"), ("releases", "right"), ("loss", "left")])
    for part in found.parts:
        made.add_row(quoted(part.ledger[:16]), f"{part.releases:,}", str(part.loss))
    budget = "" if found.certified is None else f" If questions were chosen as answers came in: {found.certified}."
    show(made, quoted(f"Protected: {found.unit}. Together: {found.loss}, by {found.rule.value}.{budget}"))
