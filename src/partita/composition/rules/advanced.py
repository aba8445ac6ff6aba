"""Advanced composition: the mean of the losses, and a deviation that grows with the square root of their number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from partita.composition.plan import Plan
from partita.composition.rules.base import Curve, Rule
from partita.composition.rules.prices import Price, prices
from partita.composition.search import bisect
from partita.exact import float_up
from partita.theory.losses.outward import FUNCTION, UNIT, up


def read(plan: Plan, delta: float) -> Curve:
    """Σ ε tanh(ε/2) + sqrt(2 ln(1/δ') Σ ε²), at a total δ of 1 - (1 - δ') Π (1 - δ_i) (theory D12).

    Never more than basic composition gives.
    """
    priced = prices(plan, delta / 2)

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
    """The total ε at a total δ, rounded up; infinite where the releases carry more δ than that.

    >>> from fractions import Fraction
    >>> round(epsilon([Price(Fraction(1, 10), Fraction(0), 100)], 1e-6), 9)
    5.756105519
    """
    sizes = [(float_up(price.epsilon), float_up(price.delta), price.count) for price in priced]
    total = up(math.fsum(n * e for e, _, n in sizes), 4 * UNIT)
    kept = math.fsum(n * math.log1p(-min(d, 1 - UNIT)) for _, d, n in sizes)
    carried = up(-math.expm1(kept), 8 * FUNCTION) if kept else 0.0
    if carried >= delta:
        return total if carried <= delta else math.inf
    # 1 - (1 - δ') (1 - carried) = δ, solved for δ' and rounded down.
    spare = (delta - carried) / (1 - carried) * (1 - 8 * UNIT)
    mean = math.fsum(n * e * math.tanh(e / 2) for e, _, n in sizes)
    square = math.fsum(n * e * e for e, _, n in sizes)
    deviation = math.sqrt(2 * square * max(0.0, -math.log(spare)))
    return min(total, up(mean + deviation, 16 * FUNCTION))


def calibrated(epsilon_total: float, delta_total: float, count: int) -> float:
    """The ε of each of so many (ε, δ/2k) releases under a total of (ε, δ): theory D13, rounded down.

    >>> round(calibrated(1.0, 1e-6, 100), 10)
    0.0182546936
    """

    def too_much(each: float) -> float:
        deviation = each * math.sqrt(2 * count * math.log(2 / delta_total))
        return (deviation + count * each * math.tanh(each / 2)) * (1 + 16 * FUNCTION)

    found = bisect(lambda each: -too_much(each), -epsilon_total, epsilon_total)
    # bisect returns the first ε that is too much; step down until it is not.
    while too_much(found) > epsilon_total:
        found = math.nextafter(found * (1 - UNIT), 0.0)
    return max(found, epsilon_total / count)


RULE = Rule("advanced", "advanced composition: mean and deviation of the losses (theory D12)", read)
