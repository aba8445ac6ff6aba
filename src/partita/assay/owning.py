"""Owners who enter or are altered with all their rows, up to their cap and beyond it, or with those of one part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import final

from partita.assay.claim import Claim, Vector
from partita.assay.meaning import Codes
from partita.assay.release import Reading
from partita.assay.trials import FEW, LETTERS, Neighbours, Table, Trial, pairs
from partita.granularity import Granularity, Users

_ALTERED = 64


@final
class Owning(Neighbours):
    """So many owners (theory E14).

    On a region that is closed, which holds all rows of an owner or none, the load is claimed once an owner. Elsewhere a
    share of it is claimed for each row, so that the most rows an owner may have carry it all. Of an owner who is
    altered, a half is claimed before and a half after.
    """

    def __init__(
        self, readings: Sequence[Reading], claim: Claim, unit: Users, size: int, values: Sequence[Codes]
    ) -> None:
        super().__init__(readings, claim, unit, size, values)
        self.unit = unit
        self.per = None if unit.per is None else self.domain.axis(unit.per)
        self.closed = claim.closed(self.domain, self.fixed(unit))

    def fixed(self, unit: Granularity) -> frozenset[int]:
        assert isinstance(unit, Users)
        part = frozenset() if unit.per is None else frozenset({self.domain.axis(unit.per)})
        return frozenset(self.domain.constant) | part

    def bases(self) -> Iterator[Table]:
        yield ()
        for codes in self.values[:FEW]:
            if not all(reading.adds_up for reading in self.readings):
                yield (self.row(codes, owner=99, times=3),)
            if self.per is not None:
                other = (*codes[: self.per], 0 if codes[self.per] else 1, *codes[self.per + 1 :])
                yield (self.row(other, order=3, times=self.unit.rows),)
                yield (self.row(codes, order=3, times=self.unit.rows)._replace(within=False),)

    def beside(self, base: Table) -> Iterator[Trial]:
        values = self.values
        if self.per is not None and base:
            # Rows that would be taken for the same part come first.
            values = sorted(values, key=lambda codes: codes[self.per or 0] != base[0].codes[self.per or 0])
        if not self.unit.altered:
            for rows in self._owned(values):
                if self._legal(base, rows):
                    yield self._entered(base, (), rows)
            return
        legal = [rows for rows in islice(self._owned(values), _ALTERED) if self._legal(base, rows)]
        for place, rows in enumerate(legal):
            yield self._entered(base, (), rows)
            for other in legal[:place]:
                yield self._entered(base, other, rows)

    def _owned(self, values: list[Codes]) -> Iterator[Table]:
        """Rows of one owner: of one kind, of two, or of as many kinds as there are."""
        most, fixed = self.unit.rows, self.fixed(self.unit)
        for codes in values:
            yield (self.row(codes, times=most),)
            yield (self.row(codes),)
        for start, first in enumerate(values[:FEW]):
            several = [one for one in values[start:] if all(one[axis] == first[axis] for axis in fixed)]
            yield tuple(self.row(one, text=place, order=place) for place, one in enumerate(several[:most]))
            if self.reading.texts:
                yield tuple(self.row(first, text=place, order=place) for place in range(min(most, len(LETTERS))))
        for first, second in pairs(values):
            if first != second:
                for few in sorted({1, most // 2, most - 1} - {0, most}):
                    yield self.row(first, times=few), self.row(second, order=1, times=most - few)
                yield self.row(first, times=most), self.row(second, text=1, order=1)

    def _legal(self, base: Table, rows: Table) -> bool:
        """Whether these are all rows of one protected part of the owner."""
        if self.per is None:
            return True
        parts = {row.codes[self.per] for row in rows}
        same = (row for row in base if row.owner == 1 and row.within and row.codes[self.per] in parts)
        return len(parts) == 1 and next(same, None) is None

    def _entered(self, base: Table, old: Table, new: Table) -> Trial:
        before, after = list(base), list(base)
        for owner in range(1, self.size + 1):
            before += [row._replace(owner=owner) for row in old]
            after += [row._replace(owner=owner) for row in new]
        # So many owners alike: the mean of what is claimed for each of them.
        return Trial(tuple(before), tuple(after), self._claimed(old, new))

    def _claimed(self, old: Table, new: Table) -> Vector:
        if self.everywhere:
            return self.claim.one
        kept = [self.reading.kept(rows) for rows in (old, new)]
        sides = 2 if self.unit.altered else 1
        if self.closed:
            met = sum(any(self.claim.holds(row.codes) for row in rows) for rows in kept)
            if not self.domain.constant:
                # All that is fixed is the part that is altered, which is the same before and after.
                return self.claim.times(Fraction(min(met, 1)))
            return self.claim.times(Fraction(met, sides))
        return self.claim.summed([row for rows in kept for row in rows], Fraction(1, sides * self.unit.rows))
