"""The book at work: one writer at a time, accounts brought up to date, entries appended, the anchor held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import final

from partita.composition.account.loads.allowance import in_force, patient
from partita.errors import LedgerFault, PartitaError
from partita.errors import ledger as refuse
from partita.ledger.admission import Admission, Balances
from partita.ledger.book.anchor import Anchor, Mark
from partita.ledger.book.entries import OVERHEAD, Entry, Kind, entry_after, packed
from partita.ledger.book.replay import Replay
from partita.ledger.book.store import Stage, Store
from partita.ledger.book.tally import EVERY
from partita.ledger.canonical import canonical
from partita.ledger.charge import Charge
from partita.ledger.schedules import Cause, change_details
from partita.live import Live

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The time of day, for the notes in the book and for the days of a schedule; no other limit depends on it."""
    return datetime.now(UTC)


@final
class Book(Live):
    """A store, the accounts replayed from it and its anchor, used by one thread at a time of one process."""

    def __init__(
        self,
        store: Store,
        replay: Replay,
        anchor: Anchor,
        *,
        clock: Clock = system_clock,
        checkpoint_every: int = EVERY,
    ) -> None:
        super().__init__()
        self.store = store
        self.replay = replay
        self.anchor = anchor
        self._clock = clock
        self._every = checkpoint_every
        self._agreed: Mark | None = None
        self._durable = Mark(replay.first.seq, replay.first.hash)
        """How far the book is known to be durable; its first entry always is."""
        self._renewed = store.renewed

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """The only thread at the store."""
        with self._lock:
            yield self.store

    @contextmanager
    def current(self, *, now: bool = True) -> Iterator[Balances]:
        """The accounts, brought up to what other processes have booked, or as this process has seen them last."""
        with self.reading():
            if now:
                self._catch_up()
                self._step()
            yield self.replay.balances

    def look(self, charges: Sequence[Charge], most: int) -> None:
        """Take the time that is allowed beforehand, while others may write; the bounds that it shows are kept."""
        with patient(most):
            if in_force() > 1:
                with self.current() as balances:
                    balances.look(charges)

    @contextmanager
    def writing(self, stage: Stage, *, durable: bool = True) -> Iterator[Balances]:
        """The only writer of all processes; what is appended is booked at the end, and durable if asked for.

        Where one flush is for all who wait, it comes after the book was left to the next writer: what was found or
        written here, and all before it, is durable when the block is left (postgres.proof.md).
        """
        shared = durable and self.store.shares
        with self.reading():
            if stage is Stage.RESERVE:
                self._step()
            since = self.store.ready() if shared else None
            with self.store.writing(stage, durable=durable and not shared):
                self._catch_up()
                yield self.replay.balances
            self.replay.settle(self.store)
            last = self.replay.last
        if shared:
            self._flushed(last, stage, since)

    def _flushed(self, entry: Entry, stage: Stage, since: object) -> None:
        """See to it that an entry is durable, whoever wrote it, which was in the book after the storage was ready."""
        if entry.seq <= self._durable.seq and self.store.steady(since):
            # Had the storage been lost meanwhile, another entry could be durable in its place.
            return
        self.store.flush(stage, since)
        with self._lock:
            if entry.seq > self._durable.seq:
                self._durable = Mark(entry.seq, entry.hash)

    def _step(self) -> None:
        """Write down which larger budgets are in force by this day, if the schedule of the birth has come to some.

        The day only ever takes a budget up, and what is written stays: a clock that goes back changes nothing.
        """
        while self.replay.budgets.scheduled and self.replay.budgets.due(self.today()) is not None:
            with self.store.writing(Stage.RESERVE):
                self._catch_up()
                found = self.replay.budgets.due(self.today())
                if found is not None:
                    place, on, to = found
                    self.change(**change_details(place, Cause.SCHEDULE, to, on=on))
            self.replay.settle(self.store)

    def today(self) -> date:
        """The day of schedules, in UTC."""
        now = self._clock()
        return (now if now.tzinfo is None else now.astimezone(UTC)).date()

    def change(self, **details: object) -> Entry:
        """Write an entry after which a budget is another, inside ``writing``; tallies never reach over it."""
        if self.replay.tally.charges:
            self.checkpoint(after=0)
        return self.append(Kind.BUDGET, **details)  # type: ignore[arg-type]

    def _catch_up(self) -> None:
        # The anchor first: what it knows is durable, so whoever looks afterwards must see it.
        anchored = self.anchor.read()
        try:
            self.replay.follow(self.store)
        except LedgerFault as fault:
            if not self._forgotten(fault):
                raise
            self.replay = Replay(self.store, self.replay.make)
        self._renewed = self.store.renewed
        self._agree(anchored)

    def _forgotten(self, fault: LedgerFault) -> bool:
        """Whether a server that was lost has forgotten what it had not made durable, and nothing else.

        Nothing was read and nothing has left because of that; everything before it must still be there.
        """
        if fault.code != "ledger.rewritten" or self.store.renewed == self._renewed:
            return False
        found = self.store.entry(self._durable.seq)
        return self.replay.last.seq > self._durable.seq and found is not None and found.hash == self._durable.hash

    def _agree(self, anchored: Mark | None) -> None:
        """The anchored entry itself must be in this book: another history forgets what left with it, however long."""
        if anchored is None or anchored == self._agreed:
            return  # the chain only grows, so what was in it once still is
        replay = self.replay
        if anchored.seq > replay.last.seq:
            raise refuse.rolled_back(self.store.name, replay.last.seq, anchored.seq)
        near = [entry for entry in (replay.last, replay.before) if entry is not None and entry.seq == anchored.seq]
        found = near[0] if near else self.store.entry(anchored.seq)
        if found is None or found.hash != anchored.hash:
            raise refuse.rewritten(self.store.name, anchored.seq)
        self._agreed = anchored

    def append(
        self,
        kind: Kind,
        *,
        of: int | None = None,
        question: str | None = None,
        key: str | None = None,
        charge: str | None = None,
        answer: bytes | None = None,
        tally: bytes | None = None,
        admission: Admission | None = None,
        **details: object,
    ) -> Entry:
        """Write the next entry, inside ``writing``."""
        note = canonical({"at": self._clock().isoformat(timespec="microseconds"), **details})
        entry = entry_after(self.replay.newest, kind, note, of=of, question=question, key=key, charge=charge)
        self.store.append(entry, answer=answer, tally=tally)
        self.replay.propose(entry, admission)
        return entry

    def checkpoint(self, after: int | None = None) -> None:
        """Write a checkpoint if so many entries (by default the book's own pace) were made since the last."""
        if self.replay.tally.entries >= (self._every if after is None else after):
            content, rolled = self.replay.checkpoint()
            self.append(Kind.CHECKPOINT, tallies=rolled, tally=content)

    def hold(self, entry: Entry, answer: bytes = b"") -> None:
        """See to it that no copy from before this entry can pass for the book; only then may an answer leave.

        The entry of an answer is kept beside the mark where there is room, and so is durable with it.
        """
        if self.store.shares and Mark(entry.seq, entry.hash) != self._durable:
            # Another process may have written it and not flushed it yet, or the storage have forgotten it since.
            with self.reading():
                since, found = self.store.ready(), self.store.entry(entry.seq)
            if found is None or found.hash != entry.hash:
                raise refuse.rewritten(self.store.name, entry.seq)
            self._flushed(entry, Stage.COMMIT, since)
        mark = Mark(entry.seq, entry.hash)
        content = packed(entry, answer) if entry.kind is Kind.COMMIT else b""
        if not self.anchor.keeps(len(content)):
            content = b""
        # Whatever stood there must be in this book, or two histories would both be anchored; another process that
        # anchors in between has to be followed first.
        known = self._agreed
        while (newest := self.anchor.succeed(known, mark, content)) not in (mark, known):
            with self.reading():
                self._catch_up()
                known = self._agreed
        self._agreed = newest

    def held(self, answer: bytes) -> bool:
        """Whether the anchor will keep an entry with this answer."""
        return self.anchor.keeps(len(answer) + OVERHEAD)

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            self.store.close()

    def _copied(self) -> PartitaError:
        return refuse.not_copied(self.store.name)

    def _forked(self) -> PartitaError:
        return refuse.forked(self.store.name)
