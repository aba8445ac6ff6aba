"""The trapezoidal rule for the transform of a subsampled Gaussian, with its error, and a bound on its decay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from partita.effort import spend_composing
from partita.errors import theory as refuse
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, floats

# The rule's own error is kept below e^-_DIGITS, far under the rounding of doubles.
_DIGITS = 42.0
# Cells of the bound on the decay, and the turns of the line of integration that are tried.
_CELLS = 256
# Places of one rule: rates and noises that people use take some thousands.
MOST_PLACES = 1 << 21
_ANGLES = tuple(np.geomspace(1e-3, 3.0, 16).tolist())


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Weights (of sum one) and losses such that M(c + it) / M(c) is about the sum of weight e^(it loss).

    ``relative`` bounds the error of the total and of each sum relative to it; ``blur`` is added for each unit of t.
    """

    weight: Floats
    loss: Floats
    log_total: float
    relative: float
    blur: float


def rule(rate: float, sigma: float, c: float, furthest: float, *, removes: bool) -> Rule:
    """The rule for all |t| up to the furthest (subsampled_gaussian.proof.md), where it has not too many places.

    They are counted before they are listed, whether the rule was kept or not: what others asked before must not matter.
    """
    step, first, last = _places(rate, sigma, c, furthest, removes=removes)
    if not last - first <= MOST_PLACES:
        raise refuse.too_many_places(MOST_PLACES)
    spend_composing(3 * int(last - first) >> 4)
    return _rule(rate, sigma, c, furthest, step, int(first), int(last), removes=removes)


def _places(rate: float, sigma: float, c: float, furthest: float, *, removes: bool) -> tuple[float, float, float]:
    """The step of the rule, and its first and last place in steps."""
    # w has its zeros at |Im x| = πσ. On the line Im x = d the integrand grows by at most e^(d²/2 + td/σ), and for the
    # negative power by cos(d/2σ)^(-c) more.
    strip = min(0.95 * math.pi * sigma, math.sqrt(2 * _DIGITS))
    if not removes:
        strip = min(strip, 2 * sigma * math.acos(math.exp(-min(2.0 / max(c, 1e-9), 50.0))))
        strip = max(strip, 1e-3 * sigma)
    growth = 0.0 if removes else -c * math.log(math.cos(strip / (2 * sigma)))
    frequency = furthest / sigma + strip / 2 + (_DIGITS + growth + 2) / strip
    step = 2 * math.pi / frequency
    if step == 0.0:
        return step, -math.inf, math.inf
    left, right = _reach(rate, sigma, c, removes=removes)
    return step, float(np.floor(-left / step)) - 1, float(np.ceil(right / step)) + 1


@lru_cache(maxsize=512)
def _rule(
    rate: float, sigma: float, c: float, furthest: float, step: float, first: int, last: int, *, removes: bool
) -> Rule:
    power = c + 1 if removes else -c
    x = floats(np.arange(first, last + 1) * step)
    v = x / sigma - 0.5 / sigma**2
    loss = _log_mixture(rate, v)
    exponent = -0.5 * x * x + power * loss
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    weight /= total
    log_total = math.log(total * step / math.sqrt(2 * math.pi)) + top
    # Rounding of each term: its exponent, and log w, whose argument moves it by the share of the moved part.
    share = np.exp(np.minimum(math.log(rate) + v - loss, 0.0))
    inner = 4 * FUNCTION * np.abs(loss) + 4 * UNIT * (np.abs(v) + 1 + 1 / sigma**2) * share
    slack = 4 * UNIT * (x * x + np.abs(power * loss) + abs(top)) + abs(power) * inner + 4 * FUNCTION
    relative = float(weight @ slack) * 1.01 + (len(x) + 16) * UNIT + 4 * UNIT * abs(log_total)
    relative += 8 * math.exp(-_DIGITS)
    blur = float(weight @ inner) * 1.01 + 4 * UNIT * float(weight @ np.abs(loss))
    return Rule(weight, loss if removes else -loss, log_total, relative, blur)


def _log_mixture(rate: float, v: Floats) -> Floats:
    """log(1 - q + q e^v) without loss of digits on either side."""
    if rate == 1.0:
        return v
    drop = rate * np.expm1(np.minimum(v, 700.0))
    # Below one half digits would cancel in 1 + drop. There the rate is above one half, so 1 - q is exact.
    direct = np.log((1 - rate) + rate * np.exp(np.minimum(v, 0.0)))
    small = np.where(drop < -0.5, direct, np.log1p(np.maximum(drop, -0.5)))
    return np.where(v > 30.0, v + math.log(rate) + np.log1p(np.exp(-np.maximum(v, 30.0)) * ((1 - rate) / rate)), small)


