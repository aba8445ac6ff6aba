"""The pages of a book: its lines in order, its charges by place, analyst or words, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from partita.ledger.book.book import Book
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.book.store import State, Store, counted
from partita.ledger.book.tally import Tally
from partita.live import Live

_CHUNK: Final = 1000
_LOOKED: Final = 50_000
_FIRST: Final = 2


class Pages(Live):
    """What a ledger lets its readers look up; nothing here writes or decides."""

    _book: Book
    _store: Store

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The lines of the book, in order."""
        while True:
            with self._book.reading():
                found = list(islice(self._store.after(after), _CHUNK))
            if not found:
                return
            yield from found
            after = found[-1].seq

    def tallies(self) -> list[tuple[Entry, Tally]]:
        """What was booked up to each checkpoint since the one before, with the checkpoint's own entry."""
        with self._book.reading():
            read = [(self._store.entry(seq), Tally.read(content)) for seq, content in self._store.tallies()]
        return [(entry, tally) for entry, tally in read if entry is not None]

    def newest(self, count: int) -> list[tuple[Entry, State]]:
        """The newest charges and what has become of each, newest first."""
        with self._book.reading():
            return [(entry, self._state(entry)) for entry in self._store.newest(count)]

    def states(self) -> dict[State, int]:
        """How many charges were answered, are unfinished, were abandoned."""
        with self._book.reading():
            return counted(self._store.counts())

    def charges(
        self, count: int, *, before: int | None = None, analyst: str | None = None, text: str | None = None
    ) -> tuple[list[tuple[Entry, State]], int | None]:
        """Charges before a place, newest first: of one analyst, or with a text; and where to go on, if there are more.

        A call looks at a bounded number of entries, so it may find fewer than wanted though there are more.
        """
        with self._book.reading():
            last = self._store.last()
            end = (0 if last is None else last.seq) + 1
            start = end if before is None else min(before, end)
            low = max(0, start - _LOOKED)
            found = self._store.charges(start, low, count, analyst, text)
            more = found[-1].seq if len(found) == count else low + 1
            return [(entry, self._state(entry)) for entry in found], more if more > _FIRST else None

    def charge_at(self, seq: int) -> tuple[Entry, Entry | None] | None:
        """A charge and what closed it, by the place of either; None where there is none."""
        with self._book.reading():
            entry = self._store.entry(seq)
            if entry is not None and entry.of is not None:
                entry = self._store.entry(entry.of)
            if entry is None or entry.kind is not Kind.RESERVE:
                return None
            return entry, self._store.closing(entry.seq)

    def _state(self, entry: Entry) -> State:
        closing = self._store.closing(entry.seq)
        answered = closing is not None and closing.kind is Kind.COMMIT
        return State.UNFINISHED if closing is None else State.ANSWERED if answered else State.ABANDONED
