"""Reads aggregates: each becomes one aggregate of the plan, or a formula of several."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from partita.errors import query as refuse
from partita.query.aggregates import (
    Aggregate,
    Average,
    Count,
    CountOwners,
    CountRows,
    Quantile,
    Sum,
    arguments,
    with_arguments,
)
from partita.query.conditions import Condition
from partita.query.expressions import Case, Expression, Number
from partita.query.formulas import Formula, replaced
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
            if isinstance(node.this, exp.Distinct):
                raise reader.refused(
                    node, refuse.function_not_answered(f"{node.sql_name()}(DISTINCT ...)", "Leave DISTINCT out.")
                )
            of = reader.expression(node.this)
            return Sum(of) if isinstance(node, exp.Sum) else Average(of)
        case exp.AggFunc():
            name = node.sql_name()
            raise reader.refused(node, refuse.function_not_answered(name, "Write COUNT, SUM, AVG or QUANTILE."))
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
            case Count() | Sum() | Average() | Quantile():
                return with_arguments(part, tuple(map(only, arguments(part))))
            case CountOwners():
                raise refuse.function_not_answered("COUNT(DISTINCT ...) FILTER", "Put the condition into WHERE.")
            case _:
                return part

    return replaced(formula, narrowed)


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
            refuse.function_not_answered(
                "COUNT(DISTINCT ...)", "Count rows with COUNT(*), or the rows of each value with GROUP BY."
            ),
        )
    if node.expressions:
        raise reader.refused(node, refuse.wrong_arguments("COUNT", "COUNT(*) or COUNT(x)"))
    return Count(reader.counted(of))