def _reach(rate: float, sigma: float, c: float, *, removes: bool) -> tuple[float, float]:
    """How far left and right the integrand matters: beyond, its mass is below e^-_DIGITS of the whole."""
    least = math.sqrt(2 * (_DIGITS + 1))
    if not removes:
        return math.sqrt(2 * (_DIGITS + 1 - c * math.log1p(-rate))) + 0.5, least + 0.5 + 0.5 / sigma
    # Beyond the mean of the tilted part: q e^(c(c+1)/2σ²) against a whole of at least one and its own height.
    height = c * (c + 1) / (2 * sigma**2)
    whole = max(0.0, (c + 1) * math.log(rate) + height)
    excess = _DIGITS + 1 + math.log(rate) + height - whole
    right = least if excess <= 0 else max(least, (c + 1) / sigma + math.sqrt(2 * excess))
    return least + 0.5 + 0.5 / sigma, right + 0.5


def envelope(rate: float, sigma: float, c: float, t: Floats, *, removes: bool) -> Floats:
    """A bound, falling in t, on log |M(c + it)| - log M(c): the line of integration is moved off the real axis.

    At height d the factor w^(it) shrinks to e^(-t arg w), and arg w grows with x. Cells of x give an upper bound: the
    mass of a cell counts with its largest factor (subsampled_gaussian.proof.md).
    """
    power = c + 1 if removes else -c
    left, right = _reach(rate, sigma, c, removes=removes)
    edges = np.linspace(-left, right, _CELLS + 1)
    width = float(edges[1] - edges[0])
    middle = (edges[:-1] + edges[1:]) / 2
    exponent = -0.5 * middle * middle + power * _log_mixture(rate, middle / sigma - 0.5 / sigma**2)
    whole = rule(rate, sigma, c, 0.0, removes=removes)
    mass = np.exp(exponent - whole.log_total) * (width / math.sqrt(2 * math.pi))
    v = edges / sigma - 0.5 / sigma**2
    share = np.exp(np.minimum(math.log(rate) + v - _log_mixture(rate, v), 0.0))
    # The slope of the log of the integrand, -x + power share / σ, is between these; so much can it move in a cell.
    pull = np.sort(np.stack([share[:-1], share[1:]]) * (power / sigma), axis=0)
    drift = np.maximum(np.abs(pull[0] - edges[1:]), np.abs(pull[1] - edges[:-1])) * (width / 2 * (1 + 1e-9)) + 1e-12
    # No cell holds more than the whole.
    highest = np.where(drift < 600.0, np.minimum(mass * np.exp(np.minimum(drift, 600.0)) * (1 + 1e-9), 1.0), 1.0)
    matters = highest > 1e-18
    keep = slice(int(matters.argmax()), _CELLS - int(matters[::-1].argmax()))
    least, most = (mass * np.exp(-drift) * (1 - 1e-9))[keep], highest[keep]
    low, high = share[:-1][keep], share[1:][keep]
    best = np.zeros(len(t))
    for theta in _ANGLES:
        chord = 1 - math.cos(theta)
        turn = np.arctan2(low * math.sin(theta), 1 - low * chord) * (1 - 1e-9)
        swell = np.zeros(len(low))
        if not removes:
            bulge = np.maximum(low * (1 - low), high * (1 - high))
            bulge[(low <= 0.5) & (high >= 0.5)] = 0.25
            swell = -0.5 * c * np.log1p(-2 * bulge * chord) * (1 + 1e-9) + 1e-15 * c
        factor = np.exp(np.minimum(swell - np.multiply.outer(t, turn), 700.0))
        saved = np.maximum(1 - factor, 0.0) @ least - np.maximum(factor - 1, 0.0) @ most
        # What lies outside the cells kept is counted whole, with the largest swelling there could be.
        outside = (math.exp(-_DIGITS) + _CELLS * 1e-18) * (
            1 if removes else math.exp(min(-c * math.log(math.cos(theta / 2)), 700.0))
        )
        inner = np.maximum(outside + 1e-12 * np.abs(saved) - saved, -1 + 1e-15)
        best = np.minimum(best, (sigma * theta) ** 2 / 2 * (1 + 1e-12) + np.log1p(inner) * (1 - 1e-12))
    return np.minimum.accumulate(best)
