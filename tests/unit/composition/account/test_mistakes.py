"""Mistakes that would under-estimate a loss, each with the smallest case that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import Limits, RegionAccount
from partita.composition.account.engine import OfPairs
from partita.composition.account.load import Load
from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.grid import Grid
from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.settle import Search
from partita.composition.account.loads.values import ValueLoads, frozen
from partita.composition.plans.promise import Promise
from partita.granularity import Granularity, replace, rows, users
from partita.region import Domain, Region, identifier, integers
from partita.region.codes import of, span
from partita.theory.measures.pure import Pure


def line(*ends: int):
    """A box on one axis."""
    return [(tuple(zip(ends[::2], ends[1::2], strict=True)),)]


def test_a_bound_found_for_a_part_of_a_cell_is_not_stored_for_the_whole_cell():
    """Search [0, 5) of a cell [0, 10) whose weight lies in [5, 10)."""
    account = ValueLoads((10,), (100,), Limits(numbers=1, frozen_numbers=1, full_below=0))
    account.book(line(5, 10), (60,))
    account.book(line(0, 5), (10,))
    assert not account.exact
    Search(account.grid, 0, 20, Limits(steps=100), Allowance(Limits())).run(
        account.charges, np.array([0]), np.array([5])
    )
    assert account.grid.at((7,))[0] >= 60
    assert not account.decide(line(0, 10), (50,)).fits


def test_a_partner_bound_counts_all_partners_and_not_only_those_in_the_region_asked_about():
    account = PairLoads((4,), (100,))
    account.book(line(0, 1), (30,), (0,))
    account.book(line(3, 4), (50,), (0,))
    decision = account.decide(line(0, 2), (15,), (0,))
    assert decision.fits
    account.book(line(0, 2), (15,), (0,), decision.proofs)
    # The change from 0 to 3 now loses 30 + 15 + 50; six more would be too much.
    assert account.pair_of((0,), (3,)) == [95]
    assert not account.decide(line(0, 1), (6,), (0,)).fits
    assert not account.decide(line(3, 4), (6,), (0,)).fits


def test_the_lighter_value_of_a_pair_is_looked_at_as_well():
    """The new region holds only the lighter value of the heaviest pair."""
    account = PairLoads((3,), (100,))
    account.book(line(0, 1), (80,), (0,))
    account.book(line(1, 2), (5,), (0,))
    assert account.decide(line(1, 2), (15,), (0,)).fits
    assert not account.decide(line(1, 2), (16,), (0,)).fits


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_giving_up_is_a_refusal_and_its_bound_is_an_upper_bound(steps):
    shape = (9, 9, 9, 9)
    account = ValueLoads(shape, (50,), Limits(numbers=2, frozen_numbers=2, full_below=0, steps=steps))
    generator = np.random.default_rng(5)
    gave_up = 0
    for _ in range(120):
        ends = np.sort(generator.integers(0, 9, (4, 2)), axis=1)
        box = [tuple(span(int(low), int(high) + 1) for low, high in ends)]
        decision = account.decide(box, (4,))
        gave_up += not decision.proven
        assert decision.proven or not decision.fits
        if decision.fits:
            account.book(box, (4,))
    truth = np.zeros(shape, dtype=int)
    for low, high, weight in zip(account.charges.low, account.charges.high, account.charges.weights, strict=True):
        truth[tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))] += int(weight[0])
    assert truth.max() <= 50
    peak = account.highest([tuple(span(0, size) for size in shape)], 0)
    assert peak.lower <= truth.max() <= peak.upper
    assert gave_up > 0


def test_decisions_are_plain_truth_values():
    """A numpy truth value is never `is False`."""
    for decision in (
        ValueLoads((3,), (1,)).decide(line(0, 2), (1,)),
        ValueLoads((3,), (1,)).decide(line(0, 2), (2,)),
        PairLoads((3,), (1,)).decide(line(0, 2), (1,), (1,)),
        PairLoads((3,), (1,)).decide(line(0, 2), (1,), (2,)),
    ):
        assert type(decision.fits) is bool
        assert type(decision.proven) is bool


def test_overlapping_boxes_of_a_union_are_charged_once():
    domain = Domain({"x": integers(0, 9, missing=0)})
    region = Region.of(domain, [(span(0, 6),), (span(4, 9),)])
    account = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)))
    account.charge(region, Pure(epsilon="0.5"))
    assert account.worst()[0] == Pure(epsilon="0.5")


def test_two_boxes_of_one_region_that_round_to_the_same_cell_are_counted_once_and_not_less():
    account = ValueLoads((10,), (100,), Limits(numbers=1, frozen_numbers=1, full_below=0))
    account.book(line(0, 1), (1,))
    account.book([(of([2]),), (of([5]),)], (7,))
    assert account.grid.at((3,))[0] == 8
    assert account.load_of((5,)) == [7]


def test_a_region_that_makes_pairs_cheaper_is_never_rounded_outward():
    """Both inside costs nothing, so rounding the region outward would lower the loss of pairs that it misses."""
    account = PairLoads((12,), (100,), Limits(full_below=0))
    account.book(line(0, 6), (40,), (0,))
    account.book(line(6, 12), (40,), (0,))
    # The cut at 3 is new: the cell [0, 6) must not count as inside {0, 1, 2}.
    decision = account.decide(line(0, 3), (25,), (0,))
    assert not decision.fits
    assert decision.proven
    tight = PairLoads((12,), (100,), Limits(numbers=6, full_below=0))
    tight.book(line(0, 6), (40,), (0,))
    tight.book(line(6, 12), (40,), (0,))
    assert not tight.decide(line(0, 3), (25,), (0,)).fits


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 19), st.integers(1, 20), st.integers(1, 9)), min_size=1, max_size=12))
def test_a_frozen_grid_is_above_every_load_at_every_value(charges):
    account = ValueLoads((20,), (10**6,))
    for low, length, cost in charges:
        account.book(line(low, min(20, low + length)), (cost,))
    coarse = frozen((20,), account.charges, 1, Limits(frozen_numbers=3))
    assert len(coarse.cuts[0]) <= 3
    base = account.base[0]
    assert all(coarse.at((value,))[0] + base >= account.load_of((value,))[0] for value in range(20))


def test_a_grid_keeps_its_loads_when_it_is_refined():
    grid = Grid((10, 10), 1, 10_000, 0)
    grid.refine([(span(2, 5), span(0, 10))])
    grid.add([(span(2, 5), span(0, 10))], (3,))
    before = [[int(grid.at((x, y))[0]) for y in range(10)] for x in range(10)]
    grid.refine([(span(3, 9), of([1, 7]))])
    assert [[int(grid.at((x, y))[0]) for y in range(10)] for x in range(10)] == before


def test_truncating_anew_for_every_question_would_earn_no_parallel_credit():
    """Theory E14: one fixed truncation makes m rows the most; the account says m times the heaviest value."""
    domain = Domain({"who": identifier(), "part": integers(0, 9, missing=0)})
    who: Granularity = users("who", rows=3)
    account = RegionAccount(domain, Promise(who, Pure(epsilon=100)))
    for part in range(10):
        account.charge(Region.box(domain, part=part), Pure(epsilon=1))
    assert account.worst()[0] == Pure(epsilon=3)


def test_change_one_is_never_cheaper_than_add_remove_for_a_count_of_a_part():
    domain = Domain({"x": integers(0, 9, missing=0)})
    half = Region.box(domain, x=(0, 4))
    for granularity in (rows(), replace()):
        account = RegionAccount(domain, Promise(granularity, Pure(epsilon=9)))
        account.charge(half, Pure(epsilon=1), Pure(epsilon=0))
        assert account.worst()[0] == Pure(epsilon=1)


def test_a_list_of_very_many_values_is_read_and_charged_in_good_time():
    domain = Domain({f"c{j}": integers(0, 2000, missing=0) for j in range(3)})
    odd = list(range(1, 2000, 2))
    region = Region.box(domain, c0=odd, c1=odd, c2=odd)
    account = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)))
    account.charge(region, Pure(epsilon="0.5"))
    assert account.spent(region) == Pure(epsilon="0.5")
    assert not account.admits(region, Pure(epsilon="0.6"))


def test_bounds_found_before_another_charge_was_booked_are_not_used_after_it():
    """A ticket is decided, another charge is booked, then the ticket: its bounds know nothing of the other charge."""
    engine = OfPairs((4,), (120,), Limits())
    engine.book(Load(line(0, 1), (30,), (0,)))
    engine.book(Load(line(3, 4), (50,), (0,)))
    engine.book(Load(line(0, 3), (20,), (0,)))
    engine.book(Load(line(0, 1, 3, 4), (40,), (0,)))
    first = engine.decide(Load(line(0, 2), (5,), (0,)))
    second = engine.decide(Load(line(3, 4), (10,), (0,)))
    assert first.fits
    assert first.proofs
    assert second.fits
    engine.book(Load(line(3, 4), (10,), (0,)), second)
    engine.book(Load(line(0, 2), (5,), (0,)), first)
    components = 1
    for value in range(4):
        partner = int(engine.loads.grid.at((value,))[components]) + engine.loads._lift[0] + engine.loads.base[0]
        others = [engine.loads.pair_of((value,), (other,))[0] for other in range(4) if other != value]
        assert partner >= max(others)
