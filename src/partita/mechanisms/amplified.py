"""What a secret sample does to a loss: the formulas of amplification, for numbers and for whole curves."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from partita.effort import spend_composing
from partita.exact import fraction_up
from partita.theory import numerics
from partita.theory.losses.base import LossLaw
from partita.theory.losses.outward import FUNCTION
from partita.theory.losses.pair import Pair
from partita.theory.losses.tabulated import tabulated
from partita.theory.numerics import ball

_POINTS = 1024
# Beyond this loss a curve is cut off: what is left of it there is kept as mass at infinity.
_FURTHEST = 500.0
_NEGLIGIBLE = 1e-40


def amplified_epsilon(epsilon: Fraction, rate: Fraction) -> Fraction:
    """ln(1 + rate (e^ε - 1)), rounded up (theory C14a).

    >>> round(float(amplified_epsilon(Fraction(1), Fraction(1, 100))), 9)
    0.017036863
    """
    if rate == 1:
        return epsilon
    value = numerics.upper(lambda: (ball(rate) * ball(epsilon).expm1()).log1p(), "the amplified ε")
    return min(value, epsilon)


@lru_cache(maxsize=4096)
def _moment(rate: Fraction, squared: Fraction, order: int) -> Fraction:
    """log Σ C(α, k) (1-q)^(α-k) q^k e^((k² - k) μ²/2): (α - 1) times the divergence, rounded up (theory C14d)."""
    if order == 1:
        return Fraction(0)

    def value() -> arb:
        spend_composing(16 * order)
        total: arb = arb(0)
        for k in range(order + 1):
            weight = arb(math.comb(order, k)) * ball(1 - rate) ** (order - k) * ball(rate) ** k
            total += weight * (ball(squared) * (k * k - k) / 2).exp()
        return total.log()

    return fraction_up(max(Fraction(0), numerics.upper(value, "the divergence of a subsampled Gaussian")))


def amplified_tau(rate: Fraction, squared: Fraction, order: Fraction) -> Fraction:
    """The Rényi divergence of a Poisson-subsampled Gaussian with μ² = ``squared`` (theory C14d), rounded up.

    (α - 1) τ(α) is convex in α, so between whole orders the straight line is a bound.

    >>> round(float(amplified_tau(Fraction(1, 100), Fraction(1), Fraction(8))), 9)
    0.000893644
    """
    low = math.floor(order)
    part = order - low
    moment = (1 - part) * _moment(rate, squared, low)
    if part:
        moment += part * _moment(rate, squared, low + 1)
    return min(moment / (order - 1), order * squared / 2)


def amplified_pair(base: Pair, rate: float) -> Pair:
    """Poisson sampling under add/remove: (1-q) Q + q P against Q, and the reverse (theory C14, subsampled.proof.md).

    >>> from partita.theory.losses.laplace import LaplaceLoss
    >>> round(amplified_pair(Pair.of(LaplaceLoss(1.0)), 0.5).delta(0.0), 4)
    0.1967
    """
    leaves = [(_mixed(at, rate), rate * base.remove.delta(at)) for at in _grid(base.remove)]
    enters = [
        (-_mixed(-at, rate, up=False), rate / (rate + (1 - rate) * math.exp(at)) * base.add.delta(at))
        for at in _grid(base.add)
    ]
    return Pair(remove=_law(leaves), add=_law(enters))


@lru_cache(maxsize=64)
def symmetric_pair(bases: tuple[Pair, ...], rate: float) -> Pair:
    """Sampling under change-one: one law for both directions, from the largest curve at each ε (theory C14b, c).

    Kept for a while: composition reads the same pair several times.
    """

    def largest(at: float) -> float:
        return max(base.delta(at) for base in bases)

    grid = {at for base in bases for _, law in base.directions() for at in _grid(law) if at > 0}
    points = [(_mixed(at, rate), rate * largest(at)) for at in sorted(grid)]
    # Under change-one every pair occurs in both orders, so the curve at -ε follows from the curve at ε.
    mirrored = [(-at, -math.expm1(-at) + math.exp(-at) * delta) for at, delta in reversed(points)]
    return Pair.of(_law([*mirrored, (0.0, rate * largest(0.0)), *points]))


def _grid(law: LossLaw) -> list[float]:
    """Points of a curve, dense where it falls: from one end of its losses to the other, or to where nothing is left."""
    spend_composing(20 * _POINTS)
    high = 1e-3
    while high < _FURTHEST and law.delta(high) > _NEGLIGIBLE:
        high *= 1.25
    low = max(law.minimum, -_FURTHEST, -max(high, 1.0) if math.isinf(law.minimum) else -math.inf)
    high = min(high, law.maximum, _FURTHEST)
    inner = np.linspace(low, high, _POINTS)
    inner[-1] = high
    return sorted({*inner.tolist(), 0.0} if low < 0 < high else set(inner.tolist()))


def _mixed(at: float, rate: float, *, up: bool = True) -> float:
    """log(1 + rate (e^at - 1)), rounded up or down."""
    inner = rate * math.expm1(at)
    value = math.log1p(inner)
    slack = 8 * FUNCTION * (abs(value) + abs(inner) / (1 + inner)) + 8 * FUNCTION * abs(at) * abs(inner) / (1 + inner)
    return value + slack if up else value - slack


def _law(points: list[tuple[float, float]]) -> LossLaw:
    """The law through proven points, rounded up; a δ that rounding made larger than one before it is lowered to it."""
    table: list[tuple[float, float]] = []
    for at, delta in sorted(points):
        raised = min(1.0, delta * (1 + 32 * FUNCTION), table[-1][1] if table else 1.0)
        if table and at <= table[-1][0]:
            table[-1] = (table[-1][0], min(raised, table[-1][1]))
        else:
            table.append((at, raised))
    return tabulated(table)
