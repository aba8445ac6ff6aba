"""Questions inside conditions: what has to be released first, so that its value can be written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, final

from sqlglot import exp

from partita.effort import Work, spend, within_effort
from partita.errors.query import presenting as refuse
from partita.errors.query.underlined import at
from partita.query.language.plan import KeyColumn, Plan
from partita.query.sql.places import words
from partita.query.sql.releases.lifted import sums_up
from partita.query.sql.releases.statement import Statement
from partita.query.tables.schema import Table

MOST_FIRST: Final = 4
# More digits than any noise leaves, and few enough to be written.
_DIGITS: Final = 12

Second = Callable[[exp.Expr], Plan | Statement]


@final
@dataclass(frozen=True)
class Staged:
    """A question whose conditions compare rows with the answers to others: ``first`` are those, in order.

    They are released first. What is released is written in as a constant, and the rest is one more question, chosen
    after the first answers were seen: adaptive composition, each release charged to its own region (theory E16).
    """

    text: str
    tree: exp.Expr
    first: tuple[Plan, ...]
    second: Second

    @within_effort
    def filled(self, values: Sequence[Sequence[Any]]) -> Plan | Statement:
        """The question with these answers written in: the one column of each, line by line.

        It is read once more, and that is work like the first reading.
        """
        made = self.tree.copy()
        for node in list(made.find_all(exp.Placeholder)):
            value, around = values[int(node.name.removeprefix(_MARK))], node.parent
            if not isinstance(around, exp.In):
                node.replace(exp.Paren(this=_literal(value[0] if value else None)))
            elif value:
                around.set("expressions", [_literal(one) for one in value])
            else:
                around.replace(exp.false())
        return self.second(made)


_MARK: Final = "first"


def staged(
    text: str, tree: exp.Expr, tables: Mapping[str, Table], read: Callable[[exp.Select], Plan], second: Second
) -> Staged | None:
    """The questions that stand in conditions on protected rows: one value each, or after IN a list of keys."""
    found: list[Plan] = []
    spend(5 * sum(1 for _ in tree.walk()), Work.WORDS)
    if tree.find(exp.Placeholder) is not None or any(one.alias.lower() in tables for one in tree.find_all(exp.CTE)):
        return None  # places for values nobody gave; and a name that would mean one thing here and another there
    for query in [one for one in tree.find_all(exp.Subquery) if _inside(one, tables)]:
        inner, around = query.unnest(), query.parent
        listed = isinstance(around, exp.In) and around.args.get("query") is query
        if not isinstance(inner, exp.Select) or not sums_up(inner) or _outward(inner):
            continue
        if (inner.args.get("group") is not None) is not listed:
            continue
        if len(found) >= MOST_FIRST:
            raise at(refuse.too_many_first(MOST_FIRST), words(text, query))
        plan = read(inner.copy())
        if len(plan.shown) != 1 or isinstance(plan.shown[0], KeyColumn) is not listed:
            continue
        mark = exp.Placeholder(this=f"{_MARK}{len(found)}")
        if listed and around is not None:
            around.set("query", None)
            around.set("expressions", [mark])
        else:
            query.replace(mark)
        found.append(plan)
    return Staged(text, tree, tuple(found), second) if found else None


def _outward(inner: exp.Select) -> bool:
    """Whether a question names columns of the one around it, so that it is another one for every row."""
    sources = [source.this for source in (inner.args.get("from_"), *(inner.args.get("joins") or ())) if source]
    own = {"", *(source.alias_or_name.lower() for source in sources)}
    return any(column.table.lower() not in own for column in inner.find_all(exp.Column))


def _inside(query: exp.Subquery, tables: Mapping[str, Table]) -> bool:
    """Whether a question stands where rows of a protected table are looked at one by one: in WHERE, or in a sum."""
    node: exp.Expr = query
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        if isinstance(node.parent, exp.AggFunc):
            break
        node = node.parent
    select = query.find_ancestor(exp.Select)
    if select is None or not (isinstance(node, exp.Where) or isinstance(node.parent, exp.AggFunc)):
        return False
    source = select.args.get("from_")
    return source is not None and isinstance(source.this, exp.Table) and source.this.name.lower() in tables


def _literal(value: Any) -> exp.Expr:
    """A released value as a constant, rounded to a number of digits that can be written."""
    if value is None:
        return exp.null()
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.replace(tzinfo=None).isoformat(sep=" ")), "TIMESTAMP")
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()[:10]), "DATE")
    if isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool):
        number = Decimal(f"{float(value):.{_DIGITS}g}")
        shown = exp.Literal.number(f"{abs(number):f}")
        return exp.Neg(this=shown) if number < 0 else shown
    return exp.Literal.string(str(value))
