"""The loads of pairs against sums over every pair of values of a small domain."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.values import Limits
from partita.region import box as boxes_of
from partita.region import codes as codes_of

BUDGET = (40, 30)


@st.composite
def histories(draw: st.DrawFn, most: int = 9):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))

    def axis(size: int):
        listed = st.sets(st.integers(0, size - 1), min_size=1).map(codes_of.of)
        return st.one_of(st.just(codes_of.span(0, size)), listed)

    box = st.tuples(*(axis(size) for size in shape))
    one = st.integers(0, 12)
    kind = st.sampled_from(["count", "same", "double", "fourfold", "free"])
    charge = st.tuples(
        st.lists(box, min_size=1, max_size=3).map(boxes_of.disjoint),
        st.tuples(one, one),
        kind,
        st.tuples(one, one),
    ).map(lambda found: (found[0], found[1], _both(found[1], found[2], found[3])))
    return shape, draw(st.lists(charge, max_size=most))


def _both(one, kind, free):
    factor = {"count": 0, "same": 1, "double": 2, "fourfold": 4}.get(kind)
    return free if factor is None else tuple(factor * part for part in one)


class Oracle:
    def __init__(self, shape):
        self.points = list(product(*(range(size) for size in shape)))
        self.charges = []

    def held(self, boxes):
        return {
            p
            for p in self.points
            if any(all(codes_of.holds(a, c) for a, c in zip(box, p, strict=True)) for box in boxes)
        }

    def pair(self, v, w, component, charges):
        total = 0
        for inside, one, both in charges:
            here = (v in inside) + (w in inside)
            total += (0, one[component], both[component])[here]
        return total

    def most(self, component, charges, around=None):
        return max(
            (
                self.pair(v, w, component, charges)
                for v, w in product(self.points, repeat=2)
                if v != w and (around is None or v in around or w in around)
            ),
            default=0,
        )

    def fits(self, boxes, one, both):
        inside = self.held(boxes)
        after = [*self.charges, (inside, one, both)]
        return all(not (one[c] or both[c]) or self.most(c, after, inside) <= limit for c, limit in enumerate(BUDGET))


def check(history, limits, *, exact):
    shape, charges = history
    account, oracle = PairLoads(shape, BUDGET, limits), Oracle(shape)
    everything = [tuple(codes_of.span(0, size) for size in shape)]
    for boxes, one, both in charges:
        decision = account.decide(boxes, one, both)
        truth = oracle.fits(boxes, one, both)
        several = len(oracle.points) > 1
        assert not decision.fits or truth
        if exact and several:
            assert decision.proven
        if decision.proven and several:
            assert decision.fits == truth
        if decision.witness is not None and several:
            v, w = decision.witness
            assert v != w
            assert decision.load == oracle.pair(v, w, decision.component, oracle.charges)
            inside = oracle.held(boxes)
            after = [*oracle.charges, (inside, one, both)]
            assert oracle.pair(v, w, decision.component, after) > BUDGET[decision.component]
        if decision.fits:
            account.book(boxes, one, both, decision.proofs)
            oracle.charges.append((oracle.held(boxes), one, both))
        if several:
            for component in range(2):
                lower, upper, pair = account.highest(everything, component)
                most = oracle.most(component, oracle.charges)
                assert lower <= most <= upper
                if exact:
                    assert lower == most == upper
                if lower:
                    assert oracle.pair(*pair, component, oracle.charges) == lower
    components = len(BUDGET)
    for v in oracle.points:
        for component in range(components):
            partner = (
                int(account.grid.at(v)[components + component]) + account._lift[component] + account._base[component]
            )
            assert all(oracle.pair(v, w, component, oracle.charges) <= partner for w in oracle.points if w != v)
    return account


@settings(max_examples=120)
@given(histories())
def test_every_decision_about_pairs_is_exact_on_a_grid(history):
    check(history, Limits(), exact=True)


@settings(max_examples=100)
@given(histories())
def test_a_grid_that_starts_coarse_is_as_exact(history):
    check(history, Limits(full_below=0), exact=True)


@settings(max_examples=100)
@given(histories(), st.integers(4, 40), st.sampled_from([0, 1, 20, 1 << 20]))
def test_when_the_limits_are_hit_no_pair_is_ever_under_estimated(history, numbers, work):
    check(history, Limits(numbers=numbers, full_below=0, pair_numbers=work), exact=False)


def test_one_slot_on_two_disjoint_values_is_seen_as_two_uses_by_the_pair():
    """Theory D9: once per value is not enough under change-one."""
    account = PairLoads((2,), (1,))
    left, right = [(codes_of.span(0, 1),)], [(codes_of.span(1, 2),)]
    assert account.decide(left, (1,), (1,)).fits
    account.book(left, (1,), (1,))
    decision = account.decide(right, (1,), (1,))
    assert not decision.fits
    assert decision.witness is not None
    assert set(decision.witness) == {(0,), (1,)}


def test_a_count_of_the_whole_table_is_free_under_change_one():
    account = PairLoads((5,), (1,))
    everything = [(codes_of.span(0, 5),)]
    for _ in range(10):
        assert account.decide(everything, (1,), (0,)).fits
        account.book(everything, (1,), (0,))
    assert account.highest(everything, 0)[:2] == (0, 0)


@pytest.mark.parametrize("both", [0, 1, 2, 4])
def test_a_union_of_boxes_is_one_region_and_not_two(both):
    """A change from one box of a region to the other has both values inside, and costs that."""
    account = PairLoads((3,), (100,))
    account.book([(((0, 1), (2, 3)),)], (1,), (both,))
    assert account.pair_of((0,), (2,)) == [both]
    assert account.pair_of((0,), (1,)) == [1]
    assert account.highest([(codes_of.span(0, 3),)], 0)[:2] == (max(1, both), max(1, both))


def test_bounds_on_partners_hold_after_what_all_were_lifted_by_is_settled(monkeypatch):
    """Disjoint bookings lift every value, far beyond what any pair bears; it is put into the bounds in good time."""
    monkeypatch.setattr("partita.composition.account.loads.pairs.FAR", 40)
    loads = PairLoads((6,), (1000,))
    for code in range(6):
        for times in range(3):
            loads.book([(((code, code + 1),),)], (7 + code,), (times,))
        assert loads._lift[0] <= 40
        for first in range(6):
            partner = int(loads.grid.at((first,))[1]) + loads._lift[0]
            assert partner >= max(loads.pair_of((first,), (other,))[0] for other in range(6) if other != first)
