"""Other words for the same: what SQL says in several ways is said in the one way that the rest reads."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeVar

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse_shape
from partita.errors.query import tables as refuse_public
from partita.errors.query.underlined import Words, at
from partita.exact import number
from partita.query.functions.tabulated import Untabulated, evaluated
from partita.query.sql.places import words
from partita.query.tables.public import Fact, PublicTable

_CLOCKS: Final = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime)
_CLOCK_NAMES: Final = frozenset(
    ("now", "today", "getdate", "sysdate", "get_current_timestamp", "transaction_timestamp")
)
_CHANCE_NAMES: Final = frozenset(("random", "rand", "setseed", "gen_random_uuid", "uuid"))
_SIMPLE: Final = {"kind", "expressions", "from_", "where", "distinct"}


Tree = TypeVar("Tree", bound=exp.Expr)


def plain(text: str, tree: Tree, public: Mapping[str, PublicTable]) -> Tree:
    """The same question in plainer words; what has no meaning for a question that is charged once is refused.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT a FROM t WHERE a IS DISTINCT FROM 3 ORDER BY ALL", dialect="duckdb")
    >>> plain("", tree, {}).sql(dialect="duckdb")
    'SELECT a FROM t WHERE NOT ((a = 3) IS TRUE) ORDER BY 1'
    """
    facts = {name.lower(): table for name, table in public.items()}
    around = exp.Paren(this=tree)
    nodes = list(tree.walk())
    spend(4 * len(nodes), Work.WORDS)
    for node in nodes:
        match node:
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                node.replace(_same(node))
            case exp.ApproxDistinct() if not isinstance(node.this, exp.Distinct):
                counted = exp.Count(this=exp.Distinct(expressions=[node.this]))
                counted.meta.update(node.meta)
                node.replace(counted)
            case exp.In() if isinstance(node.this, exp.Tuple) and node.expressions:
                node.replace(_pairs(text, node))
            case exp.In() | exp.Exists() if (asked := _asked(node)) is not None and _about(asked) in facts:
                node.replace(_listed(text, node, asked, facts[_about(asked)]))
            case exp.CTE() if node.alias.lower() in facts:
                raise at(refuse_shape.name_taken(node.alias), words(text, node))
            case exp.Group():
                _margins(node)
            case exp.Select():
                _ordered(node)
            case _:
                _check(text, node)
    made: Tree = around.this
    return made.pop()


def steady(text: str, tree: exp.Expr) -> None:
    """Refuse a tree with anything in it that changes from one moment to the next, or that was left open."""
    for node in tree.walk():
        _check(text, node)


def _check(text: str, node: exp.Expr) -> None:
    """Refuse what changes from one moment to the next, and what was left open."""
    called = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, _CLOCKS) or called in _CLOCK_NAMES:
        raise at(refuse_shape.by_the_clock(node.sql(dialect="duckdb")), _around(text, node))
    if isinstance(node, exp.Rand) or called in _CHANCE_NAMES:
        raise at(refuse_shape.by_chance(node.sql(dialect="duckdb")), _around(text, node))
    if isinstance(node, exp.Placeholder | exp.Parameter | exp.SessionParameter):
        raise at(refuse_shape.left_open(node.sql(dialect="duckdb")), _around(text, node))


def _around(text: str, node: exp.Expr) -> Words | None:
    """The nearest words around a node whose own place the parser did not keep."""
    found, outer = words(text, node), node.parent
    while found is None and outer is not None:
        found, outer = words(text, outer), outer.parent
    return found


def _same(node: exp.NullSafeEQ | exp.NullSafeNEQ) -> exp.Expr:
    """IS (NOT) DISTINCT FROM: a comparison that is never NULL."""
    left, right = node.this, node.expression
    if isinstance(left, exp.Null) or isinstance(right, exp.Null):
        other = left if isinstance(right, exp.Null) else right
        equal: exp.Expr = exp.Is(this=other, expression=exp.Null())
    else:
        equal = exp.Is(this=exp.Paren(this=exp.EQ(this=left, expression=right)), expression=exp.true())
        if not isinstance(left, exp.Literal) and not isinstance(right, exp.Literal):
            spend(15 * sum(1 for _ in node.walk()), Work.WORDS)
            absent = [exp.Is(this=side.copy(), expression=exp.Null()) for side in (left, right)]
            equal = exp.Or(this=equal, expression=exp.Paren(this=exp.And(this=absent[0], expression=absent[1])))
    equal = exp.Paren(this=equal)
    return exp.Not(this=equal) if isinstance(node, exp.NullSafeNEQ) else equal


def _pairs(text: str, node: exp.In) -> exp.Expr:
    """(a, b) IN ((1, 2), (3, 4)): one of several combinations."""
    columns = node.this.expressions
    spend(5 * sum(1 for _ in node.this.walk()) * len(node.expressions), Work.WORDS)
    choices: list[exp.Expr] = []
    for member in node.expressions:
        if not isinstance(member, exp.Tuple) or len(member.expressions) != len(columns):
            raise at(refuse_shape.uneven_list(len(columns)), words(text, node))
        equal = [
            exp.EQ(this=column.copy(), expression=value)
            for column, value in zip(columns, member.expressions, strict=True)
        ]
        choices.append(exp.Paren(this=exp.and_(*equal)))
    return exp.Paren(this=exp.or_(*choices))


def _margins(group: exp.Group) -> None:
    """GROUP BY a, b WITH ROLLUP is GROUP BY ROLLUP (a, b)."""
    for option, kind in (("rollup", exp.Rollup), ("cube", exp.Cube)):
        given = group.args.get(option)
        if isinstance(given, list) and len(given) == 1 and not given[0].expressions and group.expressions:
            group.set(option, None)
            group.set("expressions", [kind(expressions=group.expressions)])


def _ordered(tree: exp.Select) -> None:
    """ORDER BY ALL: by every column of the answer, from the left."""
    order = tree.args.get("order")
    if order is None:
        return
    given = order.expressions
    if len(given) == 1 and isinstance(given[0].this, exp.Var) and given[0].this.name.upper() == "ALL":
        places = range(1, len(tree.expressions) + 1)
        options = {name: value for name, value in given[0].args.items() if name != "this"}
        order.set("expressions", [exp.Ordered(this=exp.Literal.number(place), **options) for place in places])


def _about(asked: exp.Select) -> str:
    source = asked.args.get("from_")
    return source.this.name.lower() if source is not None and isinstance(source.this, exp.Table) else ""


def _asked(node: exp.In | exp.Exists) -> exp.Select | None:
    """The question that stands in brackets after IN or EXISTS."""
    query = node.args.get("query") if isinstance(node, exp.In) else node.this
    return None if query is None else query.find(exp.Select)


def _listed(text: str, node: exp.In | exp.Exists, asked: exp.Select, table: PublicTable) -> exp.Expr:
    """x IN (SELECT key FROM public WHERE ...): the list that everybody can look up."""
    item = asked.expressions[0].unalias() if len(asked.expressions) == 1 else None
    own = {"", asked.args["from_"].this.alias_or_name.lower()}
    if (
        not isinstance(node, exp.In)
        or asked is not node.args["query"].unnest()
        or not isinstance(item, exp.Column)
        or any(value and clause not in _SIMPLE for clause, value in asked.args.items())
        # A column of the question around it would make a list of its own for every row.
        or any(column.table.lower() not in own for column in asked.find_all(exp.Column))
    ):
        raise _joined(text, node, table)
    place, where = table.column(item.name), asked.args.get("where")
    if place is None:
        raise _joined(text, node, table)
    found = []
    spend(len(table.rows) * (2 if where is None else 3 * sum(1 for _ in where.walk())), Work.VALUES)
    for row in table.rows:
        known = {column.lower(): value for column, value in zip(table.columns, row, strict=True)}
        try:
            met = where is None or evaluated(where.this, known) is True
        except Untabulated:
            raise _joined(text, node, table) from None
        if met:
            found.append(_literal(row[place]))
    made = exp.In(this=node.this, expressions=found)
    # Values that the column does not have are no mistake in a public list.
    made.meta["listed"] = True
    return made if found else exp.false()


def _joined(text: str, node: exp.Expr, table: PublicTable) -> QueryRefused:
    return at(refuse_public.better_joined(table.name, table.key), words(text, node))


def _literal(value: Fact) -> exp.Expr:
    match value:
        case None:
            return exp.null()
        case bool():
            return exp.true() if value else exp.false()
        case Fraction():
            written = number(abs(value))
            shown: exp.Expr = exp.Literal.number(written)
            return exp.Neg(this=shown) if value < 0 else shown
        case _:
            return exp.Literal.string(str(value))
