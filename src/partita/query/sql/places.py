"""Where in a question's text a part of it was read, to underline it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors.query.underlined import Words

# The name of a function stands not far before its argument.
_NEAR: Final = 200
_NAMED: Final = re.compile(r"[A-Za-z_]\w*\s*\(\s*$")


def words(text: str, node: exp.Expr) -> Words | None:
    """The part of the text that a node was read from, if the parser kept it."""
    starts = list(_places(node))
    spend(len(starts), Work.WORDS)
    if not starts:
        return None
    start, end = min(low for low, _ in starts), max(high for _, high in starts)
    if (
        isinstance(node, exp.Func)
        and "start" not in node.meta
        and (name := _NAMED.search(text, max(0, start - _NEAR), start))
    ):
        # Of some functions the parser keeps the place of the argument only.
        start = name.start()
    # A function's own place is its name; its closing bracket comes after its last argument.
    open_brackets = text.count("(", start, end) - text.count(")", start, end)
    while end < len(text) and open_brackets > 0:
        closing = text.find(")", end)
        if closing < 0:
            break
        open_brackets += text.count("(", end, closing) - 1
        end = closing + 1
    return Words(text, start, end)


def written(text: str, node: exp.Expr) -> str:
    """A node as the question wrote it, in one line."""
    place = words(text, node)
    return node.sql(dialect="duckdb") if place is None else " ".join(place.text[place.start : place.end].split())


def _places(node: exp.Expr) -> Iterator[tuple[int, int]]:
    for part in node.walk():
        meta = part.meta
        if "start" in meta and "end" in meta:
            yield meta["start"], meta["end"] + 1
