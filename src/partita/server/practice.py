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
from partita.server.board import Board, kept
from partita.server.desk import Desk

MOST_TWINS: Final = 16
"""Twins that are kept at once; the one that was used least lately goes, with all that was asked of it."""
MOST_KNOWN: Final = 100_000


@final
class Twins(Live):
    """A twin for each account: the same tables, promises and refusals, over rows made up from the declaration alone."""

    def __init__(
        self,
        tables: Sequence[Table],
        promises: Sequence[Promise],
        public: Sequence[PublicTable],
        rows: int,
        board: Board | None = None,
    ) -> None:
        super().__init__()
        self._tables, self._promises, self._public, self._rows = tables, promises, public, rows
        self._board = board or Board()
        self._desks: dict[str, tuple[int, Desk]] = {}

    @alone
    def desk(self, account: str) -> Desk:
        """The twin of an account, made when it is first asked for."""
        time = self._time(account)
        known, found = self._desks.pop(account, (time, None))
        if found is not None and known != time:  # another worker has let it begin anew
            found.close()
            found = None
        if found is None:
            mark = f"practice {time}"
            found = Desk(self._made(account, time), practice=True, show_others=False, board=self._board, mark=mark)
        self._desks[account] = (time, found)
        while len(self._desks) > MOST_TWINS:
            self._desks.pop(next(iter(self._desks)))[1].close()
        return found

    @alone
    def forget(self, account: str) -> None:
        """Let the twin of an account begin anew."""
        time, (_, found) = self._time(account), self._desks.pop(account, (0, None))
        self._board.put("twin", account, {"time": time + 1}, most=MOST_KNOWN)
        if found is not None:
            found.close()
        if self._board.folder is not None:
            for left in self._board.folder.glob(f"{_file(account, time)}*"):
                left.unlink(missing_ok=True)

    @alone
    def close(self) -> None:
        """Let go of all twins."""
        for _, desk in self._desks.values():
            desk.close()
        self._desks.clear()

    def _time(self, account: str) -> int:
        """How many times the twin of an account has begun anew."""
        said = self._board.get("twin", account)
        return 0 if said is None else int(said["time"])

    def _made(self, account: str, time: int) -> Curator:
        # Its ledger is in memory for one process, and a file beside the board for several.
        folder = self._board.folder
        ledger = ":memory:" if folder is None else str(folder / _file(account, time))
        tables = [
            Table(one.name, list(made_up(one, self._rows)), one.domain, people=one.people) for one in self._tables
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)  # the custodian has heard them from the real one
            return Curator(tables=tables, promises=self._promises, public=self._public, ledger=ledger)


def _file(account: str, time: int) -> str:
    return f"twin-{kept(account)[:32]}-{time}.ledger"
