"""Reads aggregates: each becomes one aggregate of the plan, or a formula of several."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from sqlglot import exp

from partita.errors.query import language as refuse
from partita.query.language.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    CountDifferent,
    CountOwners,
    CountRows,
    Covariance,
    Sum,
    Variance,
    arguments,
    paired,
    with_arguments,
)
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Case, Expression, Number
from partita.query.language.formulas import Apply, Choice, Constant, Formula, Label, Margin, Operation, replaced
from partita.query.language.joined import joined_of
from partita.query.sql.advice import DIFFERENT, DISTINCT, for_aggregate
from partita.query.sql.quantile_calls import each_owner, read_owner, read_quantile
from partita.query.sql.scalars import Reader
from partita.query.sql.shape_calls import (
    read_geometric_mean,
    read_kurtosis,
    read_skewness,
    read_standard_error,
    read_truth,
)
from partita.query.sql.spelling import GeometricMean, KurtosisPop, QuantileHigh, QuantileLow, StandardError


def aggregate(reader: Reader, node: exp.Expr) -> Formula | None:
    """The aggregate that a node is, or None if it is something else."""
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
        return aggregate(reader, node.this)
    read = READERS.get(type(node))
    if read is not None:
        return read(reader, node)
    if isinstance(node, exp.AggFunc):
        raise reader.refused(node, refuse.function_not_answered(*for_aggregate(reader.text, node)))
    return None


def filtered(formula: Formula, condition: Condition) -> Formula:
    """FILTER (WHERE ...): rows that do not meet the condition count as NULL."""

    def only(of: Expression) -> Expression:
        return Case(((condition, of),), Number(None))

    def narrowed(part: Formula) -> Formula:
        match part:
            case CountRows():
                return Count(only(Number(Fraction(1))))
            case CountDifferent(column, among):
                return CountDifferent(column, condition if among is None else among & condition)
            case CountOwners():
                raise refuse.function_not_answered("COUNT(DISTINCT ...) FILTER", "Put the condition into WHERE.")
            case Label() | Margin() | Constant() | Apply() | Choice():
                return part
            case _:
                return with_arguments(part, tuple(map(only, arguments(part))))

    return replaced(formula, narrowed)


def _count_if(reader: Reader, node: exp.Expr) -> Formula:
    return filtered(CountRows(), reader.condition(node.this))


def _sum(reader: Reader, node: exp.Expr) -> Formula:
    return Sum(reader.expression(_undistinct(reader, node)))


def _average(reader: Reader, node: exp.Expr) -> Formula:
    return Average(reader.expression(_undistinct(reader, node)))


def _spread(reader: Reader, node: exp.Expr) -> Formula:
    """VARIANCE and STDDEV, of the sample unless they say of the population."""
    of = reader.expression(_undistinct(reader, node))
    found: Formula = Variance(of)
    if not isinstance(node, exp.VariancePop | exp.StddevPop):
        found = _sampled(found, Count(of))
    if isinstance(node, exp.Stddev | exp.StddevSamp | exp.StddevPop):
        found = Apply(Operation.ROOT, (found,))
    return found


def _pair(reader: Reader, node: exp.Expr) -> Formula:
    of, other = reader.expression(node.this), reader.expression(node.expression)
    if isinstance(node, exp.Corr):
        return Correlation(of, other)
    found = Covariance(of, other)
    if not isinstance(node, exp.CovarSamp):
        return found
    both, _ = paired(of, other, reader.table.domain)
    return _sampled(found, Count(both))


def _line(reader: Reader, node: exp.Expr) -> Formula:
    """The straight line of least squares, over the rows where neither is NULL: REGR_SLOPE(y, x) and its like."""
    up, along = reader.expression(node.this), reader.expression(node.expression)
    if isinstance(node, exp.RegrR2):
        return Apply(Operation.MULTIPLY, (Correlation(up, along), Correlation(up, along)))
    both = paired(up, along, reader.table.domain)
    slope = Apply(Operation.DIVIDE, (Covariance(up, along), Variance(both[1])))
    if isinstance(node, exp.RegrSlope):
        return slope
    return Apply(Operation.SUBTRACT, (Average(both[0]), Apply(Operation.MULTIPLY, (slope, Average(both[1])))))


def _sampled(formula: Formula, count: Count) -> Formula:
    """From the population to the sample: times n/(n - 1), where n - 1 is at least 1."""
    fewer = Apply(
        Operation.GREATEST, (Apply(Operation.SUBTRACT, (count, Constant(Fraction(1)))), Constant(Fraction(1)))
    )
    return Apply(Operation.MULTIPLY, (formula, Apply(Operation.DIVIDE, (count, fewer))))


def _undistinct(reader: Reader, node: exp.Expr) -> exp.Expr:
    of: exp.Expr = node.this
    if isinstance(of, exp.Distinct):
        name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
        advice = DIFFERENT.format(name=name)
        raise reader.refused(node, refuse.function_not_answered(f"{name}(DISTINCT ...)", advice))
    return of


def _count(reader: Reader, node: exp.Expr) -> Aggregate:
    of = node.this
    if of is None or isinstance(of, exp.Star):
        return CountRows()
    if isinstance(of, exp.Distinct):
        owner = read_owner(reader, of)
        if owner is not None:
            return CountOwners(owner)
        if each_owner(reader, of):
            return CountRows()
        different = _different(reader, of.expressions[0]) if len(of.expressions) == 1 else None
        if different is not None:
            return different
        raise reader.refused(
            node,
            refuse.function_not_answered("COUNT(DISTINCT ...)", DISTINCT),
        )
    if node.expressions:
        raise reader.refused(node, refuse.wrong_arguments("COUNT", "COUNT(*) or COUNT(x)"))
    return Count(reader.counted(of))


def _different(reader: Reader, node: exp.Expr) -> CountDifferent | None:
    """The values of a column, or of one where a condition holds: CASE WHEN c THEN column END."""
    bare, among = node.unnest(), None
    if (
        isinstance(bare, exp.Case)
        and bare.this is None
        and len(bare.args["ifs"]) == 1
        and bare.args.get("default") is None
    ):
        (branch,) = bare.args["ifs"]
        among, bare = reader.condition(branch.this), branch.args["true"].unnest()
    if not isinstance(bare, exp.Column) or reader.attributes(bare) or joined_of(reader.table) is not None:
        return None
    opened = reader.opened(bare)
    return CountDifferent(reader.column(bare)[0] if opened is None else opened, among)


def _approximately(reader: Reader, node: exp.Expr) -> Aggregate:
    """APPROX_COUNT_DISTINCT(x): what it estimates is counted."""
    return _count(reader, exp.Count(this=exp.Distinct(expressions=[node.this])))


# Every aggregate of SQL that is answered, and how its call is read: one line each.
READERS: Final[dict[type[exp.Expr], Callable[[Reader, exp.Expr], Formula]]] = {
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.ApproxDistinct: _approximately,
    exp.Sum: _sum,
    exp.Avg: _average,
    exp.Median: read_quantile,
    QuantileLow: read_quantile,
    QuantileHigh: read_quantile,
    exp.Quantile: read_quantile,
    exp.ApproxQuantile: read_quantile,
    exp.Min: read_quantile,
    exp.Max: read_quantile,
    exp.PercentileCont: read_quantile,
    exp.PercentileDisc: read_quantile,
    exp.WithinGroup: read_quantile,
    exp.Variance: _spread,
    exp.VariancePop: _spread,
    exp.Stddev: _spread,
    exp.StddevSamp: _spread,
    exp.StddevPop: _spread,
    exp.CovarPop: _pair,
    exp.CovarSamp: _pair,
    exp.Corr: _pair,
    exp.RegrSlope: _line,
    exp.RegrIntercept: _line,
    exp.RegrR2: _line,
    exp.Skewness: read_skewness,
    exp.Kurtosis: read_kurtosis,
    KurtosisPop: read_kurtosis,
    GeometricMean: read_geometric_mean,
    StandardError: read_standard_error,
    exp.LogicalAnd: read_truth,
    exp.LogicalOr: read_truth,
}
