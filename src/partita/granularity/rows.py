"""Rows added or removed: the size of the table is secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.granularity.base import Granularity, Relation


@final
@dataclass(frozen=True, slots=True)
class Rows(Granularity):
    """Neighbours differ by one row that is there or not (theory A1).

    >>> str(rows())
    'one row, added or removed'
    """

    kind: ClassVar[str] = "rows"

    @property
    def relation(self) -> Relation:
        return Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        return 1 if source == self else None

    @property
    def named(self) -> str:
        return "one row"

    def __str__(self) -> str:
        return "one row, added or removed"


def rows() -> Rows:
    """Protect each row: adding or removing it changes little.

    >>> print(rows())
    one row, added or removed
    """
    return Rows()
