"""Where on the real axis to place the contour: near the saddle point, found on a small ladder of orders.

Every place is sound, so nothing here needs to be exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from partita.composition.numerics.total import Total
from partita.theory.losses.outward import Floats, floats

# Where to look between two orders of the ladder, as shares of the step in the logarithm.
_BETWEEN = np.arange(1, 8) / 8


@final
@dataclass(frozen=True, slots=True, eq=False)
class Saddle:
    """A place c on the real axis, about where the target lies, and a ladder of cumulants around it."""

    c: float
    epsilon: float
    orders: Floats
    cumulants: Floats
    errors: Floats


def for_delta(total: Total, delta: float) -> Saddle:
    """Near the least ε whose δ is as asked."""
    log_delta = math.log(delta)
    variance = total.variance

    def epsilons(c: Floats, cumulant: Floats) -> Floats:
        return (cumulant - log_delta + _height(c, variance)) / c

    guess = math.sqrt(2 * max(-log_delta, 0.3) / variance)
    return _search(total, guess, epsilons, lambda _: 0.0)


def around(total: Total, c: float, epsilon: float) -> Saddle:
    """At a place that is known already to be a good one, with the orders that judge its aliases."""
    orders = floats(c * np.array([1.0, 1.25, 1.5, 2.0, 3.0]))
    cumulants, errors = total.batch.cumulant(orders)
    return Saddle(c, epsilon, orders, cumulants, errors)


def for_epsilon(total: Total, epsilon: float) -> Saddle:
    """Near where log δ(ε) is least as a function of the place."""
    variance = total.variance

    def exponents(c: Floats, cumulant: Floats) -> Floats:
        return cumulant - c * epsilon - np.log(c * (c + 1))

    guess = max(epsilon / variance, 1 / math.sqrt(variance))
    return _search(total, guess, exponents, lambda _: epsilon)


def _height(c: Floats, variance: float) -> Floats:
    """log of 1/(c(c+1)) over the width of the peak."""
    width = variance + 1 / c**2 + 1 / (c + 1) ** 2
    return -np.log(c * (c + 1)) - 0.5 * np.log(2 * math.pi * width)


def _search(
    total: Total, guess: float, value: Callable[[Floats, Floats], Floats], at: Callable[[float], float]
) -> Saddle:
    # Beyond the cap nothing is gained: the top atom is in sight, and digits are enough.
    cap = 1e4 / math.sqrt(total.variance)
    guess = min(max(guess, 1e-8 * cap), cap / 16, total.batch.steepest)
    orders = floats(guess * 2.0 ** np.arange(-3, 5))
    cumulants, errors = total.batch.cumulant(floats(orders))
    for _ in range(40):
        best = int(np.argmin(value(orders, cumulants)))
        if 0 < best < len(orders) - 1:
            break
        more = floats([orders[0] / 4, orders[0] / 2] if best == 0 else [orders[-1] * 2, orders[-1] * 4])
        if more[0] < 1e-9 * cap or more[-1] > cap:
            break
        value_more, error_more = total.batch.cumulant(more)
        place = 0 if best == 0 else len(orders)
        orders = floats(np.insert(orders, place, more))
        cumulants = np.insert(cumulants, place, value_more)
        errors = np.insert(errors, place, error_more)
    scores = value(orders, cumulants)
    best = int(np.argmin(scores))
    low, high = orders[max(best - 1, 0)], orders[min(best + 1, len(orders) - 1)]
    finer = low * (high / low) ** _BETWEEN
    value_finer, error_finer = total.batch.cumulant(floats(finer))
    orders = floats(np.concatenate([orders, finer]))
    cumulants, errors = np.concatenate([cumulants, value_finer]), np.concatenate([errors, error_finer])
    order = np.argsort(orders)
    orders, cumulants, errors = orders[order], cumulants[order], errors[order]
    scores = value(orders, cumulants)
    best = int(np.argmin(scores))
    return Saddle(float(orders[best]), float(scores[best]) if at(0.0) == 0.0 else at(0.0), orders, cumulants, errors)
