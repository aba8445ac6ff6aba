"""Reads a question in brackets that gathers rows by their owner."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import final

from sqlglot import exp

from partita.errors.query import language as refuse
from partita.exact import number
from partita.query.language.aggregates import Average, Count, CountRows, Quantile, Sum
from partita.query.language.conditions import everywhere
from partita.query.language.expressions import WIDEST_VALUE, Bounds, Expression, bounds, since
from partita.query.language.formulas import Formula
from partita.query.language.joined import joined_of
from partita.query.language.keys import Each
from partita.query.language.per_user import Gathers, PerUser, PerUserColumn, capped
from partita.query.sql.aggregate_calls import aggregate, filtered
from partita.query.sql.scalars import Reader
from partita.query.tables.schema import Table
from partita.region.columns import Column
from partita.region.domain import Domain

_WRAPPED = (exp.Greatest, exp.Least)
_EXTREMES = (Gathers.LEAST, Gathers.GREATEST)


@final
class GatheringWords:
    """One question that gathers rows; ``most`` is how many rows of an owner the promises let it use, if they do."""

    def __init__(self, reader: Reader, tree: exp.Select, most: int | None) -> None:
        self.reader = reader
        self.tree = tree
        self.most = most
        self.columns: dict[str, PerUserColumn] = {}

    def read(self) -> tuple[PerUser, exp.Select]:
        """What is gathered, and the rest of the question: a SELECT from the derived rows."""
        keys = self._keys()
        listed = [self._replaced(item) for item in self.tree.expressions]
        having = self.tree.args.get("having")
        kept = None if having is None else exp.Where(this=self._replaced(having.this))
        if not self.columns and not keys:
            # Owners themselves: a column that says only that there is one.
            one = Bounds(1, 1, Fraction(1), nullable=False)
            self.columns["owner"] = PerUserColumn("owner", Gathers.ROWS, None, one, clamped=True)
        declared: dict[str, Column] = {key: self.reader.table.columns[key] for key in keys}
        declared.update({name: column.column() for name, column in self.columns.items()})
        table = Table(self.reader.table.name, [], Domain(declared))
        per_user = PerUser(
            self.reader.table.owner or "", keys, tuple(self.columns.values()), table, everywhere(table.domain)
        )
        rest = exp.Select(expressions=listed, from_=exp.From(this=exp.to_table(table.name)), where=kept)
        return per_user, rest

    def _keys(self) -> tuple[str, ...]:
        """The declared columns that rows are gathered by, besides their owner."""
        owner = self.reader.table.owner
        group = self.tree.args.get("group")
        found: dict[str, None] = {}
        owned = False
        for node in group.expressions if group is not None else ():
            meant = self._meant(node)
            if isinstance(meant, exp.Column) and owner is not None and meant.name.lower() == owner.lower():
                owned = True
                continue
            key = self.reader.key(meant)
            if not isinstance(key, Each):
                raise self.reader.refused(node, refuse.not_gathered(meant.sql(dialect="duckdb")))
            found[key.column] = None
        if not owned or owner is None:
            raise self.reader.refused(self.tree, refuse.not_by_owner(owner))
        return tuple(found)

    def _meant(self, node: exp.Expr) -> exp.Expr:
        """What GROUP BY 1 or GROUP BY alias stand for."""
        if isinstance(node, exp.Literal) and not node.is_string:
            place = self.reader.number(node)
            if place.denominator == 1 and 1 <= place <= len(self.tree.expressions):
                chosen: exp.Expr = self.tree.expressions[int(place) - 1]
                return chosen.unalias()
        for item in self.tree.expressions:
            if isinstance(item, exp.Alias) and isinstance(node, exp.Column) and item.alias.lower() == node.name.lower():
                return item.unalias()
        return node

    def _replaced(self, node: exp.Expr) -> exp.Expr:
        """The node with every aggregate replaced by the derived column that holds it."""
        if isinstance(node, exp.Alias):
            return exp.alias_(self._replaced(node.this), node.alias)
        clamp = self._clamped(node)
        if clamp is not None:
            return self._column(*clamp)
        if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
            return self._column(node, None)
        made = node.copy()
        for part in list(made.iter_expressions()):
            part.replace(self._replaced(part))
        return made

    def _clamped(self, node: exp.Expr) -> tuple[exp.Expr, tuple[Fraction | None, Fraction | None]] | None:
        """CLAMP(aggregate, low, high), LEAST(aggregate, high) or GREATEST(aggregate, low)."""
        if isinstance(node, exp.Anonymous) and node.name.lower() == "clamp" and len(node.expressions) == 3:
            inner, low, high = node.expressions
            ends = self.reader.constant(low), self.reader.constant(high)
        elif isinstance(node, _WRAPPED) and len(node.expressions) == 1:
            inner, end = node.this, self.reader.constant(node.expressions[0])
            if end is None:
                return None
            ends = (None, end) if isinstance(node, exp.Least) else (end, None)
        else:
            return None
        return (inner, ends) if isinstance(inner, exp.AggFunc | exp.Filter) else None

    def _column(self, node: exp.Expr, ends: tuple[Fraction | None, Fraction | None] | None) -> exp.Expr:
        found = self._gathered(node, node.sql(dialect="duckdb"), ends)
        if ends is not None:
            within = found.bounds
            found = replace(found, name=f"{found.name} from {number(within.lowest)} to {number(within.highest)}")
        if joined_of(self.reader.table) is not None:
            # The words of columns of a join depend on how its tables were called.
            same = [one for one in self.columns.values() if replace(one, name=found.name) == found]
            found = same[0] if same else replace(found, name=f"gathered {len(self.columns) + 1}")
        # Engines do not tell capitals apart, and a declared column may have any name.
        declared = {name.lower() for name in self.reader.table.columns}
        while found.name.lower() in declared.union(
            name.lower() for name, column in self.columns.items() if column != found
        ):
            found = replace(found, name=f"{found.name}_")
        self.columns[found.name] = found
        return exp.column(exp.to_identifier(found.name, quoted=True))

    def _gathered(
        self, node: exp.Expr, name: str, ends: tuple[Fraction | None, Fraction | None] | None
    ) -> PerUserColumn:
        gathers, of = self._kind(node)
        within = None if of is None else bounds(of, self.reader.table.domain)
        found = capped(gathers, within, self.most)
        if ends is not None:
            found = self._within(node, gathers, within, found, ends)
        if found is None:
            raise self.reader.refused(node, refuse.unbounded_gathering(node.sql(dialect="duckdb")))
        if abs(found.low) + abs(found.high) > WIDEST_VALUE:
            raise self.reader.refused(node, refuse.too_wide_gathering(node.sql(dialect="duckdb")))
        days = None if of is None or gathers not in _EXTREMES else since(of, self.reader.table.domain)
        if days is not None and ends is not None:
            raise self.reader.refused(node, refuse.not_gathered(node.sql(dialect="duckdb")))
        return PerUserColumn(name, gathers, of, found, clamped=ends is not None, since=days)

    def _within(
        self,
        node: exp.Expr,
        gathers: Gathers,
        within: Bounds | None,
        found: Bounds | None,
        ends: tuple[Fraction | None, Fraction | None],
    ) -> Bounds:
        """The bounds narrowed to the ends that were given."""
        wide = found or capped(gathers, within, 2**30)
        assert wide is not None
        low = wide.low if ends[0] is None else math.ceil(ends[0] / wide.unit)
        high = wide.high if ends[1] is None else math.floor(ends[1] / wide.unit)
        if found is None and ((ends[0] is None and wide.low < 0) or ends[1] is None):
            raise self.reader.refused(node, refuse.unbounded_gathering(node.sql(dialect="duckdb")))
        if low > high:
            raise self.reader.refused(node, refuse.not_gathered(node.sql(dialect="duckdb")))
        return replace(wide, low=low, high=high)

    def _kind(self, node: exp.Expr) -> tuple[Gathers, Expression | None]:
        match self._aggregate(node):
            case CountRows():
                return Gathers.ROWS, None
            case Count(of):
                return Gathers.PRESENT, of
            case Sum(of):
                return Gathers.TOTAL, of
            case Average(of):
                return Gathers.MEAN, of
            case Quantile(of, share, 0) if share == 0:
                return Gathers.LEAST, of
            case Quantile(of, share, 0) if share == 1:
                return Gathers.GREATEST, of
            case _:
                raise self.reader.refused(node, refuse.not_gathered(node.sql(dialect="duckdb")))

    def _aggregate(self, node: exp.Expr) -> Formula | None:
        if not isinstance(node, exp.Filter):
            return aggregate(self.reader, node)
        inner = self._aggregate(node.this)
        where = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
        return None if inner is None else filtered(inner, self.reader.condition(where))
