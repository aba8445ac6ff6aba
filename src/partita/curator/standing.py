"""What a curator says of itself: its tables and promises, what is spent, what is left, and what is guaranteed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partita.composition.account.maps import LoadMap
from partita.composition.plans.promise import Promise
from partita.curator.answers.answer import Answer
from partita.curator.answers.certificate import Certificate
from partita.curator.declared.catalogue import Catalogue, condition
from partita.curator.path.path import charge_of, fingerprint
from partita.curator.path.placed import placed
from partita.curator.path.shrink import shrunk
from partita.curator.wanted import Wanted
from partita.errors import BudgetExceeded
from partita.errors import curator as refuse
from partita.ledger.audit.verify import Verification
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.live import Live
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.region import Region
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.composition.account.people import PersonSpace


class Standing(Live):
    """The readings of a curator: nothing here reads a row, spends anything or changes anything."""

    _catalogue: Catalogue
    _ledger: Ledger
    _people: PersonSpace | None
    _promises: tuple[Promise, ...]
    _tables: dict[str, Table]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The protected tables."""
        return tuple(self._tables.values())

    @property
    def public(self) -> tuple[PublicTable, ...]:
        """The public tables, to be joined."""
        return tuple(self._catalogue.public.values())

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises kept."""
        return self._promises

    @property
    def ledger(self) -> Ledger:
        """The book of everything ever released."""
        return self._ledger

    def spent(self, analyst: str | None = None) -> tuple[Measure, ...]:
        """The largest loss of anybody so far, for each promise; of one analyst's questions alone if named."""
        found = self._ledger.spent(analyst)
        return tuple(
            promise.budget.zero() if loss is None else loss for loss, promise in zip(found, self._promises, strict=True)
        )

    def remaining(
        self, where: str | None = None, *, table: str | None = None, analyst: str = ""
    ) -> tuple[Measure, ...]:
        """What one protected unit can still be charged, for each promise: anybody, or those a condition names.

        A question fits if its quoted costs are no more than this.
        """
        chosen = self._catalogue.chosen(table)
        if self._people is not None:
            met = None if where is None else self._people.lifted(chosen.name, condition(chosen, where).region)
            return self._ledger.remaining(self._people.persons.column, met, analyst)
        if where is not None:
            return self._ledger.remaining(chosen.name, condition(chosen, where).region, analyst)
        tables = [chosen] if table is not None else list(self._tables.values())
        losses = [self._ledger.remaining(one.name, None, analyst) for one in tables]
        return tuple(
            promise.budget.like([min(parts) for parts in zip(*(rest[place].vector() for rest in losses), strict=True)])
            for place, promise in enumerate(self._promises)
        )

    def load_map(
        self, column_x: str, column_y: str, *, table: str | None = None, promise: int = 0, analyst: str | None = None
    ) -> LoadMap:
        """The share of a promise spent on each combination of two columns; ``partita ledger map`` draws it."""
        return self._ledger.load_map(column_x, column_y, table=table, promise=promise, analyst=analyst)

    def guarantee(self) -> tuple[Certificate, ...]:
        """What is promised to everybody in the data, whatever is still asked: the budgets, not what is spent."""
        return tuple(
            Certificate(promise.granularity, promise.budget, spent)
            for promise, spent in zip(self._promises, self.spent(), strict=True)
        )

    def verify(self) -> Verification:
        """Audit the whole ledger from its first line."""
        return self._ledger.verify()

    # --- what a question would meet --------------------------------------------------------------------------------

    def _alone(self, word: str) -> None:
        """Refuse what has no meaning yet for people across tables."""
        if self._people is not None:
            raise refuse.not_for_people(word)

    def _charged(self, plan: Plan, wanted: Wanted, analyst: str) -> tuple[Quote, Charge]:
        """What a question would be offered as, and charged."""
        offered = self._catalogue.offer(plan, wanted)
        return offered, charge_of(offered, asked="", analyst=analyst)

    def _left(self, offered: Quote, analyst: str) -> tuple[Measure, ...]:
        found = placed(offered)
        return self._ledger.remaining(found.table, found.region, analyst)

    def _fits(self, offered: Quote, analyst: str) -> bool:
        try:
            self._ledger.admits(charge_of(offered, asked="", analyst=analyst))
        except BudgetExceeded:
            return False
        return True

    def _known(self, offered: Quote, analyst: str) -> Answer:
        """The answer to a question that shows no line: it is public, so nothing is charged, read or booked."""
        zeros = tuple(cost.zero() for cost in offered.costs)
        return Answer(
            quote=offered,
            result=offered.result(np.zeros((offered.program.cells.count, offered.width), dtype=object)),
            cost=zeros[0],
            costs=zeros,
            reckon=self._ledger.reckoning(offered.plan.table.name, offered.region, analyst),
            free=True,
        )

    def _shrunk(self, offered: Quote, wanted: Wanted, analyst: str) -> tuple[Quote, Region | None]:
        """The offer for those who can pay if they will do, and who was asked about if that is not everybody."""
        if wanted.shrink:
            self._alone("shrink=True")
        if not wanted.shrink or self._ledger.stored(fingerprint(offered)) is not None:
            return offered, None
        part = shrunk(offered, lambda plan: self._catalogue.quoted(plan, wanted), self._ledger, analyst)
        return part, None if part is offered else offered.region
