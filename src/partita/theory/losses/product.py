"""Several independent losses as one: the law of a mechanism that releases several things at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from partita.errors import theory as refuse
from partita.theory.losses.base import Batch, Lattice, LossLaw
from partita.theory.losses.outward import UNIT, Complexes, Floats, floats, up


@final
@dataclass(frozen=True, slots=True)
class ProductLoss(LossLaw):
    """The sum of independent losses, each repeated so many times (theory D1).

    A plan unfolds a product into its parts, so nothing is lost by keeping them together. On its own its profile is
    bounded by the best Rényi order (theory B15).

    >>> from partita.theory.losses.laplace import LaplaceLoss
    >>> ProductLoss.of([(LaplaceLoss(0.5), 4)]).maximum
    2.0000000000000...
    """

    parts: tuple[tuple[LossLaw, int], ...]

    @classmethod
    def of(cls, parts: Sequence[tuple[LossLaw, int]]) -> ProductLoss:
        """From laws and how often each is used; products inside products are unfolded."""
        flat: dict[LossLaw, int] = {}
        for law, count in parts:
            if count < 1:
                raise refuse.bad_parameter("count", count)
            inner = law.parts if isinstance(law, ProductLoss) else ((law, 1),)
            for part, times in inner:
                flat[part] = flat.get(part, 0) + times * count
        return cls(tuple(flat.items()))

    @property
    def infinity(self) -> float:
        lost = math.fsum(count * math.log1p(-min(law.infinity, 1 - UNIT)) for law, count in self.parts)
        return min(1.0, up(-math.expm1(lost), 1e-13)) if lost else 0.0

    @property
    def maximum(self) -> float:
        return up(math.fsum(count * law.maximum for law, count in self.parts), 8 * UNIT)

    @property
    def minimum(self) -> float:
        return -up(-math.fsum(count * law.minimum for law, count in self.parts), 8 * UNIT)

    def delta(self, epsilon: float) -> float:
        """The least bound κ(c) e^(log M(c) - cε) over a ladder of orders c + 1 (theory B15)."""
        if not self.parts:
            return up(-math.expm1(epsilon)) if epsilon < 0 else 0.0
        if epsilon >= self.maximum:
            return self.infinity
        if epsilon < 0:
            return 1.0
        c = np.geomspace(1e-3, 1e5, 200)
        value, error = type(self).batch((self,), (1,)).cumulant(floats(c))
        logs = value + error + c * np.log(c) - (c + 1) * np.log1p(c) - c * epsilon
        slack = 16 * UNIT * (np.abs(value) + c * (np.abs(np.log(c)) + epsilon + 12))
        return min(1.0, up(math.exp(min(0.0, float(np.min(logs + slack)))) + self.infinity))

    @classmethod
    def batch(cls, laws: Sequence[Self], counts: Sequence[int]) -> Batch:
        merged = cls.of(list(zip(laws, counts, strict=True)))
        return ProductBatch(tuple(grouped(merged.parts)))

    def lattice(self, span: float, *, upward: bool, floor: float) -> Lattice:
        """The convolution of the parts; plans unfold products instead, which is faster."""
        start, masses, lost = 0, np.ones(1), 0.0
        for law, count in self.parts:
            one = law.lattice(span, upward=upward, floor=floor / max(count, 1))
            for _ in range(count):
                start += one.start
                masses = np.convolve(masses, one.masses)
                masses *= 1 + (len(masses) + 4) * UNIT if upward else 1 - (len(masses) + 4) * UNIT
                lost += one.infinity
        return Lattice(span, start, masses, min(1.0, up(lost)) if upward and lost else 0.0)


def grouped(parts: Sequence[tuple[LossLaw, int]]) -> list[Batch]:
    """One batch for each family of laws among the parts."""
    batches = []
    for family in dict.fromkeys([type(law) for law, _ in parts]):
        mine = [part for part in parts if type(part[0]) is family]
        batches.append(family.batch([law for law, _ in mine], [count for _, count in mine]))
    return batches


@final
@dataclass(frozen=True, slots=True, eq=False)
class ProductBatch(Batch):
    """Batches of several families, composed."""

    batches: tuple[Batch, ...]

    @property
    def infinity(self) -> float:
        lost = math.fsum(math.log1p(-min(one.infinity, 1 - UNIT)) for one in self.batches)
        return min(1.0, up(-math.expm1(lost), 1e-13)) if lost else 0.0

    @property
    def maximum(self) -> float:
        return up(math.fsum(one.maximum for one in self.batches))

    @property
    def minimum(self) -> float:
        return -up(-math.fsum(one.minimum for one in self.batches))

    def work(self, furthest: float) -> int:
        return sum(one.work(furthest) for one in self.batches)

    @property
    def steepest(self) -> float:
        return min((one.steepest for one in self.batches), default=math.inf)

    def variance(self) -> float:
        return math.fsum(one.variance() for one in self.batches)

    def cumulant(self, c: Floats) -> tuple[Floats, Floats]:
        value, error = np.zeros(len(c)), np.zeros(len(c))
        for one in self.batches:
            part, slack = one.cumulant(c)
            value += part
            error += slack + 4 * UNIT * np.abs(part)
        return value, error + 4 * UNIT * len(self.batches) * np.abs(value)

    def ratio(self, c: float, t: Floats) -> tuple[Complexes, Floats]:
        total, error = np.ones(len(t), dtype=np.complex128), np.zeros(len(t))
        for one in self.batches:
            part, slack = one.ratio(c, t)
            total *= part
            error += np.log1p(slack) + 4 * UNIT
        return total, np.expm1(error) * (1 + 8 * UNIT)

    def decay(self, c: float, t: Floats) -> Floats:
        total = np.zeros(len(t))
        for one in self.batches:
            total += one.decay(c, t)
        return total
