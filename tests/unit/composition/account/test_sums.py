"""Sums of amounts over values, regions and steps, where 64 bits would not hold them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.composition.account import RegionAccount
from partita.composition.account.account import Load
from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.changes import Changes
from partita.composition.account.loads.field import Part, clipped, dense
from partita.composition.account.loads.hot import HotPoints
from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.profile import Profiles
from partita.composition.account.loads.rectangles import Rectangles
from partita.composition.account.loads.sums import halves, joined, total, totals
from partita.composition.account.loads.units import LARGEST, ROOM
from partita.composition.account.loads.values import ValueLoads
from partita.composition.account.loads.windows import Steps, WindowLoads
from partita.composition.account.slots import SlotAccount
from partita.composition.plans.promise import Promise
from partita.granularity import replace, rows, windows
from partita.limits import Limits, using
from partita.region import Domain, Region, integers
from partita.region.box import Box
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

DAYS = Domain({"day": integers(0, 99)})


def line(low: int, high: int) -> list[Box]:
    return [(((low, high),),)]


def day(domain: Domain, number: int) -> Region:
    return Region(domain, (((((number, number + 1),)),),))


def test_the_machine_adds_modulo_two_to_the_64():
    """The corner differences of pairs rest on it: what wraps on the way comes out right in the end."""
    numbers = np.asarray([2**62, 2**62, 2**62, -(2**62), -(2**62), -(2**62), 7])
    assert np.cumsum(numbers)[-1] == 7
    field = np.zeros(1, dtype=np.int64)
    np.add.at(field, np.zeros(7, dtype=np.int64), numbers)
    assert field[0] == 7


@pytest.mark.parametrize("single", [0, 1 << 62])
def test_sums_are_exact_up_to_the_room_and_then_held(single):
    amounts = np.asarray([1, ROOM - 1, 1, ROOM, 0, ROOM, 5, *([ROOM] * 30)])
    truth = [sum(amounts.tolist()[: last + 1]) for last in range(len(amounts))]
    with using(Limits(single=single)):
        found = joined([half.cumsum() for half in halves(amounts)])
        assert len(halves(amounts)) == 2
        assert len(halves(amounts[:1])) == (2 if single == 0 else 1)
    assert found.tolist() == [min(part, ROOM) for part in truth]
    assert total(amounts) == truth[-1]
    assert totals(np.stack((amounts, amounts[::-1]), axis=1)) == [truth[-1]] * 2


@pytest.mark.parametrize("width", [2, 15, 16, 17, 31, 32, 33, 64, 100_000])
@pytest.mark.parametrize("loss", [lambda part: Pure(epsilon=part), lambda part: ZCDP(rho=part)], ids=["pure", "zcdp"])
def test_wide_windows_refuse_every_price_above_their_budget(width, loss):
    account = RegionAccount(DAYS, Promise(windows("day", width=width), loss(Fraction(1))))
    everything = Region.everything(DAYS)
    for price in (Fraction(1, 2) + Fraction(1, width), 1, 2, 4095, 4096, 4097, 10**7, 10**9, 10**40):
        assert not account.admits(everything, loss(Fraction(price)), unit=loss(Fraction(width * price)))
        assert not account.admits(everything, loss(Fraction(price)))
    assert account.spent(everything).is_zero()


@pytest.mark.parametrize("width", [16, 32, 100_000])
def test_wide_windows_admit_what_fits_and_no_more(width):
    account = RegionAccount(DAYS, Promise(windows("day", width=width), Pure(epsilon=1)))
    everything = Region.everything(DAYS)
    share = Pure(epsilon=Fraction(2, 5 * width))
    assert [account.admit(everything, share) for _ in range(3)] == [True, True, False]
    spent = account.spent(everything).vector()[0]
    assert Fraction(4, 5) <= spent <= Fraction(4, 5) + Fraction(1, 10**6)


def test_sums_over_windows_are_right_at_every_width():
    peaks = np.asarray([LARGEST, 0, ROOM, 3, 0])
    for width in (1, 2, 3, 15, 16, 32, 65_536):
        sums = Steps(0, width, 4, 4).sums(peaks).tolist()
        for number in (0, 1, 2, 3, width // 2, width, width + 2):
            steps = [min(max(step, 0), 3) for step in range(number - width + 1, number + 1)]
            if number < len(sums):
                assert sums[number] == min(ROOM, sum(int(peaks[step]) for step in steps))


def test_a_step_above_the_budget_is_refused_whatever_windows_come_to(monkeypatch):
    loads = WindowLoads((5,), (100,), Steps(0, 3, 4, 4))
    monkeypatch.setattr(Steps, "sums", lambda self, peaks: np.zeros(6, dtype=np.int64))
    assert loads.decide(line(0, 1), (100,)).fits
    assert not loads.decide(line(0, 1), (101,)).fits
    assert not loads.decide(line(4, 5), (101,)).fits


def test_a_change_above_the_budget_is_refused_before_any_search(monkeypatch):
    loads = PairLoads((5,), (100,))
    monkeypatch.setattr(PairLoads, "_decide", lambda self, *rest: None)
    assert loads.decide(line(0, 2), (100,), (100,)).fits
    assert not loads.decide(line(0, 2), (101,), (0,)).fits
    assert not loads.decide(line(0, 2), (0,), (101,)).fits
    assert loads.decide(line(0, 1), (0,), (101,)).fits
    assert loads.decide([(((0, 2),),), (((2, 5),),)], (101,), (0,)).fits


def test_many_regions_apart_are_searched_without_wrapping():
    """Half a budget in each of 2^17 regions, which together are 2^63 units, and one region twice."""
    count = 1 << 17
    low = np.repeat(np.arange(count, dtype=np.int64)[:, None], 2, axis=1)
    weight = np.full(count, LARGEST // 2)
    start, stop = np.zeros(2, dtype=np.int64), np.full(2, count)
    profiles = Profiles(low, low + 1, weight, start, stop)
    assert not profiles.search(LARGEST // 2, 200, Allowance(Limits())).witness
    found = profiles.search(LARGEST // 2 - 1, 200, Allowance(Limits()))
    assert found.witness is not None
    assert found.load == LARGEST // 2


@pytest.mark.parametrize("limits", [Limits(), Limits(coarse=0), Limits(dense=0), Limits(dense=0, single=0)])
def test_a_frozen_grid_of_many_full_regions_stays_full(limits):
    """Thirty-two times the room is 2^64 units: nothing, if it wraps."""
    small = Limits(numbers=4, frozen_numbers=4, full_below=0, coarse=limits.coarse, dense=limits.dense, bulk=0)
    with using(limits):
        loads = ValueLoads((40, 3), (LARGEST,), small)
        loads.load([([(((code, code + 1),), ((0, 2),))], (ROOM,)) for code in range(32)])
        assert not loads.exact
        for low, high in ((0, 32), (0, 40), (31, 33), (5, 6)):
            assert not loads.decide([(((low, high),), ((0, 3),))], (1,)).fits
        assert loads.decide([(((32, 40),), ((0, 3),))], (LARGEST,)).fits
        assert loads.highest([(((0, 40),), ((0, 3),))], 0).upper == ROOM


def test_what_covers_a_box_and_what_crosses_it_is_held():
    low, high = np.zeros((40, 1), dtype=np.int64), np.full((40, 1), 9, dtype=np.int64)
    weight = np.full(40, ROOM)
    assert clipped(low, high, weight, low[0], high[0]).base == ROOM
    cuts = [np.asarray([0, 5])]
    assert dense(Part(low, np.full((40, 1), 5), weight, 0), cuts).tolist() == [ROOM, 0]
    assert dense(Part(low, np.full((40, 1), 5), weight, ROOM), cuts).tolist() == [ROOM, ROOM]


@pytest.mark.parametrize("granularity", [rows(), replace(), windows("day", width=2)], ids=str)
def test_a_long_book_of_regions_apart_stays_payable_after_it_is_opened(granularity):
    """Whole budgets for 9,000 days, in units of which a ceiling on all of them together would refuse everybody."""
    count = 9_000 if granularity == rows() else 40
    domain = Domain({"day": integers(0, 9_999)})
    budget = Pure(epsilon=1)
    price = Pure(epsilon="0.5")
    everyday = [(day(domain, 2 * number if count < 100 else number), price, None) for number in range(count)]
    account = RegionAccount(domain, Promise(granularity, budget))
    account.load([(*charge, 2 if granularity == rows() else 1) for charge in everyday])
    live = RegionAccount(domain, Promise(granularity, budget))
    assert account.admits(day(domain, 9_500), price) == live.admits(day(domain, 9_500), price)
    assert account.admits(day(domain, 9_500), price)
    assert not account.admits(day(domain, 10), budget)


def test_loads_far_above_every_budget_are_held_and_refuse():
    whole = DAYS.everything
    for granularity in (rows(), replace(), windows("day", width=3)):
        account = RegionAccount(DAYS, Promise(granularity, Pure(epsilon=1)))
        some: Box = (((3, 60),),)
        amounts = (ROOM,)
        account.put([(Load((some,), amounts, amounts, amounts), 10**12), (Load((whole,), amounts, amounts), 10**12)])
        account.put([(Load((some,), amounts, amounts, amounts), 5)])
        for boxes in (Region(DAYS, (some,)), Region.everything(DAYS), day(DAYS, 80)):
            assert not account.admits(boxes, Pure(epsilon=Fraction(1, 10**9)))
            assert account.spent(boxes).vector()[0] > 1000
        assert account.worst()[0].vector()[0] > 1000


def test_a_map_of_loads_far_above_every_budget_is_full():
    domain = Domain({"day": integers(0, 9), "age": integers(0, 9)})
    load = Load((domain.everything,), (ROOM,), (ROOM,))
    for granularity in (rows(), replace(), windows("day", width=3)):
        account = RegionAccount(domain, Promise(granularity, Pure(epsilon=1)))
        for _ in range(20):
            account.put([(load, 10**12)])
        assert account.load_map("day", "age").spent.min() == 1


def test_pairs_are_not_searched_once_a_weight_is_held():
    """A sum that is held may not have negative gains taken off it: one(v) would be less than it is."""
    loads = PairLoads((4,), (10,))
    for others in ([*line(0, 1), *line(2, 4)], line(1, 4), line(0, 3)):
        loads.book(others, (5,), (0,))
    loads.book(line(0, 2), (ROOM,), (0,))
    found = loads.decide(line(0, 3), (1,), (0,))
    assert (found.fits, found.proven) == (False, False)
    lower, upper, _ = loads.highest(line(0, 4), 0)
    assert lower <= upper
    assert upper >= ROOM


def test_more_slots_than_can_be_counted_are_as_many_as_can():
    slots = SlotAccount(DAYS, rows(), {"many": 10**30})
    everything = Region.everything(DAYS)
    slots.take(everything, "many")
    assert slots.admits(day(DAYS, 4), "many")
    assert ValueLoads((5,), (10**30,)).budget == (LARGEST,)


def test_what_is_kept_of_charges_is_held():
    listed, changes, hot = Rectangles(1, 1), Changes(1, 1), HotPoints(1, 1)
    hot.remember((2,), [5])
    for _ in range(20):
        listed.add(line(0, 5), (ROOM,))
        changes.add(line(0, 5), (ROOM,), (ROOM,))
        hot.add(line(0, 5), (ROOM,))
    assert listed.weights.tolist() == [[ROOM]]
    assert changes.one.tolist() == changes.substitution.tolist() == [[ROOM]]
    assert hot.best(line(0, 5), 0) == (ROOM, (2,))


def test_exact_loads_of_one_value_or_pair_do_not_wrap():
    changes = Changes(1, 1)
    loads = ValueLoads((40,), (LARGEST,), Limits(numbers=1, frozen_numbers=1, full_below=0))
    for start in range(32):
        changes.add(line(start, 35), (ROOM,), (ROOM,))
        loads.book(line(start, 35), (ROOM,))
    assert changes.pair((33,), (39,)) == changes.pair((33,), (34,)) == [32 * ROOM]
    assert loads.load_of((33,)) == [ROOM]
    low, high = np.zeros((32, 1), dtype=np.int64), np.arange(5, 37)[:, None]
    assert Profiles(low, high, np.full(32, ROOM), low[0], np.full(1, 40)).guess() == (ROOM, (0,))


def test_pairs_of_many_regions_apart_are_searched_without_wrapping():
    """Thirty-two regions of 2^58 units are 2^63: far below nothing, if they are added up in 64 bits."""
    loads = PairLoads((34,), (LARGEST,))
    loads.book(line(32, 33), (1,), (5,))
    for code in range(32):
        loads.book(line(code, code + 1), (ROOM // 2,), (ROOM // 2,))
    assert not loads.decide(line(0, 32), (1,), (1,)).fits
    assert loads.highest(line(0, 34), 0)[:2] == (ROOM, ROOM)
