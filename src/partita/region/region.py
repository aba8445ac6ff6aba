"""A region: a set of record values, kept as a finite union of disjoint boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

from partita.effort import within_effort
from partita.errors import region as refuse
from partita.notebook import InWords
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import Codes
from partita.region.domain import Domain

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns import Column
    from partita.region.predicate import Predicate

NAMED = 8
"""Boxes of a region that a message names one by one."""


@final
@dataclass(frozen=True, eq=False)
class Region(InWords):
    """The record values a release may depend on (theory E9).

    The same object decides membership and renders the SQL condition, so that what is read and what is
    charged cannot differ.

    >>> from partita.region.columns import categories, integers
    >>> domain = Domain({"age": integers(0, 120), "sex": categories("F", "M")})
    >>> old = Region.where("age >= 65", domain)
    >>> women = Region.where("sex = 'F'", domain)
    >>> {"age": 70, "sex": "F"} in (old & women), (old & women).size
    (True, 56)
    >>> (old & women).to_sql()
    "age >= 65 AND sex = 'F'"
    """

    domain: Domain
    boxes: tuple[Box, ...]

    @classmethod
    def everything(cls, domain: Domain) -> Region:
        """All record values."""
        return cls(domain, (domain.everything,))

    @classmethod
    def nothing(cls, domain: Domain) -> Region:
        """No record value."""
        return cls(domain, ())

    @classmethod
    def of(cls, domain: Domain, boxes: Iterable[Box]) -> Region:
        """The union of boxes that may overlap; they are made disjoint."""
        return cls(domain, boxes_of.merged(boxes_of.disjoint(boxes_of.merged(list(boxes)))))

    @classmethod
    def box(cls, domain: Domain, **columns: object) -> Region:
        """One box: a pair is a range with both ends, a set or list its values, anything else one value.

        >>> from partita.region.columns import categories, integers
        >>> domain = Domain({"age": integers(0, 120), "sex": categories("F", "M")})
        >>> Region.box(domain, age=(18, 64), sex={"F", "M"}).size
        94
        """
        from partita.region import predicate

        parts = [predicate.holding(name, wanted) for name, wanted in columns.items()]
        return predicate.And(tuple(parts)).region(domain)

    @classmethod
    @within_effort
    def where(cls, condition: str | Predicate, domain: Domain | Mapping[str, Column]) -> Region:
        """The records for which a condition can be true; what cannot be understood narrows nothing.

        >>> from partita.region.columns import integers
        >>> domain = Domain({"age": integers(0, 120)})
        >>> Region.where("age > 5 AND sqrt(age) > 3", domain) == Region.where("age > 5", domain)
        True
        """
        domain = Domain.of(domain)
        if isinstance(condition, str):
            from partita.region.where import parse

            condition = parse(condition, domain)
        return condition.region(domain)

    # --- what it holds ---------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> int:
        """How many record values it holds; counted once, since regions are keys of dictionaries."""
        return sum(boxes_of.size(box) for box in self.boxes)

    @property
    def empty(self) -> bool:
        """Whether it holds no record value at all."""
        return not self.boxes

    @property
    def whole(self) -> bool:
        """Whether it holds every record value of the domain."""
        return self.boxes == (self.domain.everything,) or self.size == self.domain.size

    def __bool__(self) -> bool:
        return bool(self.boxes)

    def __contains__(self, record: Mapping[str, object]) -> bool:
        return self.holds(self.domain.codes(record))

    def holds(self, codes: tuple[int, ...]) -> bool:
        """Whether it holds the record value with these codes."""
        return any(all(codes_of.holds(axis, code) for axis, code in zip(box, codes, strict=True)) for box in self.boxes)

    def covers(self, other: Region) -> bool:
        """Whether it holds every record value of another region."""
        self._same(other)
        return not boxes_of.without(other.boxes, self.boxes)

    def meets(self, other: Region) -> bool:
        """Whether the two have a record value in common."""
        self._same(other)
        return any(boxes_of.intersection(mine, theirs) is not None for mine in self.boxes for theirs in other.boxes)

    def along(self, column: str) -> Codes:
        """The codes that occur along one column."""
        place = self.domain.axis(column)
        return codes_of.joined(interval for box in self.boxes for interval in box[place])

    def constrained(self) -> tuple[str, ...]:
        """The columns that some box narrows."""
        full = self.domain.everything
        return tuple(
            name for place, name in enumerate(self.domain.axes) if any(box[place] != full[place] for box in self.boxes)
        )

    # --- algebra ---------------------------------------------------------------------------------------------

    def __and__(self, other: Region) -> Region:
        self._same(other)
        common = (boxes_of.intersection(mine, theirs) for mine in self.boxes for theirs in other.boxes)
        return Region(self.domain, boxes_of.merged([box for box in common if box is not None]))

    def __or__(self, other: Region) -> Region:
        self._same(other)
        extra = boxes_of.without(other.boxes, self.boxes)
        return Region(self.domain, boxes_of.merged([*self.boxes, *extra]))

    def __sub__(self, other: Region) -> Region:
        self._same(other)
        return Region(self.domain, boxes_of.merged(boxes_of.without(self.boxes, other.boxes)))

    def __invert__(self) -> Region:
        return Region.everything(self.domain) - self

    def hull(self) -> Region:
        """The least single box around it: a superset."""
        box = boxes_of.hull(self.boxes)
        return self if box is None else Region(self.domain, (box,))

    def freed(self, kept: Iterable[int]) -> Region:
        """Its shadow on some axes: the records that agree on those axes with a record of the region."""
        axes = frozenset(kept)
        full = self.domain.everything
        return Region.of(
            self.domain,
            [tuple(box[j] if j in axes else full[j] for j in range(len(full))) for box in self.boxes],
        )

    def __le__(self, other: Region) -> bool:
        return other.covers(self)

    def __ge__(self, other: Region) -> bool:
        return self.covers(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Region):
            return NotImplemented
        if self.domain != other.domain:
            return False
        return self.boxes == other.boxes or (self.size == other.size and self.covers(other))

    def __hash__(self) -> int:
        return hash((self.domain, self.size))

    def _same(self, other: Region) -> None:
        if self.domain is not other.domain and self.domain != other.domain:
            raise refuse.other_domain()

    # --- SQL -------------------------------------------------------------------------------------------------

    def condition(self, table: str | None = None) -> exp.Expr:
        """The condition on the sanitised columns that is true exactly on this region, and false or NULL elsewhere."""
        from partita.region.render import condition

        return condition(self, table)

    def to_sql(self, dialect: str = "duckdb", table: str | None = None) -> str:
        """The condition as text."""
        return self.condition(table).sql(dialect=dialect)

    def __str__(self) -> str:
        return "nothing" if self.empty else "everything" if self.whole else self.to_sql()

    @property
    def named(self) -> str:
        """The region as a message names it: with many boxes, by how many there are and what is around them.

        >>> from partita.region.columns import integers
        >>> domain = Domain({"a": integers(0, 9), "b": integers(0, 9)})
        >>> Region.of(domain, [(((code, code + 1),), ((code, code + 1),)) for code in range(10)]).named
        '10 parts of NOT a IS NULL AND NOT b IS NULL'
        """
        return str(self) if len(self.boxes) <= NAMED else f"{len(self.boxes)} parts of {self.hull()}"

    def __repr__(self) -> str:
        return f"Region({len(self.boxes)} boxes, {self.size} of {self.domain.size} record values)"
