"""Averaging: the same question over and over, until the noise is gone."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np

from partita.attacks.attack import Attack, Chart
from partita.attacks.cohort import NAME, Cohort, made
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT, guessed, most_right, right
from partita.attacks.victims import Counts, Exposed, Floats, Guarded, by_ward, given, protected
from partita.curator.curator import Curator
from partita.errors import BudgetExceeded
from partita.exact import Number, positive, whole
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import BitSource

# One question in different words.
_WORDINGS = (
    "person = 0",
    "NOT person <> 0",
    "person IN (0)",
    "person BETWEEN 0 AND 0",
    "person <= 0",
    "person < 1",
    "person = 0 AND ward >= 0",
    "person = 0 OR person = 0",
)


def average(
    *,
    epsilon: Number = 1,
    repeats: int = 100,
    among: Cohort | None = None,
    against: Curator | None = None,
    analyst: str = "",
    bits: BitSource | None = None,
) -> Attack:
    """Ask one question again and again, in other words each time, and average the answers.

    The unprotected curator adds noise at this ε to every answer anew and keeps no book. Partita recognises the
    question and returns the stored answer, so that all repeats together say no more than the first.
    """
    source = given(bits)
    target = among or made(400, 1, bits=source)
    curator = against or protected([target.table()], epsilon, bits=source)
    price = positive(epsilon, "epsilon")
    times = whole(repeats, "repeats", least=1)
    noise = Laplace(epsilon=price)

    def anew(counts: Floats) -> Floats:
        noisy: Floats = noise.release(counts.astype(np.int64), bits=source).astype(np.float64)
        return noisy

    there = _repeated(by_ward(Exposed({NAME: target.rows()}), target.wards, anew), times)
    here = _repeated(by_ward(Guarded(curator, analyst=analyst, epsilon=price), target.wards), times)
    secrets = target.present[:, 0]
    budget = curator.promises[0].budget
    most = most_right(budget)
    lines = {
        name: tuple((float(size), right(secrets, _mean(found[:size])) / secrets.size) for size in _steps(len(found)))
        for name, found in ((WITHOUT, there), (AGAINST, here))
    }
    lines |= {ALLOWED: ((1.0, most), (float(times), most)), BLIND: ((1.0, 0.5), (float(times), 0.5))}
    different = len({answer.tobytes() for answer in here})
    return guessed(
        "averaging",
        f"learn of one person in each of {target.wards} wards whether they are a patient, by asking {times} times",
        secrets=secrets,
        without=_mean(there),
        against=_mean(here) if here else np.zeros(target.wards),
        budget=budget,
        chart=Chart("times asked", "people guessed right", lines, logarithmic=True),
        notes=(f"Partita gave {different} different answer(s) to {times} wordings of one question.",),
    )


def _repeated(ask: Counts, times: int) -> list[Floats]:
    """The answers, until one is refused for want of budget."""
    found: list[Floats] = []
    for condition in islice(cycle(_WORDINGS), times):
        try:
            found.append(ask(f"SELECT ward, COUNT(*) AS n FROM {NAME} WHERE {condition} GROUP BY ward"))
        except BudgetExceeded:
            break
    return found


def _mean(found: list[Floats]) -> Floats:
    return np.asarray(np.mean(found, axis=0) - 0.5, dtype=np.float64)


def _steps(most: int) -> list[int]:
    return [size for size in (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000) if size < most] + [most] * bool(most)
