"""Basic composition: the ε add up, and so do the δ."""

from __future__ import annotations

import math
from fractions import Fraction

from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.composition.rules.prices import prices
from partita.exact import float_up


def read(plan: Plan, delta: float) -> Curve:
    """(Σ ε, Σ δ), all releases that have no pure ε taking an equal part of δ (theory D5)."""
    priced = prices(plan, delta)
    epsilon = float_up(sum((price.count * price.epsilon for price in priced), Fraction(0)))
    carried = sum((price.count * price.delta for price in priced), Fraction(0))
    return Curve(
        lambda at: float_up(carried) if at >= epsilon else 1.0,
        lambda wanted: epsilon if carried <= wanted else math.inf,
    )


RULE = Rule("basic", "basic composition: the ε and the δ add up (theory D5)", read)
