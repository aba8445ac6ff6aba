"""Running schemes: what a stream releases at each step, how far a row moves all of it, and how counts follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms import bounds
from partita.algorithms.budget import noise_for
from partita.algorithms.linear.scheme import Floats
from partita.algorithms.streams.factors import Factors
from partita.composition.calibration import pricing
from partita.errors import algorithms as refuse
from partita.exact import Number, whole
from partita.granularity import Granularity, Replace, Rows, Windows
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.base import Measure

# What one step releases: whole numbers, in the order they were measured.
Released = list[int]


@final
@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted sum of released numbers: the sum of the squares of its weights, the largest, and their sum."""

    squares: float
    largest: float
    total: float


class Reader(ABC):
    """What a stream released so far, ready to be asked for counts as often as you like."""

    @abstractmethod
    def add(self, numbers: Released) -> None:
        """What the next step released."""

    @abstractmethod
    def count(self, step: int, window: int | None) -> float:
        """The count up to a step, or of the last so many, from what was released by then."""


class Running(ABC):
    """Noisy whole numbers released step by step, all with the same noise; counts are weighted sums of them."""

    steps: int
    noise: AdditiveNoise

    @abstractmethod
    def losses(self, unit: Granularity) -> list[Event]:
        """The releases of the whole stream, and how far one protected unit moves them."""

    @abstractmethod
    def release(self, counts: NDArray[Any], step: int, *, bits: BitSource | None) -> Released:
        """What is released at one step, from the exact counts of the steps so far."""

    @abstractmethod
    def reader(self) -> Reader:
        """A reader that has nothing yet."""

    @abstractmethod
    def weights(self, step: int, window: int | None) -> Weights:
        """What that count is made of, in short."""

    @abstractmethod
    def parameters(self) -> dict[str, object]:
        """What defines the scheme, as plain data."""

    def deviation(self, step: int, window: int | None = None) -> float:
        """The standard deviation of that count."""
        return float(np.sqrt(self.weights(step, window).squares * bounds.variance(self.noise)))

    def half_width(self, step: int, window: int | None, confidence: Number, entries: int) -> float:
        """What the error of that count stays within, if so many are looked at, with this confidence."""
        laplace = self.noise.norm is Norm.L1
        scale, used = float(getattr(self.noise, "scale" if laplace else "sigma")), self.weights(step, window)
        found = bounds.half_widths(
            np.array([used.squares * scale**2]),
            np.array([used.largest * scale]),
            np.array([used.total]),
            laplace=laplace,
            confidence=confidence,
            entries=entries,
        )
        return float(found[0])


@final
@dataclass(frozen=True, eq=False)
class Triangular(Running):
    """One measurement a step, by triangular factors, with Gaussian noise (theory F11, running.proof.md)."""

    factors: Factors
    noise: GaussianNoise

    @classmethod
    def within(cls, budget: Measure, factors: Factors, unit: Granularity) -> Triangular:
        """The least noise that the budget allows for one protected unit."""
        found = noise_for(budget, factors_distance(factors, unit))
        assert isinstance(found, GaussianNoise)
        return cls(factors, found)

    @property
    def steps(self) -> int:  # type: ignore[override]
        """How many steps there are."""
        return self.factors.steps

    def losses(self, unit: Granularity) -> list[Event]:
        return [Event(self.noise, factors_distance(self.factors, unit))]

    def release(self, counts: NDArray[Any], step: int, *, bits: BitSource | None) -> Released:
        return [int(self.noise.release(self.factors.measure(counts, step), bits=bits))]

    def reader(self) -> Reader:
        return _Sums(self)

    def weights(self, step: int, window: int | None) -> Weights:
        used = np.abs(self.factor(step, window))
        return Weights(float((used**2).sum()), float(used.max()), float(used.sum()))

    def factor(self, step: int, window: int | None) -> Floats:
        """The weights of all measurements so far in that count."""
        found = self.factors.factor(step).copy()
        if window is not None and step >= window:
            found[: step - window + 1] -= self.factors.factor(step - window)
        return found

    def parameters(self) -> dict[str, object]:
        return {
            "factors": type(self.factors).__name__,
            "steps": self.steps,
            "window": getattr(self.factors, "window", None),
            "noise": {"kind": self.noise.kind, **self.noise.parameters()},
        }


