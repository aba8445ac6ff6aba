"""A claim: what is about to be booked under one promise, as plain data, and what it says about given rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from partita.assay.meaning import Boxes, Codes, holding
from partita.assay.rows import Row
from partita.granularity import Granularity
from partita.region.domain import Domain
from partita.theory.measures.base import Measure

Vector = tuple[Fraction, ...]


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The boxes that will be booked, widened or not, and the amounts (theory E10, E11, E24).

    ``one`` is the load of every value inside; for a change of a row, the amount where one of its two values is inside,
    ``substitution`` where both are, ``same`` where they are equal and inside.
    """

    granularity: Granularity
    measure: type[Measure]
    boxes: Boxes
    one: Vector
    substitution: Vector
    same: Vector
    _inside: dict[Codes, bool] = field(default_factory=dict, init=False, repr=False, compare=False)
    _prepared: list[Callable[[Codes], bool]] = field(default_factory=list, init=False, repr=False, compare=False)
    _shares: dict[Fraction, Vector] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, codes: Codes) -> bool:
        """Whether a value is charged."""
        if codes not in self._inside:
            if not self._prepared:
                self._prepared.append(holding(self.boxes))
            self._inside[codes] = self._prepared[0](codes)
        return self._inside[codes]

    @property
    def nothing(self) -> Vector:
        """No loss."""
        return tuple(Fraction(0) for _ in self.one)

    def summed(self, rows: Sequence[Row], share: Fraction) -> Vector:
        """A share of the loads of some rows together."""
        count = sum(row.times for row in rows if self.holds(row.codes))
        return self.times(count * share)

    def times(self, share: Fraction) -> Vector:
        """A share of the load of one value."""
        if share not in self._shares:
            self._shares[share] = tuple(share * part for part in self.one)
        return self._shares[share]

    def changed(self, old: Row | None, new: Row | None) -> Vector:
        """The amount of a row that becomes another one; None is a row that was not there, or is not any more."""
        held = [row for row in (old, new) if row is not None and self.holds(row.codes)]
        if not held:
            return self.nothing
        if old is None or new is None:
            # Whatever a missing row is taken for: the account has room for the lesser of the two.
            return tuple(map(min, self.one, self.substitution))
        if len(held) == 1:
            return self.one
        # The code of a made-up text stands behind those of the columns, and is no part of a record's value.
        axes = len(self.boxes[0])
        return self.same if old.codes[:axes] == new.codes[:axes] else self.substitution

    def closed(self, domain: Domain, fixed: frozenset[int]) -> bool:
        """Whether all rows of one owner, who agree on the fixed axes, are inside as soon as one is."""
        full = [((0, size),) for size in domain.shape]
        return all(along == full[axis] or axis in fixed for box in self.boxes for axis, along in enumerate(box))
