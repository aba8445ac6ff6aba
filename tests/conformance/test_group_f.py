"""The conformance vectors of group F: what algorithms built from many releases cost and how far they are off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from partita.algorithms import four_steps, mwem_bound, update_bound
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.streams.factors import column_square
from partita.algorithms.streams.running import levels_of
from partita.composition.calibration.pricing import Price
from tests.conformance.vectors import Vector, agrees, group, stem

Inputs = dict[str, Any]


def k_means(i: Inputs) -> list[float]:
    plan = Lloyd.plan(2, clusters=3, turns=i["T"], price=Price.of(epsilon=i["eps"]))
    (share,) = {float(one.distance.power / one.mechanism.scale) for one in plan.losses()}
    return [share, float(plan.noisy.noise("counts").scale)]


COMPUTE: dict[str, Callable[[Inputs], Any]] = {
    "F.kmeans_budget": k_means,
    "F.laplace_k_queries_error": lambda i: four_steps(i["k"], epsilon=i["eps"]).error(i["n"], confidence=1 - i["beta"]),
    "F.laplace_k_queries_n": lambda i: four_steps(i["k"], epsilon=i["eps"]).rows_for(
        i["alpha"], confidence=1 - i["beta"]
    ),
    "F.mw_update_bound": lambda i: update_bound(i["universe"], i["alpha"]),
    "F.sqrt_factorisation_colnorm2": lambda i: column_square(i["T"]),
    "F.tree_levels": lambda i: levels_of(i["T"]),
    "F.mwem_error_bound": lambda i: mwem_bound(i["n"], i["domain"], i["queries"], i["T"], i["eps"]),
}


@pytest.mark.parametrize("vector", group("F"))
def test_algorithms_agree_with_the_vectors(vector: Vector) -> None:
    assert agrees(COMPUTE[stem(vector)](vector["inputs"]), vector)
