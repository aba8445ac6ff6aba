"""Rows that change: each becomes any other row, one of equal declared values, or one that is near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import final

from partita.assay.claim import Claim
from partita.assay.meaning import TEXTS, Codes
from partita.assay.release import Reading
from partita.assay.rows import Row
from partita.assay.trials import Neighbours, Table, Trial, pairs
from partita.granularity import Granularity, Metric, Replace
from partita.region.columns.stepped import Stepped


@final
class Changing(Neighbours):
    """So many changes of rows (theory E11), between equal declared values too (E11a), or of one column a bit (A8)."""

    def __init__(
        self, readings: Sequence[Reading], claim: Claim, unit: Replace | Metric, size: int, values: Sequence[Codes]
    ) -> None:
        super().__init__(readings, claim, unit, size, values)
        self.unit = unit

    def fixed(self, unit: Granularity) -> frozenset[int]:
        return frozenset({self.domain.axis(unit.column)}) if isinstance(unit, Metric) else frozenset()

    def beside(self, base: Table) -> Iterator[Trial]:
        if isinstance(self.unit, Metric):
            for near, new in self._near(self.unit):
                yield self._altered(base, [(self.row(near), self.row(new))] * self.size)
            return
        for first, second in self._other_texts():
            yield self._altered(base, [(self.row(first), self.row(second))] * self.size)
        for first, second in pairs(self.values):
            for one, other in self._twins(first, second):
                yield self._altered(base, [(one, other)] * self.size)
        if self.size > 1:
            for (first, second), (third, fourth) in zip(pairs(self.values), pairs(self.values[::-1]), strict=True):
                some = [(self.row(first), self.row(second)), (self.row(third, 2), self.row(fourth, 2))]
                yield self._altered(base, [some[place % 2] for place in range(self.size)])

    def _other_texts(self) -> Iterator[tuple[Codes, Codes]]:
        """Records of equal declared values of which conditions on open text say different things (theory E11a)."""
        for codes in self.values:
            if len(codes) > len(self.domain.shape):
                for text in range(TEXTS):
                    if text != codes[-1]:
                        yield codes, (*codes[:-1], text)

    def _twins(self, first: Codes, second: Codes) -> Iterator[tuple[Row, Row]]:
        """A row and what it becomes: of the same owner or of another, with the same text or with another."""
        if first != second:
            yield self.row(first), self.row(second)
        if self.linear:
            return
        if first != second:
            yield self.row(second), self.row(first)
        yield self.row(first), self.row(second, owner=2)
        yield self.row(first, owner=2), self.row(second)
        if self.reading.texts:
            yield self.row(first), self.row(second, text=1)
            yield self.row(first, text=1), self.row(second, owner=3, text=-1)

    def _near(self, metric: Metric) -> Iterator[tuple[Codes, Codes]]:
        """Values that differ in one column by one unit, or by as little as can be."""
        axis = self.domain.axis(metric.column)
        column = self.domain.bounded[axis]
        far = int(metric.unit / (column.step if isinstance(column, Stepped) else Fraction(1)))
        last = self.domain.shape[axis] - (1 if column.null is None else 2)
        for codes in self.values:
            for off in {far, 1} if far else ():
                if codes[axis] + off <= last:
                    yield codes, (*codes[:axis], codes[axis] + off, *codes[axis + 1 :])

    def _altered(self, base: Table, changes: list[tuple[Row, Row]]) -> Trial:
        before, after = (*base, *(old for old, _ in changes)), (*base, *(new for _, new in changes))
        if self.cap is None:
            return Trial(before, after, self.mean([self.claim.changed(*change) for change in changes], self.size))
        if self.everywhere:
            return Trial(before, after, self.claim.substitution)
        # Behind a truncation for other promises: what leaves makes room, what enters takes it, and each of the two is a
        # change. The account has room for half of the two together.
        parts = [self.claim.changed(*change) for change in _by_owner(*self.moved(before, after))]
        return Trial(before, after, self.mean(parts, 2 * self.size))


def _by_owner(gone: Sequence[Row], come: Sequence[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Each row that goes with one of the same owner that comes: the same pairs whatever is released and charged."""
    for owner in dict.fromkeys(row.owner for row in (*gone, *come)):
        left, right = (
            sorted([row for row in rows if row.owner == owner for _ in range(row.times)], key=lambda row: row.codes)
            for rows in (gone, come)
        )
        yield from zip_longest(left, right)
