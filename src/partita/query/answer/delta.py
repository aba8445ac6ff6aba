"""Error bars of smooth functions of noisy numbers: how far each number's own noise moves the function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.intervals import Interval, Spread
from partita.query.answer.mixed import Mixed

if TYPE_CHECKING:
    from partita.query.answer.estimators import Numbers

Floats = NDArray[np.float64]

# A function is taken as smooth where a deviation up and a deviation down move it alike, up to this part.
_BENT: Final = 0.5
_BIASED: Final = 0.5
# For what is left out: how numbers bend the function together.
_SLACK: Final = 1.03


def smooth(
    evaluated: Callable[[Numbers], Sequence[Any]], numbers: Numbers, confidence: float, entries: int
) -> list[Interval | None]:
    """For each line the interval of a function of its numbers; None where the function is not smooth enough there.

    The function is looked at a deviation of each number up and down. What it moves is a combination of the noises to
    first order (the delta method), whose quantile is known; what it bends adds to its variance and to one side. These
    intervals are approximate, and meet their confidence where noise is small beside the numbers.
    """
    lines, width = numbers.noisy.shape
    if not lines or not width:
        return [None] * lines
    if isinstance(numbers.mixed, Mixed) and not numbers.mixed.plain:
        return [None] * lines
    steps = [_steps(numbers, line, width) for line in range(lines)]
    base = numbers.noisy.astype(np.float64)
    moved = [base]
    for place in range(width):
        step = np.array([one[:, place] for one in steps])
        moved += [base + step, base - step]
    found = [_numbers(evaluated(_at(numbers, each))) for each in moved]
    made: list[Interval | None] = []
    for line in range(lines):
        middle = found[0][line]
        ups = np.array([found[1 + 2 * place][line] for place in range(width)])
        downs = np.array([found[2 + 2 * place][line] for place in range(width)])
        made.append(_interval(middle, ups, downs, _noises(numbers, line, width), confidence, entries))
    return made


def narrower(near: Sequence[Interval | None], certain: Sequence[Interval]) -> list[Interval]:
    """The intervals of a smooth function where there are some, and those that always hold where these are shorter."""
    return [
        box if one is None or one[1] - one[0] > box[1] - box[0] else one for one, box in zip(near, certain, strict=True)
    ]


def _interval(
    middle: float, ups: Floats, downs: Floats, noises: Sequence[Spread], confidence: float, entries: int
) -> Interval | None:
    if not (math.isfinite(middle) and np.isfinite(ups).all() and np.isfinite(downs).all()):
        return None
    first, second = (ups - downs) / 2, ups + downs - 2 * middle
    square = float(first @ first)
    bend = float(second @ second)
    if square <= 0 or bend > _BENT**2 * square or abs(float(second.sum())) / 2 > _BIASED * math.sqrt(square):
        return None
    scales: list[float] = []
    sigma, rounding = 0.0, 0.0
    for move, noise in zip(np.abs(first), noises, strict=True):
        if not noise.variance:
            continue
        factor = float(move) / math.sqrt(noise.variance)
        scales.extend(factor * scale for scale in noise.scales)
        sigma = math.hypot(sigma, factor * noise.sigma)
        rounding += factor * noise.rounding
    half = Spread(tuple(scales), sigma, rounding).half_width(confidence, entries)
    half *= _SLACK * math.sqrt(1 + bend / (2 * square))
    # On average the function is off by half of what it bends in all: to that side the interval is longer.
    bias = float(second.sum()) / 2
    return middle - half - max(0.0, bias), middle + half + max(0.0, -bias)


def _steps(numbers: Numbers, line: int, width: int) -> Floats:
    """The moves that are tried on a line, one a column: a deviation of each number, or of each direction of noise."""
    if isinstance(numbers.mixed, Mixed):
        weights = numbers.mixed.weights[line]
        variances = np.array([one.variance + one.rounding**2 / 3 for one in numbers.mixed.noise])
        values, directions = np.linalg.eigh((weights * variances) @ weights.T)
        found: Floats = directions * np.sqrt(np.maximum(values, 0.0))
        return found
    return np.diag([math.sqrt(noise.variance) for noise in _noises(numbers, line, width)])


def _noises(numbers: Numbers, line: int, width: int) -> list[Spread]:
    """The noise behind each move."""
    if isinstance(numbers.mixed, Mixed):
        return [Spread(sigma=1.0)] * width
    if numbers.mixed is not None:
        return list(numbers.mixed.levels[numbers.mixed.of[line]])
    return [spread.times(numbers.kind(line)) for spread in numbers.spreads]


def _at(numbers: Numbers, noisy: Floats) -> Numbers:
    return replace(numbers, noisy=noisy.astype(object))


def _numbers(values: Sequence[Any]) -> Floats:
    return np.array([math.nan if value is None else float(value) for value in values])
