"""Made-up rows of a declared table, from its public declaration alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Categories, Column, Dates, Identifier
from partita.region.columns.reading import PLAIN
from partita.region.columns.stepped import Stepped

# One value in so many is missing, where the declaration says that values may be.
_MISSING = 50
_ROWS_PER_OWNER = 3


def made_up(table: Table, rows: int, seed: str = "") -> Iterator[dict[str, Any]]:
    """So many rows, the same for the same seed; they tell nothing but what is declared.

    >>> from partita.region.columns import categories, integers
    >>> table = Table("t", [], {"age": integers(0, 120, missing=0), "sex": categories("F", "M")})
    >>> len(list(made_up(table, 3))), sorted(next(made_up(table, 1)))
    (3, ['age', 'sex'])
    """
    for row in range(rows):
        yield {name: _value(name, column, row, rows, seed) for name, column in table.columns.items()}


def _value(name: str, column: Column, row: int, rows: int, seed: str) -> Any:
    drawn = int.from_bytes(hashlib.sha256(f"{seed}/{name}/{row}".encode()).digest()[:8], "big")
    if not isinstance(column, Bounded):
        if isinstance(column, Identifier):
            return f"{name}-{drawn % max(1, rows // _ROWS_PER_OWNER) + 1}"
        # Few keys are frequent and many are rare, as in life.
        return f"{name}-{int(max(1, rows) ** ((drawn % 997) / 997))}"
    if column.null is not None and drawn % _MISSING == 0:
        return None
    choices = len(column.names) if isinstance(column, Categories) else column.values[-1][1]
    code = drawn // _MISSING % choices
    return (
        column.labels[column.labels.index(column.names[code])] if isinstance(column, Categories) else column.value(code)
    )


def written(column: Column, value: Any) -> str:
    """A made-up value as a text that the column's declaration reads.

    >>> from partita.region.columns import dates
    >>> written(dates("2025-01-01", "2025-12-31", format="%d.%m.%Y"), date(2025, 2, 1))
    '01.02.2025'
    """
    reading = column.reading or PLAIN
    if value is None:
        return ""
    if isinstance(column, Dates) and isinstance(value, date):
        if not reading.format:
            return value.isoformat()
        return _formatted(value, reading.format[0])
    if isinstance(value, bool):
        words = (reading.false, reading.true)[value]
        return words[0] if words else str(value).lower()
    if isinstance(column, Stepped):
        number = f"{value:f}" if isinstance(value, Decimal) else str(value if isinstance(value, int) else float(value))
        unit = f" {reading.unit[0]}" if reading.unit else ""
        return number.replace(".", reading.point) + unit
    return str(value)


_ENGLISH = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def _formatted(day: date, pattern: str) -> str:
    """Written without the help of the system, whose months are named in its own language."""
    parts = {
        "%d": f"{day.day:02}",
        "%m": f"{day.month:02}",
        "%Y": f"{day.year:04}",
        "%y": f"{day.year % 100:02}",
        "%b": _ENGLISH[day.month - 1],
        "%B": _ENGLISH[day.month - 1],
        "%H": "12",
        "%I": "12",
        "%M": "00",
        "%S": "00",
        "%p": "PM",
        "%%": "%",
    }
    for sign, text in parts.items():
        pattern = pattern.replace(sign, text)
    return pattern
