"""Pages of the book: charges found by their place, their analyst or their words, with bounded work."""

from __future__ import annotations

from typing import Final

from partita.ledger.book.entries import Entry, Kind
from partita.ledger.book.store import State, Store

_LOOKED: Final = 50_000
_FIRST: Final = 2


def page(
    store: Store, count: int, before: int | None, analyst: str | None, text: str | None
) -> tuple[list[tuple[Entry, State]], int | None]:
    """Charges before a place, newest first, and where to go on, if there may be more."""
    last = store.last()
    end = (0 if last is None else last.seq) + 1
    start = end if before is None else min(before, end)
    low = max(0, start - _LOOKED)
    found = store.charges(start, low, count, analyst, text)
    more = found[-1].seq if len(found) == count else low + 1
    return [(entry, state(store, entry)) for entry in found], more if more > _FIRST else None


def charge_at(store: Store, seq: int) -> tuple[Entry, Entry | None] | None:
    """A charge and what closed it, by the place of either; None where there is none."""
    entry = store.entry(seq)
    if entry is not None and entry.of is not None:
        entry = store.entry(entry.of)
    if entry is None or entry.kind is not Kind.RESERVE:
        return None
    return entry, store.closing(entry.seq)


def state(store: Store, entry: Entry) -> State:
    """What has become of a charge."""
    closing = store.closing(entry.seq)
    answered = closing is not None and closing.kind is Kind.COMMIT
    return State.UNFINISHED if closing is None else State.ANSWERED if answered else State.ABANDONED
