"""Trials: two neighbouring tables of made-up rows, and what is claimed for the difference; what all kinds share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from partita.assay.claim import Claim, Vector
from partita.assay.meaning import Codes
from partita.assay.release import Reading
from partita.assay.rows import Row
from partita.assay.values import derived_ends
from partita.granularity import Granularity

Table = tuple[Row, ...]
LETTERS = "abcdefgh"
# How many of the values are tried as what else is in the table.
FEW = 4
# The most rows of an owner that are made up to reach a threshold.
MANY = 1000


class Trial(NamedTuple):
    """Two neighbouring tables, and what is claimed for the difference."""

    before: Table
    after: Table
    claimed: Vector


class Neighbours(ABC):
    """Neighbours of one relation, or so many steps of it apart (``size``), the most telling first."""

    def __init__(
        self, readings: Sequence[Reading], claim: Claim, unit: Granularity, size: int, values: Sequence[Codes]
    ) -> None:
        self.readings, self.claim, self.size = readings, claim, size
        self.reading = readings[0]
        self.domain = self.reading.domain
        self.linear = all(reading.linear for reading in readings)
        self.cap = self.reading.truncation
        # What every value carries is provided for any neighbours, whichever rows they differ in.
        self.everywhere = bool(claim.boxes) and claim.closed(self.domain, frozenset())
        self.values = self._ordered(values, self.fixed(unit))

    @abstractmethod
    def fixed(self, unit: Granularity) -> frozenset[int]:
        """The axes whose codes decide which rows can be neighbours."""

    @abstractmethod
    def beside(self, base: Table) -> Iterator[Trial]:
        """Neighbours that have these rows in common."""

    def trials(self) -> Iterator[Trial]:
        """All of them, those beside nothing and beside other rows by turns."""
        return by_turns(self.beside(base) for base in self.bases())

    def bases(self) -> Iterator[Table]:
        """What else is in the table: nothing if rows just add up; else other rows of the same owner, or of others."""
        yield ()
        if self.linear:
            return
        for codes, times in self._thresholds():
            yield (self.row(codes, order=5, times=times),)
            yield self.row(codes, order=5, times=times), self.row(codes, owner=2, order=5, times=times)
        full = 1 if self.cap is None else self.cap.rows
        for codes in self.values[:FEW]:
            yield (self.row(codes, owner=9, order=5, times=3),)
            yield (self.row(codes, order=5, times=full),)
        for first, second in pairs(self.values[:FEW]):
            if first != second:
                yield self.row(first, order=5), self.row(second, order=6, text=1)
                yield self.row(first, owner=9, times=3), self.row(second, owner=8, times=2)

    def _thresholds(self) -> Iterator[tuple[Codes, int]]:
        """Of rows gathered by owner: so many of a kind that something derived from them is about to change."""
        for reading in self.readings:
            if reading.per_user is None:
                continue
            for codes, at in product(self.values[:FEW], derived_ends(reading.program)):
                times = reading.to_reach(at, codes)
                if 0 < times <= MANY:
                    yield codes, times

    def row(self, codes: Codes, owner: int = 1, text: int = 0, order: int = 0, times: int = 1) -> Row:
        """Rows of an owner; a text below zero is a missing one."""
        texts = (None if text < 0 else LETTERS[text % len(LETTERS)],) * self.reading.texts
        return Row(codes, owner, texts, order, times)

    def mean(self, parts: Sequence[Vector], count: int) -> Vector:
        """The sum of some amounts over so many."""
        if count == 1 and len(parts) == 1:
            return parts[0]
        if not parts:
            return self.claim.nothing
        return tuple(sum(part, Fraction(0)) / count for part in zip(*parts, strict=True))

    def moved(self, before: Table, after: Table) -> tuple[list[Row], list[Row]]:
        """The rows that only the first, and only the second, of two truncated tables has."""
        counts: dict[Row, int] = {}
        for sign, table in ((1, after), (-1, before)):
            for row in self.reading.kept(table):
                one = row._replace(times=1)
                counts[one] = counts.get(one, 0) + sign * row.times
        return (
            [row._replace(times=-count) for row, count in counts.items() if count < 0],
            [row._replace(times=count) for row, count in counts.items() if count > 0],
        )

    def _ordered(self, values: Sequence[Codes], fixed: frozenset[int]) -> list[Codes]:
        """One of the values that are alike in all that matters, from both ends of what they add by turns."""
        kinds: dict[tuple[Any, ...], tuple[tuple[Any, ...], Codes]] = {}
        for codes in values:
            seen = [codes if reading.per_user else reading.seen(codes) for reading in self.readings]
            alike = (self.claim.holds(codes), *(codes[axis] for axis in fixed), *seen)
            if alike not in kinds:
                adds = tuple((-1,) if one is None else one if one is codes else one[1] for one in seen)
                cells = tuple(() if one is None or one is codes else one[0] for one in seen)
                kinds[alike] = ((adds, cells, codes), codes)
        rising = [codes for _, codes in sorted(kinds.values())]
        return list(dict.fromkeys(one for pair in zip(reversed(rising), rising, strict=True) for one in pair))


def by_turns(many: Iterable[Iterator[Trial]]) -> Iterator[Trial]:
    """One of each, then the next of each."""
    waiting = list(many)
    while waiting:
        left = []
        for one in waiting:
            found = next(one, None)
            if found is not None:
                yield found
                left.append(one)
        waiting = left


def pairs(codes: Sequence[Codes]) -> Iterator[tuple[Codes, Codes]]:
    """All pairs, those of the first values first."""
    for last in range(len(codes)):
        for first in range(last + 1):
            yield codes[first], codes[last]
