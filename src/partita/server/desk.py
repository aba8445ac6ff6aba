"""A desk: one curator as callers see it, the real one or a practice twin, with the plans that it holds for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, final

from partita.composition.calibration.pricing import Price
from partita.curator.answers.answer import Answer
from partita.curator.batches.planned import Planned
from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.errors import PartitaError
from partita.errors import server as refuse
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.receipts.receipts import Receipt
from partita.ledger.reports.history import Moment, history
from partita.ledger.states import Answered
from partita.live import Live, alone
from partita.server.accounts.register import Caller, Role
from partita.server.board import Board

MOST_PLANS: Final = 1000
"""Plans that are held for later; an older one has to be sent again, free."""


@final
class Desk(Live):
    """What callers reach of a curator: their own sessions, their own entries of the ledger, their own plans."""

    def __init__(
        self, curator: Curator, *, practice: bool, show_others: bool, board: Board | None = None, mark: str = ""
    ) -> None:
        super().__init__()
        self.curator = curator
        self.practice = practice
        self._show_others = show_others
        self._plans: dict[tuple[str, int], Planned] = {}
        self._board, self._mark = board or Board(), mark
        self._past: tuple[int, tuple[Moment, ...]] | None = None

    def session(self, caller: Caller) -> Session:
        """The session in which a caller asks."""
        return self.curator.session(analyst=caller.account)

    def sees_all(self, caller: Caller) -> bool:
        """Whether a caller may see names, texts and receipts of others."""
        return caller.role is not Role.ANALYST or self._show_others

    def sees(self, caller: Caller, analyst: str) -> bool:
        """Whether a caller may see what this analyst asked."""
        return analyst == caller.account or self.sees_all(caller)

    # --- what was asked before -------------------------------------------------------------------------------------

    def shown(self, caller: Caller, receipt: Receipt) -> Receipt:
        """A receipt as a caller may see it: of somebody else's question, without the text.

        It is signed anew and says the same of the release, so that it composes as the whole one does.
        """
        found = self.curator.ledger.charge_at(receipt.seq)
        if found is not None and self.sees(caller, analyst_of(self.curator, found[0])):
            return receipt
        signer = self.curator.ledger.signer
        return receipt if not receipt.asked or signer is None else replace(receipt, asked="").signed(signer)

    def receipt(self, caller: Caller, seq: int) -> Receipt:
        """The receipt of an answer of the caller's, by its number or by that of its question."""
        reserve, commit = self._found(caller, seq)
        return self.curator.ledger.receipt(Answered(commit.seq, reserve.seq, b""))

    def answer(self, caller: Caller, seq: int) -> Answer:
        """An answer of the caller's as it was given, from the ledger alone; nothing is read or charged."""
        reserve, _ = self._found(caller, seq)
        details = reserve.details()
        mechanism: Any = details.get("mechanism")
        try:
            price = Price.of(**mechanism["price"])
            offered = self.curator.recalled(str(details["asked"]), price, mechanism["noise"] or None)
        except (PartitaError, LookupError, TypeError):
            raise refuse.not_remade(seq) from None
        if offered is None:
            raise refuse.not_remade(seq)
        return offered

    def _found(self, caller: Caller, seq: int) -> tuple[Entry, Entry]:
        found = self.curator.ledger.charge_at(seq)
        if found is None or not self.sees(caller, analyst_of(self.curator, found[0])):
            raise refuse.no_answer(seq)
        reserve, closing = found
        if closing is None or closing.kind is not Kind.COMMIT:
            raise refuse.no_answer(seq)
        return reserve, closing

    @alone
    def history(self) -> tuple[Moment, ...]:
        """How the losses grew, read again only where something was charged since."""
        at = self.curator.ledger.mark().seq
        if self._past is None or self._past[0] != at:
            self._past = at, history(self.curator.ledger)
        return self._past[1]

    # --- plans -----------------------------------------------------------------------------------------------------

    @alone
    def hold(self, caller: Caller, plan: Planned, said: Mapping[str, Any]) -> int:
        """Keep a plan for its questions, and say under which number; ``said`` is what makes it anew elsewhere."""
        number = plan.seq
        self._plans.pop((caller.account, number), None)
        self._plans[caller.account, number] = plan
        while len(self._plans) > MOST_PLANS:
            self._plans.pop(next(iter(self._plans)))
        self._board.put("plan", self._named(caller, number), said, most=MOST_PLANS, whose=caller.account)
        return number

    @alone
    def plan(self, caller: Caller, number: int) -> Planned:
        """A plan of the caller's."""
        found = self._plans.get((caller.account, number))
        if found is None:
            said = self._board.get("plan", self._named(caller, number))
            if said is None:
                raise refuse.unknown_plan(number)
            # It is charged under this number, so that making it anew finds the charge, free.
            found = self.session(caller).batch(**said).reserve()
            self._plans[caller.account, found.seq] = found
        return found

    def _named(self, caller: Caller, number: int) -> str:
        return f"{self._mark}/{caller.account}/{number}"

    def close(self) -> None:
        """Let go of the curator."""
        self.curator.close()


def analyst_of(curator: Curator, entry: Entry) -> str:
    """Who asked what an entry charges."""
    assert entry.charge is not None
    return curator.ledger.eras.read(entry.charge, entry.seq).analyst


def few(questions: Sequence[str], most: int) -> Sequence[str]:
    """A list of questions that is not too long."""
    if len(questions) > most:
        raise refuse.bad_request("questions", f"at most {most:,} in one call")
    return questions
