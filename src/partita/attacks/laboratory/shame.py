"""Name and shame: publish everybody outright with a small probability, and call it private with ε = 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partita.attacks.attack import Attack, Chart
from partita.attacks.cohort import made
from partita.attacks.victims import given, protected
from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.errors import PartitaError
from partita.exact import Number, probability, whole
from partita.granularity import rows
from partita.sampling.bits import BitSource
from partita.theory.measures.approximate import Approximate
from partita.theory.semantics import someone_published

_QUESTION = "SELECT COUNT(*) AS n FROM patients"


def name_and_shame(
    *, epsilon: Number = 1, people: int = 1000, delta: Number = "0.01", bits: BitSource | None = None
) -> Attack:
    """Publish each record with probability δ: (0, δ)-private by the letter, and a scandal (theory B25, G5).

    Partita is asked for the same in every way there is: a promise with ε = 0 and a δ, an answer at that price, a δ from
    a budget that has none.
    """
    source = given(bits)
    count, leak = whole(people, "people", least=1), probability(delta, "delta")
    uniforms = source.words(count).astype(np.float64) * 2.0**-64
    published = int(np.count_nonzero(uniforms < float(leak)))
    table = made(1, count, bits=source).table()
    curator = protected([table], epsilon, bits=source)
    attempts: list[Callable[[], object]] = [
        lambda: Curator(
            tables=[table], promises=[Promise(rows(), Approximate(epsilon=0, delta=leak))], ledger=":memory:"
        ),
        lambda: curator.ask(_QUESTION, epsilon=0, delta=leak),
        lambda: curator.ask(_QUESTION, epsilon=0),
        lambda: curator.ask(_QUESTION, epsilon="0.5", delta=leak),
        lambda: curator.ask("SELECT * FROM patients", epsilon="0.5"),
    ]
    refusals = [refusal for refusal in map(_refusal, attempts) if refusal]
    accepted = len(attempts) - len(refusals)
    sizes = [10**power for power in range(6)]
    return Attack(
        name="name and shame",
        aim=f"publish some of {count} people outright under a guarantee of ε = 0, δ = {float(leak):g}",
        criterion="At least one record is published; Partita refuses every way of asking for it (theory B25, G5).",
        statistic="people published, and requests for it that are granted",
        without=float(published),
        against=float(accepted),
        surely=float(accepted),
        needed=1.0,
        allowed=0.0,
        chart=Chart(
            "people in the table",
            "chance that somebody is published",
            {
                f"δ = {float(one):g}": tuple((float(size), someone_published(size, one)) for size in sizes)
                for one in (leak, leak / 100, leak / 10**4)
            },
            logarithmic=True,
        ),
        notes=(
            f"The chance that somebody is published was {someone_published(count, leak):.4%}.",
            f"Refused {len(refusals)} of {len(attempts)} requests: {', '.join(sorted(set(refusals)))}.",
        ),
    )


def _refusal(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except PartitaError as refused:
        return refused.code
    return ""
