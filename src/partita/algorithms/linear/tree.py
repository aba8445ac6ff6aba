"""Trees over ordered cells: counts of nested blocks, level by level, made consistent by weighted least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms import bounds
from partita.algorithms.linear.scheme import Floats, Measured, Scheme
from partita.composition.calibration import pricing
from partita.errors import algorithms as refuse
from partita.exact import Number, whole
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.histogram import cell_distance
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.base import Measure

MOST_LEAVES = 1 << 22
_ROUNDS = 6


@final
@dataclass(frozen=True, eq=False)
class Tree(Scheme):
    """Level 0 is everything, each next level divides every block in so many ``parts``, the last are the cells.

    Every level is a histogram, so a row moves each of them by one cell (theory F10, tree.proof.md). ``noises`` has one
    noise for each level.
    """

    width: int
    parts: tuple[int, ...]
    noises: tuple[AdditiveNoise, ...]

    @classmethod
    def within(
        cls,
        budget: Measure,
        width: int,
        *,
        parts: Sequence[int] | None = None,
        norm: Norm = Norm.L2,
        changed: bool = False,
        queries: Floats | None = None,
    ) -> Tree:
        """The tree whose levels share a budget: binary unless its ``parts`` are given (theory F10).

        A range takes about as many blocks of each level but the root, so all levels get the same share, and the root,
        which only steadies the rest, a small one. With ``queries`` the shares are the best for them: where the whole
        variance is Σ cᵥ v over the levels, with c not moving to first order, shares in proportion to √c (Gaussian) or
        ∛c (Laplace) are stationary, and a few rounds go there.
        """
        cells = whole(width, "cells", least=1)
        divided = (
            balanced(cells, depth_of(cells, 2))
            if parts is None
            else tuple(whole(part, "parts", least=2) for part in parts)
        )
        if prod(divided) > MOST_LEAVES or prod(divided) < cells:
            raise refuse.too_many_cells(
                cells, min(prod(divided), MOST_LEAVES), "Divide blocks in more parts, or use wider cells."
            )
        weights = [0.1 if place == 0 and divided else 1.0 for place in range(len(divided) + 1)]
        made = cls._shared(budget, cells, divided, weights, norm=norm, changed=changed)
        for _ in range(_ROUNDS if queries is not None else 0):
            assert queries is not None
            used = [float((level**2).sum()) + 1e-12 for level in made.weights(queries)]
            made = cls._shared(budget, cells, divided, used, norm=norm, changed=changed)
        return made

    @classmethod
    def _shared(
        cls, budget: Measure, width: int, parts: tuple[int, ...], used: Sequence[float], *, norm: Norm, changed: bool
    ) -> Tree:
        noise = "laplace" if norm is Norm.L1 else "gaussian"
        shares = pricing.divided(used, 1 / 3 if norm is Norm.L1 else 1 / 2)
        strength = pricing.affordable(noise, budget, shares)
        if strength is None:
            raise refuse.no_such_noise(noise.capitalize(), str(budget))
        # A change leaves the root as it is, so there its noise is more than is needed.
        moved = cell_distance(norm, Relation.CHANGE_ONE if changed else Relation.ADD_REMOVE)
        return cls(width, parts, pricing.mechanisms(noise, strength, shares, [moved] * len(shares)))

    @property
    def levels(self) -> int:
        """How many levels there are, the root included."""
        return len(self.noises)

    @property
    def laplace(self) -> bool:
        return self.noises[0].norm is Norm.L1

    def losses(self, rows: int, *, changed: bool) -> list[Event]:
        found: list[Event] = []
        for level, noise in enumerate(self.noises):
            moved = cell_distance(noise.norm, Relation.CHANGE_ONE if changed else Relation.ADD_REMOVE)
            if changed and level == 0:
                moved = Distance(noise.norm, Fraction(0))
            found.append(Event(noise, moved.times(rows)))
        return found

    def release(self, histogram: NDArray[Any], *, bits: BitSource | None) -> Measured:
        leaves = np.zeros(self._leaves, dtype=np.int64)
        leaves[: self.width] = histogram
        return [
            [int(entry) for entry in noise.release(leaves.reshape(self._blocks[level], -1).sum(axis=1), bits=bits)]
            for level, noise in enumerate(self.noises)
        ]

    def estimate(self, measured: Measured) -> Floats:
        return self._solved([np.asarray(level, dtype=np.float64) for level in measured])[: self.width]

    def weights(self, queries: Floats) -> list[Floats]:
        """The weight of every block in each query's answer, level by level.

        The answer to w is wᵀ(AᵀΣ⁻¹A)⁻¹AᵀΣ⁻¹y, and the tree itself solves u = (AᵀΣ⁻¹A)⁻¹w in linear time: it is the
        estimate from measurements that are zero but for w times the variance at the cells.
        """
        wanted = np.zeros((len(queries), self._leaves))
        wanted[:, : self.width] = queries
        sides = [np.zeros((len(queries), self._blocks[level])) for level in range(self.levels - 1)]
        solved = self._solved([*sides, wanted * self._variances[-1]])
        return [
            solved.reshape(len(queries), self._blocks[level], -1).sum(axis=2) / self._variances[level]
            for level in range(self.levels)
        ]

    def variances(self, queries: Floats) -> Floats:
        found: Floats = sum(
            (weights**2).sum(axis=1) * spread
            for weights, spread in zip(self.weights(queries), self._variances, strict=True)
        )
        return found

    def half_widths(self, queries: Floats, confidence: Number) -> Floats:
        weights = self.weights(queries)
        scales = [float(getattr(noise, "scale" if self.laplace else "sigma")) for noise in self.noises]
        moved = [np.abs(part) * scale for part, scale in zip(weights, scales, strict=True)]
        return bounds.half_widths(
            sum((part**2).sum(axis=1) for part in moved),
            np.max([part.max(axis=1) for part in moved], axis=0),
            sum(np.abs(part).sum(axis=1) for part in weights),
            laplace=self.laplace,
            confidence=confidence,
            entries=len(queries),
        )

    def parameters(self) -> dict[str, object]:
        return {
            "scheme": "tree",
            "cells": self.width,
            "parts": list(self.parts),
            "noises": [{"kind": noise.kind, **noise.parameters()} for noise in self.noises],
        }

    @property
    def _leaves(self) -> int:
        return prod(self.parts)

    @cached_property
    def _blocks(self) -> tuple[int, ...]:
        return tuple(prod(self.parts[:level]) for level in range(self.levels))

    @cached_property
    def _variances(self) -> tuple[float, ...]:
        return tuple(bounds.variance(noise) for noise in self.noises)

    @cached_property
    def _from_below(self) -> tuple[float, ...]:
        """The variance of a block's estimate from itself and everything below it, by level."""
        found = [self._variances[-1]]
        for own, parts in zip(reversed(self._variances[:-1]), reversed(self.parts), strict=True):
            found.append(1 / (1 / own + 1 / (parts * found[-1])))
        return tuple(reversed(found))

    def _solved(self, measured: Sequence[Floats]) -> Floats:
        """Weighted least squares in two passes: each block from below, then the differences handed down."""
        up: list[Floats] = [measured[-1]]
        for level in range(self.levels - 2, -1, -1):
            own, below = self._variances[level], self.parts[level] * self._from_below[level + 1]
            added = _summed(up[-1], self.parts[level])
            up.append((measured[level] * below + added * own) / (own + below))
        up.reverse()
        down = up[0]
        for level in range(1, self.levels):
            parts = self.parts[level - 1]
            missing = (down - _summed(up[level], parts)) / parts
            down = up[level] + np.repeat(missing, parts, axis=-1)
        return down


def depth_of(cells: int, parts: int) -> int:
    """How often blocks must be divided in so many parts until there are as many as cells.

    >>> depth_of(1000, 2), depth_of(1024, 2), depth_of(1, 2)
    (10, 10, 0)
    """
    depth, leaves = 0, 1
    while leaves < cells:
        leaves *= parts
        depth += 1
    return depth


def balanced(cells: int, depth: int) -> tuple[int, ...]:
    """Into how many parts blocks are divided at each of so many levels, as evenly as possible.

    >>> balanced(1024, 3), balanced(1000, 2)
    ((11, 10, 10), (32, 32))
    """
    found: list[int] = []
    rest = cells
    for left in range(depth, 0, -1):
        part = max(2, round(rest ** (1 / left) - 1e-9))
        while part**left < rest:
            part += 1
        found.append(part)
        rest = -(-rest // part)
    return tuple(found)


def _summed(level: Floats, parts: int) -> Floats:
    found: Floats = level.reshape(*level.shape[:-1], -1, parts).sum(axis=-1)
    return found
