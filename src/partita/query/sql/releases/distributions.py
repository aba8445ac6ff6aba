"""MODE and ENTROPY: computed from the released counts of each value, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import exp

from partita.query.sql.places import written
from partita.query.sql.releases.lifted import Lifted
from partita.query.sql.spelling import Entropy

# The columns of a question about values: the value, and how often it occurs; keys are numbered.
_VALUE, _TIMES = "value", "times"
_FROM: Final = ("from_", "joins", "where")


def told(node: exp.Expr) -> bool:
    """Whether a node is computed from how often each value occurs."""
    return isinstance(_called(node), exp.Mode | Entropy)


def spread_out(text: str, taken: Lifted, release: Callable[[exp.Select], exp.Table]) -> exp.Select | None:
    """What is shown, over releases of counts; None where nothing is computed from counts of values.

    ``release`` puts a question and gives the table of its answer. The rest of the aggregates is one more question, and
    the keys join them.
    """
    inner, outer = taken.inner, taken.outer.copy()
    items = [(item.alias, item.this) for item in inner.expressions]
    wanted = [(name, node) for name, node in items if told(node)]
    if not wanted or (inner.args.get("group") is not None and inner.args["group"].find(exp.Rollup, exp.Cube)):
        return None
    keys = [(name, node) for name, node in items if not _aggregated(node)]
    others = [item for item in inner.expressions if _aggregated(item.this) and not told(item.this)]
    relations = [_relation(name, node, keys, inner, release) for name, node in wanted]
    if others:
        rest = inner.copy()
        rest.set("expressions", [item.copy() for item in inner.expressions if not told(item.this)])
        first: exp.Expr = release(rest)
    else:
        first = _renamed(relations.pop(0), keys)
    outer.set("from_", exp.From(this=first))
    joins = []
    for relation in relations:
        same = [
            exp.NullSafeEQ(this=exp.column(name, first.alias_or_name, quoted=True), expression=_key(place, relation))
            for place, (name, _) in enumerate(keys)
        ]
        joins.append(exp.Join(this=relation, side="LEFT", on=exp.and_(*same) if same else exp.true()))
    outer.set("joins", joins)
    for item in outer.expressions:
        if not isinstance(item, exp.Alias):
            item.replace(exp.alias_(item.copy(), written(text, item), quoted=True))
    return outer


def _relation(
    name: str,
    node: exp.Expr,
    keys: list[tuple[str, exp.Expr]],
    inner: exp.Select,
    release: Callable[[exp.Select], exp.Table],
) -> exp.Subquery:
    """A table with one line a group: its keys, numbered, and what is computed from the counts of its values."""
    numbered = [(f"key {place + 1} of {name}", key) for place, (_, key) in enumerate(keys)]
    given: exp.Expr = _called(node).this
    count: exp.Expr = exp.Count(this=exp.Star())
    if isinstance(node, exp.Filter):
        count = exp.Filter(this=count, expression=node.expression.copy())
    asked = exp.Select(
        expressions=[
            *(exp.alias_(key.copy(), number, quoted=True) for number, key in numbered),
            exp.alias_(given.copy(), _VALUE, quoted=True),
            exp.alias_(count, _TIMES, quoted=True),
        ],
        group=exp.Group(expressions=[*(key.copy() for _, key in numbered), given.copy()]),
    )
    for clause in _FROM:
        value = inner.args.get(clause)
        if value:
            asked.set(clause, [one.copy() for one in value] if isinstance(value, list) else value.copy())
    columns = [exp.column(number, quoted=True) for number, _ in numbered]
    found = exp.Select(
        expressions=[*columns, exp.alias_(_computed(_called(node)), name, quoted=True)],
        from_=exp.From(this=release(asked)),
    )
    if columns:
        found.set("group", exp.Group(expressions=[column.copy() for column in columns]))
    return exp.Subquery(this=found, alias=exp.TableAlias(this=exp.to_identifier(f"of {name}", quoted=True)))


def _computed(node: exp.Expr) -> exp.Expr:
    """The value of the greatest count; or how many bits a value tells. NULL is no value, nor is one without rows."""
    value, times = (exp.column(name, quoted=True) for name in (_VALUE, _TIMES))
    present = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))

    def only(aggregate: exp.Expr, *further: exp.Expr) -> exp.Expr:
        return exp.Filter(this=aggregate, expression=exp.Where(this=exp.and_(present.copy(), *further)))

    some = exp.GT(this=times.copy(), expression=exp.Literal.number(0))
    if isinstance(node, exp.Mode):
        return only(exp.ArgMax(this=value, expression=times), some)
    bits = exp.Mul(this=times.copy(), expression=exp.Anonymous(this="LOG2", expressions=[times.copy()]))
    whole = only(exp.Sum(this=times.copy()), some)
    mean = exp.Div(this=only(exp.Sum(this=bits), some.copy()), expression=whole.copy())
    return exp.Sub(this=exp.Anonymous(this="LOG2", expressions=[whole]), expression=mean)


def _renamed(relation: exp.Subquery, keys: list[tuple[str, exp.Expr]]) -> exp.Subquery:
    """The same with its keys called as the question calls them."""
    for (name, _), item in zip(keys, list(relation.this.expressions), strict=False):
        item.replace(exp.alias_(item.copy(), name, quoted=True))
    return relation


def _key(place: int, relation: exp.Subquery) -> exp.Column:
    return exp.column(relation.this.expressions[place].name, relation.alias, quoted=True)


def _called(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Filter) else node


def _aggregated(node: exp.Expr) -> bool:
    return node.find(exp.AggFunc) is not None
