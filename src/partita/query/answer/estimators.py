"""Estimators: how an aggregate follows from released numbers, and the error bar that it then has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm, sqrt
from typing import Any, assert_never, final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.delta import narrower, smooth
from partita.query.answer.intervals import Interval, Pair, Spread, comovement, dispersion, missed, quotient, within
from partita.query.answer.mixed import Mixed, Stacked
from partita.query.quantiles.quantiles import Chosen


@final
@dataclass(frozen=True, slots=True)
class Linear:
    """A whole combination of the noisy numbers, divided by a whole number, and a constant."""

    weights: tuple[int, ...]
    divisor: int
    constant: Fraction = Fraction(0)

    @classmethod
    def over(cls, divisor: int, weights: Sequence[int], constant: Fraction = Fraction(0)) -> Linear:
        """The combination with these whole weights divided by a positive number, in lowest terms.

        >>> Linear.over(12, [6, 4])
        Linear(weights=(3, 2), divisor=6, constant=Fraction(0, 1))
        """
        common = gcd(divisor, *weights)
        return cls(tuple(weight // common for weight in weights), divisor // common, constant)

    @property
    def exactly(self) -> tuple[Fraction, ...]:
        """The weights as fractions."""
        return tuple(Fraction(weight, self.divisor) for weight in self.weights)

    def plus(self, other: Linear, times: Fraction = Fraction(1)) -> Linear:
        """The sum of this and so many times the other."""
        below = other.divisor * times.denominator
        divisor = lcm(self.divisor, below)
        one, two = divisor // self.divisor, divisor // below * times.numerator
        pairs = zip(self.weights, other.weights, strict=True)
        constant = self.constant + times * other.constant
        return Linear.over(divisor, [mine * one + theirs * two for mine, theirs in pairs], constant)

    def times(self, factor: Fraction) -> Linear:
        """So many times this."""
        weights = [factor.numerator * weight for weight in self.weights]
        return Linear.over(self.divisor * factor.denominator, weights, factor * self.constant)


@final
@dataclass(frozen=True, slots=True)
class Mean:
    """A centre plus a quotient of two combinations, kept within the range of the column."""

    top: Linear
    bottom: Linear
    centre: Fraction
    reach: Fraction


@final
@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that no row can change."""

    value: Fraction


@final
@dataclass(frozen=True, slots=True)
class Dispersion:
    """A variance, from the count and the sums of distances from the middle and of their squares.

    Distances count in halves of the range, so the variance in that unit is from 0 to 1; ``scale`` is the unit squared.
    """

    count: Linear
    first: Linear
    squares: Linear
    scale: Fraction


@final
@dataclass(frozen=True, slots=True)
class Comovement:
    """A covariance, from the count, two sums of distances from the middle and the sum of their products."""

    count: Linear
    first: Linear
    other: Linear
    product: Linear
    scale: Fraction


@final
@dataclass(frozen=True, slots=True)
class Likeness:
    """A correlation, from the count, two sums, two sums of squares and the sum of products."""

    count: Linear
    first: Linear
    other: Linear
    squares: Linear
    others: Linear
    product: Linear


Estimator = Linear | Mean | Fixed | Chosen | Dispersion | Comovement | Likeness


