"""What a curator stands on: its ledger, its engine, and the rows that are sealed, opened in an order that is safe."""

from __future__ import annotations

import os
from collections.abc import Mapping

from partita.composition.account.people import PersonSpace
from partita.curator.ingest import Growth, sealed_beside
from partita.curator.path.gate import Gate
from partita.engine.base import Engine
from partita.engine.opening import open_engine
from partita.errors import curator as refuse
from partita.ledger.birth import Terms
from partita.ledger.book.address import Address
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.vault.cipher import Cipher

Place = str | os.PathLike[str] | Address | Ledger


def opened(
    backend: str | Engine,
    ledger: Place,
    terms: Terms,
    tables: Mapping[str, Table],
    people: tuple[People, PersonSpace] | None,
    gate: Gate,
    *,
    migrate: bool,
    database: object = None,
    cipher: Cipher | None = None,
) -> tuple[Ledger, Engine, Growth]:
    """The ledger of these terms, an engine over the tables, and what is sealed of them.

    A source that cannot be read leaves no ledger behind. But where people are protected the ledger's key decides which
    rows are kept, and where rows are sealed these are read and no others: then the ledger comes first.
    """
    if people is None and not sealed_beside(ledger):
        engine = open_engine(backend, tables.values(), database=database)
        book = _book(ledger, terms, migrate=migrate)
        return book, engine, Growth(book, tables, gate, cipher=cipher)
    book = _book(ledger, terms, migrate=migrate)
    growth, kept = Growth(book, tables, gate, cipher=cipher), None if people is None else people[0]
    key = book.truncation_key().hex()
    return book, open_engine(backend, growth.sources(), kept, key, database=database), growth


def _book(ledger: Place, terms: Terms, *, migrate: bool) -> Ledger:
    if not isinstance(ledger, Ledger):
        return open_ledger(ledger, terms, migrate=migrate)
    if migrate:
        ledger.migrate(terms)
    if ledger.declared != terms:
        raise refuse.other_terms(ledger.name)
    return ledger
