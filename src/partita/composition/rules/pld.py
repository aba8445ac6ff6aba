"""Exact composition of the privacy losses themselves: `numerics.curve` chooses among FFT, contour and saddle."""

from __future__ import annotations

from partita.composition.numerics.curve import profile
from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Reading, Rule, Worst


def read(plan: Plan, delta: float) -> Reading:
    """The product of all dominating pairs, each direction on its own (theory D16)."""
    directions = [profile(total) for total in plan.totals]
    return directions[0] if len(directions) == 1 else Worst(tuple(directions))


RULE = Rule("pld", "exact composition of privacy losses (theory D16)", read)