@final
@dataclass(frozen=True)
class Numbers:
    """The noisy numbers of a release, line by line, and the noise in each of them.

    ``cells`` says of how many groups each line is the sum; one where it is not given. ``chosen`` are the values that
    were chosen rather than given noise. Where lines are combinations of other noisy numbers, ``mixed`` knows their
    noise, and ``spreads`` is that of the line with the most.
    """

    noisy: NDArray[np.object_]
    spreads: tuple[Spread, ...]
    cells: tuple[int, ...] | None = field(default=None)
    chosen: NDArray[np.object_] | None = field(default=None)
    mixed: Mixed | Stacked | None = field(default=None)

    def __len__(self) -> int:
        return len(self.noisy)

    @property
    def gaussian(self) -> bool:
        """Whether all noise is Gaussian, so that quotients have intervals that miss as often as they say."""
        return not any(alone.scales for alone in self.spreads) and (self.mixed is None or self.mixed.plain)

    def kind(self, line: int) -> int:
        """What the noise of a line depends on: of how many groups it is the sum, or else which line it is."""
        if self.mixed is not None:
            return line
        return 1 if self.cells is None else self.cells[line]

    def whole(self, estimator: Linear) -> list[int]:
        """The whole combinations, before they are divided."""
        found: list[int] = self.noisy.dot(np.array(estimator.weights, dtype=object)).tolist()
        return found or []

    def combined(self, estimator: Linear) -> list[float]:
        """The combination in each line."""
        constant = float(estimator.constant)
        return [top / estimator.divisor + constant for top in self.whole(estimator)]

    def spread(self, estimator: Linear, kind: int | None = None) -> Spread:
        """The noise of a combination in lines of a kind; where none is given, of one group, or of the noisiest line."""
        if self.mixed is not None:
            parts = [float(weight) for weight in estimator.exactly]
            return self.mixed.spread(self.mixed.widest(parts) if kind is None else kind, parts)
        groups = 1 if kind is None else kind
        scales: list[float] = []
        square, rounding = 0.0, 0.0
        for weight, alone in zip(estimator.weights, self.spreads, strict=True):
            if weight:
                factor = abs(weight / estimator.divisor)
                scales.extend(factor * scale for scale in alone.scales)
                square += (factor * alone.sigma) ** 2
                rounding += factor * alone.rounding
        return Spread(tuple(scales) * groups, (groups * square) ** 0.5, groups * rounding)

    def pair(self, top: Linear, bottom: Linear, kind: int) -> Pair:
        """The Gaussian noise of two combinations in lines of a kind."""
        alone = [self.spread(estimator, kind) for estimator in (top, bottom)]
        if self.mixed is not None:
            parts = [[float(weight) for weight in estimator.exactly] for estimator in (top, bottom)]
            shared = self.mixed.covariance(kind, *parts)
        else:
            listed = zip(top.weights, bottom.weights, self.spreads, strict=True)
            whole = sum(mine * theirs * each.sigma**2 for mine, theirs, each in listed)
            shared = kind * whole / (top.divisor * bottom.divisor)
        return Pair(alone[0].sigma ** 2, alone[1].sigma ** 2, shared, (alone[0].rounding, alone[1].rounding))

    def halves(self, estimator: Linear, confidence: float, entries: int) -> list[float]:
        """The half-width of the error bar in each line."""
        spreads = {kind: self.spread(estimator, kind) for kind in {self.kind(line) for line in range(len(self))}}
        known = {spread: spread.half_width(confidence, entries) for spread in set(spreads.values())}
        return [known[spreads[self.kind(line)]] for line in range(len(self))]

    def quotients(
        self, top: Linear, bottom: Linear, confidence: float, entries: int, reach: float | None
    ) -> list[Interval]:
        """Where the quotient of two combinations lies, in each line."""
        tops, bottoms = self.combined(top), self.combined(bottom)
        if self.gaussian:
            miss = missed(confidence, entries)
            pairs = {kind: self.pair(top, bottom, kind) for kind in {self.kind(line) for line in range(len(self))}}
            return [
                pairs[self.kind(line)].quotient(over, under, miss, reach)
                for line, (over, under) in enumerate(zip(tops, bottoms, strict=True))
            ]
        # Two bars of Laplace noise that hold together.
        sure = 1 - (1 - confidence) / 2
        errors = zip(self.halves(top, sure, entries), self.halves(bottom, sure, entries), strict=True)
        return [
            quotient(over, under, wide, deep, reach)
            for over, under, (wide, deep) in zip(tops, bottoms, errors, strict=True)
        ]


