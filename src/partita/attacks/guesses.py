"""Guesses of secret coins from scores: how many are right, the whole trade-off, and what a promise allows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from partita.attacks.attack import Attack, Chart, Line, surely
from partita.theory.measures.base import Measure
from partita.theory.semantics import membership_advantage, true_positive_rate

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

WITHOUT, AGAINST, ALLOWED, BLIND = (
    "without protection",
    "against Partita",
    "what the promise allows",
    "guessing blindly",
)
STATISTIC = "share of secrets guessed right"
_RATES = 41


def right(secrets: Bits, scores: Floats) -> int:
    """How many secrets are guessed right by calling a positive score a yes.

    >>> right(np.array([True, False]), np.array([0.3, 0.1]))
    1
    """
    return int(np.count_nonzero((scores > 0) == secrets))


def most_right(budget: Measure, steps: int = 1) -> float:
    """The largest share of fair coins that anybody can guess right, each coin hidden by this promise (theory B21).

    ``steps`` is how many protected units the coin decides about: one row that is there or not, two for a row that
    says one thing or another.

    >>> from partita.theory.measures.pure import Pure
    >>> round(most_right(Pure(epsilon=1)), 4)
    0.7311
    """
    return (1 + membership_advantage(budget if steps == 1 else budget.group(steps))) / 2


def trade_off(secrets: Bits, scores: Floats) -> Line:
    """The share of hits at every share of false alarms that some threshold gives."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    last = np.append(sorted_scores[1:] != sorted_scores[:-1], True)  # equal scores are on one side of any threshold
    hits = np.cumsum(secrets[order])[last] / max(1, np.count_nonzero(secrets))
    alarms = np.cumsum(~secrets[order])[last] / max(1, np.count_nonzero(~secrets))
    return ((0.0, 0.0), *zip(alarms.tolist(), hits.tolist(), strict=True))


def allowed_trade_off(budget: Measure, steps: int = 1) -> Line:
    """The most hits at every share of false alarms that a promise allows (theory B21)."""
    loss = budget if steps == 1 else budget.group(steps)
    rates = [Fraction(step, _RATES - 1) ** 2 for step in range(_RATES)]
    return tuple((float(rate), true_positive_rate(rate, loss)) for rate in rates)


def guessed(
    name: str,
    aim: str,
    *,
    secrets: Bits,
    without: Floats,
    against: Floats,
    budget: Measure,
    steps: int = 1,
    chart: Chart | None = None,
    notes: Sequence[str] = (),
) -> Attack:
    """The outcome of an attack that scores secret coins: positive for yes."""
    count = secrets.size
    there, here = right(secrets, without), right(secrets, against)
    most = most_right(budget, steps)
    if chart is None:
        lines = {
            WITHOUT: trade_off(secrets, without),
            AGAINST: trade_off(secrets, against),
            ALLOWED: allowed_trade_off(budget, steps),
            BLIND: ((0.0, 0.0), (1.0, 1.0)),
        }
        chart = Chart("false alarms", "hits", lines)
    return Attack(
        name=name,
        aim=aim,
        criterion=f"At least 95% of {count} fair coins guessed right; the promise allows {most:.1%} (theory B21).",
        statistic=STATISTIC,
        without=there / count,
        against=here / count,
        surely=surely(here, count),
        needed=0.95,
        allowed=most,
        chart=chart,
        notes=tuple(notes),
    )
