"""Public tables: what everybody knows about the values of a declared column, to be joined to protected rows."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, final

from partita.errors import PartitaError
from partita.errors.query import tables as refuse
from partita.exact import exact, whole
from partita.region.columns import Bounded, Operator

Fact = str | Fraction | bool | date | None
MOST_ROWS = 50_000


@final
@dataclass(frozen=True, init=False, eq=False)
class PublicTable:
    """A table that holds nothing secret: one row for each value of a key, and facts about it.

    Joined to a protected table on a declared column it adds columns that are functions of that column, so a question
    still depends on each row by itself, and is charged to the same people (theory E9). It is read once, here.
    With ``fanout`` there are up to so many rows for one key: then a row becomes so many, which promises on people
    count (theory I4).

    >>> clinics = PublicTable("clinics", [{"clinic": "a", "state": "TX"}, {"clinic": "b", "state": "NM"}], key="clinic")
    >>> clinics.columns
    ('clinic', 'state')
    """

    name: str
    key: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Fact, ...], ...] = field(repr=False)
    fanout: int

    def __init__(self, name: str, source: object, key: str, *, fanout: int = 1) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise refuse.bad_public_name(name)
        listed = _rows(name, source)
        if len(listed) > MOST_ROWS:
            raise refuse.too_many_public_rows(name, len(listed), MOST_ROWS)
        columns = tuple(dict.fromkeys(str(column) for row in listed for column in row))
        if key not in columns:
            raise refuse.no_public_key(name, key, columns)
        folded = [column.lower() for column in columns]
        for column in columns:
            if folded.count(column.lower()) > 1:
                raise refuse.repeated_public_column(name, column)
        rows = tuple(tuple(_fact(name, column, row.get(column)) for column in columns) for row in listed)
        most, seen = whole(fanout, "fanout", least=1), Counter[Fact]()
        for row in rows:
            value = row[columns.index(key)]
            seen[value] += 1
            if seen[value] > most:
                raise refuse.repeated_key(name, key, value, most)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "fanout", most)

    def column(self, name: str) -> int | None:
        """Where a column stands, whatever its capitals."""
        folded = [column.lower() for column in self.columns]
        return folded.index(name.lower()) if name.lower() in folded else None

    def beside(self, values: Iterable[Fact]) -> tuple[tuple[Fact, ...] | None, ...]:
        """The row for each of some key values, or None where there is none."""
        place = self.columns.index(self.key)
        found = {row[place]: row for row in self.rows if row[place] is not None}
        return tuple(None if value is None else found.get(value) for value in values)


@lru_cache(maxsize=64)
def facts(column: Bounded) -> tuple[Fact, ...]:
    """What each code of a declared column stands for, as facts; None for the NULL atom."""
    return tuple(_fact("", "", column.value(code)) for code in range(column.size))


def known(column: Bounded, name: str, value: Fact) -> bool:
    """Whether a fact is a value of a declared column at all."""
    try:
        return value is not None and bool(column.compare(Operator.EQUAL, value, name))
    except PartitaError:
        return False


def _rows(name: str, source: Any) -> list[Mapping[str, Any]]:
    if isinstance(source, str | Path):
        return _from_file(name, Path(source))
    if isinstance(source, list | tuple) and all(isinstance(row, Mapping) for row in source):
        return list(source)
    if hasattr(source, "to_dicts"):
        return list(source.to_dicts())
    if hasattr(source, "to_pylist"):
        return list(source.to_pylist())
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        return [{str(key): value for key, value in row.items()} for row in source.to_dict("records")]
    raise refuse.unknown_public_source(name, type(source).__name__)


def _from_file(name: str, path: Path) -> list[Mapping[str, Any]]:
    try:
        if path.suffix.lower() == ".parquet":
            from pyarrow import parquet

            return list(parquet.read_table(path).to_pylist())
        if path.suffix.lower() in {".csv", ".tsv"}:
            with path.open(newline="", encoding="utf-8-sig") as stream:
                lines = csv.DictReader(stream, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
                return [{column: _read(text) for column, text in line.items() if column is not None} for line in lines]
    except (OSError, ValueError, csv.Error):
        raise refuse.unreadable_public_table(name, str(path)) from None
    raise refuse.unknown_public_source(name, str(path))


def _read(text: Any) -> Any:
    """A text of a CSV file: a number or a date where it is one."""
    if not isinstance(text, str) or not text:
        return None
    for reading in (lambda: exact(text, "the number"), lambda: date.fromisoformat(text)):
        try:
            return reading()
        except (PartitaError, ValueError):
            continue
    return text


def _fact(table: str, column: str, value: Any) -> Fact:
    match value:
        case None | bool() | str() | Fraction():
            return value
        case datetime():
            return value.date()
        case date():
            return value
        case float() if value != value:
            return None
        case int() | float() | Decimal():
            try:
                return exact(value, "the number")
            except PartitaError:
                raise refuse.not_a_fact(table, column, value) from None
        case _:
            if hasattr(value, "item"):
                return _fact(table, column, value.item())
            raise refuse.not_a_fact(table, column, value)