def values(estimator: Estimator, numbers: Numbers, *, counts: bool = False) -> list[Any]:
    """The value in each line; whole numbers where they are whole, or where the estimator counts something."""
    match estimator:
        case Fixed(value):
            return [float(value)] * len(numbers)
        case Linear(_, 1, constant) if not constant:
            return numbers.whole(estimator)
        case Linear(_, divisor) if counts:
            return [(2 * top + divisor) // (2 * divisor) for top in numbers.whole(estimator)]
        case Linear():
            return numbers.combined(estimator)
        case Mean(top, bottom, centre, reach):
            middle, most = float(centre), float(reach)
            pairs = zip(numbers.combined(top), numbers.combined(bottom), strict=True)
            return [middle + max(-most, min(most, off / max(1.0, count))) for off, count in pairs]
        case Chosen(place):
            assert numbers.chosen is not None
            return [estimator.shown(int(value)) for value in numbers.chosen[:, place]]
        case Dispersion(count, first, squares, scale):
            parts = zip(*(numbers.combined(part) for part in (count, first, squares)), strict=True)
            return [float(scale) * max(0.0, min(1.0, _moved_together(n, x, x, xx))) for n, x, xx in parts]
        case Comovement(count, first, other, product, scale):
            both = zip(*(numbers.combined(part) for part in (count, first, other, product)), strict=True)
            return [float(scale) * max(-1.0, min(1.0, _moved_together(*line))) for line in both]
        case Likeness(count, first, other, squares, others, product):
            every = (count, first, other, squares, others, product)
            return [_alike(*line) for line in zip(*(numbers.combined(part) for part in every), strict=True)]
        case _:
            assert_never(estimator)


def intervals(estimator: Estimator, numbers: Numbers, confidence: float, entries: int) -> list[Interval]:
    """For each line the interval that holds the exact value with this confidence, for all entries at once."""
    match estimator:
        case Fixed(value):
            return [(float(value), float(value))] * len(numbers)
        case Linear():
            halves = numbers.halves(estimator, confidence, entries)
            return [
                (value - half, value + half) for value, half in zip(numbers.combined(estimator), halves, strict=True)
            ]
        case Mean(top, bottom, centre, reach):
            ends = numbers.quotients(top, bottom, confidence, entries, float(reach))
            found = [(float(centre) + low, float(centre) + high) for low, high in ends]
            if numbers.gaussian:
                return found
            ends_of_column = float(centre - reach), float(centre + reach)
            return _smoother(estimator, found, ends_of_column, numbers, confidence, entries)
        case Chosen():
            # What is known of a choice is its rank; of its value only what the column allows.
            return [estimator.reach] * len(numbers)
        case Dispersion(count, first, squares, scale):
            boxes = _boxes((count, first, squares), numbers, confidence, entries)
            found = [_times(dispersion(*box), float(scale)) for box in boxes]
            return _smoother(estimator, found, (0.0, float(scale)), numbers, confidence, entries)
        case Comovement(count, first, other, product, scale):
            boxes = _boxes((count, first, other, product), numbers, confidence, entries)
            found = [_times(comovement(*box), float(scale)) for box in boxes]
            return _smoother(estimator, found, (-float(scale), float(scale)), numbers, confidence, entries)
        case Likeness(count, first, other, squares, others, product):
            every = (count, first, other, squares, others, product)
            found = [_likeness(*box) for box in _boxes(every, numbers, confidence, entries)]
            return _smoother(estimator, found, (-1.0, 1.0), numbers, confidence, entries)
        case _:
            assert_never(estimator)


def expected(estimator: Estimator, numbers: Numbers, confidence: float, entries: int, rows: int | None) -> float | None:
    """The half-width of the error bar before anything is released; None if it depends on the size of the group."""
    match estimator:
        case Fixed():
            return 0.0
        case Linear():
            return numbers.spread(estimator).half_width(confidence, entries)
        case Mean(top, bottom, _, reach):
            if rows is None:
                return None
            sure = 1 - (1 - confidence) / 2
            off = numbers.spread(top).half_width(sure, entries)
            count = numbers.spread(bottom).half_width(sure, entries)
            # The noisy count may be short by its error, and its bar allows for as much again.
            fewest = rows - 2 * count
            return min(float(reach), (off + float(reach) * count) / fewest) if fewest > 0 else float(reach)
        case Dispersion(number, first, squares, scale):
            return _foreseen(((number, 1), (first, 2), (squares, 1)), scale, numbers, confidence, entries, rows)
        case Comovement(number, first, other, product, scale):
            parts = ((number, 1), (first, 1), (other, 1), (product, 1))
            return _foreseen(parts, scale, numbers, confidence, entries, rows)
        case Likeness() | Chosen():
            return None
        case _:
            assert_never(estimator)


def _foreseen(
    parts: Sequence[tuple[Linear, int]],
    scale: Fraction,
    numbers: Numbers,
    confidence: float,
    entries: int,
    rows: int | None,
) -> float | None:
    """The error of a group of so many rows, to first order: each part moves it by so many times its own error."""
    if rows is None:
        return None
    sure = 1 - (1 - confidence) / len(parts)
    halves = [numbers.spread(part).half_width(sure, entries) for part, _ in parts]
    # The first part is the count: it may be short by its error, and its bar allows for as much again.
    fewest = rows - 2 * halves[0]
    total = sum(times * half for half, (_, times) in zip(halves, parts, strict=True))
    return float(scale) * (min(1.0, total / fewest) if fewest > 0 else 1.0)


def _moved_together(count: float, first: float, other: float, product: float) -> float:
    rows = max(1.0, count)
    return product / rows - (first / rows) * (other / rows)


def _alike(count: float, first: float, other: float, squares: float, others: float, product: float) -> float:
    spreads = (_moved_together(count, first, first, squares), _moved_together(count, other, other, others))
    if min(spreads) <= 0:
        return 0.0
    return max(-1.0, min(1.0, _moved_together(count, first, other, product) / sqrt(spreads[0] * spreads[1])))


def _likeness(
    count: Interval, first: Interval, other: Interval, squares: Interval, others: Interval, product: Interval
) -> Interval:
    """A covariance over the root of two variances, each somewhere in its interval."""
    low, high = comovement(count, first, other, product)
    one, two = dispersion(count, first, squares), dispersion(count, other, others)
    if one[0] <= 0 or two[0] <= 0:
        return -1.0, 1.0
    roots = [(end * beside) ** 0.5 for end, beside in zip(one, two, strict=True)]
    corners = [end / root for end in (low, high) for root in roots]
    return within(min(corners), max(corners), -1.0, 1.0)


def _smoother(
    estimator: Estimator,
    certain: Sequence[Interval],
    reach: Interval,
    numbers: Numbers,
    confidence: float,
    entries: int,
) -> list[Interval]:
    """By the delta method where the estimator is smooth beside its noise; elsewhere by boxes, which always hold."""
    found = smooth(lambda moved: values(estimator, moved), numbers, confidence, entries)
    return narrower([None if near is None else within(*near, *reach) for near in found], certain)


def _boxes(
    parts: Sequence[Linear], numbers: Numbers, confidence: float, entries: int
) -> Iterator[tuple[Interval, ...]]:
    """For each line an interval for each part; they hold together with this confidence."""
    sure = 1 - (1 - confidence) / len(parts)
    return zip(*(intervals(part, numbers, sure, entries) for part in parts), strict=True)


def _times(interval: Interval, factor: float) -> Interval:
    return interval[0] * factor, interval[1] * factor
