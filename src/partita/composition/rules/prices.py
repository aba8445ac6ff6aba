"""The (ε, δ) price of each release, for the theorems that know nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.numerics.search import bisect
from partita.composition.plans.plan import Loose, Part, Plan, Run
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import exact
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure


@final
@dataclass(frozen=True, slots=True)
class Price:
    """One release as (ε, δ), and how often it happens."""

    epsilon: Fraction
    delta: Fraction
    count: int


def prices(plan: Plan, delta: float, share: Fraction = Fraction(1)) -> list[Price]:
    """Each release at its pure ε or its stated (ε, δ); the others share a part of the δ that these leave."""
    stated = [_stated(part) for part in plan.parts]
    carried = sum((price.count * price.delta for price in stated if price is not None), Fraction(0))
    without = sum(part.count for part, price in zip(plan.parts, stated, strict=True) if price is None)
    if without and carried >= Fraction(delta):
        raise refuse.delta_taken(delta, float(carried))
    each = (Fraction(delta) - carried) * share / without if without else Fraction(0)
    return [_price(part, each) if price is None else price for part, price in zip(plan.parts, stated, strict=True)]


def stated(plan: Plan) -> list[Price] | None:
    """The prices of all releases where none needs a choice of δ; nothing otherwise."""
    found = [_stated(part) for part in plan.parts]
    known = [price for price in found if price is not None]
    return known if len(known) == len(found) else None


def _stated(part: Part) -> Price | None:
    """The price that needs no choice of δ."""
    if isinstance(part, Loose) and isinstance(part.measure, Approximate):
        return Price(part.measure.epsilon, part.measure.delta, part.count)
    try:
        return Price(part.loss(Pure).epsilon, Fraction(0), part.count)
    except NotProven:
        return None


def _price(part: Part, delta: Fraction) -> Price:
    """The (ε, δ) of a release that has neither, read from its exact curve."""
    if isinstance(part, Run):
        loss = part.mechanism.cost(part.distance, Approximate, delta=delta)
        return Price(loss.epsilon, loss.delta, part.count)
    if isinstance(part, Loose):
        return Price(part.measure.epsilon_at(delta), delta, part.count)
    return Price(_read(part.pair(), delta), delta, part.count)


def _read(pair: Pair, delta: Fraction) -> Fraction:
    """The least ε at which the curve of the pair itself is at most δ; a refusal where its floor is above δ."""
    ends = [law.maximum for _, law in pair.directions()]
    floor = max(law.infinity for _, law in pair.directions())
    found = math.inf if Fraction(floor) > delta else bisect(pair.delta, float(delta) * (1 - 1e-15), max(ends))
    if math.isinf(found):
        raise refuse.delta_taken(float(delta), floor)
    return exact(found)
