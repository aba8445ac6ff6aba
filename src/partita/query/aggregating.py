"""Reads aggregates: each becomes one aggregate of the plan, or a formula of several."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from partita.errors import query as refuse
from partita.query.advice import DISTINCT, for_aggregate
from partita.query.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    CountOwners,
    CountRows,
    Covariance,
    Sum,
    Variance,
    arguments,
    paired,
    with_arguments,
)
from partita.query.conditions import Condition
from partita.query.expressions import Case, Expression, Number
from partita.query.formulas import Apply, Choice, Constant, Formula, Label, Operation, replaced
from partita.query.quantile_words import read_owner, read_quantile
from partita.query.reading import Reader


def aggregate(reader: Reader, node: exp.Expr) -> Formula | None:
    """The aggregate that a node is, or None if it is something else."""
    match node:
        case exp.CountIf():
            return filtered(CountRows(), reader.condition(node.this))
        case exp.Count():
            return _count(reader, node)
        case exp.Median() | exp.Quantile() | exp.ApproxQuantile() | exp.Min() | exp.Max():
            return read_quantile(reader, node)
        case exp.PercentileCont() | exp.PercentileDisc() | exp.WithinGroup():
            return read_quantile(reader, node)
        case exp.Sum() | exp.Avg():
            of = reader.expression(_undistinct(reader, node))
            return Sum(of) if isinstance(node, exp.Sum) else Average(of)
        case exp.Variance() | exp.VariancePop() | exp.Stddev() | exp.StddevSamp() | exp.StddevPop():
            return _spread(reader, node)
        case exp.CovarPop() | exp.CovarSamp() | exp.Corr():
            return _pair(reader, node)
        case exp.RegrSlope() | exp.RegrIntercept() | exp.RegrR2():
            return _line(reader, node)
        case exp.AggFunc():
            raise reader.refused(node, refuse.function_not_answered(*for_aggregate(reader.text, node)))
        case _:
            return None


def filtered(formula: Formula, condition: Condition) -> Formula:
    """FILTER (WHERE ...): rows that do not meet the condition count as NULL."""

    def only(of: Expression) -> Expression:
        return Case(((condition, of),), Number(None))

    def narrowed(part: Formula) -> Formula:
        match part:
            case CountRows():
                return Count(only(Number(Fraction(1))))
            case CountOwners():
                raise refuse.function_not_answered("COUNT(DISTINCT ...) FILTER", "Put the condition into WHERE.")
            case Label() | Constant() | Apply() | Choice():
                return part
            case _:
                return with_arguments(part, tuple(map(only, arguments(part))))

    return replaced(formula, narrowed)


def _spread(reader: Reader, node: exp.Expr) -> Formula:
    """VARIANCE and STDDEV, of the sample unless they say of the population."""
    of = reader.expression(_undistinct(reader, node))
    found: Formula = Variance(of)
    if not isinstance(node, exp.VariancePop | exp.StddevPop):
        found = _sampled(found, Count(of))
    if isinstance(node, exp.Stddev | exp.StddevSamp | exp.StddevPop):
        found = Apply(Operation.ROOT, (found,))
    return found


def _pair(reader: Reader, node: exp.CovarPop | exp.CovarSamp | exp.Corr) -> Formula:
    of, other = reader.expression(node.this), reader.expression(node.expression)
    if isinstance(node, exp.Corr):
        return Correlation(of, other)
    found = Covariance(of, other)
    if not isinstance(node, exp.CovarSamp):
        return found
    both, _ = paired(of, other, reader.table.domain)
    return _sampled(found, Count(both))


def _line(reader: Reader, node: exp.RegrSlope | exp.RegrIntercept | exp.RegrR2) -> Formula:
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
        raise reader.refused(node, refuse.function_not_answered(f"{name}(DISTINCT ...)", "Leave DISTINCT out."))
    return of


def _count(reader: Reader, node: exp.Count) -> Aggregate:
    of = node.this
    if of is None or isinstance(of, exp.Star):
        return CountRows()
    if isinstance(of, exp.Distinct):
        owner = read_owner(reader, of)
        if owner is not None:
            return CountOwners(owner)
        raise reader.refused(
            node,
            refuse.function_not_answered("COUNT(DISTINCT ...)", DISTINCT),
        )
    if node.expressions:
        raise reader.refused(node, refuse.wrong_arguments("COUNT", "COUNT(*) or COUNT(x)"))
    return Count(reader.counted(of))
