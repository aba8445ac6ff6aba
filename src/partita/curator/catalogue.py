"""The catalogue: the declared tables with their fixed truncations, and the reading of questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from partita.composition.promise import Promise
from partita.curator.computation import Computation
from partita.effort import within_effort
from partita.errors import curator as refuse
from partita.errors import query as refuse_query
from partita.query import sql
from partita.query.asking import count
from partita.query.conditions import Condition, everywhere
from partita.query.extract import Extract
from partita.query.frame import Frame
from partita.query.plan import Plan
from partita.query.pricing import Price
from partita.query.public import PublicTable
from partita.query.quote import Quote, quote
from partita.query.schema import Table
from partita.query.truncation import truncation
from partita.query.wanted import Wanted


@final
class Catalogue:
    """What may be asked about, and what it costs under the promises; nothing here reads a row or the ledger."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        public: Mapping[str, PublicTable],
        promises: tuple[Promise, ...],
        key: str,
    ) -> None:
        kinds = [promise.granularity for promise in promises]
        self.tables, self.public, self.promises = tables, public, promises
        self.truncations = {name: truncation(table, kinds, key) for name, table in tables.items()}
        cuts = {name: cut for name, cut in self.truncations.items() if cut is not None}
        self._most = {name: cut.altogether(tables[name].domain) for name, cut in cuts.items()}

    def known(self, name: str) -> Table:
        """The table of this name."""
        found = self.tables.get(name) if isinstance(name, str) else None
        if found is None:
            raise refuse_query.unknown_table(name, tuple(self.tables))
        return found

    def chosen(self, name: str | None) -> Table:
        """The table of this name, or the first."""
        return self.known(name) if name is not None else next(iter(self.tables.values()))

    def frame(self, name: str) -> Frame:
        """A table to build a question from."""
        return Frame(self.known(name), public=self.public, most=self._most.get(name))

    def plan(self, question: str | Plan) -> Plan:
        """The plan of a question about these tables."""
        if isinstance(question, str):
            return sql.read(question, self.tables, self.public, self._most)
        if isinstance(question, Plan) and self.tables.get(question.table.name) is question.table:
            return question
        raise refuse.not_a_question(question)

    @within_effort
    def offer(self, question: str | Plan, wanted: Wanted) -> Quote:
        """The quote of a question on these terms, caps included."""
        return self.quoted(self.plan(question).capped(wanted.caps), wanted)

    @within_effort
    def quoted(self, plan: Plan, wanted: Wanted) -> Quote:
        """The quote of a plan on these terms."""
        return wanted.quote(plan, self.promises, self.truncations[plan.table.name])

    def requoted(self, plan: Plan, price: Price, noise: str | None) -> Quote:
        """The quote of a plan as it was made before."""
        return quote(plan, self.promises, price, noise=noise, truncation=self.truncations[plan.table.name])

    def own(self, offered: Quote) -> Quote:
        """The quote, if it was made for these tables, promises and truncations: elsewhere its costs mean nothing."""
        plan, name = offered.plan, offered.plan.table.name
        cut = self.truncations.get(name)
        cut = cut if cut is None or not plan.caps else cut.capped(plan.caps)
        ours = self.tables.get(name) is plan.table and offered.promises == self.promises
        if not ours or offered.program.truncation != cut:
            raise refuse.foreign_quotation(name)
        return offered

    def extract(self, computation: Computation, name: str | None, where: str | None) -> Extract:
        """The rows and columns that a computation reads."""
        if not isinstance(computation, Computation):
            raise refuse.not_a_computation(computation)
        table = self.chosen(name)
        for column in computation.columns:
            table.domain.axis(column)
        met = everywhere(table.domain) if where is None else condition(table, where)
        return Extract(table, met, tuple(computation.columns), self.truncations[table.name])


def condition(table: Table, where: str) -> Condition:
    """A condition on the rows of a table, as a question would have it."""
    return Frame(table).where(where).agg(n=count()).where
