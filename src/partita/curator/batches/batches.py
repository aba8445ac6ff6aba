"""Makes batches and plans for a curator: prices, joint costs, one charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, final
from weakref import WeakSet

from partita.composition.account import RegionAccount
from partita.composition.calibration.pricing import Price
from partita.composition.plans.promise import Promise
from partita.curator.answers.answer import Answer
from partita.curator.batches.batch import Batch, deltas_of
from partita.curator.batches.planned import Planned, distinct_quotes, plan_charge, released
from partita.curator.path.path import Path
from partita.curator.path.placed import booked_cost, costs_of, placed
from partita.errors import BudgetExceeded, NotProven
from partita.errors.query import prices as refuse
from partita.exact import Number, probability
from partita.granularity import Users
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.batch.batch import shared
from partita.query.batch.charging import Charging, Together
from partita.query.batch.share import Share
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure


class Answering(Protocol):
    """How one question is answered by itself."""

    def __call__(self, offered: Quote, *, asked: str, analyst: str) -> Answer:
        """The answer to a quote."""


@final
class Batches:
    """Batches of one curator."""

    def __init__(
        self,
        ledger: Ledger,
        path: Path,
        promises: tuple[Promise, ...],
        charging: Charging,
        answering: Answering,
    ) -> None:
        self._ledger, self._path = ledger, path
        self._promises, self._charging, self._answering = promises, charging, answering
        self.plans: WeakSet[Planned] = WeakSet()
        """Plans that are charged."""

    def made(
        self,
        questions: Sequence[Plan | Quote],
        price: Price | None,
        *,
        delta: Number | None,
        weights: Sequence[Number] | None,
        analyst: str,
    ) -> Batch:
        """The batch: quotes that were given stay as they are, plans share the price."""
        if not questions:
            raise refuse.no_questions()
        plans = [one.plan if isinstance(one, Quote) else one for one in questions]
        if price is not None:
            shares = shared(plans, self._charging, price, weights)
        else:
            shares = [Share(one, (one,)) for one in questions if isinstance(one, Quote)]
            if len(shares) < len(questions):
                raise refuse.no_price()
        at = None if delta is None else probability(delta, "delta")
        by_account: dict[str, list[Quote]] = {}
        for one in released(shares):
            by_account.setdefault(self._charging.account(one.plan), []).append(one)
        found = {
            name: (mine, deltas_of(mine, at, None if price is None else price.epsilon))
            for name, mine in by_account.items()
        }
        joint = {name: self._charging.together(distinct_quotes(mine), deltas) for name, (mine, deltas) in found.items()}
        charges = [plan_charge(mine, joint[name], deltas, analyst=analyst) for name, (mine, deltas) in found.items()]
        costs = [self._units(charge.costs, charge) for charge in charges]
        apart = [self._apart(joint[charge.table], charge, cost) for charge, cost in zip(charges, costs, strict=True)]
        exact = any(one.exact for one in joint.values())
        planned = _most(costs)
        return Batch(
            shares=tuple(shares),
            costs=planned
            if exact
            else _most([self._one_by_one(*pair) for pair in zip(by_account.values(), costs, strict=True)]),
            apart=_most(apart),
            exact=exact,
            fits=all(self._fits(charge) for charge in charges),
            free=all(self._ledger.stored(charge.question) is not None for charge in charges),
            _ask=lambda batch: self._asked(batch, analyst),
            _reserve=lambda batch: self._reserved(batch, charges, planned),
            _admit=lambda: self._admitted(charges),
        )

    def _units(self, costs: Sequence[Cost], charge: Charge) -> tuple[Measure, ...]:
        """What the accounts will book for one protected unit."""
        return tuple(
            booked_cost(promise, charge.region, cost) for promise, cost in zip(self._promises, costs, strict=True)
        )

    def _apart(self, joint: Together, charge: Charge, together: tuple[Measure, ...]) -> tuple[Measure, ...]:
        """The same if each question were charged by itself; as together where that has no proven price."""
        try:
            return self._units(joint.apart, charge)
        except NotProven:
            return together

    def _asked(self, batch: Batch, analyst: str) -> list[Answer]:
        """The answers, each release charged to its own people."""
        answers = {one.fingerprint: self._answering(one, asked=one.plan.sql(), analyst=analyst) for one in batch.quotes}
        return [self._shown(share, answers, analyst) for share in batch.shares]

    def _shown(self, share: Share, answers: Mapping[str, Answer], analyst: str) -> Answer:
        own = answers.get(share.quote.fingerprint)
        if own is not None and share.alone:
            return replace(own, quote=share.quote, result=replace(own.result, plan=share.quote.plan))
        told = [answers[one.fingerprint] for one in share.sources]
        noisy = {one.fingerprint: found.result.noisy for one, found in zip(share.sources, told, strict=True)}
        zeros = tuple(cost.zero() for cost in share.quote.costs)
        costs, at = zeros if own is None else own.costs, placed(share.quote)
        return Answer(
            quote=share.quote,
            result=share.result(noisy),
            cost=costs[0],
            costs=costs,
            reckon=self._ledger.reckoning(at.table, at.region, analyst),
            free=own is None or own.free,
            sources=tuple({receipt.seq: receipt for found in told for receipt in found.receipts}.values()),
        )

    def _one_by_one(self, quotes: Sequence[Quote], planned: tuple[Measure, ...]) -> tuple[Measure, ...]:
        """What is booked if each release is charged by itself, where owners make that another sum than the plan's."""
        found = []
        for place, (promise, whole) in enumerate(zip(self._promises, planned, strict=True)):
            if not isinstance(promise.granularity.single, Users) or not any(one.by_owner for one in quotes):
                found.append(whole)
                continue
            costs = [costs_of(one)[place] for one in quotes]
            room = sum((booked_cost(promise, one.region, cost) for one, cost in zip(quotes, costs, strict=True)), whole)
            account = RegionAccount(quotes[0].plan.table.domain, Promise(promise.granularity, room))
            for one, cost in zip(quotes, costs, strict=True):
                account.charge(one.region, cost)
            found.append(account.bracket()[1])
        return tuple(found)

    def _reserved(self, batch: Batch, charges: Sequence[Charge], costs: tuple[Measure, ...]) -> Planned:
        if len(charges) > 1:
            raise refuse.several_tables_planned(sorted(charge.table for charge in charges))
        made = Planned(ledger=self._ledger, path=self._path, shares=batch.shares, costs=costs, charge=charges[0])
        self.plans.add(made)
        return made

    def _admitted(self, charges: Sequence[Charge]) -> None:
        for charge in charges:
            self._ledger.admits(charge)

    def _fits(self, charge: Charge) -> bool:
        try:
            self._ledger.admits(charge)
        except BudgetExceeded:
            return False
        return True


def _most(losses: Sequence[tuple[Measure, ...]]) -> tuple[Measure, ...]:
    """The largest over accounts, which are of different records."""
    return tuple(
        parts[0].like([max(numbers) for numbers in zip(*(part.vector() for part in parts), strict=True)])
        for parts in zip(*losses, strict=True)
    )
