"""Reads keys of groups: columns, buckets, periods, functions of one column, and choices between conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.query.language import keys
from partita.query.language.expressions import columns
from partita.query.language.keys import Bucket, Each, Key, Opened, Truncated
from partita.query.sql import lattice_keys, open_text, rowwise, time_labels, times
from partita.query.sql.column_functions import cases, constant
from partita.region.columns import Timestamps

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

# Functions of columns with more values than these are computed row by row where they can be.
MOST_LISTED = 10_000
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg)


def read_key(reader: Reader, node: exp.Expr) -> Key | None:
    """The key that a node stands for, or None if it is something else."""
    domain = reader.table.domain
    match node:
        case exp.Column() if reader.joined and reader.attributes(node):
            return _function(reader, node)
        case exp.Column():
            opened = reader.opened(node)
            return Each(reader.column(node)[0]) if opened is None else Opened(opened)
        case exp.Mul() if (floored := _floored(node)) is not None:
            return read_key(reader, floored)
        case exp.Anonymous() if node.name.lower() == "bucket":
            parts = node.expressions
            if len(parts) == 2 and isinstance(parts[1], exp.Interval) and (found := _function(reader, node)):
                return found
            if len(parts) != 2 or not isinstance(parts[0].unnest(), exp.Column):
                raise refuse.wrong_arguments("BUCKET", "BUCKET(column, width)")
            width = reader.constant(parts[1])
            if width is None:
                raise refuse.needs_constant("BUCKET(column, width)", "the width")
            bucket = Bucket(reader.column(parts[0].unnest())[0], width)
            keys.units(bucket, domain)
            return bucket
        case exp.TimestampTrunc() | exp.DateTrunc():
            subject = node.this.unnest()
            if not isinstance(subject, exp.Column) or isinstance(reader.column(subject)[1], Timestamps):
                if (found := _function(reader, node)) is None:
                    raise refuse.wrong_arguments("DATE_TRUNC", "DATE_TRUNC('month', column)")
                return found
            unit = node.args["unit"].name.lower()
            if unit not in keys.UNITS:
                raise refuse.unknown_unit(unit, keys.UNITS)
            truncated = Truncated(reader.column(subject)[0], unit)
            keys.dated(truncated, domain)
            return Each(truncated.column) if unit == "day" else truncated
        case _:
            return _function(reader, node)


def _function(reader: Reader, node: exp.Expr) -> Key | None:
    """A function of one column, or a choice between conditions, whose labels are all known beforehand."""
    if node.find(exp.Column) is None or node.find(exp.AggFunc) is not None:
        return None
    bare = node.copy()
    for mentioned in bare.find_all(exp.Column):
        mentioned.set("table", None)
    text = None if reader.attributes(node) else bare.sql(dialect="duckdb")
    if open_text.mentions(reader, node) is not None:
        return open_text.key(reader, node) or _decided(reader, node, text)
    if text is not None and times.many(reader, node) and not times.by_calendar(node):
        timed = lattice_keys.key_of(reader, node, text) or time_labels.named(reader, node, text)
        if timed is not None:
            return timed
    if text is not None and reader.many(node, MOST_LISTED) and (number := _number(reader, node, text)) is not None:
        return number
    found = reader.tabulated(node)
    if found is not None:
        return found.key(text, reader.table.domain)
    if text is None:
        return None
    timed = lattice_keys.key_of(reader, node, text) or _number(reader, node, text)
    return _decided(reader, node, text) if timed is None else timed


def _decided(reader: Reader, node: exp.Expr, text: str | None) -> Key | None:
    """Groups by which of some conditions is true."""
    if text is None:
        return None
    if isinstance(node, exp.Case | exp.If):
        return _chosen(reader, node, text)
    if not isinstance(node, rowwise.TRUTHS):
        return None
    try:
        true, false = reader.condition(node), reader.condition(exp.Not(this=node.copy()))
    except QueryRefused:
        return None
    return cases([(true, True), (false, False)], None, text)


def _number(reader: Reader, node: exp.Expr, text: str) -> Key | None:
    """Groups by a function of bounded expressions that gives numbers."""
    try:
        of = rowwise.function_of(reader, node)
        if of is None and isinstance(node, _ARITHMETIC):
            of = reader.expression(node)
    except QueryRefused:
        return None
    return None if of is None or not columns(of) else lattice_keys.valued(of, reader.table.domain, text)


def _chosen(reader: Reader, node: exp.Case | exp.If, text: str) -> Key | None:
    whens = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    default = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
    subject = node.this if isinstance(node, exp.Case) else None
    branches = []
    for when in whens:
        label = constant(when.args["true"])
        if label is None:
            return None
        test = when.this if subject is None else exp.EQ(this=subject, expression=when.this)
        branches.append((reader.condition(test), label[0]))
    otherwise = (None,) if default is None else constant(default)
    return None if otherwise is None else cases(branches, otherwise[0], text)


def _floored(node: exp.Mul) -> exp.Expr | None:
    """FLOOR(x / w) * w is BUCKET(x, w)."""
    floor, width = node.this.unnest(), node.expression.unnest()
    inner = floor.this.unnest() if isinstance(floor, exp.Floor) else None
    if not isinstance(inner, exp.Div) or not isinstance(inner.this.unnest(), exp.Column):
        return None
    if not isinstance(width, exp.Literal) or inner.expression.unnest() != width:
        return None
    return exp.Anonymous(this="bucket", expressions=[inner.this.unnest().copy(), width.copy()])
