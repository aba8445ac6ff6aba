"""The rows that are kept of owners as one text: the same for the same rows, in whatever order and format they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Final

from partita.engine.statements.stored import Stored
from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import Table, texts
from partita.region.columns import Bounded, Categories, Dates
from partita.region.columns.stepped import Stepped
from partita.region.dialects.base import Dialect

_HALF: Final = 64
_MOST: Final = 2**62

# A row is written as whole numbers between commas, the owner last. Codes of several columns are one number where they
# fit, and texts have their length before them and nothing where there is none. So no two rows are one text.


def fixed_statement(stored: Stored, key: str) -> str:
    """How many kept rows there are, and the sums of both halves of their keyed hashes.

    Sums, and not an exclusive or: of that, equal rows would take each other away.
    """
    table, dialect = stored.table, stored.dialect
    assert table.owner is not None
    sizes = [column.size for column in table.domain.bounded]
    codes = [
        _code(column, name(axis), dialect) for axis, column in zip(table.domain.axes, table.domain.bounded, strict=True)
    ]
    told = []
    for some in _together(sizes):
        packed = codes[some[0]] if len(some) == 1 else f"CAST({codes[some[0]]} AS BIGINT)"
        for at in some[1:]:
            packed = f"({packed} * {sizes[at]} + {codes[at]})"
        told.append(dialect.written(packed, null=False))
    for column in texts(table):
        word = dialect.text(name(column))
        told.append(f"COALESCE({dialect.bytes(word)} || ':' || {word}, '')")
    made, halves = dialect.halves(",", key, [*told, dialect.written(name(table.owner), null=False)], "hash_")
    hashed = f"SELECT {made} AS hash_ FROM {stored.relation}"
    sums = ", ".join(f"COALESCE(SUM(CAST({half} AS {dialect.wide})), 0)" for half in halves)
    return f"SELECT COUNT(*), {sums} FROM ({hashed}) AS hashed_"


def _code(column: Bounded, value: str, dialect: Dialect) -> str:
    """The code of a sanitised value, as copies of kept rows hold it."""
    if isinstance(column, Stepped):
        kind = dialect.whole if column.size <= _MOST else dialect.wide
        found = f"CAST({value} AS {kind}) - {column.low}"
    elif isinstance(column, Categories):
        found = dialect.place(value, column.labels)
    elif isinstance(column, Dates):
        found = dialect.days(value, column.low)
    else:
        labels = " ".join(f"WHEN {dialect.sql(column.literal(code))} THEN {code}" for code in _known(column))
        found = f"CASE {value} {labels} END"
    return f"({found})" if column.null is None else f"COALESCE({found}, {column.null})"


def _known(column: Bounded) -> range:
    return range(column.size if column.null is None else column.null)


def _together(sizes: Sequence[int]) -> Iterator[list[int]]:
    """The places of columns whose codes are one number of 64 bits together."""
    found: list[int] = []
    most = 1
    for at, size in enumerate(sizes):
        if found and most * size > _MOST:
            yield found
            found, most = [], 1
        found.append(at)
        most *= size
    if found:
        yield found


def fixed_numbers(
    table: Table, rows: Iterable[tuple[Sequence[int], Sequence[str | None], str | None]], key: str
) -> tuple[int, int, int]:
    """The same three numbers of rows that are given as codes, texts and owner.

    >>> from partita.region.columns import identifier, integers
    >>> visits = Table("visits", [], {"patient": identifier(), "age": integers(0, 120)})
    >>> first, second = ((40,), (), "a"), ((41,), (), "b")
    >>> fixed_numbers(visits, [first, second], "k") == fixed_numbers(visits, [second, first], "k")
    True
    >>> fixed_numbers(visits, [first, first], "k") == fixed_numbers(visits, [second, second], "k")
    False
    """
    count = upper = lower = 0
    sizes = [column.size for column in table.domain.bounded]
    for codes, words, owner in rows:
        told = [str(reduce(lambda packed, at: packed * sizes[at] + codes[at], one, 0)) for one in _together(sizes)]
        told += ["" if word is None else f"{len(word.encode())}:{word}" for word in words]
        row = ",".join([key, *told, str(owner)]).encode()
        hashed = int.from_bytes(hashlib.md5(row, usedforsecurity=False).digest(), "little")
        count, upper, lower = count + 1, upper + (hashed >> _HALF), lower + (hashed & (2**_HALF - 1))
    return count, upper, lower


__all__ = ["fixed_numbers", "fixed_statement"]
