"""A scheme: what is measured about a histogram, with which noise, and how cells and queries are estimated from it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms import bounds
from partita.algorithms.budget import noise_for
from partita.algorithms.linear.strategy import Strategy
from partita.exact import Number
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.sampling.bits import BitSource
from partita.theory.distance import Norm
from partita.theory.measures.base import Measure

Floats = NDArray[np.float64]
Measured = list[list[int]]


class Scheme(ABC):
    """Noisy whole numbers about a histogram; everything else is computed from them."""

    width: int

    @abstractmethod
    def losses(self, rows: int, *, changed: bool) -> Sequence[Event]:
        """The releases, and how far so many rows move them."""

    @abstractmethod
    def release(self, histogram: NDArray[Any], *, bits: BitSource | None) -> Measured:
        """The noisy measurements of exact counts."""

    @abstractmethod
    def estimate(self, measured: Measured) -> Floats:
        """The cells, by least squares weighted with the variances of the noise."""

    @abstractmethod
    def variances(self, queries: Floats) -> Floats:
        """The variance of the estimate of each query."""

    @abstractmethod
    def half_widths(self, queries: Floats, confidence: Number) -> Floats:
        """What the errors of all queries stay within at once, with this confidence."""

    @abstractmethod
    def parameters(self) -> dict[str, object]:
        """What defines the scheme, as plain data."""


@final
@dataclass(frozen=True, eq=False)
class Lines(Scheme):
    """The lines of a strategy, all with the same noise (theory F9, strategy.proof.md)."""

    strategy: Strategy
    noise: AdditiveNoise

    @classmethod
    def within(cls, budget: Measure, strategy: Strategy, *, norm: Norm, changed: bool = False) -> Lines:
        """The least noise that the budget allows for these lines."""
        return cls(strategy, noise_for(budget, strategy.distance(norm, changed=changed)))

    @property
    def width(self) -> int:  # type: ignore[override]
        """How many cells there are."""
        return self.strategy.width

    def losses(self, rows: int, *, changed: bool) -> list[Event]:
        return [Event(self.noise, self.strategy.distance(self.noise.norm, rows=rows, changed=changed))]

    def release(self, histogram: NDArray[Any], *, bits: BitSource | None) -> Measured:
        return [[int(entry) for entry in self.noise.release(self.strategy.measure(histogram), bits=bits)]]

    def estimate(self, measured: Measured) -> Floats:
        found: Floats = self.strategy.inverse @ np.asarray(measured[0], dtype=np.float64)
        return found

    def variances(self, queries: Floats) -> Floats:
        found: Floats = (self.strategy.factors(queries) ** 2).sum(axis=1) * bounds.variance(self.noise)
        return found

    def half_widths(self, queries: Floats, confidence: Number) -> Floats:
        weights = np.abs(self.strategy.factors(queries))
        laplace = self.noise.norm is Norm.L1
        scale = float(getattr(self.noise, "scale" if laplace else "sigma"))
        return bounds.half_widths(
            (weights**2).sum(axis=1) * scale**2,
            weights.max(axis=1) * scale,
            weights.sum(axis=1),
            laplace=laplace,
            confidence=confidence,
            entries=len(queries),
        )

    def parameters(self) -> dict[str, object]:
        return {
            "scheme": "lines",
            "strategy": self.strategy.name,
            "digest": self._digest,
            "noise": {"kind": self.noise.kind, **self.noise.parameters()},
        }

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(repr(self.strategy.lines.shape).encode() + self.strategy.lines.tobytes()).hexdigest()


__all__ = ["Floats", "Lines", "Measured", "Scheme"]
