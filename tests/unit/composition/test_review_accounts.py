from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable

import pytest

from partita.composition.adaptive.filters import Concentrated, EitherOr, Filter
from partita.composition.adaptive.interactive import Concurrent
from partita.composition.adaptive.odometer import Odometer
from partita.composition.adaptive.slots import Slots
from partita.composition.guarantees.running import Running
from partita.errors import BudgetExceeded, InvalidInput, NotProven, PartitaError
from partita.granularity import groups, replace, rows, users
from partita.granularity.base import Granularity, Relation
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.region.columns.integers import integers
from partita.region.domain import Domain
from partita.region.region import Region
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

DOMAIN = Domain({"day": integers(0, 99)})
EARLY, LATE = (Region.where(f"day BETWEEN {low} AND {low + 9}", DOMAIN) for low in (0, 50))
SAMPLED = Subsampled(GaussianNoise(sigma=10), rate="0.1")
CHANGED = RandomizedResponse(epsilon="0.01")


@pytest.mark.parametrize(
    "granularity", [users("name", rows=3), groups(2), replace()], ids=lambda granularity: granularity.kind
)
def test_disjoint_regions_do_not_share_a_slot_for_one_who_has_rows_in_both(granularity: Granularity) -> None:
    slots = Slots([Pure(epsilon=1)], relation=granularity)
    slots.take(Pure(epsilon=1), EARLY)
    with pytest.raises(BudgetExceeded):
        slots.take(Pure(epsilon=1), LATE)


def test_disjoint_regions_share_a_slot_for_rows() -> None:
    slots = Slots([Pure(epsilon=1)], relation=rows())
    assert slots.take(Pure(epsilon=1), EARLY) == slots.take(Pure(epsilon=1), LATE) == 0


def test_a_relation_that_was_only_inferred_shares_nothing() -> None:
    slots = Slots([SAMPLED])
    slots.take(SAMPLED, EARLY)
    with pytest.raises(BudgetExceeded):
        slots.take(SAMPLED, LATE)


@pytest.mark.parametrize(
    "made",
    [
        lambda **more: Filter(ZCDP(rho=10), **more).admit,
        lambda **more: Concentrated(epsilon=9, delta="1e-6", **more).admit,
        lambda **more: EitherOr([Filter(ZCDP(rho="0.3"))], epsilon=5, **more).admit,
        lambda **more: Odometer(rho=1, delta="1e-6", **more).record,
        lambda **more: Running(delta="1e-6", **more).add,
        lambda **more: Slots([(Approximate(epsilon=1, delta="1e-9"), 3)], **more).take,
    ],
    ids=["Filter", "Concentrated", "EitherOr", "Odometer", "Running", "Slots"],
)
def test_losses_under_unlike_relations_are_not_summed(made: Callable[..., Callable[[object], object]]) -> None:
    spend = made()
    spend(Laplace(epsilon="0.01"))
    spend(CHANGED)
    with pytest.raises(NotProven, match="relation"):
        spend(SAMPLED)
    spend(CHANGED)
    with pytest.raises(NotProven, match="relation"):
        made(relation="add/remove")(CHANGED)
    with pytest.raises(NotProven, match="relation"):
        made(relation=replace())(SAMPLED)


def test_a_refused_cost_does_not_fix_the_relation() -> None:
    account = Filter(Pure(epsilon="0.1"))
    with pytest.raises(BudgetExceeded):
        account.admit(RandomizedResponse(epsilon=1))
    assert account.relation is None
    account.admit(CHANGED)
    assert account.relation is Relation.CHANGE_ONE


def accounts() -> list[object]:
    return [
        Filter(Pure(epsilon=1)),
        Concentrated(epsilon=1, delta="1e-6"),
        EitherOr([Filter(Pure(epsilon=1))], epsilon=1),
        Slots([Pure(epsilon=1)]),
        Odometer(rho=1, delta="1e-6"),
        Running(delta="1e-6"),
        Concurrent(Filter(Pure(epsilon=1))),
    ]


@pytest.mark.parametrize("account", accounts(), ids=lambda account: type(account).__name__)
def test_a_live_account_is_not_copied(account: object) -> None:
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InvalidInput, match="cannot be copied"):
            attempt(account)


