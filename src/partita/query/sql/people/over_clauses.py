"""Reads windows within one owner: ranks, rows before and after, and running sums, over PARTITION BY the owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, final

from sqlglot import exp

from partita.errors.query import people as refuse
from partita.query.language.derived import Order, WindowColumn, Within
from partita.query.language.expressions import WIDEST_VALUE, Bounds, Value, bounds
from partita.query.language.per_user import Gathers, PerUserColumn, capped
from partita.query.sql.scalars import Reader
from partita.region.columns import Bounded, Dates, Timestamps, integers
from partita.region.columns.stepped import Stepped

_RANKS: Final[Mapping[type[exp.Expr], Within]] = {
    exp.RowNumber: Within.NUMBER,
    exp.Rank: Within.RANK,
    exp.DenseRank: Within.DENSE_RANK,
}
_VALUES: Final[Mapping[type[exp.Expr], Within]] = {
    exp.Lag: Within.EARLIER,
    exp.Lead: Within.LATER,
    exp.FirstValue: Within.FIRST,
    exp.Sum: Within.TOTAL,
    exp.Min: Within.LEAST,
    exp.Max: Within.GREATEST,
}
_ONLY: Final = {"this", "partition_by", "order", "over"}
MOST_STEPS: Final = 1000


def windows_of(tree: exp.Select) -> list[exp.Window]:
    """The windows of a question itself, also in QUALIFY."""
    parts = [*tree.expressions, *([] if tree.args.get("qualify") is None else [tree.args["qualify"]])]
    found = [node for part in parts for node in part.find_all(exp.Window)]
    return [node for node in found if node.find_ancestor(exp.Select) is tree]


@final
@dataclass
class Ranked:
    """The columns that a question shows, each with what it stands for, and the windows among them."""

    shown: dict[str, str] = field(default_factory=dict)
    windows: tuple[WindowColumn, ...] = ()


def ranked(reader: Reader, tree: exp.Select, owner: str, most: int) -> Ranked:
    """What a question shows of the rows of each owner; QUALIFY is left with the names of its windows."""
    reading = _Reading(reader, owner, most)
    found: dict[str, str] = {}
    for item in tree.expressions:
        inner = item.unalias()
        if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)):
            for name in reading.own:
                _add(reader, found, item, name.rpartition(".")[2], name)
        elif isinstance(inner, exp.Window):
            if not isinstance(item, exp.Alias):
                raise reader.refused(item, refuse.window_without_name(inner.sql(dialect="duckdb")))
            _add(reader, found, item, item.alias, reading.window(inner).name)
        elif isinstance(inner, exp.Column):
            if inner.name.lower() == owner.lower():
                if item.alias_or_name.lower() != owner.lower():
                    raise reader.refused(item, refuse.owner_renamed(item.alias_or_name, owner))
                continue
            # Of a joined table the column was given the name that it has there.
            name = item.alias if isinstance(item, exp.Alias) else inner.name.rpartition(".")[2]
            _add(reader, found, item, name, reading.column(inner))
        elif not isinstance(inner, exp.Literal):
            raise reader.refused(item, refuse.derived_column(item.sql(dialect="duckdb")))
    qualify = tree.args.get("qualify")
    if qualify is not None:
        for node in list(qualify.find_all(exp.Window)):
            node.replace(exp.column(exp.to_identifier(reading.window(node).name, quoted=True)))
        aliases = {shown.lower(): meant for shown, meant in found.items()}
        for node in list(qualify.find_all(exp.Column)):
            meant = aliases.get(node.name.lower())
            if meant is not None and not node.table:
                node.replace(exp.column(exp.to_identifier(meant, quoted=True)))
    return Ranked(found, tuple(reading.windows.values()))


def _add(reader: Reader, found: dict[str, str], item: exp.Expr, name: str, meant: str) -> None:
    if name.lower() in {one.lower() for one in found}:
        raise reader.refused(item, refuse.derived_twice(name))
    found[name] = meant


@final
class _Reading:
    def __init__(self, reader: Reader, owner: str, most: int) -> None:
        self.reader, self.owner, self.most = reader, owner, most
        columns = reader.table.columns
        self.own = {name: column for name, column in columns.items() if isinstance(column, Bounded)}
        self.windows: dict[str, WindowColumn] = {}

    def column(self, node: exp.Expr) -> str:
        """A declared column of the rows."""
        if isinstance(node, exp.Column) and not self.reader.attributes(node):
            return self.reader.column(node)[0]
        raise self.reader.refused(node, refuse.derived_column(node.sql(dialect="duckdb")))

    def window(self, node: exp.Window) -> WindowColumn:
        """A window as a column under a name that says nothing of how it was called."""
        for clause, value in node.args.items():
            if value and clause not in _ONLY:
                raise self.reader.refused(node, refuse.window_frame(node.sql(dialect="duckdb"), self.owner))
        parts = list(node.args.get("partition_by") or ())
        owned = [one for one in parts if isinstance(one, exp.Column) and one.name.lower() == self.owner.lower()]
        if not owned:
            raise self.reader.refused(node, refuse.window_of_others(node.sql(dialect="duckdb"), self.owner))
        keys = tuple(dict.fromkeys(self.column(one) for one in parts if one not in owned))
        order = node.args.get("order")
        made = self._made(node, keys, tuple(map(self._ordered, () if order is None else order.expressions)))
        same = [one for one in self.windows.values() if replace(one, name=made.name) == made]
        if same:
            return same[0]
        self.windows[made.name] = made
        return made

    def _ordered(self, node: exp.Expr) -> Order:
        if not isinstance(node, exp.Ordered):
            raise self.reader.refused(node, refuse.derived_column(node.sql(dialect="duckdb")))
        return Order(
            self.column(node.this),
            descending=bool(node.args.get("desc")),
            nulls_first=bool(node.args.get("nulls_first")),
        )

    def _made(self, node: exp.Window, keys: tuple[str, ...], order: tuple[Order, ...]) -> WindowColumn:
        name, call = f"window {len(self.windows) + 1}", node.this
        within = _RANKS.get(type(call)) or _VALUES.get(type(call))
        counted = isinstance(call, exp.Count) and not isinstance(call.this, exp.Distinct)
        if within is None and not counted:
            raise self.reader.refused(node, refuse.window_not_answered(call.sql(dialect="duckdb"), self.owner))
        ordered = within in (Within.NUMBER, Within.RANK, Within.DENSE_RANK, Within.EARLIER, Within.LATER, Within.FIRST)
        if ordered and not order:
            raise self.reader.refused(node, refuse.window_without_order(node.sql(dialect="duckdb")))
        if counted:
            star = isinstance(call.this, exp.Star)
            of = None if star else self.column(call.this)
            kind = Within.ROWS if star else Within.PRESENT
            return WindowColumn(name, kind, of, keys, order, self._counting(least=1 if star else 0))
        assert within is not None
        if type(call) in _RANKS:
            return WindowColumn(name, within, None, keys, order, self._counting(least=1))
        of = self.column(call.this)
        declared = self.own[of]
        if within in (Within.TOTAL, Within.LEAST, Within.GREATEST):
            declared = self._summed(node, within, of, declared)
        steps = 1
        if within in (Within.EARLIER, Within.LATER):
            steps = self._steps(call)
            declared = replace(declared, missing=None, constant=False)  # type: ignore[type-var]
        return WindowColumn(name, within, of, keys, order, declared, steps)

    def _counting(self, least: int) -> Bounded:
        return integers(least, self.most, missing=least)

    def _summed(self, node: exp.Window, within: Within, of: str, declared: Bounded) -> Bounded:
        total = within is Within.TOTAL
        if not isinstance(declared, Stepped if total else Stepped | Dates) or (
            total and isinstance(declared, Timestamps)
        ):
            raise self.reader.refused(node, refuse.window_not_answered(node.this.sql(dialect="duckdb"), self.owner))
        if within is not Within.TOTAL:
            return declared
        found = capped(Gathers.TOTAL, self._bounds(node, of), self.most)
        assert found is not None
        if abs(found.low) + abs(found.high) > WIDEST_VALUE:
            raise self.reader.refused(node, refuse.window_not_answered(node.this.sql(dialect="duckdb"), self.owner))
        return PerUserColumn("total", Gathers.TOTAL, Value(of), found).column()

    def _bounds(self, node: exp.Window, of: str) -> Bounds:
        try:
            return bounds(Value(of), self.reader.table.domain)
        except KeyError:
            raise self.reader.refused(
                node, refuse.window_not_answered(node.this.sql(dialect="duckdb"), self.owner)
            ) from None

    def _steps(self, call: exp.Expr) -> int:
        given = call.args.get("offset")
        if call.args.get("default") is not None:
            raise self.reader.refused(call, refuse.window_not_answered(call.sql(dialect="duckdb"), self.owner))
        number = Fraction(1) if given is None else self.reader.constant(given)
        if number is None or number.denominator != 1 or not 1 <= number <= MOST_STEPS:
            raise self.reader.refused(call, refuse.window_not_answered(call.sql(dialect="duckdb"), self.owner))
        return int(number)
