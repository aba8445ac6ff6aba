"""Free views: what is left, what is promised, which columns there are, and what the caller was answered."""

from __future__ import annotations

from typing import Any, Final

from partita.ledger.reports.report import asked_of
from partita.query.tables.holding import holds
from partita.server.accounts.register import Caller
from partita.server.desk import Desk
from partita.server.wire.catalogue import Views

MOST_ANSWERS: Final = 1000

_Lines = list[tuple[Any, ...]]


def views(desk: Desk, caller: Caller) -> Views:
    """What each view holds for a caller, worked out when it is read."""
    curator = desk.curator

    def remaining() -> _Lines:
        yours, joint = curator.remaining(analyst=caller.account), curator.remaining()
        parts = zip(curator.promises, yours, joint, strict=True)
        return [
            (place, str(promise.granularity), str(own), str(left))
            for place, (promise, own, left) in enumerate(parts, start=1)
        ]

    def promises() -> _Lines:
        parts = zip(curator.promises, curator.guarantee(), strict=True)
        return [
            (place, str(promise.granularity), str(promise.budget), str(told))
            for place, (promise, told) in enumerate(parts, start=1)
        ]

    def columns() -> _Lines:
        return [
            (table.name, name, column.kind, holds(column))
            for table in curator.tables
            for name, column in table.columns.items()
        ]

    def answers() -> _Lines:
        found, _ = curator.ledger.charges(MOST_ANSWERS, before=None, analyst=caller.account, text=None)
        asked = [asked_of(curator.ledger, entry, state) for entry, state in found]
        return [(one.seq, one.at, one.asked, "; ".join(map(str, one.charged)), one.state.value) for one in asked]

    return {"remaining": remaining, "promises": promises, "columns": columns, "answers": answers}
