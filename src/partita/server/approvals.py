"""Approvals: a price above what may be spent at once waits for the custodian, and nothing is reserved until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from partita.curator.path.path import fingerprint
from partita.errors import server as refuse
from partita.ledger.canonical import canonical, digest
from partita.live import Live, alone
from partita.query.noise.quote import Quote
from partita.server.accounts.register import Caller, Register
from partita.server.board import Board
from partita.theory.documents import from_document, to_document
from partita.theory.measures.base import Measure

MOST_WAITING: Final = 1000
"""Requests that wait at once; the oldest of whoever has most is forgotten first, and has to be asked again."""
_NUMBER: Final = 32
"""Hex digits of a request's number: so many that nobody finds two requests with one number."""


@final
@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits: who asks, what, and at which price."""

    number: str
    analyst: str
    asked: str
    costs: tuple[Measure, ...]


@final
class Approvals(Live):
    """What waits for the custodian; what was approved stands in the ledger, and holds for this very release."""

    def __init__(self, register: Register, above: Measure | None, board: Board | None = None) -> None:
        super().__init__()
        self._register, self.above, self._board = register, above, board or Board()

    @alone
    def check(self, caller: Caller, asked: str, costs: tuple[Measure, ...], quotes: Sequence[Quote]) -> None:
        """Refuse a price that is above the limit, unless the custodian has approved it; note that it waits."""
        if self.above is None or costs[0].fits(self.above):
            return
        parts = [caller.account, sorted(map(fingerprint, quotes)), [to_document(cost) for cost in costs]]
        number = digest(canonical(parts))[:_NUMBER]
        if self._register.approved(number):
            return
        said = {"number": number, "analyst": caller.account, "asked": asked, "costs": parts[-1]}
        self._board.put("waiting", number, said, most=MOST_WAITING, whose=caller.account)
        raise refuse.waiting(str(costs[0]), str(self.above), number)

    @alone
    def waiting(self) -> list[Waiting]:
        """What waits, oldest first."""
        return [_waiting(one) for one in self._board.all("waiting")]

    @alone
    def decide(self, number: str, *, by: str, yes: bool) -> Waiting:
        """Approve what waits, or decline it; either is written down."""
        said = self._board.take("waiting", number)
        if said is None:
            raise refuse.unknown_request(number)
        found = _waiting(said)
        self._register.approve(number, analyst=found.analyst, by=by, yes=yes)
        return found


def _waiting(said: dict[str, Any]) -> Waiting:
    return Waiting(said["number"], said["analyst"], said["asked"], tuple(map(from_document, said["costs"])))
