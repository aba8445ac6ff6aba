"""Learners on a few rows are audited: no claim is refuted, and one with too little noise is caught."""

from __future__ import annotations

import numpy as np
import pytest

from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.perturbed import Perturbed
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.linear import Linear
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.principal import Principal
from partita.algorithms.learning.sums import Noisy
from partita.attacks.audits.audit import audit
from partita.composition.calibration.pricing import Price
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import TestBits
from partita.theory.measures.pure import Pure

SURE = "0.9999999"
PRICE = Price.of(epsilon=2)
LINE = Lattice.of((-1, 1), features=1, steps=UNIT)
# A row at the corner comes or goes.
POINTS, PAIRS = np.ones((2, 1)), np.ones((2, 2))
LEARNERS = {
    "kmeans": (Clusters.plan(Lattice.of((-1, 1), features=1, steps=STEPS), 1, PRICE), POINTS, ("centres", "sizes")),
    "lloyd": (Lloyd.plan(1, clusters=1, turns=1, price=PRICE), POINTS, ("centres", "sizes")),
    "linear": (Linear.plan(LINE, LINE, 1.0, PRICE), PAIRS, ("coefficients", "intercept", "rows")),
    "perturbed": (Perturbed.plan(LINE, 2, 1.0, PRICE), PAIRS, ("coefficients", "intercepts")),
    "gradient": (Logistic.plan(LINE, 2, 1.0, PRICE, turns=1), PAIRS, ("coefficients", "intercepts", "rows")),
    "disjoint": (Descent.plan(LINE, 2, 1.0, PRICE, turns=2, batches="disjoint"), PAIRS, ("coefficients", "rows")),
    "principal": (Principal.plan(LINE, 1.0, PRICE), POINTS, ("mean", "variances", "rows")),
    "curved": (Perturbed.plan(LINE, 2, 1.0, PRICE, curved=True), PAIRS, ("coefficients", "error", "sampling")),
}


def shown(learner, rows, fields, trials):
    bits = TestBits(5)

    def released(table, count):
        found = [learner.learn(table, bits=bits) for _ in range(count)]
        return np.array([np.concatenate([np.ravel(one[field]) for field in fields]) for one in found])

    return audit(released, rows, rows[:-1], trials=trials, batch=True, confidence=SURE)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_no_learner_gives_away_more_than_it_claims(name):
    assert not shown(*LEARNERS[name], trials=500).falsifies(Pure(epsilon=2))


@pytest.mark.slow
def test_a_learner_with_a_tenth_of_its_noise_is_caught():
    plan, rows, fields = LEARNERS["lloyd"]
    quiet = tuple(Laplace(scale=noise.scale / 10) for noise in plan.noisy.noises)
    broken = Lloyd(1, 1, 1, Noisy(plan.noisy.sums, quiet), (0.0,), 1.0)
    assert shown(broken, rows, fields, trials=500).falsifies(Pure(epsilon=2))
