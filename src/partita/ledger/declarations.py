"""What a book was declared with at each of its places, and its charges as the newest declaration reads them."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import replace
from typing import final

from partita.errors import ledger as refuse
from partita.ledger.birth import Terms
from partita.ledger.charge import Priced, Reader
from partita.region.refinement import Refinement
from partita.theory.cost import Cost


@final
class Eras:
    """The terms of a book from its birth on, and after every migration; each refines the one before (theory I12).

    A charge is read with the terms under which it was written. In the newest domain its region is the preimage of the
    one written, so that the load of a new value is the load of the old value it tells (declarations.proof.md).
    """

    def __init__(self, terms: Terms) -> None:
        self._starts = [0]
        self._terms = [terms]
        self._readers = [Reader(terms.tables)]
        self._lifts: dict[tuple[int, str], Refinement | None] = {}

    @property
    def current(self) -> Terms:
        """The terms in force."""
        return self._terms[-1]

    @property
    def earlier(self) -> tuple[Terms, ...]:
        """The terms before those in force, oldest first."""
        return tuple(self._terms[:-1])

    @property
    def count(self) -> int:
        """How many declarations there have been."""
        return len(self._terms)

    def begin(self, seq: int, terms: Terms) -> None:
        """Let other terms hold after a place of the book."""
        self._starts.append(seq)
        self._terms.append(terms)
        self._readers.append(Reader(terms.tables))
        self._lifts.clear()

    def until(self, era: int) -> Eras:
        """The declarations up to one of them, as they were known before the next."""
        found = Eras(self._terms[0])
        for seq, terms in zip(self._starts[1 : era + 1], self._terms[1 : era + 1], strict=True):
            found.begin(seq, terms)
        return found

    def at(self, seq: int) -> int:
        """Which declaration an entry was written under, counted from zero."""
        return bisect_left(self._starts, seq) - 1

    def start(self, seq: int) -> int:
        """A place under the same declaration as an entry, the same for all of them."""
        return self._starts[self.at(seq)] + 1

    def terms(self, seq: int) -> Terms:
        """The terms that an entry was written under."""
        return self._terms[self.at(seq)]

    def read(self, text: str, seq: int) -> Priced:
        """A charge as it was written."""
        return self._readers[self.at(seq)](text)

    def lifted(self, text: str, seq: int) -> Priced:
        """A charge as the newest declaration has it."""
        era = self.at(seq)
        priced = self._readers[era](text)
        if era == len(self._terms) - 1:
            return priced
        pi = self._lift(era, priced.table, text)
        if pi is None:
            return priced
        # In a domain of nothing but declared values a release reads nothing else (theory E11a); now there may be more.
        costs = tuple(map(_declared, priced.costs)) if pi.old.closed else priced.costs
        return Priced(priced.analyst, priced.table, pi.region(priced.region), costs)

    def alike(self, text: str | None, seq: int) -> bool:
        """Whether a charge is about a table that is still declared as it was, so that its answer is still the same."""
        era = self.at(seq)
        if era == len(self._terms) - 1 or text is None:
            return True
        table = str(json.loads(text)["table"])
        return self._terms[era].tables.get(table) == self.current.tables.get(table)

    def _lift(self, era: int, table: str, text: str) -> Refinement | None:
        if (era, table) not in self._lifts:
            old, new = self._terms[era].tables[table], self.current.tables.get(table)
            found = None if new is None or old == new else Refinement.of(old, new)
            if found is None and old != new:
                raise refuse.unreadable_charge(text)
            self._lifts[era, table] = found
        return self._lifts[era, table]


def _declared(cost: Cost) -> Cost:
    return replace(cost, declared=True)
