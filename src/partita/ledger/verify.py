"""An audit of the whole book from its first line: chain, states, answers, tallies, and every balance anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

from partita.errors import LedgerFault
from partita.ledger.anchor import Anchor, Mark
from partita.ledger.balances import Balances
from partita.ledger.birth import Birth
from partita.ledger.canonical import digest
from partita.ledger.charge import Reader
from partita.ledger.entries import GENESIS, Entry, Kind, chained, line
from partita.ledger.payer import MakePayer
from partita.ledger.store import Store
from partita.ledger.tally import START, Tally, merged, rolled
from partita.theory.documents import from_document
from partita.theory.measures.base import Measure

_MOST_PROBLEMS = 20


@final
@dataclass(frozen=True, slots=True)
class Verification:
    """What an audit found; ``problems`` is empty for a sound book."""

    entries: int
    charges: int
    answered: int
    unfinished: int
    abandoned: int
    restored: int
    spent: tuple[Measure | None, ...]
    mark: Mark
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems


@final
@dataclass(slots=True)
class _Audit:
    """The findings so far, of a reader who trusts nothing but the lines themselves."""

    store: Store
    problems: list[str] = field(default_factory=list)
    birth: Birth | None = None
    seq: int = 0
    hash: bytes = GENESIS
    unfinished: set[int] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    counts: Counter[Kind] = field(default_factory=Counter)
    accounts: dict[str, list[Measure | None]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    tallies: list[bytes] = field(default_factory=list)
    rolled: str = START
    marks: dict[int, bytes] = field(default_factory=dict)

    def note(self, problem: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def read(self, entry: Entry, content: bytes | None) -> None:
        """One line: its place, its hash, and whether its state may follow."""
        seq, kind, note, found, of, question, key, charge = entry
        if seq != self.seq + 1:
            self.note(f"entries {self.seq + 1} to {seq - 1} are missing")
        if chained(self.hash, line(seq, kind, of, question, key, charge, note)) != found:
            self.note(f"entry {seq} does not follow from the entry before it")
        self.seq, self.hash = seq, found
        self.counts[kind] += 1
        if content is not None and kind is not Kind.COMMIT:
            self.note(f"entry {seq} is no commit and has an answer")
        match kind:
            case Kind.RESERVE:
                self._reserve(entry)
            case Kind.COMMIT:
                self._close(entry)
                # The canonical note holds nothing but the digest and the time, in this order.
                if content is None or not note.startswith(f'{{"answered":"{digest(content)}","at":'):
                    self.note(f"the answer of entry {seq} is not the one that was committed")
            case Kind.ABANDON:
                self._close(entry)
            case Kind.BIRTH:
                self._birth(entry)
            case Kind.ACCOUNT:
                self._account(entry)
            case Kind.CHECKPOINT:
                self._checkpoint(entry)
            case Kind.RESTORE:
                pass

    def _birth(self, entry: Entry) -> None:
        if entry.seq != 1:
            self.note(f"entry {entry.seq} is a second birth")
            return
        self.birth = Birth.from_document(entry.details())
        secret = self.store.secret()
        if secret is None or digest(secret) != self.birth.truncation:
            self.note("the truncation key is not the one of the birth")

    def _reserve(self, entry: Entry) -> None:
        if entry.charge is None or entry.question is None:
            self.note(f"entry {entry.seq} reserves nothing")
            return
        if entry.key is not None:
            if entry.key in self.keys:
                self.note(f"entry {entry.seq} uses a key a second time")
            self.keys.add(entry.key)
        self.unfinished.add(entry.seq)
        self.tally.charges[entry.charge] += 1

    def _close(self, entry: Entry) -> None:
        if entry.of not in self.unfinished:
            self.note(f"entry {entry.seq} closes entry {entry.of}, which is not an open reservation")
            return
        self.unfinished.discard(entry.of)

    def _account(self, entry: Entry) -> None:
        details = entry.details()
        name, limits = str(details.get("analyst")), details.get("limits")
        if name in self.accounts or not isinstance(limits, list):
            self.note(f"entry {entry.seq} opens the account of {name!r} a second time, or without limits")
            return
        if self.tally.charges:
            self.note(f"entry {entry.seq} opens an account without a checkpoint before it")
        self.accounts[name] = [None if limit is None else from_document(limit) for limit in limits]
        self.tally.accounts.append(details)

    def _checkpoint(self, entry: Entry) -> None:
        content = self.tally.content()
        self.rolled = rolled(self.rolled, content)
        if entry.details().get("tallies") != self.rolled:
            self.note(f"the checkpoint at entry {entry.seq} does not match the charges before it")
        self.marks[entry.seq] = content
        self.tallies.append(content)
        self.tally = Tally()

    def periods(self) -> Iterator[Tally]:
        """Everything that was booked, from one opening of an account to the next."""
        return merged([*map(Tally.read, self.tallies), self.tally])


def verify(store: Store, make: MakePayer, anchor: Anchor) -> Verification:
    """Audit a book from its first line; nothing that is cached or indexed is believed."""
    audit = _Audit(store, problems=[f"the file itself: {finding}" for finding in store.sound()])
    anchored = anchor.read()
    at_anchor: bytes | None = None
    for entry, content in store.everything():
        audit.read(entry, content)
        if anchored is not None and entry.seq == anchored.seq:
            at_anchor = entry.hash
    if anchored is not None and at_anchor != anchored.hash:
        audit.note(f"the anchor has seen another entry {anchored.seq}")
    if store.tallies() != sorted(audit.marks.items()):
        audit.note("the stored tallies are not those of the checkpoints")
    spent = _balances(audit, make)
    return Verification(
        entries=audit.seq,
        charges=audit.counts[Kind.RESERVE],
        answered=audit.counts[Kind.COMMIT],
        unfinished=len(audit.unfinished),
        abandoned=audit.counts[Kind.ABANDON],
        restored=audit.counts[Kind.RESTORE],
        spent=spent,
        mark=Mark(audit.seq, audit.hash),
        problems=tuple(audit.problems),
    )


def _balances(audit: _Audit, make: MakePayer) -> tuple[Measure | None, ...]:
    """Add every charge up again, and see that no limit was passed. Loads only grow, so the end is the worst moment."""
    if audit.birth is None:
        audit.note("there is no birth")
        return ()
    terms = audit.birth.terms
    balances = Balances(terms, make)
    for tally in audit.periods():
        for details in tally.accounts:
            name = str(details["analyst"])
            balances.open_child(name, audit.accounts[name])
        read = Reader(terms.tables)
        charges = []
        for text, count in tally.charges.items():
            try:
                priced = read(text)
            except LedgerFault as fault:
                audit.note(fault.message)
                continue
            if len(priced.costs) == len(terms.promises):
                charges.append((priced, count))
            else:
                audit.note("a charge does not have one cost for each promise")
        balances.load(charges)
    joint: list[Measure | None] = [promise.budget for promise in terms.promises]
    for name, budgets in [("", joint), *audit.accounts.items()]:
        for promise, budget, loss in zip(terms.promises, budgets, balances.spent(name or None), strict=True):
            if budget is not None and loss is not None and not loss.fits(budget):
                owner = f"the account of {name!r}" if name else "the promise"
                audit.note(f"{owner} for [{promise.granularity}] is exceeded: {loss} of {budget}")
    return balances.spent()
