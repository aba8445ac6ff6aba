"""The conformance vectors of group E: general composition and the region account."""

from __future__ import annotations

from fractions import Fraction

import pytest

from partita.composition.account import RegionAccount
from partita.composition.account.verify import Item, heaviest_pair, heaviest_value
from partita.composition.plans.promise import Promise
from partita.errors import NotProven
from partita.exact import exact
from partita.granularity import replace, rows, users, windows
from partita.region import Domain, Region, identifier, integers
from partita.region import codes as codes_of
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.conformance.vectors import agrees, group, stem


def boxes_of(inputs):
    """The domain and regions of a vector of boxes; half-open intervals and sets of codes."""
    sizes = inputs["domain_sizes"]
    domain = Domain({f"c{j}": integers(0, size - 1, missing=0) for j, size in enumerate(sizes)})
    regions = []
    for box in inputs["boxes"]:
        axes = []
        for j, size in enumerate(sizes):
            wanted = box.get(str(j), {})
            if "interval" in wanted:
                axes.append(codes_of.span(*wanted["interval"]))
            elif "set" in wanted:
                axes.append(codes_of.of(wanted["set"]))
            else:
                axes.append(codes_of.span(0, size))
        regions.append(Region(domain, (tuple(axes),)))
    return domain, regions


def of_boxes(inputs):
    """The total by the account, and by the independent verifier."""
    domain, regions = boxes_of(inputs)
    change = inputs["neighbours"] == "change-one"
    account = RegionAccount(domain, Promise(replace() if change else rows(), Pure(epsilon=100)))
    items = []
    for place, region in enumerate(regions):
        one = Pure(epsilon=inputs["cost_exactly_one_inside"][place])
        both = Pure(epsilon=inputs["cost_both_inside"][place]) if change else None
        account.charge(region, one, both)
        items.append(Item(region.boxes, one.epsilon, one.epsilon if both is None else both.epsilon))
    heaviest = heaviest_pair if change else heaviest_value
    lower, upper, _ = heaviest(domain.shape, items)
    loss, _ = account.worst()
    assert account.exact
    assert lower == upper == loss.epsilon
    return loss.epsilon


def linear(inputs, *, change):
    """Theory E12: costs that depend on the value, booked as disjoint regions of equal cost."""
    domain = Domain({"x": integers(0, 10, missing=0)})
    big = [Fraction(value if value >= 5 else 0) for value in range(11)]
    costs = [[part / 10 for part in big], [Fraction(1, 2)] * 11]
    if change:
        return max(abs(big[v] - big[w]) / 10 for v in range(11) for w in range(11))
    account = RegionAccount(domain, Promise(rows(), Pure(epsilon=100)))
    for cost in costs:
        for value, part in enumerate(cost):
            account.charge(Region.box(domain, x=value), Pure(epsilon=part))
    return account.worst()[0].epsilon


def parts(count):
    domain = Domain({"part": integers(0, count - 1, missing=0)})
    return domain, [Region.box(domain, part=place) for place in range(count)]


def bounded(costs, budget):
    """Theory E6: common-domain change-one mechanisms on the parts of a partition."""
    domain, regions = parts(len(costs))
    account = RegionAccount(domain, Promise(replace(), budget))
    for region, cost in zip(regions, costs, strict=True):
        account.charge(region, cost, stated_for=replace())
    return account.worst()[0]


def computed(vector):
    inputs, name = vector["inputs"], stem(vector)
    if "boxes" in inputs:
        return of_boxes(inputs)
    if name.startswith("E.linear_query_pair_cost"):
        return linear(inputs, change=name.endswith("change_one"))
    match name:
        case "E.bounded_parallel_pure":
            return bounded([Pure(epsilon=e) for e in inputs["eps"]], Pure(epsilon=9)).epsilon
        case "E.bounded_parallel_gdp":
            return float(bounded([GDP(mu=m) for m in inputs["mu"]], GDP(mu=9)).mu)
        case "E.bounded_parallel_approx":
            pairs = zip(inputs["eps"], inputs["delta"], strict=True)
            found = bounded([Approximate(epsilon=e, delta=d) for e, d in pairs], Approximate(epsilon=9, delta="0.1"))
            return list(found.vector())
        case "E.user_m_records_pure":
            domain = Domain({"who": identifier(), "x": integers(0, 9)})
            account = RegionAccount(domain, Promise(users("who", rows=inputs["m"]), Pure(epsilon=9)))
            account.charge(Region.box(domain, x=(0, 4)), Pure(epsilon=inputs["max_value_load"]))
            account.charge(Region.box(domain, x=(5, 9)), Pure(epsilon="0.1"))
            return account.worst()[0].epsilon
        case "E.mixed_granularity_replace" | "E.mixed_granularity_addremove":
            return mixed(inputs)
        case "E.stable_preprocessing_zcdp":
            domain = Domain({"x": integers(0, 9)})
            account = RegionAccount(domain, Promise(rows(), ZCDP(rho=9)))
            for stability, rho in zip(inputs["r"], inputs["rho"], strict=True):
                account.charge(Region.everything(domain), ZCDP(rho=rho), stability=stability)
            return account.worst()[0].rho
        case "E.w_event":
            domain = Domain({"step": integers(0, len(inputs["eps_t"]) - 1, missing=0), "x": integers(0, 3)})
            account = RegionAccount(domain, Promise(windows("step", width=inputs["w"]), Pure(epsilon=9)))
            for step, epsilon in enumerate(inputs["eps_t"]):
                account.charge(Region.box(domain, step=step), Pure(epsilon=epsilon))
            return account.worst()[0].epsilon
        case "E.parallel_adaptive_updates_delta":
            return 1 - (1 - exact(inputs["delta"])) ** inputs["k"]
    raise AssertionError(vector["name"])


def mixed(inputs):
    domain = Domain({"x": integers(0, 9)})
    target = replace() if inputs["target"] == "change-one" else rows()
    account = RegionAccount(domain, Promise(target, Pure(epsilon=9)))
    account.charge(Region.everything(domain), Pure(epsilon=inputs["eps_unbounded"]))
    try:
        account.charge(Region.everything(domain), Pure(epsilon=inputs["eps_bounded"]), stated_for=replace())
    except NotProven:
        return "inf"
    return account.worst()[0].epsilon


@pytest.mark.parametrize("vector", group("E"))
def test_the_account_agrees_with_the_vector(vector):
    assert agrees(computed(vector), vector)


def test_routed_deltas_are_booked_at_no_less_than_the_attack_achieves():
    """Theory E19: a hundred stateful mechanisms on disjoint regions add their deltas, and the attack stays below."""
    domain, regions = parts(100)
    account = RegionAccount(domain, Promise(rows(), Approximate(epsilon=1, delta="0.2")), updates=True)
    for region in regions:
        account.charge(region, Approximate(epsilon="0.5", delta="0.001"), stateful=True)
    loss, _ = account.worst()
    assert loss == Approximate(epsilon="0.5", delta="0.1")
    assert float(loss.delta) >= 0.09520785288629095
