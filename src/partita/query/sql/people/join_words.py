"""Words of a join of people's tables: the tables as a question names them, and parts of its conditions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, final

from sqlglot import exp

from partita.query.language.joined import Existence, Kind, Link, Occurrence
from partita.query.language.text import shown_condition
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table

# Different questions in EXISTS and IN: each is one more join, and an engine takes longer and longer to order them.
MOST_EXISTING: Final = 16


@final
@dataclass
class Named:
    """An occurrence as the question names it, with the conjuncts of its ON that are no links."""

    alias: str
    occurrence: Occurrence
    node: exp.Expr
    links: list[Link] = field(default_factory=list)
    further: list[exp.Expr] = field(default_factory=list)


@final
@dataclass(frozen=True, slots=True)
class Fanned:
    """A public table with several rows for a key, as the question names it and under the name that it gets."""

    alias: str
    name: str
    table: PublicTable
    join: exp.Join


@final
@dataclass(frozen=True, slots=True)
class Meant:
    """A column that was mentioned: whose, and what it is called there."""

    named: Named
    column: str


def table_named(node: exp.Expr) -> str:
    """The table that a node names, if it names one plainly."""
    plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and not node.args.get("db")
    return node.name.lower() if plain else ""


def question_in(node: exp.Expr) -> exp.Select | None:
    """The question inside EXISTS or IN."""
    query = node.args.get("query") if isinstance(node, exp.In) else node.this
    inner = None if query is None else query.unnest()
    return inner if isinstance(inner, exp.Select) else None


def parts_of(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a condition that are joined by AND."""
    node = node.unnest()
    return [part for side in node.flatten() for part in parts_of(side)] if isinstance(node, exp.And) else [node]


def together(parts: Iterable[exp.Expr]) -> exp.Expr:
    """Several conditions as one."""
    listed = [exp.Paren(this=part.copy()) for part in parts]
    return listed[0].this if len(listed) == 1 else exp.and_(*listed, copy=False)


def inside(node: exp.Column, alias: str, declared: Table) -> bool:
    """Whether a column inside brackets is one of the table inside them."""
    known = node.name.lower() in {name.lower() for name in declared.columns}
    return known and (not node.table or node.table.lower() == alias)


def full_in(named: Iterable[Named]) -> bool:
    """Whether one of some tables is joined by a full join."""
    return any(one.occurrence.kind is Kind.FULL for one in named)


def unlike(name: str, taken: Container[str], tables: Container[str]) -> str:
    """A name, or with a number that makes it another than some, which no table has."""
    found, number = name, 1
    while found.lower() in taken or (number > 1 and found.lower() in tables):
        number += 1
        found = f"{name}_{number}"
    return found


def tied(names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> set[str]:
    """The names that pairs tie to the first of them, one by one.

    >>> sorted(tied(["a", "b", "c", "d"], [("b", "c"), ("c", "a")]))
    ['a', 'b', 'c']
    """
    found, listed = {names[0]}, list(pairs)
    for _ in names:
        found |= {one for pair in listed for one in pair if found & set(pair)}
    return found


def shown(tree: exp.Select) -> None:
    """Columns of the answer keep the names under which they were asked for."""
    for item in list(tree.expressions):
        if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
            item.replace(exp.alias_(item.copy(), item.name, quoted=True))


def spelled_out(join: exp.Join) -> None:
    """USING (x) as ON x = table.x."""
    using = join.args.get("using") or []
    if len(using) == 1:
        mine = exp.column(using[0].name)
        mine.this.meta.update(using[0].meta)
        join.set("using", None)
        join.set("on", exp.EQ(this=mine, expression=exp.column(using[0].name, table=join.this.alias_or_name)))


def recalled(node: exp.Expr, name: str) -> None:
    """The same place in the question, under another name."""
    made = exp.to_identifier(name, quoted=True)
    made.meta.update(node.this.meta)
    node.set("this", made)
    node.set("table", None)
    node.meta["joined"] = True


def named_existences(existences: list[tuple[exp.Expr, Existence]]) -> tuple[Existence, ...]:
    """Each existence once, in an order and under names that do not depend on where they stood."""
    written = {f"{one.table} {sorted(one.links, key=repr)} {shown_condition(one.where)}": one for _, one in existences}
    counted: dict[str, int] = {}
    named: dict[str, Existence] = {}
    for text, one in sorted(written.items()):
        counted[one.table] = counted.get(one.table, 0) + 1
        # With a blank, which no name of a table has.
        number = f" {counted[one.table]}" if counted[one.table] > 1 else ""
        named[text] = replace(one, name=f"exists {one.table}{number}")
    for node, one in existences:
        text = f"{one.table} {sorted(one.links, key=repr)} {shown_condition(one.where)}"
        recalled(node, named[text].name)
    return tuple(named.values())
