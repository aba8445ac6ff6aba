"""Makes batches and plans for a curator: prices, joint costs, one charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, final

from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release, booked
from partita.composition.promise import Promise
from partita.curator.answer import Answer
from partita.curator.batch import Batch, deltas_of, totals
from partita.curator.opinion import SecondOpinion
from partita.curator.pace import Pace
from partita.curator.path import booked_cost, costs_of
from partita.curator.planned import Planned, plan_charge, released
from partita.engine.base import Engine
from partita.errors import BudgetExceeded
from partita.errors import accuracy as refuse
from partita.errors import prices as refuse_query
from partita.exact import Number, probability
from partita.granularity import Users
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.batch import Truncations, shared
from partita.query.joint import Joint
from partita.query.plan import Plan
from partita.query.pricing import Price
from partita.query.quote import Quote
from partita.query.share import Share
from partita.sampling.bits import BitSource
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
        engine: Engine,
        promises: tuple[Promise, ...],
        truncations: Truncations,
        answering: Answering,
        bits: BitSource | None,
        pace: Pace,
        opinion: SecondOpinion,
    ) -> None:
        self._ledger, self._engine, self._bits, self._pace, self._opinion = ledger, engine, bits, pace, opinion
        self._promises, self._truncations, self._answering = promises, truncations, answering

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
            shares = shared(plans, self._promises, price, self._truncations, weights)
        else:
            shares = [Share(one, (one,)) for one in questions if isinstance(one, Quote)]
            if len(shares) < len(questions):
                raise refuse_query.no_price()
        at = None if delta is None else probability(delta, "delta")
        by_table: dict[str, list[Quote]] = {}
        for one in released(shares):
            by_table.setdefault(one.plan.table.name, []).append(one)
        found = {
            name: (mine, deltas_of(mine, at, None if price is None else price.epsilon))
            for name, mine in by_table.items()
        }
        joints = {name: totals(mine, deltas) for name, (mine, deltas) in found.items()}
        charges = [plan_charge(mine, joints[name], deltas, analyst=analyst) for name, (mine, deltas) in found.items()]
        costs = [self._units(joints[charge.table], charge) for charge in charges]
        plain = {name: [Joint(one.apart, one.apart, None, one.apart) for one in made] for name, made in joints.items()}
        apart = [self._units(plain[charge.table], charge) for charge in charges]
        exact = any(one.exact for joint in joints.values() for one in joint)
        planned = _most(costs)
        return Batch(
            shares=tuple(shares),
            costs=planned
            if exact
            else _most([self._one_by_one(*pair) for pair in zip(by_table.values(), costs, strict=True)]),
            apart=_most(apart),
            exact=exact,
            fits=all(self._fits(charge) for charge in charges),
            _ask=lambda batch: self._asked(batch, analyst),
            _reserve=lambda batch: self._reserved(batch, charges, planned),
        )

    def _units(self, joints: Sequence[Joint], charge: Charge) -> tuple[Measure, ...]:
        return tuple(_unit(promise, one, charge) for promise, one in zip(self._promises, joints, strict=True))

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
        costs = zeros if own is None else own.costs
        return Answer(
            quote=share.quote,
            result=share.result(noisy),
            cost=costs[0],
            costs=costs,
            remaining=self._ledger.remaining(share.quote.plan.table.name, share.quote.region, analyst),
            free=own is None or own.free,
            issue=told[0].issue,
            sources=tuple(found.receipt for found in told),
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
                account.charge(
                    one.region, cost.one, cost.both, unit=cost.unit, altered=cost.altered, declared=cost.declared
                )
            found.append(account.bracket()[1])
        return tuple(found)

    def _reserved(self, batch: Batch, charges: Sequence[Charge], costs: tuple[Measure, ...]) -> Planned:
        if len(charges) > 1:
            raise refuse.several_tables_planned(sorted(charge.table for charge in charges))
        return Planned(
            ledger=self._ledger,
            engine=self._engine,
            bits=self._bits,
            pace=self._pace,
            shares=batch.shares,
            costs=costs,
            charge=charges[0],
            opinion=self._opinion,
        )

    def _fits(self, charge: Charge) -> bool:
        try:
            self._ledger.admits(charge)
        except BudgetExceeded:
            return False
        return True


def _unit(promise: Promise, joint: Joint, charge: Charge) -> Measure:
    """What the account will book for one protected unit."""
    load = booked(promise.granularity, Release(charge.region, joint.row, joint.both, joint.unit, altered=joint.altered))
    heaviest = load.one if load.both is None else tuple(map(max, load.one, load.both))
    return promise.budget.like(heaviest)


def _most(losses: Sequence[tuple[Measure, ...]]) -> tuple[Measure, ...]:
    """The largest over tables, which hold different records."""
    return tuple(
        parts[0].like([max(numbers) for numbers in zip(*(part.vector() for part in parts), strict=True)])
        for parts in zip(*losses, strict=True)
    )
