"""The reference engine: plain Python, row by row, slow and obvious; every other engine must agree with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import ClassVar, assert_never, final

import numpy as np
from numpy.typing import NDArray

from partita.engine.base import Engine
from partita.engine.log import log
from partita.engine.plain.meaning import evaluate, meets
from partita.engine.plain.rows import Row, rows_of
from partita.engine.plain.words import UNTOLD, Told, said
from partita.engine.sources.frames import kept_text, plain_text
from partita.engine.statements.fixing import fixed_numbers
from partita.errors import PartitaError
from partita.errors.query import tables as refuse
from partita.query.exact.extract import Extract
from partita.query.exact.program import (
    Cells,
    Different,
    Histogram,
    Owners,
    Present,
    Program,
    Rows,
    Total,
    Values,
    ordered_texts,
)
from partita.query.language import keys
from partita.query.language.conditions import Condition
from partita.query.language.expressions import (
    bounds,
)
from partita.query.language.joined import joined_of
from partita.query.language.per_user import FINER, Gathers, PerUser, PerUserColumn
from partita.query.tables.people import People
from partita.query.tables.schema import Table, texts
from partita.query.tables.truncation import Truncation
from partita.region.columns import Bounded
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain

Group = tuple[str | None, ...]


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A row after the sanitising projection: one code for each axis, its owner, and its open texts."""

    codes: tuple[int, ...]
    owner: object
    texts: tuple[str | None, ...] = ()

    def told(self, names: Sequence[str]) -> Told:
        """The open texts by the names of their columns."""
        return dict(zip(names, self.texts, strict=True)) if names else UNTOLD


