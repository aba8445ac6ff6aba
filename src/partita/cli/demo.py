"""partita demo: three analysts, one hospital, one promise, from the first question to the refusal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from partita.cli.ask import shown
from partita.cli.pictures import drawn, made_folder
from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import table
from partita.errors import BudgetExceeded

if TYPE_CHECKING:
    from rich.console import RenderableType

    from partita.curator.answers.answer import Answer
    from partita.curator.curator import Curator

REGIONS = ("north", "south", "east", "west")
# Multiples of two unrelated irrational numbers fall evenly everywhere, so that ages and regions are independent.
_GOLDEN, _SILVER = 0.6180339887498949, 0.4142135623730951
_VISITS = 20_000


@final
@dataclass(slots=True)
class Told:
    """What happened, for programs."""

    steps: list[dict[str, Any]] = field(default_factory=list)

    def note(self, who: str, asked: str, answer: Answer) -> None:
        """One question and what came of it."""
        self.steps.append(
            {
                "analyst": who,
                "asked": asked,
                "rows": answer.rows(),
                "free": answer.free,
                "cost": str(answer.cost),
                "left": [str(rest) for rest in answer.remaining],
            }
        )


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the ledger and the pictures.")] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Three analysts ask a hospital's curator until the promise says no; the ledger and two pictures stay behind."""
    from rich.text import Text

    told = Told()
    folder = made_folder(out)
    with hospital(folder) as curator:
        for part in story(curator, told):
            if not as_json:
                show(part)
        pictures, missing = drawn(lambda: _pictures(folder, curator, told))
    if as_json:
        show_json({"steps": told.steps, "pictures": pictures, **({"no pictures": missing} if missing else {})})
    else:
        show("", Text(missing or f"The ledger and the pictures are in {folder}: {', '.join(pictures)}"))


def _pictures(folder: Path, curator: Curator, told: Told) -> Iterator[Path]:
    from partita.canvas import save
    from partita.explain.pictures.histogram import histogram
    from partita.explain.pictures.tradeoff import tradeoff

    first = curator.ask(told.steps[0]["asked"], rho="0.02")
    counts = {row["region"]: row["visits"] for row in first.rows()}
    yield save(
        histogram(
            list(counts),
            list(counts.values()),
            error=first.error(simultaneous=True)["visits"][0],
            axis="visits",
            title="Visits by region, privately",
        ),
        folder / "visits.png",
    )
    (certificate,) = curator.guarantee()
    yield save(tradeoff({f"promised: {certificate.budget}": certificate.budget}), folder / "promise.png")


def visits() -> dict[str, list[Any]]:
    """Visits that never were, the same ones every time.

    >>> len(visits()["age"])
    20000
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("patient", "age", "sex", "region", "cost")}
    for number in range(_VISITS):
        share, other = number * _GOLDEN % 1, number * _SILVER % 1
        columns["patient"].append(f"p{number % 6_007}")
        columns["age"].append(int(100 * (1 - (1 - share) ** 0.7)))
        columns["sex"].append("FM"[number % 2])
        columns["region"].append(REGIONS[int(4 * other**1.5)])
        columns["cost"].append(round(150 + 9_000 * share**4, 2))
    return columns


def hospital(folder: Path) -> Curator:
    """A curator over the visits, with a fresh ledger in the folder."""
    import pyarrow

    from partita.composition.plans.promise import Promise
    from partita.curator.curator import Curator
    from partita.granularity import rows
    from partita.query.tables.schema import Table
    from partita.region.columns import categories, decimals, identifier, integers
    from partita.theory.measures.zcdp import ZCDP

    for leftover in folder.glob("hospital.ledger*"):
        leftover.unlink()
    columns = {
        "patient": identifier(),
        "age": integers(0, 120, missing=0),
        "sex": categories("F", "M", other="F", missing="F"),
        "region": categories(*REGIONS, other="north", missing="north"),
        "cost": decimals(0, 20_000, step="0.01", missing=0),
    }
    return Curator(
        tables=[Table("visits", source=pyarrow.table(visits()), columns=columns)],
        promises=[Promise(rows(), ZCDP(rho="0.1", delta="1e-6"))],
        ledger=folder / "hospital.ledger",
    )


def story(curator: Curator, told: Told) -> Iterator[RenderableType]:
    """Everything that happens, as it happens."""
    from rich.rule import Rule
    from rich.text import Text

    ada, ben, cleo = (curator.session(analyst=name) for name in ("ada", "ben", "cleo"))
    (promise,) = curator.promises
    yield Rule("[bold]The promise[/bold]", align="left")
    yield f"{_VISITS:,} visits to a hospital. Whatever is asked, by whomever: {promise}."

    yield Rule("[bold]1. Ada asks[/bold]", align="left")
    question = "SELECT region, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY region"
    first = ada.ask(question, rho="0.02")
    told.note("ada", question, first)
    yield from _asked(question, first)
    yield f"{first.quote.explain()}"

    yield Rule("[bold]2. Ben asks the same in other words[/bold]", align="left")
    question = (
        "select region, avg(cost) as mean_cost, count(*) as n from visits where age >= 0 or age < 5 group by region"
    )
    again = ben.ask(question, rho="0.02")
    told.note("ben", question, again)
    yield from _asked(question, again)
    yield "It is the same question, so it is the same answer, and it costs nothing."

    yield Rule("[bold]3. Cleo looks closer, region by region[/bold]", align="left")
    before = curator.spent()[0]
    largest = max(first.rows(), key=lambda row: row["visits"])["region"]
    lines = table(
        "", [("question", "left"), ("answer", "right"), ("±", "right"), ("price", "left"), ("spent in all", "left")]
    )
    summed = before
    for region in (largest, *(name for name in REGIONS if name != largest)):
        question = f"SELECT COUNT(*) AS n FROM visits WHERE region = '{region}' AND age >= 65"
        answer = cleo.ask(question, rho="0.03")
        told.note("cleo", question, answer)
        summed = summed + answer.cost
        error = answer.error()["n"][0]
        lines.add_row(
            f"65 and older, {region}",
            f"{answer.rows()[0]['n']:,}",
            f"{error:.0f}",
            str(answer.cost),
            str(curator.spent()[0]),
        )
    yield lines
    yield (
        f"Four questions at ρ = 0.03 about different people cost each person one of them: {curator.spent()[0]} in all, "
        f"where adding up would book {summed}."
    )

    yield Rule("[bold]4. The promise is nearly used up, and says so[/bold]", align="left")
    question = "SELECT AVG(age) AS age FROM visits WHERE region = 'north'"
    try:
        told.note("ada", question, ada.ask(question, rho="0.08"))
    except BudgetExceeded as refusal:
        told.steps.append({"analyst": "ada", "asked": question, "refused": refusal.message})
        yield Text(f"> {question}")
        yield Text(refusal.message, style="red")
    smaller = ada.ask(question, rho="0.02")
    told.note("ada", question, smaller)
    yield from _asked(question, smaller)

    yield Rule("[bold]5. The book[/bold]", align="left")
    found = curator.verify()
    yield (
        f"{found.charges} charges, {found.answered} answers, "
        f"{'every balance recomputed from the first line: sound' if found.sound else 'NOT sound'}."
    )
    (certificate,) = curator.guarantee()
    yield Text(str(certificate))
    for sentence in certificate.explain("person").sections[0].sentences[:2]:
        yield Text(f"  • {sentence}")


def _asked(question: str, answer: Answer) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(f"> {question}", style="bold")
    yield shown(answer)
    yield f"Price: {'free' if answer.free else answer.cost}. Left for these people: {answer.remaining[0]}."
