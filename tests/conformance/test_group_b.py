from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import partita as pt
from partita.exact import exact
from partita.granularity import convert as convert_relation
from partita.theory.conversions import pure_to_mu, pure_to_rho, pure_to_tau
from partita.theory.measures.zcdp import simple_epsilon_of_rho
from tests.conformance.vectors import Vector, agrees, group, stem

Inputs = dict[str, Any]


def approximate(i: Inputs) -> pt.Approximate:
    return pt.Approximate(epsilon=i["eps"], delta=i.get("delta", 0))


def laplace(i: Inputs) -> Any:
    return pt.Laplace(epsilon=i.get("eps0", i.get("eps")))


def laplace_cost(i: Inputs, measure: Any) -> Any:
    return laplace(i).cost(pt.l1(1), measure)


def laplace_tau(i: Inputs) -> Fraction:
    return laplace_cost(i, pt.Renyi).at(i["alpha"])


COMPUTE: dict[str, Callable[[Inputs], Any]] = {
    "B.pure_to_rho_tanh": lambda i: pure_to_rho(exact(i["eps"])),
    "B.pure_to_rho_half_square": lambda i: exact(i["eps"]) ** 2 / 2,
    "B.pure_to_gdp_mu": lambda i: pure_to_mu(exact(i["eps"])),
    "B.laplace_to_gdp_mu": lambda i: laplace_cost(i, pt.GDP).mu,
    "B.laplace_to_rho": lambda i: laplace_cost(i, pt.ZCDP).rho,
    "B.pure_to_rdp": lambda i: pure_to_tau(exact(i["eps"]), exact(i["alpha"])),
    "B.laplace_rdp": laplace_tau,
    "B.zcdp_to_eps_simple": lambda i: simple_epsilon_of_rho(exact(i["rho"]), exact(i["delta"])),
    "B.zcdp_to_eps_cks": lambda i: pt.convert(pt.ZCDP(rho=i["rho"]), to=pt.Approximate, delta=i["delta"]).epsilon,
    "B.rdp_to_eps_cks": lambda i: pt.Renyi(order=i["alpha"], tau=i["tau"]).epsilon_at(exact(i["delta"])),
    "B.gdp_delta": lambda i: pt.GDP(mu=i["mu"]).delta_at(exact(i["eps"])),
    "B.gdp_eps": lambda i: pt.GDP(mu=i["mu"]).epsilon_at(exact(i["delta"])),
    "B.gdp_tradeoff": lambda i: pt.GDP(mu=i["mu"]).false_negatives(exact(i["alpha"])),
    "B.pure_delta_at_smaller_eps": lambda i: pt.Pure(epsilon=i["eps0"]).delta_at(exact(i["eps"])),
    "B.approx_delta_at_smaller_eps": lambda i: pt.Approximate(epsilon=i["eps0"], delta=i["delta0"]).delta_at(
        exact(i["eps"])
    ),
    "B.laplace_delta": lambda i: laplace(i).pair(pt.l1(1)).delta(float(i["eps"])),
    "B.group_approx": lambda i: pt.group_privacy(approximate(i), i["k"]).vector(),
    "B.group_zcdp": lambda i: pt.group_privacy(pt.ZCDP(rho=i["rho"]), i["k"]).rho,
    "B.unbounded_to_bounded_approx": lambda i: convert_relation(approximate(i), pt.rows(), pt.replace()).vector(),
    "B.mia_tpr_bound": lambda i: pt.true_positive_rate(i["fpr"], approximate(i)),
    "B.mia_advantage": lambda i: pt.membership_advantage(approximate(i)),
    "B.gdp_tpr": lambda i: pt.true_positive_rate(i["fpr"], pt.GDP(mu=i["mu"])),
    "B.posterior_upper": lambda i: pt.posterior(i["prior"], i["eps"]),
    "B.thm21_ratio": lambda i: pt.with_and_without(i["eps"])[0],
    "B.pdp_tail": lambda i: pt.posterior_odds(i["eps"], i["delta"], i["t"])[1],
    "B.name_and_shame_some_published": lambda i: pt.someone_published(i["n"], i["delta"]),
}


@pytest.mark.parametrize("vector", group("B"))
def test_a_measure_gives_the_value_of_the_theory(vector: Vector) -> None:
    computed = COMPUTE[stem(vector)](vector["inputs"])
    assert agrees(computed, vector), (computed, vector["expected"])
