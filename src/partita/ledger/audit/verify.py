"""An audit of the whole book from its first line: chain, states, answers, tallies, and every balance anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from partita.composition.plans.promise import Promise
from partita.errors import LedgerFault, PartitaError
from partita.errors.wording import counted
from partita.exact import written
from partita.ledger.admission import Balances
from partita.ledger.audit.past import NOTHING, Past, past
from partita.ledger.audit.recount import recount
from partita.ledger.birth import Birth, Terms
from partita.ledger.book.anchor import Anchor, Mark
from partita.ledger.book.entries import GENESIS, Entry, Kind, chained, line
from partita.ledger.book.store import Store
from partita.ledger.book.tally import START, Tally, rolled
from partita.ledger.canonical import digest
from partita.ledger.charge import Priced
from partita.ledger.declarations import Eras
from partita.ledger.payer import MakePayer, RegionPayer
from partita.ledger.refined import differences
from partita.ledger.schedules import Budgets, InForce
from partita.notebook import InWords
from partita.theory.documents import from_document
from partita.theory.measures.base import Measure

_MOST_PROBLEMS = 20
_ROUNDING = Fraction(1, 10**9)


@final
@dataclass(frozen=True, slots=True)
class Verification(InWords):
    """What an audit found; ``problems`` is empty for a sound book.

    ``unproven`` lists limits that no count showed to be exceeded, and none showed to be kept, within the work allowed.
    ``past`` tells which charges an earlier version booked too low, and what the promises have come to with them.
    """

    entries: int
    charges: int
    answered: int
    unfinished: int
    abandoned: int
    restored: int
    spent: tuple[Measure | None, ...]
    mark: Mark
    problems: tuple[str, ...]
    unproven: tuple[str, ...] = ()
    past: Past = NOTHING

    @property
    def sound(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems

    def __str__(self) -> str:
        told = (
            counted(self.entries, "entry", "entries"),
            counted(self.charges, "charge"),
            counted(self.answered, "answer"),
        )
        lines = [f"{', '.join(told)}, {self.unfinished:,} unfinished."]
        if self.past.count:
            lines += self.past.lines()
        lines += ["The book is sound."] if self.sound else ["The book is NOT sound:", *self.problems]
        return "\n".join([*lines, *self.unproven])


@final
@dataclass(slots=True)
class _Audit:
    """The findings so far, of a reader who trusts nothing but the lines themselves."""

    store: Store
    problems: list[str] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)
    birth: Birth | None = None
    eras: Eras | None = None
    budgets: Budgets | None = None
    seq: int = 0
    hash: bytes = GENESIS
    unfinished: set[int] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    counts: Counter[Kind] = field(default_factory=Counter)
    limits: dict[str, list[Measure | None]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    periods: list[Tally] = field(default_factory=lambda: [Tally(1)])
    stored: dict[int, bytes] = field(default_factory=dict)
    rolled: str = START

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
        if kind is Kind.RESERVE:
            self._reserve(entry)
        elif kind is Kind.COMMIT:
            self._close(entry)
            # The canonical note holds nothing but the digest and the time, in this order.
            if content is None or not note.startswith(f'{{"answered":"{digest(content)}","at":'):
                self.note(f"the answer of entry {seq} is not the one that was committed")
        else:
            self._rare(entry, content)

    def _rare(self, entry: Entry, content: bytes | None) -> None:
        if content is not None:
            self.note(f"entry {entry.seq} is no commit and has an answer")
        match entry.kind:
            case Kind.BIRTH:
                self._birth(entry)
            case Kind.ABANDON:
                self._close(entry)
            case Kind.ACCOUNT:
                self._account(entry)
            case Kind.CHECKPOINT:
                self._checkpoint(entry)
            case Kind.MIGRATE:
                self._migrate(entry)
            case Kind.BUDGET:
                self._budget(entry)
            case Kind.ACT if not isinstance(entry.details().get("what"), dict):
                self.note(f"entry {entry.seq} says nothing that was decided")
            case _:
                pass

    def _birth(self, entry: Entry) -> None:
        if entry.seq != 1:
            self.note(f"entry {entry.seq} is a second birth")
            return
        self.birth = Birth.from_document(entry.details())
        self.eras = Eras(self.birth.terms)
        self.budgets = Budgets(self.birth.terms.promises)
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
        if name in self.limits or not isinstance(limits, list):
            self.note(f"entry {entry.seq} opens the account of {name!r} a second time, or without limits")
            return
        if self.tally.charges:
            self.note(f"entry {entry.seq} opens an account without a checkpoint before it")
        self.limits[name] = [None if limit is None else from_document(limit, written) for limit in limits]
        self.tally.accounts.append(details)
        self.periods.append(Tally(entry.seq + 1))
        self.periods[-1].accounts.append(details)

    def _budget(self, entry: Entry) -> None:
        """Another budget: by the schedule on its day, raised to no more than the ceiling, or lowered."""
        details = entry.details()
        self._parted(entry, "changes a budget")
        try:
            assert self.budgets is not None
            if str(details["at"])[:10] < str(details.get("on", "")):
                self.note(f"entry {entry.seq} changes a budget before the day of its schedule")
            self.budgets.take(entry.seq, details)
        except (AssertionError, LookupError, TypeError, ValueError, PartitaError):
            self.note(f"entry {entry.seq} changes a budget as no declaration of the birth allows")
            return
        self._changed(entry)

    def _parted(self, entry: Entry, doing: str) -> None:
        if self.tally.charges:
            self.note(f"entry {entry.seq} {doing} without a checkpoint before it")
            self.settle()

    def _changed(self, entry: Entry) -> None:
        self.tally.changes.append({**entry.details(), "kind": entry.kind.value, "seq": entry.seq})
        self.periods.append(Tally(entry.seq + 1))

    def _migrate(self, entry: Entry) -> None:
        """Another declaration: it must go on from the one in force and refine it."""
        details = entry.details()
        self._parted(entry, "migrates")
        try:
            before, after = (Terms.from_document(_document(details.get(name))) for name in ("was", "to"))
        except (KeyError, TypeError, PartitaError):
            self.note(f"entry {entry.seq} declares nothing that can be read")
            return
        if self.eras is None or before != self.eras.current:
            self.note(f"entry {entry.seq} migrates from another declaration than the one in force")
        elif not all(one.refines for one in differences(before, after, sealed=self.counts[Kind.SEAL] > 0)):
            self.note(f"entry {entry.seq} migrates to a declaration that does not refine the one before")
        else:
            self.eras.begin(entry.seq, after)
            self._changed(entry)

    def _checkpoint(self, entry: Entry) -> None:
        content = self.tally.content()
        self.rolled = rolled(self.rolled, content)
        if entry.details().get("tallies") != self.rolled:
            self.note(f"the checkpoint at entry {entry.seq} does not match the charges before it")
        if self.stored.pop(entry.seq, None) != content:
            self.note(f"the tally stored with entry {entry.seq} is not that of the charges before it")
        self.settle()

    def settle(self) -> None:
        """Put the charges since the last checkpoint to those since the last opening of an account."""
        self.periods[-1].charges.update(self.tally.charges)
        self.tally = Tally()


def verify(store: Store, make: MakePayer, anchor: Anchor) -> Verification:
    """Audit a book from its first line; nothing that is cached or indexed is believed."""
    beside = store.beside()
    if beside is None:
        return _verified(store, make, anchor, store.sound)
    with ThreadPoolExecutor(1) as second:
        # The file itself is looked through on the other core.
        found = second.submit(_looked_through, beside)
        return _verified(store, make, anchor, found.result)


def _looked_through(beside: Store) -> list[str]:
    try:
        return beside.sound()
    finally:
        beside.close()


def _verified(store: Store, make: MakePayer, anchor: Anchor, sound: Callable[[], list[str]]) -> Verification:
    audit = _Audit(store)
    audit.stored = dict(store.tallies())
    anchored = anchor.read()
    at_anchor: bytes | None = None
    for entry, content in store.everything():
        audit.read(entry, content)
        if anchored is not None and entry.seq == anchored.seq:
            at_anchor = entry.hash
    audit.problems[:0] = [f"the file itself: {finding}" for finding in sound()]
    audit.settle()
    if anchored is not None and at_anchor != anchored.hash:
        audit.note(f"the anchor has seen another entry {anchored.seq}")
    if audit.stored:
        audit.note(f"tallies are stored without a checkpoint, at {sorted(audit.stored)}")
    spent, found = _balances(audit, make)
    return Verification(
        spent=spent,
        entries=audit.seq,
        charges=audit.counts[Kind.RESERVE],
        answered=audit.counts[Kind.COMMIT],
        unfinished=len(audit.unfinished),
        abandoned=audit.counts[Kind.ABANDON],
        restored=audit.counts[Kind.RESTORE],
        mark=Mark(audit.seq, audit.hash),
        problems=tuple(audit.problems),
        unproven=tuple(audit.unproven),
        past=found,
    )


def _balances(audit: _Audit, make: MakePayer) -> tuple[tuple[Measure | None, ...], Past]:
    """Add every charge up again, twice: in fresh accounts, and in the plainest way.

    Loads only grow, so the end is the worst moment of every limit.
    """
    if audit.birth is None or audit.eras is None or audit.budgets is None:
        audit.note("there is no birth")
        return (), NOTHING
    terms = audit.budgets.kept(audit.eras.current)
    balances = Balances(terms, make)
    held: dict[str, list[tuple[Priced, int]]] = {"": []}
    for period in audit.periods:
        for details in period.accounts:
            name = str(details["analyst"])
            balances.open_child(name, audit.limits[name])
            held[name] = []
        charges, unread = _readable(audit.eras, period, len(terms.promises))
        for problem in unread:
            audit.note(problem)
        balances.load(charges)
        held[""] += charges
        for priced, count in charges:
            if priced.analyst in audit.limits and priced.analyst in held:
                held[priced.analyst].append((priced, count))
        if charges and audit.eras.at(period.place) == audit.eras.count - 1:
            audit.problems += _then(terms, balances, audit.budgets.at(period.place), charges)
    audit.problems += _earlier(audit, audit.eras, audit.budgets, make)
    _check(audit, terms, terms.promises, held[""], balances.brackets(), "the promise")
    for name, limits in audit.limits.items():
        own = [
            None if limit is None else Promise(promise.granularity, limit)
            for promise, limit in zip(terms.promises, limits, strict=True)
        ]
        _check(audit, terms, own, held[name], balances.brackets(name), f"the account of {name!r}")
    found = past(audit.birth, (entry for entry, _ in audit.store.everything()), balances, make)
    for broken in found.broken:
        audit.note(broken)
    return balances.spent(), found


def _earlier(audit: _Audit, eras: Eras, budgets: Budgets, make: MakePayer) -> Iterator[str]:
    """The budgets that charges did not keep under a declaration before the newest, each counted as it was read then.

    Under change-one a refined domain has pairs of values that were one value, and these had lost less (theory I12).
    """
    for era in range(eras.count - 1):
        then = eras.until(era)
        terms = budgets.kept(then.current)
        balances = Balances(terms, make)
        for period in audit.periods:
            if eras.at(period.place) > era:
                break
            charges, _ = _readable(then, period, len(terms.promises))
            balances.load(charges)
            if charges and eras.at(period.place) == era:
                yield from _then(terms, balances, budgets.at(period.place), charges)


def _then(
    terms: Terms, balances: Balances, states: Sequence[InForce], charges: Sequence[tuple[Priced, int]]
) -> Iterator[str]:
    """The budgets of a period that its own charges did not keep: they are the less, the later ones may be more."""
    brackets = balances.brackets()
    for place, (promise, state) in enumerate(zip(terms.promises, states, strict=True)):
        found = brackets[place]
        if found is not None and not found[0].fits(state.largest):
            yield f"the promise for [{promise.granularity}] was exceeded while its budget was {state.largest}"
        if state.budget == state.largest:
            continue
        for priced, _ in charges:
            payer = balances.payer(priced.table, place)
            if isinstance(payer, RegionPayer) and priced.region and not priced.costs[place].row.is_zero():
                low = payer.account.least(priced.region)
                if not low.fits(state.budget):
                    yield f"the promise for [{promise.granularity}] was charged while lowered to {state.budget}"


def _document(found: object) -> dict[str, object]:
    if not isinstance(found, dict):
        raise TypeError
    return found


def _readable(eras: Eras, period: Tally, promises: int) -> tuple[list[tuple[Priced, int]], list[str]]:
    """The charges of a period, and what is said of those that cannot be read."""
    found: list[tuple[Priced, int]] = []
    unread: list[str] = []
    for text, count in period.charges.items():
        try:
            priced = eras.lifted(text, period.place)
        except LedgerFault as fault:
            unread.append(fault.message)
            continue
        if len(priced.costs) == promises:
            found.append((priced, count))
        else:
            unread.append("a charge does not have one cost for each promise")
    return found, unread


def _check(
    audit: _Audit,
    terms: Terms,
    promises: Sequence[Promise | None],
    charges: Sequence[tuple[Priced, int]],
    brackets: Sequence[tuple[Measure, Measure] | None],
    owner: str,
) -> None:
    """Compare each account with its limit, and with a count that shares no code with it."""
    for place, (promise, bracket) in enumerate(zip(promises, brackets, strict=True)):
        if promise is None or bracket is None:
            continue
        limit = f"{owner} for [{promise.granularity}]"
        low, high = bracket
        counts = [
            recount(
                domain,
                promise,
                ((priced.region, priced.costs[place], count) for priced, count in charges if priced.table == table),
            )
            for table, domain in terms.tables.items()
        ]
        if not low.fits(promise.budget) or any(count.exceeds for count in counts):
            audit.note(f"{limit} is exceeded: {high} of {promise.budget}")
        elif not high.fits(promise.budget) and not all(count.proven for count in counts):
            audit.unproven.append(f"{limit}: at most {high} of {promise.budget} could be shown")
        share = max(
            (part / whole for part, whole in zip(high.vector(), promise.budget.vector(), strict=True) if whole),
            default=Fraction(0),
        )
        if any(count.least > share + _ROUNDING for count in counts):
            audit.note(f"{limit} is understated: the account finds {high}, a plain count finds more")
