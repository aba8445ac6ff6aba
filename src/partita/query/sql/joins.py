"""Joins to public tables: for each value of a declared column, the one public row that it meets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse_shape
from partita.errors.query import tables as refuse
from partita.limits import current
from partita.query.tables.public import Fact, PublicTable
from partita.query.tables.schema import Table

Looked = Callable[[exp.Column], tuple[str, Sequence[Fact]]]


@final
@dataclass(frozen=True, slots=True)
class Joined:
    """A public table beside the protected one: for each code of a declared column its row, or None."""

    alias: str
    table: PublicTable
    column: str
    rows: tuple[tuple[Fact, ...] | None, ...]

    def names(self, node: exp.Column) -> bool:
        """Whether a column that was mentioned can be one of this table."""
        if node.table and node.table.lower() not in (self.alias.lower(), self.table.name.lower()):
            return False
        return self.table.column(node.name) is not None

    def facts(self, name: str) -> tuple[Fact, ...]:
        """What each code of the declared column has there."""
        place = self.table.column(name)
        assert place is not None
        return tuple(None if row is None else row[place] for row in self.rows)


@final
@dataclass(frozen=True, slots=True)
class Join:
    """A join as the question wrote it: the public table, the column that leads to it, and whether it must be met."""

    joined: Joined
    inner: bool


def read_join(
    node: exp.Join,
    tables: Mapping[str, Table],
    public: Mapping[str, PublicTable],
    looked: Looked,
    refused: Callable[[exp.Expr, QueryRefused], QueryRefused],
) -> Join:
    """A join to a public table on its key: many rows to one, so that rows stay what they are."""
    target = node.this
    name = target.name.lower() if isinstance(target, exp.Table) else ""
    if name in tables:
        raise refused(node, refuse.private_join(tables[name].name))
    table = public.get(name)
    if table is None or target.db.lower() not in ("", "main", "public"):
        shown = target.sql(dialect="duckdb")
        raise refused(node, refuse.unknown_join(shown if len(shown) <= 40 else "in brackets", sorted(public)))
    if table.fanout > 1:
        raise refused(node, refuse.fan_of_rows(table.name, table.fanout))
    side, kind = node.side.upper(), node.kind.upper()
    if node.method.upper() == "NATURAL":
        raise refused(node, refuse.natural_join(table.name, table.key))
    if side in {"RIGHT", "FULL"} or kind in {"CROSS", "SEMI", "ANTI"} or node.method:
        raise refused(node, refuse.join_kind(" ".join(filter(None, (node.method, side, kind, "JOIN")))))
    if target.alias_column_names:
        raise refused(node, refuse_shape.columns_unclear(f"{target.alias}({', '.join(target.alias_column_names)})"))
    alias = target.alias or table.name
    column = led_by(node, alias, table) or _bare(node, table, looked)
    if column is None:
        raise refused(node, refuse.join_condition(table.name, table.key))
    base, values = looked(column)
    if len(values) > (most := current().tabulated):
        raise refused(node, refuse.too_large_to_join(base, len(values), most))
    spend(len(values) + len(table.rows), Work.VALUES)
    return Join(Joined(alias, table, base, table.beside(values)), inner=side != "LEFT")


def paired(tree: exp.Select, public: Mapping[str, PublicTable]) -> None:
    """FROM visits, clinics WHERE visits.clinic = clinics.clinic as a JOIN: the condition goes where it belongs."""
    where = tree.args.get("where")
    for node in tree.args.get("joins") or ():
        target = node.this
        table = public.get(target.name.lower()) if isinstance(target, exp.Table) else None
        if table is None:
            continue
        _leading(tree, node, target.alias or table.name, table)
        where = tree.args.get("where")
        if {name for name, value in node.args.items() if value} != {"this"} or where is None:
            continue
        parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        for part in parts:
            meant = _qualified(part.copy(), target.alias or table.name, table)
            if led_by(exp.Join(this=target.copy(), on=meant.copy()), target.alias or table.name, table) is None:
                continue
            node.set("on", meant)
            rest = [other.copy() for other in parts if other is not part]
            where = exp.Where(this=exp.and_(*rest, copy=False)) if rest else None
            tree.set("where", where)
            break


def _qualified(part: exp.Expr, alias: str, table: PublicTable) -> exp.Expr:
    """WHERE clinic_id = id, where one of the two has the name of the key: it is that of the public table."""
    if isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column):
        named = [side for side in (part.this, part.expression) if side.name.lower() == table.key.lower()]
        if len(named) == 1 and not named[0].table:
            named[0].set("table", exp.to_identifier(alias))
    return part


def _leading(tree: exp.Select, node: exp.Join, alias: str, table: PublicTable) -> None:
    """ON visits.clinic = clinics.clinic AND ...: what does not lead to a public row is a condition like others."""
    on = node.args.get("on")
    on = None if on is None else on.unnest()
    if node.side or not isinstance(on, exp.And):
        return
    parts = list(on.flatten())
    for part in parts:
        if led_by(exp.Join(this=node.this.copy(), on=part.copy()), alias, table) is not None:
            where = tree.args.get("where")
            rest = [exp.Paren(this=other.copy()) for other in parts if other is not part]
            rest += [] if where is None else [exp.Paren(this=where.this.copy())]
            node.set("on", part.copy())
            tree.set("where", exp.Where(this=exp.and_(*rest, copy=False)))
            return


def _bare(node: exp.Join, table: PublicTable, looked: Looked) -> exp.Column | None:
    """The column beside the key in ON clinic_id = id, where the key's name is no column of the protected table."""
    on = node.args.get("on")
    on = on.unnest() if on is not None else None
    if not isinstance(on, exp.EQ):
        return None
    sides = [on.this.unnest(), on.expression.unnest()]
    for mine, other in (sides, sides[::-1]):
        if not isinstance(mine, exp.Column) or not isinstance(other, exp.Column):
            return None
        if mine.table or mine.name.lower() != table.key.lower() or other.name.lower() == table.key.lower():
            continue
        try:
            looked(mine)
        except QueryRefused:
            return other
    return None


def led_by(node: exp.Join, alias: str, table: PublicTable) -> exp.Column | None:
    """The column on the other side of the key, in ON a = b or USING (a)."""
    using, on = node.args.get("using"), node.args.get("on")
    if using and len(using) == 1 and using[0].name.lower() == table.key.lower():
        return exp.column(using[0].name)
    on = on.unnest() if on is not None else None
    if not isinstance(on, exp.EQ):
        return None
    sides = [on.this.unnest(), on.expression.unnest()]
    for mine, other in (sides, sides[::-1]):
        if not isinstance(mine, exp.Column) or not isinstance(other, exp.Column):
            return None
        own = mine.table.lower() in (alias.lower(), table.name.lower()) and mine.name.lower() == table.key.lower()
        if own and other.table.lower() != alias.lower():
            return other
    return None
