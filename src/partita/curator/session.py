"""A session: one analyst's view of a curator, under limits of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, final

from partita.curator.keywords import spelled_as
from partita.errors import PartitaError
from partita.errors import curator as refuse
from partita.errors import live as refuse_live
from partita.exact import Number
from partita.live import Live
from partita.query.frame import Frame
from partita.query.plan import Plan
from partita.query.pricing import Price, Prices
from partita.query.wanted import Wanted, Wants
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from partita.composition.promise import Promise
    from partita.curator.answer import Answer
    from partita.curator.batch import Batch
    from partita.curator.computation import Computation
    from partita.curator.curator import Curator
    from partita.curator.outcome import Outcome
    from partita.curator.planned import Planned
    from partita.curator.quotation import Quotation
    from partita.query.schema import Table

_AGAIN = "Open it again from a curator where it is needed."


@final
class Session(Live):
    """Questions of one analyst: charged to the joint account and to the analyst's own, and both limits hold."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        super().__init__()
        self._curator = curator
        self.analyst = analyst

    def _copied(self) -> PartitaError:
        return refuse.not_sent("A session", _AGAIN)

    def _forked(self) -> PartitaError:
        return refuse_live.forked("A session", _AGAIN)

    @spelled_as(Wanted.of)
    def ask(self, question: str | Plan, *, key: str | None = None, **wants: Unpack[Wants]) -> Answer:
        """Answer a question at a price, or refuse it before anything is read."""
        return self._curator.ask(question, key=key, analyst=self.analyst, **wants)

    @spelled_as(Wanted.of)
    def quote(self, question: str | Plan, **wants: Unpack[Wants]) -> Quotation:
        """What a question would cost this analyst."""
        return self._curator.quote(question, analyst=self.analyst, **wants)

    def run(
        self, computation: Computation, *, table: str | None = None, where: str | None = None, key: str | None = None
    ) -> Outcome:
        """Run an algorithm, charged to both accounts."""
        return self._curator.run(computation, table=table, where=where, analyst=self.analyst, key=key)

    def admits(self, computation: Computation, *, table: str | None = None, where: str | None = None) -> None:
        """Refuse an algorithm that one of both accounts could not pay for now."""
        self._curator.admits(computation, table=table, where=where, analyst=self.analyst)

    def released(self, computation: Computation, *, table: str | None = None, where: str | None = None) -> bool:
        """Whether an algorithm has been run already, so that running it again is free."""
        return self._curator.released(computation, table=table, where=where, analyst=self.analyst)

    def open(
        self, computation: Computation, *, table: str | None = None, where: str | None = None
    ) -> tuple[Any, Outcome]:
        """Open an interactive algorithm, charged to both accounts."""
        return self._curator.open(computation, table=table, where=where, analyst=self.analyst)

    @spelled_as(Price.of)
    def batch(
        self,
        questions: Sequence[str | Plan | Quotation],
        *,
        weights: Sequence[Number] | None = None,
        **price: Unpack[Prices],
    ) -> Batch:
        """Price questions together; nothing is spent."""
        return self._curator.batch(questions, weights=weights, analyst=self.analyst, **price)

    @spelled_as(Price.of)
    def plan(
        self,
        questions: Sequence[str | Plan | Quotation],
        *,
        weights: Sequence[Number] | None = None,
        **price: Unpack[Prices],
    ) -> Planned:
        """Fix questions beforehand and charge them at once; ask them later, in any order."""
        return self._curator.plan(questions, weights=weights, analyst=self.analyst, **price)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The protected tables."""
        return self._curator.tables

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What the curator has promised, whoever asks."""
        return self._curator.promises

    def table(self, name: str) -> Frame:
        """A table to build a question from."""
        return self._curator.table(name)

    def spent(self) -> tuple[Measure, ...]:
        """The largest loss of anybody through this analyst's questions alone, for each promise."""
        return self._curator.spent(self.analyst)

    def remaining(self, where: str | None = None, *, table: str | None = None) -> tuple[Measure, ...]:
        """What one protected unit can still be charged under both limits."""
        return self._curator.remaining(where, table=table, analyst=self.analyst)
