"""A session: one analyst's view of a curator, under limits of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from partita.errors import curator as refuse
from partita.exact import Number
from partita.query.accuracy import Wish
from partita.query.frame import Frame
from partita.query.plan import Plan
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from partita.curator.answer import Answer
    from partita.curator.batch import Batch
    from partita.curator.computation import Computation
    from partita.curator.curator import Curator
    from partita.curator.outcome import Outcome
    from partita.curator.planned import Planned
    from partita.curator.quotation import Quotation
    from partita.query.schema import Table


@final
class Session:
    """Questions of one analyst: charged to the joint account and to the analyst's own, and both limits hold."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        self._curator = curator
        self.analyst = analyst

    def __reduce__(self) -> str:
        raise refuse.not_sent("A session", "Open it again from a curator where it is needed.")

    def ask(
        self,
        question: str | Plan,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
        noise: str | None = None,
        within: Wish | None = None,
        confidence: Number | None = None,
        floor: Wish | None = None,
        rows: int | None = None,
        simultaneous: bool = False,
        rows_per_user: int | None = None,
        groups_per_user: int | None = None,
        reuse: bool = True,
        key: str | None = None,
        shrink: bool = False,
    ) -> Answer:
        """Answer a question at a price, or refuse it before anything is read."""
        return self._curator.ask(
            question,
            epsilon=epsilon,
            rho=rho,
            mu=mu,
            delta=delta,
            noise=noise,
            within=within,
            confidence=confidence,
            floor=floor,
            rows=rows,
            simultaneous=simultaneous,
            rows_per_user=rows_per_user,
            groups_per_user=groups_per_user,
            reuse=reuse,
            key=key,
            analyst=self.analyst,
            shrink=shrink,
        )

    def quote(
        self,
        question: str | Plan,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
        noise: str | None = None,
        within: Wish | None = None,
        confidence: Number | None = None,
        floor: Wish | None = None,
        rows: int | None = None,
        simultaneous: bool = False,
        rows_per_user: int | None = None,
        groups_per_user: int | None = None,
        shrink: bool = False,
    ) -> Quotation:
        """What a question would cost this analyst."""
        return self._curator.quote(
            question,
            epsilon=epsilon,
            rho=rho,
            mu=mu,
            delta=delta,
            noise=noise,
            within=within,
            confidence=confidence,
            floor=floor,
            rows=rows,
            simultaneous=simultaneous,
            rows_per_user=rows_per_user,
            groups_per_user=groups_per_user,
            analyst=self.analyst,
            shrink=shrink,
        )

    def run(
        self, computation: Computation, *, table: str | None = None, where: str | None = None, key: str | None = None
    ) -> Outcome:
        """Run an algorithm, charged to both accounts."""
        return self._curator.run(computation, table=table, where=where, analyst=self.analyst, key=key)

    def open(
        self, computation: Computation, *, table: str | None = None, where: str | None = None
    ) -> tuple[Any, Outcome]:
        """Open an interactive algorithm, charged to both accounts."""
        return self._curator.open(computation, table=table, where=where, analyst=self.analyst)

    def batch(
        self,
        questions: Sequence[str | Plan | Quotation],
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
        weights: Sequence[Number] | None = None,
    ) -> Batch:
        """Price questions together; nothing is spent."""
        return self._curator.batch(
            questions, epsilon=epsilon, rho=rho, mu=mu, delta=delta, weights=weights, analyst=self.analyst
        )

    def plan(
        self,
        questions: Sequence[str | Plan | Quotation],
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
        weights: Sequence[Number] | None = None,
    ) -> Planned:
        """Fix questions beforehand and charge them at once; ask them later, in any order."""
        return self._curator.plan(
            questions, epsilon=epsilon, rho=rho, mu=mu, delta=delta, weights=weights, analyst=self.analyst
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The protected tables."""
        return self._curator.tables

    def table(self, name: str) -> Frame:
        """A table to build a question from."""
        return self._curator.table(name)

    def spent(self) -> tuple[Measure, ...]:
        """The largest loss of anybody through this analyst's questions alone, for each promise."""
        return self._curator.spent(self.analyst)

    def remaining(self, where: str | None = None, *, table: str | None = None) -> tuple[Measure, ...]:
        """What one protected unit can still be charged under both limits."""
        return self._curator.remaining(where, table=table, analyst=self.analyst)
