"""A proof, statement by statement, that no row can make it fail: types and intervals found anew from the SQL alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import prod
from typing import Final, final

import sqlglot
from sqlglot import exp

from partita.engine.statements.stored import Stored
from partita.query.exact.operations import MOST_ROWS
from partita.region.columns import Bounded, Categories, Dates
from partita.region.columns.stepped import Stepped
from partita.region.regular import regular

# The signed integers of DuckDB, narrowest first, with their bits; and what has no arithmetic in a statement.
BITS: Final = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_NAMES: Final = {"INT": "INTEGER", "INT128": "HUGEINT", "VARCHAR": "TEXT", "TEXT": "TEXT"}
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_TEXTS: Final = (
    exp.MD5, exp.ConcatWs, exp.Lower, exp.Upper, exp.Trim, exp.Left, exp.Right, exp.Substring, exp.SplitPart,
    exp.Replace,
)  # fmt: skip
_MET: Final = (exp.Like, exp.RegexpLike, exp.RegexpFullMatch)
_WRITTEN: Final = (exp.Literal, exp.Neg)
_CLAUSES: Final = {"expressions", "from_", "joins", "where", "group", "distinct"}
_RANKS: Final = (exp.RowNumber, exp.DenseRank)


@final
@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a column or an expression: its type, and for integers the interval it lies in.

    ``each`` is what one row can have added to it, if it is a sum over rows: a sum of such sums is a sum over rows too.
    ``parts`` are those of a sum or of a product, as far as the engine may take them in another order: the most that
    each can be. ``labels`` are the texts that a sanitised category can be.
    """

    kind: str
    low: int = 0
    high: int = 0
    each: tuple[int, int] | None = None
    sign: str = ""
    parts: tuple[int, ...] = ()
    labels: frozenset[str] = frozenset()


Columns = dict[str, Known]


@final
class Unproven(Exception):
    """A statement, or a part of one, that the check does not know to be total."""


def prove(sql: str, stored: Stored) -> None:
    """Nothing, if no operation of the statement can leave its type on any rows; otherwise Unproven (widths.proof.md).

    Whatever the check does not know, it does not prove.
    """
    _Proof(stored).select(sqlglot.parse_one(sql, dialect="duckdb"))


