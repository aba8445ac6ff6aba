"""The (ε, δ) price of each release, for the theorems that know nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.plan import Loose, Part, Plan, Release
from partita.composition.search import bisect
from partita.errors import NotProven
from partita.exact import exact, float_up
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


def prices(plan: Plan, share: float) -> list[Price]:
    """Each release at its pure ε, or at its ε for an equal part of a share of δ where it has none."""
    without = sum(part.count for part in plan.parts if _stated(part) is None)
    each = Fraction(share) / without if without else Fraction(0)
    return [_price(part, each) for part in plan.parts]


def _stated(part: Part) -> Price | None:
    """The price that needs no choice of δ."""
    if isinstance(part, Loose) and isinstance(part.measure, Approximate):
        return Price(part.measure.epsilon, part.measure.delta, part.count)
    try:
        return Price(part.loss(Pure).epsilon, Fraction(0), part.count)
    except NotProven:
        return None


def _price(part: Part, delta: Fraction) -> Price:
    stated = _stated(part)
    if stated is not None:
        return stated
    if isinstance(part, Release):
        loss = part.mechanism.cost(part.distance, Approximate, delta=delta)
        return Price(loss.epsilon, loss.delta, part.count)
    if isinstance(part, Loose):
        return Price(part.measure.epsilon_at(delta), delta, part.count)
    return Price(_read(part.pair(), delta), delta, part.count)


def _read(pair: Pair, delta: Fraction) -> Fraction:
    ends = [law.maximum for _, law in pair.directions()]
    return exact(float_up(Fraction(bisect(pair.delta, float(delta) * (1 - 1e-15), max(ends)))))
