"""Foresight: how long the error bar of a formula can be for groups of at least some size, whatever they hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Final

from partita.query.answer.estimators import Comovement, Dispersion, Estimator, Linear, Mean, Numbers, expected
from partita.query.answer.intervals import Interval
from partita.query.language.aggregates import Aggregate, Average, Count, CountRows, Covariance, Sum, Variance
from partita.query.language.expressions import bounds
from partita.query.language.formulas import Formula, aggregates_of, enclosure, evaluate
from partita.region.domain import Domain

# How many values are looked at where one aggregate may have any in its range, and where two may.
_STEPS: Final = {0: 1, 1: 8, 2: 2}
# Larger groups must not have longer bars.
_LARGER: Final = 4


def foreseen(
    formula: Formula,
    estimators: Mapping[Aggregate, Estimator],
    numbers: Numbers,
    domain: Domain,
    *,
    confidence: float,
    entries: int,
    rows: int,
    least: float = 0.0,
) -> float | None:
    """The half-width of a formula's bar, at most, for groups of so many rows or more; None if there is no such bound.

    The bars of all aggregates in it hold together, and each value may be anywhere in its public range, as long as the
    formula is at least ``least`` in size. Where a divisor may come near zero the bar may be infinite.
    """
    leaves = list(dict.fromkeys(aggregates_of(formula)))
    sure = 1 - (1 - confidence) / max(1, len(leaves))
    found: list[float] = []
    for size in (rows, _LARGER * rows):
        reaches = [_reach(leaf, estimators[leaf], domain, size) for leaf in leaves]
        foreseeable = [expected(estimators[leaf], numbers, sure, entries, size) for leaf in leaves]
        known = [reach for reach in reaches if reach is not None]
        halves = [half for half in foreseeable if half is not None]
        steps = _STEPS.get(sum(low < high for low, high in known))
        if len(known) < len(leaves) or len(halves) < len(leaves) or steps is None:
            return None
        values = [_spread(reach, half, steps) for reach, half in zip(known, halves, strict=True)]
        bars = [
            _longest(formula, dict(zip(leaves, chosen, strict=True)), dict(zip(leaves, halves, strict=True)))
            for chosen in _enough(formula, leaves, values, least)
        ]
        found.append(max(bars, default=0.0))
    return found[0] if found[1] <= found[0] * 1.001 else None


def _reach(leaf: Aggregate, estimator: Estimator, domain: Domain, size: int) -> Interval | None:
    """Where the exact value of an aggregate may lie in a group of some size."""
    match leaf, estimator:
        case ((CountRows() | Count()), Linear()):
            return float(size), float(size)
        case Sum(of), Linear():
            within = bounds(of, domain)
            return size * float(within.lowest), size * float(within.highest)
        case Average(), Mean(_, _, centre, reach):
            return float(centre - reach), float(centre + reach)
        case Variance(), Dispersion(_, _, _, scale):
            return 0.0, float(scale)
        case Covariance(), Comovement(_, _, _, _, scale):
            return -float(scale), float(scale)
        case _:
            return None


def _spread(reach: Interval, half: float, steps: int) -> list[float]:
    """Values over a range: its ends, some steps that are narrow near them, and those a bar away from ends and zero."""
    low, high = reach
    if low == high:
        return [low]
    near = [(high - low) * (step / steps) ** 3 for step in range(steps + 1)]
    found = {low + step for step in near} | {high - step for step in near} | {0.0}
    if steps > 2:
        found.update(middle + times * half for middle in (low, high, 0.0) for times in (-2, -1, 1, 2))
    return sorted(value for value in found if low <= value <= high)


def _enough(
    formula: Formula, leaves: Sequence[Aggregate], values: Sequence[Sequence[float]], least: float
) -> list[tuple[float, ...]]:
    """The combinations of values for which the formula is large enough, with those in which it just becomes so."""

    def size(chosen: Sequence[float]) -> float:
        found = evaluate(formula, dict(zip(leaves, chosen, strict=True)).__getitem__)  # type: ignore[arg-type]
        return math.nan if found is None else abs(float(found))

    every = list(product(*values))
    if not least:
        return every
    found = [chosen for chosen in every if size(chosen) >= least]
    for one, other in pairwise(every):
        inside, outside = (one, other) if size(one) >= least else (other, one)
        if size(inside) >= least > size(outside):
            for _ in range(40):
                middle = tuple((mine + theirs) / 2 for mine, theirs in zip(inside, outside, strict=True))
                inside, outside = (middle, outside) if size(middle) >= least else (inside, middle)
            found.append(inside)
    return found


def _longest(formula: Formula, exact: Mapping[Aggregate, float], halves: Mapping[Aggregate, float]) -> float:
    """The longer half of the bar, where noise moved each value by nothing or by as much as its bar."""
    leaves = list(exact)
    found = 0.0
    for signs in ((0,) * len(leaves), *product((-1, 1), repeat=len(leaves))):
        noisy = {leaf: exact[leaf] + sign * halves[leaf] for leaf, sign in zip(leaves, signs, strict=True)}
        value = evaluate(formula, _cut(noisy).__getitem__)  # type: ignore[arg-type]
        if value is None:
            return math.inf
        ends = {leaf: _bar(leaf, noisy[leaf], halves[leaf]) for leaf in leaves}
        low, high = enclosure(formula, ends.get)  # type: ignore[arg-type]
        found = max(found, float(value) - low, high - float(value))
    return found


def _cut(noisy: Mapping[Aggregate, float]) -> dict[Aggregate, float]:
    return {leaf: max(0.0, value) if isinstance(leaf, Variance) else value for leaf, value in noisy.items()}


def _bar(leaf: Aggregate, value: float, half: float) -> Interval:
    low, high = value - half, value + half
    return (max(0.0, low), max(0.0, high)) if isinstance(leaf, Variance) else (low, high)
