"""One decision has one allowance: no more numbers are looked at, and bounds stay above the truth."""

from __future__ import annotations

import random

import numpy as np
import pytest

from partita.composition.account import RegionAccount
from partita.composition.account.loads import field
from partita.composition.account.loads.allowance import Allowance, sharing
from partita.composition.account.loads.field import FEW, Part, corners, dense
from partita.composition.account.loads.partners import Partners
from partita.composition.account.loads.profile import Profiles
from partita.composition.account.loads.values import ValueLoads
from partita.composition.plans.promise import Promise
from partita.granularity import replace, rows
from partita.limits import Limits
from partita.region import Domain, Region, integers
from partita.region import box as boxes_of
from partita.region.codes import span
from partita.theory.measures.zcdp import ZCDP

AXES = 5
SIZE = 7
DOMAIN = Domain({f"c{axis}": integers(0, SIZE - 1, missing=0) for axis in range(AXES)})
FROZEN = {"numbers": 2, "frozen_numbers": 2, "full_below": 0, "coarse": 0}


def scattered(seed: random.Random, count: int) -> list:
    """So many values of two columns, the others free: boxes that no few cuts tell apart."""
    first, second = seed.sample(range(AXES), 2)
    cells = {(seed.randrange(SIZE), seed.randrange(SIZE)) for _ in range(count)}
    boxes = []
    for a, b in cells:
        box = [span(0, SIZE)] * AXES
        box[first], box[second] = span(a, a + 1), span(b, b + 1)
        boxes.append(tuple(box))
    return boxes_of.disjoint(boxes)


def truth(charges: list) -> np.ndarray:
    loads = np.zeros((SIZE,) * AXES, dtype=int)
    for boxes, cost in charges:
        for box in boxes:
            for corner in np.ndindex(*(len(codes) for codes in box)):
                loads[tuple(slice(*codes[at]) for codes, at in zip(box, corner, strict=True))] += cost
    return loads


def most(loads: np.ndarray, boxes: list) -> int:
    return max(truth_in(loads, box) for box in boxes)


def truth_in(loads: np.ndarray, box: tuple) -> int:
    return int(loads[np.ix_(*([code for low, high in codes for code in range(low, high)] for codes in box))].max())


@pytest.fixture
def looked(monkeypatch):
    """Counts the numbers that searches by profiles look at."""
    seen = []
    narrowed = Profiles._narrowed

    def counted(self, nodes, threshold):
        seen.append(len(nodes.first) * self.breadth)
        return narrowed(self, nodes, threshold)

    monkeypatch.setattr(Profiles, "_narrowed", counted)
    return seen


@pytest.mark.parametrize("allowed", [0, 1, 2, 5_000, 50_000])
def test_all_boxes_of_one_reading_share_one_allowance(allowed, looked):
    seed = random.Random(allowed)
    loads = ValueLoads((SIZE,) * AXES, (10**6,), Limits(**FROZEN, looked=allowed))
    charges = []
    for _ in range(6):
        boxes, cost = scattered(seed, 20), seed.randint(1, 9)
        loads.book(boxes, (cost,))
        charges.append((boxes, cost))
    counted = truth(charges)
    for count in (1, 5, 40):
        asked = scattered(seed, count)
        looked.clear()
        peak = loads.highest(asked, 0)
        assert sum(looked) <= allowed
        assert peak.lower <= most(counted, asked) <= peak.upper <= sum(cost for _, cost in charges)


def test_with_enough_of_it_a_reading_is_exact_and_takes_more_than_the_small_ones(looked):
    seed = random.Random(2)
    loads = ValueLoads((SIZE,) * AXES, (10**6,), Limits(**FROZEN))
    charges = [(scattered(seed, 20), seed.randint(1, 9)) for _ in range(6)]
    for boxes, cost in charges:
        loads.book(boxes, (cost,))
    asked = scattered(seed, 40)
    peak = loads.highest(asked, 0)
    assert peak.lower == peak.upper == most(truth(charges), asked)
    assert sum(looked) > 50_000


@pytest.mark.parametrize("allowed", [0, 2, 3_000, 30_000])
@pytest.mark.parametrize("rho", ["0.05", "100"])
def test_everything_that_is_said_of_one_region_shares_it_too(allowed, rho, looked):
    """Coordinates, and the trials that find what remains: one call, one allowance."""
    seed = random.Random(allowed)
    account = RegionAccount(
        DOMAIN, Promise(rows(), ZCDP(rho=rho, delta="1e-6")), limits=Limits(**FROZEN, looked=allowed)
    )
    cost = ZCDP(rho="0.01", delta="1e-8")
    for _ in range(6):
        account.admit(Region(DOMAIN, tuple(scattered(seed, 20))), cost)
    asked = Region(DOMAIN, tuple(scattered(seed, 40)))
    for reading in (account.headroom, account.remaining, account.spent):
        looked.clear()
        reading(asked)
        assert sum(looked) <= allowed
    for reading in (account.bracket, lambda: account.payable(asked, cost)):
        looked.clear()
        reading()
        assert sum(looked) <= 2 * allowed  # what is kept of a region is decided once more, by itself
    if not account.remaining(asked).is_zero():
        assert account.admits(asked, account.remaining(asked)) or allowed < 30_000


