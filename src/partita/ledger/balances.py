"""All limits at once: an account for each promise and table, and for each analyst with limits of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, final

from partita.composition.promise import Promise
from partita.errors import ledger as refuse
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge, Priced
from partita.region import Domain, Region
from partita.theory.measures.base import Measure


class Account(Protocol):
    """What the ledger asks of an account: the load of every record value under one promise."""

    def admits(self, region: Region, cost: Measure, both: Measure | None = None) -> bool:
        """Whether a charge still fits."""

    def charge(self, region: Region, cost: Measure, both: Measure | None = None) -> None:
        """Book a charge, or refuse what does not fit."""

    def load(self, charges: Iterable[tuple[Region, Measure, Measure | None]]) -> None:
        """Book many charges that were admitted before."""

    def remaining(self, region: Region) -> Measure:
        """The largest cost that still fits there."""

    def worst(self) -> tuple[Measure, object]:
        """The largest loss of anybody, and who would bear it."""


MakeAccount = Callable[[Domain, Promise], Account]


@final
class Balances:
    """What every promise and every child account has left; a cache of the book, rebuilt from it at will."""

    def __init__(self, terms: Terms, make: MakeAccount) -> None:
        self._terms = terms
        self._make = make
        self._joint = self._accounts(terms.promises)
        self._children: dict[str, tuple[tuple[Measure | None, ...], dict[str, list[Account | None]]]] = {}

    def _accounts(self, promises: Sequence[Promise | None]) -> dict[str, list[Account | None]]:
        return {
            table: [None if promise is None else self._make(domain, promise) for promise in promises]
            for table, domain in self._terms.tables.items()
        }

    # --- child accounts --------------------------------------------------------------------------------------

    def child(self, name: str) -> tuple[Measure | None, ...] | None:
        """The limits of an analyst, if any were set."""
        found = self._children.get(name)
        return None if found is None else found[0]

    def children(self) -> Mapping[str, tuple[Measure | None, ...]]:
        """The limits of every analyst who has some."""
        return {name: limits for name, (limits, _) in self._children.items()}

    def open_child(self, name: str, limits: Sequence[Measure | None]) -> None:
        """Give an analyst limits of their own, in the measures of the promises; earlier charges do not count."""
        promises = [
            None if limit is None else Promise(promise.granularity, limit)
            for promise, limit in zip(self._terms.promises, limits, strict=True)
        ]
        self._children[name] = (tuple(limits), self._accounts(promises))

    # --- charges ---------------------------------------------------------------------------------------------

    def check(self, charge: Charge) -> None:
        """Refuse a charge that does not fit, under every promise and the analyst's own limits, before anything."""
        domain = self._terms.tables.get(charge.table)
        if domain is None:
            raise refuse.unknown_table(charge.table, tuple(self._terms.tables))
        if charge.region.domain != domain:
            raise refuse.other_domain(charge.table)
        if len(charge.costs) != len(self._terms.promises):
            raise refuse.wrong_costs(len(charge.costs), len(self._terms.promises))
        for cost, promise in zip(charge.costs, self._terms.promises, strict=True):
            promise.budget.fits(promise.budget.zero() + cost.one)  # refuses a cost of another measure
        for owner, accounts in self._sets(charge.analyst, charge.table):
            for cost, promise, account in zip(charge.costs, self._terms.promises, accounts, strict=True):
                if account is not None and not account.admits(charge.region, cost.one, cost.both):
                    left = account.remaining(charge.region)
                    raise refuse.over_budget(owner, str(promise.granularity), str(cost.one), str(left))

    def book(self, priced: Priced) -> None:
        """Count a charge that was admitted."""
        self.load([(priced, 1)])

    def load(self, charges: Iterable[tuple[Priced, int]]) -> None:
        """Count charges that were admitted, each so many times."""
        waiting: dict[int, tuple[Account, list[tuple[Region, Measure, Measure | None]]]] = {}
        for priced, count in charges:
            for _, accounts in self._sets(priced.analyst, priced.table):
                for cost, account in zip(priced.costs, accounts, strict=True):
                    if account is None:
                        continue
                    both = None if cost.both is None else cost.both.times(count)
                    rows = waiting.setdefault(id(account), (account, []))[1]
                    rows.append((priced.region, cost.one.times(count), both))
        for account, rows in waiting.values():
            account.load(rows)

    def _sets(self, analyst: str, table: str) -> Iterable[tuple[str, list[Account | None]]]:
        yield "", self._joint[table]
        child = self._children.get(analyst)
        if child is not None:
            yield analyst, child[1][table]

    # --- readings --------------------------------------------------------------------------------------------

    def spent(self, analyst: str | None = None) -> tuple[Measure | None, ...]:
        """The largest loss of anybody so far, for each promise; of one analyst's questions alone if named."""
        accounts = self._joint if analyst is None else self._child(analyst)
        return tuple(
            _largest([found for table in accounts.values() if (found := table[place]) is not None])
            for place in range(len(self._terms.promises))
        )

    def remaining(self, table: str, region: Region, analyst: str = "") -> tuple[Measure, ...]:
        """The largest cost that still fits in a region, for each promise, the analyst's own limits included."""
        found: list[Measure] = []
        for place, promise in enumerate(self._terms.promises):
            rests = [
                account.remaining(region)
                for _, accounts in self._sets(analyst, table)
                if (account := accounts[place]) is not None
            ]
            least = [min(parts) for parts in zip(*(rest.vector() for rest in rests), strict=True)]
            found.append(promise.budget.like(least))
        return tuple(found)

    def _child(self, analyst: str) -> dict[str, list[Account | None]]:
        if analyst not in self._children:
            raise refuse.no_account(analyst)
        return self._children[analyst][1]


def _largest(accounts: Sequence[Account]) -> Measure | None:
    """The coordinate-wise largest loss over tables, which hold different records."""
    losses = [account.worst()[0] for account in accounts]
    if not losses:
        return None
    return losses[0].like([max(parts) for parts in zip(*(loss.vector() for loss in losses), strict=True)])
