"""Whatever is charged and decided, and whatever a clock says, no loss is above the budget of its day (theory I13)."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded, InvalidInput
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge
from partita.ledger.payer import RegionPayer
from partita.ledger.reports.certificates import certificate, check_certificate
from partita.ledger.schedules import Budgets, Cause
from partita.region import Domain, Region, integers
from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import ask, opened

START = datetime(2026, 1, 1, tzinfo=UTC)
DOMAIN = Domain({"a": integers(0, 2, missing=0)})
SCHEDULE = {"2026-01-11": "0.8", "2026-01-21": "1.2"}
TERMS = Terms([Promise(rows(), Pure(epsilon="0.5"), schedule=SCHEDULE, ceiling="1.5")], {"visits": DOMAIN})


def charge(place, low, high, epsilon):
    return Charge(
        table="visits",
        region=Region(DOMAIN, ((((low, high),),),)),
        costs=(Cost(Pure(epsilon=epsilon)),),
        mechanism={},
        question=hashlib.sha256(str(place).encode()).hexdigest(),
    )


class Plain:
    """The plainest book: every value's loss, the budget in force, and the latest day of a change."""

    def __init__(self):
        self.loads = [Fraction(0)] * 3
        self.budget = self.largest = Fraction(1, 2)
        self.held = False
        self.since = ""

    def look(self, now):
        for day, then in SCHEDULE.items():
            if not self.held and self.since < day <= now.date().isoformat() and Fraction(then) > self.budget:
                self.budget, self.since = Fraction(then), day
        self.largest = max(self.largest, self.budget)

    def charge(self, low, high, cost):
        if any(load + cost > self.budget for load in self.loads[low:high]):
            return False
        for place in range(low, high):
            self.loads[place] += cost
        return True

    def decide(self, cause, to, now):
        fits = self.budget < to <= Fraction(3, 2) if cause is Cause.RAISE else 0 < to < self.budget
        if fits:
            self.budget, self.held = to, cause is Cause.LOWER
            self.since = max(self.since, now.date().isoformat())  # what was decided holds until a later day
            self.largest = max(self.largest, to)
        return fits


AMOUNTS = st.sampled_from(["0.1", "0.2", "0.3", "0.5"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("charge"), st.integers(0, 2), st.integers(1, 3), AMOUNTS),
        st.tuples(st.just("days"), st.integers(-8, 12)),
        st.tuples(
            st.just("decide"),
            st.sampled_from([Cause.RAISE, Cause.LOWER]),
            st.sampled_from(["0.2", "0.6", "1", "1.5", "1.6"]),
        ),
        st.just(("reopen",)),
    ),
    min_size=3,
    max_size=14,
)


def run(folder, steps, every):
    now = [START]
    clock = lambda: now[0]  # noqa: E731
    path, book = folder.mktemp("book") / "v.ledger", Plain()

    def reopened():
        return opened(path, TERMS, make=RegionPayer, clock=clock, checkpoint_every=every)

    ledger = reopened()
    try:
        for place, step in enumerate(steps):
            book.look(now[0])
            assert ledger.budgets.now[0].budget == Pure(epsilon=book.budget)
            match step:
                case ("charge", low, length, epsilon):
                    high = min(3, low + length)
                    admitted = book.charge(low, high, Fraction(epsilon))
                    try:
                        ask(ledger, charge(place, low, high, epsilon))
                    except BudgetExceeded:
                        assert not admitted
                    else:
                        assert admitted
                        assert max(book.loads[low:high]) <= book.budget
                case ("days", days):
                    now[0] += timedelta(days=days)
                case ("decide", cause, to):
                    done = book.decide(cause, Fraction(to), now[0])
                    try:
                        ledger.change_budget(0, cause, to, who="ada", why="a test")
                    except InvalidInput:
                        assert not done
                    else:
                        assert done
                case _:
                    ledger.close()
                    ledger = reopened()
        book.look(now[0])
        state = ledger.budgets.now[0]
        assert (state.budget, state.largest) == (Pure(epsilon=book.budget), Pure(epsilon=book.largest))
        assert [float(one.vector()[0]) for one in ledger.spent()] == pytest.approx([float(max(book.loads))])
        for place in range(3):
            (left,) = ledger.remaining("visits", Region(DOMAIN, ((((place, place + 1),),),)))
            assert float(left.vector()[0]) == pytest.approx(float(max(0, book.budget - book.loads[place])))
        assert ledger.verify().problems == ()
        found = certificate(ledger)
        assert check_certificate(found).holds
        assert Pure(epsilon=book.largest) == check_certificate(found).promise.budget
    finally:
        ledger.close()


@settings(max_examples=25, deadline=None)
@given(steps=STEPS, every=st.sampled_from([1, 3, 100]))
def test_admissions_never_exceed_the_budget_of_their_day(tmp_path_factory, steps, every):
    run(tmp_path_factory, steps, every)


HARD = [
    ("charge", 0, 3, "0.5"),
    ("charge", 0, 1, "0.1"),
    ("days", 12),
    ("charge", 0, 1, "0.3"),
    ("days", -12),
    ("charge", 1, 1, "0.3"),
    ("reopen",),
    ("decide", Cause.LOWER, "0.6"),
    ("charge", 2, 1, "0.1"),
    ("charge", 2, 1, "0.1"),
    ("days", 30),
    ("charge", 2, 1, "0.1"),
    ("decide", Cause.RAISE, "1.6"),
    ("decide", Cause.RAISE, "1.5"),
    ("charge", 0, 1, "0.5"),
]


def test_a_hard_course(tmp_path_factory):
    run(tmp_path_factory, HARD, 3)


@pytest.mark.parametrize(
    ("broken", "instead"),
    [
        ("lowered", property(lambda self: None)),
        ("due", lambda self, today: None),
        ("kept", lambda self, terms, seq=None: terms),
    ],
)
def test_a_book_that_forgets_a_change_is_found(tmp_path_factory, monkeypatch, broken, instead):
    monkeypatch.setattr(Budgets, broken, instead)
    with pytest.raises(AssertionError):
        run(tmp_path_factory, HARD, 3)
