"""Canaries: records planted by coin flips, and guesses from the trained model of which were in (one run is enough)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from partita.attacks.attack import FALSE_ALARM, Attack, Chart
from partita.attacks.audits.one_run import one_run_epsilon
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT, Bits, allowed_trade_off, trade_off
from partita.attacks.victims import Ask, Exposed, Floats, Guarded, given, protected
from partita.errors import attacks as refuse
from partita.exact import Number, nonnegative, positive, probability, whole
from partita.query.tables.schema import Table
from partita.region.columns import decimals, integers
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory.measures.pure import Pure

Train = Callable[[Bits], ArrayLike]


@final
@dataclass(frozen=True, slots=True)
class CanaryAudit:
    """What one training run with canaries showed: guesses of which were in, and the ε that they refute."""

    epsilon: float
    delta: Fraction
    confidence: Fraction
    canaries: int
    guesses: int
    correct: int

    def falsifies(self, claim: Number) -> bool:
        """Whether the ε that is claimed (at the audit's δ) is refuted, at this confidence."""
        return self.epsilon > nonnegative(claim, "claim")

    def __str__(self) -> str:
        at = "" if self.delta == 0 else f" at δ = {float(self.delta):.3g}"
        return (
            f"ε ≥ {self.epsilon:.4g}{at} with {float(100 * self.confidence):.10g}% confidence: of {self.canaries:,} "
            f"canaries, {self.guesses:,} were guessed and {self.correct:,} of them right. Absence of falsification "
            f"proves nothing."
        )


def audit_training(
    train: Train,
    canaries: int = 1000,
    *,
    guesses: int | None = None,
    delta: Number = 0,
    confidence: Number = "0.999",
    bits: BitSource | None = None,
) -> CanaryAudit:
    """A lower bound on the ε of a training run, from that run alone (theory G8).

    ``train(included)`` trains once with those canaries whose coin says so, and returns a score for each canary: the
    higher, the likelier it was in. A canary is one protected unit, there or not, independently of the others. The
    highest and lowest scores are guessed, ``guesses`` in all, fixed beforehand; by default half of the canaries.

    >>> audit_training(lambda included: included, 400).epsilon > 3
    True
    """
    many = whole(canaries, "canaries", least=2)
    tried = whole(many // 2 if guesses is None else guesses, "guesses", least=1)
    if tried > many:
        raise refuse.more_than_all("guesses", tried, many)
    included = below(2, many, bits=given(bits)).astype(bool)
    scores = np.asarray(train(included.copy()), dtype=np.float64)
    if scores.shape != (many,):
        raise refuse.wrong_scores(many, scores.shape)
    leak, sure = nonnegative(delta, "delta"), probability(confidence, "confidence")
    correct = _correct(included, scores, tried)
    shown = one_run_epsilon(canaries=many, guesses=tried, correct=correct, delta=leak, confidence=sure)
    return CanaryAudit(shown, leak, sure, many, tried, correct)


def plant_canaries(*, epsilon: Number = 1, canaries: int = 1000, bits: BitSource | None = None) -> Attack:
    """Put canaries into the data of a gradient step, each with a direction of its own, and look for them in the sum.

    Without protection the sum of gradients is published as training leaves it. Partita answers the same sum, with noise
    for one gradient of length at most one.
    """
    import pyarrow

    source = given(bits)
    many, price = whole(canaries, "canaries", least=2), positive(epsilon, "epsilon")
    columns = {
        "direction": integers(0, many - 1, missing=0),
        "length": decimals(0, 1, step="0.01", missing=0),
    }
    seen: dict[str, tuple[Bits, Floats]] = {}

    def train(name: str, victim: Callable[[pyarrow.Table], Ask]) -> Train:
        def step(included: Bits) -> Floats:
            rows = pyarrow.table({"direction": np.flatnonzero(included), "length": np.ones(int(included.sum()))})
            model = np.zeros(many)
            for row in victim(rows)("SELECT direction, SUM(length) AS n FROM gradients GROUP BY direction"):
                model[row["direction"]] = row["n"]
            seen[name] = (included, model)
            return model

        return step

    def guarded(rows: pyarrow.Table) -> Ask:
        curator = protected([Table("gradients", source=rows, columns=columns)], price, bits=source)
        return Guarded(curator, epsilon=price)

    sure = 1 - Fraction(FALSE_ALARM)
    there = audit_training(
        train(WITHOUT, lambda rows: Exposed({"gradients": rows})), many, confidence=sure, bits=source
    )
    here = audit_training(train(AGAINST, guarded), many, confidence=sure, bits=source)
    lines = {name: trade_off(*found) for name, found in seen.items()}
    return Attack(
        name="canaries in a training step",
        aim=f"tell which of {many} planted records were in the data, from one step of training",
        criterion="Right guesses that show ε = 1, or the promised ε if less; never more than is promised (theory G8).",
        statistic="ε shown by guesses, but for one time in a million",
        without=there.epsilon,
        against=here.epsilon,
        surely=here.epsilon,
        needed=min(1.0, float(price)),
        allowed=float(price),
        chart=Chart(
            "false alarms",
            "hits",
            {**lines, ALLOWED: allowed_trade_off(Pure(epsilon=price)), BLIND: ((0.0, 0.0), (1.0, 1.0))},
        ),
        notes=tuple(
            f"{name}: {one.correct} of {one.guesses} guesses right."
            for name, one in ((WITHOUT, there), (AGAINST, here))
        ),
    )


def _correct(included: Bits, scores: Floats, guesses: int) -> int:
    """How many are right if the highest scores are called in and the lowest out, half of the guesses each."""
    order = np.argsort(scores, kind="stable")
    low, high = guesses // 2, guesses - guesses // 2
    return int(np.count_nonzero(included[order[len(order) - high :]]) + np.count_nonzero(~included[order[:low]]))
