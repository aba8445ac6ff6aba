"""Loads of many columns against brute force over all values and pairs, exact or bounded, with limits of every kind."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from partita.composition.account import RegionAccount
from partita.composition.account.engine import Engine, OfPairs, OfValues
from partita.composition.account.load import Load
from partita.composition.account.loads.allowance import sharing
from partita.composition.account.loads.wide import cover, pair_splits, splits
from partita.composition.account.loads.wide.booked import Scoped
from partita.composition.account.loads.wide.divided import Divisible
from partita.composition.account.loads.wide.pair_splits import PairSplits
from partita.composition.account.loads.wide.shown import Shown
from partita.composition.account.loads.wide.splits import Splits
from partita.composition.account.loads.wide.values import WideLoads
from partita.composition.plans.promise import Promise
from partita.granularity import rows
from partita.limits import Limits, using
from partita.region import Domain, Region, integers
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.theory.measures.pure import Pure
from tests.sizes import tried

Value = tuple[int, ...]
BUDGET = (1000, 700)
LIMITS = {
    "0": Limits.all(0),
    "1": Limits.all(1),
    "2": Limits.all(2),
    "default": Limits(axes=0),
    "groups": Limits(axes=0, numbers=1, eliminated=0),
    "small groups": Limits(axes=0, numbers=1, eliminated=0, grouped=8),
    "single columns": Limits(axes=0, numbers=1, eliminated=0, grouped=0),
    "one split": Limits(axes=0, numbers=1, eliminated=0, grouped=0, splits=1),
    "no fields": Limits(axes=0, numbers=1, eliminated=0, pair_numbers=0),
    "large units": Limits(axes=0, numbers=1, eliminated=0, single=100),
    "eliminated": Limits(axes=0, numbers=1, grouped=0),
    "few eliminated": Limits(axes=0, numbers=1, grouped=0, eliminated=12),
    "no work": Limits(axes=0, numbers=1, eliminated=0, looked=0),
}
BOUNDED = ("groups", "small groups", "single columns", "one split", "no fields")


def box(rng: random.Random, shape: Value) -> Box:
    return tuple(
        ((0, size),) if rng.random() < 0.5 else codes_of.of(rng.sample(range(size), rng.randint(1, size)))
        for size in shape
    )


def asked(rng: random.Random, shape: Value) -> Load:
    boxes = tuple(boxes_of.disjoint([box(rng, shape) for _ in range(rng.randint(1, 2))]))
    one = (rng.randint(0, 250), rng.randint(0, 180))
    both = tuple(rng.choice((0, cost, 2 * cost, rng.randint(0, 3 * cost))) for cost in one)
    return Load(boxes, one, both, rng.choice(((), both, (5, 5))))


def shape_of(rng: random.Random, kind: str) -> Value:
    return tuple(rng.choice((2, 3)) for _ in range(rng.randint(1, 4 if kind == "pairs" else 5)))


def engine(kind: str, shape: Value, limits: Limits) -> Engine:
    return (OfPairs if kind == "pairs" else OfValues)(shape, BUDGET, limits)


@lru_cache(maxsize=10_000)
def inside(shape: Value, boxes: tuple[Box, ...]) -> NDArray[np.bool_]:
    """Which values are held, asked one by one."""
    return np.array([Load(boxes, (), ()).holds(value) for value in product(*map(range, shape))])


def costs(kind: str, shape: Value, load: Load, component: int) -> NDArray[np.int64]:
    """What a load costs every value; or every change of one, to itself along the diagonal."""
    held = inside(shape, tuple(load.boxes))
    if kind == "values":
        return held * load.one[component]
    found = (held[:, None] ^ held) * load.one[component] + (held[:, None] & held) * load.substitution[component]
    np.fill_diagonal(found, held * load.same[component] if load.same else 0)
    return found


def losses(kind: str, shape: Value, booked: list[Load], where: Load, component: int) -> list[tuple[int, int]]:
    """For every value of a region, and every change of one, what it lost and what the charge would cost it."""
    held, cost = inside(shape, tuple(where.boxes)), costs(kind, shape, where, component)
    lost = sum((costs(kind, shape, load, component) for load in booked), np.zeros_like(cost))
    return list(zip(lost[held].ravel().tolist(), cost[held].ravel().tolist(), strict=True))


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["values", "pairs"])
def test_no_bound_is_below_brute_force(kind, limits):
    chosen = LIMITS[limits]
    admitted = 0
    for seed in range(8):
        rng = random.Random(f"{kind} {limits} {seed}")
        shape, booked = shape_of(rng, kind), []
        with using(chosen):
            account = engine(kind, shape, chosen)
            for _ in range(9):
                load = asked(rng, shape)
                answer, fits, over = account.decide(load), True, False
                for component, limit in enumerate(BUDGET):
                    found = losses(kind, shape, booked, load, component)
                    truth = max(lost for lost, _ in found)
                    extent = account.highest(load.boxes, component)
                    assert extent.lower <= truth <= extent.upper
                    fits = fits and all(lost + cost <= limit for lost, cost in found if cost)
                    over = over or any(lost + cost > limit for lost, cost in found)
                if answer.fits:
                    assert fits
                elif answer.proven and account.widened(load) is load:
                    assert over
                if account.exact and kind == "values":
                    assert answer.fits == fits
                if answer.fits or rng.random() < 0.2:
                    # Whether or not it fits, as an old book may hold it.
                    admitted += 1
                    account.book(load, answer)
                    booked.append(account.widened(load))
    assert admitted > 8


@pytest.mark.soak
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["values", "pairs"])
def test_a_book_opened_again_decides_as_the_one_that_was_written(kind, limits):
    chosen = LIMITS[limits]
    for seed in range(tried(6 if kind == "values" else 3, soaking=60)):
        rng = random.Random(f"again {kind} {limits} {seed}")
        shape, booked = shape_of(rng, kind), []
        with using(chosen):
            written = engine(kind, shape, chosen)
            for _ in range(14):
                load = asked(rng, shape)
                if written.decide(load).fits:
                    written.book(load)
                    booked.append((load, 1))
            opened = engine(kind, shape, chosen)
            opened.load(booked)
            for _ in range(8):
                load = asked(rng, shape)
                assert opened.decide(load).fits == written.decide(load).fits
                assert opened.decide(load).fits == opened.decide(load).fits
                for component in range(len(BUDGET)):
                    mine, theirs = (each.highest(load.boxes, component).upper for each in (opened, written))
                    assert mine == theirs


@pytest.mark.parametrize("kind", ["values", "pairs"])
def test_the_order_of_a_book_does_not_matter_for_soundness(kind):
    for seed in range(8):
        rng = random.Random(f"order {kind} {seed}")
        shape = shape_of(rng, kind)
        booked = [asked(rng, shape) for _ in range(10)]
        everything = Load([tuple(((0, size),) for size in shape)], (1, 1), (1, 1), (1, 1))
        truth = max(lost for lost, _ in losses(kind, shape, booked, everything, 0))
        for _ in range(3):
            rng.shuffle(booked)
            account = engine(kind, shape, LIMITS["small groups"])
            account.load([(load, 1) for load in booked])
            assert account.highest(everything.boxes, 0).upper >= truth


def test_columns_that_no_region_links_add_up_exactly():
    """Theory I14 (b): the heaviest value has the heaviest part in each group of columns."""
    rng = random.Random(7)
    shape = (4,) * 40
    limits = Limits(numbers=1, eliminated=0)
    account = OfValues(shape, (10**6,), limits)
    total = 0
    for first in range(0, 40, 2):
        for _ in range(5):
            part = box(rng, (4, 4))
            full = tuple(part[axis - first] if first <= axis < first + 2 else ((0, 4),) for axis in range(40))
            account.book(Load([full], (rng.randint(1, 90),), (0,)))
        amounts = account.loads.booked  # type: ignore[union-attr]
        weights = {
            value: sum(
                int(amounts.amounts[place, 0])
                for place, region in enumerate(amounts.regions)
                if set(region.axes) <= {first, first + 1} and region.holds((0,) * first + value + (0,) * (38 - first))
            )
            for value in product(range(4), repeat=2)
        }
        total += max(weights.values())
    everything = [tuple(((0, size),) for size in shape)]
    found = account.highest(everything, 0)
    base = account.loads.base[0]
    assert not account.exact
    assert found.upper == found.lower == total + base


# --- what goes wrong without the rules -------------------------------------------------------------------------


def fails(kind: str, limits: str, seeds: int = 60) -> bool:
    """Whether the law above finds something that was admitted and does not fit."""
    chosen = LIMITS[limits]
    for seed in range(seeds):
        rng = random.Random(f"wrong {seed}")
        shape, booked = shape_of(rng, kind), []
        with using(chosen):
            account = engine(kind, shape, chosen)
            for _ in range(9):
                load = asked(rng, shape)
                for component in range(len(BUDGET)):
                    truth = max(lost for lost, _ in losses(kind, shape, booked, load, component))
                    if account.highest(load.boxes, component).upper < truth:
                        return True
                account.book(load)
                booked.append(load)
    return False


@pytest.mark.parametrize("kind", ["values", "pairs"])
def test_without_a_mistake_nothing_is_found(kind):
    assert not fails(kind, "single columns", seeds=12)


def test_a_group_of_columns_that_is_forgotten_is_found(monkeypatch):
    bound = Splits.bound

    def forgetful(self, share):
        found, cells = bound(self, share)
        ends = self.offsets
        return found - (int(cells[ends[0] : ends[1]].max()) << self.shift), cells

    monkeypatch.setattr(Splits, "bound", forgetful)
    assert fails("values", "single columns")


def test_equal_parts_that_are_left_out_are_found(monkeypatch):
    """Theory I14 (b): a change may leave a group of columns as it is."""
    highest = pair_splits._highest

    def unlike(field, first=None, second=None):
        if field.ndim == 2 and len(field) > 1:
            field = field.copy()
            field[range(len(field)), range(len(field))] = 0
        return highest(field, first, second)

    monkeypatch.setattr(pair_splits, "_highest", unlike)
    assert fails("pairs", "single columns")


def test_a_projection_that_costs_only_both_is_found(monkeypatch):
    """Theory E24: a change inside a projection may have exactly one value in the region itself."""
    segments = cover.Cover.segments

    def narrow(self):
        found = segments(self)
        return found._replace(whole=found.whole | True)

    made = PairSplits.__init__

    def without(self, *arguments):
        monkeypatch.setattr(cover.Cover, "segments", narrow)
        made(self, *arguments)
        monkeypatch.setattr(cover.Cover, "segments", segments)

    monkeypatch.setattr(PairSplits, "__init__", without)
    assert fails("pairs", "single columns")


def test_a_split_that_comes_to_less_than_the_charge_is_found(monkeypatch):
    parts = Splits.parts
    monkeypatch.setattr(Splits, "parts", lambda self, *arguments: parts(self, *arguments) // 2)
    assert fails("values", "single columns")


def improved_wrongly(seeds: int) -> bool:
    """Whether bounds that were looked for with patience, kept, and raised by later bookings are below the truth."""
    for seed in range(seeds):
        rng = random.Random(f"improved {seed}")
        shape = tuple(rng.choice((2, 3)) for _ in range(5))
        limits = Limits(
            axes=0, numbers=1, eliminated=0, grouped=rng.choice((0, 4)), splits=rng.choice((1, 4)), divided=2
        )
        account, booked = OfValues(shape, BUDGET, limits), []
        for step in range(12):
            load = asked(rng, shape)
            with sharing(limits, rng.choice((1, 2, 9))):
                if step % 3 == 1:
                    account.improve(load.boxes, len(BUDGET))
                for component, limit in enumerate(BUDGET):
                    found = losses("values", shape, booked, load, component)
                    truth = max(lost for lost, _ in found)
                    extent = account.highest(load.boxes, component)
                    if not extent.lower <= truth <= extent.upper:
                        return True
                    if account.decide(load).fits and truth + load.one[component] > limit and load.one[component]:
                        return True
            load = asked(rng, shape)
            account.book(load)
            booked.append(load)
    return False


def test_bounds_that_were_improved_are_bounds_for_ever():
    assert not improved_wrongly(8)


def test_an_improved_bound_that_no_booking_raises_is_found(monkeypatch):
    monkeypatch.setattr(Shown, "add", lambda self, region, cost: None)
    assert improved_wrongly(25)


def test_a_decision_that_keeps_too_little_is_found(monkeypatch):
    keep = WideLoads._keep
    monkeypatch.setattr(
        WideLoads, "_keep", lambda self, region, component, upper: keep(self, region, component, upper - 1)
    )
    assert improved_wrongly(25)


def test_a_half_that_is_left_out_is_found(monkeypatch):
    halves = Divisible.halves

    def first(self, whole):
        found = halves(self, whole)
        return None if found is None else (found[0], found[0])

    monkeypatch.setattr(Divisible, "halves", first)
    assert improved_wrongly(25)


def test_patience_comes_to_the_truth():
    """Divided often enough a region is single cells, whose loads are known."""
    for seed in range(6):
        rng = random.Random(seed)
        limits = Limits(axes=0, numbers=1, eliminated=0, grouped=0, splits=2)
        account, (where, *_) = bounds_of(rng, limits)
        with sharing(limits, 10_000):
            found = account.highest([where], 0)
        assert found.upper == found.lower


def bounds_of(rng: random.Random, limits: Limits) -> tuple[OfValues, list[Box]]:
    shape = tuple(rng.choice((2, 3, 5)) for _ in range(8))
    account = OfValues(shape, (10**6,), limits)
    for _ in range(25):
        account.book(Load([box(rng, shape)], (rng.randint(1, 900),), (0,)))
    return account, [box(rng, shape) for _ in range(6)]


@pytest.mark.parametrize("floored", [True, False])
def test_what_is_said_to_remain_is_admitted_wherever_the_looking_ends(floored, monkeypatch):
    """A threshold ends the looking early, and what is told without one takes that into account."""
    monkeypatch.setattr(splits, "HOPELESS", {0: 1.3, 2: 1.05, 4: 1.0})
    if not floored:
        monkeypatch.setattr(splits, "ceil", lambda _: 0)
    refused = 0
    for seed in range(12):
        account, asked_of = bounds_of(random.Random(seed), Limits(axes=0, numbers=1, eliminated=0, grouped=0))
        for where in asked_of:
            left = 10**6 - account.highest([where], 0).upper
            refused += not account.decide(Load([where], (left,), (0,))).fits
    assert (refused == 0) == floored


def test_a_value_is_in_the_regions_that_hold_it():
    rng = random.Random(1)
    for _ in range(20):
        shape = tuple(rng.choice((2, 3, 4)) for _ in range(rng.randint(1, 6)))
        account = OfValues(shape, (10**6,), Limits(axes=0))
        for _ in range(12):
            account.book(asked(rng, shape)._replace(one=(1,)))
        booked = account.loads.booked  # type: ignore[union-attr]
        for value in ([rng.randrange(size) for size in shape] for _ in range(20)):
            assert booked.inside(value).tolist() == [region.holds(value) for region in booked.regions]


def test_a_region_knows_the_columns_that_it_constrains():
    region = Scoped((1,), ((((2, 5),),),))
    assert region.holds((0, 3))
    assert not region.holds((0, 5))


def test_patience_admits_more_and_never_what_does_not_fit():
    """With next to no work allowed little is shown to fit; ten times as much shows more."""
    admitted = []
    for patience in (1, 10):
        rng = random.Random(3)
        domain = Domain({f"c{axis}": integers(0, 2, missing=0) for axis in range(6)})
        limits = Limits(axes=0, numbers=1, eliminated=0, grouped=0, splits=1)
        account = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)), limits=limits)
        booked: list[Region] = []
        for _ in range(60):
            where = Region(domain, (box(rng, domain.shape),))
            if account.admit(where, Pure(epsilon="0.1"), patience=patience):
                booked.append(where)
        values = product(*map(range, domain.shape))
        assert max(sum(where.holds(value) for where in booked) for value in values) <= 10
        admitted.append(len(booked))
    assert admitted[1] > admitted[0]
