"""Made-up neighbouring tables: rows drawn from the declared public domains, and one protected unit that differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

from partita.granularity import Edges, Granularity, Groups, Metric, Replace, Rows, Users, Windows
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Identifier
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below

Row = dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two tables of made-up rows that are neighbours under one granularity, and how they differ."""

    first: Table
    second: Table
    differ: str


def neighbours(table: Table, unit: Granularity, *, rows: int = 30, bits: BitSource) -> Iterator[Neighbours]:
    """Pairs of neighbouring tables with the columns of this one, where the unit that differs is extreme.

    The rows are drawn from the declared domains; the table's own rows are never read. A granularity for which it is not
    known how to make a pair gives none.

    >>> from partita.granularity import rows as one_row
    >>> from partita.region.columns import integers
    >>> from partita.sampling.bits import TestBits
    >>> ages = Table("ages", source="ages.csv", columns={"age": integers(0, 120)})
    >>> [pair.differ for pair in neighbours(ages, one_row(), bits=TestBits(1))]
    ['a row of largest values more', 'a row of smallest values more']
    """
    base = [_drawn(table, number, bits) for number in range(rows)]
    for first, second, differ in _differing(table, unit):
        yield Neighbours(_with(table, [*base, *first]), _with(table, [*base, *second]), differ)


def _differing(table: Table, unit: Granularity) -> Iterator[tuple[list[Row], list[Row], str]]:
    """The rows that one table has and the other has not, in both directions."""
    high, low = _extreme(table, top=True), _extreme(table, top=False)
    match unit:
        case Rows() | Edges():
            yield [high], [], "a row of largest values more"
            yield [low], [], "a row of smallest values more"
        case Replace():
            yield [high], [low], "a row of largest values in place of smallest"
        case Users(column=owner, rows=most, altered=altered):
            many, few = ([{**row, owner: "target"} for _ in range(most)] for row in (high, low))
            yield many, few if altered else [], f"an owner with {most} rows of largest values"
            if not altered:
                yield few, [], f"an owner with {most} rows of smallest values"
        case Windows(column=time, width=width, changed=changed):
            column = table.columns.get(time)
            if isinstance(column, Bounded):
                steps = [column.value(code) for code in range(min(width, column.values[-1][1]))]
                first, second = ([{**row, time: _stored(step)} for step in steps] for row in (high, low))
                yield first, second if changed else [], f"a row in each of {len(steps)} steps"
        case Metric(column=name, unit=by):
            column = table.columns.get(name)
            if isinstance(column, Bounded):
                moved = column.value(min(int(by / _step(column)), column.values[-1][1] - 1))
                yield [{**low, name: _stored(moved)}], [low], f"a row whose {name} moved by at most {float(by):g}"
        case Groups(size=size, of=inner):
            for first, second, differ in _differing(table, inner):
                copies = range(size)
                yield (
                    [_numbered(row, copy) for copy in copies for row in first],
                    [_numbered(row, copy) for copy in copies for row in second],
                    f"{size} times {differ}",
                )
        case _:
            return


def _step(column: Bounded) -> Fraction:
    """How far apart two neighbouring codes are."""
    first, second = column.value(0), column.value(1)
    if isinstance(first, int | Decimal) and isinstance(second, int | Decimal):
        return Fraction(second) - Fraction(first)
    return Fraction(1)


def _drawn(table: Table, number: int, bits: BitSource) -> Row:
    row: Row = {}
    for name, column in table.columns.items():
        if isinstance(column, Bounded):
            row[name] = _stored(column.value(int(below(column.values[-1][1], 1, bits=bits)[0])))
        else:
            row[name] = f"{'owner' if isinstance(column, Identifier) else 'key'} {number % 7}"
    return row


def _extreme(table: Table, *, top: bool) -> Row:
    row: Row = {}
    for name, column in table.columns.items():
        if isinstance(column, Bounded):
            row[name] = _stored(column.value(column.values[-1][1] - 1 if top else column.values[0][0]))
        else:
            row[name] = "target"
    return row


def _numbered(row: Row, copy: int) -> Row:
    """The same row of another owner, so that a group of owners is one."""
    return {name: f"target {copy}" if value == "target" else value for name, value in row.items()}


def _stored(value: object) -> object:
    """A value as a text file would hold it: numbers and truth values as they are, all else as text."""
    return value if isinstance(value, bool | int) or value is None else str(value)


def _with(table: Table, rows: list[Row]) -> Table:
    return Table(table.name, source=rows, columns=table.domain)
