"""What a curator holds, for whoever wants to ask: tables with their public columns, promises, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from partita.query.tables.holding import listed

if TYPE_CHECKING:
    from partita.curator.curator import Curator


def overview(curator: Curator) -> str:
    """Everything an analyst may know before the first question."""
    return "\n".join(_lines(curator))


def _lines(curator: Curator) -> Iterator[str]:
    for table in curator.tables:
        yield from listed(table.name, table.columns)
    for public in curator.public:
        yield f"{public.name} (public, joined on {public.key}): {', '.join(public.columns)}"
    for promise, left in zip(curator.promises, curator.remaining(), strict=True):
        yield f"Promised: {promise}. Left: {left}."
