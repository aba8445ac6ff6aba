"""The event an audit bets on: chosen on practice runs, then fixed before the runs that count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from partita.attacks.audits.outputs import Outputs
from partita.attacks.audits.scores import Score, learn
from partita.attacks.confidence import Floats, at_least, at_most

# How much a pair (probability at least, probability at most) shows: ε, ρ or μ.
Shown = Callable[[Floats, Floats], Floats]

_THRESHOLDS = 150
_WORTH = 1.02


@final
@dataclass(frozen=True, slots=True)
class Event:
    """Outputs whose score reaches a threshold (or does not), and the input that is thought to make them likelier."""

    score: Score
    threshold: float
    reaching: bool
    likelier: int  # 0 the first input, 1 the second

    def hits(self, outputs: Outputs) -> int:
        """How many outputs are in the event."""
        reached = int((self.score(outputs) >= self.threshold).sum())
        return reached if self.reaching else len(outputs) - reached

    def __str__(self) -> str:
        return self.score.words(self.threshold, reaching=self.reaching)


def choose(
    practice: tuple[Outputs, Outputs], trial: tuple[Outputs, Outputs], shown: Shown, *, runs: int, gamma: float
) -> Event | None:
    """The event that promises the best bound in so many further runs, or none if none promises anything.

    Scores are learned on the practice outputs; their thresholds are compared on the trial outputs, which the scores
    have not seen, by the bound that the same shares of hits would give.
    """
    best, promise = None, 0.0
    for score in learn(*practice):
        scores = [score(outputs) for outputs in trial]
        thresholds = _thresholds(np.concatenate(scores))
        reaching = [_reaching(values, thresholds) for values in scores]
        for likelier in (0, 1):
            for inside in (True, False):
                often, seldom = (
                    share if inside else 1 - share for share in (reaching[likelier], reaching[1 - likelier])
                )
                promised = shown(at_least(often * runs, runs, gamma), at_most(seldom * runs, runs, gamma))
                top = int(promised.argmax())
                if promised[top] > promise:
                    # A later score is a more involved one, and must be worth it.
                    promise = _WORTH * float(promised[top])
                    best = Event(score, float(thresholds[top]), inside, likelier)
    return best


def _thresholds(scores: Floats) -> Floats:
    """Values to cut at, dense in both tails, where the largest losses show."""
    values = np.unique(scores[scores > -np.inf])
    if len(values) <= 2 * _THRESHOLDS:
        return values if len(values) else np.array([0.0])
    ordered = np.sort(scores)
    ranks = np.unique(np.geomspace(1, len(ordered) - 1, _THRESHOLDS).astype(np.int64))
    return np.unique(np.concatenate([ordered[ranks], ordered[-ranks]]))


def _reaching(scores: Floats, thresholds: Floats) -> Floats:
    """The share of scores that reach each threshold."""
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return 1 - below / len(scores)
