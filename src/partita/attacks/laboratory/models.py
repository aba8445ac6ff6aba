"""Membership inference on a trained model: whom it has seen, it knows too well."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from partita.attacks.attack import FALSE_ALARM, Attack, Chart
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT, Bits, allowed_trade_off, trade_off
from partita.attacks.laboratory.canaries import CanaryAudit, audit_training
from partita.attacks.victims import Floats, given
from partita.exact import Number, positive, whole
from partita.sampling.bits import BitSource
from partita.theory.measures.pure import Pure

# From rows and labels to a function that says how sure the model is of yes.
Fit = Callable[[Floats, Bits], Callable[[Floats], Floats]]


def infer_from_model(
    fit: Fit, *, epsilon: Number = 1, canaries: int = 200, features: int = 1000, bits: BitSource | None = None
) -> Attack:
    """Plant records with labels drawn by coins, train, and call those in whose labels the model knows (theory G4, G8).

    ``fit(rows, labels)`` trains the model that is attacked, which claims ε for one row added or removed, and returns
    its decision function; rows have every feature at -1 or 1. The unprotected model is a least-squares classifier with
    more weights than there are records, so that it learns all of them by heart.
    """
    source = given(bits)
    many, wide = whole(canaries, "canaries", least=2), whole(features, "features", least=1)
    price, sure = positive(epsilon, "epsilon"), 1 - Fraction(FALSE_ALARM)
    coins = (source.words(many * wide) >> np.uint64(63)).reshape(many, wide)
    rows: Floats = np.where(coins == 1, 1.0, -1.0)
    labels = (source.words(many) >> np.uint64(63)).astype(bool)
    signs = np.where(labels, 1.0, -1.0)
    seen: dict[str, tuple[Bits, Floats]] = {}

    def run(name: str, train: Fit) -> CanaryAudit:
        def known(included: Bits) -> Floats:
            found: Floats = signs * np.asarray(train(rows[included], labels[included])(rows), dtype=np.float64)
            seen[name] = (included, found)
            return found

        return audit_training(known, many, confidence=sure, bits=source)

    shown = {WITHOUT: run(WITHOUT, _by_heart), AGAINST: run(AGAINST, fit)}
    lines = {name: trade_off(*found) for name, found in seen.items()}
    return Attack(
        name="membership in a trained model",
        aim=f"tell which of {many} records a model of {wide} weights was trained on",
        criterion=(
            "Right guesses that show ε = 1, or the promised ε if less; never more than is promised (theory G4, G8)."
        ),
        statistic="ε shown by guesses, but for one time in a million",
        without=shown[WITHOUT].epsilon,
        against=shown[AGAINST].epsilon,
        surely=shown[AGAINST].epsilon,
        needed=min(1.0, float(price)),
        allowed=float(price),
        chart=Chart(
            "false alarms",
            "hits",
            {**lines, ALLOWED: allowed_trade_off(Pure(epsilon=price)), BLIND: ((0.0, 0.0), (1.0, 1.0))},
        ),
        notes=tuple(f"{name}: {one.correct} of {one.guesses} guesses right." for name, one in shown.items()),
    )


def _by_heart(rows: Floats, labels: Bits) -> Callable[[Floats], Floats]:
    weights = np.linalg.lstsq(rows, np.where(labels, 1.0, -1.0), rcond=None)[0]
    return lambda given: np.asarray(given @ weights, dtype=np.float64)
