"""Tallies from statements: what comes back from an engine that runs SQL becomes the exact numbers of a program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.engine.base import Engine
from partita.engine.statements.statement import statement, values_statement
from partita.engine.statements.stored import Stored
from partita.query.exact.extract import Extract
from partita.query.exact.program import Cells, Histogram, Program, Values, ordered_texts


class Tallying(Engine):
    """An engine that runs one generated statement for all numbers of a program, and one for each histogram."""

    @abstractmethod
    def _of(self, program: Program | Extract) -> Stored:
        """The rows that a program is about, as they are held."""

    @abstractmethod
    def _lines(self, sql: str) -> list[tuple[Any, ...]]:
        """What a statement gives, line by line."""

    @abstractmethod
    def _counted(self, sql: str, keys: int) -> tuple[list[list[Any]], NDArray[np.int64], NDArray[np.int64]]:
        """What a statement gives, column by column: its keys, then values, and how often each of them is there."""

    def compute(self, program: Program) -> NDArray[np.object_]:
        if program.opened:
            return self._open(program)
        result = program.empty()
        self._fill(program, result, {})
        return result

    def _open(self, program: Program) -> NDArray[np.object_]:
        """The tallies of the open keys that occur, in an order that is a function of the keys alone."""
        numbers = [tally for tally in program.tallies if not isinstance(tally, Values)]
        together = not program.cells.keys
        counted = (program.people, *numbers) if together else (program.people,)
        people = replace(program, cells=Cells((), ()), tallies=counted)
        made = statement(people, self._of(program), part_of=program)
        texts, lines = len(program.opened), self._lines(made.sql)
        lines.sort(key=lambda line: ordered_texts(line[:texts]))
        whole = program.blank([line[:texts] for line in lines])
        for place, line in enumerate(lines):
            whole[place * program.cells.count : (place + 1) * program.cells.count, texts] = int(line[texts])
            if together:
                given = iter(line[texts + 1 :])
                for column, tally in enumerate(program.tallies):
                    if not isinstance(tally, Values):
                        whole[place, texts + 1 + column] = int(next(given) or 0)
        start = {line[:texts]: place * program.cells.count for place, line in enumerate(lines)}
        self._fill(program, whole[:, texts + 1 :], start, counted=together)
        return whole

    def _fill(
        self,
        program: Program,
        result: NDArray[np.object_],
        start: dict[tuple[str | None, ...], int],
        *,
        counted: bool = False,
    ) -> None:
        """The tallies, each in its column; numbers not if they were counted already."""
        numbers = [column for column, tally in enumerate(program.tallies) if not isinstance(tally, Values)]
        if numbers and not counted:
            self._count(program, result, numbers, start)
        for column, tally in enumerate(program.tallies):
            if isinstance(tally, Values):
                self._spread(program, tally, result[:, column], start)

    def _count(
        self,
        program: Program,
        result: NDArray[np.object_],
        numbers: list[int],
        start: dict[tuple[str | None, ...], int],
    ) -> None:
        """The tallies that are numbers, from one statement."""
        made = statement(program, self._of(program))
        lines = self._lines(made.sql)
        if not lines:
            return
        texts, groups = len(program.opened), len(program.opened) + len(made.places)
        columns = list(zip(*lines, strict=True))
        listed = [_places(columns[texts + place], read) for place, read in enumerate(made.places)]
        position = program.cells.position
        where = [position[places] for places in zip(*listed, strict=True)] if listed else [position[()]] * len(lines)
        if texts:
            where = [start[line[:texts]] + at for line, at in zip(lines, where, strict=True)]
        for column, values in zip(numbers, columns[groups:], strict=True):
            # By the groups that have rows: there may be many more that an open key could have.
            sums: dict[int, int] = {}
            for at, value in zip(where, values, strict=True):
                if value is not None:
                    sums[at] = sums.get(at, 0) + int(value)
            result[list(sums), column] = np.array(list(sums.values()), dtype=object)

    def _spread(
        self,
        program: Program,
        tally: Values,
        result: NDArray[np.object_],
        start: dict[tuple[str | None, ...], int],
    ) -> None:
        """The histogram of one expression in every group, from a statement of its own."""
        made = values_statement(program, tally.of, self._of(program))
        texts, keys = len(program.opened), len(made.places)
        columns, values, counts = self._counted(made.sql, texts + keys)
        groups = np.zeros(len(values), dtype=np.int64)
        if keys:
            listed = [_places(column, read) for column, read in zip(columns[texts:], made.places, strict=True)]
            position = program.cells.position
            groups = np.fromiter((position[places] for places in zip(*listed, strict=True)), np.int64, len(groups))
        if texts:
            named = zip(*columns[:texts], strict=True)
            groups = groups + np.fromiter((start[key] for key in named), np.int64, len(groups))
        order = np.lexsort((values, groups))
        groups, values, counts = groups[order], values[order], counts[order]
        # Several values of a key may be one group, and each of them has lines of its own.
        new = np.flatnonzero((np.diff(groups, prepend=-1) != 0) | (np.diff(values, prepend=0) != 0))
        groups, values, counts = groups[new], values[new], np.add.reduceat(counts, new) if len(new) else counts
        starts = np.flatnonzero(np.diff(groups, prepend=-1)).tolist()
        for first, last in pairwise([*starts, len(groups)]):
            result[groups[first]] = Histogram(values[first:last], counts[first:last])


def _places(values: Sequence[Any], read: Callable[[Any], int]) -> list[int]:
    """The places of keys as they come back; each different one is read once."""
    known = {value: read(value) for value in set(values)}
    return [known[value] for value in values]
