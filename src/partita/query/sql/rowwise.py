"""Reads functions of bounded expressions of several columns: absolute values, and whole numbers below and above."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sqlglot import exp

from partita.query.language import clock
from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import Case, Clamp, Expression, Number, Quotient, bounds
from partita.region.columns import Operator
from partita.region.region import Region

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader


def function_of(reader: Reader, node: exp.Expr) -> Expression | None:
    """ABS(x), FLOOR(x) or CEIL(x) of a bounded expression, or None if the node is something else."""
    if not isinstance(node, exp.Abs | exp.Floor | exp.Ceil) or node.args.get("decimals") is not None:
        return None
    part = reader.expression(node.this)
    if isinstance(node, exp.Floor):
        return Quotient(part, Fraction(1))
    if isinstance(node, exp.Ceil):
        return clock.times(Quotient(clock.times(part, -1), Fraction(1)), -1)
    domain = reader.table.domain
    within = bounds(part, domain)
    below = Condition(Region.everything(domain), (Versus(part, Operator.BELOW, Number(Fraction(0))),))
    most = max(abs(within.lowest), abs(within.highest))
    return Clamp(Case(((below, clock.times(part, -1)),), part), Fraction(0), most)
