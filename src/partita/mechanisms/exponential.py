"""The exponential mechanism: a candidate is chosen with probability exponential in its score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.exact import float_up, positive
from partita.mechanisms.base import Forms, identical
from partita.mechanisms.integers import Integers, read_flat, source_of
from partita.mechanisms.selection import Selection
from partita.mechanisms.strength import Setting
from partita.mechanisms.switch import switch
from partita.sampling.bits import BitSource
from partita.sampling.choice import (
    Place,
    proportional_to_exp,
    run_proportional_to_exp,
    tuple_proportional_to_exp,
)
from partita.theory.conversions import pure_to_rho, pure_to_tau
from partita.theory.distance import Distance, Norm
from partita.theory.losses.outward import FUNCTION
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.tabulated import tabulated
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP

_POINTS = 512
_SMALLEST, _LARGEST = 1e-6, 20.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Selection):
    """Choose candidate y with probability proportional to exp(ε score / 2), or exp(ε score) for monotone scores.

    Its loss has a bounded range, which makes it cheaper in ρ than other ε-private choices (theory C9,
    exponential.proof.md).

    >>> Exponential(epsilon=1).cost(Distance.linf(1), ZCDP)
    ZCDP(rho=Fraction(1, 8), delta=Fraction(0, 1))
    """

    kind: ClassVar[str] = "exponential"
    norm: ClassVar[Norm] = Norm.LINF
    theorems: ClassVar[str] = "C9"
    epsilon: Fraction
    monotone: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "monotone", switch(self.monotone, "monotone"))

    def forms(self, distance: Distance) -> Forms:
        epsilon = distance.power * self.epsilon
        return {
            Pure: lambda: Pure(epsilon=epsilon),
            ZCDP: lambda: ZCDP(rho=min(epsilon**2 / 8, pure_to_rho(epsilon))),
            Renyi: lambda: Renyi(
                orders=ORDERS, taus=[min(order * epsilon**2 / 8, pure_to_tau(epsilon, order)) for order in ORDERS]
            ),
        }

    def pair(self, distance: Distance) -> Pair:
        """The worst of all mechanisms whose loss has a range of ε (exponential.proof.md)."""
        self.require(distance)
        epsilon = float_up(distance.power * self.epsilon)
        if epsilon == 0.0:
            return identical()
        if not _SMALLEST <= epsilon <= _LARGEST:
            return Pair.of(RandomizedResponseLoss(epsilon))
        grid = np.linspace(-epsilon, epsilon, _POINTS)
        grid[-1] = epsilon
        return Pair.of(tabulated(list(zip(grid.tolist(), bounded_range_delta(epsilon, grid).tolist(), strict=True))))

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> Exponential:
        """Its range is bounded, so its ρ is that of half the ε (theory C9)."""
        return cls(epsilon=2 * strength, **setting.parameters)

    def choose(self, scores: Integers, bits: BitSource) -> int:
        return proportional_to_exp(scores, self.weight, bits)

    def release_run(
        self, scores: object, lengths: NDArray[np.int64], *, bits: BitSource | None = None
    ) -> tuple[int, int]:
        """The same choice among candidates that come in runs of equal score: a run, and a place in it.

        >>> from partita.sampling.bits import TestBits
        >>> Exponential(epsilon=2).release_run([-100, 0], np.array([10**6, 1]), bits=TestBits(1))
        (1, 0)
        """
        return run_proportional_to_exp(read_flat(scores), lengths, self.weight, source_of(bits))

    def release_tuple(
        self,
        lists: Sequence[tuple[object, NDArray[np.int64], Fraction]],
        excess: Callable[[tuple[Place, ...]], Fraction],
        *,
        bits: BitSource | None = None,
    ) -> tuple[Place, ...]:
        """The same choice among tuples: one candidate of each list, whose score is a sum less an excess.

        Every list has the scores of runs, their lengths, and what a unit of these scores counts; the excess is zero or
        more. The result is a run and a place in it for each list.

        >>> from partita.sampling.bits import TestBits
        >>> runs = ([-100, 0], np.array([10**6, 1]), Fraction(1))
        >>> Exponential(epsilon=2).release_tuple([runs, runs], lambda places: Fraction(0), bits=TestBits(1))
        ((1, 0), (1, 0))
        """
        weight = self.weight
        weighted = [(read_flat(scores), lengths, counts * weight) for scores, lengths, counts in lists]
        return tuple_proportional_to_exp(weighted, lambda places: weight * excess(places), source_of(bits))

    def probabilities(self, scores: object) -> NDArray[np.float64]:
        """The probability of each candidate, to float accuracy: for study, nothing is drawn.

        >>> Exponential(epsilon=2).probabilities([0, 1]).round(6).tolist()
        [0.268941, 0.731059]
        """
        given = read_flat(scores)
        gaps = np.array([float(self.weight * int(score - given.max())) for score in given])
        shares = np.exp(gaps)
        chances: NDArray[np.float64] = shares / shares.sum()
        return chances


def bounded_range_delta(epsilon: float, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest δ at each ε' in [-ε, ε] of any pair whose loss has a range of ε, rounded up.

    It is (1 - e^((ε' - ε)/2))² / (1 - e^(-ε)); at ε' = 0 this is tanh(ε/4).

    >>> bool(abs(bounded_range_delta(1.0, np.zeros(1))[0] - np.tanh(0.25)) < 1e-12)
    True
    """
    part = -np.expm1((at - epsilon) / 2) + FUNCTION * epsilon
    part[at >= epsilon] = 0.0
    delta: NDArray[np.float64] = np.minimum(part * part / -np.expm1(-epsilon) * (1 + 16 * FUNCTION), 1.0)
    return delta
