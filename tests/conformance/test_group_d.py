"""Composition: every vector of group D, computed through the product."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from partita.composition.adaptive.filters import either_order
from partita.composition.adaptive.odometer import Odometer
from partita.composition.adaptive.slots import Slots
from partita.composition.calibration.calibrate import calibrate, split
from partita.composition.guarantees.compose import compose
from partita.composition.rules import advanced, classical
from partita.composition.rules.prices import Price
from partita.exact import exact
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.tabulated import tabulated
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.conformance.vectors import Vector, agrees, group, stem

Inputs = dict[str, Any]


def equal(i: Inputs) -> list[Price]:
    return [Price(exact(i["eps"]), exact(i.get("delta", 0)), i["k"])]


def kov(i: Inputs) -> list[float]:
    at = (i["k"] - 2 * i["j"]) * exact(i["eps"])
    return [float(at), compose([(Pure(epsilon=i["eps"]), i["k"])], delta="1e-3", method="optimal").profile(at)]


def murtagh_vadhan(i: Inputs) -> float:
    events = [Approximate(epsilon=e, delta=d) for e, d in zip(i["eps"], i["delta"], strict=True)]
    return compose(events, delta="0.2", method="optimal").profile(i["eps_g"])


def counterexample(i: Inputs) -> list[float]:
    """Both paths as plans, and the analyst who takes the worse one each time (theory D8)."""
    first, a, b = (
        [Pure(epsilon=e) for e in i[key]] if key != "first" else [Pure(epsilon=i[key])] for key in ("first", "A", "B")
    )
    plans = [compose([*first, *rest], delta="0.3").profile(i["eps_g"]) for rest in (a, b)]
    high = 1 / (1 + math.exp(-i["first"]))
    up = compose(a, delta="0.3").profile(exact(i["eps_g"]) - exact(i["first"]))
    down = compose(b, delta="0.3").profile(exact(i["eps_g"]) + exact(i["first"]))
    return [*plans, high * up + (1 - high) * down]


def odometer(i: Inputs) -> float:
    running = Odometer(rho=i["rho0"], delta=i["delta"])
    running.record(ZCDP(rho=i["rho_t"]))
    return running.bound()


def dots(i: Inputs) -> list[float]:
    curve = GaussianLoss(i["mu"])
    law = tabulated([(float(e), curve.delta(float(e))) for e in i["grid"]])
    return [*law.masses, law.infinity]


def exists_order(i: Inputs) -> float:
    """An either-or filter over r orders promises the sum of their δ, so each may take δ / r."""
    share = Fraction(i["delta_total"]).limit_denominator(10**12) / i["orders"]
    orders = [(2 + j, Fraction(1, 10**6)) for j in range(i["orders"])]
    least = max(Renyi(order=order, tau=tau).epsilon_at(share) for order, tau in orders)
    promised = either_order(orders, epsilon=least, delta=i["delta_total"]).certified()
    assert promised.vector()[1] <= i["orders"] * share
    return float(share)


def carried(i: Inputs) -> float:
    at = ZCDP(rho="0.1").epsilon_at(exact(i["delta_conv"]))
    return float(ZCDP(rho="0.1", delta=i["delta_approx"]).delta_at(at))


COMPUTE: dict[str, Callable[[Inputs], Any]] = {
    "D.advanced_seed": lambda i: advanced.formula(equal(i), i["delta_prime"]),
    "D.advanced_DRV_old": lambda i: classical.dwork_rothblum_vadhan(i["eps"], i["k"], i["delta_prime"]),
    "D.filter_whitehouse": lambda i: classical.whitehouse(i["k"] * i["eps"] ** 2, i["delta_prime"]),
    "D.filter_pure_via_zcdp_tanh_cks": lambda i: (
        compose([(Pure(epsilon=i["eps"]), i["k"])], delta=i["delta"], method="zcdp").epsilon
    ),
    "D.kov_optimal": kov,
    "D.mv_hetero_delta_with_deltas": murtagh_vadhan,
    "D.gaussian_kfold_delta": lambda i: compose([(GaussianNoise(sigma=i["sigma"]), i["k"])], delta="0.1").profile(
        i["eps"]
    ),
    "D.gdp_compose": lambda i: sum((GDP(mu=mu) for mu in i["mu"]), GDP(mu=0)).mu,
    "D.laplace_2fold_delta": lambda i: compose([(Laplace(epsilon=i["eps0"]), i["k"])], delta="0.1").profile(i["eps"]),
    "D.natural_filter_counterexample": counterexample,
    "D.inverse_gaussian_sigma_zcdp": lambda i: (
        calibrate(GaussianNoise, count=i["k"], epsilon=i["eps"], delta=i["delta"], method="zcdp").sigma
    ),
    "D.inverse_gaussian_sigma_gdp": lambda i: (
        calibrate(GaussianNoise, count=i["k"], epsilon=i["eps"], delta=i["delta"], method="gdp").sigma
    ),
    "D.inverse_advanced_seed": lambda i: split(i["eps"], i["delta"], i["k"], method="advanced")[0],
    "D.inverse_pure_via_zcdp": lambda i: (
        calibrate(Pure, count=i["k"], epsilon=i["eps"], delta=i["delta"], method="zcdp").epsilon
    ),
    "D.inverse_optimal_pure": lambda i: (
        calibrate(Pure, count=i["k"], epsilon=i["eps"], delta=i["delta"], method="optimal").epsilon
    ),
    "D.odometer_ville": odometer,
    "D.connect_the_dots": dots,
    "D.token_slots_delta": lambda i: (
        Slots([Pure(epsilon=e) for e in i["slots"]]).guarantee(delta="0.1").profile(i["eps"])
    ),
    "D.rdp_exists_alpha_union": exists_order,
    "D.kov_total_delta": lambda i: advanced.total_delta(
        [Price(Fraction(1), exact(i["delta"]), i["k"])], i["delta_prime"]
    ),
    "D.approx_zcdp_to_dp_delta": carried,
}


@pytest.mark.parametrize("vector", group("D"))
def test_the_composition_vectors_are_met(vector: Vector) -> None:
    assert agrees(COMPUTE[stem(vector)](vector["inputs"]), vector)


def test_every_vector_of_the_group_is_computed() -> None:
    assert {stem(parameter.values[0]) for parameter in group("D")} <= set(COMPUTE)
