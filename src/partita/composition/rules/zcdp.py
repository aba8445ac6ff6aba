"""Concentrated composition: the ρ add up."""

from __future__ import annotations

from fractions import Fraction

from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.errors import NotProven
from partita.exact import float_down, float_up
from partita.theory.measures.zcdp import ZCDP


def total(plan: Plan) -> ZCDP:
    """The sum of all ρ, and of all δ that come with them (theory D6)."""
    rho = delta = Fraction(0)
    for part in plan.parts:
        loss = part.loss(ZCDP)
        rho += part.count * loss.rho
        delta += part.count * loss.delta
    return ZCDP(rho=rho, delta=delta)


def read(plan: Plan, delta: float) -> Curve:
    """Σ ρ and Σ δ, read at δ by the tight conversion (theory B14, B16)."""
    loss = total(plan)

    def least(wanted: float) -> float:
        try:
            return float_up(loss.epsilon_at(Fraction(wanted)))
        except NotProven:
            return float("inf")

    return Curve(lambda at: float_up(loss.delta_at(Fraction(float_down(Fraction(at))))), least)


RULE = Rule("zcdp", "zero-concentrated composition: the ρ add up (theory D6, B14)", read)
