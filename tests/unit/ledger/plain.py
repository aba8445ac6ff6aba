"""A small ledger for tests: one table, one promise, and an account that adds everything up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

from partita.composition.plans.promise import Promise
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.book.address import Address
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger
from partita.ledger.payer import Payer
from partita.region import Domain, Region, integers
from partita.sampling.bits import TestBits
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

DOMAIN = Domain({"age": integers(0, 99, missing=0)})
TERMS = Terms([Promise(rows(), Pure(epsilon=1))], {"visits": DOMAIN})


class PlainPayer(Payer):
    """Adds up every charge, whatever its region: the dullest sound account."""

    def __init__(self, domain: Domain, promise: Promise) -> None:
        self.budget = promise.budget
        self.loss = promise.budget.zero()

    def ticket(self, region: Region, cost: Cost) -> object | None:
        return cost if (self.loss + cost.row).fits(self.budget) else None

    def book(self, ticket: object) -> None:
        self.loss = self.loss + ticket.row

    def load(self, charges: Iterable[tuple[Region, Cost, int]]) -> None:
        for _, cost, count in charges:
            self.loss = self.loss + cost.row.times(count)

    def remaining(self, region: Region) -> Measure:
        return self.budget.left_after(self.loss)

    def charged(self, region: Region, cost: Cost) -> Measure:
        return cost.row

    def claims(self, region: Region, cost: Cost) -> None:
        return None

    def payable(self, region: Region, cost: Cost) -> Region:
        return region if self.ticket(region, cost) is not None else Region.nothing(region.domain)

    def bracket(self) -> tuple[Measure, Measure]:
        return self.loss, self.loss


def clock() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def place(path: object) -> object:
    """A path, or an address and the folder of its machine."""
    return Address(*str(path).split(" ")) if Address.named(str(path)) else path


def opened(path: object = ":memory:", terms: Terms | None = TERMS, **options: object) -> Ledger:
    settings = {"bits": TestBits(1), "clock": clock, "make": PlainPayer} | options
    return open_ledger(place(path), terms, **settings)


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
