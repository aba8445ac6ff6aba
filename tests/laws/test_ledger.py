"""Whatever is asked, in whatever order and through however many handles, the book keeps its promise."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from partita.errors import BudgetExceeded, InvalidInput
from partita.ledger.states import Answered, Reservation
from partita.theory.measures.pure import Pure
from tests.laws import served
from tests.sizes import tried
from tests.unit.ledger.plain import charge, opened

QUESTIONS = st.integers(0, 6)
PRICES = st.sampled_from([Fraction(1, 20), Fraction(1, 7), Fraction(1, 3)])
ANALYSTS = st.sampled_from(["ada", "bob"])
KEYS = st.sampled_from([None, None, "k", "l"])


class Book(RuleBasedStateMachine):
    """The ledger beside a model in plain Python: what was reserved is spent, what was committed is the answer."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.place = self.placed()
        self.open: list[tuple[Reservation, object]] = []
        self.spent = Fraction(0)
        self.by_analyst = {"ada": Fraction(0), "bob": Fraction(0)}
        self.limit: Fraction | None = None
        self.answers: dict[int, bytes] = {}
        self.released: dict[int, set[bytes]] = {}

    @initialize(every=st.integers(2, 9))
    def begin(self, every):
        self.every = every
        self.handles = [self.another(), self.another()]

    def placed(self):
        return self.folder / "visits.ledger"

    def another(self):
        return opened(self.place, checkpoint_every=self.every)

    @rule(question=QUESTIONS, price=PRICES, analyst=ANALYSTS, key=KEYS, handle=st.integers(0, 1))
    def reserve(self, question, price, analyst, key, handle):
        before = self.spent
        try:
            state = self.handles[handle].reserve(charge(question, price, analyst=analyst, key=key))
        except BudgetExceeded:
            limited = analyst == "bob" and self.limit is not None and self.by_analyst["bob"] + price > self.limit
            assert before + price > 1 or limited
            return
        except InvalidInput as refusal:
            self.only(refusal, "ledger.key-reused", "ledger.abandoned")
            return
        if isinstance(state, Answered):
            self.leave(state)
            return
        if not state.resumed:
            self.spent += price
            self.by_analyst[analyst] += price
        self.open.append((state, question))

    @rule(asked=st.lists(st.tuples(QUESTIONS, PRICES), max_size=5), analyst=ANALYSTS, handle=st.integers(0, 1))
    def reserve_many(self, asked, analyst, handle):
        """Together they are what they are one by one, up to the first that cannot be paid."""
        charges = [charge(question, price, analyst=analyst) for question, price in asked]
        try:
            found = self.handles[handle].reserve_many(charges)
        except BudgetExceeded:
            found = []
        for (question, price), state in zip(asked, found, strict=False):
            if isinstance(state, Answered):
                self.leave(state)
                continue
            if not state.resumed:
                self.spent += price
                self.by_analyst[analyst] += price
            self.open.append((state, question))
        if len(found) < len(asked):
            price = asked[len(found)][1]
            limited = analyst == "bob" and self.limit is not None and self.by_analyst["bob"] + price > self.limit
            assert self.spent + price > 1 or limited

    @precondition(lambda self: self.open)
    @rule(data=st.data(), handle=st.integers(0, 1), noise=st.binary(max_size=3))
    def commit_many(self, data, handle, noise):
        some = data.draw(st.lists(st.sampled_from(self.open), unique_by=lambda one: one[0].seq, max_size=4))
        try:
            found = self.handles[handle].commit_many([(one, noise + bytes([at])) for at, (one, _) in enumerate(some)])
        except InvalidInput as refusal:
            self.only(refusal, "ledger.abandoned")
            return
        assert len(found) == len(some)
        for state in found:
            self.leave(state)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), handle=st.integers(0, 1), noise=st.binary(max_size=3))
    def commit(self, data, handle, noise):
        reservation, _ = data.draw(st.sampled_from(self.open))
        try:
            self.leave(self.handles[handle].commit(reservation, noise))
        except InvalidInput as refusal:
            self.only(refusal, "ledger.abandoned")

    @precondition(lambda self: self.open)
    @rule(data=st.data(), handle=st.integers(0, 1))
    def abandon(self, data, handle):
        reservation, _ = data.draw(st.sampled_from(self.open))
        self.handles[handle].abandon(reservation)

    @rule(handle=st.integers(0, 1))
    def limit_bob(self, handle):
        if self.limit is None:
            self.limit = Fraction(1, 3)
            self.by_analyst["bob"] = Fraction(0)
        self.handles[handle].open_account("bob", [Pure(epsilon=self.limit)])

    @rule(handle=st.integers(0, 1))
    def close_and_open(self, handle):
        self.handles[handle].close()
        self.handles[handle] = self.another()

    def only(self, refusal, *codes):
        assert refusal.code in codes

    def leave(self, answered):
        """One answer for each charge, and the same for ever."""
        known = self.answers.setdefault(answered.reserve, answered.content)
        assert known == answered.content

    @invariant()
    def both_handles_know_what_is_spent(self):
        if hasattr(self, "handles"):
            for handle in self.handles:
                assert handle.spent() == (Pure(epsilon=self.spent),)
                if self.limit is not None:
                    assert handle.spent("bob") == (Pure(epsilon=self.by_analyst["bob"]),)
            assert self.spent <= 1
            assert self.limit is None or self.by_analyst["bob"] <= self.limit

    def teardown(self):
        if hasattr(self, "handles"):
            assert self.handles[0].verify().problems == ()
            for handle in self.handles:
                handle.close()
        shutil.rmtree(self.folder)


Book.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestBook = Book.TestCase


class ServedBook(Book):
    """The same on a real PostgreSQL server; the second handle is another machine, with an anchor of its own."""

    def placed(self):
        return served.ledger(self.folder)

    def another(self):
        if not (self.folder / "other").exists():
            (self.folder / "other").mkdir()
            return super().another()
        for key in self.folder.glob("*.key"):
            shutil.copy(key, self.folder / "other")
        return opened(f"{self.place}/other", checkpoint_every=self.every)


ServedBook.TestCase.settings = settings(max_examples=tried(6, soaking=50), stateful_step_count=25)
TestServedBook = ServedBook.TestCase
