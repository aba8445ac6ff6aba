"""Admission under all limits at once: an account for each promise and table, and for each analyst with own limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import final

from partita.composition.account.claim import Claim
from partita.composition.account.loads.allowance import further, in_force
from partita.composition.plans.promise import Promise
from partita.errors import PartitaError
from partita.errors import ledger as refuse
from partita.ledger.birth import Terms
from partita.ledger.charge import LONGEST_NAME, Charge, Priced
from partita.ledger.payer import UNSHOWN, MakePayer, Payer, RegionPayer
from partita.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure, most

Limits = tuple[Measure | None, ...]
_Payers = dict[str, list[Payer | None]]


@final
@dataclass(frozen=True, slots=True)
class Admission:
    """A charge that fits everywhere, ready to be booked in every account once it is durable."""

    tickets: tuple[tuple[Payer, object], ...]

    def book(self) -> None:
        """Count the charge."""
        for payer, ticket in self.tickets:
            payer.book(ticket)


@final
class Balances:
    """What every promise and every child account has left; a cache of the book, rebuilt from it at will."""

    def __init__(self, terms: Terms, make: MakePayer, lowered: Limits | None = None) -> None:
        """``terms`` with the largest budgets that ever were in force; ``lowered`` where a smaller one is now."""
        self._terms = terms
        self._make = make
        self._joint = self._payers(terms.promises)
        self._lowered = None if lowered is None else self._payers(self._limited(lowered))
        self._children: dict[str, tuple[Limits, _Payers]] = {}

    def _payers(self, promises: Sequence[Promise | None]) -> _Payers:
        return {
            table: [None if promise is None else self._make(domain, promise) for promise in promises]
            for table, domain in self._terms.tables.items()
        }

    # --- child accounts --------------------------------------------------------------------------------------

    def child(self, name: str) -> Limits | None:
        """The limits of an analyst, if any were set."""
        found = self._children.get(name)
        return None if found is None else found[0]

    def children(self) -> Mapping[str, Limits]:
        """The limits of every analyst who has some."""
        return {name: limits for name, (limits, _) in self._children.items()}

    def open_child(self, name: str, limits: Sequence[Measure | None]) -> None:
        """Give an analyst limits of their own, in the measures of the promises; earlier charges do not count."""
        self._children[name] = (tuple(limits), self._payers(self._limited(limits)))

    def _limited(self, limits: Sequence[Measure | None]) -> list[Promise | None]:
        return [
            None if limit is None else Promise(promise.granularity, limit)
            for promise, limit in zip(self._terms.promises, limits, strict=True)
        ]

    # --- charges ---------------------------------------------------------------------------------------------

    def check(self, charge: Charge) -> Admission:
        """Admit a charge under every promise and the analyst's own limits, or refuse it before anything happens."""
        domain = self._terms.tables.get(charge.table)
        if domain is None:
            raise refuse.unknown_table(charge.table, tuple(self._terms.tables))
        if charge.region.domain is not domain and charge.region.domain != domain:
            raise refuse.other_domain(charge.table)
        if len(charge.costs) != len(self._terms.promises):
            raise refuse.wrong_costs(len(charge.costs), len(self._terms.promises))
        for cost, promise in zip(charge.costs, self._terms.promises, strict=True):
            _check_measure(cost, promise.budget)
        tickets = []
        for owner, payers in self._sets(charge.analyst, charge.table):
            for cost, promise, payer in zip(charge.costs, self._terms.promises, payers, strict=True):
                if payer is None:
                    continue
                ticket = payer.ticket(charge.region, cost)
                if ticket is None or ticket is UNSHOWN:
                    asked, left = payer.charged(charge.region, cost), payer.remaining(charge.region)
                    told = owner, str(promise.granularity), str(asked), str(left)
                    raise (
                        refuse.over_budget(*told) if ticket is None else refuse.not_shown(*told, in_force(), further())
                    )
                tickets.append((payer, ticket))
        return Admission(tuple(tickets))

    def look(self, charges: Iterable[Charge]) -> None:
        """Decide about charges, whatever comes of it: what was shown is kept, and at hand when they are booked."""
        for charge in charges:
            with suppress(PartitaError):
                self.check(charge)

    def charged(self, charge: Charge) -> tuple[Measure, ...]:
        """What one protected unit is charged, under each promise."""
        payers = self._joint[charge.table]
        return tuple(
            payer.charged(charge.region, cost)
            for cost, payer in zip(charge.costs, payers, strict=True)
            if payer is not None
        )

    def claims(self, charge: Charge) -> tuple[Claim | None, ...]:
        """What will be decided and booked for a charge under each promise, as plain data; nothing changes."""
        payers = self._joint[charge.table]
        return tuple(
            None if payer is None else payer.claims(charge.region, cost)
            for cost, payer in zip(charge.costs, payers, strict=True)
        )

    def payable(self, charge: Charge) -> Region:
        """A part of the charge's region on which every promise and the analyst's own limits can pay (theory E20).

        Each limit shrinks what the others left; a part of what can pay need not pay under pairs and windows, so it
        goes around until nothing shrinks any more.
        """
        kept = charge.region
        while not kept.empty:
            before = kept
            for _, payers in self._sets(charge.analyst, charge.table):
                for cost, payer in zip(charge.costs, payers, strict=True):
                    if payer is not None:
                        kept = payer.payable(kept, cost)
            if kept == before:
                break
        return kept

    def load(self, charges: Iterable[tuple[Priced, int]]) -> None:
        """Count charges that were admitted, each so many times."""
        waiting: dict[int, tuple[Payer, list[tuple[Region, Cost, int]]]] = {}
        for priced, count in charges:
            for _, payers in self._sets(priced.analyst, priced.table):
                for cost, payer in zip(priced.costs, payers, strict=True):
                    if payer is not None:
                        waiting.setdefault(id(payer), (payer, []))[1].append((priced.region, cost, count))
        for payer, rows in waiting.values():
            payer.load(rows)

    def improve(self, patience: int) -> None:
        """Look longer for better bounds, in every account, and keep them."""
        kept = [self._joint, *([] if self._lowered is None else [self._lowered])]
        kept += [payers for _, payers in self._children.values()]
        for payers in kept:
            for payer in (payer for table in payers.values() for payer in table):
                if isinstance(payer, RegionPayer):
                    payer.account.improve(patience=patience)

    def _sets(self, analyst: str, table: str) -> Iterator[tuple[str, list[Payer | None]]]:
        if not isinstance(analyst, str):
            raise refuse.bad_name("analyst", analyst, LONGEST_NAME)
        yield "", self._joint[table]
        if self._lowered is not None:
            yield "", self._lowered[table]
        child = self._children.get(analyst)
        if child is not None:
            yield analyst, child[1][table]

    # --- readings --------------------------------------------------------------------------------------------

    def brackets(self, analyst: str | None = None) -> tuple[tuple[Measure, Measure] | None, ...]:
        """For each promise, two losses between which the largest of anybody lies; by one analyst alone if named."""
        payers = self._joint if analyst is None else self._child(analyst)
        return tuple(
            _largest([found.bracket() for table in payers.values() if (found := table[place]) is not None])
            for place in range(len(self._terms.promises))
        )

    def spent(self, analyst: str | None = None) -> Limits:
        """The largest loss of anybody so far, for each promise; of one analyst's questions alone if named."""
        return tuple(None if found is None else found[1] for found in self.brackets(analyst))

    def payer(self, table: str, place: int, analyst: str | None = None) -> Payer | None:
        """The account of one promise for one table, or of one analyst's own limit under it."""
        return (self._joint if analyst is None else self._child(analyst))[table][place]

    def remaining(self, table: str, region: Region, analyst: str = "") -> tuple[Measure, ...]:
        """What a protected unit in a region can still be charged, for each promise, the analyst's limits included."""
        found: list[Measure] = []
        for place, promise in enumerate(self._terms.promises):
            rests = [
                payer.remaining(region)
                for _, payers in self._sets(analyst, table)
                if (payer := payers[place]) is not None
            ]
            least = [min(parts) for parts in zip(*(rest.vector() for rest in rests), strict=True)]
            found.append(promise.budget.like(least))
        return tuple(found)

    def _child(self, analyst: str) -> _Payers:
        if analyst not in self._children:
            raise refuse.no_account(analyst)
        return self._children[analyst][1]


def _check_measure(cost: Cost, budget: Measure) -> None:
    """Refuse a cost of another measure than the promise's."""
    for loss in cost.losses:
        if type(loss) is not type(budget) or loss.kind == "renyi":
            budget.left_after(loss)


def _largest(brackets: Sequence[tuple[Measure, Measure]]) -> tuple[Measure, Measure] | None:
    """The coordinate-wise largest over tables, which hold different records."""
    if not brackets:
        return None
    low, high = (most(*losses) for losses in zip(*brackets, strict=True))
    return low, high
