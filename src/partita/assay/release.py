"""What is about to be released, and what it comes to on a handful of made-up rows: the reference semantics again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, final

import numpy as np

from partita.assay.meaning import Codes, Unknown, meets, place, unit, value, whole
from partita.assay.rows import Row, Texts, derived
from partita.mechanisms.base import Mechanism
from partita.query.exact.program import Different, Histogram, Owners, Present, Program, Rows, Tally, Total, Values
from partita.query.language.expressions import Expression
from partita.query.language.per_user import Gathers
from partita.region.domain import Domain

Line = tuple[Texts, tuple[int, ...]]
Numbers = dict[Line, list[int]]
Histograms = dict[tuple[Line, int], Counter[int]]


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Numbers that get noise together: each a whole combination of tallies."""

    entries: tuple[Mapping[Tally, int], ...]
    mechanism: Mechanism


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """Quantiles chosen among the values from low to high; ``away`` is minus the score of some values on a histogram."""

    of: Expression
    count: int
    low: int
    high: int
    away: Callable[[Histogram, tuple[int, ...]], Fraction]
    mechanism: Mechanism


@final
@dataclass(frozen=True, slots=True)
class Released:
    """One question as it will be run: a program, the noise of its numbers, its choices, and how keys are named.

    ``merged`` is an engine of old: where a column divides owners, it took what is only read as a value for that value.
    """

    program: Program
    parts: tuple[Part, ...]
    choices: tuple[Choice, ...] = ()
    selection: Mechanism | None = None
    merged: bool = False


class Seen(NamedTuple):
    """What one row adds where it is counted: to each number, and to each histogram; whether its group is listed."""

    cell: tuple[int, ...]
    numbers: tuple[int, ...]
    values: tuple[int | None, ...]
    listed: bool


@final
@dataclass(slots=True)
class Outcome:
    """Exact numbers, histograms and people, line by line: what noise is added to, and what is chosen by."""

    numbers: Numbers = field(default_factory=dict)
    owners: dict[Line, set[int | None]] = field(default_factory=dict)
    different: dict[tuple[Line, int], set[object]] = field(default_factory=dict)
    histograms: Histograms = field(default_factory=dict)
    people: dict[Texts, list[int | None]] = field(default_factory=dict)


