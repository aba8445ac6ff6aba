"""What a curator says of itself: its tables and promises, what is spent and left, what is guaranteed, and budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.calls import called
from partita.composition.account.maps import LoadMap
from partita.composition.plans.promise import Promise
from partita.curator.answers.certificate import Certificate, certificates
from partita.curator.declared.catalogue import Catalogue, condition
from partita.curator.staging import Staging
from partita.exact import Number
from partita.ledger.audit.verify import Verification
from partita.ledger.ledger import Ledger
from partita.ledger.schedules import Cause
from partita.live import Live
from partita.query.answer.kinds import Described
from partita.query.language.plan import Plan
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.composition.account.people import PersonSpace


class Standing(Live):
    """The readings of a curator: nothing here reads a row or spends anything."""

    _catalogue: Catalogue
    _ledger: Ledger
    _people: PersonSpace | None
    _promises: tuple[Promise, ...]
    _staging: Staging
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

    @called
    def described(self, question: str | Plan) -> tuple[Described, ...]:
        """The columns that the answer to a question will have, at any price; nothing is read and nothing is spent."""
        return self._staging.described(self._catalogue.asked(question))

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

    @called
    def improve(self, *, patience: int = 10) -> None:
        """Look longer for better bounds on what was booked, and keep them while the curator is open.

        For idle moments, where a table has so many columns that what is left is only known within bounds: questions
        that were not shown to fit may fit afterwards. No data is read, and nothing is charged.
        """
        self._ledger.improve(patience)

    def guarantee(self) -> tuple[Certificate, ...]:
        """What is promised to everybody in the data, whatever is still asked: the budgets, not what is spent."""
        return certificates(self._ledger, self.spent())

    @called
    def raise_budget(self, *, to: Measure | Number, who: str, why: str, promise: int = 0) -> Measure:
        """Raise a budget, at most to the ceiling that its promise was born with; never because of protected data."""
        return self._ledger.change_budget(promise, Cause.RAISE, to, who=who, why=why)

    @called
    def lower_budget(self, *, to: Measure | Number, who: str, why: str, promise: int = 0) -> Measure:
        """Lower a budget from here on; the largest that ever was in force stays what is certified."""
        return self._ledger.change_budget(promise, Cause.LOWER, to, who=who, why=why)

    def verify(self) -> Verification:
        """Audit the whole ledger from its first line."""
        return self._ledger.verify()
