"""What version 0.1 booked too low in its books: which charge, under which promise, and what it cost at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import add
from typing import final

from partita.composition.plans.promise import Promise
from partita.errors import LedgerFault
from partita.ledger.admission import Balances
from partita.ledger.audit.faults import Fault, Finding, altered, concerned, faults, reading_of, shared
from partita.ledger.birth import Birth, Terms
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.charge import Priced, Reader
from partita.ledger.payer import MakePayer
from partita.theory.documents import to_document
from partita.theory.measures.base import Measure, most

_LISTED = 100
_REMEMBERED = 10_000


@final
@dataclass(frozen=True, slots=True)
class Underbooked:
    """A charge that cost more than was booked for it: by itself, or beside others on the same records."""

    seq: int
    asked: str
    promise: Promise
    fault: Fault
    booked: Measure
    cost: Measure

    def __str__(self) -> str:
        asked = f" ({' '.join(self.asked.split())})" if self.asked else ""
        cost = f"cost at most {self.cost}" if self.cost != self.booked else "too little only beside others"
        return (
            f"entry {self.seq}{asked}, [{self.promise.granularity}]: booked {self.booked}, {cost}: {self.fault.value}"
        )


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """What a promise has come to: the most that anybody can have lost, charges that were booked too low included."""

    promise: Promise
    most: Measure

    @property
    def holds(self) -> bool:
        """Whether the promise is kept all the same."""
        return self.most.fits(self.promise.budget)

    def __str__(self) -> str:
        kept = "the promise is kept all the same" if self.holds else "the promise can NOT be shown to be kept"
        return f"[{self.promise.granularity}]: at most {self.most} of {self.promise.budget}, {kept}"


@final
@dataclass(frozen=True, slots=True)
class Past:
    """What was found in a book that version 0.1 may have written; ``count`` is of all charges, the first are listed."""

    charges: tuple[Underbooked, ...] = ()
    count: int = 0
    standings: tuple[Standing, ...] = ()

    def lines(self) -> Iterator[str]:
        """What was found, as lines for a terminal."""
        yield f"Booked too low by a version before 0.2: {self.count} of the charges (docs: past vulnerabilities)."
        yield from map(str, self.charges)
        if self.count > len(self.charges):
            yield f"and {self.count - len(self.charges)} more"
        yield "What the promises have come to:"
        yield from map(str, self.standings)

    def document(self) -> dict[str, object]:
        """The same as plain data, for JSON."""
        return {
            "count": self.count,
            "charges": [
                {
                    "entry": one.seq,
                    "asked": one.asked,
                    "unit": str(one.promise.granularity),
                    "fault": one.fault.name.lower().replace("_", "-"),
                    "booked": to_document(one.booked),
                    "cost": to_document(one.cost),
                }
                for one in self.charges
            ],
            "promises": [
                {
                    "unit": str(one.promise.granularity),
                    "budget": to_document(one.promise.budget),
                    "most": to_document(one.most),
                    "holds": one.holds,
                }
                for one in self.standings
            ],
        }

    @property
    def broken(self) -> Iterator[str]:
        """The promises that cannot be shown to be kept."""
        for standing in self.standings:
            if not standing.holds:
                yield (
                    f"the promise for [{standing.promise.granularity}] cannot be shown to be kept: charges were booked "
                    f"too low, and may come to {standing.most} of {standing.promise.budget}"
                )


NOTHING = Past()


def past(birth: Birth, entries: Iterable[Entry], balances: Balances, make: MakePayer) -> Past:
    """The charges of an old book that were booked too low, and what its promises have come to.

    ``balances`` are the accounts as this version replays the book: widened regions and equal declared values cost in
    them what they should have (theory E24, E11a). Clamped parts are counted here once more: taking one stored part away
    lets as many rows of another in, so that it costs what an altered part costs, in the cells that can be shared
    (theory A4a, A5).
    """
    if birth.format > 1 or not any(map(concerned, (promise.granularity for promise in birth.terms.promises))):
        return NOTHING
    terms, read = birth.terms, Reader(birth.terms.tables)
    known: dict[str, list[Finding]] = {}
    sums = [promise.budget.zero().vector() for promise in terms.promises]
    clamped: dict[int, list[tuple[Priced, int]]] = {}
    found: list[Underbooked] = []
    count, touched = 0, set()
    for entry in entries:
        if entry.kind is not Kind.RESERVE or entry.charge is None:
            continue
        details = entry.details()
        reading = reading_of(details.get("mechanism"))
        key = f"{entry.charge}\n{reading}"
        if key not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            try:
                priced = read(entry.charge)
            except LedgerFault:
                known[key] = []
            else:
                known[key] = list(faults(terms, priced, reading))
        for place, fault, was, cost in known[key]:
            sums[place] = tuple(map(add, sums[place], cost.vector()))
            if fault is None:
                continue
            count += 1
            touched.add(place)
            promise = terms.promises[place]
            if fault is Fault.CLAMPED:
                clamped.setdefault(place, []).append((shared(terms, read(entry.charge), place), 1))
            if len(found) < _LISTED:
                found.append(Underbooked(entry.seq, str(details.get("asked", "")), promise, fault, was, cost))
    spent = balances.spent()
    standings = []
    for place in sorted(touched):
        promise, lost = terms.promises[place], spent[place]
        if place in clamped:
            again = Balances(Terms([Promise(altered(promise.granularity), promise.budget)], terms.tables), make)
            again.load(clamped[place])
            (more,) = again.spent()
            lost = more if lost is None or more is None else most(lost, more)
        if lost is None or not lost.fits(promise.budget):
            # Accounts count no further than a budget that is passed: what all charges cost one after the other.
            lost = promise.budget.like(sums[place])
        standings.append(Standing(promise, lost))
    return Past(tuple(found), count, tuple(standings))
