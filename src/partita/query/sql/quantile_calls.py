"""The words people write for quantiles and for owners: every spelling of SQL's, read into one form."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query import quantiles as refuse_quantiles
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Expression, Value
from partita.query.sql.scalars import Reader
from partita.query.sql.spelling import QuantileHigh, QuantileLow
from partita.region.columns import Dates, Timestamps

_LONGEST = 10**6


def read_quantile(reader: Reader, node: exp.Expr) -> Quantile:
    """MEDIAN(x), QUANTILE(x, 0.9), PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x), MIN(x) and MAX(x).

    Whether a quantile between two values is one of them or lies between makes no difference here: all values of the
    column's domain are candidates.
    """
    match node:
        case exp.Median():
            return Quantile(_ranked(reader, node.this), Fraction(1, 2))
        case exp.Min() | exp.Max():
            return Quantile(_ranked(reader, node.this), Fraction(0) if isinstance(node, exp.Min) else Fraction(1))
        case exp.WithinGroup(this=exp.PercentileCont() | exp.PercentileDisc() as inner):
            ordered = node.expression.expressions if isinstance(node.expression, exp.Order) else []
            if len(ordered) != 1:
                raise reader.refused(node, _meant())
            share = _share(reader, node, inner.this)
            downward = bool(ordered[0].args.get("desc"))
            return Quantile(_ranked(reader, ordered[0].this), 1 - share if downward else share)
        case QuantileLow() | QuantileHigh():
            side = -1 if isinstance(node, QuantileLow) else 1
            of, share = _ranked(reader, node.this), _share(reader, node, node.args["quantile"])
            if share == (0 if side < 0 else 1):
                # One person's value: nothing but the end of the domain is beyond it.
                raise reader.refused(node, refuse_quantiles.nothing_beyond(reader.written(node), side))
            return Quantile(of, share, side)
        case exp.Quantile() | exp.ApproxQuantile():
            return Quantile(_ranked(reader, node.this), _share(reader, node, node.args.get("quantile")))
        case exp.PercentileCont() | exp.PercentileDisc():
            return Quantile(_ranked(reader, node.this), _share(reader, node, node.expression))
        case _:
            raise reader.refused(node, _meant())


def read_owner(reader: Reader, distinct: exp.Distinct) -> str | None:
    """The owner column, if that is what is counted."""
    owner, listed = reader.table.owner, distinct.expressions
    if owner is None or len(listed) != 1 or not isinstance(listed[0].unnest(), exp.Column):
        return None
    return owner if listed[0].unnest().name.lower() == owner.lower() else None


def each_owner(reader: Reader, distinct: exp.Distinct) -> bool:
    """Whether owners are counted over rows of which each owner has one."""
    listed = distinct.expressions
    bare = listed[0].unnest() if len(listed) == 1 else None
    return reader.each is not None and isinstance(bare, exp.Column) and bare.name.lower() == reader.each.lower()


def _ranked(reader: Reader, node: exp.Expr) -> Expression:
    """What is ranked: a bounded expression, or a column of dates or times."""
    bare = node.unnest()
    if isinstance(bare, exp.Column):
        name, column = reader.column(bare)
        if isinstance(column, Dates | Timestamps):
            return Value(name)
    return reader.expression(node)


def _share(reader: Reader, node: exp.Expr, given: exp.Expr | None) -> Fraction:
    if isinstance(given, exp.Array | exp.List | exp.Tuple):
        raise reader.refused(node, refuse_quantiles.several_shares())
    share = None if given is None else reader.constant(given)
    if share is None or not 0 <= share <= 1 or share.denominator > _LONGEST:
        raise reader.refused(node, refuse_quantiles.bad_share())
    return share


def _meant() -> QueryRefused:
    return refuse.wrong_arguments("A quantile", "QUANTILE(x, 0.9), MEDIAN(x), MIN(x) or MAX(x)")
