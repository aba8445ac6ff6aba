"""The ledger: reserve before reading, commit before answering, answer again for free, refuse what breaks a promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Self, final

from partita.composition.account.claim import Claim
from partita.composition.account.loads.allowance import patient
from partita.composition.account.maps import LoadMap
from partita.errors import PartitaError
from partita.errors import ledger as refuse_ledger
from partita.ledger.acts import Act, Decide, acts, decide
from partita.ledger.admission import Balances
from partita.ledger.audit.verify import Verification, verify
from partita.ledger.birth import Birth, Terms
from partita.ledger.book import points
from partita.ledger.book.anchor import Mark
from partita.ledger.book.book import Book
from partita.ledger.book.entries import Entry, Kind, same_release
from partita.ledger.book.points import Faults, Point
from partita.ledger.book.store import Stage
from partita.ledger.canonical import digest
from partita.ledger.charge import Charge
from partita.ledger.decisions import decided, limited
from partita.ledger.declarations import Eras
from partita.ledger.fixed import NONE, Kept, Rows, check, fix
from partita.ledger.keys import SigningKey
from partita.ledger.migration import migrated
from partita.ledger.pages import Pages
from partita.ledger.payer import region_account
from partita.ledger.receipts.receipts import Receipt, receipt_of
from partita.ledger.refined import Difference
from partita.ledger.schedules import Budgets, Cause
from partita.ledger.seals import newest_seal, seal
from partita.ledger.states import Answered, Reservation
from partita.region import Region
from partita.theory.measures.base import Measure


@final
class Ledger(Pages):
    """The durable book of one set of promises, safe to share between threads; processes each open their own.

    Make one with :func:`partita.ledger.opening.open_ledger`. Every charge is checked against all promises and the
    analyst's own limits in one atomic step and is durable before ``reserve`` returns (theory E16). Nothing is ever
    given back: an open reservation counts as spent, also after a crash.
    """

    def __init__(self, book: Book, *, signer: SigningKey | None = None, faults: Faults = points.none) -> None:
        super().__init__()
        self._book = book
        self._store = book.store
        self._faults = faults
        self.signer = signer
        self.patience = 1
        """Times the usual work that is taken before a charge is refused that was not shown to be too much."""

    # --- one question ----------------------------------------------------------------------------------------

    def reserve(self, charge: Charge, rows: Rows = NONE) -> Reservation | Answered:
        """Book a charge durably, or return the answer that is there already, or refuse; only a Reservation may read."""
        (found,) = self.reserve_many([charge], rows)
        return found

    def reserve_many(self, charges: Sequence[Charge], rows: Rows = NONE) -> list[Reservation | Answered]:
        """Book charges in order with one flush: all of them, or those before the first that is refused.

        Each is decided after those before it, as if they came one by one. If the very first is refused, so is the
        call; otherwise the list is shorter than what was given. ``rows`` are those that would be read: the first charge
        fixes what is kept of owners for the book's life (theory E14), and nobody who was forgotten may be read.
        """
        found: list[Reservation | Answered] = []
        self._book.look(charges, self.patience)
        with patient(self.patience), self._book.writing(Stage.RESERVE) as balances:
            self._faults(Point.RESERVE_LOCKED)
            before = self._book.replay.newest
            for charge in charges:
                if self._book.replay.newest is not self._book.replay.last:
                    self._book.replay.book_ahead()
                try:
                    found.append(self._reserved(charge, balances, rows))
                except PartitaError:
                    if not found:
                        raise
                    break
            written = self._book.replay.newest is not before
            if written:
                self._faults(Point.RESERVE_WRITTEN)
        if written:
            self._faults(Point.RESERVED)
        return found

    def _reserved(self, charge: Charge, balances: Balances, rows: Rows) -> Reservation | Answered:
        """Write one charge, inside ``writing``, or find what the book has of it already, or refuse it."""
        known = self._known(charge)
        if isinstance(known, Answered):
            return known
        if (clamped := self.birth.clamped) is not None:
            # Neither may a charge that was left open be finished now: it would read other rows than it was for.
            raise refuse_ledger.clamped_parts(self._store.name, str(clamped.granularity))
        new = self._same(rows)  # what was charged before may be read from the same rows alone, too
        if known is not None:
            return known
        # Whatever could keep an answer from leaving afterwards is refused while nothing is charged.
        self._signing()
        self._book.anchor.usable()
        admission = balances.check(charge)
        self._book.checkpoint()
        fix(self._book, new)
        entry = self._book.append(
            Kind.RESERVE,
            question=charge.question,
            key=charge.marked(),
            charge=charge.priced(),
            admission=admission,
            asked=charge.asked,
            mechanism=dict(charge.mechanism),
        )
        return Reservation(entry.seq, entry.hash, charge.question)

    def commit(self, reservation: Reservation, answer: bytes) -> Answered:
        """Store the answer of a reservation and say which answer may leave: this one, or one stored before it."""
        kept = self._book.held(answer)
        with self._book.writing(Stage.COMMIT, durable=not kept):
            self._faults(Point.COMMIT_LOCKED)
            if (closing := self._closing(reservation)) is not None:
                return self._closed(closing, reservation)
            # The anchor gives back one entry, so all before it must be durable; only a commit may not be.
            behind = kept and self._book.replay.newest.kind is Kind.COMMIT
            entry = self._book.append(Kind.COMMIT, of=reservation.seq, answer=answer, answered=digest(answer))
            self._faults(Point.COMMIT_WRITTEN)
        if behind:
            self._store.flush()
        self._faults(Point.COMMITTED)
        self._book.hold(entry, answer)
        self._faults(Point.ANCHORED)
        return Answered(entry.seq, reservation.seq, answer, fresh=True)

    def commit_many(self, made: Sequence[tuple[Reservation, bytes]]) -> list[Answered]:
        """Store the answers of different reservations with two flushes, and say for each which answer may leave."""
        if len(made) == 1:
            return [self.commit(*made[0])]
        found: list[Answered] = []
        last: tuple[Entry, bytes] | None = None
        with self._book.writing(Stage.COMMIT):
            self._faults(Point.COMMIT_LOCKED)
            for reservation, answer in made:
                closing = self._closing(reservation)
                if closing is None:
                    entry = self._book.append(Kind.COMMIT, of=reservation.seq, answer=answer, answered=digest(answer))
                    found.append(Answered(entry.seq, reservation.seq, answer, fresh=True))
                    last = entry, answer
                else:
                    found.append(self._closed(closing, reservation))
            self._faults(Point.COMMIT_WRITTEN)
        self._faults(Point.COMMITTED)
        if last is not None:
            self._book.hold(*last)
        self._faults(Point.ANCHORED)
        return found

    def abandon(self, reservation: Reservation) -> None:
        """Close a reservation that will never have an answer; what it cost stays spent."""
        with self._book.writing(Stage.COMMIT):
            if self._closing(reservation) is not None:
                return
            entry = self._book.append(Kind.ABANDON, of=reservation.seq)
        self._book.hold(entry)

    def stored(self, question: str) -> Answered | None:
        """The answer to a question that was answered before, free of charge."""
        with self._book.reading():
            for entry in self._asked(question):
                closing = self._store.closing(entry.seq)
                if closing is not None and closing.kind is Kind.COMMIT:
                    return self._answered(closing)
        return None

    def answered(self, seq: int) -> Answered:
        """The answer stored with the commit at a place of the book."""
        with self._book.reading():
            entry = self._store.entry(seq)
            if entry is None or entry.kind is not Kind.COMMIT:
                raise refuse_ledger.unknown_reservation(self._store.name, seq)
            return self._answered(entry)

    def _asked(self, question: str) -> Iterator[Entry]:
        """The reservations for a question about what is declared now: under another declaration it was another one."""
        return (entry for entry in self._store.asked(question) if self.alike(entry))

    def alike(self, entry: Entry) -> bool:
        """Whether a charge is about a table that is still declared as it was then (theory I12)."""
        return self._book.replay.eras.alike(entry.charge, entry.seq)

    def pass_by(self, point: Point) -> None:
        """Let a test cut the path here; the curator passes by after reading and after adding noise."""
        self._faults(point)

    def _known(self, charge: Charge) -> Reservation | Answered | None:
        """What the book already holds of this attempt or this question."""
        key = charge.marked()
        earlier = None if key is None else self._store.marked(key)
        if earlier is not None:
            same = earlier.question == charge.question and same_release(earlier, charge.priced(), charge.mechanism)
            if not same or not self.alike(earlier):
                raise refuse_ledger.key_reused(charge.key)
            closing = self._store.closing(earlier.seq)
            if closing is not None and closing.kind is Kind.ABANDON:
                raise refuse_ledger.abandoned(earlier.seq)
            if closing is not None:
                return self._answered(closing)
            return Reservation(earlier.seq, earlier.hash, charge.question, resumed=True)
        unfinished: Entry | None = None
        for entry in self._asked(charge.question):
            closing = self._store.closing(entry.seq)
            if closing is None:
                if same_release(entry, charge.priced(), charge.mechanism):
                    unfinished = unfinished or entry
            elif closing.kind is Kind.COMMIT:
                return self._answered(closing)
        if unfinished is None:
            return None
        return Reservation(unfinished.seq, unfinished.hash, charge.question, resumed=True)

    def _answered(self, closing: Entry) -> Answered:
        assert closing.of is not None
        content = self._store.answer(closing.seq)
        if content is None or digest(content) != closing.details().get("answered"):
            raise refuse_ledger.answer_damaged(self._store.name, closing.seq)
        self._book.hold(closing, content)
        return Answered(closing.seq, closing.of, content)

    def _closed(self, closing: Entry, reservation: Reservation) -> Answered:
        if closing.kind is Kind.ABANDON:
            raise refuse_ledger.abandoned(reservation.seq)
        return self._answered(closing)

    def _closing(self, reservation: Reservation) -> Entry | None:
        """What closed a reservation of this book; nothing can have closed the newest entry."""
        entry = self._entry(reservation.seq)
        if entry is None or entry.kind is not Kind.RESERVE or entry.hash != reservation.hash:
            raise refuse_ledger.unknown_reservation(self._store.name, reservation.seq)
        return None if entry is self._book.replay.last else self._store.closing(reservation.seq)

    def _entry(self, seq: int) -> Entry | None:
        """One entry; the newest two are at hand."""
        replay = self._book.replay
        for known in (replay.last, replay.before):
            if known is not None and known.seq == seq:
                return known
        return self._store.entry(seq)

    def receipt(self, answered: Answered) -> Receipt:
        """The signed certificate of a release: what region, what mechanism, which promises, what cost."""
        return self.issuer(answered)()

    def issuer(self, answered: Answered) -> Callable[[], Receipt]:
        """Makes the receipt of a release when it is wanted, from what the book says now; that alone needs the key."""
        replay = self._book.replay
        birth, first, eras = self.birth, replay.first.hash.hex(), replay.eras
        promises = replay.budgets.kept(birth.terms, answered.reserve).promises
        with self._book.reading():
            reserve, commit = self._entry(answered.reserve), self._entry(answered.seq)
        if reserve is None or commit is None or commit.of != reserve.seq or commit.kind is not Kind.COMMIT:
            raise refuse_ledger.unknown_reservation(self._store.name, answered.reserve)
        found = reserve, commit
        return lambda: receipt_of(birth, first, *found, eras, promises).signed(self._signing())

    def _signing(self) -> SigningKey:
        """The key whose public half the book was born with."""
        if self.signer is None or self.signer.public != self.birth.public_key:
            raise refuse_ledger.no_signing_key(self._store.name)
        return self.signer

    # --- analysts --------------------------------------------------------------------------------------------

    def open_account(self, analyst: str, limits: Sequence[Measure | None]) -> None:
        """Give an analyst limits of their own, one for each promise in its measure; both limits hold.

        Opening the same account again changes nothing; other limits are refused, since a limit is a promise too.
        """
        limited(self._book, self.terms, analyst, limits)

    def change_budget(self, place: int, cause: Cause, to: object, *, who: str, why: str) -> Measure:
        """Raise a budget, up to the ceiling of its promise, or lower it; who decided and why stand in the book."""
        return decided(self._book, self.promise_at(place), cause, to, who=who, why=why)

    def migrate(self, terms: Terms) -> tuple[Difference, ...]:
        """Go on under other tables and columns that refine those of the book (theory I12), and say what differs."""
        return migrated(self._book, terms)

    # --- people ----------------------------------------------------------------------------------------------

    def decide(self, decision: Decide) -> None:
        """Write down acts of the custodian about people, decided on all that were written before, and durable."""
        decide(self._book, decision)

    def acts(self, after: int = 0) -> list[Act]:
        """What was decided about people behind a place of the book, oldest first."""
        with self._book.reading():
            return acts(self._store, after)

    # --- rows of owners --------------------------------------------------------------------------------------

    def fix(self, kept: Kept) -> None:
        """Write down which rows are read of owners; refuse if the book has others."""
        with self._book.writing(Stage.RESERVE):
            fix(self._book, check(self._store, kept))

    @property
    def erased(self) -> int:
        """Where in the book somebody was last forgotten, as far as this process has met it."""
        with self._book.current():
            return self._book.replay.erased

    def same(self, rows: Rows) -> None:
        """Refuse to read rows other than those that were charged for, or of somebody who was forgotten since."""
        with self._book.current():
            self._same(rows)

    def _same(self, rows: Rows) -> dict[str, str]:
        if rows.erased is not None and rows.erased < self._book.replay.erased:
            raise refuse_ledger.forgotten_meanwhile(self._store.name)
        return check(self._store, rows.kept)

    def fixes(self, kept: Kept) -> bool:
        """Whether the book says which rows are read of owners; refused if these are not the ones.

        Of tables that came by a migration it says so from the next charge on.
        """
        with self._book.current():
            new = check(self._store, kept)
        return not new or len(new) < len(kept)

    # --- the vault -------------------------------------------------------------------------------------------

    def seal(self, after: str | None, manifest: str, what: Mapping[str, object]) -> None:
        """Write down what a vault holds from now on, by the digest of its manifest; ``after`` is the digest before."""
        seal(self._book, after, manifest, what)

    def sealed(self) -> str | None:
        """The digest of the newest manifest of the vault, or None if nothing was ever sealed."""
        with self._book.current():
            return newest_seal(self._store)

    # --- readings --------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Where the book is kept."""
        return self._store.name

    @property
    def birth(self) -> Birth:
        """The first entry: promises, domains, public key."""
        return self._book.replay.birth

    @property
    def terms(self) -> Terms:
        """The promises, with the largest budgets that ever were in force (theory I13), and the public domains."""
        return self._book.replay.terms

    @property
    def declared(self) -> Terms:
        """The promises as they were declared at birth, and the public domains of now."""
        return self._book.replay.eras.current

    @property
    def budgets(self) -> Budgets:
        """Which budgets are in force, and by which entries."""
        with self._book.current():
            return self._book.replay.budgets

    @property
    def eras(self) -> Eras:
        """What was declared at each place of the book; charges are read with it."""
        return self._book.replay.eras

    def truncation_key(self) -> bytes:
        """The secret that decides, once for the ledger's life, which rows of a user are kept (theory E14)."""
        with self._book.reading():
            secret = self._store.secret()
        if secret is None or digest(secret) != self.birth.truncation:
            raise refuse_ledger.secret_damaged(self._store.name)
        return secret

    def spent(self, analyst: str | None = None) -> tuple[Measure | None, ...]:
        """The largest loss of anybody so far, for each promise, or by one analyst's questions alone."""
        with self._book.current() as balances:
            return balances.spent(analyst)

    def remaining(
        self, table: str, region: Region | None = None, analyst: str = "", *, now: bool = True
    ) -> tuple[Measure, ...]:
        """What a unit in a region can still be charged, for each promise; without ``now``, as this process saw last."""
        domain = self.terms.tables.get(table)
        if domain is None:
            raise refuse_ledger.unknown_table(table, tuple(self.terms.tables))
        with self._book.current(now=now) as balances:
            return balances.remaining(table, Region.everything(domain) if region is None else region, analyst)

    def reckoning(self, table: str, region: Region, analyst: str) -> Callable[[], tuple[Measure, ...]]:
        """Works out what remains when it is wanted, from what this process has seen by then, the file closed or not."""
        return partial(self.remaining, table, region, analyst, now=False)

    def admits(self, charge: Charge) -> None:
        """Refuse a charge that would not fit now; nothing is booked."""
        with patient(self.patience), self._book.current() as balances:
            balances.check(charge)

    def charged(self, charge: Charge) -> tuple[Measure, ...]:
        """What one protected unit is charged for a release, under each promise."""
        return self._book.replay.balances.charged(charge)

    def claims(self, charge: Charge) -> tuple[Claim | None, ...]:
        """What a reservation of this charge would decide and book under each promise, as plain data."""
        return self._book.replay.balances.claims(charge)

    def payable(self, charge: Charge) -> Region:
        """The part of a charge's region that can still pay: public, and to be named in the answer (theory E20)."""
        with patient(self.patience), self._book.current() as balances:
            return balances.payable(charge)

    def peak(self, table: str, promise: int) -> tuple[Mark, tuple[Measure, Measure, tuple[tuple[int, ...], ...]]]:
        """The end of the book, and what `RegionAccount.peak` says of one promise there: both of the same moment."""
        with self._book.current() as balances:
            return self.mark(), region_account(balances.payer(table, promise, None), promise).peak()

    def improve(self, patience: int = 10) -> None:
        """Look longer for better bounds on what was booked, in every account of this process, and keep them."""
        with self._book.current() as balances:
            balances.improve(patience)

    def load_map(
        self, column_x: str, column_y: str, *, table: str | None = None, promise: int = 0, analyst: str | None = None
    ) -> LoadMap:
        """The share of a promise (or of an analyst's limit under it) spent on each combination of two columns."""
        name, place = self.table_named(table), self.promise_at(promise)
        with self._book.current() as balances:
            found = region_account(balances.payer(name, place, analyst), promise, analyst or "")
            return found.load_map(column_x, column_y)

    def table_named(self, name: str | None) -> str:
        """The table of that name, or the only one."""
        known = tuple(self.terms.tables)
        if name is None and len(known) == 1:
            return known[0]
        if name not in known:
            raise refuse_ledger.unknown_table(name or "", known)
        return name

    def promise_at(self, place: int) -> int:
        """The place of a promise, counted from zero, if there is one."""
        count = len(self.terms.promises)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < count:
            raise refuse_ledger.unknown_promise(place, count)
        return place

    def accounts(self) -> Mapping[str, tuple[Measure | None, ...]]:
        """The limits of every analyst who has some."""
        with self._book.current() as balances:
            return balances.children()

    def content(self, commit: Entry) -> bytes:
        """The answer stored with a commit."""
        with self._book.reading():
            return self._answered(commit).content

    def mark(self) -> Mark:
        """How far the book has come, for an anchor kept elsewhere."""
        with self._book.current():
            return Mark(self._book.replay.last.seq, self._book.replay.last.hash)

    def verify(self) -> Verification:
        """Audit the whole book from its first line, believing nothing that is cached."""
        with self._book.reading():
            return verify(self._store, self._book.replay.make, self._book.anchor)

    def close(self) -> None:
        """Let go of the file; what is booked stays booked."""
        self._book.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _copied(self) -> PartitaError:
        return refuse_ledger.not_copied(self._store.name)

    def _forked(self) -> PartitaError:
        return refuse_ledger.forked(self._store.name)
