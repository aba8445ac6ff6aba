"""Rows that come or go: so many of them, or one in each step of a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import final

from partita.assay.claim import Claim
from partita.assay.meaning import Codes
from partita.assay.release import Reading
from partita.assay.rows import Row
from partita.assay.trials import Neighbours, Table, Trial, pairs
from partita.granularity import Granularity, Windows

# So many rows of a window are tried at once.
MOST_STEPS = 128


@final
class Coming(Neighbours):
    """So many rows more: all alike, or of two kinds, of one owner or of several (theory E10, A3).

    Behind a truncation that is there for other promises, a row may let another of its owner in or out: then half of
    what all rows that moved carry is claimed, for the account holds every value to the whole.
    """

    def fixed(self, unit: Granularity) -> frozenset[int]:
        return frozenset()

    def beside(self, base: Table) -> Iterator[Trial]:
        for codes in self.values:
            yield self._added(base, [self.row(codes, order=-1)] * self.size)
        if self.size > 1:
            for first, second in pairs(self.values):
                mixed = [self.row(second if place % 2 else first, 1 + place, place) for place in range(self.size)]
                yield self._added(base, mixed)
        if not self.linear:
            for codes in self.values:
                yield self._added(base, [self.row(codes, 1, place, order=9 * place) for place in range(self.size)])

    def _added(self, base: Table, rows: list[Row]) -> Trial:
        after = (*base, *rows)
        if self.cap is None:
            return Trial(base, after, self.claim.summed(rows, Fraction(1, self.size)))
        if self.everywhere:
            return Trial(base, after, self.claim.one)
        gone, come = self.moved(base, after)
        return Trial(base, after, self.claim.summed([*gone, *come], Fraction(1, 2 * self.size)))


@final
class Stepping(Neighbours):
    """One row in each of some consecutive steps enters, or changes (theory E8).

    A stored time outside the range is read as its first or last step, and a missing one as a step of its own; so the
    steps of a window may share a code, and a row may be astray.
    """

    def __init__(
        self, readings: Sequence[Reading], claim: Claim, unit: Windows, size: int, values: Sequence[Codes]
    ) -> None:
        super().__init__(readings, claim, unit, size, values)
        self.unit = unit
        self.axis = self.domain.axis(unit.column)

    def fixed(self, unit: Granularity) -> frozenset[int]:
        assert isinstance(unit, Windows)
        return frozenset({self.domain.axis(unit.column)})

    def beside(self, base: Table) -> Iterator[Trial]:
        width, last = self.unit.width, self._last
        starts = dict.fromkeys(
            start
            for codes in self.values
            for start in (codes[self.axis], codes[self.axis] - width + 1, 1 - width, last)
        )
        for first, second in pairs(self.values):
            for start, lost in product(starts, (False, True)):
                one, other = self._across(first, start, lost=lost), self._across(second, start, lost=False)
                if self.unit.changed:
                    yield self._stepped(base, one, other)
                elif first == second:
                    yield self._stepped(base, [], one)
                else:
                    mixed = [other[place] if place % 2 else row for place, row in enumerate(one)]
                    yield self._stepped(base, [], mixed)

    @property
    def _last(self) -> int:
        """The last step."""
        return self.domain.shape[self.axis] - (1 if self.domain.bounded[self.axis].null is None else 2)

    def _across(self, codes: Codes, start: int, *, lost: bool) -> list[Row]:
        """The same row in every step of a window, as the steps are read; the last one astray if it is lost.

        Of a very wide window only the first steps: fewer rows that differ are neighbours too.
        """
        steps = [min(max(start + place, 0), self._last) for place in range(min(self.unit.width, MOST_STEPS))]
        if lost:
            steps[-1] = self.domain.bounded[self.axis].code(None)
        before, after = codes[: self.axis], codes[self.axis + 1 :]
        return [self.row((*before, step, *after), 1 + place) for place, step in enumerate(steps)]

    def _stepped(self, base: Table, old: list[Row], new: list[Row]) -> Trial:
        # So many windows at once: the same rows so many times over.
        before, after = ([row._replace(times=self.size) for row in rows] for rows in (old, new))
        share = Fraction(1, self.size * (2 if self.unit.changed else 1))
        return Trial((*base, *before), (*base, *after), self.claim.summed([*before, *after], share))
