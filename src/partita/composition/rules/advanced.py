"""Advanced composition: the mean of the losses, and a deviation that grows with the square root of their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from partita.composition.numerics.search import bisect
from partita.composition.plans.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.composition.rules.prices import Price, prices
from partita.exact import float_up
from partita.theory.losses.outward import FUNCTION, UNIT, up


def read(plan: Plan, delta: float) -> Curve:
    """Σ ε tanh(ε/2) + sqrt(2 ln(1/δ') Σ ε²), at a total δ of 1 - (1 - δ') Π (1 - δ_i) (theory D12).

    Never more than basic composition gives.
    """
    priced = prices(plan, delta, Fraction(1, 2))

    def least(wanted: float) -> float:
        return epsilon(priced, wanted)

    def upper(at: float) -> float:
        low, high = math.log(1e-300), 0.0
        if least(1 - 1e-12) > at:
            return 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if least(math.exp(middle)) <= at else (middle, high)
        return up(math.exp(high))

    return Curve(upper, least)


def epsilon(priced: Sequence[Price], delta: float) -> float:
    """The total ε at a total δ, never more than the sum; infinite where the releases carry more δ than that.

    >>> from fractions import Fraction
    >>> epsilon([Price(Fraction(1, 2), Fraction(0), 10)], 1e-5)
    5.00000000000000...
    """
    if not priced:
        return 0.0
    carried = total_delta(priced, 0.0)
    total = up(math.fsum(price.count * float_up(price.epsilon) for price in priced), 4 * UNIT)
    if carried >= delta:
        return total if carried <= delta else math.inf
    # 1 - (1 - δ') (1 - carried) = δ, solved for δ' and rounded down.
    return min(total, formula(priced, (delta - carried) / (1 - carried) * (1 - 8 * UNIT)))


def formula(priced: Sequence[Price], slack: float) -> float:
    """Σ ε tanh(ε/2) + sqrt(2 ln(1/δ') Σ ε²), rounded up; it may be more than the sum.

    >>> from fractions import Fraction
    >>> round(formula([Price(Fraction(1, 10), Fraction(0), 100)], 1e-6), 9)
    5.756105519
    """
    sizes = [(float_up(price.epsilon), price.count) for price in priced]
    mean = math.fsum(n * e * math.tanh(e / 2) for e, n in sizes)
    square = math.fsum(n * e * e for e, n in sizes)
    return up(mean + math.sqrt(2 * square * max(0.0, -math.log(slack))), 16 * FUNCTION)


def total_delta(priced: Sequence[Price], slack: float) -> float:
    """1 - (1 - δ') Π (1 - δ_i), rounded up: sharper than the sum.

    >>> from fractions import Fraction
    >>> total_delta([Price(Fraction(1), Fraction(1, 10**6), 10)], 1e-6)
    1.099994500016...e-05
    """
    logs = [(math.log1p(-min(float_up(price.delta), 1 - UNIT)), price.count) for price in priced]
    kept = math.fsum(n * log for log, n in logs) + math.log1p(-slack)
    return up(-math.expm1(kept), 8 * FUNCTION) if kept else 0.0


def calibrated(epsilon_total: float, delta_total: float, count: int) -> float:
    """The ε of each of so many (ε, δ/2k) releases under a total of (ε, δ): theory D13, rounded down.

    >>> round(calibrated(1.0, 1e-6, 100), 10)
    0.0182546936
    """

    def too_much(each: float) -> float:
        deviation = each * math.sqrt(2 * count * math.log(2 / delta_total))
        return (deviation + count * each * math.tanh(each / 2)) * (1 + 16 * FUNCTION)

    found = bisect(lambda each: -too_much(each), -epsilon_total, epsilon_total)
    # bisect returns the first ε that is too much; step down until it is not, with room for reading it again.
    while too_much(found) * (1 + 16 * FUNCTION) > epsilon_total:
        found = math.nextafter(found * (1 - UNIT), 0.0)
    return max(found, epsilon_total / count)


RULE = Rule("advanced", "advanced composition: mean and deviation of the losses (theory D12)", read)
