"""Exact composition by fast Fourier transforms on a tilted lattice of losses (theory D14, D16)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from partita.composition.numerics import saddle as saddles
from partita.composition.numerics.contour import alias_period, log_kappa
from partita.composition.numerics.saddle import Saddle
from partita.composition.numerics.total import Total
from partita.limits import current
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.base import Lattice, LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Complexes, Floats, floats, up
from partita.theory.losses.pooled import powers
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss

NODES = 1 << 10
# The fewest that are worth a transform.
_LEAST = 8
_FINEST = 1 << 15
# The share of ε that splitting may add.
_BLUR = 2e-5
_GUIDE = 1 << 9
# The most points of one law, and of one that is only a guide.
_POINTS = 1 << 18
_GUIDE_POINTS = 1 << 16
_FEW = 12
_TINY = 1e-300


@final
@dataclass(frozen=True, slots=True, eq=False)
class TiltedLattice:
    """Bounds on δ at a window of multiples of a span, from one inverse transform (convolution.proof.md).

    Every law is first put on the lattice by a measure that dominates it (or is dominated by it), so that its transform
    is periodic and the sum over nodes is finite: nothing is cut off.
    """

    span: float
    start: int
    deltas: Floats
    infinity: float
    upward: bool

    def upper(self, epsilon: float) -> float:
        """A bound on δ(ε), never below it: a line in e^ε between two multiples."""
        return min(1.0, up(self.finite(epsilon) + self.infinity, 8 * UNIT))

    def finite(self, epsilon: float) -> float:
        """The bound without the mass at infinity."""
        place = math.floor(epsilon / self.span) - self.start
        if place < 0:
            return 1.0
        if place + 1 >= len(self.deltas):
            return float(self.deltas[-1])
        left = (self.start + place) * self.span
        share = math.expm1(min(max(epsilon - left, 0.0), self.span)) / math.expm1(self.span)
        share = max(0.0, share - 8 * UNIT * (1 + abs(epsilon) / self.span))
        high, low = float(self.deltas[place]), float(self.deltas[place + 1])
        return up(min(high, high + (low - high) * share), 8 * UNIT)

    def lower(self, epsilon: float) -> float:
        """A bound on δ(ε), never above it: that of the next multiple."""
        place = math.ceil(epsilon / self.span * (1 + 4 * UNIT)) - self.start
        if place < 0 or place >= len(self.deltas):
            return self.infinity
        return max(0.0, float(self.deltas[place]) + self.infinity * (1 - 4 * UNIT))

    def least(self, delta: float) -> float:
        """The least ε in the window with a bound of δ, rounded up; infinite if there is none."""
        spare = delta - self.infinity
        fits = np.flatnonzero(self.deltas <= spare * (1 - 8 * UNIT)) if spare > 0 else np.zeros(0, dtype=np.int64)
        if not len(fits):
            return math.inf
        place = int(fits[0])
        x = (self.start + place) * self.span
        if place > 0:
            high, low = float(self.deltas[place - 1]), float(self.deltas[place])
            share = (high - spare * (1 - 8 * UNIT)) / (high - low) if high > low else 1.0
            inside = x - self.span + math.log1p(math.expm1(self.span) * min(max(share, 0.0), 1.0))
            x = min(x, up(inside, 8 * UNIT) + 8 * UNIT * abs(x))
        while self.upper(x) > delta:
            x = up(x, 64 * UNIT)
        return max(0.0, x)

    def around(self, delta: float) -> tuple[float, float]:
        """About the ε at δ, and minus the slope of log δ there; only used to judge the span."""
        fits = np.flatnonzero(self.deltas <= delta)
        place = min(max(int(fits[0]) if len(fits) else 0, 1), len(self.deltas) - 2)
        high, low = float(self.deltas[place - 1]), max(float(self.deltas[place + 1]), _TINY)
        slope = math.log(high / low) / (2 * self.span) if high > low else 0.0
        return max((self.start + place) * self.span, self.span), min(slope, 1 / self.span)

    def most(self, delta: float) -> float:
        """An ε at which δ(ε) is still more than asked: a lower bound on the least ε."""
        over = np.flatnonzero(self.deltas + self.infinity * (1 - 4 * UNIT) > delta)
        return max(0.0, (self.start + int(over[-1])) * self.span * (1 - 4 * UNIT)) if len(over) else 0.0


def for_delta(
    total: Total, delta: float, *, upward: bool, nodes: int = NODES, near: Saddle | None = None
) -> TiltedLattice:
    """The lattice for a question about the least ε at δ; ``near`` is a place found already."""
    bounded = _bounded(total, delta)
    place = near if near is not None and bounded is total else saddles.for_delta(bounded, delta)
    period = alias_period(bounded, place, delta)
    found = compose(total, place, period, delta, upward=upward, nodes=nodes)
    # Where the guide was far off, what was found says how long a period and how many nodes it takes.
    at, slope = found.around(delta)
    moved = replace(place, epsilon=at)
    longer = alias_period(bounded, moved, delta)
    better = _enough(total, slope, at, longer, nodes)
    # The estimate of the blur is generous: a factor of two in nodes is not worth a second time.
    if longer <= 1.01 * period and better <= 2 * _enough(total, place.c, place.epsilon, period, nodes):
        return found
    return compose(total, moved, longer, delta, upward=upward, nodes=better)


def for_epsilon(total: Total, epsilon: float, delta: float, *, upward: bool, nodes: int = NODES) -> TiltedLattice:
    """The lattice for a question about δ at ε, where δ is about as given."""
    bounded = _bounded(total, delta)
    place = saddles.for_epsilon(bounded, epsilon)
    return compose(total, place, alias_period(bounded, place, delta), delta, upward=upward, nodes=nodes)


def _bounded(total: Total, delta: float) -> Total:
    """The total with tails that do not matter at δ cut off: only a guide to where to look.

    The far tail of an unbounded loss may rule its transform long before it rules its profile.
    """
    if math.isfinite(total.maximum - total.minimum):
        return total
    parts: list[tuple[LossLaw, int]] = []
    for law, count in total.pooled.items():
        if math.isinf(law.maximum - law.minimum):
            span = max(_width(law) / _GUIDE, _reach(law, _floor(total, delta)) / _GUIDE_POINTS)
            guide = law.lattice(span, upward=True, floor=_floor(total, delta))
            losses = (guide.start + np.arange(len(guide.masses))) * span
            parts.append((AtomicLoss(tuple(losses.tolist()), tuple(guide.masses.tolist())), count))
        else:
            parts.append((law, count))
    return Total.of(parts)


def _floor(total: Total, delta: float) -> float:
    """An amount of mass that may be moved to infinity without being seen at δ."""
    return delta * 1e-9 / max(total.size, 1)


def compose(
    total: Total, saddle: Saddle, period: float, delta: float, *, upward: bool, nodes: int = NODES
) -> TiltedLattice:
    """The lattice for a total loss around the saddle, with about so many nodes or more."""
    nodes = _enough(total, saddle.c, saddle.epsilon, period, nodes)
    floor = _floor(total, delta)
    span = _span(total, period, nodes, floor, upward=upward)
    size = _fast(math.ceil(period / span) + 4)
    c = min(saddle.c, 300.0 / span)
    # One lattice for each distinct law; each is tilted by e^(c loss), transformed, and raised to its count.
    parts = [(law.lattice(span, upward=upward, floor=floor), count) for law, count in total.pooled.items()]
    ratio, error, cumulant, slack, lost = _transform(parts, c, span, size)
    product = ratio * (weight := _weights(c, span, size))
    scaled = np.fft.irfft(product, size) / span
    modulus = np.abs(weight)
    once = np.full(len(modulus), 2.0)
    once[0] = 1.0
    bend = FUNCTION * 8 + 8 * UNIT * (1 + math.log2(size))
    blur = float((once * modulus).sum()) * (error + bend) / (span * size) * (1 + 1e-9)
    blur += 8 * UNIT * math.log2(size) * float(np.sqrt(np.sum(once * np.abs(product) ** 2) / size)) / span
    middle = round(saddle.epsilon / span)
    start = max(middle - size // 2, math.floor(-8.0 / span)) if middle > size // 2 else min(0, middle)
    index = np.arange(start, start + size)
    values = scaled[index % size]
    exponent = cumulant - c * span * index
    wobble = slack + 8 * UNIT * (abs(cumulant) + c * span * np.abs(index) + 1) + 4 * FUNCTION
    with np.errstate(over="ignore"):
        if upward:
            deltas = np.minimum((np.maximum(values, 0.0) + blur) * np.exp(exponent + wobble), 1.0) + _TINY
        else:
            aliases = _aliases(parts, c, span * size, floats(span * index))
            deltas = np.maximum((values - blur) * np.exp(np.minimum(exponent, 700.0) - wobble) - aliases, 0.0)
    return TiltedLattice(span, start, deltas, lost, upward)


def _weights(c: float, span: float, size: int) -> Complexes:
    """(g/2) (coth(gs/2) - coth(g(s+1)/2)) at s = c - it: what 1/(s(s+1)) becomes, summed over all periods."""
    turn = np.arange(size // 2 + 1) * (math.pi / size)
    cos, sin = np.cos(turn), 1j * np.sin(turn)
    first = math.sinh(span * c / 2) * cos - math.cosh(span * c / 2) * sin
    second = math.sinh(span * (c + 1) / 2) * cos - math.cosh(span * (c + 1) / 2) * sin
    weights: Complexes = span / 2 * math.sinh(span / 2) / (first * second)
    return weights


def _transform(
    parts: list[tuple[Lattice, int]], c: float, span: float, size: int
) -> tuple[Complexes, float, float, float, float]:
    """The product of all tilted transforms, its error, log M(c), the error of that, and the mass at infinity."""
    ratio = np.ones(size // 2 + 1, dtype=np.complex128)
    alive = np.arange(size // 2 + 1)
    few = any(len(lattice.masses) <= _FEW for lattice, _ in parts)
    roots = np.exp(-2j * math.pi / size * np.arange(size)) if few else np.zeros(0, dtype=np.complex128)
    error = cumulant = slack = log_kept = 0.0
    # Many-valued laws first: after them few nodes are alive.
    for lattice, count in sorted(parts, key=lambda part: -len(part[0].masses)):
        index = lattice.start + np.arange(len(lattice.masses))
        losses = index * span
        top = float(losses[np.flatnonzero(lattice.masses)[-1]]) if lattice.masses.any() else 0.0
        tilted = lattice.masses * np.exp(c * (losses - top))
        whole = float(tilted.sum())
        if whole <= 0.0:
            return ratio * 0.0, 0.0, -math.inf, 0.0, 1.0
        tilted /= whole
        reach = float((tilted * np.abs(losses - top)).sum()) + abs(top)
        # numpy adds in blocks of 128 and then pairwise.
        rounding = 4 * UNIT * (2 + c * reach) + 4 * FUNCTION + (160 + math.log2(size)) * UNIT
        if len(tilted) <= _FEW:
            factor = np.zeros(len(alive), dtype=np.complex128)
            for j, p in zip(index.tolist(), tilted.tolist(), strict=True):
                if p:
                    factor += p * roots[(alive * (j % size)) % size]
            noise = 8 * FUNCTION + rounding
        else:
            wrapped = np.bincount(index % size, weights=tilted, minlength=size)
            factor = np.fft.rfft(wrapped)[alive]
            height = math.sqrt(float((wrapped * wrapped).sum()))
            noise = 8 * UNIT * math.log2(size) * math.sqrt(size) * height + len(tilted) * UNIT + rounding
        if count > 1:
            factor = powers(factor[None, :], np.array([float(count)]))
            noise += 6 * FUNCTION
        ratio[alive] *= factor
        error += count * noise
        cumulant += count * (c * top + math.log(whole))
        slack += count * (rounding + 4 * UNIT * (1 + abs(c * top) + abs(math.log(whole))))
        log_kept += count * math.log1p(-min(lattice.infinity, 1 - UNIT))
        faint = np.abs(ratio[alive]) < 1e-20
        if faint.any() and len(parts) > 4:
            ratio[alive[faint]] = 0.0
            alive = alive[~faint]
            error += 1e-20
    lost = min(1.0, up(-math.expm1(log_kept), 1e-12)) if log_kept else 0.0
    return ratio, math.expm1(min(error * (1 + 1e-6), 700.0)) + _TINY, cumulant, slack * (1 + 1e-9), lost


def _enough(total: Total, slope: float, epsilon: float, period: float, nodes: int) -> int:
    """More nodes where splitting onto the lattice would blur ε by more than it may.

    A split adds a variance of at most g²/4 to each loss that is not on the lattice, and that moves ε by about half the
    slope of log δ times the sum of them.
    """
    aligned, most = max(total.pooled.items(), key=lambda part: part[1])
    off = float(total.size - most)
    match aligned:
        case RandomizedResponseLoss():
            pass
        case LaplaceLoss():
            off += most * -math.expm1(-aligned.epsilon) / 2
        case _:
            off += most
    span = period / nodes
    # Within a span of the largest loss the profile is a line anyway.
    blur = min(slope, 0.5 / span) * off * span * span / 8
    wanted = math.sqrt(blur / (_BLUR * max(epsilon, 1e-9)))
    return min(_most(), nodes if wanted <= 1 else nodes << math.ceil(math.log2(wanted)))


def _most() -> int:
    return max(_LEAST, current().lattice)


def _span(total: Total, period: float, nodes: int, floor: float, *, upward: bool) -> float:
    """About period / nodes, adjusted so that the atoms of the most frequent law fall on multiples."""
    # No law needs more points than this; a coarser span is a longer period, which is as good.
    widest = max((_width(law) for law in total.pooled), default=0.0)
    rough = max(period / nodes, widest / max(2 * nodes, min(_FINEST, _most())))
    # At a tiny δ a loss reaches far beyond that: more points would take minutes, and a coarser span is as sound.
    rough = max(rough, max((_reach(law, floor) for law in total.pooled), default=0.0) / _POINTS)
    law, _ = max(total.pooled.items(), key=lambda part: part[1])
    gap = _gap(law)
    if gap <= rough * nodes / _most():
        return rough
    steps = max(1, math.ceil(gap / rough))
    return math.nextafter(gap / steps, math.inf if upward else 0.0)


def _width(law: LossLaw) -> float:
    """The length of the support, or of the part of it that matters."""
    match law:
        case GaussianLoss():
            return 20 * law.mu
        case SubsampledGaussianLoss():
            return math.log1p(law.rate * math.expm1(min(12 / law.sigma + law.sigma**-2, 700.0))) - math.log1p(-law.rate)
        case _:
            return law.maximum - law.minimum


def _reach(law: LossLaw, floor: float) -> float:
    """About how far the lattice of a law has to reach so that only ``floor`` is beyond, where that may be very far."""
    if not isinstance(law, SubsampledGaussianLoss):
        return 0.0
    furthest = math.sqrt(2 * max(-math.log(max(floor, 1e-300)), 1.0)) + 1
    return math.log1p(law.rate * math.expm1(min(furthest / law.sigma + law.sigma**-2, 700.0))) - math.log1p(-law.rate)


def _gap(law: LossLaw) -> float:
    match law:
        case LaplaceLoss() | RandomizedResponseLoss():
            return law.epsilon
        case AtomicLoss():
            ordered = np.sort(np.asarray(law.losses))
            gaps = np.diff(ordered)
            return float(gaps[gaps > 1e-12].min()) / 2 if (gaps > 1e-12).any() else 0.0
        case _:
            return 0.0


def _fast(size: int) -> int:
    """An even size at least as asked with small prime factors."""
    best = 1 << max(3, (size - 1).bit_length())
    for factor in (3, 5, 9, 15):
        tried = factor << max(1, (math.ceil(size / factor) - 1).bit_length())
        if size <= tried < best:
            best = tried
    return best


def _aliases(parts: list[tuple[Lattice, int]], c: float, period: float, x: Floats) -> Floats:
    """A bound on what the aliases add at each ε: to the left a profile is at most the mass, about one.

    To the right it is nothing beyond the largest loss, and at most κ(c') M(c') e^(-c'x) for any order c' > c; the M are
    those of the measures on the lattice themselves.
    """
    left = math.exp(-c * period) * (1 + 8 * UNIT * (2 + c * period))
    left /= 1 - min(left, 0.5)
    orders = floats(c * np.array([1.2, 1.5, 2.0, 3.0, 6.0]))
    cumulants, top = np.zeros(len(orders)), 0.0
    for lattice, count in parts:
        losses = (lattice.start + np.arange(len(lattice.masses))) * lattice.span
        peak = float(losses[-1])
        inner = np.exp(np.multiply.outer(orders, losses - peak)) @ lattice.masses
        slack = 8 * UNIT * (len(losses) + orders * (abs(peak) + np.abs(losses).max())) + 8 * FUNCTION
        cumulants += count * (orders * peak + np.log(np.maximum(inner, _TINY)) + slack)
        top += count * peak
    gain = (orders - c) * period
    logs = cumulants + log_kappa(orders) - gain - np.log(-np.expm1(-np.maximum(gain, 1e-9)))
    slack = 16 * UNIT * (np.abs(cumulants) + orders * (period + abs(top) + 40) + 4)
    right = np.min((logs + slack)[:, None] - np.multiply.outer(orders, x) * (1 - 16 * UNIT), axis=0)
    beyond = x + period * (1 - 16 * UNIT) > top + 1e-9 * abs(top)
    return floats((left + np.where(beyond, 0.0, np.exp(np.minimum(right, 700.0)))) * (1 + 1e-9))
