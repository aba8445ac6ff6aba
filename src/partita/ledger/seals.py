"""Seals: entries of the book by which it knows what the vault beside it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from partita.errors import ledger as refuse
from partita.ledger.book.book import Book
from partita.ledger.book.entries import Kind
from partita.ledger.book.store import Stage, Store
from partita.ledger.canonical import digest

# Seals are found as a question is, by a name that no question has.
_SEALS: Final = digest(b"partita vault")


def newest_seal(store: Store) -> str | None:
    """The digest of the newest manifest, or None if nothing was ever sealed."""
    found = store.asked(_SEALS)
    return str(found[-1].details()["manifest"]) if found else None


def seal(book: Book, after: str | None, manifest: str, what: Mapping[str, object]) -> None:
    """Write down what a vault holds from now on; refuse if it is not as it was when this was prepared."""
    with book.writing(Stage.RESERVE):
        if newest_seal(book.store) != after:
            raise refuse.sealed_meanwhile(book.store.name)
        entry = book.append(Kind.SEAL, question=_SEALS, manifest=manifest, sealed=dict(what))
    book.hold(entry)
