"""The catalogue: the declared tables with their fixed truncations, and the reading of questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, final

from partita.composition.account.people import PersonSpace
from partita.composition.calibration.pricing import Price
from partita.composition.plans.promise import Promise
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.batches.across import AcrossTables
from partita.curator.computations.computation import Computation
from partita.curator.path.event_promise import EventPromise
from partita.curator.path.placed import PersonPromise
from partita.curator.wanted import Wanted
from partita.effort import within_effort
from partita.errors import curator as refuse
from partita.errors.query import language as refuse_query
from partita.errors.query import people as refuse_people
from partita.errors.query import presenting as refuse_shown
from partita.granularity import Persons
from partita.query.batch.charging import ByTable, Charging
from partita.query.builder.aggregates import count
from partita.query.builder.frame import Frame
from partita.query.builder.joined_frame import Joining
from partita.query.exact.extract import Extract
from partita.query.language.conditions import Condition, everywhere
from partita.query.language.joined import joined_of
from partita.query.language.plan import Lines, Plan
from partita.query.noise.quote import Promised, Quote, quote
from partita.query.sql import parse as sql
from partita.query.sql.releases.stages import Staged
from partita.query.sql.releases.statement import Statement
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation, truncation

_KEPT: Final = 256
"""Plans that are kept by their texts."""
_SHORT: Final = 2000
"""The longest text of one."""


@final
class Catalogue:
    """What may be asked about, and what it costs under the promises; nothing here reads a row or the ledger."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        public: Mapping[str, PublicTable],
        promises: tuple[Promise, ...],
        key: str,
        people: People | None = None,
        space: PersonSpace | None = None,
    ) -> None:
        kinds = [promise.granularity for promise in promises]
        self.tables, self.public, self.promises = tables, public, promises
        self._key, self._people, self._space = key, people, space
        self.truncations = {
            name: truncation(table, kinds, key) if people is None else replace(people.truncation(name, key), kept=True)
            for name, table in tables.items()
        }
        cuts = {name: cut for name, cut in self.truncations.items() if cut is not None}
        self._most = {name: cut.altogether(tables[name].domain) for name, cut in cuts.items()}
        self._read: dict[str, Plan] = {}

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
        joining = None if self._people is None else Joining(tuple(self.tables), self.public, self.plan)
        return Frame(self.known(name), public=self.public, most=self._most.get(name), joining=joining)

    def plan(self, question: str | Plan, word: str = "This") -> Plan:
        """The plan of one question about these tables."""
        asked = self.asked(question)
        if not isinstance(asked, Plan):
            raise refuse_shown.not_one_question(word)
        return asked

    def asked(self, question: str | Plan) -> Plan | Statement | Staged:
        """The plan of a question about these tables, or a statement about the answers to some."""
        if isinstance(question, str):
            # A text means the same for as long as the tables are declared so: whoever quotes and asks is read once.
            known = self._read.get(question)
            return self._newly(question) if known is None else known
        if isinstance(question, Plan) and self._ours(question.table):
            return question
        if isinstance(question, Plan) and (newer := self._newer(question.table)) is not None:
            return replace(question, table=newer)
        raise refuse.not_a_question(question)

    def _newly(self, question: str) -> Plan | Statement | Staged:
        if self._people is not None:
            found = sql.read_statement(question, [], self.public, people=self._people)
        else:
            found = sql.read_statement(question, self.tables, self.public, self._most)
        if isinstance(found, Plan) and len(question) <= _SHORT:
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[question] = found
        return found

    def reread(self, text: str) -> Plan:
        """The plan of a question as the book has it."""
        if self._people is not None:
            return sql.read(text, [], self.public, people=self._people)
        return sql.read(text, self.tables)

    @property
    def charging(self) -> Charging:
        """How questions that are fixed together are charged."""
        if self._space is None:
            return ByTable(self.promises, self.truncations)
        seen, cut = (lambda plan: self.promised(plan.table, plan)), (lambda plan: self.kept(plan.table))
        return AcrossTables(self.promises, self._space, seen, cut)

    @within_effort
    def offer(self, question: Plan, wanted: Wanted) -> Quote:
        """The quote of a question on these terms, caps included."""
        return self.quoted(question.capped(wanted.caps), wanted)

    @within_effort
    def quoted(self, plan: Plan, wanted: Wanted) -> Quote:
        """The quote of a plan on these terms."""
        joined, rows = joined_of(plan.table), wanted.caps.over(plan.caps).rows
        if joined is not None and rows is not None and rows > joined.most:
            raise refuse_people.cap_beyond_product(rows, joined.most, self._people.owner if self._people else "")
        return wanted.quote(plan, self.promised(plan.table, plan), self.kept(plan.table))

    def requoted(self, plan: Plan, price: Price, noise: str | None) -> Quote:
        """The quote of a plan as it was made before."""
        return quote(plan, self.promised(plan.table, plan), price, noise=noise, truncation=self.kept(plan.table))

    def promised(self, table: Table, plan: Plan | None = None) -> tuple[Promised, ...]:
        """The promises as a question about a table sees them: people are owners of its rows."""
        space = self._space
        if space is None:
            return self.promises
        joined, odd = joined_of(table), plan is not None and bool(plan.per_user or plan.caps)
        # Caps of an owner in all windows would let rows of others in when the rows of one window go.
        if space.persons.per is not None and joined is not None and (joined.brackets or (odd and joined.apart)):
            raise refuse_people.across_windows(str(space.persons))
        return tuple(
            PersonPromise(one, space, table)
            if isinstance(one.granularity, Persons)
            else EventPromise.of(one, space, table, plan)
            for one in self.promises
        )

    def kept(self, table: Table) -> Truncation | None:
        """The fixed truncation behind a table; of joined rows, their cap."""
        joined = joined_of(table)
        return self.truncations[table.name] if joined is None else joined.truncation(self._key)

    def _newer(self, table: Table) -> Table | None:
        """The same table of ours with the rows of other batches."""
        found = self.tables.get(table.name)
        if found is None or found.batch == table.batch or found.digest != table.digest:
            return None
        return found if found.source is table.source else None

    def _ours(self, table: Table) -> bool:
        joined = joined_of(table)
        return self.tables.get(table.name) is table if joined is None else joined.people.origin is self._people

    def own(self, offered: Quote) -> Quote:
        """The quote, if it was made for these tables, promises and truncations: elsewhere its costs mean nothing."""
        plan = offered.plan
        if not self._ours(plan.table) or offered.promises != self.promised(plan.table, plan):
            raise refuse.foreign_quotation(plan.table.name)
        cut = self.kept(plan.table)
        if offered.program.truncation != (cut if cut is None or not plan.caps else cut.capped(plan.caps)):
            raise refuse.foreign_quotation(plan.table.name)
        return offered

    def batched(self, one: str | Plan | CuratorQuote) -> Plan | Quote:
        """A question of a batch; a quotation as it is."""
        if not isinstance(one, CuratorQuote):
            return self.plan(one, "A batch")
        if one.statement is not None:
            raise refuse_shown.not_one_question("A batch")
        return self.own(one.quote)

    def extract(self, computation: Computation, name: str | None, where: str | None) -> Extract:
        """The rows and columns that a computation reads."""
        if not isinstance(computation, Computation):
            raise refuse.not_a_computation(computation)
        table, met = self.relation(name)
        for column in computation.columns:
            table.domain.axis(column)
        if where is not None:
            met = met & condition(table, where)
        return Extract(table, met, tuple(computation.columns), self.kept(table))

    def relation(self, name: str | None) -> tuple[Table, Condition]:
        """The rows of a table, or of a join of people's tables as SQL has it after FROM, and which of them are meant.

        Each joined row must be one row of one table, so that what one row may cost is known (theory I5, by rows).
        """
        if self._people is None or not isinstance(name, str) or name in self.tables or len(name.split()) == 1:
            table = self.chosen(name)
            return table, everywhere(table.domain)
        plan = self.plan(f"SELECT COUNT(*) AS n FROM {name}", "A computation")
        joined = joined_of(plan.table)
        if joined is None and plan.table.name in self.tables and plan.per_user is None:
            return plan.table, plan.where
        events = any(isinstance(one, EventPromise) and one.read for one in self.promised(plan.table))
        if (
            joined is None
            or joined.by_rows is None
            or plan.per_user
            or plan.opened
            or plan.keys
            or plan.lines != Lines()
            or events
        ):
            raise refuse.not_computed_on(name)
        return plan.table, plan.where


def condition(table: Table, where: str) -> Condition:
    """A condition on the rows of a table, as a question would have it."""
    return Frame(table).where(where).agg(n=count()).where
