"""The last bits of an answer: noise in floating point betrays what it hides, noise on a lattice does not (Mironov)."""

from __future__ import annotations

import numpy as np

from partita.attacks.attack import Attack, Chart, surely
from partita.attacks.audits.low_bits import impossible, last_bit, naive_laplace
from partita.attacks.guesses import AGAINST, WITHOUT
from partita.attacks.victims import Floats, Guarded, given, protected
from partita.exact import Number, positive, whole
from partita.query.tables.schema import Table
from partita.region.columns import decimals, integers
from partita.sampling.bits import BitSource

_STEP = 100  # lattice steps in one unit


def read_low_bits(*, epsilon: Number = 1, draws: int = 4000, bits: BitSource | None = None) -> Attack:
    """Look for answers about an empty group that no group with one row could have given (theory G6).

    The textbook sampler adds floating-point Laplace noise to 0 or to 1. Partita answers a sum of decimals over empty
    groups; an answer off the public lattice, which is the same for every table, would be such an answer.
    """
    import pyarrow

    source = given(bits)
    many, price = whole(draws, "draws", least=1), positive(epsilon, "epsilon")
    uniforms = ((source.words(many) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    naive = naive_laplace(uniforms, 0.0, scale=float(1 / price))
    columns = {"ward": integers(0, many - 1, missing=0), "share": decimals(0, 1, step="0.01", missing=0)}
    nobody = pyarrow.table({"ward": np.zeros(0, dtype=np.int64), "share": np.zeros(0)})
    curator = protected([Table("shares", source=nobody, columns=columns)], price, bits=source)
    answers = Guarded(curator, epsilon=price)("SELECT ward, SUM(share) AS n FROM shares GROUP BY ward")
    private = np.array([float(row["n"]) for row in answers])
    there = int(np.count_nonzero(impossible(naive, 1.0, scale=float(1 / price))))
    here = int(np.count_nonzero(np.rint(private * _STEP) / _STEP != private))
    return Attack(
        name="low bits",
        aim=f"tell from the last bits of {many} answers about empty groups that no row is in them",
        criterion="At least half of the answers could not have come from a group with one row; none may (theory G6).",
        statistic="share of answers that are impossible with one row more",
        without=there / many,
        against=here / many,
        surely=surely(here, many),
        needed=0.5,
        allowed=0.0,
        chart=Chart(
            "place of the last set bit, as a power of two (Partita: of the column's step)",
            "answers that end there or later",
            {WITHOUT: _places(naive), AGAINST: _places(np.rint(private * _STEP))},
        ),
        notes=("Partita's answers are whole numbers of the column's public step, whatever the table holds.",),
    )


def _places(outputs: Floats) -> tuple[tuple[float, float], ...]:
    found = last_bit(outputs)
    return tuple((float(place), float(np.mean(found >= place))) for place in range(-60, 9))
