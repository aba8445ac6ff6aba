"""A small ledger for tests: one table, one promise, and an account that adds everything up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

from partita.composition.promise import Promise
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge, Cost
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger
from partita.region import Domain, Region, integers
from partita.sampling.bits import TestBits
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

DOMAIN = Domain({"age": integers(0, 99, missing=0)})
TERMS = Terms([Promise(rows(), Pure(epsilon=1))], {"visits": DOMAIN})


class PlainAccount:
    """Adds up every charge, whatever its region: the dullest sound account."""

    def __init__(self, domain: Domain, promise: Promise) -> None:
        self.budget = promise.budget
        self.loss = promise.budget.zero()

    def admits(self, region: Region, cost: Measure, both: Measure | None = None) -> bool:
        return (self.loss + cost).fits(self.budget)

    def charge(self, region: Region, cost: Measure, both: Measure | None = None) -> None:
        assert self.admits(region, cost)
        self.loss = self.loss + cost

    def load(self, charges: Iterable[tuple[Region, Measure, Measure | None]]) -> None:
        for _, cost, _ in charges:
            self.loss = self.loss + cost

    def remaining(self, region: Region) -> Measure:
        return self.budget.left_after(self.loss)

    def worst(self) -> tuple[Measure, object]:
        return self.loss, None


def clock() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def opened(path: object = ":memory:", terms: Terms | None = TERMS, **options: object) -> Ledger:
    settings = {"bits": TestBits(1), "clock": clock, "make": PlainAccount} | options
    return open_ledger(path, terms, **settings)


def charge(
    question: object, epsilon: object = "0.1", *, where: str = "TRUE", analyst: str = "ada", key: str | None = None
) -> Charge:
    return Charge(
        table="visits",
        region=Region.where(where, DOMAIN),
        costs=(Cost(Pure(epsilon=epsilon)),),
        mechanism={"kind": "laplace", "scale": "10"},
        question=hashlib.sha256(str(question).encode()).hexdigest(),
        asked=f"question {question}",
        analyst=analyst,
        key=key,
    )


def ask(ledger: Ledger, asked: Charge, answer: bytes = b"42") -> bytes:
    """The whole path of one question, with an answer that is there already."""
    from partita.ledger.states import Answered

    state = ledger.reserve(asked)
    return state.content if isinstance(state, Answered) else ledger.commit(state, answer).content
