"""A plan: questions fixed beforehand, charged at once by exact composition, and answered in any order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.curator.answers.answer import Answer
from partita.curator.path.path import Noisy, Path, fingerprint, numbers, reading_of, remade
from partita.curator.path.placed import placed
from partita.curator.path.purchase import Purchase
from partita.errors.query import prices as refuse
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.ledger.receipts.receipts import Receipt
from partita.ledger.states import Answered, Reservation
from partita.live import Live
from partita.notebook import InWords
from partita.query.batch.charging import Together
from partita.query.batch.share import Share
from partita.query.noise.quote import Quote
from partita.theory.measures.base import Measure

_LONGEST = 100_000


def plan_charge(
    quotes: Sequence[Quote], together: Together, deltas: Sequence[Fraction], *, analyst: str = ""
) -> Charge:
    """One charge for all questions of a plan: the union of their regions, and what they cost the heaviest unit."""
    distinct = distinct_quotes(quotes)
    listed = "\n".join(one.fingerprint for one in distinct)
    return Charge(
        table=together.account,
        region=together.region,
        costs=together.costs,
        mechanism={
            "plan": [
                {
                    "parts": [{"kind": noise.kind, **noise.parameters()} for noise in one.mechanisms],
                    "question": one.plan.canonical,
                    "sql": one.plan.sql(),
                    **remade(one),
                }
                for one in distinct
            ],
            "deltas": [str(delta) for delta in deltas],
        },
        question=hashlib.sha256(f"plan\n{','.join(map(str, deltas))}\n{listed}".encode()).hexdigest(),
        asked="; ".join(one.plan.sql() for one in distinct)[:_LONGEST],
        analyst=analyst,
    )


def released(shares: Sequence[Share]) -> tuple[Quote, ...]:
    """Everything that the questions of a batch are made from, each release once, in the order of the questions."""
    return tuple({one.fingerprint: one for share in shares for one in share.sources}.values())


def distinct_quotes(quotes: Sequence[Quote]) -> list[Quote]:
    """Each release once, in an order that does not depend on how the plan was written."""
    found = {fingerprint(one): one for one in quotes}
    return [found[name] for name in sorted(found)]


@final
class Planned(InWords, Live):
    """A plan that is charged: its questions may be asked in any order, now or later, at no further charge.

    All of them are answered by one reading when the first is asked for, and stored together; what is never asked for
    stays charged. After a crash the same plan takes up its own charge again.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     plan = curator.plan(["SELECT COUNT(*) AS n FROM visits", "SELECT AVG(age) AS age FROM visits"], rho="0.1")
    ...     [list(answer.rows()[0]) for answer in plan.answers()]
    [['n'], ['age']]
    >>> print(plan.cost)
    ρ = 0.0999999
    """

    def __init__(
        self, *, ledger: Ledger, path: Path, shares: Sequence[Share], costs: tuple[Measure, ...], charge: Charge
    ) -> None:
        super().__init__()
        self._ledger, self._path = ledger, path
        self.shares = tuple(shares)
        self._purchase = _purchase(charge, distinct_quotes(self.quotes))
        with path.gate.passed():
            booked = path.reserve(self._purchase)
        self.free = isinstance(booked, Answered) or booked.resumed
        self.costs = tuple(cost.zero() for cost in costs) if self.free else costs
        self._booked: Reservation | Answered = booked

    @property
    def cost(self) -> Measure:
        """What the plan was charged for, under the first promise; nothing if it was charged before."""
        return self.costs[0]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Everything that is released, each once."""
        return released(self.shares)

    @property
    def seq(self) -> int:
        """The place of its charge in the ledger."""
        return self._booked.reserve if isinstance(self._booked, Answered) else self._booked.seq

    def __len__(self) -> int:
        return len(self.shares)

    def __str__(self) -> str:
        paid = "charged before" if self.free else f"charged {'; '.join(map(str, self.costs))}"
        asked = (" ".join(one.quote.plan.sql().split()) for one in self.shares)
        return "\n".join([f"A plan, {paid}:", *(f"  {place}: {words}" for place, words in enumerate(asked))])

    def __repr__(self) -> str:
        return f"<{self}>"

    def ask(self, question: int | str) -> Answer:
        """The answer to one question of the plan: by its place, or by its SQL."""
        return self._answer(self.shares[self._place(question)])

    def answers(self) -> list[Answer]:
        """The answers to all questions, in the order of the plan."""
        return [self._answer(one) for one in self.shares]

    def read(self) -> None:
        """Read now for what is charged; what was read before is not read again."""
        self._read()

    def receipt(self) -> Receipt:
        """The signed certificate of the whole plan: its questions share one."""
        return self._ledger.receipt(self._read())

    def _place(self, question: int | str) -> int:
        if isinstance(question, int) and not isinstance(question, bool) and 0 <= question < len(self):
            return question
        words = " ".join(question.split()) if isinstance(question, str) else ""
        for place, one in enumerate(self.shares):
            if words in (" ".join(one.quote.plan.sql().split()), one.quote.plan.fingerprint):
                return place
        raise refuse.not_planned(question, len(self))

    def _answer(self, share: Share) -> Answer:
        answered, quote = self._read(), share.quote
        noisy = {one.fingerprint: planned_numbers(answered.content, one) for one in share.sources}
        zeros, at = tuple(cost.zero() for cost in self.costs), placed(quote)
        return Answer(
            quote=quote,
            result=share.result(noisy),
            cost=zeros[0],
            costs=zeros,
            reckon=self._ledger.reckoning(at.table, at.region, self._purchase.charge.analyst),
            free=True,
            issue=self._ledger.issuer(answered),
            sources=() if share.alone else (self._ledger.receipt(answered),),
        )

    def _read(self) -> Answered:
        """The stored answers of the plan; the first time they are read for."""
        if isinstance(self._booked, Reservation):
            self._booked, _ = self._path.resume(self._purchase, self._booked)
        return self._booked


def _purchase(charge: Charge, quotes: Sequence[Quote]) -> Purchase[Noisy]:
    """All releases of a plan for one charge; they are stored together, each under its fingerprint."""

    def stored(made: Sequence[Noisy]) -> bytes:
        lines = {fingerprint(one): json.loads(found) for one, (_, found) in zip(quotes, made, strict=True)}
        return json.dumps({"plan": lines}).encode()

    return Purchase(charge, tuple(map(reading_of, quotes)), stored, tuple(quotes))


def planned_numbers(content: bytes, quote: Quote) -> NDArray[np.object_]:
    """The noisy numbers of one release of a plan."""
    lines = json.loads(content)["plan"][fingerprint(quote)]
    return numbers(json.dumps(lines).encode(), quote.width, quote.texts)
