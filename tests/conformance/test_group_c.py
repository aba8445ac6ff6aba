from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from partita.exact import exact
from partita.mechanisms.amplified import amplified_tau
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise, analytic_sigma, textbook_holds, textbook_sigma
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.key_selection import LaplaceThreshold, laplace_threshold
from partita.mechanisms.laplace import laplace_quantile
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector, classical_error
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.conformance.vectors import Vector, agrees, group, stem
from tests.laws.brute_force import poisson_replace_loss

Inputs = dict[str, Any]


def scale(i: Inputs) -> Fraction:
    return exact(i["Delta"]) / exact(i["eps"])


def gaussian_delta(i: Inputs, sigma: Fraction) -> float:
    return float(GDP(mu=exact(i["Delta"]) / sigma).delta_at(exact(i["eps"])))


def discrete_delta(i: Inputs) -> float:
    noise = DiscreteGaussian(variance=i["sigma2"])
    return noise.pair(Distance.l2(i.get("Delta", 1))).delta(i["eps"])


def unsound_textbook(i: Inputs) -> float:
    assert not textbook_holds(i["eps"], i["delta"])
    return gaussian_delta(i, textbook_sigma(i["eps"], i["delta"], i["Delta"]))


def continuous_delta(i: Inputs) -> float:
    return float(GDP(mu=1).delta_at(exact(i["eps"])))


def permute_and_flip_divergence(i: Inputs) -> float:
    choice = PermuteAndFlip(epsilon=i["eps"])
    p, q = choice.probabilities(i["scores_D"]), choice.probabilities(i["scores_Dprime"])
    divergence = float(np.sum(p * np.log(p / q)))
    assert divergence > i["eps"] ** 2 / 8
    assert choice.cost(Distance.linf(1), ZCDP).rho >= divergence
    return divergence


def amplification(i: Inputs, scheme: str, rate: object) -> list[float]:
    """ε from a pure mechanism on a sample; δ from a leaky one whose own δ is the one of the vector."""
    poisson = scheme == "poisson"
    pure = Subsampled((Geometric if poisson else RandomizedResponse)(epsilon=i["eps"]), rate=rate, scheme=scheme)
    relation = "add/remove" if poisson else "change-one"
    leaky = TruncatedGeometric(epsilon=i["eps"], delta=i["delta"], relation=relation)
    both = Subsampled(leaky, rate=rate, scheme=scheme).cost(Distance.l1(1), Approximate)
    assert both.epsilon == pure.cost(Distance.l1(1), Pure).epsilon
    return [float(both.epsilon), float(both.delta)]


def replaced(i: Inputs) -> float:
    true = poisson_replace_loss(i["eps"], i["p"])
    naive = Subsampled(Geometric(epsilon=i["eps"]), rate=i["p"]).cost(Distance.l1(1), Pure).epsilon
    sound = Subsampled(
        Geometric(epsilon=i["eps"]), rate=i["p"], relation="change-one", presence=Distance.l1(1)
    ).cost(Distance.l1(2), Pure).epsilon  # fmt: skip
    assert math.isclose(naive, 0.41573522, rel_tol=1e-7)
    assert naive < true <= sound
    return true


def subsampled_delta(i: Inputs) -> float:
    pair = Subsampled(GaussianNoise(sigma=i["sigma"]), rate=i["q"]).pair(Distance.l2(1))
    return (pair.remove if i["direction"] == "remove" else pair.add).delta(i["eps"])


