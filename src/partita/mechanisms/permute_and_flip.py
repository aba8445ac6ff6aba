"""Permute-and-flip: look at the candidates in random order and accept one by a coin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.exact import positive
from partita.mechanisms.integers import Integers, read_flat, source_of
from partita.mechanisms.selection import Selection
from partita.mechanisms.switch import switch
from partita.sampling import choice
from partita.sampling.bits import BitSource
from partita.sampling.choice import Place
from partita.sampling.flips import run_permute_and_flip
from partita.theory.distance import Norm


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip(Selection):
    """Accept a candidate, in random order, with probability exp(-ε (best - score) / 2) (theory C10).

    Never less useful than the exponential mechanism at the same ε, but its loss has no bounded range, so it costs
    what any ε-private choice costs (permute_and_flip.proof.md).

    >>> from partita.theory.distance import Distance
    >>> from partita.theory.measures.pure import Pure
    >>> PermuteAndFlip(epsilon=1).cost(Distance.linf(1), Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "permute_and_flip"
    norm: ClassVar[Norm] = Norm.LINF
    theorems: ClassVar[str] = "C10"
    epsilon: Fraction
    monotone: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "monotone", switch(self.monotone, "monotone"))

    def choose(self, scores: Integers, bits: BitSource) -> int:
        return choice.permute_and_flip(scores, self.weight, bits)

    def release_run(self, scores: object, lengths: NDArray[np.int64], *, bits: BitSource | None = None) -> Place:
        """The same choice among candidates that come in runs of equal score: a run, and a place in it.

        >>> from partita.sampling.bits import TestBits
        >>> PermuteAndFlip(epsilon=2).release_run([-100, 0], np.array([10**6, 1]), bits=TestBits(1))
        (1, 0)
        """
        return run_permute_and_flip(read_flat(scores), lengths, self.weight, source_of(bits))

    def probabilities(self, scores: object) -> NDArray[np.float64]:
        """The probability of each candidate, to float accuracy: for study, nothing is drawn.

        With coins of bias pⱼ, candidate i wins with probability pᵢ ∫ Π (1 - pⱼ + pⱼ t) dt over the others.

        >>> PermuteAndFlip(epsilon=1).probabilities([0, 1, 2]).round(6).tolist()
        [0.146751, 0.266077, 0.587172]
        """
        given = read_flat(scores)
        biases = np.exp([float(self.weight * int(score - given.max())) for score in given])
        chances = np.empty(len(biases))
        for i, bias in enumerate(biases):
            others = np.ones(1)
            for other in np.delete(biases, i):
                others = np.convolve(others, [1 - other, other])
            chances[i] = bias * np.sum(others / np.arange(1, len(others) + 1))
        return chances
