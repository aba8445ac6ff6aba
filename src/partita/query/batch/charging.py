"""How questions that are fixed together are charged: each table to its own account, or all of them to people."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release, booked, charged
from partita.composition.plans.promise import Promise
from partita.errors.query import prices as refuse
from partita.granularity import Metric, Replace
from partita.limits import current
from partita.query.batch.joint import inner_delta, joint, union
from partita.query.language.plan import Plan
from partita.query.noise.quote import Promised, Quote
from partita.query.tables.truncation import Truncation
from partita.region.meetings import Meeting, meetings
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure

Vector = tuple[Fraction, ...]
Truncations = Mapping[str, Truncation | None]


@final
@dataclass(frozen=True, slots=True)
class Together:
    """What questions are charged as one plan: whose account, where, and what under each promise.

    ``apart``: the same if each were charged by itself. ``exact``: whether exact composition made the plan cheaper.
    """

    account: str
    region: Region
    costs: tuple[Cost, ...]
    apart: tuple[Cost, ...]
    exact: bool


class Charging(ABC):
    """The promises as questions see them, and what several questions cost one protected unit together."""

    @property
    @abstractmethod
    def budget(self) -> Measure:
        """The most that may ever be lost under the first promise, which is what a price buys from."""

    @abstractmethod
    def promised(self, plan: Plan) -> tuple[Promised, ...]:
        """The promises as a question sees them."""

    @abstractmethod
    def kept(self, plan: Plan) -> Truncation | None:
        """The fixed truncation behind the rows of a question."""

    @abstractmethod
    def account(self, plan: Plan) -> str:
        """Whose account is charged. Questions charged to different ones cost nobody anything together."""

    @abstractmethod
    def sets(self, quotes: Sequence[Quote]) -> list[Meeting]:
        """The sets of questions that may cost one protected unit together."""

    @abstractmethod
    def heaviest(self, quotes: Sequence[Quote], allowed: Measure) -> Vector:
        """What the questions cost the heaviest unit together under the first promise, as it would be booked."""

    @abstractmethod
    def together(self, quotes: Sequence[Quote], deltas: Sequence[Fraction]) -> Together:
        """What the questions of one account are charged as a plan, composed at these δ."""


@final
@dataclass(frozen=True)
class ByTable(Charging):
    """Each table has an account of its own, since nobody's row is in two of them."""

    promises: tuple[Promise, ...]
    truncations: Truncations

    @property
    def budget(self) -> Measure:
        return self.promises[0].budget

    def promised(self, plan: Plan) -> tuple[Promised, ...]:
        return self.promises

    def kept(self, plan: Plan) -> Truncation | None:
        return self.truncations[plan.table.name]

    def account(self, plan: Plan) -> str:
        return plan.table.name

    def sets(self, quotes: Sequence[Quote]) -> list[Meeting]:
        sets = list(meetings([one.region for one in quotes]))
        unit = self.promises[0].granularity.single
        if isinstance(unit, Replace | Metric) and len(sets) > 1:
            if len(sets) ** 2 > 2 * current().batch_pairs:
                return [frozenset(range(len(quotes)))]
            unions = {one | other for one, other in combinations(sets, 2)}
            sets = [one for one in unions if not any(one < other for other in unions)]
        return sets

    def heaviest(self, quotes: Sequence[Quote], allowed: Measure) -> Vector:
        promise = self.promises[0]
        if isinstance(allowed, Approximate) and allowed.delta:
            delta = inner_delta(promise, allowed.delta, allowed.epsilon)
            (total,) = joint(quotes, (promise,), (delta,))
            load = booked(promise.granularity, Release(union(quotes), total.together))
            return load.one if load.substitution is None else tuple(map(max, load.one, load.substitution))
        # As the ledger books it: what is proven for owners as a whole is charged as such.
        releases = [Release(one.region, one.stated(0, once=one.by_owner)) for one in quotes]
        losses = [charged(promise.granularity, allowed, one).vector() for one in releases]
        room = math.ceil(sum(times(loss, allowed) for loss in losses)) + 1
        account = RegionAccount(quotes[0].plan.table.domain, Promise(promise.granularity, allowed.times(room)))
        for one in releases:
            account.charge(one.region, one.cost)
        return account.bracket()[1].vector()

    def together(self, quotes: Sequence[Quote], deltas: Sequence[Fraction]) -> Together:
        tables = sorted({one.plan.table.name for one in quotes})
        if len(tables) > 1:
            raise refuse.several_tables_planned(tables)
        joints = joint(quotes, self.promises, deltas)
        return Together(
            tables[0],
            union(quotes),
            tuple(one.together for one in joints),
            tuple(one.apart for one in joints),
            any(one.exact for one in joints),
        )


def times(load: Sequence[Fraction], allowed: Measure) -> Fraction:
    """How many times what is allowed a load is, where it is most."""
    over = [
        part / whole if whole else Fraction(10**9) for part, whole in zip(load, allowed.vector(), strict=True) if part
    ]
    return max(over, default=Fraction(0))
