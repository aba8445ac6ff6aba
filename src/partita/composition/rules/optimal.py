"""Optimal composition: the least total that any (ε, δ)-private releases can be promised."""

from __future__ import annotations

from fractions import Fraction

from partita.composition.numerics.curve import profile
from partita.composition.numerics.total import Total
from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Reading, Rule
from partita.composition.rules.prices import prices
from partita.exact import float_up
from partita.theory.losses.randomized_response import RandomizedResponseLoss


def read(plan: Plan, delta: float) -> Reading:
    """Each release stands for all mechanisms with its (ε, δ): leaky randomised responses, composed exactly (D11).

    Equal ones by the closed form of Kairouz, Oh and Viswanath; unlike ones by the sum of Murtagh and Vadhan, listed
    where it is short and put on a lattice, rounded up, where it is not.
    """
    priced = prices(plan, delta, Fraction(1, 2))
    laws = [(RandomizedResponseLoss(float_up(p.epsilon), float_up(p.delta)), p.count) for p in priced]
    return profile(Total.of(laws))


RULE = Rule("optimal", "optimal composition (Kairouz, Oh, Viswanath; Murtagh, Vadhan; theory D11)", read)
