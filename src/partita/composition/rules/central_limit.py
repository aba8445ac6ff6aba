"""The central-limit approximation of a total: not a bound, and named so."""

from __future__ import annotations

import math

import numpy as np

from partita.composition.numerics.gaussians import log_delta
from partita.composition.numerics.search import bisect
from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.theory.losses.outward import floats


def read(plan: Plan, delta: float) -> Curve:
    """A normal law with the mean and the variance of the total loss; it may be too small, and is by 14% at times."""
    totals = plan.totals
    if all(total.empty for total in totals):
        return Curve(lambda _: 0.0, lambda _: 0.0)
    moments = []
    for total in totals:
        # Mean and variance from the cumulant near zero.
        step = 1e-3 / math.sqrt(total.variance)
        k = total.batch.cumulant(floats([step, 2 * step]))[0]
        moments.append(max(float(np.diff(k)[0] - k[0]) / step**2, 1e-300))
    mu = math.sqrt(max(moments))

    def upper(at: float) -> float:
        return min(1.0, math.exp(min(0.0, log_delta(mu, at)[0])))

    return Curve(upper, lambda wanted: bisect(upper, wanted, math.inf))


RULE = Rule(
    "central_limit_approximation",
    "none: a central-limit approximation, which may be below the truth",
    read,
    proven=False,
)
