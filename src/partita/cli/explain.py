"""partita explain: a guarantee, or the promises of a ledger, in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import explained
from partita.errors import cli as refuse

if TYPE_CHECKING:
    from partita.theory.measures.base import Measure


def explain(
    epsilon: Annotated[str | None, typer.Option(help="A pure loss, or with --delta an (ε, δ) one.")] = None,
    delta: Annotated[
        str | None, typer.Option(help="The δ of the loss; with --mu or --rho, where to read its ε.")
    ] = None,
    rho: Annotated[str | None, typer.Option(help="A zero-concentrated loss.")] = None,
    mu: Annotated[str | None, typer.Option(help="A Gaussian loss.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="In place of a loss: the promises of a ledger, and what is used up.")
    ] = None,
    change_one: Annotated[
        bool, typer.Option("--change-one", help="Neighbours differ in a value, not in a row.")
    ] = False,
    people: Annotated[
        int | None, typer.Option(help="How many people are in the data, at least, as is publicly known.")
    ] = None,
    reader: Annotated[
        list[str] | None, typer.Option(help="person, analyst or officer; all of them if left out.")
    ] = None,
    fpr: Annotated[str, typer.Option(help="The share of false alarms at which an attacker is judged.")] = "0.01",
    prior: Annotated[
        list[str] | None, typer.Option(help="A belief before the release; may be given several times.")
    ] = None,
    group: Annotated[int, typer.Option(help="How many people a group has: a family, a firm.")] = 4,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also set it beside deployments that people know.")
    ] = False,
    plot: Annotated[str | None, typer.Option(help="Also draw the trade-off curve into this PNG or SVG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say in plain words what a guarantee means, to whom, and what it does not promise."""
    from partita.explain.words import Reader
    from partita.explain.words import explain as put_in_words
    from partita.granularity import replace, rows

    if ledger is not None:
        if any(option is not None for option in (epsilon, delta, rho, mu, plot)):
            raise refuse.choose_one("--ledger and a loss of its own")
        _explain_ledger(ledger, people, tuple(reader or Reader), fpr, compare=compare, as_json=as_json)
        return
    loss, read_at = _loss(epsilon, delta, rho, mu)
    said = put_in_words(
        loss,
        unit=replace() if change_one else rows(),
        people=people,
        readers=reader or tuple(Reader),
        delta=read_at,
        fpr=fpr,
        priors=prior or ("0.01", "0.1", "0.5"),
        group=group,
        compared=compare,
    )
    if plot is not None:
        from partita.canvas import save
        from partita.explain.pictures.tradeoff import tradeoff

        save(tradeoff({str(loss): loss}), plot)
    if as_json:
        show_json(said.document())
        return
    show(*explained(said))


def _explain_ledger(
    path: Path, people: int | None, readers: tuple[str, ...], fpr: str, *, compare: bool, as_json: bool
) -> None:
    from partita.explain.book import explain_ledger
    from partita.ledger.opening import open_ledger

    with open_ledger(path) as opened:
        said = explain_ledger(opened, people=people, readers=readers, fpr=fpr, compared=compare)
    if as_json:
        show_json([one.document() for one in said])
        return
    for one in said:
        show(*explained(one))


def _loss(epsilon: str | None, delta: str | None, rho: str | None, mu: str | None) -> tuple[Measure, str | None]:
    """The loss that was described, and the δ it should be read at where that is not part of it."""
    from partita.exact import nonnegative
    from partita.theory.measures.approximate import Approximate
    from partita.theory.measures.gdp import GDP
    from partita.theory.measures.pure import Pure
    from partita.theory.measures.zcdp import ZCDP

    given = [option for option in (epsilon, rho, mu) if option is not None]
    if len(given) != 1:
        raise refuse.choose_one("--epsilon, --rho and --mu")
    if epsilon is not None and delta is not None:
        return Approximate(epsilon=nonnegative(epsilon, "epsilon"), delta=nonnegative(delta, "delta")), None
    if epsilon is not None:
        return Pure(epsilon=nonnegative(epsilon, "epsilon")), None
    if rho is not None:
        return ZCDP(rho=nonnegative(rho, "rho")), delta
    return GDP(mu=given[0]), delta
