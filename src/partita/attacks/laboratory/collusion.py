"""Collusion: many analysts, each within a budget of their own, put their answers together."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from partita.attacks.attack import Attack
from partita.attacks.cohort import NAME, Cohort, made
from partita.attacks.guesses import guessed
from partita.attacks.victims import Floats, Guarded, by_ward, given, protected
from partita.curator.curator import Curator
from partita.errors import BudgetExceeded
from partita.exact import Number, positive, whole
from partita.sampling.bits import BitSource
from partita.theory.measures.pure import Pure

_QUESTION = f"SELECT ward, COUNT(*) AS n FROM {NAME} WHERE person = 0 GROUP BY ward"


def collude(
    *,
    epsilon: Number = 1,
    analysts: int = 50,
    among: Cohort | None = None,
    against: Curator | None = None,
    bits: BitSource | None = None,
) -> Attack:
    """Every analyst asks the same at nearly the full budget, and all of them share what they are told.

    Without protection every analyst has a ledger of their own, as where budgets are kept for each account separately.
    Partita keeps one ledger for all. Prices differ a little, so that no stored answer is reused.
    """
    source = given(bits)
    target = among or made(400, 1, bits=source)
    joint = against or protected([target.table()], epsilon, bits=source)
    many, price = whole(analysts, "analysts", least=1), positive(epsilon, "epsilon")
    prices = [price * Fraction(1000 - number % 900, 1000) for number in range(many)]
    separate = [protected([target.table()], price, bits=source) for _ in range(many)]
    there, _ = _pooled(separate, prices, target.wards)
    for number in range(many):
        joint.session(analyst=f"analyst {number}", budget=None if against else Pure(epsilon=price))
    here, refused = _pooled([joint] * many, prices, target.wards)
    for curator in separate:
        curator.close()
    return guessed(
        "collusion",
        f"learn of one person in each of {target.wards} wards whether they are a patient, by {many} analysts together",
        secrets=target.present[:, 0],
        without=there,
        against=here,
        budget=joint.promises[0].budget,
        notes=(f"{refused} of {many} analysts were refused, though each was within a limit of their own.",),
    )


def _pooled(curators: list[Curator], prices: list[Fraction], wards: int) -> tuple[Floats, int]:
    """The mean of all answers, each weighted by its exactness, and how many were refused."""
    total, weight, refused = np.zeros(wards), 0.0, 0
    for number, (curator, price) in enumerate(zip(curators, prices, strict=True)):
        try:
            answer = by_ward(Guarded(curator, analyst=f"analyst {number}", epsilon=price), wards)(_QUESTION)
        except BudgetExceeded:
            refused += 1
            continue
        total += float(price) ** 2 * answer
        weight += float(price) ** 2
    return (total / weight - 0.5 if weight else total), refused
