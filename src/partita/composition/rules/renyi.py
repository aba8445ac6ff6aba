"""Rényi composition: the divergences of every order add up, and the best order is read."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from partita.composition.numerics.divergences import Divergences
from partita.composition.numerics.total import Total
from partita.composition.plans.plan import Loose, Part, Plan
from partita.composition.rules.base import Curve, Rule
from partita.exact import float_down, float_up
from partita.theory.losses.outward import UNIT, Floats, floats, up
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

_LADDER = 2.0 ** (np.arange(-40, 81) / 4.0)


def divergences(plan: Plan) -> list[Divergences]:
    """One for each direction: exact transforms where a pair is known, ρ and τ where only those are.

    The δ beside a ρ is what happens outside the events to which ρ is confined: it adds up and stays (theory B16).
    """
    curves = [part for part in plan.parts if _curve(part) is not None]
    rest = Plan(tuple(part for part in plan.parts if _curve(part) is None), plan.relation)
    grids = [curve.orders for part in curves if isinstance(curve := _curve(part), Renyi)]
    orders = floats([float_down(order - 1) for order in grids[0]]) if grids else _around(rest, curves)
    base = np.zeros(len(orders))
    for part in curves:
        base += part.count * _exponent(part, orders)
    outside = float_up(
        sum((part.count * curve.delta for part in curves if isinstance(curve := _curve(part), ZCDP)), Fraction(0))
    )
    totals = rest.totals if rest.parts else (Total(()),)
    found = []
    for total in totals:
        value, error = (
            (total.batch.cumulant(orders)) if not total.empty else (np.zeros(len(orders)), np.zeros(len(orders)))
        )
        whole = base + value + error + 8 * UNIT * (np.abs(base) + np.abs(value))
        infinity = total.infinity if not total.empty else 0.0
        found.append(Divergences(orders, floats(whole), up(outside + infinity) if outside else infinity))
    return found


def _curve(part: Part) -> ZCDP | Renyi | None:
    if isinstance(part, Loose) and isinstance(part.measure, ZCDP | Renyi):
        return part.measure
    return None


def _exponent(part: Part, orders: Floats) -> Floats:
    curve = _curve(part)
    if isinstance(curve, ZCDP):
        return floats(orders * (orders + 1) * (float_up(curve.rho) * (1 + 8 * UNIT)))
    assert isinstance(curve, Renyi)
    # Orders are those of the first grid; a divergence grows with its order, so the next known one is a bound.
    return floats([c * float_up(curve.at(c + 1)) * (1 + 8 * UNIT) for c in orders.tolist()])


def _around(rest: Plan, curves: list[Part]) -> Floats:
    """A ladder around where the best order is for any δ of interest."""
    variance = sum(total.variance for total in rest.totals[:1]) if rest.parts else 0.0
    variance += sum(2 * part.count * float(curve.rho) for part in curves if isinstance(curve := _curve(part), ZCDP))
    steepest = min((total.batch.steepest for total in rest.totals), default=math.inf) if rest.parts else math.inf
    ladder = _LADDER / math.sqrt(max(variance, 1e-30))
    return floats(ladder[ladder < max(4 * steepest, ladder[4])])


def read(plan: Plan, delta: float) -> Curve:
    """The least over the orders, and the worse of the two directions."""
    found = divergences(plan)
    return Curve(lambda at: max(d.upper(at) for d in found), lambda wanted: max(d.least(wanted) for d in found))


RULE = Rule("renyi", "Rényi composition at the best order (theory B15)", read)
