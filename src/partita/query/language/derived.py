"""Derived tables of people: rows computed from the kept rows of one owner, gathered, ranked or chosen, with a cap."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import final

from partita.query.language.conditions import Condition
from partita.query.language.per_user import PerUser
from partita.query.tables.schema import Table
from partita.region.columns import Bounded


@final
@unique
class Within(Enum):
    """What is computed for a row from the rows of its owner, in their order or over all of them."""

    NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    EARLIER = "LAG"
    LATER = "LEAD"
    FIRST = "FIRST_VALUE"
    ROWS = "COUNT(*)"
    PRESENT = "COUNT"
    TOTAL = "SUM"
    LEAST = "MIN"
    GREATEST = "MAX"

    @property
    def one_by_one(self) -> bool:
        """Whether rows that are equal in what is ordered by have to be told apart: by all their other values."""
        return self in (Within.NUMBER, Within.EARLIER, Within.LATER, Within.FIRST)


@final
@dataclass(frozen=True, slots=True)
class Order:
    """One column that rows are ordered by, and where those without a value stand."""

    column: str
    descending: bool = False
    nulls_first: bool = False


@final
@dataclass(frozen=True, slots=True)
class WindowColumn:
    """A column beside the others: computed from the rows of the same owner, and of the same ``keys``.

    ``declared`` is what it may hold; ``steps`` is how many rows before or after are meant.
    """

    name: str
    within: Within
    of: str | None
    keys: tuple[str, ...]
    order: tuple[Order, ...]
    declared: Bounded
    steps: int = 1


@final
@dataclass(frozen=True, eq=False)
class Derived:
    """A table of rows that are functions of one owner's kept rows, at most ``cap`` of an owner (derived.proof.md).

    ``base`` is a table of people or a joined one, of whose rows those count that meet ``where``. With ``per_user`` they
    are gathered by owner, and by the keys ``linked``, which lead to that owner; else they stay as they are, with window
    columns beside them. ``columns`` are the shown names and what they stand for; ``kept`` is a condition on derived
    rows, over ``inside``, which declares all that is computed.
    """

    base: Table
    where: Condition
    per_user: PerUser | None
    linked: tuple[str, ...]
    windows: tuple[WindowColumn, ...]
    columns: tuple[tuple[str, str], ...]
    inside: Table
    kept: Condition | None
    table: Table
    cap: int
    written: str

    def canonical(self) -> str:
        """What is computed, in its one normal form."""
        from partita.query.language.joined import joined_of
        from partita.query.language.text import shown_condition

        joined = joined_of(self.base)
        listed = [
            f"table {self.base.name} {self.base.version}",
            *(() if joined is None else (joined.canonical(),)),
            f"where {shown_condition(self.where)}",
            *(() if self.per_user is None else (self.per_user.canonical(),)),
            *(() if not self.linked else (f"for each {self.linked!r}",)),
            *(repr((one.within.value, one.of, one.keys, one.order, one.steps, one.name)) for one in self.windows),
            *(f"{shown} is {inner}" for shown, inner in self.columns),
            *(() if self.kept is None else (f"kept {shown_condition(self.kept)}",)),
            f"at most {self.cap}",
        ]
        return f"{self.table.name}: [{'; '.join(listed)}]"


__all__ = ["Derived", "Order", "WindowColumn", "Within"]
