"""Where in a question's text a part of it was read, to underline it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from partita.errors.underlined import Words

_NAMED: Final = re.compile(r"[A-Za-z_]\w*\s*\(\s*$")


def words(text: str, node: exp.Expr) -> Words | None:
    """The part of the text that a node was read from, if the parser kept it."""
    starts = list(_places(node))
    if not starts:
        return None
    start, end = min(low for low, _ in starts), max(high for _, high in starts)
    if isinstance(node, exp.Func) and "start" not in node.meta and (name := _NAMED.search(text, 0, start)):
        # Of some functions the parser keeps the place of the argument only.
        start = name.start()
    # A function's own place is its name; its closing bracket comes after its last argument.
    while end < len(text) and text[start:end].count("(") > text[start:end].count(")"):
        closing = text.find(")", end)
        if closing < 0:
            break
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
