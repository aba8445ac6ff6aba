"""Practice twins: curators over made-up rows with ledgers in memory, where asking costs nobody anything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final, final

from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.errors import Caution
from partita.live import Live, alone
from partita.query.tables.dummy import made_up
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.server.desk import Desk

MOST_TWINS: Final = 16
"""Twins that are kept at once; the one that was used least lately goes, with all that was asked of it."""


@final
class Twins(Live):
    """A twin for each account: the same tables, promises and refusals, over rows made up from the declaration alone."""

    def __init__(
        self, tables: Sequence[Table], promises: Sequence[Promise], public: Sequence[PublicTable], rows: int
    ) -> None:
        super().__init__()
        self._tables, self._promises, self._public, self._rows = tables, promises, public, rows
        self._desks: dict[str, Desk] = {}

    @alone
    def desk(self, account: str) -> Desk:
        """The twin of an account, made when it is first asked for."""
        found = self._desks.pop(account, None)
        if found is None:
            found = Desk(self._made(), practice=True, show_others=False)
        self._desks[account] = found
        while len(self._desks) > MOST_TWINS:
            self._desks.pop(next(iter(self._desks))).close()
        return found

    @alone
    def forget(self, account: str) -> None:
        """Let the twin of an account begin anew."""
        found = self._desks.pop(account, None)
        if found is not None:
            found.close()

    @alone
    def close(self) -> None:
        """Let go of all twins."""
        for desk in self._desks.values():
            desk.close()
        self._desks.clear()

    def _made(self) -> Curator:
        tables = [
            Table(one.name, list(made_up(one, self._rows)), one.domain, people=one.people) for one in self._tables
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)  # the custodian has heard them from the real one
            return Curator(tables=tables, promises=self._promises, public=self._public, ledger=":memory:")
