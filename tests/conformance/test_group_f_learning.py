"""The vectors of group F that concern learning."""

from __future__ import annotations

import pytest

from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.composition.calibration.pricing import Price
from tests.conformance.vectors import agrees, group, stem

LEARNING = [case for case in group("F") if stem(case.values[0]) == "F.kmeans_budget"]


@pytest.mark.parametrize("vector", LEARNING)
def test_k_means_divides_its_budget_over_two_releases_a_turn(vector):
    plan = Lloyd.plan(2, clusters=3, turns=vector["inputs"]["T"], price=Price.of(epsilon=vector["inputs"]["eps"]))
    (share,) = {float(one.distance.power / one.mechanism.scale) for one in plan.losses()}
    assert agrees([share, float(plan.noisy.noise("counts").scale)], vector)
