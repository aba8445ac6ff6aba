"""What a curator holds, for whoever wants to ask: tables with their public columns, promises, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from partita.region.columns import Bounded, Categories, Column, Identifier, TextKeys

if TYPE_CHECKING:
    from partita.curator.curator import Curator

_MOST_NAMES: Final = 8


def overview(curator: Curator) -> str:
    """Everything an analyst may know before the first question."""
    return "\n".join(_lines(curator))


def _lines(curator: Curator) -> Iterator[str]:
    for table in curator.tables:
        yield table.name
        width = max(map(len, table.columns))
        for name, column in table.columns.items():
            yield f"  {name.ljust(width)}  {holds(column)}"
    for public in curator.public:
        yield f"{public.name} (public, joined on {public.key}): {', '.join(public.columns)}"
    for promise, left in zip(curator.promises, curator.remaining(), strict=True):
        yield f"Promised: {promise}. Left: {left}."


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
        from partita.exact import exact
        from partita.query.language.text import number

        unit = exact(step, "step")
        return f", {number(low * unit)} to {number(high * unit)} in steps of {number(unit)}"
    return f", {low} to {high}"