@pytest.mark.parametrize("kind", ["Filter", "EitherOr", "Slots", "Concurrent"])
def test_threads_together_take_no_more_than_there_is(kind: str) -> None:
    spend: Callable[[], object]
    if kind == "Slots":
        slots = Slots([(Pure(epsilon="0.1"), 10)])
        spend = lambda: slots.take(Pure(epsilon="0.1"))  # noqa: E731
    elif kind == "Concurrent":
        sessions = Concurrent(Filter(Pure(epsilon=1)))
        spend = lambda: sessions.open("one", Pure(epsilon="0.1"))  # noqa: E731
    else:
        one = Filter(Pure(epsilon=1))
        account = one if kind == "Filter" else EitherOr([one], epsilon=1)
        spend = lambda: account.admit(Pure(epsilon="0.1"))  # noqa: E731
    taken, gate = [], threading.Barrier(8)

    def run() -> None:
        gate.wait()
        for _ in range(10):
            try:
                spend()
            except PartitaError:
                continue
            taken.append(1)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 10


def test_slots_promise_only_what_their_pairs_do() -> None:
    """A slot declared with a mechanism takes anything that its pair dominates, so only the pair counts."""
    declared = Exponential(epsilon=1)
    slots = Slots([(declared, 40)])
    pair = declared.pair(declared.unit())
    assert slots.guarantee(delta="1e-6").epsilon >= Slots([(pair, 40)]).guarantee(delta="1e-6").epsilon * (1 - 1e-9)
    assert slots.guarantee(delta="1e-6").method in ("pld", "renyi", "basic")


def test_slots_promise_no_approximation() -> None:
    with pytest.raises(NotProven, match="central-limit"):
        Slots([(Pure(epsilon="0.1"), 5)]).guarantee(delta="1e-6", method="central_limit_approximation")


def test_a_billion_slots_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one by one"):
        Slots([(Pure(epsilon="0.1"), 10**9)])


def test_an_account_that_counts_for_another_is_not_charged_beside_it() -> None:
    account = Filter(ZCDP(rho=1, delta="1e-6"))
    Concurrent(account)
    with pytest.raises(InvalidInput, match="counts for another"):
        account.admit(ZCDP(rho="0.1", delta="1e-8"))
    with pytest.raises(InvalidInput, match="counts for another"):
        EitherOr([account], epsilon=9)
    assert account.spent.is_zero()


def test_children_of_an_either_or_filter_are_not_interleaved() -> None:
    sessions = Concurrent(EitherOr([Filter(Pure(epsilon=1)), Filter(ZCDP(rho="0.05"))], epsilon=1))
    first = sessions.open("first", Pure(epsilon="0.1"))
    sessions.open("second", Pure(epsilon="0.1")).ask()
    with pytest.raises(BudgetExceeded, match="locked"):
        first.ask()


@pytest.mark.parametrize(
    "mixed",
    [
        (Approximate(epsilon="0.01", delta="1e-8"), ZCDP(rho="0.001")),
        (ZCDP(rho="0.001"), Approximate(epsilon="0.01", delta="1e-8")),
        (Approximate(epsilon="0.01", delta="1e-8"), GaussianNoise(sigma=100)),
    ],
    ids=str,
)
def test_rho_beside_a_delta_is_not_interleaved(mixed: tuple[object, object]) -> None:
    sessions = Concurrent(Filter(ZCDP(rho=1, delta="1e-6")))
    first = sessions.open("first", mixed[0])
    sessions.open("second", mixed[1])
    with pytest.raises(BudgetExceeded, match="locked"):
        first.ask()


def test_rho_alone_is_interleaved_even_where_a_delta_would_be_allowed() -> None:
    sessions = Concurrent(Filter(ZCDP(rho=1, delta="1e-6")))
    first = sessions.open("first", ZCDP(rho="0.001"))
    sessions.open("second", GaussianNoise(sigma=100))
    first.ask()
    with pytest.raises(BudgetExceeded, match="already interleaved"):
        sessions.open("third", Approximate(epsilon="0.01", delta="1e-8"))


def test_what_was_spent_before_with_a_delta_locks_children_too() -> None:
    account = Filter(ZCDP(rho=1, delta="1e-6"))
    account.admit(ZCDP(rho="0.1", delta="1e-8"))
    sessions = Concurrent(account)
    first = sessions.open("first", ZCDP(rho="0.001"))
    sessions.open("second", ZCDP(rho="0.001"))
    assert not first.may_answer
