"""The service: everything that a request may reach, in one place, without a word of HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from partita.composition.plans.promise import Promise
from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.curator import Curator
from partita.curator.settings import Settings, read_loss
from partita.errors import server as refuse
from partita.errors.models import above_ceiling
from partita.exact import probability
from partita.ledger.book.book import Clock, system_clock
from partita.live import Live
from partita.server.accounts.register import Caller, Register, Role
from partita.server.allowances import beside
from partita.server.approvals import Approvals
from partita.server.board import Board
from partita.server.bodies import Ask, AskMany, Batch, Quote
from partita.server.desk import Desk, few
from partita.server.practice import Twins
from partita.server.rates import Rates
from partita.server.settings import ServerSettings
from partita.theory.measures.base import Measure


@final
class Service(Live):
    """One curator for a team: who may do what, and the same for everybody's practice twin."""

    def __init__(
        self,
        curator: Curator,
        declared: Settings,
        settings: ServerSettings,
        *,
        clock: Clock = system_clock,
        board: Board | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.board = board or Board()
        self.rates = Rates(settings.requests_per_minute)
        self.real = Desk(curator, practice=False, show_others=settings.show_others, board=self.board)
        self.register = Register(curator.ledger, clock)
        self.approvals = Approvals(self.register, _above(settings, curator.promises[0]), self.board)
        self._ceilings = {name: limit for name in settings.accounts if (limit := self.limit(name, "ceiling"))}
        self._twins = Twins(declared.tables, declared.promises, declared.public, settings.practice_rows, self.board)

    def limit(self, account: str, word: str) -> Measure | None:
        """A limit of an account, as a loss beside the first budget."""
        given = getattr(self.settings.accounts.get(account), word, None)
        if given is None:
            return None
        read = read_loss("[server]", f"accounts.{account}.{word}", given)
        return beside(read, self.real.curator.promises[0].budget)

    def desk(self, caller: Caller, *, practice: bool) -> Desk:
        """Where a caller asks: for real, or to practise."""
        if not practice:
            return self.real
        if not self.settings.practice:
            raise refuse.not_found("/v1/practice")
        return self._twins.desk(caller.account)

    def forget_practice(self, caller: Caller) -> None:
        """Let the caller's twin begin anew."""
        self._twins.forget(caller.account)

    # --- questions -------------------------------------------------------------------------------------------------

    def ask(self, caller: Caller, body: Ask, key: str | None, *, practice: bool) -> Answer:
        """The answer to a question, charged to the caller."""
        _asks(caller, practice=practice)
        _drawn(body.bars)
        desk, wants = self.desk(caller, practice=practice), body.wanted()
        session = desk.session(caller)
        if body.batch is None:
            self._approved(desk, caller, body.question, wants, key)
        return session.ask(body.question, key=key, batch=body.batch, **wants)

    def ask_many(self, caller: Caller, body: AskMany, *, practice: bool) -> list[Answer]:
        """The answers to several questions, each charged at the price that is given."""
        _asks(caller, practice=practice)
        _drawn(body.bars)
        desk, wants = self.desk(caller, practice=practice), body.wanted()
        questions = few(body.questions, self.settings.questions_per_call)
        for question in questions:
            self._approved(desk, caller, question, wants)
        return desk.session(caller).ask_many(questions, **wants)

    def quote(self, caller: Caller, body: Quote, *, practice: bool) -> CuratorQuote:
        """What a question would cost the caller."""
        return self.desk(caller, practice=practice).session(caller).quote(body.question, key=body.key, **body.wanted())

    def plan(self, caller: Caller, body: Batch, *, practice: bool) -> tuple[int, Any]:
        """A plan that is charged now and asked later, with its number."""
        _asks(caller, practice=practice)
        desk = self.desk(caller, practice=practice)
        batch = self.batch(caller, body, practice=practice)
        if not practice:
            self._affordable(caller, batch.costs[0])
            self.approvals.check(caller, "\n".join(body.questions), batch.costs, batch.quotes)
        plan = batch.reserve()
        return desk.hold(caller, plan, {"questions": [*body.questions], **body.wanted()}), plan

    def batch(self, caller: Caller, body: Batch, *, practice: bool) -> Any:
        """Questions priced together; nothing is spent."""
        questions = few(body.questions, self.settings.questions_per_call)
        return self.desk(caller, practice=practice).session(caller).batch(questions, **body.wanted())

    def _approved(
        self, desk: Desk, caller: Caller, question: str, wants: dict[str, Any], key: str | None = None
    ) -> None:
        """Refuse what is too dear for the account, or to be charged without the custodian, unless it is free."""
        if desk.practice or (self.approvals.above is None and caller.account not in self._ceilings):
            return
        offer = desk.session(caller).quote(question, key=key, **wants)
        if not offer.free:
            self._affordable(caller, offer.costs[0])
            self.approvals.check(caller, question, offer.costs, [offer.quote, *offer.beside])

    def _affordable(self, caller: Caller, cost: Measure) -> None:
        ceiling = self._ceilings.get(caller.account)
        if ceiling is not None and not cost.fits(ceiling):
            raise above_ceiling(str(cost), str(ceiling))

    def close(self) -> None:
        """Let go of the twins; the curator belongs to whoever opened it."""
        self._twins.close()
        self.board.close()


def _asks(caller: Caller, *, practice: bool) -> None:
    if caller.role is Role.AUDITOR and not practice:
        raise refuse.not_allowed(caller.role, "asking questions")


def _drawn(bars: Sequence[str]) -> None:
    """Refuse error bars that could not be drawn, before anything is charged."""
    for confidence in bars:
        probability(confidence, "bars")


def _above(settings: ServerSettings, promise: Promise) -> Measure | None:
    if settings.approve_above is None:
        return None
    limit = read_loss("[server]", "approve_above", settings.approve_above)
    Promise(promise.granularity, limit)
    limit.fits(promise.budget)  # refuses another measure
    return limit
