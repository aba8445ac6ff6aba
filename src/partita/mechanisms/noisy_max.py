"""Report-noisy-max: add noise to every score and name the largest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from partita.exact import Number, float_up, positive, probability, whole
from partita.mechanisms.integers import Integers, add
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.selection import Selection
from partita.mechanisms.switch import switch
from partita.sampling import rounded
from partita.sampling.bits import BitSource
from partita.theory.distance import Norm


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMax(Selection):
    """Name the candidate whose score is largest after Laplace noise of scale 2/ε, or 1/ε for monotone scores.

    Only the index is released: its noisy score would cost extra (theory C11, noisy_max.proof.md).

    >>> from partita.theory.distance import Distance
    >>> from partita.theory.measures.pure import Pure
    >>> NoisyMax(epsilon=1).cost(Distance.linf(1), Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "noisy_max"
    norm: ClassVar[Norm] = Norm.LINF
    theorems: ClassVar[str] = "C11"
    epsilon: Fraction
    monotone: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "monotone", switch(self.monotone, "monotone"))

    @property
    def scale(self) -> Fraction:
        """The scale of the noise on each score."""
        return 1 / self.weight

    def choose(self, scores: Integers, bits: BitSource) -> int:
        """Of equal noisy scores the first is named: an order that is public."""
        return int(np.argmax(add(scores, rounded.laplace(self.scale, scores.size, bits))))

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """How far the score of the choice is below the best: at most twice the noise of any candidate."""
        sure, count = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        return float_up(Fraction(2 * Laplace(scale=self.scale).reach(sure, count)))
