"""The loads of record values against plain sums over every value of a small domain."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account.loads.values import Limits, ValueLoads
from partita.region import box as boxes_of
from partita.region import codes as codes_of

BUDGET = (40, 25)


@st.composite
def histories(draw: st.DrawFn, most: int = 14):
    """A small domain and charges on random unions of boxes, categories' sets included."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))

    def axis(size: int):
        interval = st.tuples(st.integers(0, size - 1), st.integers(1, size)).map(
            lambda ends: codes_of.span(min(ends[0], ends[1] - 1), max(ends[0] + 1, ends[1]))
        )
        listed = st.sets(st.integers(0, size - 1), min_size=1).map(codes_of.of)
        return st.one_of(st.just(codes_of.span(0, size)), interval, listed)

    box = st.tuples(*(axis(size) for size in shape))
    charge = st.tuples(
        st.lists(box, min_size=1, max_size=3).map(boxes_of.disjoint),
        st.tuples(st.integers(0, 15), st.integers(0, 9)),
    )
    return shape, draw(st.lists(charge, max_size=most))


class Oracle:
    """Every value of the domain with its own sums."""

    def __init__(self, shape):
        self.loads = {point: np.zeros(2, dtype=int) for point in product(*(range(size) for size in shape))}

    def inside(self, boxes):
        return [
            point
            for point in self.loads
            if any(all(codes_of.holds(a, c) for a, c in zip(box, point, strict=True)) for box in boxes)
        ]

    def fits(self, boxes, cost):
        return all((self.loads[p] + cost <= BUDGET)[np.asarray(cost) > 0].all() for p in self.inside(boxes))

    def book(self, boxes, cost):
        for point in self.inside(boxes):
            self.loads[point] = self.loads[point] + cost

    def most(self, boxes):
        inside = self.inside(boxes)
        return [max((int(self.loads[p][c]) for p in inside), default=0) for c in range(2)]


def check(history, limits, *, exact):
    shape, charges = history
    account, oracle = ValueLoads(shape, BUDGET, limits), Oracle(shape)
    everything = [tuple(codes_of.span(0, size) for size in shape)]
    for boxes, cost in charges:
        decision = account.decide(boxes, cost)
        truth = oracle.fits(boxes, cost)
        assert not decision.fits or truth
        if exact or decision.proven:
            assert decision.fits == truth
        if decision.witness is not None:
            load = int(oracle.loads[decision.witness][decision.component])
            assert decision.witness in oracle.inside(boxes)
            assert decision.load == load
            assert load + cost[decision.component] > BUDGET[decision.component]
        if decision.fits:
            account.book(boxes, cost)
            oracle.book(boxes, cost)
        for asked in (boxes, everything):
            for component, most in enumerate(oracle.most(asked)):
                peak = account.highest(asked, component)
                assert peak.lower <= most <= peak.upper
                assert int(oracle.loads[peak.witness][component]) == peak.lower
                if exact:
                    assert peak.lower == peak.upper == most
    for point, loads in oracle.loads.items():
        assert account.load_of(point) == list(loads)
        upper = account.grid.at(point) + np.asarray(account._base)
        assert (upper >= loads).all()
    return account


@settings(max_examples=100)
@given(histories())
def test_every_decision_and_every_load_is_exact_on_a_grid(history):
    assert check(history, Limits(), exact=True).exact


@settings(max_examples=100)
@given(histories())
def test_a_grid_that_starts_coarse_and_is_refined_is_as_exact(history):
    assert check(history, Limits(full_below=0), exact=True).exact


@settings(max_examples=100)
@given(histories(), st.integers(2, 30))
def test_a_frozen_grid_with_a_search_by_cells_still_decides_exactly(history, numbers):
    check(history, Limits(numbers=numbers, frozen_numbers=numbers, full_below=0), exact=True)


@settings(max_examples=100)
@given(histories(), st.integers(2, 30))
def test_a_frozen_grid_with_a_search_by_profiles_still_decides_exactly(history, numbers):
    check(history, Limits(numbers=numbers, frozen_numbers=numbers, full_below=0, coarse=0), exact=True)


@settings(max_examples=100)
@given(histories(), st.integers(2, 30))
def test_cells_too_ragged_for_a_dense_field_are_searched_by_halving(history, numbers):
    check(history, Limits(numbers=numbers, frozen_numbers=numbers, full_below=0, dense=1), exact=True)


@settings(max_examples=100)
@given(histories(), st.integers(2, 30), st.integers(0, 4), st.sampled_from([0, 3]), st.sampled_from([1, 4, 64]))
def test_when_the_steps_run_out_the_bound_is_never_below_the_truth(history, numbers, steps, few, dense):
    small = {"dense": dense, "coarse": few, "extra": steps, "steps": steps}
    check(history, Limits(numbers=numbers, frozen_numbers=numbers, full_below=0, **small), exact=False)


@settings(max_examples=100)
@given(histories(), st.integers(2, 30), st.sampled_from([0, 1, 2, 60, 600, 6000]), st.sampled_from([0, 3]))
def test_when_the_numbers_run_out_the_bound_is_never_below_the_truth(history, numbers, looked, few):
    small = {"dense": 4, "coarse": few, "looked": looked}
    check(history, Limits(numbers=numbers, frozen_numbers=numbers, full_below=0, **small), exact=False)


def test_running_out_of_steps_really_happens_and_is_a_refusal_that_says_so():
    """The give-up path must be walked, or it is not tested."""
    account = ValueLoads((50, 50, 50, 50, 50), (100,), Limits(numbers=4, frozen_numbers=4, steps=1))
    generator = np.random.default_rng(1)
    unproven = 0
    for _ in range(200):
        ends = np.sort(generator.integers(0, 51, (5, 2)), axis=1)
        box = tuple(codes_of.span(int(low), int(high) + 1 if high < 50 else 50) for low, high in ends)
        if not all(box):
            continue
        decision = account.decide([box], (5,))
        unproven += not decision.proven
        assert decision.proven or not decision.fits
        if decision.fits:
            account.book([box], (5,))
    assert unproven > 0
    assert not account.exact


def test_an_empty_region_costs_nothing():
    account = ValueLoads((5,), (1,))
    assert account.decide([], (7,)).fits
    account.book([], (7,))
    assert account.load_of((3,)) == [0]


def test_a_cost_above_the_whole_budget_is_refused_with_a_value():
    decision = ValueLoads((5,), (10,)).decide([(codes_of.span(2, 4),)], (11,))
    assert not decision.fits
    assert decision.proven
    assert decision.witness == (2,)