@final
@dataclass(frozen=True)
class _Proof:
    stored: Stored

    # --- relations ---------------------------------------------------------------------------------------------

    @cached_property
    def base(self) -> Columns:
        """The stored columns: anything that their types hold, or sanitised values if they are a copy of these."""
        return _base(self.stored)

    @cached_property
    def projections(self) -> dict[exp.Expr, Known]:
        """The expressions of the sanitising projection, which is total and ends in the declared domain."""
        if self.stored.clean:
            return {}
        found: dict[exp.Expr, Known] = {}
        for column, declared in self.stored.table.columns.items():
            known = _declared(declared) if isinstance(declared, Bounded) else Known("TEXT")
            places = [f"k{place}" for place in range(12)] if self.stored.late(column) else []
            for name in [self.stored.names[column], *places]:
                made = sqlglot.parse_one(self.stored.mapped(column, name), dialect="duckdb")
                if not isinstance(made, exp.Column):
                    found.setdefault(made, known)
        return found

    def select(self, tree: exp.Expr) -> Columns:
        """The columns that a SELECT gives, after a proof of each of its parts."""
        if not isinstance(tree, exp.Select) or set(_given(tree)) - _CLAUSES:
            raise Unproven(f"this form of statement: {tree.sql()[:80]}")
        source = tree.args.get("from_")
        columns = dict(self.relation(source.this)) if source is not None else {}
        for join in tree.args.get("joins") or ():
            self.join(join, columns)
        where, group = tree.args.get("where"), tree.args.get("group")
        if where is not None:
            self.truth(where.this, columns)
        for node in group.expressions if group is not None else ():
            if not isinstance(node, exp.Literal):
                self.value(node, columns)
        found: Columns = {}
        for place, node in enumerate(tree.expressions):
            if isinstance(node, exp.Star):
                found.update(columns)
                continue
            name = node.alias_or_name.lower() or f"column {place}"
            found[name] = self.value(node.unalias(), columns)
        return found

    def relation(self, node: exp.Expr) -> Columns:
        if isinstance(node, exp.Subquery):
            return self.select(node.this)
        if isinstance(node, exp.Table):
            for stored in (self.stored, *self.stored.parts):
                if node.this.sql(dialect="duckdb") == stored.relation:
                    return self.base if stored is self.stored else _base(stored)
        raise Unproven(f"the relation {node.sql()[:80]}")

    def join(self, node: exp.Join, columns: Columns) -> None:
        """A join of relations that have no column in common, on a condition; what meets no row becomes NULL."""
        if set(_given(node)) - {"this", "on", "side", "kind"} or node.args.get("on") is None:
            raise Unproven(f"the join {node.sql()[:80]}")
        found = self.relation(node.this)
        if found.keys() & columns.keys():
            raise Unproven(f"two columns of one name: {node.sql()[:80]}")
        columns.update(found)
        self.truth(node.args["on"], columns)

    # --- conditions --------------------------------------------------------------------------------------------

    def truth(self, node: exp.Expr, columns: Columns) -> None:
        """Prove a condition: comparisons of one family of types, put together."""
        match node:
            case exp.Paren() | exp.Not():
                self.truth(node.this, columns)
            case exp.And() | exp.Or():
                for part in node.flatten():
                    self.truth(part, columns)
            case exp.Boolean():
                return
            case exp.Is():
                self.value(node.this, columns)
            case exp.In():
                self.alike([node.this, *node.expressions], columns)
            case exp.Between():
                self.alike([node.this, node.args["low"], node.args["high"]], columns)
            case exp.Coalesce():
                for part in (node.this, *node.expressions):
                    self.truth(part, columns)
            case _ if isinstance(node, _COMPARED):
                self.alike([node.this, node.expression], columns)
            case _:
                if self.value(node, columns).kind != "BOOLEAN":
                    raise Unproven(f"the condition {node.sql()[:80]}")

    def alike(self, nodes: Sequence[exp.Expr], columns: Columns) -> None:
        """Values that are compared: integers of any type, which are widened, or values of one other type."""
        found = [self.value(node, columns) for node in nodes]
        kinds = {"integer" if known.kind in BITS else known.kind for known in found} - {"NULL"}
        if len(kinds) > 1:
            raise Unproven(f"a comparison of {', '.join(sorted(kinds))}: {nodes[0].sql()[:80]}")

    # --- values ------------------------------------------------------------------------------------------------

    def value(self, node: exp.Expr, columns: Columns) -> Known:
        """What is known of a value, after a proof of everything that is computed for it."""
        if self.projections and node in self.projections:
            return self.projections[node]
        match node:
            case exp.Try():
                # What it stands around, or NULL.
                return self.value(node.this, columns)
            case exp.Paren():
                return self.value(node.this, columns)
            case exp.Column():
                known = columns.get(node.name.lower())
                if known is None:
                    raise Unproven(f"the column {node.name}")
                return known
            case exp.Null():
                return Known("NULL")
            case exp.Boolean():
                return Known("BOOLEAN")
            case exp.Literal() | exp.Neg():
                return _literal(node)
            case exp.Cast():
                return self.cast(node, columns)
            case exp.Add() | exp.Sub() | exp.Mul() | exp.IntDiv() | exp.Mod():
                return self.arithmetic(node, columns)
            case exp.Case():
                return self.case(node, columns)
            case exp.Coalesce():
                return self.hull([self.value(part, columns) for part in (node.this, *node.expressions)], node)
            case exp.Greatest() | exp.Least():
                return self.hull([self.value(part, columns) for part in (node.this, *node.expressions)], node)
            case exp.Anonymous() if node.name.upper() == "LIST_EXTRACT" and len(node.expressions) == 2:
                return self.listed(*node.expressions, columns=columns)
            case exp.Count():
                for part in node.this.expressions if isinstance(node.this, exp.Distinct) else [node.this]:
                    if not isinstance(part, exp.Star):
                        self.value(part, columns)
                return Known("BIGINT", 0, MOST_ROWS, (0, 1))
            case exp.Sum():
                return self.total(node, columns)
            case exp.Min() | exp.Max():
                known = self.value(node.this, columns)
                return Known(known.kind, known.low, known.high)
            case exp.Window():
                return self.window(node, columns)
            case exp.TimestampTrunc() | exp.DateTrunc() if self.value(node.this, columns).kind == "DATE":
                return Known("TIMESTAMP")
            case _ if isinstance(node, _TEXTS):
                for part in node.iter_expressions():
                    self.value(part, columns)
                return Known("TEXT")
            case exp.Length() | exp.StrPosition():
                for part in node.iter_expressions():
                    self.value(part, columns)
                return Known("BIGINT", 0, MOST_ROWS)
            case _ if isinstance(node, _MET) and isinstance(node.expression.unnest(), exp.Literal | exp.Lower):
                self.value(node.this, columns)
                if not isinstance(node, exp.Like):
                    regular(node.expression.name, whole=isinstance(node, exp.RegexpFullMatch))
                return Known("BOOLEAN")
            case _:
                raise Unproven(f"what {type(node).__name__} gives: {node.sql()[:80]}")

    def cast(self, node: exp.Cast, columns: Columns) -> Known:
        """A cast of integers to a type that holds them, of a written day, of a category to its list, of any to text."""
        target = _type(node.to)
        inner = self.value(node.this, columns)
        if target == "TEXT" or (target == "DATE" and inner.kind in ("DATE", "TIMESTAMP")):
            return Known(target)
        if target == "DATE" and isinstance(node.this, exp.Literal) and node.this.is_string:
            date.fromisoformat(node.this.name)
            return Known("DATE")
        if target in BITS and inner.kind in (*BITS, "NULL"):
            return _held(Known(target, inner.low, inner.high, inner.each), node)
        if target == "ENUM" and inner.labels and inner.labels <= {listed.name for listed in node.to.expressions}:
            return Known("TEXT")
        raise Unproven(f"the cast {node.sql()[:80]}")

    def arithmetic(self, node: exp.Binary, columns: Columns) -> Known:
        """Two integers of the very same type, whose result that type holds; two days, or a day and a number of days."""
        left, right = self.value(node.this, columns), self.value(node.expression, columns)
        if isinstance(node, exp.Sub) and left.kind == right.kind == "DATE":
            first = date.fromisoformat(node.expression.this.name).toordinal()
            return Known("BIGINT", left.low - first, left.high - first)
        if isinstance(node, exp.Add) and left.kind == "DATE" and right.kind == "INTEGER":
            first = date.fromisoformat(node.this.this.name).toordinal()
            days = Known("DATE", first + right.low, first + right.high)
            if days.low < date.min.toordinal() or days.high > date.max.toordinal():
                raise Unproven(f"a day beyond the calendar: {node.sql()[:80]}")
            return days
        if isinstance(node.this.unnest(), _WRITTEN) or isinstance(node.expression.unnest(), _WRITTEN):
            raise Unproven(f"a number whose type is left to the engine: {node.sql()[:80]}")
        if left.kind != right.kind or left.kind not in ("BIGINT", "HUGEINT"):
            raise Unproven(f"{type(node).__name__} of {left.kind} and {right.kind}: {node.sql()[:80]}")
        match node:
            case exp.Add():
                ends = [left.low + right.low, left.high + right.high]
            case exp.Sub():
                ends = [left.low - right.high, left.high - right.low]
            case exp.Mul():
                ends = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
            case _:
                if right.low < 1:
                    raise Unproven(f"a division by what may be zero: {node.sql()[:80]}")
                ends = [0, -(-left.low // right.low) if left.low < 0 else 0, left.high // right.low]
                if isinstance(node, exp.Mod):
                    ends = [max(min(left.low, 0), 1 - right.high), min(max(left.high, 0), right.high - 1)]
        return _held(_together(node, left, right, min(ends), max(ends)), node)

    def case(self, node: exp.Case, columns: Columns) -> Known:
        """One of several values; the last one is not below or above what was asked of it before."""
        found, otherwise = [], node.args.get("default") or exp.null()
        last = self.value(otherwise, columns)
        for branch in node.args["ifs"]:
            self.truth(branch.this, columns)
            found.append(self.value(branch.args["true"], columns))
            if isinstance(branch.this, exp.LT | exp.GT) and branch.this.this == otherwise:
                end = self.value(branch.this.expression, columns)
                low = max(last.low, end.low) if isinstance(branch.this, exp.LT) else last.low
                high = min(last.high, end.high) if isinstance(branch.this, exp.GT) else last.high
                # Where nothing is left between the ends, only NULL comes this far.
                last = Known(last.kind, low, high) if low <= high else Known(last.kind, end.low, end.low)
        return self.hull([*found, last], node)

    def listed(self, listed: exp.Expr, place: exp.Expr, *, columns: Columns) -> Known:
        """A number of a written list of 64-bit numbers, at a place that lies in it."""
        written = (
            listed.this if isinstance(listed, exp.Cast) and listed.to.sql(dialect="duckdb") == "BIGINT[]" else None
        )
        if not isinstance(written, exp.Literal) or not re.fullmatch(r"\[-?\d+(,-?\d+)*\]", written.name):
            raise Unproven(f"the list {listed.sql()[:80]}")
        values, where = [int(one) for one in written.name[1:-1].split(",")], self.value(place, columns)
        if where.kind != "BIGINT" or where.low < 1 or where.high > len(values):
            raise Unproven(f"a place outside its list: {place.sql()[:80]}")
        reached = values[where.low - 1 : where.high]
        return _held(Known("BIGINT", min(reached), max(reached)), listed)

    def hull(self, values: Sequence[Known], node: exp.Expr) -> Known:
        """Values of one type, one of which is taken."""
        found = [known for known in values if known.kind != "NULL"]
        kinds = {known.kind for known in found}
        if len(kinds) != 1:
            raise Unproven(f"one of {', '.join(sorted(kinds))}: {node.sql()[:80]}")
        return Known(kinds.pop(), min(known.low for known in found), max(known.high for known in found))

    def total(self, node: exp.Sum, columns: Columns) -> Known:
        """A sum in 128 bits: over rows, or over sums that have no row in common."""
        known = self.value(node.this, columns)
        if known.kind not in BITS:
            raise Unproven(f"a sum of {known.kind}: {node.sql()[:80]}")
        low, high = known.each or (known.low, known.high)
        ends = [0, low, high, MOST_ROWS * low, MOST_ROWS * high]
        return _held(Known("HUGEINT", min(ends), max(ends), (min(low, 0), max(high, 0))), node)

    def window(self, node: exp.Window, columns: Columns) -> Known:
        order = node.args.get("order")
        for part in (*node.args.get("partition_by", ()), *(() if order is None else order.expressions)):
            self.value(part.this if isinstance(part, exp.Ordered) else part, columns)
        if isinstance(node.this, _RANKS):
            return Known("BIGINT", 0, MOST_ROWS)
        if isinstance(node.this, exp.FirstValue):
            return self.value(node.this.this, columns)
        raise Unproven(f"the window {node.sql()[:80]}")


def _base(stored: Stored) -> Columns:
    """The columns of a stored relation."""
    found = {}
    for column, name in stored.names.items():
        known = _stored(stored.types[column])
        declared = stored.table.columns[column]
        if stored.clean and isinstance(declared, Bounded):
            known = _declared(declared, known.kind)
        found[name.lower()] = known
    for name in stored.numbers.values():
        found[name.lower()] = _stored("BIGINT")
    return found


def _given(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value]


def _held(known: Known, node: exp.Expr) -> Known:
    """The same, if its type holds its interval."""
    limit: int = 2 ** (BITS[known.kind] - 1)
    if known.low < -limit or known.high >= limit:
        raise Unproven(f"{known.kind} does not hold {known.low} to {known.high}: {node.sql()[:80]}")
    return known


def _together(node: exp.Binary, left: Known, right: Known, low: int, high: int) -> Known:
    """A sum or product with its parts, if the type holds all of them together: the engine may take any first."""
    sign = {exp.Add: "+", exp.Mul: "*"}.get(type(node), "")
    if not sign:
        return Known(left.kind, low, high)
    parts: tuple[int, ...] = ()
    for known in (left, right):
        parts += known.parts if known.sign == sign else (max(abs(known.low), abs(known.high)),)
    most = sum(parts) if sign == "+" else prod(max(1, part) for part in parts)
    _held(Known(left.kind, -most, most), node)
    return Known(left.kind, low, high, None, sign, parts)


def _literal(node: exp.Expr) -> Known:
    """A number as DuckDB reads it: in the narrowest type of at least 32 bits; or a text."""
    inner = node.this if isinstance(node, exp.Neg) else node
    if not isinstance(inner, exp.Literal):
        raise Unproven(f"what {type(node).__name__} gives: {node.sql()[:80]}")
    if inner.is_string:
        return Known("TEXT")
    if not inner.name.isdecimal():
        raise Unproven(f"the number {inner.name[:80]}")
    value = int(inner.name)
    kind = next((kind for kind, bits in BITS.items() if bits >= 32 and value < 2 ** (bits - 1)), None)
    if kind is None:
        raise Unproven(f"no integer holds {inner.name[:80]}")
    value = -value if isinstance(node, exp.Neg) else value
    return Known(kind, value, value)


def _declared(column: Bounded, kind: str = "BIGINT") -> Known:
    """What a sanitised column holds; days are told by their ordinal numbers."""
    if isinstance(column, Stepped):
        return Known(kind, column.low, column.high)
    if isinstance(column, Dates):
        return Known("DATE", column.low.toordinal(), column.high.toordinal())
    labels = frozenset(column.labels) if isinstance(column, Categories) else frozenset[str]()
    return Known("BOOLEAN" if column.kind == "booleans" else "TEXT", labels=labels)


def _stored(written: str) -> Known:
    known = exp.DataType.build(written, dialect="duckdb", udt=True) if not written.startswith("ENUM") else None
    kind = "ENUM" if known is None else _type(known)
    return Known(kind, -(2 ** (BITS[kind] - 1)), 2 ** (BITS[kind] - 1) - 1) if kind in BITS else Known(kind)


def _type(node: exp.DataType) -> str:
    name = str(node.this.value)
    return _NAMES.get(name, name)


__all__ = ["Known", "Unproven", "prove"]
