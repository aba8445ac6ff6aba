"""Users: all rows of one owner, or of one owner in one day (user-days), of which the projection keeps so many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.calls import called
from partita.errors import granularity as refuse
from partita.exact import whole
from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Users(Granularity):
    """Neighbours differ in all rows of one owner, at most ``rows`` of them (theory A4, A5).

    ``per`` names a column that divides an owner into parts protected one by one (a day: user-days). A part is all rows
    of an owner whose stored value is read as one and the same declared value: all times of one day, all numbers that
    are rounded to one step, all spellings of yes. Rows whose stored value is none of the declared ones (out of range,
    unlisted, missing, unreadable) are in no part and are left out of every question: the projection would merge them
    with a part that they do not belong to (theory A4a).
    ``in_region`` is the most rows of an owner that any one region may hold; it is enforced with the truncation.
    ``altered`` makes the relation "replace the owner's rows by any others, or by none".

    >>> users("patient", rows=3).made_of(Rows())
    3
    """

    kind: ClassVar[str] = "users"
    column: str
    rows: int
    per: str | None = None
    in_region: int | None = None
    altered: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise refuse.no_owner_column(self.column)
        object.__setattr__(self, "rows", whole(self.rows, "rows", least=1))
        if self.per is not None and (not isinstance(self.per, str) or not self.per):
            raise refuse.no_part_column(self.per)
        if not isinstance(self.altered, bool):
            raise refuse.not_a_switch("altered", self.altered)
        if self.in_region is not None:
            object.__setattr__(self, "in_region", min(self.rows, whole(self.in_region, "in_region", least=1)))

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE_ONE if self.altered else Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        factor = 2 if self.altered else 1
        match source:
            case Rows():
                return factor * self.rows
            case Users() if self._within(source):
                return 1 if source.altered else factor
            case _:
                return None

    def _within(self, other: Users) -> bool:
        """Whether every owner of this relation is an owner of the other, whose caps are no lower."""
        same = (self.column, self.per) == (other.column, other.per) and self.rows <= other.rows
        return same and (self.in_region or self.rows) <= (other.in_region or other.rows)

    def makes(self, target: Granularity) -> int | None:
        """A row of a user's stream: remove the user and add her again altered, so two steps (theory A9a)."""
        if isinstance(target, Rows):
            return 1 if self.altered else 2
        return None

    @property
    def named(self) -> str:
        return f"one {self.column}" if self.per is None else f"one {self.column} during one {self.per}"

    def __str__(self) -> str:
        rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return f"{self.named} with at most {rows}, {'altered in any way' if self.altered else 'added or removed'}"


@called
def users(
    column: str, *, rows: int, per: str | None = None, in_region: int | None = None, altered: bool = False
) -> Users:
    """Protect each owner named in the column, with at most so many rows.

    >>> print(users("patient", rows=3))
    one patient with at most 3 rows, added or removed
    >>> print(users("patient", rows=3, per="day"))
    one patient during one day with at most 3 rows, added or removed
    """
    return Users(column, rows, per, in_region, altered)