COMPUTE: dict[str, Callable[[Inputs], Any]] = {
    "C.rr_keep_prob": lambda i: RandomizedResponse(epsilon=i["eps"]).keep(),
    "C.rr_estimator_var_per_user": lambda i: RandomizedResponse(epsilon=i["eps"]).variance(),
    "C.rr_hoeffding_error": lambda i: RandomizedResponse(epsilon=i["eps"]).error(
        1 - exact(i["beta"]), reports=i["n"]
    ),
    "C.laplace_linf_bound": lambda i: float(scale(i)) * math.log(i["k"] / i["beta"]),
    "C.laplace_linf_exact": lambda i: laplace_quantile(scale(i), 1 - exact(i["beta"]), i["k"]),
    "C.geometric_pmf0": lambda i: math.tanh(i["eps"] / i["Delta"] / 2),
    "C.geometric_var": lambda i: Geometric(scale=scale(i)).variance(),
    "C.geometric_delta_equals_rr": lambda i: Geometric(epsilon=i["eps0"]).pair(Distance.l1(i["Delta"])).delta(i["eps"]),
    "C.gaussian_sigma_seed": lambda i: textbook_sigma(i["eps"], i["delta"], i["Delta"]),
    "C.gaussian_exact_delta_of_seed_sigma": lambda i: gaussian_delta(i, exact(i["sigma"])),
    "C.gaussian_sigma_analytic": lambda i: analytic_sigma(
        exact(i["eps"]), exact(i["delta"]), exact(i["Delta"]) ** 2
    ),
    "C.gaussian_seed_formula_unsound": unsound_textbook,
    "C.gaussian_rho": lambda i: GaussianNoise(sigma=i["sigma"]).cost(Distance.l2(i["Delta"]), ZCDP).rho,
    "C.discrete_gaussian_delta": discrete_delta,
    "C.discrete_gaussian_NOT_gdp": lambda i: discrete_delta(i) / continuous_delta(i),
    "C.discrete_gaussian_variance": lambda i: DiscreteGaussian(variance=i["sigma2"]).true_variance(),
    "C.permute_flip_probs": lambda i: PermuteAndFlip(epsilon=i["eps"]).probabilities(i["scores"]),
    "C.permute_flip_KL_exceeds_eps2_over_8": permute_and_flip_divergence,
    "C.exponential_tail": lambda i: Exponential(epsilon=i["eps"]).error(1 - exact(i["beta"]), entries=i["R"]),
    "C.exponential_rho": lambda i: Exponential(epsilon=i["eps"]).cost(Distance.linf(1), ZCDP).rho,
    "C.above_threshold_alpha": lambda i: classical_error(i["eps"], i["k"], 1 - exact(i["beta"])),
    "C.svt_optimal_split": lambda i: SparseVector(
        epsilon=i["eps"], positives=i["c"], monotone=i["monotone"]
    ).split,
    "C.poisson_amplification": lambda i: amplification(i, "poisson", i["p"]),
    "C.wor_amplification": lambda i: amplification(i, "without_replacement", Fraction(i["m"], i["n"])),
    "C.poisson_replace_counterexample": replaced,
    "C.poisson_gaussian_rdp": lambda i: amplified_tau(
        exact(i["q"]), 1 / exact(i["sigma"]) ** 2, Fraction(i["alpha"])
    ),
    "C.poisson_gaussian_delta_remove": subsampled_delta,
    "C.poisson_gaussian_delta_add": subsampled_delta,
    "C.partition_threshold_laplace": lambda i: laplace_threshold(
        i["l0"] * i["linf"] / exact(i["eps"]), i["delta"], i["l0"], i["linf"]
    ),
    "C.partition_delta_laplace": lambda i: LaplaceThreshold(
        scale=i["l0"] * i["linf"] / exact(i["eps"]), threshold=i["tau"], keys=i["l0"], rows=i["linf"]
    ).leak(),
    "C.partition_optimal_keep_prob": lambda i: TruncatedGeometric(
        epsilon=i["eps"], delta=i["delta"]
    ).keep_probability(i["n"]),
}  # fmt: skip


@pytest.mark.parametrize("vector", group("C"))
def test_mechanisms_agree_with_the_vectors(vector: Vector) -> None:
    computed = COMPUTE[stem(vector)](vector["inputs"])
    assert agrees(computed, vector), computed
