"""Events: one row of one of the tables of people, whoever owns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.calls import called
from partita.errors import granularity as refuse
from partita.granularity.base import Granularity, Relation
from partita.granularity.persons import Persons
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Events(Granularity):
    """Neighbours differ in one row of a table that is there or not, or is another row of the same owner (theory I9).

    It stands beside a promise on people, behind whose fixed truncation such a row lets at most one kept row in and one
    out.

    >>> events("visits").made_of(Rows())
    2
    """

    kind: ClassVar[str] = "events"
    table: str

    def __post_init__(self) -> None:
        if not isinstance(self.table, str) or not self.table:
            raise refuse.no_event_table(self.table)

    @property
    def relation(self) -> Relation:
        return Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        """A row that is altered is one that goes and one that comes; an altered person may be this row (theory A9)."""
        if source == self:
            return 1
        if isinstance(source, Rows):
            return 2
        if isinstance(source, Persons) and self.table in source.tables:
            return 1 if source.altered else 2
        return None

    @property
    def named(self) -> str:
        return f"one row of {self.table}"

    def __str__(self) -> str:
        return f"one row of {self.table}, added, removed or altered"


@called
def events(table: str) -> Events:
    """Protect each row of one of the people's tables, beside the people themselves.

    >>> print(events("visits"))
    one row of visits, added, removed or altered
    """
    return Events(table)
