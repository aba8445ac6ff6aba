"""One row changed: the size of the table is public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Replace(Granularity):
    """Neighbours have the same size and differ in the value of one row (theory A2).

    A change is a removal and an addition, so it is two steps of add/remove. The reverse has no guarantee: printing
    the number of rows is perfectly private here and discloses a row that comes or goes (theory A9b).

    >>> replace().made_of(Rows())
    2
    """

    kind: ClassVar[str] = "replace"

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE_ONE

    def made_of(self, source: Granularity) -> int | None:
        if source == self:
            return 1
        return 2 if isinstance(source, Rows) else None

    @property
    def named(self) -> str:
        return "one row"

    def __str__(self) -> str:
        return "the value of one row, with the number of rows public"


def replace() -> Replace:
    """Protect the value of each row; how many rows there are is public.

    >>> print(replace())
    the value of one row, with the number of rows public
    """
    return Replace()
