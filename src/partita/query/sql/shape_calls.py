"""Reads aggregates of the shape of numbers: skewness, kurtosis, geometric means, standard errors, truths of all."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from sqlglot import exp

from partita.errors.query import language as refuse
from partita.query.language.aggregates import Average, Count, Quantile, Variance
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Bounds, Case, Expression, Number, Plus, Quotient, Times, bounds
from partita.query.language.formulas import Apply, Choice, Constant, Formula, Operation
from partita.query.sql.scalars import Reader
from partita.query.sql.spelling import KurtosisPop

# So many steps from the middle: fourth powers of these fit a row's value.
_FINEST: Final = 2**15


def read_skewness(reader: Reader, node: exp.Expr) -> Formula:
    """SKEWNESS(x) of a sample: the third moment in units of the spread."""
    count, moments = _moments(reader, node, 3)
    spread = _times(moments[2], Apply(Operation.ROOT, (moments[2],)))
    factor = _over(Apply(Operation.ROOT, (_times(count, _less(count, 1)),)), _less(count, 2))
    return _from(3, count, _times(factor, _over(moments[3], spread)))


def read_kurtosis(reader: Reader, node: exp.Expr) -> Formula:
    """KURTOSIS(x) of a sample, and KURTOSIS_POP(x): the fourth moment, less what it is for a normal distribution."""
    count, moments = _moments(reader, node, 4)
    raw = _over(moments[4], _times(moments[2], moments[2]))
    if isinstance(node, KurtosisPop):
        return _less(raw, 3)
    inner = Apply(Operation.SUBTRACT, (_times(_less(count, -1), raw), _times(_number(3), _less(count, 1))))
    return _from(4, count, _times(_over(_less(count, 1), _times(_less(count, 2), _less(count, 3))), inner))


def read_geometric_mean(reader: Reader, node: exp.Expr) -> Formula:
    """The exponential of the mean logarithm."""
    logarithm = exp.Ln(this=_one(reader, node).copy())
    logarithm.meta.update(node.meta)
    return Apply(Operation.EXPONENTIAL, (Average(reader.expression(logarithm)),))


def read_standard_error(reader: Reader, node: exp.Expr) -> Formula:
    """The spread over the root of the number of rows, as DuckDB has it: of the population."""
    of = reader.expression(_one(reader, node))
    return Apply(Operation.ROOT, (_over(Variance(of), Apply(Operation.GREATEST, (Count(of), _number(1)))),))


def read_truth(reader: Reader, node: exp.Expr) -> Formula:
    """BOOL_OR(x): whether the greatest of the truths is 1; BOOL_AND(x): whether the least is. NULL is left out."""
    given = _one(reader, node)
    true, false = reader.condition(given), reader.condition(exp.Not(this=exp.Paren(this=given.copy())))
    told = _told(true, false)
    share = Fraction(1) if isinstance(node, exp.LogicalOr) else Fraction(0)
    return Apply(Operation.EQUAL, (Quantile(told, share), _number(1)))


def _told(true: Condition, false: Condition) -> Expression:
    return Case(((true, Number(Fraction(1))), (false, Number(Fraction(0)))), Number(None))


def _moments(reader: Reader, node: exp.Expr, most: int) -> tuple[Count, dict[int, Formula]]:
    """The number of rows, and the mean powers of the distance from their mean.

    They are taken about the middle of the range first, where powers are least, and on a lattice coarse enough for them:
    neither a shift nor the unit changes a shape.
    """
    of = reader.expression(_one(reader, node))
    about = _centred(of, bounds(of, reader.table.domain))
    mean, square, cube, fourth = (Average(Times((about,) * power) if power > 1 else about) for power in range(1, 5))
    found: dict[int, Formula] = {2: Apply(Operation.SUBTRACT, (square, _times(mean, mean)))}
    found[3] = _sum(cube, _times(_number(-3), mean, square), _times(_number(2), mean, mean, mean))
    if most > 3:
        found[4] = _sum(
            fourth,
            _times(_number(-4), mean, cube),
            _times(_number(6), mean, mean, square),
            _times(_number(-3), mean, mean, mean, mean),
        )
    return Count(of), found


def _centred(of: Expression, within: Bounds) -> Expression:
    middle = (within.low + within.high) // 2 * within.unit
    moved = Plus((of, Number(-middle))) if middle else of
    furthest = max(within.highest - middle, middle - within.lowest)
    steps = -(-furthest // (within.unit * _FINEST))
    if steps <= 1:
        return moved
    width = steps * within.unit
    # Half a step more, so that each step is the nearest.
    return Quotient(Plus((of, Number(width / 2 - middle))), width)


def _one(reader: Reader, node: exp.Expr) -> exp.Expr:
    of = node.this
    if not isinstance(of, exp.Expr) or isinstance(of, exp.Distinct | exp.Star):
        name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
        raise reader.refused(node, refuse.wrong_arguments(name, f"{name}(x)"))
    return of


def _from(rows: int, count: Count, formula: Formula) -> Formula:
    """The formula, where there are enough rows for it; otherwise NULL."""
    enough = Apply(Operation.AT_LEAST, (count, _number(rows)))
    return Choice(((enough, formula),), Constant(None))


def _number(value: int) -> Constant:
    return Constant(Fraction(value))


def _less(part: Formula, amount: int) -> Formula:
    return Apply(Operation.SUBTRACT, (part, _number(amount)))


def _sum(*parts: Formula) -> Formula:
    return Apply(Operation.ADD, parts)


def _times(*parts: Formula) -> Formula:
    return Apply(Operation.MULTIPLY, parts)


def _over(part: Formula, divisor: Formula) -> Formula:
    return Apply(Operation.DIVIDE, (part, divisor))
