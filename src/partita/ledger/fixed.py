"""The rows that are kept of owners, fixed for the life of a book: it has a digest of those of each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from partita.errors import ledger as refuse
from partita.ledger.book.book import Book
from partita.ledger.book.entries import Kind
from partita.ledger.book.store import Store
from partita.ledger.canonical import digest

# Found as a question is, by a name that no question has.
_FIXED: Final = digest(b"partita kept rows")

Kept = Mapping[str, str]
"""Keyed digests of the rows that are kept, by table; nothing for rows that are sealed, and where all rows are read."""


@final
@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a charge would read: what is kept of owners, and the newest erasure that they are without.

    ``erased`` is the place of its entry; None where nobody asks, since nothing is read.
    """

    kept: Kept = field(default_factory=dict)
    erased: int | None = None


NONE: Final = Rows()


def fixed(store: Store) -> dict[str, str]:
    """The digests that a book has."""
    found: dict[str, str] = {}
    for entry in store.asked(_FIXED):
        kept = entry.details()["kept"]
        assert isinstance(kept, dict)
        found.update(kept)
    return found


def check(store: Store, kept: Kept) -> dict[str, str]:
    """Refuse rows that are not those that the book was charged for, and say what it does not have yet."""
    known = fixed(store) if kept else {}
    others = [table for table, told in kept.items() if known.get(table, told) != told]
    if others:
        raise refuse.other_rows(store.name, others)
    return {table: told for table, told in kept.items() if table not in known}


def fix(book: Book, new: Kept) -> None:
    """Write down which rows are read from now on, as `check` found them, to be called inside ``writing``."""
    if new:
        book.append(Kind.FIX, question=_FIXED, kept=dict(new))