@final
class Reading:
    """One question, ready to be tried on rows."""

    def __init__(self, released: Released) -> None:
        self.released = released
        self.program = program = released.program
        self.domain = program.table.domain
        self.truncation = program.truncation
        self.per_user = program.per_user
        self._meets = meets(program.where, self.domain)
        counted = self.domain if self.per_user is None else self.per_user.table.domain
        self._counted = self._meets if self.per_user is None else meets(self.per_user.where, counted)
        self._places = [place(key, counted) for key in program.cells.keys]
        self._cells = None if program.cells.kept is None else program.cells.position
        self._allowed = [frozenset(places) for places in program.cells.places]
        linear = [tally for tally in program.tallies if not isinstance(tally, Values | Owners | Different)]
        self._tallies = [_tally(tally, counted) for tally in linear]
        at = {tally: position for position, tally in enumerate(linear)}
        entries = [entry for part in released.parts for entry in part.entries]
        self._weights = [[(at[one], times) for one, times in entry.items() if one in at] for entry in entries]
        kinds = [tally for tally in program.tallies if isinstance(tally, Different)]
        self._kinds = [(_held(one, program, counted), [entry.get(one, 0) for entry in entries]) for one in kinds]
        if kinds and program.opened:
            raise Unknown("different values beside open keys")
        self.per_owner = [entry.get(Owners(), 0) for entry in entries]
        self._chosen = [(value(one.of, counted), unit(one.of, counted)) for one in released.choices]
        names = [name for name, column in program.table.columns.items() if column.kind == "text_keys"]
        self._opened = [names.index(key.column) for key in program.opened]
        self.texts = len(names)
        self._derived = None if self.per_user is None else derived(self.per_user, self.domain)
        self._seen: dict[Codes, Seen | None] = {}

    @property
    def adds_up(self) -> bool:
        """Whether an owner's rows add up with those of others, so that what others have does not matter."""
        return not (self._opened or self._chosen or self._kinds)

    @property
    def linear(self) -> bool:
        """Whether rows add up, each by itself, so that what else is in the table does not matter."""
        return self.adds_up and not (self.truncation or self.per_user or Owners() in self.program.tallies)

    def seen(self, codes: Codes) -> Seen | None:
        """What a row that is counted adds, or None if it is not counted; of rows gathered by owner, a derived one."""
        if codes not in self._seen:
            self._seen[codes] = self._look(codes) if self._counted(codes) else None
        return self._seen[codes]

    def _look(self, codes: Codes) -> Seen:
        cell = tuple(place(codes) for place in self._places)
        tallies = [tally(codes) for tally in self._tallies]
        return Seen(
            cell,
            tuple(sum(times * tallies[at] for at, times in entry) for entry in self._weights),
            tuple(whole(of(codes), grain) for of, grain in self._chosen),
            all(at in allowed for at, allowed in zip(cell, self._allowed, strict=True))
            and (self._cells is None or cell in self._cells),
        )

    def to_reach(self, end: tuple[str, int], codes: Codes) -> int:
        """How many rows of a kind bring a derived column, a count or a sum, to a code of its own; 0 if none do."""
        assert self.per_user is not None
        (column,) = (one for one in self.per_user.columns if one.name == end[0])
        target = column.bounds.low + end[1]
        if column.gathers in (Gathers.ROWS, Gathers.PRESENT):
            return target
        if column.gathers is not Gathers.TOTAL or column.of is None:
            return 0
        each = whole(value(column.of, self.domain)(codes), unit(column.of, self.domain))
        return target // each if each else 0

    def group(self, row: Row) -> Line:
        """The line that a counted row falls into."""
        seen = self.seen(row.codes)
        assert seen is not None
        return tuple(row.texts[at] for at in self._opened), seen.cell

    def kept(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that the fixed truncation keeps, whatever is asked (theory E14)."""
        if self.truncation is None:
            return list(rows)
        return self._first(rows, self.truncation.rows)

    def _first(self, rows: Iterable[Row], most: int) -> list[Row]:
        assert self.truncation is not None
        per = None if self.truncation.per is None else self.domain.axis(self.truncation.per)
        owned: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            if row.owner is not None and (per is None or row.within or self.released.merged):
                owned.setdefault((row.owner, 0 if per is None else row.codes[per]), []).append(row)
        found: list[Row] = []
        for mine in owned.values():
            mine.sort(key=lambda row: row.order)
            fixed = [mine[0].codes[axis] for axis in self.domain.constant]
            left = most
            for row in mine:
                if left and [row.codes[axis] for axis in self.domain.constant] == fixed:
                    found.append(row if row.times <= left else row._replace(times=left))
                    left -= found[-1].times
        return found

    def counted(self, rows: Sequence[Row]) -> list[Row]:
        """The stored rows that the question uses: kept, meeting its condition, and within its caps."""
        found = [row for row in self.kept(rows) if self._meets(row.codes)]
        cap = self.truncation
        if cap is not None and cap.groups is not None:
            per = None if cap.per is None else self.domain.axis(cap.per)
            groups: dict[tuple[int | None, int], set[Line]] = {}
            for row in found:
                groups.setdefault((row.owner, 0 if per is None else row.codes[per]), set()).add(self.group(row))
            few = {owner: sorted(mine, key=str)[: cap.groups] for owner, mine in groups.items()}
            found = [row for row in found if self.group(row) in few[row.owner, 0 if per is None else row.codes[per]]]
        if cap is not None and cap.each is not None:
            lines: dict[Line, list[Row]] = {}
            for row in found:
                lines.setdefault(self.group(row), []).append(row)
            found = [row for mine in lines.values() for row in self._first(mine, cap.each)]
        if cap is not None and cap.inside is not None:
            found = self._first(found, cap.inside)
        return found

    def outcome(self, rows: Sequence[Row]) -> Outcome:
        """Everything exact about some rows."""
        found = Outcome()
        counted = self.counted(rows)
        if self._derived is not None:
            counted = [row for row in self._derived(counted) if self._counted(row.codes)]
        for row in counted:
            seen = self.seen(row.codes)
            assert seen is not None
            if not seen.listed:
                raise Unlisted(row)
            line = (tuple([row.texts[at] for at in self._opened]), seen.cell)
            mine = found.numbers.get(line)
            if mine is None:
                mine = found.numbers[line] = [0] * len(seen.numbers)
            for at, number in enumerate(seen.numbers):
                mine[at] += row.times * number
            if row.owner is not None:
                found.owners.setdefault(line, set()).add(row.owner)
            for at, (held, _) in enumerate(self._kinds):
                if (kind := held(row)) is not None:
                    found.different.setdefault((line, at), set()).add(kind)
            for at, chosen in enumerate(seen.values):
                if chosen is not None:
                    found.histograms.setdefault((line, at), Counter())[chosen] += row.times
            if self._opened and None not in line[0]:
                found.people.setdefault(line[0], []).extend([row.owner] * row.times)
        return found

    def namings(self, outcomes: Sequence[Outcome]) -> Iterator[frozenset[Texts] | None]:
        """Which open keys may be named: all of them, none, or some; None where there are no open keys."""
        if not self._opened:
            yield None
            return
        keys = sorted({key for one in outcomes for key in one.people})
        for count in range(len(keys) + 1):
            for some in combinations(keys, count):
                yield frozenset(some)

    def lines(self, outcome: Outcome, named: frozenset[Texts] | None) -> tuple[Numbers, Histograms]:
        """The numbers and histograms of each line that is released; keys that are not named share one line."""
        rest = Owners() not in self.program.tallies
        numbers: Numbers = {}
        histograms: Histograms = {}
        for line, mine in outcome.numbers.items():
            shown = line if named is None or line[0] in named else ((None,) * len(self._opened), line[1])
            if shown is not line and not rest:
                continue
            owners = len(outcome.owners.get(line, ()))
            before = numbers.get(shown, [0] * len(mine))
            parts = zip(before, mine, self.per_owner, strict=True)
            numbers[shown] = [so_far + number + times * owners for so_far, number, times in parts]
            for at, (_, times) in enumerate(self._kinds):
                kinds = len(outcome.different.get((line, at), ()))
                numbers[shown] = [number + one * kinds for number, one in zip(numbers[shown], times, strict=True)]
            for at in range(len(self._chosen)):
                if (line, at) in outcome.histograms:
                    histograms.setdefault((shown, at), Counter()).update(outcome.histograms[line, at])
        return numbers, histograms

    def crowd(self, outcome: Outcome) -> dict[Texts, int]:
        """How many people have each open key: owners where owners are protected, else rows."""
        whole = isinstance(self.program.people, Owners)
        return {key: len(set(owners) if whole else owners) for key, owners in outcome.people.items()}


@final
class Unlisted(Exception):
    """A row can fall into a group that the program does not list: an engine could not count it."""

    def __init__(self, row: Row) -> None:
        super().__init__(f"the row {row.codes} falls into no listed group")


def histogram(times: Mapping[int, int]) -> Histogram:
    """Counted values as the engine hands them over."""
    values = sorted(times)
    return Histogram(np.array(values, dtype=np.int64), np.array([times[one] for one in values], dtype=np.int64))


def _held(different: Different, program: Program, domain: Domain) -> Callable[[Row], object]:
    """What a row has of a column whose values are told apart, or None if it has nothing, or is left out."""
    among = None if different.among is None else meets(different.among, domain)
    names = [name for name, column in program.table.columns.items() if column.kind == "text_keys"]
    if program.per_user is None and different.column in names:
        at = names.index(different.column)
        return lambda row: row.texts[at] if among is None or among(row.codes) else None
    axis = domain.axis(different.column)
    null = domain.bounded[axis].null
    return lambda row: row.codes[axis] if row.codes[axis] != null and (among is None or among(row.codes)) else None


def _tally(tally: Tally, domain: Domain) -> Callable[[Codes], int]:
    """What one row adds to a tally."""
    match tally:
        case Rows():
            return lambda _: 1
        case Present(of):
            known = value(of, domain)
            return lambda codes: 0 if known(codes) is None else 1
        case Total(of):
            amount, grain = value(of, domain), unit(of, domain)
            return lambda codes: whole(amount(codes), grain) or 0
        case _:
            raise AssertionError
