"""What is asked of declarations alone, and so free: columns without a line, and the values that columns may have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any, Final, final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from partita.query.tables.schema import Table
from partita.region.columns import Bounded
from partita.server.wire.parameters import type_of
from partita.server.wire.values import BOOL, INT8, NUMERIC, TEXT, Column

MOST_LISTED: Final = 10_000
"""Lines of values that columns may have."""
TOLD: Final = (
    "These are the values that may be there, as declared; whether any row has them is not told. Charged nothing."
)
EMPTY: Final = "No line was asked for. Charged nothing."
_LONGEST: Final = 5_000
# A call of a function: what is asked of declarations has none.
_CALL: Final = re.compile(r"\b(?!(?:where|and|or|in|not|from|select|distinct)\b)[a-z_]\w*\s*\(", re.IGNORECASE)
_UNREADABLE: Final = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError)


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """Columns and lines that follow from the declaration of a table, and what is said of them."""

    columns: tuple[Column, ...]
    lines: list[tuple[Any, ...]]
    notice: str


def listing(text: str, tables: Mapping[str, Table]) -> Listing | None:
    """What a statement asks of declarations; None where it asks of rows, or of more than is listed."""
    if len(text) > _LONGEST or _CALL.search(text) is not None:
        return None
    try:
        tree = sqlglot.parse_one(text, dialect="postgres")
    except _UNREADABLE:
        return None
    if not isinstance(tree, exp.Select) or tree.find(exp.AggFunc, exp.Window, exp.Join, exp.Subquery, exp.CTE):
        return None
    source: Any = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table):
        return None
    table = tables.get(source.this.name.lower())
    if table is None:
        return None
    shown = _shown(tree, table)
    if shown is None:
        return None
    if _nothing(tree):
        return Listing(tuple(Column(name, kind) for name, kind, _ in shown), [], EMPTY)
    return _values(tree, table, shown)


def _shown(tree: exp.Select, table: Table) -> list[tuple[str, int, str]] | None:
    """Name, type and declared column of each that is shown; none of them where it is a constant."""
    names = {name.lower(): name for name in table.columns}
    found: list[tuple[str, int, str]] = []
    for item in tree.expressions:
        inside = item.this if isinstance(item, exp.Alias) else item
        if isinstance(inside, exp.Star) or (isinstance(inside, exp.Column) and isinstance(inside.this, exp.Star)):
            found += [(name, type_of(column), name) for name, column in table.columns.items()]
        elif isinstance(inside, exp.Column) and inside.name.lower() in names:
            name = names[inside.name.lower()]
            found.append((item.alias_or_name, type_of(table.columns[name]), name))
        elif isinstance(inside, exp.Literal | exp.Boolean | exp.Null):
            found.append((item.alias or "?column?", _constant(inside), ""))
        else:
            return None
    return found


def _constant(node: exp.Expr) -> int:
    if isinstance(node, exp.Boolean):
        return BOOL
    if not isinstance(node, exp.Literal) or node.is_string:
        return TEXT
    return INT8 if node.name.isdecimal() else NUMERIC


def _nothing(tree: exp.Select) -> bool:
    """Whether no line is asked for: LIMIT 0, or a condition between constants that never holds."""
    limit = tree.args.get("limit")
    if isinstance(limit, exp.Limit) and isinstance(limit.expression, exp.Literal) and limit.expression.name == "0":
        return True
    where = tree.args.get("where")
    held = None if where is None else where.this.unnest()
    if isinstance(held, exp.Boolean):
        return not held.this
    if not isinstance(held, exp.EQ | exp.NEQ):
        return False
    sides = (held.this, held.expression)
    if not all(isinstance(side, exp.Literal) and not side.is_string and side.name.isdecimal() for side in sides):
        return False
    return (int(sides[0].name) == int(sides[1].name)) is isinstance(held, exp.NEQ)


def _values(tree: exp.Select, table: Table, shown: Sequence[tuple[str, int, str]]) -> Listing | None:
    """The values of SELECT DISTINCT, or of groups without an aggregate, whatever rows there are."""
    rest = {"where", "having", "qualify", "sample", "locks", "into", "with_", "offset", "windows", "laterals"}
    if any(tree.args.get(one) for one in rest):
        return None
    names = [name for _, _, name in shown]
    grouped = tree.args.get("group")
    distinct = tree.args.get("distinct")
    if grouped is not None:
        keys = [_key(one, shown) for one in grouped.expressions]
        others = [one for one, value in grouped.args.items() if one != "expressions" and value]
        if others or None in keys or set(keys) != set(names):
            return None
    elif distinct is None or distinct.args.get("on") is not None:
        return None
    columns = [table.columns[name] for name in names if name]
    if len(columns) < len(names) or len(set(names)) < len(names):
        return None
    bounded = [column for column in columns if isinstance(column, Bounded)]
    if len(bounded) < len(columns) or prod(column.size for column in bounded) > MOST_LISTED:
        return None
    # The NULL atom is the last code, as PostgreSQL has it in this order.
    codes = list(product(*(range(column.size) for column in bounded)))
    for term in reversed(tree.args["order"].expressions if tree.args.get("order") else []):
        name = _key(term.this, shown)
        if name is None:
            return None
        _sorted(codes, names.index(name), bounded[names.index(name)], term)
    limit = tree.args.get("limit")
    most = None
    if limit is not None:
        if not isinstance(limit, exp.Limit) or not limit.expression.name.isdecimal():
            return None
        most = int(limit.expression.name)
    lines = [
        tuple(column.value(code) for column, code in zip(bounded, line, strict=True)) for line in islice(codes, most)
    ]
    return Listing(tuple(Column(name, kind) for name, kind, _ in shown), lines, TOLD)


def _key(node: exp.Expr, shown: Sequence[tuple[str, int, str]]) -> str | None:
    """The declared column that a key names, by its name, its alias or its place."""
    if isinstance(node, exp.Literal) and node.name.isdecimal() and 1 <= int(node.name) <= len(shown):
        return shown[int(node.name) - 1][2]
    if not isinstance(node, exp.Column):
        return None
    named = node.name.lower()
    return next((name for alias, _, name in shown if named in (alias.lower(), name.lower())), None)


def _sorted(codes: list[tuple[int, ...]], place: int, column: Bounded, term: exp.Expr) -> None:
    some = [line for line in codes if line[place] != column.null]
    missing = [line for line in codes if line[place] == column.null]
    key: Callable[[tuple[int, ...]], Any] = lambda line: column.value(line[place])  # noqa: E731
    some.sort(key=key, reverse=bool(term.args.get("desc")))
    codes[:] = [*missing, *some] if term.args.get("nulls_first") else [*some, *missing]
