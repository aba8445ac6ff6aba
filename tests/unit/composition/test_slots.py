from __future__ import annotations

import pytest

from partita.composition.adaptive.slots import Slots, dominates
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Mode
from partita.composition.plans.plan import read
from partita.errors import BudgetExceeded, InvalidInput, NotProven
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.subsampled import Subsampled
from partita.region.columns.integers import integers
from partita.region.domain import Domain
from partita.region.region import Region
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure


def test_slots_give_the_exact_total_of_everything_declared():
    slots = Slots([(Laplace(epsilon="0.1"), 50), (GaussianNoise(sigma=20), 50)])
    total = slots.guarantee(delta="1e-6")
    assert total.mode is Mode.FULLY_ADAPTIVE
    planned = compose([(Laplace(epsilon="0.1"), 50), (GaussianNoise(sigma=20), 50)], delta="1e-6")
    assert total.epsilon == pytest.approx(planned.epsilon, rel=1e-12)
    slots.take(Laplace(epsilon="0.05"))
    assert slots.guarantee(delta="1e-6").epsilon == total.epsilon


def test_each_release_takes_the_least_slot_that_dominates_it():
    slots = Slots([Pure(epsilon="0.5"), Pure(epsilon="0.1"), Pure(epsilon="0.3")])
    assert slots.take(Laplace(epsilon="0.2")) == 2
    assert slots.take(Pure(epsilon="0.1")) == 1
    assert slots.take(Pure(epsilon="0.1")) == 0
    with pytest.raises(BudgetExceeded, match="No free slot"):
        slots.take(Pure(epsilon="0.1"))
    assert slots.free == []


def test_a_release_that_no_slot_dominates_is_refused_and_uses_nothing():
    slots = Slots([(Pure(epsilon="0.1"), 2)])
    assert not slots.covers(Pure(epsilon="0.2"))
    with pytest.raises(BudgetExceeded):
        slots.take(GaussianNoise(sigma=100))
    assert slots.free == [0, 1]
    with pytest.raises(InvalidInput):
        slots.take((Pure(epsilon="0.1"), 2))


@pytest.mark.parametrize(
    ("slot", "release", "expected"),
    [
        (GaussianNoise(sigma=10), GaussianNoise(sigma=10), True),
        (GaussianNoise(sigma=10), GaussianNoise(sigma=11), True),
        (GaussianNoise(sigma=10), GaussianNoise(sigma=9), False),
        (GaussianNoise(sigma=1), Pure(epsilon="0.5"), True),
        (GaussianNoise(sigma=1), Pure(epsilon="1.5"), False),
        (Laplace(epsilon=1), Laplace(epsilon="0.9"), True),
        (Laplace(epsilon=1), Pure(epsilon="0.9"), False),
        (Pure(epsilon=1), Laplace(epsilon=1), True),
        (Approximate(epsilon=1, delta="1e-6"), GaussianNoise(sigma=10), True),
        (Approximate(epsilon=1, delta="1e-6"), GaussianNoise(sigma=3), False),
        (Subsampled(GaussianNoise(sigma=1), rate="0.1"), Subsampled(GaussianNoise(sigma=2), rate="0.05"), True),
        (Subsampled(GaussianNoise(sigma=1), rate="0.1"), Subsampled(GaussianNoise(sigma=1), rate="0.2"), False),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_domination_is_decided_by_theorem(slot, release, expected):
    assert dominates(read(slot).pair(), read(release)) is expected


def domain() -> Domain:
    return Domain({"day": integers(0, 99)})


def region(low: int, high: int) -> Region:
    return Region.where(f"day BETWEEN {low} AND {high}", domain())


def test_disjoint_regions_share_a_slot_when_records_come_or_go():
    slots = Slots([Pure(epsilon=1)], relation="add/remove")
    assert slots.take(Pure(epsilon=1), region(0, 9)) == 0
    assert slots.take(Pure(epsilon=1), region(10, 19)) == 0
    with pytest.raises(BudgetExceeded):
        slots.take(Pure(epsilon=1), region(5, 12))
    with pytest.raises(BudgetExceeded):
        slots.take(Pure(epsilon=1))


def test_under_change_one_a_neighbour_touches_two_regions_so_they_do_not_share():
    """Sharing would claim δ(1) = 0 for two disjoint regions; the truth is 0.33783 (theory D9)."""
    slots = Slots([Pure(epsilon=1)], relation="change-one")
    slots.take(Pure(epsilon=1), region(0, 9))
    with pytest.raises(BudgetExceeded):
        slots.take(Pure(epsilon=1), region(10, 19))
    assert compose([(Pure(epsilon=1), 2)], delta="0.1").profile(1) == pytest.approx(0.33783, abs=1e-5)


def test_a_lopsided_slot_needs_a_relation_in_which_it_is_proven():
    Slots([Subsampled(GaussianNoise(sigma=1), rate="0.1")])
    with pytest.raises(NotProven):
        Slots([Subsampled(GaussianNoise(sigma=1), rate="0.1")], relation="change-one")
