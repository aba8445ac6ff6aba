"""When a new declaration refines an old one: the public map from new codes to old ones, and preimages under it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from partita.errors import refinement as words
from partita.region.box import Box
from partita.region.codemap import CodeMap
from partita.region.columns import Bounded, Categories, Column
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.region import Region


@final
@dataclass(frozen=True, slots=True)
class Change:
    """One column of two declarations that differs, and why the new one is no refinement; "" where it is one."""

    column: str
    why: str

    @property
    def refines(self) -> bool:
        """Whether the old value of the column follows from the new one."""
        return not self.why


@final
@dataclass(frozen=True, slots=True)
class Refinement:
    """The map pi from the record values of a new domain onto those of an old one (theory I12, refinement.proof.md).

    Whatever is stored in a row, its old record value is pi of its new one, so that every release about old values is
    one about new values on the preimage of its region.

    >>> from partita.region.columns import categories, integers
    >>> old = Domain({"age": integers(0, 100)})
    >>> new = Domain({"sex": categories("F", "M"), "age": integers(0, 150)})
    >>> pi = Refinement.of(old, new)
    >>> str(pi.region(Region.where("age = 100", old)))
    'age >= 100'
    >>> pi.codes(new.codes({"sex": "F", "age": 120})) == old.codes({"age": 120})
    True
    """

    old: Domain
    new: Domain
    maps: tuple[tuple[int, CodeMap] | None, ...]
    """For each new axis the old axis that it tells, and how; None for an axis that was not there."""

    @classmethod
    def of(cls, old: Domain, new: Domain) -> Refinement | None:
        """The refinement of one domain by another, or None if it is none."""
        if any(not change.refines for change in changes(old, new)):
            return None
        found: list[tuple[int, CodeMap] | None] = []
        for name, column in zip(new.axes, new.bounded, strict=True):
            before = old.columns.get(name)
            told = None if before is None else column.onto(before)
            found.append((old.axes.index(name), told) if isinstance(told, CodeMap) else None)
        return cls(old, new, tuple(found))

    def codes(self, record: tuple[int, ...]) -> tuple[int, ...]:
        """The old record value that a new one tells."""
        found = [0] * len(self.old.axes)
        for code, told in zip(record, self.maps, strict=True):
            if told is not None:
                found[told[0]] = told[1].of(code)
        return tuple(found)

    def boxes(self, boxes: Iterable[Box]) -> tuple[Box, ...]:
        """The new record values whose old one lies in disjoint boxes, as disjoint boxes."""
        full = self.new.everything
        return tuple(
            tuple(
                whole if told is None else told[1].preimage(box[told[0]])
                for told, whole in zip(self.maps, full, strict=True)
            )
            for box in boxes
        )

    def region(self, region: Region) -> Region:
        """The preimage of a region: exact, and never read again from text."""
        return Region(self.new, self.boxes(region.boxes))


def stands(old: Column, new: Column) -> bool:
    """Whether every sanitised value of a column is one of the new column as it stands, and tells itself.

    Then rows that were sanitised before are rows of the new declaration, and no row is read anew.
    """
    if old.describe() == new.describe():
        return True
    if not isinstance(old, Bounded) or not isinstance(new, Bounded):
        return False
    pi = new.onto(old)
    if isinstance(pi, str):
        return False
    if isinstance(old, Stepped) and isinstance(new, Stepped):
        # Units of another step are other numbers.
        return old.step == new.step
    return all(pi.of(new.code(value)) == code and new.value(new.code(value)) == value for code, value in _listed(old))


def _listed(column: Bounded) -> Iterator[tuple[int, object]]:
    """The values of a column of names, or the ends of one of numbers or days."""
    codes = range(column.size) if isinstance(column, Categories) else {0, column.size - 1, column.values[-1][1] - 1}
    return ((code, column.value(code)) for code in codes)


def changes(old: Domain, new: Domain) -> Iterator[Change]:
    """The columns that differ between two declarations of a table, and for each whether it is refined."""
    for name, before in old.columns.items():
        after = new.columns.get(name)
        if after is None:
            yield Change(name, words.column_gone())
        elif before.describe() != after.describe():
            told = after.onto(before) if isinstance(after, Bounded) else words.unproven(after.kind)
            yield Change(name, told if isinstance(told, str) else "")
    for name in new.columns:
        if name not in old.columns:
            yield Change(name, "")