def test_the_climb_to_the_heaviest_pair_shares_one_allowance(monkeypatch):
    fields = []
    bound = Partners._bound

    def counted(self, blocks):
        fields.append(len(blocks))
        return bound(self, blocks)

    monkeypatch.setattr(Partners, "_bound", counted)
    seed = random.Random(3)
    small = Domain({"a": integers(0, 5, missing=0), "b": integers(0, 5, missing=0)})
    counts, tried, found = {}, {}, {}
    for numbers in (0, 60, 1 << 23):
        seed.seed(3)
        limits = Limits(full_below=0, pair_numbers=numbers, together=0)
        account = RegionAccount(small, Promise(replace(), ZCDP(rho=100, delta="1e-6")), limits=limits)
        for _ in range(12):
            box = tuple(span(low := seed.randrange(6), seed.randint(low + 1, 6)) for _ in range(2))
            account.charge(Region(small, (box,)), ZCDP(rho=seed.randint(1, 9), delta="1e-9"), ZCDP(rho=1))
        fields.clear()
        found[numbers] = account.bracket()
        counts[numbers] = len(fields)
        fields.clear()
        account.remaining(Region(small, (box,)))
        tried[numbers] = len(fields)
    exact, same = found[1 << 23]
    assert exact == same
    assert all(lower.rho <= exact.rho <= upper.rho for lower, upper in found.values())
    assert counts[0] == 0
    assert counts[60] == 1  # for both coordinates and all turns of the climb together
    assert counts[1 << 23] > 2
    assert tried[60] <= 1 < tried[1 << 23]


def test_an_allowance_that_was_refused_once_is_used_up():
    shared = Allowance(Limits(looked=10))
    assert shared.take(9)
    assert not shared.take(2)
    assert not shared.take(0)
    with sharing(Limits(looked=3)) as outer, sharing(Limits(looked=7)) as inner:
        assert inner is outer
        assert inner.looked == 3


def test_many_columns_with_a_cut_each_take_no_more_memory_than_their_cells():
    """A corner for every subset of 24 axes would be some gigabytes."""
    loads = ValueLoads((50,) * 24, (10**6, 10**6))
    for axis in range(24):
        box = [span(0, 50)] * 24
        box[axis] = span(0, 20)
        loads.book([tuple(box)], (3, 1))
    deep = [tuple(span(1, 20) for _ in range(24))]
    loads.book(deep, (5, 5))
    assert not loads.exact
    assert loads.load_of((1,) * 24) == [77, 29]
    peak = loads.highest([tuple(span(0, 50) for _ in range(24))], 0)
    assert peak.lower <= 77 <= peak.upper


def test_a_rectangle_with_many_corners_is_added_cell_by_cell(monkeypatch):
    seen = []
    monkeypatch.setattr(field, "corners", lambda *given: seen.append(len(given[0])) or corners(*given))
    low, high = np.zeros((2, 12), dtype=int), np.ones((2, 12), dtype=int)
    high[1, 2:] = 2
    cells = dense(Part(low, high, np.array([3, 4]), 0), [np.arange(2)] * 12)
    assert seen == [1]
    assert (cells[(0,) * 12], cells[(0,) * 11 + (1,)], cells.sum()) == (7, 4, 3 + 4 * 2**10)


@pytest.mark.parametrize("axes", [0, 1, 3, 10])
def test_a_field_is_the_plain_sum_of_its_rectangles(axes):
    generator = np.random.default_rng(axes)
    low = generator.integers(0, 2, (40, axes))
    high = low + generator.integers(1, 3, (40, axes))
    weight = generator.integers(1, 100, 40)
    cuts = [np.arange(4 if axes < 10 else 3) for _ in range(axes)]
    high = np.minimum(high, 4 if axes < 10 else 3)
    plain = np.full(tuple(len(along) for along in cuts), 7)
    for first, after, amount in zip(low, high, weight, strict=True):
        plain[tuple(slice(*ends) for ends in zip(first, after, strict=True))] += amount
    assert (dense(Part(low, high, weight, 7), cuts) == plain).all()
    assert axes < 10 or (2 ** (high < 3).sum(axis=1) > FEW).any()
