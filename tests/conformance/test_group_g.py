from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from partita.attacks.audits.one_run import one_run_epsilon, one_run_p_value
from partita.attacks.confidence import at_least, at_most, bonferroni, epsilon_lower_bound
from partita.attacks.laboratory.intersection import FIRST_HOSPITAL, SECOND_HOSPITAL, intersect
from tests.conformance.vectors import Vector, agrees, group, stem

Inputs = dict[str, Any]


def clopper_pearson(i: Inputs) -> list[float]:
    half = i["gamma"] / 2
    return [at_least(i["tp"], i["n_in"], half), at_most(i["fp"], i["n_out"], half)]


def lower_bound(i: Inputs) -> float:
    return epsilon_lower_bound(i["tp"], i["n_in"], i["fp"], i["n_out"], gamma=i["gamma"], delta=i["delta"])


def canaries(i: Inputs) -> dict[str, Any]:
    return {"canaries": i["m"], "guesses": i["r"], "correct": i["v"], "delta": i["delta"]}


COMPUTE: dict[str, Callable[[Inputs], Any]] = {
    "G.clopper_pearson": clopper_pearson,
    "G.eps_lower_bound": lower_bound,
    "G.one_run_pvalue": lambda i: one_run_p_value(epsilon=i["eps"], **canaries(i)),
    "G.one_run_eps_lower": lambda i: one_run_epsilon(confidence=1 - i["significance"], **canaries(i)),
    "G.hospital_intersection": lambda i: sorted(intersect(FIRST_HOSPITAL, SECOND_HOSPITAL, zip_code="13012", age=28)),
    "G.adaptive_audit_bonferroni": lambda i: bonferroni(i["gamma"], i["thresholds"]),
}


@pytest.mark.parametrize("vector", group("G"))
def test_attacks_and_audits_agree_with_the_vectors(vector: Vector) -> None:
    computed = COMPUTE[stem(vector)](vector["inputs"])
    assert agrees(computed, vector), computed
