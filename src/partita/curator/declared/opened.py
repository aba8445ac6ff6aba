"""The ledger of a curator: opened by its path, or one that is open already and was made for the same terms."""

from __future__ import annotations

import os

from partita.errors import curator as refuse
from partita.ledger.birth import Terms
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger


def opened(ledger: str | os.PathLike[str] | Ledger, terms: Terms, *, migrate: bool) -> Ledger:
    """The ledger, if it was made for these terms, or goes on under them."""
    if not isinstance(ledger, Ledger):
        return open_ledger(ledger, terms, migrate=migrate)
    if migrate:
        ledger.migrate(terms)
    if ledger.declared != terms:
        raise refuse.other_terms(ledger.name)
    return ledger
