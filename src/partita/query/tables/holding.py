"""What tables may hold, in words: every declared column with its kind, its bounds, and whether it has a NULL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from partita.exact import exact, number
from partita.region.columns import Bounded, Categories, Column, Identifier, TextKeys

_MOST_NAMES: Final = 8


def listed(name: str, columns: Mapping[str, Column]) -> Iterator[str]:
    """A table line by line: its name, and each column with what it may hold.

    >>> from partita.region.columns import integers
    >>> list(listed("visits", {"age": integers(0, 120)}))
    ['visits', '  age  integers, 0 to 120, or NULL']
    """
    yield name
    width = max(map(len, columns))
    for column, kind in columns.items():
        yield f"  {column.ljust(width)}  {holds(kind)}"


def holds(column: Column) -> str:
    """What a column may hold, in words.

    >>> from partita.region.columns import integers
    >>> holds(integers(0, 120, missing=0)), holds(integers(0, 120))
    ('integers, 0 to 120', 'integers, 0 to 120, or NULL')
    """
    match column:
        case Identifier():
            return "whom a row belongs to: COUNT(DISTINCT ...), and GROUP BY in brackets"
        case TextKeys():
            return "open texts, to group by"
        case Categories():
            labels = column.labels
            more = f" and {len(labels) - _MOST_NAMES} more" if len(labels) > _MOST_NAMES else ""
            values = f": {', '.join(labels[:_MOST_NAMES])}{more}"
        case _:
            values = _range(column.describe())
    null = ", or NULL" if isinstance(column, Bounded) and column.describe().get("missing") is None else ""
    return f"{column.kind}{values}{null}"


def _range(described: Mapping[str, object]) -> str:
    if "low" not in described:
        return ""
    low, high, step = described["low"], described["high"], described.get("step")
    if isinstance(low, int) and isinstance(high, int) and isinstance(step, str):
        unit = exact(step, "step")
        return f", {number(low * unit)} to {number(high * unit)} in steps of {number(unit)}"
    return f", {low} to {high}"
