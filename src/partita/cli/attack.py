"""partita attack: the laboratory's attacks, where nothing protects the data and against Partita."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.pictures import drawn, made_folder
from partita.cli.screen import AsJson, followed, show, show_json
from partita.cli.tables import table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from partita.attacks.attack import Attack


def attack(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which attacks to run; 'all' for all of them; none to list them.")
    ] = None,
    epsilon: Annotated[str, typer.Option(help="The ε that Partita promises in the laboratory.")] = "1",
    out: Annotated[Path | None, typer.Option(help="A folder for one picture of each attack.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run attacks on made-up people: against a curator without protection, and against Partita.

    Exit code 1 if an attack fails without protection, or gets more from Partita than was promised.
    """
    from partita.attacks.catalogue import attack as named

    known = _known()
    if not names:
        _list(known, as_json=as_json)
        return
    chosen = list(known) if names == ["all"] else list(dict.fromkeys(names))
    attacks = [named(name, known) for name in chosen]
    running = (one(epsilon=epsilon) for one in attacks)
    found = followed(running, "Attacking", len(chosen), quiet=as_json)
    pictures, missing = ([], "") if out is None else drawn(lambda: _pictures(made_folder(out), chosen, found))
    good = all(outcome.as_expected for outcome in found)
    if as_json:
        show_json(
            {
                "as expected": good,
                "attacks": [outcome.document() for outcome in found],
                **({"pictures": pictures} if pictures else {}),
                **({"no pictures": missing} if missing else {}),
                "note": _NOTE,
            }
        )
    else:
        show(*_told(found), _NOTE)
        if out is not None:
            show(missing or f"The pictures are in {out}: {', '.join(pictures)}")
    raise typer.Exit(0 if good else 1)


def _known() -> dict[str, Callable[..., Attack]]:
    """Every attack; those on trained models only where there is something to train."""
    from partita.attacks.catalogue import ATTACKS

    if find_spec("sklearn") is None:
        return ATTACKS
    return {**ATTACKS, "trained-model": _on_a_trained_model}


def _on_a_trained_model(*, epsilon: str) -> Attack:
    """Plant records with labels drawn by coins, train, and call in whose labels the model knows (theory G4, G8)."""
    from partita.algorithms.estimators.logistic_regression import LogisticRegression
    from partita.attacks.laboratory.models import infer_from_model

    def fit(rows: Any, labels: Any) -> Callable[[Any], Any]:
        model = LogisticRegression(epsilon=epsilon, bounds=(-1, 1), classes=[False, True], solver="objective")
        found: Callable[[Any], Any] = model.fit(rows, labels).decision_function
        return found

    return infer_from_model(fit, epsilon=epsilon)


def _list(known: Mapping[str, Callable[..., Attack]], *, as_json: bool) -> None:
    from partita.attacks.catalogue import purpose

    if as_json:
        show_json({name: purpose(found) for name, found in known.items()})
        return
    made = table("Attacks", [("name", "left"), ("what it does", "left")])
    for name, found in known.items():
        made.add_row(name, purpose(found))
    show(made, "Run one with: partita attack differencing; or all of them: partita attack all")


def _told(found: Sequence[Attack]) -> Iterator[RenderableType]:
    from rich.text import Text

    made = table(
        "Attacks without protection, and against Partita",
        [("attack", "left"), ("without", "right"), ("against Partita", "right"), ("allowed", "right"), ("", "left")],
    )
    for outcome in found:
        word = "withstood" if outcome.as_expected else "[red]NOT as expected[/red]"
        numbers = (f"{number:.3g}" for number in (outcome.without, outcome.against, outcome.allowed))
        made.add_row(outcome.name, *numbers, word)
    yield made
    for outcome in found:
        yield Text(f"{outcome.name}: {outcome.aim}.")
        for line in (f"measured: {outcome.statistic}", outcome.criterion, *outcome.notes):
            yield Text(f"    {line}")


def _pictures(folder: Path, names: Sequence[str], found: Sequence[Attack]) -> Iterator[Path]:
    from partita.canvas import save

    for name, outcome in zip(names, found, strict=True):
        yield save(outcome.plot(), folder / f"{name}.png")


_NOTE = (
    "An attack that fails proves nothing: another may succeed, up to what the promise allows. What is proven is the "
    "promise."
)
