"""A promise on single rows of one of the people's tables, as a question sees it (theory I9, event_promise.proof.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.granularity import Events, Granularity, Rows
from partita.query.language.aggregates import Count, CountRows, Sum
from partita.query.language.joined import joined_of
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.tables.schema import Table
from partita.query.tables.truncation import UNCAPPED
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure, most


@final
@dataclass(frozen=True)
class EventPromise:
    """A promise on rows of one table, beside one on people, as a question about a table sees it.

    ``granularity`` is what prices take for one such row: a row behind the truncation, so many joined rows that come or
    go, or an altered owner. Groups of rows are counted by the account.
    """

    promise: Promise
    space: PersonSpace
    table: Table
    granularity: Granularity

    @classmethod
    def of(cls, promise: Promise, space: PersonSpace, table: Table, plan: Plan | None) -> EventPromise:
        """How far one row moves what a plan computes; without a plan, what a computation reads of the table."""
        unit, joined, persons = promise.granularity.single, joined_of(table), space.persons
        assert isinstance(unit, Events)
        if joined is None:
            if plan is not None and not plan.caps:
                return cls(promise, space, table, Rows())
            # Of the row that comes and the one that goes, each changes at most so many rows of a capped question.
            plain = plan is not None and _counts(replace(plan, caps=UNCAPPED))
            moved = plan.caps.moved if plan is not None and plain else None
            most = persons.cap(table.name) if moved is None else min(moved, persons.cap(table.name))
            return cls(promise, space, table, replace(persons.in_table(table.name, most), altered=True))
        found = joined.moved(unit.table)
        if found and found <= joined.most and plan is not None and _counts(plan):
            return cls(promise, space, table, replace(persons.in_table(table.name, found), altered=False))
        return cls(promise, space, table, replace(persons.in_table(table.name, joined.most), altered=True))

    @property
    def budget(self) -> Measure:
        """The most that may ever be lost."""
        return self.promise.budget

    @property
    def read(self) -> bool:
        """Whether anything is read of the table whose rows are protected."""
        unit, joined = self.promise.granularity.single, joined_of(self.table)
        assert isinstance(unit, Events)
        return unit.table == self.table.name if joined is None else unit.table in joined.read

    @property
    def by_person(self) -> bool:
        """Whether a question must be booked for all rows of the people whom it may be about: rows of others moved."""
        return self.read and joined_of(self.table) is not None

    def cost(self, quote: Quote, place: int) -> Cost:
        """The load of a question on the people whose row it may be."""
        if not self.read:
            return Cost(self.budget.zero())
        toll = quote.tolls[place]
        if isinstance(self.granularity, Rows):
            return self._moved(toll.cost.row, quote.region)
        # Of two rows, one that comes and one that goes, one alone may be in the region: it carries half of two loads.
        return self._moved(toll.unit if self.by_person or quote.region.whole else toll.unit.times(2), quote.region)

    def of_cost(self, cost: Cost, region: Region) -> Cost:
        """The load of a computation on rows of this table: one row comes, and another may go for it."""
        if not self.read:
            return Cost(self.budget.zero())
        swapped = cost.row.group(2) if cost.substitution is None else most(cost.row, cost.substitution)
        return self._moved(most(cost.row.times(2), swapped), region)

    def _moved(self, load: Measure, region: Region) -> Cost:
        """A load that also pays for a row that is altered into another window: it goes in one and comes in the other.

        A release on one window alone meets one of the two changes, any other may meet both (theory I9, I11).
        """
        if self.space.persons.per is None:
            return Cost(load)
        return Cost(load.times(2) if self._in_one_window(region) else load.group(2))

    def _in_one_window(self, region: Region) -> bool:
        joined, per = joined_of(self.table), str(self.space.persons.per)
        column = per if joined is None else joined.window
        if column is None:
            return False
        axis = region.domain.axis(column)
        return len({code for box in region.boxes for first, last in box[axis] for code in (first, last - 1)}) <= 1


def _counts(plan: Plan) -> bool:
    """Whether a plan adds up rows, one by one, and nothing else."""
    plain = all(isinstance(one, CountRows | Count | Sum) for one in plan.aggregates)
    return plain and not (plan.per_user or plan.opened or plan.caps)
