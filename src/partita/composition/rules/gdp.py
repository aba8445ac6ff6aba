"""Gaussian composition: the squares of μ add up."""

from __future__ import annotations

import math
from fractions import Fraction

from partita.composition.numerics.gaussians import Gaussians
from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.exact import float_up
from partita.theory.measures.gdp import GDP


def read(plan: Plan, delta: float) -> Curve:
    """sqrt(Σ μ²) where every release is proven to be μ-Gaussian; the exact curve of that Gaussian (theory B13)."""
    squared = sum((part.count * part.loss(GDP).squared for part in plan.parts), Fraction(0))
    whole = Gaussians(float_up(GDP.from_squared(squared).mu))
    return Curve(whole.upper, lambda wanted: whole.least(wanted) if wanted > 0 or squared == 0 else math.inf)


RULE = Rule("gdp", "Gaussian composition: the squares of μ add up (theory B13)", read)
