"""Logistic regression of several custodians in rounds: what each of them releases, and the model that follows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.loss import WEIGHT, rounded
from partita.algorithms.learning.lattice import Array
from partita.algorithms.learning.learner import Learner
from partita.algorithms.progress import track
from partita.mechanisms.base import Event
from partita.sampling.bits import BitSource

Ask = Callable[[Learner], Sequence[Mapping[str, Any]]]


@final
@dataclass(frozen=True, slots=True)
class FirstRound(Learner):
    """One custodian's noisy moments, from which the first model is made (rounds.proof.md)."""

    kind: ClassVar[str] = "logistic_moments"
    plan: Logistic

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        every = zip(self.plan.noisy.sums, self.plan.losses(rows, changed=changed), strict=True)
        return [event for item, event in every if item.name != "gradient"]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """The noisy sums."""
        released = self.plan.first(*self.plan.prepared(rows), bits)
        return {"sums": {name: values.tolist() for name, values in released.items()}}


@final
@dataclass(frozen=True, slots=True)
class GradientRound(Learner):
    """One custodian's noisy gradient at public weights, which are whole numbers of a step (rounds.proof.md)."""

    kind: ClassVar[str] = "logistic_gradient"
    plan: Logistic
    turn: int
    weights: tuple[tuple[int, ...], ...]

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        every = zip(self.plan.noisy.sums, self.plan.losses(rows, changed=changed), strict=True)
        return [replace(event, count=1) for item, event in every if item.name == "gradient"]

    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """The noisy sum of the gradients of all rows."""
        weights = np.array(self.weights, dtype=np.float64) / WEIGHT
        return {"gradient": self.plan.slope(*self.plan.prepared(rows), weights, bits).tolist()}


def in_rounds(plan: Logistic, ask: Ask) -> dict[str, Any]:
    """One model from what custodians release: ``ask`` hands a round to each of them and returns what each released.

    This is the server's side. It sees released sums only, adds them up, and sends out the next weights. The same
    releases lead to the same weights, so a fit that is repeated asks the same questions, which are free.
    """
    documents = [document["sums"] for document in ask(FirstRound(plan))]
    many = len(documents)
    sums = {name: np.sum([np.asarray(one[name]) for one in documents], axis=0) for name in documents[0]}
    guess = plan.begun(sums, _seed(documents), many)
    for turn in track(range(plan.turns), "Rounds"):
        whole = tuple(tuple(int(weight) for weight in line) for line in rounded(guess.weights).tolist())
        released = [document["gradient"] for document in ask(GradientRound(plan, turn, whole))]
        guess = plan.moved(guess, np.sum([np.asarray(one) for one in released], axis=0), many)
    return plan.told(guess)


def _seed(documents: Sequence[Mapping[str, Any]]) -> list[int]:
    """Public random numbers for made-up rows, from what everybody can see."""
    digest = hashlib.sha256(json.dumps(documents, sort_keys=True).encode()).digest()
    return list(digest[:16])
