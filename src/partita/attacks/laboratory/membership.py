"""Membership inference on aggregates: many exact means of a small group tell who is in it (Homer and others)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from partita.attacks.attack import FALSE_ALARM, Attack, Chart
from partita.attacks.confidence import epsilon_lower_bound
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT, Bits, allowed_trade_off, trade_off
from partita.attacks.victims import Ask, Exposed, Floats, Guarded, given, protected
from partita.exact import Number, positive, whole
from partita.granularity import users
from partita.query.tables.schema import Table
from partita.region.columns import identifier, integers
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below

_QUESTION = "SELECT pool, site, SUM(allele) AS n FROM genomes GROUP BY pool, site"


def infer_membership(
    *, epsilon: Number = 1, pools: int = 200, people: int = 4, sites: int = 60, bits: BitSource | None = None
) -> Attack:
    """Compare a person with the published sums of a group and with the population, site by site (theory G4).

    Everybody has an allele or not at every site by a fair coin, and each group publishes its sums. The score of a
    person is the correlation of their alleles with the sums of the group. A threshold is chosen on half of the
    groups; on the other half, hits and false alarms give a lower bound on ε (theory G7). The unit is the person, with
    all sites.
    """
    import pyarrow

    source = given(bits)
    shape = (whole(pools, "pools", least=4), whole(people, "people", least=1), whole(sites, "sites", least=1))
    inside, outside = (below(2, int(np.prod(shape)), bits=source).reshape(shape) for _ in range(2))
    many, few, wide = shape
    genomes = pyarrow.table(
        {
            "person": [f"p{number}" for number in np.repeat(np.arange(many * few), wide)],
            "pool": np.repeat(np.arange(many), few * wide),
            "site": np.tile(np.arange(wide), many * few),
            "allele": inside.reshape(-1),
        }
    )
    table = Table(
        "genomes",
        source=genomes,
        columns={
            "person": identifier(),
            "pool": integers(0, many - 1, missing=0),
            "site": integers(0, wide - 1, missing=0),
            "allele": integers(0, 1, missing=0),
        },
    )
    price = positive(epsilon, "epsilon")
    curator = protected([table], price, bits=source, unit=users("person", rows=wide))
    budget = curator.promises[0].budget
    secrets = np.concatenate([np.ones((many, few), bool), np.zeros((many, few), bool)], axis=1)
    scores = {
        name: _scores(ask, inside, outside)
        for name, ask in ((WITHOUT, Exposed({"genomes": genomes})), (AGAINST, Guarded(curator, epsilon=price)))
    }
    shown = {name: _shown(secrets, found) for name, found in scores.items()}
    lines = {name: trade_off(secrets.ravel(), found.ravel()) for name, found in scores.items()}
    return Attack(
        name="membership in aggregates",
        aim=f"tell the {many * few} people in {many} groups from as many others, by {wide} sums of each group",
        criterion=(
            "Hits and false alarms that show ε = 1, or the promised ε if less; never more than is promised "
            "(theory B21, G4, G7)."
        ),
        statistic="ε shown by hits and false alarms, but for one time in a million",
        without=shown[WITHOUT],
        against=shown[AGAINST],
        surely=shown[AGAINST],
        needed=min(1.0, float(price)),
        allowed=float(price),
        chart=Chart(
            "false alarms", "hits", {**lines, ALLOWED: allowed_trade_off(budget), BLIND: ((0.0, 0.0), (1.0, 1.0))}
        ),
        notes=tuple(f"{name}: {_hits(secrets, found):.0%} hits at 5% false alarms." for name, found in scores.items()),
    )


def _scores(ask: Ask, inside: Floats, outside: Floats) -> Floats:
    """For each group the scores of those in it, then of those outside."""
    many, few, wide = inside.shape
    sums = np.zeros((many, wide))
    for row in ask(_QUESTION):
        sums[row["pool"], row["site"]] = row["n"]
    surplus = sums - few / 2
    people = np.concatenate([inside, outside], axis=1) - 0.5
    found: Floats = np.einsum("gps,gs->gp", people, surplus)
    return found


def _shown(secrets: Bits, scores: Floats) -> float:
    """A threshold from the first half of the groups, and the ε that the second half shows with it."""
    half = len(scores) // 2
    practice, said = scores[:half].ravel(), secrets[:half].ravel()
    places = np.unique(practice)
    hits, alarms = (np.array([np.mean(practice[which] >= place) for place in places]) for which in (said, ~said))
    threshold = places[np.argmax(hits - alarms)]
    counted, truth = scores[half:].ravel() >= threshold, secrets[half:].ravel()
    return epsilon_lower_bound(
        int(counted[truth].sum()),
        int(truth.sum()),
        int(counted[~truth].sum()),
        int((~truth).sum()),
        gamma=Fraction(FALSE_ALARM),
    )


def _hits(secrets: Bits, scores: Floats, rate: float = 0.05) -> float:
    threshold = np.quantile(scores[~secrets], 1 - rate)
    return float(np.mean(scores[secrets] > threshold))