@final
@dataclass(frozen=True, eq=False)
class Binary(Running):
    """Counts of blocks of 1, 2, 4, ... steps, each released when it is complete (theory F11, running.proof.md).

    Every step lies in one block of each size. A block's count is improved by those of its halves, which were released
    before: from below, each gets the mean of both, weighted by one over their variances.
    """

    steps: int
    noise: AdditiveNoise

    @classmethod
    def within(cls, budget: Measure, steps: int, norm: Norm, unit: Granularity) -> Binary:
        """The least noise, the same for all blocks, that the budget allows for one protected unit."""
        count = whole(steps, "steps", least=1)
        levels = levels_of(count)
        moved = [block_distance(1 << level, norm, unit) for level in range(levels)]
        if norm is Norm.L2:
            total = sum((far.power for far in moved), start=Fraction(0))
            return cls(count, noise_for(budget, Distance(norm, total)))
        largest = max(moved, key=lambda far: far.power)
        shares = [Fraction(1, levels)] * levels
        strength = pricing.affordable("laplace", budget, tuple(shares))
        if strength is None:
            raise refuse.no_such_noise("Laplace", str(budget))
        return cls(count, pricing.mechanisms("laplace", strength, shares[:1], [largest])[0])

    @property
    def levels(self) -> int:
        """How many sizes of blocks there are."""
        return levels_of(self.steps)

    def losses(self, unit: Granularity) -> list[Event]:
        return [Event(self.noise, block_distance(1 << level, self.noise.norm, unit)) for level in range(self.levels)]

    def release(self, counts: NDArray[Any], step: int, *, bits: BitSource | None) -> Released:
        done = step + 1
        sizes = [1 << level for level in range(self.levels) if done % (1 << level) == 0]
        exact = np.array([int(counts[done - size : done].sum()) for size in sizes], dtype=np.int64)
        return [int(entry) for entry in self.noise.release(exact, bits=bits)]

    def reader(self) -> Reader:
        return _Blocks(self)

    def weights(self, step: int, window: int | None) -> Weights:
        used = [self.improved[level] for _, level in blocks(step, window)]
        return Weights(
            sum(one.squares for one in used), max(one.largest for one in used), sum(one.total for one in used)
        )

    def parameters(self) -> dict[str, object]:
        return {"factors": "binary", "steps": self.steps, "noise": {"kind": self.noise.kind, **self.noise.parameters()}}

    @cached_property
    def improved(self) -> tuple[Weights, ...]:
        """What the estimate of a block is made of, by level; its own count has weight ``squares``.

        With the variance u of each half in units of the noise, the own count gets 2u / (1 + 2u), which is also the
        variance of the mean.
        """
        found = [Weights(1.0, 1.0, 1.0)]
        for _ in range(1, self.levels):
            half = found[-1]
            own = 2 * half.squares / (1 + 2 * half.squares)
            found.append(Weights(own, max(own, (1 - own) * half.largest), own + 2 * (1 - own) * half.total))
        return tuple(found)


@final
class _Sums(Reader):
    """Running counts as weighted sums of one measurement a step."""

    def __init__(self, scheme: Triangular) -> None:
        self._scheme = scheme
        self._measured: Floats = np.zeros(scheme.steps)
        self._known = 0

    def add(self, numbers: Released) -> None:
        self._measured[self._known] = numbers[0]
        self._known += 1

    def count(self, step: int, window: int | None) -> float:
        return float(self._scheme.factor(step, window) @ self._measured[: step + 1])


@final
class _Blocks(Reader):
    """Running counts as sums of few blocks, each improved by its halves as soon as it is complete."""

    def __init__(self, scheme: Binary) -> None:
        self._scheme = scheme
        self._levels: list[list[float]] = [[] for _ in range(scheme.levels)]

    def add(self, numbers: Released) -> None:
        for level, number in enumerate(numbers):
            own, halves = self._scheme.improved[level].squares, self._levels[level - 1][-2:]
            self._levels[level].append(own * number + (1 - own) * sum(halves) if level else float(number))

    def count(self, step: int, window: int | None) -> float:
        return sum(self._levels[level][(end >> level) - 1] for end, level in blocks(step, window))


def blocks(step: int, window: int | None) -> list[tuple[int, int]]:
    """The largest complete blocks that the steps so far, or the last so many, are made of: (end, level) each.

    >>> blocks(6, None), blocks(6, 4)
    ([(4, 2), (6, 1), (7, 0)], [(4, 0), (6, 1), (7, 0)])
    """
    low, high = (0 if window is None else max(0, step + 1 - window)), step + 1
    found = []
    while low < high:
        size = low & -low if low else 1 << (high.bit_length() - 1)
        while low + size > high:
            size >>= 1
        low += size
        found.append((low, size.bit_length() - 1))
    return found


def levels_of(steps: int) -> int:
    """How many sizes of blocks a binary counter over so many steps has: floor(log2 T) + 1.

    >>> levels_of(1000)
    10
    """
    return whole(steps, "steps", least=1).bit_length()


def factors_distance(factors: Factors, unit: Granularity) -> Distance:
    """How far one protected unit moves all measurements of a stream (running.proof.md)."""
    match unit:
        case Windows(width=width, changed=changed):
            return factors.moved(width).times(2 if changed else 1)
        case Replace():
            return factors.changed()
        case _:
            return factors.moved().times(steps_of(unit))


def block_distance(size: int, norm: Norm, unit: Granularity) -> Distance:
    """How far one protected unit moves the counts of all blocks of one size (running.proof.md)."""
    match unit:
        case Windows(width=width, changed=changed):
            rows = width * (2 if changed else 1)
            inside = min(width, size) * (2 if changed else 1)
            return Distance(norm, Fraction(rows * inside if norm is Norm.L2 else rows))
        case Replace():
            return Distance(norm, Fraction(2))
        case _:
            return Distance(norm, Fraction(1)).times(steps_of(unit))


def steps_of(unit: Granularity) -> int:
    """How many rows come and go in one step of a granularity."""
    found = unit.made_of(Rows())
    if found is None:
        raise refuse.no_stream_unit(str(unit))
    return found
