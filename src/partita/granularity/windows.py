"""Windows of a stream: whatever happens in w consecutive steps (user-days are users with a period)."""

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
class Windows(Granularity):
    """In each step of one window of so many, the snapshots differ by one row (theory A6).

    A row that is changed rather than added or removed costs two steps.

    >>> windows("day", width=7).made_of(Rows())
    7
    """

    kind: ClassVar[str] = "windows"
    column: str
    width: int
    changed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise refuse.no_time_column(self.column)
        object.__setattr__(self, "width", whole(self.width, "width", least=1))
        if not isinstance(self.changed, bool):
            raise refuse.not_a_switch("changed", self.changed)

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE_ONE if self.changed else Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        match source:
            case Rows():
                return (2 if self.changed else 1) * self.width
            case Windows() if source.column == self.column and (self.changed or not source.changed):
                return (2 if self.changed and not source.changed else 1) * -(-self.width // source.width)
            case _:
                return None

    def makes(self, target: Granularity) -> int | None:
        """A single row that comes or goes lies in some window; rows that only change say nothing of that."""
        return 1 if isinstance(target, Rows) and not self.changed else None

    @property
    def named(self) -> str:
        return f"one row in every step of any {self.width} consecutive {self.column}"

    def __str__(self) -> str:
        doing = "changed" if self.changed else "added or removed"
        return f"one row {doing} in every step of any {self.width} consecutive {self.column}"


@called
def windows(column: str, *, width: int, changed: bool = False) -> Windows:
    """Protect what happens within any window of so many steps of the column.

    >>> print(windows("day", width=7))
    one row added or removed in every step of any 7 consecutive day
    """
    return Windows(column, width, changed)
