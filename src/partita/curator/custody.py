"""What is done with rows besides asking: algorithms that run on them, rows that come in, people who are forgotten."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from partita.calls import called
from partita.curator.answers.outcome import Outcome
from partita.curator.batches.batches import Batches
from partita.curator.computations.computation import Computation
from partita.curator.computations.door import Door
from partita.curator.ingest import Growth
from partita.curator.standing import Standing
from partita.errors import curator as refuse
from partita.errors import vault as refuse_vault
from partita.ledger.birth import Terms
from partita.vault.manifest import Sealed


class Custody(Standing):
    """Algorithms behind the door of a curator, and the growth of its tables."""

    _batches: Batches
    _door: Door
    _growth: Growth
    _terms: Terms

    def run(
        self,
        computation: Computation,
        *,
        table: str | None = None,
        where: str | None = None,
        analyst: str = "",
        key: str | None = None,
    ) -> Outcome:
        """Run an algorithm on the rows that meet a condition, charged in full before anything is read.

        The same computation with the same parameters again is free.
        """
        return self._door.run(computation, self._catalogue.extract(computation, table, where), analyst=analyst, key=key)

    def admits(
        self, computation: Computation, *, table: str | None = None, where: str | None = None, analyst: str = ""
    ) -> None:
        """Refuse an algorithm that could not be paid for now; nothing is booked or read."""
        self._door.admits(computation, self._catalogue.extract(computation, table, where), analyst=analyst)

    def released(
        self, computation: Computation, *, table: str | None = None, where: str | None = None, analyst: str = ""
    ) -> bool:
        """Whether an algorithm has been run already, so that running it again is free."""
        return self._door.released(computation, self._catalogue.extract(computation, table, where), analyst=analyst)

    def open(
        self, computation: Computation, *, table: str | None = None, where: str | None = None, analyst: str = ""
    ) -> tuple[Any, Outcome]:
        """Open an interactive algorithm: the live object, and its outcome with the cost of everything it may say."""
        return self._door.open(computation, self._catalogue.extract(computation, table, where), analyst=analyst)

    # --- rows that come and go -------------------------------------------------------------------------------

    @called
    def ingest(
        self,
        table: str | Mapping[str, object],
        rows: object = None,
        *,
        batch: str | None = None,
        again: bool = False,
    ) -> Sealed:
        """Seal new rows as one batch: a frame, a list of rows or a file; questions read them from now on (theory I10).

        Rows of several tables that belong together are one batch: ``ingest({"customers": new, "orders": new})``. Of
        each owner only as many are kept as places are left, and what was kept before stays. A batch may have a name, in
        an order of its own; the same name or the very same rows are refused, these unless ``again``. Call it by the
        clock, never when so many rows have come together: one person's row would move those of all others.
        """
        if isinstance(table, Mapping) is (rows is not None):
            raise refuse_vault.no_rows_given()
        self._as_declared()
        persons = None if self._people is None else self._people.persons
        if persons is not None and persons.table is not None:
            for unit in (promise.granularity for promise in self._promises if promise.granularity is not persons):
                raise refuse_vault.events_fix_values(str(unit), persons.table)
        given = dict(table) if isinstance(table, Mapping) else {table: rows}
        for plan in list(self._batches.plans):
            plan.read()  # what is charged and was not asked for yet is about the rows that there are now
        return self._growth.ingest(given, batch, self._arrange, again=again)

    @called
    def forget(self, owner: str, value: object) -> None:
        """Erase all rows of one owner: ``forget("customer", 17)``. Whether there were any is not said.

        What was lost stays lost. A tombstone without the owner's name keeps the places that are used, and the person's
        own values, should the owner come back (theory I10).
        """
        self._as_declared()
        self._growth.forget(owner, value, self._arrange)

    def _as_declared(self) -> None:
        """Refuse to seal under a declaration that another process has migrated the ledger away from."""
        self._ledger.sealed()  # brings the book up to date
        if self._ledger.declared != self._terms:
            raise refuse.other_terms(self._ledger.name)

    @abstractmethod
    def _arrange(self, batch: int | None) -> None:
        """Answer questions about the rows of all batches up to this one."""
