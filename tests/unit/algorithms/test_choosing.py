"""Top-k, heavy hitters and quantiles of arrays: what is found, how far off, and at what cost."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from partita.algorithms.choosing import largest
from partita.algorithms.choosing.frequent import heavy_hitters
from partita.algorithms.choosing.largest import METHODS, top_k
from partita.algorithms.choosing.quantile import quantiles
from partita.attacks.audits.audit import audit
from partita.composition.guarantees.compose import compose
from partita.errors import PartitaError
from partita.sampling.bits import TestBits
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

COUNTS = {f"item {i}": 20 * i for i in range(40)}
PRICES = [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"}, {"mu": "0.5"}]
every_price = pytest.mark.parametrize("price", PRICES, ids=["ε", "ε, δ", "ρ", "μ"])


@every_price
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
def test_the_choice_costs_no_more_than_the_price(price, method, relation):
    event = top_k(COUNTS, 5, method=method, relation=relation, bits=TestBits(1), **price).event
    if "rho" in price:
        assert event.mechanism.cost(event.distance, ZCDP).rho * event.count <= Fraction(1, 10)
    elif "epsilon" in price:
        spent = compose([event], delta=price.get("delta", 0), relation=relation).epsilon
        assert 0.9 < spent <= 1 + 1e-9 or "delta" in price


@pytest.mark.parametrize("method", METHODS)
def test_chosen_items_fall_short_no_further_than_is_said(method):
    bits, short = TestBits(5), 0
    for _ in range(200):
        found = top_k(COUNTS, 3, epsilon="0.5", method=method, confidence=0.9, bits=bits)
        assert len(set(found.items)) == 3
        short += min(COUNTS[item] for item in found.items) < sorted(COUNTS.values())[-3] - found.shortfall
    # At most one in ten: more than 51 of 200 has a chance below 1e-6.
    assert short <= 51


def test_names_of_functions_are_not_those_of_modules():
    import partita.algorithms as algorithms

    assert all(callable(getattr(algorithms, name)) for name in ("TopK", "top_k", "HeavyHitters", "heavy_hitters"))


def test_one_after_the_other_sees_more_with_a_delta():
    plain = top_k(COUNTS, 20, epsilon=1, bits=TestBits(1)).shortfall
    leaky = top_k(COUNTS, 20, epsilon=1, delta="1e-6", bits=TestBits(1)).shortfall
    assert leaky < plain


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("relation", "first", "second"),
    [("add/remove", [1, 1, 1], [0, 0, 0]), ("change-one", [1, 0, 0], [0, 1, 1])],
    ids=["add/remove", "change-one"],
)
def test_choosing_is_not_refuted(method, relation, first, second):
    bits = TestBits(9)

    def chosen(counts, count):
        found = [top_k(counts, 2, epsilon=2, method=method, relation=relation, bits=bits).items for _ in range(count)]
        return np.array([3 * one + two for one, two in found])

    shown = audit(chosen, first, second, trials=1000, batch=True, confidence="0.9999999")
    assert not shown.falsifies(Pure(epsilon=2))


def chance_of_the_first_two(counts, scale):
    """The exact probability that the first two items are named, in this order, with rounded Laplace noise."""
    at = np.arange(-60, 61)
    far = np.abs(at)
    chances = np.where(far == 0, -np.expm1(-0.5 / scale), np.exp(-(far - 0.5) / scale) * -np.expm1(-1 / scale) / 2)
    up_to = np.cumsum(chances)
    total = 0.0
    for second, chance in zip(at + counts[1], chances, strict=True):
        first = chances[at + counts[0] >= second].sum()
        total += first * chance * np.prod([up_to[np.clip(second - other + 60, 0, 120)] for other in counts[2:]])
    return total


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
def test_the_largest_at_once_lose_what_is_said_by_their_exact_law(relation, monkeypatch):
    epsilon, scales = 4, []
    own = largest.rounded.laplace
    monkeypatch.setattr(
        largest.rounded, "laplace", lambda scale, size, bits: scales.append(float(scale)) or own(scale, size, bits)
    )
    top_k([0] * 5, 2, epsilon=epsilon, method="one-shot", relation=relation, bits=TestBits(1))
    steps = (0, 1) if relation == "add/remove" else (-1, 0, 1)
    # Two items that are named although three others have more lose most.
    counts = np.array([0, 0, 6, 6, 6])
    before, worst = chance_of_the_first_two(counts, scales[0]), 0.0
    for first, second, others in product(steps, repeat=3):
        moved = counts + np.array([first, second, others, others, others])
        worst = max(worst, abs(np.log(chance_of_the_first_two(moved, scales[0]) / before)))
    assert 0.9 * epsilon < worst <= epsilon + 1e-9


def test_of_equal_noisy_counts_the_first_item_is_named_whatever_the_exact_ones_are(monkeypatch):
    monkeypatch.setattr(largest.rounded, "laplace", lambda scale, size, bits: np.array([2, 0, -9]))
    assert top_k([3, 5, 0], 1, epsilon=1, method="one-shot").items == (0,)


def test_heavy_hitters_are_found_and_nobody_else():
    people = ["flu"] * 500 + ["cold"] * 400 + [f"secret {i}" for i in range(50)]
    for price in ({"epsilon": 1}, {"rho": "0.1"}):
        found = heavy_hitters(people, delta="1e-9", bits=TestBits(2), **price)
        assert set(found.counts) == {"flu", "cold"}
        assert abs(found.counts["flu"] - 500) <= found.error
        assert found.surely_found < 400
        assert found.plot().axes
        assert heavy_hitters(Counter(people), delta="1e-9", bits=TestBits(2), **price).counts == found.counts


@every_price
def test_quantiles_are_as_near_in_rank_as_is_said(price):
    draw = np.random.default_rng(1)
    values = np.sort(draw.integers(0, 10_000, 5001))
    outside = 0
    for seed in range(60):
        found = quantiles(values, ["0.1", "0.5", "0.9"], bounds=(0, 10_000), step=1, bits=TestBits(seed), **price)
        assert list(found.values) == sorted(found.values)
        for share, value in zip(found.shares, found.values, strict=True):
            low, high = np.searchsorted(values, value, "left"), np.searchsorted(values, value, "right")
            outside += not low - found.rank_error <= float(share) * 5001 <= high + found.rank_error
    assert outside <= 20


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
def test_quantiles_cost_no_more_than_the_price(relation):
    found = quantiles([1.0, 2.0], [0.25, 0.5], bounds=(0, 9), step="0.1", epsilon=1, relation=relation)
    assert compose(found.events, relation=relation).epsilon <= 1
    assert found.plot().axes


@every_price
def test_many_quantiles_cost_no_more_than_the_price_together(price):
    shares = [Fraction(place, 9) for place in range(1, 9)]
    events = quantiles([1.0, 2.0], shares, bounds=(0, 9), step=1, bits=TestBits(1), **price).events
    assert len(events) > 1
    if "epsilon" in price:
        assert compose(events, delta=price.get("delta", 0)).epsilon <= 1
        assert sum(event.count * event.mechanism.cost(event.distance, Pure).epsilon for event in events) <= 1
    else:
        kind, most = (ZCDP, Fraction(1, 10)) if "rho" in price else (GDP, Fraction(1, 4))
        spent = sum(event.count * event.mechanism.cost(event.distance, kind).vector()[0] for event in events)
        assert spent <= most


def test_quantiles_survive_any_numbers():
    found = quantiles([np.nan, np.inf, -np.inf, 1e300], bounds=(0, 9), step="0.5", epsilon=1)
    assert 0 <= found.values[0] <= 9
    assert quantiles([], bounds=(0, 9), step="0.5", epsilon=1).values


BAD = {
    "more than there are": lambda: top_k([1, 2], 3, epsilon=1),
    "none": lambda: top_k([1, 2], 0, epsilon=1),
    "fractions": lambda: top_k({"a": 1.5}, 1, epsilon=1),
    "no counts": lambda: top_k("abc", 1, epsilon=1),
    "method": lambda: top_k([1, 2], 1, epsilon=1, method="guess"),
    "no price": lambda: top_k([1, 2], 1),
    "lists": lambda: heavy_hitters([["a"]], epsilon=1, delta="1e-6"),
    "no keys": lambda: heavy_hitters(7, epsilon=1, delta="1e-6"),
    "no δ": lambda: heavy_hitters(["a"], epsilon=1, delta=0),
    "nothing said of δ": lambda: heavy_hitters(["a"], epsilon=1),
    "no numbers": lambda: quantiles(None, bounds=(0, 1), step=1, epsilon=1),
    "no shares": lambda: quantiles([1], [], bounds=(0, 1), step=1, epsilon=1),
    "share": lambda: quantiles([1], 1.5, bounds=(0, 1), step=1, epsilon=1),
    "bounds": lambda: quantiles([1], bounds=(1, 0), step=1, epsilon=1),
    "no bounds": lambda: quantiles([1], bounds=None, step=1, epsilon=1),
    "words": lambda: quantiles(["a"], bounds=(0, 1), step=1, epsilon=1),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_cannot_be_chosen_is_refused_before_anything_is_drawn(name, monkeypatch):
    monkeypatch.setattr("partita.sampling.entropy.system", lambda: pytest.fail("bits were drawn"))
    with pytest.raises(PartitaError):
        BAD[name]()
