"""Several promises at once: a release is admitted only if every one of them can pay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from partita.composition.account.account import RegionAccount
from partita.composition.plans.promise import Promise
from partita.errors import region as refuse
from partita.limits import Limits
from partita.live import Live, alone
from partita.region.domain import Domain
from partita.region.region import Region
from partita.theory.measures.base import Measure


@final
class Accounts(Live):
    """One account for each promise; a charge names its cost under each, in the same order.

    >>> from partita.granularity import replace, rows
    >>> from partita.region import integers
    >>> from partita.theory.measures.pure import Pure
    >>> from partita.theory.measures.zcdp import ZCDP
    >>> domain = Domain({"age": integers(0, 120)})
    >>> accounts = Accounts(domain, [Promise(rows(), ZCDP(rho="0.5")), Promise(replace(), Pure(epsilon=3))])
    >>> old = Region.where("age >= 65", domain)
    >>> accounts.charge(old, [ZCDP(rho="0.1"), Pure(epsilon=1)])
    >>> [str(left) for left in accounts.remaining(old)]
    ['ρ = 0.4', 'ε = 0.5']
    """

    def __init__(
        self, domain: Domain, promises: Sequence[Promise], *, updates: bool = False, limits: Limits | None = None
    ) -> None:
        super().__init__()
        self.accounts = tuple(RegionAccount(domain, promise, updates=updates, limits=limits) for promise in promises)

    @alone
    def admits(
        self, region: Region, costs: Sequence[Measure], substitution: Sequence[Measure | None] | None = None
    ) -> bool:
        """Whether every promise can pay; nothing changes."""
        return all(account.admits(region, cost, other) for account, cost, other in self._each(costs, substitution))

    @alone
    def charge(
        self, region: Region, costs: Sequence[Measure], substitution: Sequence[Measure | None] | None = None
    ) -> None:
        """Book a release under every promise, or under none and say which cannot pay."""
        each = self._each(costs, substitution)
        for account, cost, other in each:
            if not account.admits(region, cost, other):
                account.charge(region, cost, other)  # refuses, in the words of that promise
        for account, cost, other in each:
            account.charge(region, cost, other)

    @alone
    def remaining(self, region: Region) -> tuple[Measure, ...]:
        """For each promise the largest cost that still fits there."""
        return tuple(account.remaining(region) for account in self.accounts)

    @alone
    def worst(self) -> tuple[tuple[Measure, object], ...]:
        """For each promise the largest loss of anybody, and who bears it."""
        return tuple(account.worst() for account in self.accounts)

    def _each(
        self, costs: Sequence[Measure], substitution: Sequence[Measure | None] | None
    ) -> list[tuple[RegionAccount, Measure, Measure | None]]:
        others = [None] * len(costs) if substitution is None else substitution
        if len(costs) != len(self.accounts) or len(others) != len(costs):
            raise refuse.wrong_costs(len(costs), len(self.accounts))
        return list(zip(self.accounts, costs, others, strict=True))
