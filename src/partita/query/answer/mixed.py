"""Mixed noise: lines that are combinations of the same noisy numbers, each with weights of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.intervals import Spread

Floats = NDArray[np.float64]

_NOTHING: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Mixed:
    """The weights of noisy numbers in each part of each line, and the noise of each number by itself.

    ``weights`` has an axis for lines, one for parts and one for noisy numbers, whose noises are independent.
    """

    weights: Floats
    noise: tuple[Spread, ...]

    @property
    def plain(self) -> bool:
        """Whether all noise is Gaussian."""
        return not any(one.scales for one in self.noise)

    def spread(self, line: int, parts: Sequence[float]) -> Spread:
        """The noise of a combination of the parts of one line: that of every number, with its weight.

        Rounding to whole numbers adds a variance of a twelfth to each, and what it can do to the weightiest of them.
        """
        felt = np.abs(np.asarray(parts) @ self.weights[line])
        scales: list[float] = []
        square = 0.0
        for place in np.flatnonzero(felt > _NOTHING * max(float(felt.max()), 1e-300)):
            weight, alone = float(felt[place]), self.noise[place]
            rounded = alone.rounding**2 / 3
            # Of the variance that rounding adds, noise of one kind takes all.
            scales.extend(_short(weight * math.sqrt(scale**2 + rounded / 2)) for scale in alone.scales)
            square += weight**2 * (alone.sigma**2 + (0.0 if alone.scales else rounded))
        largest = float(np.max(felt * np.array([alone.rounding for alone in self.noise]), initial=0.0))
        return Spread(tuple(sorted(scales)), _short(square**0.5), _short(largest))

    def covariance(self, line: int, one: Sequence[float], other: Sequence[float]) -> float:
        """How two combinations of the parts of one line vary together, as far as noise is Gaussian."""
        squares = np.array([alone.sigma**2 for alone in self.noise])
        first, second = (np.asarray(parts) @ self.weights[line] for parts in (one, other))
        return float(np.sum(first * second * squares))

    def widest(self, parts: Sequence[float]) -> int:
        """The line in which a combination of the parts has the most noise."""
        variances = np.array([alone.variance for alone in self.noise])
        felt = np.tensordot(np.asarray(parts), self.weights, axes=(0, 1))
        return int(np.argmax((felt**2) @ variances))


@final
@dataclass(frozen=True, eq=False)
class Stacked:
    """Lines that are numbers of several releases, each with the noise of its own release.

    ``levels`` are the noises of each release's numbers, ``of`` says for each line which release it is of.
    """

    levels: tuple[tuple[Spread, ...], ...]
    of: tuple[int, ...]

    @property
    def plain(self) -> bool:
        """Whether all noise is Gaussian."""
        return not any(one.scales for level in self.levels for one in level)

    def spread(self, line: int, parts: Sequence[float]) -> Spread:
        """The noise of a combination of the numbers of one line."""
        scales: list[float] = []
        square, rounding = 0.0, 0.0
        for weight, alone in zip(parts, self.levels[self.of[line]], strict=True):
            if weight:
                scales.extend(abs(weight) * scale for scale in alone.scales)
                square += (weight * alone.sigma) ** 2
                rounding += abs(weight) * alone.rounding
        return Spread(tuple(scales), square**0.5, rounding)

    def covariance(self, line: int, one: Sequence[float], other: Sequence[float]) -> float:
        """How two combinations of the numbers of one line vary together, as far as noise is Gaussian."""
        listed = zip(one, other, self.levels[self.of[line]], strict=True)
        return sum(mine * theirs * alone.sigma**2 for mine, theirs, alone in listed)

    def widest(self, parts: Sequence[float]) -> int:
        """The line in which a combination of the numbers has the most noise."""
        firsts = {level: line for line, level in enumerate(self.of)}
        return max(firsts.values(), key=lambda line: self.spread(line, parts).variance)


def _short(number: float) -> float:
    """A little more than the number, with few digits, so that equal bars are computed once."""
    return float(f"{number * (1 + 1e-6):.6g}")
