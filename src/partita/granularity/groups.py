"""Groups: up to k steps of another relation at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.errors import granularity as refuse
from partita.exact import whole
from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Groups(Granularity):
    """Neighbours are at most k steps of the inner relation apart (theory A3).

    >>> groups(4).made_of(Rows())
    4
    """

    kind: ClassVar[str] = "groups"
    size: int
    of: Granularity

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", whole(self.size, "group size", least=1))
        if not isinstance(self.of, Granularity):
            raise refuse.not_a_granularity("of", self.of)

    @property
    def relation(self) -> Relation:
        return self.of.relation

    @property
    def single(self) -> Granularity:
        return self.of.single

    def made_of(self, source: Granularity) -> int | None:
        if isinstance(source, Groups) and source.of == self.of:
            return -(-self.size // source.size)
        inner = self.of.made_of(source)
        return None if inner is None else self.size * inner

    def makes(self, target: Granularity) -> int | None:
        inner = target.made_of(self.of)
        if inner is None:
            inner = self.of.makes(target)
        return None if inner is None else -(-inner // self.size)

    @property
    def named(self) -> str:
        return f"a group of {self.size} (each of them {self.of.named})"

    def __str__(self) -> str:
        return f"any {self.size} at once of: {self.of}"


def groups(size: int, of: Granularity | None = None) -> Groups:
    """Protect any group of so many: a family, a firm.

    >>> print(groups(4))
    any 4 at once of: one row, added or removed
    """
    return Groups(size, Rows() if of is None else of)
