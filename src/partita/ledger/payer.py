"""An account as the ledger uses it: a charge is priced once, decided, and booked only when it is durable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, final

from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release, booked
from partita.composition.account.claim import Claim
from partita.composition.account.load import Amounts, Load
from partita.composition.plans.promise import Promise
from partita.errors import ledger as refuse
from partita.region import Domain, Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure

_CACHED = 4096


@final
class Unshown(Enum):
    """In place of a ticket, for a charge that may fit: it was not shown to, with the patience in force."""

    UNSHOWN = 0


UNSHOWN: Final = Unshown.UNSHOWN


class Payer(ABC):
    """What the ledger asks of the load of every record value under one promise."""

    @abstractmethod
    def ticket(self, region: Region, cost: Cost) -> object | None:
        """A ticket to book a charge that fits; None for one that does not, `UNSHOWN` if it may. Nothing changes."""

    @abstractmethod
    def book(self, ticket: object) -> None:
        """Count a charge for which a ticket was given just before."""

    @abstractmethod
    def load(self, charges: Iterable[tuple[Region, Cost, int]]) -> None:
        """Count charges that were admitted before, each so many times."""

    @abstractmethod
    def remaining(self, region: Region) -> Measure:
        """What one protected unit can still be charged there: any charge of no more fits."""

    @abstractmethod
    def charged(self, region: Region, cost: Cost) -> Measure:
        """What one protected unit is charged for a release."""

    @abstractmethod
    def claims(self, region: Region, cost: Cost) -> Claim | None:
        """What a ticket would be decided and booked for, as plain data; None for an empty region."""

    @abstractmethod
    def payable(self, region: Region, cost: Cost) -> Region:
        """A part of the region that can pay, as large as can be found."""

    @abstractmethod
    def bracket(self) -> tuple[Measure, Measure]:
        """The largest loss of anybody lies between these two."""


MakePayer = Callable[[Domain, Promise], Payer]


@final
class RegionPayer(Payer):
    """A region account (theory E16), with amounts counted in its own units.

    A charge made many times is priced once and its whole amount is multiplied: the price of many at once would be
    another, where a rule for groups is not linear.
    """

    def __init__(self, domain: Domain, promise: Promise) -> None:
        self._account = RegionAccount(domain, promise)
        self._regional = promise.granularity.kind in {"rows", "replace"}
        self._amounts: dict[Cost, tuple[Amounts, Amounts, Amounts]] = {}

    def ticket(self, region: Region, cost: Cost) -> object | None:
        load = self._priced(region, cost)
        answer = self._account.decide(load)
        if answer.fits:
            return load, answer
        return None if answer.proven else UNSHOWN

    def book(self, ticket: object) -> None:
        assert isinstance(ticket, tuple)
        self._account.book(*ticket)

    def load(self, charges: Iterable[tuple[Region, Cost, int]]) -> None:
        # The same costs come again and again; holding on to them keeps their identities apart.
        known: dict[int, tuple[Cost, Load]] = {}
        loads = []
        for region, cost, count in charges:
            if region:
                found = known.get(id(cost)) if self._regional else None
                if found is None:
                    found = known[id(cost)] = (cost, self._priced(region, cost))
                    loads.append((found[1], count))
                else:
                    loads.append((found[1]._replace(boxes=region.boxes), count))
        self._account.put(loads)

    def claims(self, region: Region, cost: Cost) -> Claim | None:
        # Of the very load that a ticket is for.
        return None if region.empty else self._account.claim(self._priced(region, cost))

    def remaining(self, region: Region) -> Measure:
        return self._account.headroom(region)

    def charged(self, region: Region, cost: Cost) -> Measure:
        return self._account.charged(region, cost)

    def payable(self, region: Region, cost: Cost) -> Region:
        return self._account.payable(region, cost)

    @property
    def account(self) -> RegionAccount:
        """The loads themselves, for maps and certificates."""
        return self._account

    def bracket(self) -> tuple[Measure, Measure]:
        return self._account.bracket()

    def _priced(self, region: Region, cost: Cost) -> Load:
        """The boxes that are charged and the whole amounts."""
        known = self._amounts.get(cost) if self._regional else None
        if known is not None:
            return Load(region.boxes, *known)
        units, unit = self._account.units, self._account.promise.granularity
        made = booked(unit, Release(region, cost))
        one = units.up(made.one)
        substitution = one if made.substitution is None else units.up(made.substitution)
        same = () if made.same is None else units.up(made.same)
        if self._regional:
            if len(self._amounts) >= _CACHED:
                self._amounts.clear()
            self._amounts[cost] = (one, substitution, same)
        return Load(made.region.boxes, one, substitution, same)


def region_account(payer: Payer | None, promise: int, analyst: str = "") -> RegionAccount:
    """The region account of a limit, or a refusal where there is none."""
    if not isinstance(payer, RegionPayer):
        raise refuse.no_limit(analyst, promise)
    return payer.account
