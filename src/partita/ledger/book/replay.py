"""From the lines of the book to what every account has left, following what other processes append."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, assert_never, final

from partita.errors import PartitaError
from partita.errors import ledger as refuse
from partita.exact import written
from partita.ledger.admission import Admission, Balances
from partita.ledger.birth import Birth, Terms
from partita.ledger.book.entries import Entry, Kind, erases, follows
from partita.ledger.book.store import Store
from partita.ledger.book.tally import START, Tally, merged, rolled
from partita.ledger.declarations import Eras
from partita.ledger.payer import MakePayer
from partita.ledger.schedules import Budgets
from partita.theory.documents import from_document

# What is declared anew in them decides how everything before is read, so that all accounts are built again.
CHANGES = frozenset({Kind.BUDGET, Kind.MIGRATE})


@contextmanager
def _unswept() -> Iterator[None]:
    """Garbage is not looked for while a book is read: what is made of it is kept, and would be walked over and over.

    It takes a third of the time. Of threads that do this at once the first to end switches it on again.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@final
class Replay:
    """The state of a book after its last known entry; a cache that can be rebuilt from the book at any time.

    What this process writes is proposed first and settled after its transaction ended. Of several charges in one
    transaction each is decided after those before it, which are then booked ahead: if the transaction fails, this
    replay has booked too much, and ends.
    With ``then`` it is the state if the book were migrated to these terms at its end.
    """

    def __init__(self, store: Store, make: MakePayer, then: Terms | None = None) -> None:
        first = store.entry(1)
        if first is None or first.kind is not Kind.BIRTH or not follows(first, None):
            raise refuse.broken_chain(store.name, 1)
        self.name = store.name
        self.first = first
        self.make = make
        self.birth = Birth.from_document(first.details())
        self.erased = 0
        """Where somebody was last forgotten, of the entries that this process has met."""
        self._then = then
        with _unswept():
            self._begin(store)

    def _begin(self, store: Store) -> None:
        """Build everything from the book: what was declared where comes first, and all charges are read by it."""
        self.eras = Eras(self.birth.terms)
        self.budgets = Budgets(self.birth.terms.promises)
        self.tally = Tally()
        self.before: Entry | None = None
        self.last = self.newest = self.first
        self._digest = START
        self._proposed: list[Entry] = []
        self._admitted: dict[int, Admission] = {}
        self._torn = True
        self._ahead = False
        tallies = self._tallies(store)
        fresh = self._fresh(store)
        for tally in tallies:
            for change in tally.changes:
                self._change(int(change["seq"]), Kind(change["kind"]), change)
        for entry in fresh:
            if entry.kind in CHANGES:
                self._change(entry.seq, entry.kind, entry.details())
        if self._then is not None:
            self.eras.begin(fresh[-1].seq if fresh else self.last.seq, self._then)
        self.terms = self.budgets.kept(self.eras.current)
        self.balances = Balances(self.terms, self.make, self.budgets.lowered)
        for tally in merged(tallies):
            for account in tally.accounts:
                self._open(account)
            self._book(tally.charges.items(), tally.place)
        self._take(fresh)

    def _change(self, seq: int, kind: Kind, details: Mapping[str, Any]) -> None:
        """Take in what was declared anew after a place of the book."""
        try:
            if kind is Kind.BUDGET:
                self.budgets.take(seq, details)
            else:
                self.eras.begin(seq, Terms.from_document(details["to"]))
        except (LookupError, TypeError, ValueError, PartitaError):
            raise refuse.corrupt(self.name, f"entry {seq} declares nothing that can be read") from None

    def _tallies(self, store: Store) -> list[Tally]:
        """Start from the newest checkpoint, after checking that its digest covers every tally."""
        tallies = store.tallies()
        if not tallies:
            return []
        for _, content in tallies:
            self._digest = rolled(self._digest, content)
        place = tallies[-1][0]
        entry = store.entry(place)
        before = store.entry(place - 1)
        if (
            entry is None
            or before is None
            or entry.kind is not Kind.CHECKPOINT
            or entry.details().get("tallies") != self._digest
            or not follows(entry, before)
        ):
            raise refuse.tally_damaged(self.name, place)
        self.last = self.newest = entry
        return [Tally.read(content, seq) for seq, content in tallies]

    def follow(self, store: Store) -> None:
        """Take in what was appended since, after checking that it continues the same chain."""
        if self._torn or self._ahead:
            raise refuse.reopen(self.name)
        self.newest = self.last
        self._proposed.clear()
        self._admitted.clear()
        fresh = self._fresh(store)
        if any(entry.kind in CHANGES for entry in fresh):
            self._begin(store)
        elif fresh:
            self._take(fresh)

    def _fresh(self, store: Store) -> list[Entry]:
        """What was appended since, after checking that it continues the same chain."""
        seen = list(store.after(self.last.seq - 1))
        if not seen or (seen[0].seq, seen[0].hash) != (self.last.seq, self.last.hash):
            raise refuse.rewritten(self.name, self.last.seq)
        before, fresh = self.last, seen[1:]
        for entry in fresh:
            if not follows(entry, before):
                raise refuse.broken_chain(self.name, entry.seq)
            before = entry
        return fresh

    def propose(self, entry: Entry, admission: Admission | None = None) -> None:
        """Remember an entry that was written and is not yet durable, with the admission of a charge."""
        self._proposed.append(entry)
        if admission is not None:
            self._admitted[entry.seq] = admission
        self.newest = entry

    def settle(self, store: Store) -> None:
        """Book what was proposed: it is durable now."""
        if any(entry.kind in CHANGES for entry in self._proposed):
            self._begin(store)
        else:
            self._settled()

    def _settled(self) -> None:
        self._take(self._proposed)
        self._proposed.clear()
        self._admitted.clear()
        self._ahead = False

    def book_ahead(self) -> None:
        """Book what was proposed though it is not durable yet, so that the next charge is decided after it."""
        self._settled()
        self._ahead = True

    def checkpoint(self) -> tuple[bytes, str]:
        """The tally since the last checkpoint, and the digest of all tallies with it."""
        content = self.tally.content()
        return content, rolled(self._digest, content)

    def _take(self, entries: Sequence[Entry]) -> None:
        """Book entries, all of them or none that could go unnoticed: a failure halfway ends this replay."""
        self._torn = True
        waiting: Counter[str] = Counter()
        for entry in entries:
            match entry.kind:
                case Kind.RESERVE:
                    assert entry.charge is not None
                    self.tally.charges[entry.charge] += 1
                    admission = self._admitted.get(entry.seq)
                    if admission is None:
                        waiting[entry.charge] += 1
                    else:
                        admission.book()
                case Kind.MIGRATE | Kind.BUDGET:
                    self._book(waiting.items(), entry.seq)
                    waiting.clear()
                    self.tally.changes.append({**entry.details(), "kind": entry.kind.value, "seq": entry.seq})
                case Kind.ACCOUNT:
                    self._book(waiting.items(), entry.seq)
                    waiting.clear()
                    self.tally.accounts.append(entry.details())
                    self._open(entry.details())
                case Kind.CHECKPOINT:
                    self._digest = rolled(self._digest, self.tally.content())
                    if entry.details().get("tallies") != self._digest:
                        raise refuse.tally_damaged(self.name, entry.seq)
                    self.tally = Tally()
                case Kind.SEAL:
                    if erases(entry):
                        self.erased = max(self.erased, entry.seq)
                case Kind.BIRTH | Kind.COMMIT | Kind.ABANDON | Kind.RESTORE | Kind.FIX | Kind.ACT:
                    pass
                case _:
                    assert_never(entry.kind)
            self.tally.entries += 1
            self.before, self.last, self.newest = self.last, entry, entry
        self._book(waiting.items(), self.last.seq)
        self._torn = False

    def _open(self, details: dict[str, object]) -> None:
        limits = details["limits"]
        assert isinstance(limits, list)
        read = [None if limit is None else from_document(limit, written) for limit in limits]
        self.balances.open_child(str(details["analyst"]), read)

    def _book(self, counted: Iterable[tuple[str, int]], seq: int) -> None:
        """Count charges that were written under the declaration of a place."""
        charges = [(self.eras.lifted(text, seq), count) for text, count in counted]
        if charges:
            self.balances.load(charges)
