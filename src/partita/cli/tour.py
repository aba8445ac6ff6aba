"""partita tour: one private histogram, its guarantee in words, and what many releases come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, final

import typer

from partita.cli.hospital import by_condition, patients
from partita.cli.screen import AsJson, show, show_json, version
from partita.cli.tables import bar, explained, table, totalled
from partita.errors import InvalidInput
from partita.errors import cli as refuse
from partita.explain.totals import by_count, by_method, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from partita.composition.guarantees.guarantee import Guarantee
    from partita.explain.words import Explanation

_EPSILON = Fraction(1, 2)
_CONFIDENCE = Fraction(19, 20)
_RELEASES, _EACH, _DELTA = 100, Fraction(1, 10), Fraction(1, 10**6)


@final
@dataclass(frozen=True, slots=True)
class Histogram:
    """A noisy histogram, the truth behind it, and how far they may be apart."""

    exact: dict[str, int]
    noisy: dict[str, int]
    error: float


def tour(
    out: Annotated[Path, typer.Option(help="The folder for the pictures.")] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Show a private histogram, what its guarantee means, and what many releases come to together."""
    from rich.markup import escape

    from partita.mechanisms.laplace import Laplace

    folder = _folder(out)
    counts = _release()
    said = _explain(sum(counts.exact.values()))
    totals = by_method([(Laplace(epsilon=_EACH), _RELEASES)], _DELTA)
    pictures, missing = _pictures(folder, counts)
    if as_json:
        show_json(
            {
                "partita": version(),
                "histogram": {"noisy": counts.noisy, "error": counts.error, "confidence": float(_CONFIDENCE)},
                "explanation": said.document(),
                "composition": {method: total.to_json() for method, total in totals.items()},
                "pictures": pictures,
                **({"no pictures": missing} if missing else {}),
            }
        )
        return
    show(*_told(counts, said), *_composed(totals), "", escape(missing or f"Pictures: {', '.join(pictures)}"))


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise refuse.cannot_make_folder(str(out), failure.strerror or "it is not a folder") from failure
    return out


def _release() -> Histogram:
    from partita.granularity import Relation
    from partita.mechanisms.histogram import Histogram as Cells

    exact = by_condition(patients())
    cells = Cells.with_epsilon(_EPSILON, Relation.ADD_REMOVE)
    noisy = cells.release(list(exact.values()))
    return Histogram(exact, dict(zip(exact, map(int, noisy), strict=True)), cells.error(_CONFIDENCE, len(exact)))


def _explain(people: int) -> Explanation:
    from partita.explain.words import explain
    from partita.granularity import rows
    from partita.theory.measures.pure import Pure

    return explain(Pure(epsilon=_EPSILON), unit=rows(), people=people)


def _pictures(folder: Path, counts: Histogram) -> tuple[list[str], str]:
    """The pictures that were drawn, or why there are none: the library that draws them is an extra."""
    try:
        return [str(path) for path in _draw(folder, counts)], ""
    except InvalidInput as refusal:
        if refusal.code != "explain.no-matplotlib":
            raise
        return [], refusal.message


def _draw(folder: Path, counts: Histogram) -> Iterator[Path]:
    from partita.canvas import save
    from partita.explain.pictures.composition import composition
    from partita.explain.pictures.histogram import histogram
    from partita.explain.pictures.tradeoff import tradeoff
    from partita.mechanisms.laplace import Laplace
    from partita.theory.measures.pure import Pure

    pictures: dict[str, Figure] = {
        "histogram": histogram(
            list(counts.noisy),
            list(counts.noisy.values()),
            error=counts.error,
            confidence=_CONFIDENCE,
            exact_counts=list(counts.exact.values()),
            axis="patients",
            title="Patients by condition, privately",
        ),
        "tradeoff": tradeoff({f"ε = {float(_EPSILON)}": Pure(epsilon=_EPSILON)}),
        "composition": composition(
            by_count([Laplace(epsilon=_EACH)], spread(1_000), _DELTA),
            delta=float(_DELTA),
            title=f"Laplace releases at ε = {float(_EACH)} each",
        ),
    }
    for name, figure in pictures.items():
        yield save(figure, folder / f"{name}.png")


def _told(counts: Histogram, said: Explanation) -> Iterator[RenderableType]:
    from rich.rule import Rule

    people = sum(counts.exact.values())
    yield Rule("[bold]1. A private histogram[/bold]", align="left")
    yield (
        f"A hospital (made up, {people:,} patients) publishes how many have each condition. Every count gets Laplace "
        f"noise, and together they cost ε = {float(_EPSILON)}: whoever is added or removed changes one count by one."
    )
    shown = table("", [("condition", "left"), ("published", "right"), ("", "left"), ("[dim]truth[/dim]", "right")])
    largest = max(counts.noisy.values())
    for condition, count in counts.noisy.items():
        truth = f"[dim]{counts.exact[condition]:,}[/dim]"
        shown.add_row(condition, f"{count:,} ± {counts.error:.0f}", bar(count, largest), truth)
    yield shown
    yield "[dim]Only the custodian sees the truth; it is within all bars in at least 95% of such releases.[/dim]\n"
    yield Rule("[bold]2. What that promises[/bold]", align="left")
    yield from explained(said)


def _composed(totals: dict[str, Guarantee]) -> Iterator[RenderableType]:
    from rich.rule import Rule

    yield Rule("[bold]3. What a hundred releases give away[/bold]", align="left")
    yield (
        f"{_RELEASES} Laplace releases at ε = {float(_EACH)} each, at a total δ of one in a million. Every total below "
        f"is proven. The last is the exact one, rounded up: no analysis of the same releases can give less."
    )
    yield totalled(totals)
