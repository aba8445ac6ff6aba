"""partita calibrate: the least noise with which so many releases stay within a promised total."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, busy, show, show_json
from partita.cli.tables import table
from partita.cli.units import Groups, Owner, Relation, Users, unit_fields
from partita.errors import PartitaError
from partita.errors import cli as refuse
from partita.errors.wording import counted
from partita.explain.totals import METHODS, NAMES

if TYPE_CHECKING:
    from partita.mechanisms.base import Mechanism
    from partita.theory.distance import Distance


def calibrate(
    mechanism: Annotated[str, typer.Argument(help="laplace, gaussian, geometric, discrete_gaussian, exponential, ...")],
    epsilon: Annotated[str, typer.Option(help="The total ε that is promised.")],
    delta: Annotated[str, typer.Option(help="The total δ that is promised.")] = "0",
    count: Annotated[str, typer.Option(help="How many releases share it.")] = "1",
    distance: Annotated[
        str | None, typer.Option(help="How far neighbours move a result, in the mechanism's norm; 1 if left out.")
    ] = None,
    method: Annotated[str, typer.Option(help="The theorem to calibrate by; the one that needs least noise.")] = "best",
    relation: Relation = None,
    users: Users = None,
    owner: Owner = None,
    groups: Groups = None,
    rate: Annotated[
        str | None, typer.Option(help="Each release reads a secret sample; this is the chance of a record.")
    ] = None,
    scheme: Annotated[str | None, typer.Option(help="How it is drawn: poisson or without_replacement.")] = None,
    people: Annotated[
        str | None, typer.Option(help="Each release is the shuffled reports of so many people, one each.")
    ] = None,
    leak: Annotated[
        str | None, typer.Option(help="Key selection: the share of δ for keys that nobody else has.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another parameter of the mechanism, as name=value; may be repeated."),
    ] = None,
    confidence: Annotated[str, typer.Option(help="For the error bar of each release.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Find the least noise for so many releases under one total, and show what other theorems would need."""
    from partita.composition.exchange.documents import calibrate_document, relation_in
    from partita.composition.guarantees.compose import compose
    from partita.exact import positive, probability, whole
    from partita.explain.numbers import percent, short

    given = unit_fields(relation, users, owner, groups)
    unit = relation_in(given)
    positive(1 if distance is None else distance, "distance")
    sure = float(probability(confidence, "confidence"))
    around = (("rate", rate), ("scheme", scheme), ("people", people), ("leak", leak))
    question: dict[str, object] = {
        "version": 1,
        "mechanism": mechanism,
        "epsilon": epsilon,
        "delta": delta,
        "count": count,
        "method": method,
        **({} if distance is None else {"distance": distance}),
        **given,
        **{name: value for name, value in around if value is not None},
        **({"parameters": dict(map(_named, parameters))} if parameters else {}),
    }
    with busy("Calibrating"):
        found = calibrate_document(question)
    moved = _distance(found, distance)
    total = compose([(found.at(moved), whole(count))], delta=delta, method=method, relation=unit)
    with busy("Comparing"):
        others = {name: _tried({**question, "method": name}) for name in METHODS} if method == "best" else {}
    error = found.error(confidence)
    if as_json:
        document = {"mechanism": found.kind, **_numbers(found), "error": error, "confidence": sure}
        methods = {name: _numbers(other) for name, other in others.items() if other is not None}
        show_json({**document, "total": total.to_json(), "methods": methods})
        return
    bars = f"error bar at {percent(sure)}"
    made = table("", [("method", "left"), ("noise", "left"), (bars, "right")])
    for name, other in others.items():
        if other is not None:
            made.add_row(NAMES[name], _settings(other), f"± {other.error(confidence):,.6g}")
    made.add_row(f"[bold]{method}", f"[bold]{_settings(found)}", f"[bold]± {error:,.6g}")
    noise = f"{found.kind.replace('_', ' ')} noise, {_settings(found)}"
    verified = f"come to ε = {total.epsilon:.9g} at δ = {short(total.delta)}, by {total.theorem}."
    show(made, f"{counted(whole(count), 'release')} with {noise}, {verified}")


def _named(text: str) -> tuple[str, object]:
    """A parameter as it is written on the command line."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise refuse.not_named("--set", text)
    return name, {"true": True, "false": False}.get(value, value)


def _tried(question: dict[str, object]) -> Mechanism | None:
    """The noise that another theorem needs, if it has any answer."""
    from partita.composition.exchange.documents import calibrate_document

    try:
        return calibrate_document(question)
    except PartitaError:
        return None


def _distance(found: Mechanism, length: str | None) -> Distance:
    from partita.exact import positive
    from partita.theory.distance import Distance, Norm

    if length is None:
        return found.unit()
    number = positive(length, "distance")
    return Distance.l2(number) if found.norm is Norm.L2 else Distance(found.norm, number)


def _numbers(found: Mechanism) -> dict[str, float | str]:
    """The parameters as numbers where they are numbers."""
    numbers: dict[str, float | str] = {}
    for name, text in found.parameters().items():
        try:
            numbers[name] = float(Fraction(text))
        except ValueError:
            numbers[name] = text
    return numbers


def _settings(found: Mechanism) -> str:
    numbers = _numbers(found)
    return ", ".join(
        f"{name.removeprefix('mechanism.')} = {value:.9g}"
        for name, value in numbers.items()
        if not isinstance(value, str)
    )
