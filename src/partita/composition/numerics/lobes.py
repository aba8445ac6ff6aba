"""Many equal Laplace losses: their transform comes back again and again, and only near those places is it summed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.numerics.total import Total
from partita.theory.losses.laplace import LaplaceBatch
from partita.theory.losses.outward import FUNCTION
from partita.theory.losses.product import ProductBatch

# With fewer equal losses the transform hardly dies out between the places where it comes back.
_MANY = 32
_LOBES = (1, 2, 4, 8, 16, 32, 64, 128)


@final
@dataclass(frozen=True, slots=True)
class Lobes:
    """k equal Laplace losses on the line c: the transform peaks at the multiples of π/ε (lobes.proof.md)."""

    c: float
    epsilon: float
    count: float

    @classmethod
    def of(cls, total: Total, c: float) -> Lobes | None:
        """Those of the most frequent Laplace loss of a total; none where there are few of them."""
        batches = total.batch.batches if isinstance(total.batch, ProductBatch) else (total.batch,)
        for batch in batches:
            if isinstance(batch, LaplaceBatch):
                most = int(np.argmax(batch.counts))
                count, epsilon = float(batch.counts[most]), float(batch.parameters[most, 0])
                return cls(c, epsilon, count) if count >= _MANY and epsilon > 0 else None
        return None

    def shape(self, t: float) -> tuple[float, float, float]:
        """For all u >= t and s = |sin uε|, the modulus is at most e^(height - steep (s - shift)²) where s > shift.

        Returned are height, steep and shift; the height alone holds everywhere.
        """
        a = self.c + 0.5
        tilt = math.tanh(a * self.epsilon)
        w = 0.25 / (a * a + t * t)
        if w > 0.5:
            return 0.0, 0.0, 1.0
        top = 1 + (4 * tilt * a + tilt * tilt) * w + (1 - tilt * tilt) * w / (1 - w)
        slope = (1 - tilt * tilt) * (1 - w)
        height = self.count * (0.5 * math.log(top) - math.log1p(tilt * (0.5 / a)))
        height += self.count * 16 * FUNCTION
        return height, 0.5 * self.count * slope / top * (1 - 1e-12), math.sqrt(w) / (1 - w) * (1 + 1e-12)

    def nodes(self, step: float, goal: float, loose: float, most: int) -> tuple[npt.NDArray[np.int64], float] | None:
        """The numbers of the nodes to be summed, and a bound on all others in units of the term n = 0.

        Between the lobes the terms come to less than the goal; from the last lobe on to less than ``loose``.
        """
        width = self._width(step, goal)
        if width is None:
            return None
        between = self._between(width, step)
        period = math.pi / self.epsilon
        for lobes in _LOBES:
            beyond = self._beyond(lobes, step)
            if beyond > loose:
                continue
            if (2 * lobes + 1) * (width / step + 1) > most:
                return None
            middle = np.arange(lobes + 1) * period
            reach = np.arange(-math.ceil(width / step) - 1, math.ceil(width / step) + 2)
            numbers = np.add.outer(np.rint(middle / step).astype(np.int64), reach).ravel()
            last = (lobes + 0.5) * period / step
            kept: npt.NDArray[np.int64] = np.unique(numbers[(numbers >= 1) & (numbers <= last)])
            return kept, (between + beyond) * (1 + 1e-9)
        return None

    def _width(self, step: float, goal: float) -> float | None:
        """How far from its middle a lobe has to be summed."""
        for share in (0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.45, 0.5):
            width = share * math.pi / self.epsilon
            if width > step and self._between(width, step) <= goal:
                return width
        return None

    def _between(self, width: float, step: float) -> float:
        """A bound on all terms further than the width from every multiple of π/ε."""
        if width >= 0.5 * math.pi / self.epsilon:
            return 0.0
        height, steep, shift = self.shape(width)
        away = max(0.0, math.sin(width * self.epsilon) * (1 - 1e-12) - shift)
        area = math.atan2(self.c, width - step) / self.c
        return self._weight() * area * math.exp(min(height - steep * away**2, 700.0))

    def _beyond(self, lobes: int, step: float) -> float:
        """A bound on all terms beyond so many lobes."""
        height, steep, shift = self.shape((lobes + 0.5) * math.pi / self.epsilon)
        if steep <= 0.0:
            return math.inf
        area = math.pi / self.epsilon * (shift + 0.5 * math.sqrt(math.pi / steep)) + step
        return self._weight() * math.exp(min(height, 700.0)) * area * (self.epsilon / math.pi) ** 2 / lobes

    def _weight(self) -> float:
        return self.c * (self.c + 1) / math.pi * (1 + 1e-9)