@final
class Reference(Engine):
    """Reads all rows, maps each into the public domain, and adds up."""

    kind: ClassVar[str] = "reference"

    def __init__(self, tables: Iterable[Table], people: People | None = None, key: str = "") -> None:
        self._rows: dict[str, list[Row]] = {}
        self._kept: dict[str, list[Record]] | None = None
        super().__init__(tables, people, key)

    def attach(self, table: Table) -> None:
        """Read the rows once, and map each: one that cannot be mapped would fail the questions that meet it."""
        rows = rows_of(table)
        try:
            for row in rows:
                record(table, row)
        except PartitaError:
            raise
        except Exception:
            log.exception("A row of %s cannot be read.", table.name)
        else:
            self._rows[table.name] = rows
            return
        raise refuse.unreadable_source(table.name)

    def keep(self, people: People, key: str) -> None:
        from partita.engine.plain.joins import kept_rows

        self._kept = kept_rows(people, key, self._rows)

    def fixed(self, truncations: Mapping[str, Truncation | None], key: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, cap in truncations.items():
            if cap is not None:
                table = self.tables[name]
                kept = sanitised(table, cap.fixed, self._rows[name]) if self._kept is None else self._kept[name]
                rows = ((row.codes, row.texts, plain_text(row.owner)) for row in kept)
                found[name] = str(fixed_numbers(table, rows, key))
        return found

    def compute(self, program: Program) -> NDArray[np.object_]:
        return _tallied(program, self._records(program))

    def extract(self, extract: Extract) -> NDArray[np.int64]:
        return _extracted(extract, self._records(extract))

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The same code, on no rows."""
        return _tallied(program, []) if isinstance(program, Program) else _extracted(program, [])

    def _records(self, program: Program | Extract) -> list[Record]:
        """The sanitised rows of a table, or of a join, after the fixed truncation."""
        table, cap = program.table, program.truncation
        if self._kept is None:
            return sanitised(table, cap, self._rows[table.name])
        from partita.engine.plain.joins import joined_rows

        joined = joined_of(table)
        found = self._kept[table.name] if joined is None else joined_rows(joined, self._kept)
        return found if cap is None or cap.kept else truncated(found, cap, table.domain)

    def close(self) -> None:
        """There is nothing to let go of."""


def tallied(program: Program, rows: Iterable[Row]) -> NDArray[np.object_]:
    """The exact tallies of a program over rows as they are stored."""
    return _tallied(program, sanitised(program.table, program.truncation, rows))


def _tallied(program: Program, rows: list[Record]) -> NDArray[np.object_]:
    """The exact tallies of a program over the rows that the fixed truncation leaves."""
    if program.opened:
        return _opened(program, rows)
    domain, where, cap = program.table.domain, program.where, program.truncation
    if program.per_user is not None:
        found = gathered(program.per_user, program.table, chosen(domain, where, cap, rows, names=_names(program)))
        return _summed(program.derived(), [row for row in found if meets(program.per_user.where, row.codes)])
    return _summed(program, chosen(domain, where, cap, rows, group_of(program), _names(program)))


def _names(program: Program) -> Sequence[str]:
    """The columns of open texts, if conditions ask about them."""
    return texts(program.table) if program.worded else ()


def _extracted(extract: Extract, rows: list[Record]) -> NDArray[np.int64]:
    axes = [extract.table.domain.axis(column) for column in extract.columns]
    kept = chosen(extract.table.domain, extract.where, extract.truncation, rows, names=texts(extract.table))
    found = [[row.codes[axis] for axis in axes] for row in kept]
    return np.array(found, dtype=np.int64).reshape(len(kept), len(axes))


def gathered(per_user: PerUser, table: Table, rows: Iterable[Record]) -> list[Record]:
    """One derived record for each owner, and each value of the other keys, that has rows."""
    domain = table.domain
    axes = [domain.axis(key) for key in per_user.keys]
    owned: dict[tuple[object, ...], list[Record]] = {}
    for row in rows:
        if row.owner is not None:
            owned.setdefault((row.owner, *(row.codes[axis] for axis in axes)), []).append(row)
    derived = per_user.table.domain
    found = []
    for (owner, *codes), own in owned.items():
        values = [_one_owners(column, own, table) for column in per_user.columns]
        for column, value in zip(per_user.columns, values, strict=True):
            null = derived.bounded[derived.axis(column.name)].null
            assert value is not None or null is not None
            codes.append(null if value is None else value - column.bounds.low)
        found.append(Record(tuple(int(code) for code in codes if isinstance(code, int)), owner))
    return found


def _one_owners(column: PerUserColumn, rows: Sequence[Record], table: Table) -> int | None:
    """An aggregate of one owner's rows in whole units, kept within its bounds."""
    found: int | None = len(rows)
    if column.of is not None:
        domain, names = table.domain, texts(table)
        unit = bounds(column.of, domain).unit
        each = [evaluate(column.of, row.codes, domain, row.told(names if row.texts else ())) for row in rows]
        units = [int(value / unit) for value in each if value is not None]
        match column.gathers:
            case Gathers.ROWS | Gathers.PRESENT:
                found = len(units)
            case Gathers.TOTAL:
                found = sum(units) if units else None
            case Gathers.LEAST:
                found = min(units, default=None)
            case Gathers.GREATEST:
                found = max(units, default=None)
            case Gathers.MEAN:
                found = math.floor(Fraction(FINER * sum(units), len(units)) + Fraction(1, 2)) if units else None
    return None if found is None else min(max(found, column.bounds.low), column.bounds.high)


def _summed(program: Program, rows: Iterable[Record]) -> NDArray[np.object_]:
    """The tallies of rows that are counted."""
    result = program.empty()
    domain = program.table.domain
    owners: dict[tuple[int, int], set[object]] = {}
    values: dict[tuple[int, int], Counter[int]] = {}
    units = [
        bounds(tally.of, domain).unit if isinstance(tally, Total | Values) else Fraction(1) for tally in program.tallies
    ]
    names = _names(program)
    for row in rows:
        told = row.told(names)
        places = tuple(_place(key, domain, row.codes, told) for key in program.cells.keys)
        group = program.cells.position[places]
        line = result[group]
        for column, tally in enumerate(program.tallies):
            match tally:
                case Rows():
                    line[column] += 1
                case Present(of):
                    line[column] += evaluate(of, row.codes, domain, told) is not None
                case Total(of):
                    number = evaluate(of, row.codes, domain, told)
                    if number is not None:
                        steps = number / units[column]
                        assert steps.denominator == 1
                        line[column] += int(steps)
                case Owners():
                    if row.owner is not None:
                        owners.setdefault((group, column), set()).add(row.owner)
                case Different(name, among):
                    found = _held(row, name, program.table)
                    if found is not None and (among is None or meets(among, row.codes, told)):
                        owners.setdefault((group, column), set()).add(found)
                case Values(of):
                    number = evaluate(of, row.codes, domain, told)
                    if number is not None:
                        values.setdefault((group, column), Counter())[int(number / units[column])] += 1
                case _:
                    assert_never(tally)
    for (group, column), found in owners.items():
        result[group, column] = len(found)
    for (group, column), times in values.items():
        listed = sorted(times.items())
        result[group, column] = Histogram(*np.array(listed, dtype=np.int64).T)
    return result


def _held(row: Record, name: str, table: Table) -> object:
    """What a row holds in a column: its code or its text, or None if that is missing."""
    if isinstance(table.columns[name], Bounded):
        axis = table.domain.axis(name)
        return None if row.codes[axis] == table.domain.bounded[axis].null else row.codes[axis]
    return row.texts[texts(table).index(name)]


def _place(key: keys.Key, domain: Domain, codes: tuple[int, ...], told: Told = UNTOLD) -> int:
    """The group that a record falls into."""
    if not isinstance(key, keys.Valued):
        return keys.group(key, domain, codes)
    number = evaluate(key.of, codes, domain, told)
    return keys.last(key) if number is None else int(number / key.within.unit) - key.within.low


def _opened(program: Program, rows: list[Record]) -> NDArray[np.object_]:
    """The tallies for each open key by itself, as if nothing else were there."""
    group = group_of(program)
    kept = chosen(program.table.domain, program.where, program.truncation, rows, group, _names(program))
    names = len(program.opened)
    listed: list[Group] = sorted({group(row)[:names] for row in kept}, key=ordered_texts)
    result = program.blank(listed)
    alone = replace(program, opened=(), truncation=None)
    people = replace(alone, cells=Cells((), ()), tallies=(program.people,))
    for place, key in enumerate(listed):
        mine = [row for row in kept if group(row)[:names] == key]
        lines = slice(place * program.cells.count, (place + 1) * program.cells.count)
        result[lines, names] = _summed(people, mine)[0, 0]
        result[lines, names + 1 :] = _summed(alone, mine)
    return result


def met(
    table: Table,
    where: Condition,
    truncation: Truncation | None,
    rows: Iterable[Row],
    group: Callable[[Record], Group] = lambda _: (),
) -> list[Record]:
    """The rows that meet a condition, sanitised, after the fixed truncation and the caps of the question, if any."""
    return chosen(table.domain, where, truncation, sanitised(table, truncation, rows), group)


def sanitised(table: Table, truncation: Truncation | None, rows: Iterable[Row]) -> list[Record]:
    """The rows mapped into the public domain, after the fixed truncation if there is one."""
    found = [record(table, row) for row in rows if truncation is None or parted(table, row, truncation)]
    return found if truncation is None else truncated(found, truncation, table.domain)


def chosen(
    domain: Domain,
    where: Condition,
    truncation: Truncation | None,
    rows: Iterable[Record],
    group: Callable[[Record], Group] = lambda _: (),
    names: Sequence[str] = (),
) -> list[Record]:
    """The rows that meet a condition, after the caps of the question; ``names`` are the columns of open texts."""
    found = [row for row in rows if meets(where, row.codes, row.told(names))]
    if truncation is not None and truncation.groups is not None:
        found = _few_groups(found, truncation, domain, group)
    if truncation is not None and truncation.each is not None:
        kinds: dict[Group, list[Record]] = {}
        for row in found:
            kinds.setdefault(group(row), []).append(row)
        found = [row for mine in kinds.values() for row in truncated(mine, truncation, domain, most=truncation.each)]
    if truncation is not None and truncation.inside is not None:
        found = truncated(found, truncation, domain, most=truncation.inside)
    return found


def _few_groups(rows: list[Record], cap: Truncation, domain: Domain, group: Callable[[Record], Group]) -> list[Record]:
    """Each owner's rows in the first of the owner's groups, in their keyed order."""
    assert cap.groups is not None
    owned: dict[tuple[object, object], set[Group]] = {}
    for row in rows:
        part = None if cap.per is None else row.codes[domain.axis(cap.per)]
        owned.setdefault((row.owner, part), set()).add(group(row))
    kept = {
        owner: set(sorted(groups, key=lambda one: cap.group_place(str(owner[0]), one))[: cap.groups])
        for owner, groups in owned.items()
    }
    parts = [None if cap.per is None else row.codes[domain.axis(cap.per)] for row in rows]
    return [row for row, part in zip(rows, parts, strict=True) if group(row) in kept[row.owner, part]]


def group_of(program: Program) -> Callable[[Record], Group]:
    """The group of a record as the texts that are hashed to order an owner's groups."""
    table, domain = program.table, program.table.domain
    opened, names = texts(table), _names(program)

    def text(key: keys.Key, row: Record) -> str | None:
        if isinstance(key, keys.Mapped | keys.Cases):
            return str(keys.group(key, domain, row.codes))
        if isinstance(key, keys.Valued):
            told = row.told(names)
            gone = evaluate(key.of, row.codes, domain, told) is None
            return None if gone else str(_place(key, domain, row.codes, told))
        axis = domain.axis(key.column)
        match key:
            case keys.Each():
                return written(row, domain)[axis]
            case keys.Bucket():
                gone = row.codes[axis] == domain.bounded[axis].null
                return None if gone else str(keys.place(key, domain, row.codes[axis]))
            case keys.Truncated():
                label = keys.label(key, domain, keys.place(key, domain, row.codes[axis]))
                return None if label is None else str(label)
            case keys.Opened():
                raise AssertionError
            case _:
                assert_never(key)

    return lambda row: (
        *(_word(key, row.texts[opened.index(key.column)]) for key in program.opened),
        *(text(key, row) for key in program.cells.keys),
    )


def _word(key: keys.Opened, text: str | None) -> str | None:
    """The open key that a row's text makes."""
    found: str | None = text if key.function is None else said(key.function, {key.column: text})
    return found


def record(table: Table, row: Row) -> Record:
    """A stored row mapped into the public domain."""
    folded = {name.lower(): value for name, value in row.items()}
    domain = table.domain
    codes = tuple(
        column.code(folded.get(name.lower())) for name, column in zip(domain.axes, domain.bounded, strict=True)
    )
    found = tuple(kept_text(table.columns[name], folded.get(name.lower())) for name in texts(table))
    owner = None if table.owner is None else kept_text(table.columns[table.owner], folded.get(table.owner.lower()))
    return Record(codes, owner, found)


def parted(table: Table, row: Row, cap: Truncation) -> bool:
    """Whether a stored row lies in a part of its owner: where parts are told apart by a column, its value is declared.

    Values that are clamped, unlisted or missing would share a part with others: their rows are left out (theory A4a).
    """
    if cap.per is None:
        return True
    stored = {name.lower(): value for name, value in row.items()}.get(cap.per.lower())
    return table.domain.bounded[table.domain.axis(cap.per)].within(stored)


def truncated(
    records: Sequence[Record], cap: Truncation, domain: Domain, most: int | None = None, unique: Sequence[int] = ()
) -> list[Record]:
    """Each owner's first rows in the keyed order of theory E14; of those with one text at a ``unique`` place, one."""
    owned: dict[tuple[object, object], list[Record]] = {}
    for row in records:
        if row.owner is not None:
            part = None if cap.per is None else row.codes[domain.axis(cap.per)]
            owned.setdefault((row.owner, part), []).append(row)
    kept: list[Record] = []
    for rows in owned.values():
        ordered = sorted(rows, key=lambda row: cap.place(written(row, domain)))
        ordered = [row for row in ordered if all(row.codes[axis] == ordered[0].codes[axis] for axis in domain.constant)]
        firsts = [_firsts(ordered, place) for place in unique]
        ordered = [row for at, row in enumerate(ordered) if all(at in first for first in firsts)]
        kept.extend(ordered[: cap.rows if most is None else most])
    return kept


def _firsts(rows: Sequence[Record], place: int) -> set[int]:
    """Where the first row with each text stands, and every row without one."""
    found: dict[str, int] = {}
    return {at for at, row in enumerate(rows) if (key := row.texts[place]) is None or found.setdefault(key, at) == at}


def written(row: Record, domain: Domain) -> list[str | None]:
    """The sanitised values of a row as the texts that are hashed."""
    found: list[str | None] = []
    for column, code in zip(domain.bounded, row.codes, strict=True):
        value = column.value(code)
        if value is None:
            found.append(None)
        elif isinstance(column, Stepped):
            found.append(str(column.low + code))
        elif isinstance(value, bool):
            found.append("true" if value else "false")
        else:
            found.append(value.isoformat() if isinstance(value, date) else str(value))
    return [*found, *row.texts]
