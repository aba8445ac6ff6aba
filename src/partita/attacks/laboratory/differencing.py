"""Differencing: two harmless counts whose difference is one person."""

from __future__ import annotations

from partita.attacks.attack import Attack
from partita.attacks.cohort import NAME, Cohort, made
from partita.attacks.guesses import guessed
from partita.attacks.victims import Ask, Exposed, Floats, Guarded, by_ward, given, protected
from partita.curator.curator import Curator
from partita.exact import Number, positive
from partita.sampling.bits import BitSource


def difference(
    *,
    epsilon: Number = 1,
    among: Cohort | None = None,
    against: Curator | None = None,
    analyst: str = "",
    bits: BitSource | None = None,
) -> Attack:
    """Count everybody, count everybody but one, and subtract (theory G2).

    Against Partita each of the two counts gets half of the budget, and the target pays for the first one.
    """
    source = given(bits)
    target = among or made(400, 20, bits=source)
    curator = against or protected([target.table()], epsilon, bits=source)
    everybody = f"SELECT ward, COUNT(*) AS n FROM {NAME} GROUP BY ward"
    but_one = f"SELECT ward, COUNT(*) AS n FROM {NAME} WHERE person <> 0 GROUP BY ward"
    exact = Exposed({NAME: target.rows()})
    noisy = Guarded(curator, analyst=analyst, epsilon=positive(epsilon, "epsilon") / 2)

    def subtracted(ask: Ask) -> Floats:
        counts = by_ward(ask, target.wards)
        return counts(everybody) - counts(but_one) - 0.5

    return guessed(
        "differencing",
        f"learn of one person in each of {target.wards} wards whether they are a patient, from two counts a ward",
        secrets=target.present[:, 0],
        without=subtracted(exact),
        against=subtracted(noisy),
        budget=curator.promises[0].budget,
        notes=("Both counts are charged to those in both; their noises are independent and do not cancel.",),
    )
