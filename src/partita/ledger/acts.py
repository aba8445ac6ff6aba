"""Acts: what a custodian decides about people, as entries of the book: tokens given out or revoked, approvals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from partita.ledger.book.book import Book
from partita.ledger.book.entries import Entry, Kind, entry_after
from partita.ledger.book.store import Stage, Store
from partita.ledger.canonical import digest

# Acts are found as a question is, by a name that no question has.
_ACTS: Final = digest(b"partita acts")


@final
@dataclass(frozen=True, slots=True)
class Act:
    """One decision: its place in the book, when it was written, and what it says."""

    seq: int
    at: str
    what: Mapping[str, Any]


Decide = Callable[[Sequence[Act]], Sequence[Mapping[str, object]]]
"""What is to be written, after all that was decided before; it may refuse."""


def acts(store: Store, after: int = 0) -> list[Act]:
    """What was decided behind a place of the book, oldest first."""
    return [_act(entry) for entry in store.asked(_ACTS, after)]


def decide(book: Book, decision: Decide) -> None:
    """Write acts down together, decided on what the book says when nobody else can write."""
    with book.writing(Stage.RESERVE):
        entry: Entry | None = None
        for what in decision(acts(book.store)):
            entry = book.append(Kind.ACT, question=_ACTS, what=dict(what))
    if entry is not None:
        book.hold(entry)


def kept_acts(store: Store, birth: Entry) -> list[Entry]:
    """The acts of a book as they follow another first entry, where one that was never charged begins again."""
    found: list[Entry] = []
    for entry in store.asked(_ACTS):
        before = found[-1] if found else birth
        found.append(entry_after(before, Kind.ACT, entry.note, question=entry.question))
    return found


def _act(entry: Entry) -> Act:
    details = entry.details()
    what = details.get("what")
    return Act(entry.seq, str(details.get("at", "")), what if isinstance(what, dict) else {})
