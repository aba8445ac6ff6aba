"""Histories: what analysts do with a curator, one action after the other, and what they see of each."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import partita as pt
from partita.algorithms.linear.marginals import Marginals
from partita.errors import PartitaError
from tests.laws.second_hand.questions import Asker
from tests.laws.second_hand.schemas import Schema


@dataclass(frozen=True)
class Seen:
    """What an analyst sees of one action: the rows of the answer or the refusal; and what it is said to have cost."""

    text: str
    shown: Any
    costs: tuple[Any, ...] | None


@dataclass(frozen=True)
class Action:
    """Something that is done with a curator, in words for whoever reads a failure."""

    text: str
    act: Callable[[Any], tuple[Any, tuple[Any, ...] | None]]

    def done(self, curator: Any) -> Seen:
        """What is seen of it; refusals are seen too."""
        try:
            shown, costs = self.act(curator)
        except PartitaError as refusal:
            return Seen(self.text, ("refused", refusal.code, str(refusal)), None)
        except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            return Seen(self.text, ("refused", f"crash.{type(error).__name__}", str(error)), None)
        return Seen(self.text, shown, costs)


def actions(schema: Schema, price: dict[str, Any], rng: random.Random, *, users: bool) -> list[Action]:
    """A short random history."""
    asker = Asker(schema, rng)
    found: list[Action] = []
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        kind = rng.choice(["ask"] * 8 + ["batch", "plan", "algorithm", "again"])
        if kind == "ask":
            found.append(_ask(asker, price, rng, users=users))
        elif kind in ("batch", "plan"):
            texts = [asker.question() for _ in range(rng.choice([2, 3]))]
            found.append(_together(kind, texts, price))
        elif kind == "algorithm":
            found.append(_algorithm(schema, asker, price, rng))
        elif found:
            found.append(found[-1])
    return found or [_ask(asker, price, rng, users=users)]


def _ask(asker: Asker, price: dict[str, Any], rng: random.Random, *, users: bool) -> Action:
    text = asker.question()
    wants = {name: value for name, value in price.items() if name != "delta" or needs_delta(text, price)}
    if users and rng.random() < 0.3:
        wants["rows_per_user"] = rng.choice([1, 2])
    if users and rng.random() < 0.3:
        wants["groups_per_user"] = rng.choice([1, 2])
    if users and rng.random() < 0.3:
        wants["rows_per_group"] = rng.choice([1, 2])
    if rng.random() < 0.7:
        wants["reuse"] = False
    if rng.random() < 0.15:
        wants["noise"] = rng.choice(["laplace", "gaussian"])
    if rng.random() < 0.1:
        wants["shrink"] = True

    return asked(text, **wants)


def asked(text: str, **wants: Any) -> Action:
    """One question."""

    def act(curator: Any) -> tuple[Any, Any]:
        answer = curator.ask(text, **wants)
        return _plain(answer), answer.costs

    return Action(f"ask({text!r}, {wants})", act)


def _together(kind: str, texts: list[str], price: dict[str, Any]) -> Action:
    if not any(needs_delta(text, price) for text in texts):
        price = {name: value for name, value in price.items() if name != "delta"}

    def act(curator: Any) -> tuple[Any, Any]:
        if kind == "batch":
            batch = curator.batch(texts, **price)
            return [_plain(answer) for answer in batch.ask()], batch.costs
        planned = curator.plan(texts, **price)
        return [_plain(planned.ask(place)) for place in reversed(range(len(texts)))], None

    return Action(f"{kind}({texts!r}, {price})", act)


def _algorithm(schema: Schema, asker: Asker, price: dict[str, Any], rng: random.Random) -> Action:
    names = rng.sample([name for name in ("a", "b", "d", "g") if name in schema.columns], 2)
    where = asker.condition(1) if rng.random() < 0.6 else None
    relation = rng.choice(["add/remove", "change-one"])
    costs = {name: value for name, value in price.items() if name != "delta" or "epsilon" in price}

    @cache
    def tables() -> Marginals:
        """What is measured depends on no row, and is planned once for all neighbours."""
        axes = {name: schema.columns[name].size for name in names}
        return Marginals(axes, [(names[0],), tuple(names)], relation=relation, **costs)

    def act(curator: Any) -> tuple[Any, Any]:
        outcome = curator.run(tables(), table="things", where=where)
        return outcome.document, outcome.costs

    return Action(f"Marginals({names}, {relation!r}, {costs}) where {where}", act)


def needs_delta(text: str, price: dict[str, Any]) -> bool:
    """Whether a price has room for a δ: beside ε always, beside ρ only where open keys are named."""
    keys = re.sub(r"CASE .*? END", "", text.rpartition(" GROUP BY ")[2])
    return "epsilon" in price or "ENTROPY(t)" in text or re.search(r"\bt\b", keys) is not None


def _plain(answer: pt.Answer) -> Any:
    return [list(row.items()) for row in answer.rows()], answer.free, [str(cost) for cost in answer.costs]
