"""One scenario: a declaration, promises, stored rows and a history, made from one number and from nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import partita as pt
from partita.granularity import Granularity, Users
from partita.limits import Limits
from tests.laws.limiting import limited, readable
from tests.laws.second_hand.histories import Action, actions
from tests.laws.second_hand.schemas import Schema, Stored, schema

Units = tuple[Granularity, ...]


def _users(rng: random.Random, **more: Any) -> Granularity:
    return pt.users("who", rows=rng.choice([1, 2, 2, 3]), **more)


UNITS: dict[str, Callable[[random.Random], Units]] = {
    "rows": lambda rng: (pt.rows(),),
    "replace": lambda rng: (pt.replace(),),
    "groups of rows": lambda rng: (pt.groups(rng.choice([2, 3])),),
    "groups of replace": lambda rng: (pt.groups(2, pt.replace()),),
    "users": lambda rng: (_users(rng),),
    "users, altered": lambda rng: (_users(rng, altered=True),),
    "users, few in a region": lambda rng: (_users(rng, in_region=rng.choice([1, 2])),),
    "users, few in a region, altered": lambda rng: (_users(rng, in_region=1, altered=True),),
    "user-days": lambda rng: (_users(rng, per="f"),),
    "user-days, altered": lambda rng: (_users(rng, per="f", altered=True),),
    "groups of users": lambda rng: (pt.groups(2, _users(rng)),),
    "groups of altered users": lambda rng: (pt.groups(2, _users(rng, altered=True)),),
    "windows": lambda rng: (pt.windows("f", width=rng.choice([1, 2, 3])),),
    "changed windows": lambda rng: (pt.windows("f", width=rng.choice([1, 2, 3]), changed=True),),
    "metric": lambda rng: (pt.metric(rng.choice("ab"), unit=rng.choice([1, 2, "1.5", "0.5"])),),
    "groups of metric": lambda rng: (pt.groups(2, pt.metric("a", unit=1)),),
    "rows beside users": lambda rng: (pt.rows(), _users(rng)),
    "replace beside users": lambda rng: (_users(rng), pt.replace()),
    "metric beside users": lambda rng: (_users(rng), pt.metric("a", unit=1)),
    "users twice": lambda rng: (_users(rng), _users(rng, in_region=1)),
    "groups beside user-days": lambda rng: (pt.groups(2), _users(rng, per="f")),
    "replace beside rows": lambda rng: (pt.replace(), pt.rows(), pt.windows("f", width=2)),
}
MEASURES = ("ε", "εδ", "ρ", "ρδ", "μ")


@dataclass(frozen=True)
class Scenario:
    """Everything that a run needs."""

    name: str
    number: int
    schema: Schema
    promises: tuple[pt.Promise, ...]
    stored: Stored
    pool: Stored
    history: list[Action]
    source: str
    limits: Limits = field(default_factory=Limits)

    @property
    def title(self) -> str:
        """What it takes to make it again."""
        return f"scenario({self.name!r}, {self.number})"


def scenario(name: str, number: int) -> Scenario:
    """The scenario of this number, about one way of being protected."""
    rng = random.Random(f"{name} {number}")
    units = UNITS[name](rng)
    users = all(isinstance(unit.single, Users) for unit in units)
    theme = rng.choice(("any", "any", "any", "keys", "ragged", "narrow"))
    declared = schema(rng, constant=users, theme=theme)
    price, budget = _price(rng, rng.choice(("εδ", "ρδ") if theme == "keys" else MEASURES))
    promises = tuple(pt.Promise(unit, budget) for unit in units)
    stored = [declared.row(rng) for _ in range(rng.choice([0, 1, 2, 3, 4, 5, 6]))]
    pool = [declared.row(rng) for _ in range(8)]
    source = rng.choice(["list", "list", "list", "arrow", "csv", "parquet", "pandas", "frame"])
    history = actions(declared, price, rng, users=users)
    limits = readable(limited(rng.choice(("default", "0", "1", "2", "mixed", "mixed")), rng), rng)
    return Scenario(name, number, declared, promises, stored, pool, history, source, limits)


def _price(rng: random.Random, measure: str) -> tuple[dict[str, Any], Any]:
    """What each question may cost, and the budget: so large that nothing is refused, or so tight that much is."""
    cost = rng.choice(["0.25", "0.5", "1", "2"])
    often = rng.choice([10**6, 10**6, 1, 2, 3])
    total = str(float(cost) * often) if often < 10 else often
    match measure:
        case "ε":
            return {"epsilon": cost}, pt.Pure(epsilon=total)
        case "εδ":
            return {"epsilon": cost, "delta": "0.01"}, pt.Approximate(epsilon=total, delta="0.9")
        case "ρ":
            return {"rho": cost}, pt.ZCDP(rho=total)
        case "ρδ":
            return {"rho": cost, "delta": "0.01"}, pt.ZCDP(rho=total, delta="0.9")
        case _:
            return {"mu": cost}, pt.GDP(mu=total)
