"""Reads aggregates: each becomes one aggregate of the plan, or a formula of several."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from sqlglot import exp

from partita.errors import query as refuse
from partita.query.aggregates import Aggregate, Average, Count, CountRows, Sum, arguments, with_arguments
from partita.query.conditions import Condition
from partita.query.expressions import Case, Expression, Number
from partita.query.formulas import Formula, replaced
from partita.query.reading import Reader

_OTHER: Final[dict[str, str]] = {
    "MIN": "The least value is one person's value.",
    "MAX": "The greatest value is one person's value.",
}


def aggregate(reader: Reader, node: exp.Expr) -> Formula | None:
    """The aggregate that a node is, or None if it is something else."""
    match node:
        case exp.CountIf():
            return filtered(CountRows(), reader.condition(node.this))
        case exp.Count():
            return _count(reader, node)
        case exp.Sum() | exp.Avg():
            if isinstance(node.this, exp.Distinct):
                raise reader.refused(
                    node, refuse.function_not_answered(f"{node.sql_name()}(DISTINCT ...)", "Leave DISTINCT out.")
                )
            of = reader.expression(node.this)
            return Sum(of) if isinstance(node, exp.Sum) else Average(of)
        case exp.AggFunc():
            name = node.sql_name()
            advice = _OTHER.get(name, "")
            raise reader.refused(node, refuse.function_not_answered(name, f"{advice} Write COUNT, SUM or AVG.".strip()))
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
            case Count() | Sum() | Average():
                return with_arguments(part, tuple(map(only, arguments(part))))
            case _:
                return part

    return replaced(formula, narrowed)


def _count(reader: Reader, node: exp.Count) -> Aggregate:
    of = node.this
    if of is None or isinstance(of, exp.Star):
        return CountRows()
    if isinstance(of, exp.Distinct):
        raise reader.refused(
            node,
            refuse.function_not_answered(
                "COUNT(DISTINCT ...)", "Count rows with COUNT(*), or the rows of each value with GROUP BY."
            ),
        )
    if node.expressions:
        raise reader.refused(node, refuse.wrong_arguments("COUNT", "COUNT(*) or COUNT(x)"))
    return Count(reader.counted(of))
