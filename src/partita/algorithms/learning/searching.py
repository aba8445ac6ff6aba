"""A search among candidate models: some are learnt and scored, how many is told to nobody, and the best is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner, labelled
from partita.algorithms.learning.moments import UNIT
from partita.mechanisms.base import Event
from partita.mechanisms.integers import source_of
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.repeated import Repeated
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure


@final
@dataclass(frozen=True, slots=True)
class Search(Learner):
    """The best of a random number of tries, each a candidate drawn at random, learnt and scored (searching.proof.md).

    A score is the noisy number of rows of the right class, or, where the target is a number, the noisy sum of
    1 - (error/width)². One row moves it by ``most`` at most. The law of the number of tries is that of ``Repeated``.
    """

    kind: ClassVar[str] = "search"
    candidates: tuple[Learner, ...]
    features: Lattice
    target: Lattice | None
    classes: int
    scoring: Laplace
    stop: Fraction
    shape: Fraction

    @property
    def most(self) -> int:
        """How far one row that comes, goes or changes can move a score, in whole numbers."""
        return 1 if self.target is None else UNIT

    def each(self, rows: int = 1, *, changed: bool = False) -> Fraction:
        """What one try loses for so many rows, its score included: that of the dearest candidate."""
        learnt = max(
            sum((event.cost(Pure).epsilon for event in one.losses(rows, changed=changed)), Fraction(0))
            for one in self.candidates
        )
        return learnt + self.scoring.cost(Distance.l1(self.most * rows), Pure).epsilon

    def losses(self, rows: int = 1, *, changed: bool = False) -> Sequence[Event]:
        """One event: the best of the tries."""
        whole_search = Repeated(epsilon=self.each(rows, changed=changed), stop=self.stop, shape=self.shape)
        return [whole_search.at(Distance.l1(1))]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """The best candidate by its noisy score: which it is, what it learnt, and its score."""

        def attempt(drawing: BitSource) -> tuple[float, dict[str, Any]]:
            chosen = int(below(len(self.candidates), 1, drawing)[0])
            learnt = self.candidates[chosen].learn(rows, bits=drawing)
            score = int(self.scoring.release(self.exact_score(rows, learnt), bits=drawing))
            return score, {"candidate": chosen, "score": score, "learnt": learnt}

        made = Repeated(epsilon=self.each(), stop=self.stop, shape=self.shape)
        return made.release(attempt, bits=source_of(bits))

    def exact_score(self, rows: Array, learnt: dict[str, Any]) -> int:
        """The exact score of a model on the rows, a sum of a whole number from 0 to ``most`` for each."""
        if self.target is None:
            found, labels = labelled(rows, self.classes)
            weights = np.asarray(learnt["coefficients"], dtype=np.float64)
            levels = np.asarray(learnt["intercepts"], dtype=np.float64).reshape(-1)
            scores = self._scores(found, weights.reshape(len(levels), -1), levels)
            guessed = scores.argmax(axis=1) if len(levels) > 1 else (scores[:, 0] > 0).astype(np.int64)
            return int((guessed == labels).sum())
        goal = self.target.values(self.target.codes(rows[:, -1:]))[:, 0]
        weights = np.asarray(learnt["coefficients"], dtype=np.float64).reshape(1, -1)
        guess = self._scores(rows[:, :-1], weights, np.array([float(learnt["intercept"])]))[:, 0]
        width = 2 * self.target.step[0] * self.target.limit[0]
        off = np.clip(np.nan_to_num(np.abs(guess - goal) / width, nan=1.0, posinf=1.0), 0.0, 1.0)
        return int(np.rint((1 - off * off) * UNIT).astype(np.int64).sum())

    def _scores(self, rows: Array, weights: Array, levels: Array) -> Array:
        """Linear scores, column by column: those of a row are the same wherever it stands."""
        values = self.features.values(self.features.codes(rows))
        total = np.repeat(levels[None], len(rows), axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            for column in range(values.shape[1]):
                total = total + values[:, column, None] * weights[None, :, column]
        found: Array = np.nan_to_num(total, nan=0.0)
        return found
