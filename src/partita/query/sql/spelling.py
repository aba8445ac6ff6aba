"""Spells a parsed question out: one node for each aggregate that has several names, and for each of many quantiles."""

from __future__ import annotations

from typing import Final, TypeVar, final

from sqlglot import exp

from partita.effort import Work, spend

_RANKED: Final = (exp.Quantile, exp.ApproxQuantile, exp.PercentileCont, exp.PercentileDisc)

Tree = TypeVar("Tree", bound=exp.Expr)


@final
class KurtosisPop(exp.Expression, exp.AggFunc):
    """KURTOSIS_POP(x)."""

    _sql_names = ["KURTOSIS_POP"]  # noqa: RUF012 - as sqlglot declares them


@final
class GeometricMean(exp.Expression, exp.AggFunc):
    """GEOMETRIC_MEAN(x), also written GEOMEAN."""

    _sql_names = ["GEOMETRIC_MEAN"]  # noqa: RUF012


@final
class StandardError(exp.Expression, exp.AggFunc):
    """SEM(x): how far a mean is from that of the population."""

    _sql_names = ["SEM"]  # noqa: RUF012


@final
class Entropy(exp.Expression, exp.AggFunc):
    """ENTROPY(x): how many bits a value tells."""

    _sql_names = ["ENTROPY"]  # noqa: RUF012


@final
class QuantileLow(exp.Expression, exp.AggFunc):
    """QUANTILE_LOW(x, q): a value that is hardly ever above the quantile."""

    arg_types = {"this": True, "quantile": True}  # noqa: RUF012
    _sql_names = ["QUANTILE_LOW"]  # noqa: RUF012


@final
class QuantileHigh(exp.Expression, exp.AggFunc):
    """QUANTILE_HIGH(x, q): a value that is hardly ever below the quantile."""

    arg_types = {"this": True, "quantile": True}  # noqa: RUF012
    _sql_names = ["QUANTILE_HIGH"]  # noqa: RUF012


@final
class MedianDeviation(exp.Expression, exp.AggFunc):
    """MAD(x), which is not answered as it stands."""

    _sql_names = ["MAD"]  # noqa: RUF012


_SIDES: Final = {"quantile_low": QuantileLow, "quantile_high": QuantileHigh}
# Aggregates that the parser takes for functions it does not know.
CALLED: Final[dict[str, type[exp.AggFunc]]] = {
    "kurtosis_pop": KurtosisPop,
    "geomean": GeometricMean,
    "geometric_mean": GeometricMean,
    "sem": StandardError,
    "entropy": Entropy,
    "mad": MedianDeviation,
    "favg": exp.Avg,
    "mean": exp.Avg,
    "fsum": exp.Sum,
    "kahan_sum": exp.Sum,
    "sumkahan": exp.Sum,
    "every": exp.LogicalAnd,
}


def spelled(tree: Tree) -> Tree:
    """The same tree with one node for each aggregate, and for each of several quantiles.

    >>> from sqlglot import parse_one
    >>> spelled(parse_one("SELECT QUANTILE_CONT(x, [0.1, 0.9])", dialect="duckdb")).sql(dialect="duckdb")
    'SELECT [QUANTILE_CONT(x, 0.1), QUANTILE_CONT(x, 0.9)]'
    """
    for node in list(tree.find_all(exp.Anonymous, exp.WithinGroup, *_RANKED)):
        if isinstance(node, exp.Anonymous) and node.name.lower() in _SIDES and len(node.expressions) == 2:
            _put(node, _SIDES[node.name.lower()](this=node.expressions[0], quantile=node.expressions[1]))
            continue
        known = CALLED.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
        if known is not None and len(node.expressions) == 1:
            _put(node, known(this=node.expressions[0]))
        elif isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.Mode) and _ordered(node) is not None:
            _put(node, exp.Mode(this=_ordered(node)))
        elif isinstance(node, _RANKED):
            _listed(node)
    return tree


def _listed(node: exp.Expr) -> None:
    """QUANTILE(x, [0.1, 0.9]) is a list of two quantiles, each with the words around it."""
    place = next((name for name, value in node.args.items() if isinstance(value, exp.Array)), None)
    if place is None:
        return
    whole = node
    while isinstance(whole.parent, exp.WithinGroup | exp.Filter) and whole.arg_key == "this":
        whole = whole.parent
    shares = node.args[place].expressions
    spend(4 * len(shares) * sum(1 for _ in whole.walk()), Work.WORDS)
    made = []
    for share in shares:
        node.set(place, share.copy())
        made.append(whole.copy())
    _put(whole, exp.Array(expressions=made))


def _ordered(node: exp.WithinGroup) -> exp.Expr | None:
    listed = node.expression.expressions if isinstance(node.expression, exp.Order) else []
    return listed[0].this if len(listed) == 1 else None


def _put(node: exp.Expr, made: exp.Expr) -> None:
    made.meta.update(node.meta)
    node.replace(made)
